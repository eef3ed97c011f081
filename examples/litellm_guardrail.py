"""A guardrail of LiteLLM: models read surrogates, clients read originals, streamed or not.

It is the code of `dx proxy`. In the config of LiteLLM's proxy, beside this file:

    guardrails:
      - guardrail_name: surrogates
        litellm_params:
          guardrail: litellm_guardrail.Surrogates
          mode: [pre_call, post_call]
          default_on: true
          tools: [find_patient]  # functions whose arguments get originals
          models: [my-model]  # names of models, besides those made of public words

Fields pass as in `dx proxy`: texts with surrogates, settings with their vocabulary; identifiers of
users are dropped, and a request with any other field gets status 400. LiteLLM's own logs see
requests before its guardrails: turn off `store_prompts_in_spend_logs` and the logging of messages.

The header `dx-surrogates` of an answer counts what came back and what did not, as in `dx proxy`. An
answer that is streamed has no such header, so the logger `litellm_guardrail` has the counts of all.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterable, Collection
from typing import Any, NamedTuple
from uuid import uuid4

from fastapi import HTTPException
from litellm.integrations.custom_guardrail import CustomGuardrail
from litellm.types.utils import ModelResponse, ModelResponseStream

from spacy_dxprivacy import DxError
from spacy_dxprivacy.integrations.clean import sanitize_lines
from spacy_dxprivacy.prompts.answers import PROVIDERS, AnswerRestorer
from spacy_dxprivacy.prompts.conversation import Conversation, Conversations
from spacy_dxprivacy.prompts.requests import InvalidRequest, Prompt

# Fields of LiteLLM's own, which no model gets.
OWN_FIELDS = frozenset(
    "api_key cache client_side_timeout disable_fallbacks drop_params guardrails keepalive_seconds "
    "litellm_call_id litellm_logging_obj litellm_metadata litellm_session_id litellm_trace_id "
    "metadata mock_response no-log num_retries proxy_server_request secret_fields stream_timeout "
    "tags timeout ttl".split()
)
USER_ID = "user_id"  # in the metadata of a request: LiteLLM sends it to Anthropic
ID = "dx_request"  # in the metadata of a request: no text
MOST = 4096  # answers that are waited for
REPORT_HEADER = "dx-surrogates"
LOG = logging.getLogger("litellm_guardrail")


class Expected(NamedTuple):
    """An answer that is waited for. texts: those that the model reads."""

    restorer: AnswerRestorer
    conversation: Conversation
    texts: list[str]

    def finish(self) -> str:
        """Note the identifiers of the answer, and return the counts, without any text."""
        self.conversation.issue(self.restorer.ids)
        counts = self.restorer.report(self.texts)
        line = " ".join(f"{name}={count}" for name, count in counts.items())
        LOG.info("%s: %s", REPORT_HEADER, line)
        return line


class Surrogates(CustomGuardrail):
    """Replaces names before a call, and restores them after it.

    Args:
        tools: Names of functions whose arguments get originals; "*" for all.
        policy: What becomes of a label, as in `dx proxy`.
        entities: Labels to replace.
        models: Names of models besides those made of public words.
    """

    def __init__(
        self,
        tools: Collection[str] = (),
        policy: dict[str, str] | None = None,
        entities: str | None = None,
        models: Collection[str] = (),
        **settings: Any,
    ) -> None:
        super().__init__(**settings)
        self._tools, self._policy, self._entities = tools, policy, entities
        self._public = {*models, *tools}
        self._answers = OrderedDict[str, Expected]()
        self._conversations = Conversations()  # which identifiers their answers had

    async def async_pre_call_hook(
        self, user_api_key_dict: Any, cache: Any, data: dict[str, Any], call_type: str
    ) -> dict[str, Any]:
        """Return the request with surrogates. Raises HTTPException where it cannot be sanitised."""
        if call_type not in ("completion", "acompletion"):
            raise HTTPException(400, "surrogates: only chats are passed on.")
        try:
            return await asyncio.to_thread(self._replace, user_api_key_dict, data)
        except InvalidRequest as error:
            raise HTTPException(400, f"surrogates: {error}") from None
        except DxError as error:
            raise HTTPException(422, f"surrogates: {error}") from None

    def _replace(self, user_api_key_dict: Any, data: dict[str, Any]) -> dict[str, Any]:
        own = {name: item for name, item in data.items() if name in OWN_FIELDS}
        request = Prompt({name: data[name] for name in data.keys() - own}, self._public)
        caller = getattr(user_api_key_dict, "api_key", None) or ""
        conversation = self._conversations.of(caller, request.conversation)
        request.allow(conversation.has_issued)
        beginning = f"{caller} {request.conversation}"
        sent = sanitize_lines(
            request.lines, beginning, entities=self._entities, policy=self._policy
        )
        body, rows = request.replace(sent)
        name, chat = uuid4().hex, PROVIDERS["chat"]
        answer = AnswerRestorer(
            chat, rows, self._tools, escaped=request.wants_json, offered=request.functions
        )
        self._answers[name] = Expected(answer, conversation, sent.texts)
        if len(self._answers) > MOST:
            self._answers.popitem(last=False)
        metadata = {**(data.get("metadata") or {}), ID: name}
        metadata.pop(USER_ID, None)
        return {**own, **body, "metadata": metadata}

    async def async_post_call_success_hook(
        self, data: dict[str, Any], user_api_key_dict: Any, response: ModelResponse
    ) -> ModelResponse:
        """Return the answer with originals."""
        expected = self._answer(data)
        if expected is None:
            return response
        fields = await asyncio.to_thread(expected.restorer.restore, response.model_dump())
        restored = ModelResponse(**fields)
        line = await asyncio.to_thread(expected.finish)
        hidden = getattr(response, "_hidden_params", None) or {}
        headers = {**(hidden.get("additional_headers") or {}), REPORT_HEADER: line}
        restored._hidden_params = {**hidden, "additional_headers": headers}
        return restored

    async def async_post_call_streaming_iterator_hook(
        self,
        user_api_key_dict: Any,
        response: AsyncIterable[ModelResponseStream],
        request_data: dict[str, Any],
    ) -> AsyncGenerator[ModelResponseStream, None]:
        """Yield the pieces of the answer, with originals."""
        expected = self._answer(request_data)
        async for piece in response:
            if expected is None:
                yield piece
                continue
            events = await asyncio.to_thread(expected.restorer.events, piece.model_dump())
            for event in events:
                yield ModelResponseStream(**event)
        if expected is not None:
            for event in await asyncio.to_thread(expected.restorer.end):
                yield ModelResponseStream(**event)
            await asyncio.to_thread(expected.finish)

    def _answer(self, data: dict[str, Any]) -> Expected | None:
        name = (data.get("metadata") or {}).get(ID, "")
        return self._answers.pop(name, None)
