"""A guardrail of LiteLLM: models read surrogates, clients read originals, streamed or not.

It is the code of `dx proxy`. In the config of LiteLLM's proxy, beside this file:

    guardrails:
      - guardrail_name: surrogates
        litellm_params:
          guardrail: litellm_guardrail.Surrogates
          mode: [pre_call, post_call]
          default_on: true
          tools: [find_patient]  # functions whose arguments get originals

A request with a field that may hold a text, and that is not known, fails. LiteLLM's own logs see
requests before its guardrails: turn off `store_prompts_in_spend_logs` and the logging of messages.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterable, Collection
from typing import Any
from uuid import uuid4

from litellm.integrations.custom_guardrail import CustomGuardrail
from litellm.types.utils import ModelResponse, ModelResponseStream

from spacy_dxprivacy.integrations.clean import sanitize_lines
from spacy_dxprivacy.prompts.answers import PROVIDERS, AnswerRestorer
from spacy_dxprivacy.prompts.requests import Prompt

# The fields of a chat that hold texts. All others are settings, or LiteLLM's own.
FIELDS = ("messages", "tools", "tool_choice", "response_format", "stop")
USERS = ("user", "safety_identifier", "prompt_cache_key", "prediction", "functions")  # refused
ID = "dx_request"  # in the metadata of a request: no text
MOST = 4096  # answers that are waited for


class Surrogates(CustomGuardrail):
    """Replaces names before a call, and restores them after it.

    Args:
        tools: Names of functions whose arguments get originals; "*" for all.
        policy: What becomes of a label, as in `dx proxy`.
        entities: Labels to replace.
    """

    def __init__(
        self,
        tools: Collection[str] = (),
        policy: dict[str, str] | None = None,
        entities: str | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(**settings)
        self._tools, self._policy, self._entities = tools, policy, entities
        self._answers = OrderedDict[str, AnswerRestorer]()

    async def async_pre_call_hook(
        self, user_api_key_dict: Any, cache: Any, data: dict[str, Any], call_type: str
    ) -> dict[str, Any]:
        """Return the request with surrogates. Raises where it cannot be sanitised."""
        if call_type not in ("completion", "acompletion") or any(map(data.get, USERS)):
            raise ValueError("Surrogates: only chats are passed on, without fields about users.")
        request = Prompt({name: data[name] for name in FIELDS if name in data}, self._tools)
        caller = getattr(user_api_key_dict, "api_key", None) or ""
        sent = await asyncio.to_thread(
            sanitize_lines, request.lines, f"{caller} {request.conversation}",
            entities=self._entities, policy=self._policy,
        )  # fmt: skip
        body, rows = request.replace(sent)
        name, chat = uuid4().hex, PROVIDERS["chat"]
        answer = AnswerRestorer(
            chat, rows, self._tools, escaped=request.wants_json, offered=request.functions
        )
        self._answers[name] = answer
        if len(self._answers) > MOST:
            self._answers.popitem(last=False)
        return {**data, **body, "metadata": {**(data.get("metadata") or {}), ID: name}}

    async def async_post_call_success_hook(
        self, data: dict[str, Any], user_api_key_dict: Any, response: ModelResponse
    ) -> ModelResponse:
        """Return the answer with originals."""
        answer = self._answer(data)
        return ModelResponse(**answer.restore(response.model_dump())) if answer else response

    async def async_post_call_streaming_iterator_hook(
        self,
        user_api_key_dict: Any,
        response: AsyncIterable[ModelResponseStream],
        request_data: dict[str, Any],
    ) -> AsyncGenerator[ModelResponseStream, None]:
        """Yield the pieces of the answer, with originals."""
        answer = self._answer(request_data)
        async for piece in response:
            events = answer.events(piece.model_dump()) if answer else [piece.model_dump()]
            for event in events:
                yield ModelResponseStream(**event)
        for event in answer.end() if answer else ():
            yield ModelResponseStream(**event)

    def _answer(self, data: dict[str, Any]) -> AnswerRestorer | None:
        return self._answers.pop((data.get("metadata") or {}).get(ID, ""), None)
