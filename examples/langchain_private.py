"""A chat model of LangChain that reads surrogates, and whose answers have the originals.

    pip install "spacy-dxprivacy" langchain-core

    model = private(ChatOpenAI(model="gpt-4o"))
    print(model.invoke("Write to Priya Whitcombe.").content)

`prompt | private(model) | parser` works as with any Runnable. Only texts are sent: a message with
images, files or calls of tools is an error, and so is whatever cannot be sanitised. LangSmith and
other tracers see the originals where this Runnable is called: turn them off.
"""

from __future__ import annotations

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, convert_to_messages
from langchain_core.prompt_values import PromptValue
from langchain_core.runnables import Runnable, RunnableLambda

import spacy_dxprivacy as dx


def private(model: BaseChatModel, **settings: object) -> Runnable:
    """Return a model that reads surrogates. settings: those of `spacy_dxprivacy.prompt`, such as
    entities="person,date" or policy={"id": "block"}."""

    def ask(given: object) -> AIMessage:
        messages = _messages(given)
        # All messages are one conversation: a person has one surrogate in them.
        sent, restore = dx.prompt([str(message.content) for message in messages], **settings)
        bare = [type(m)(content=text) for m, text in zip(messages, sent, strict=True)]
        answer = model.invoke(bare, config={"callbacks": []})
        if not isinstance(answer.content, str) or getattr(answer, "tool_calls", None):
            raise ValueError("the answer is not a text.")
        return AIMessage(content=restore(answer.content), usage_metadata=answer.usage_metadata)

    return RunnableLambda(ask)


def _messages(given: object) -> list[BaseMessage]:
    """Return messages of a prompt, of a text, or of a list. Raise ValueError if one is no text."""
    if isinstance(given, PromptValue):
        messages = given.to_messages()
    else:
        messages = convert_to_messages([given] if isinstance(given, (str, tuple)) else given)
    for message in messages:
        if not isinstance(message.content, str) or message.type not in ("system", "human", "ai"):
            raise ValueError("only messages of text can be sent.")
        if message.additional_kwargs or getattr(message, "tool_calls", None):
            raise ValueError("a message has more than a text.")
    return messages
