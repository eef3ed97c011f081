"""Examples between a client and a model: LangChain, an MCP server, a hook of a coding agent."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import module_of

EXAMPLES = Path(__file__).parents[2] / "examples"
pytestmark = pytest.mark.skipif(not EXAMPLES.is_dir(), reason="the examples are not in this tree")
TEXT = "Please write to Priya Whitcombe of Leeds about March 5, 2023."
SECRETS = ("Priya", "Whitcombe", "March 5")


# -- LangChain -------------------------------------------------------------------------------------


@pytest.fixture
def chat():
    """A chat model that repeats the last message, and keeps what it was sent."""
    pytest.importorskip("langchain_core", reason="needs the package langchain-core")
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage
    from langchain_core.outputs import ChatGeneration, ChatResult

    class Echo(BaseChatModel):
        seen: list = []  # noqa: RUF012

        @property
        def _llm_type(self):
            return "echo"

        def _generate(self, messages, stop=None, run_manager=None, **kwargs):
            self.seen.append([message.content for message in messages])
            answer = AIMessage(content=f"Dear all, {messages[-1].content}")
            return ChatResult(generations=[ChatGeneration(message=answer)])

    return Echo(seen=[])


def test_a_model_of_langchain_reads_surrogates_and_answers_with_originals(chat):
    from langchain_core.output_parsers import StrOutputParser
    from langchain_core.prompts import ChatPromptTemplate

    private = module_of(EXAMPLES / "langchain_private.py").private
    assert private(chat).invoke(TEXT).content == f"Dear all, {TEXT}"
    template = ChatPromptTemplate.from_messages([("system", "Be brief."), ("human", "{text}")])
    chain = template | private(chat) | StrOutputParser()
    assert chain.invoke({"text": TEXT}) == f"Dear all, {TEXT}"
    assert not [secret for secret in SECRETS if secret in str(chat.seen)]
    assert chat.seen[1][0] == "Be brief."


def test_what_is_no_text_is_not_sent(chat):
    from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

    private = module_of(EXAMPLES / "langchain_private.py").private
    image = HumanMessage([{"type": "image_url", "image_url": {"url": "data:,"}}])
    called = AIMessage("", tool_calls=[{"name": "find", "args": {"whom": TEXT}, "id": "1"}])
    for message in (image, called, ToolMessage(TEXT, tool_call_id="1")):
        with pytest.raises(ValueError, match=r"only messages of text|more than a text"):
            private(chat).invoke([message])
    assert not chat.seen


# -- MCP -------------------------------------------------------------------------------------------


def test_an_agent_reads_documents_with_surrogates_and_writes_with_originals(tmp_path):
    pytest.importorskip("mcp.server.mcpserver", reason="needs the package mcp, 2 or later")
    from mcp import Client

    (tmp_path / "Priya Whitcombe.txt").write_text(TEXT)
    (tmp_path / "b.md").write_text("Mrs. Whitcombe paid with 4111 1111 1111 1111.")
    (tmp_path / "photo.png").write_bytes(b"\x89PNG")
    server = module_of(EXAMPLES / "mcp_documents.py").make_server(tmp_path)

    async def talk():
        async with Client(server) as client:
            answers = [await client.call_tool("list_documents", {})]
            for number in (2, 1, 2):
                answers.append(await client.call_tool("read_document", {"number": number}))
            texts = [[part.text for part in answer.content] for answer in answers]
            wrong = await client.call_tool("read_document", {"number": 3})
            await client.call_tool("write_answer", {"text": f"Re: {texts[2][0]}"})
            return texts, wrong

    (listed, second, first, again), wrong = asyncio.run(talk())
    assert len(listed) == 2 and second == again and wrong.is_error
    assert not [s for s in (*SECRETS, "4111") if s in str([listed, first, second])]
    family = first[0].removeprefix("Please write to ").split(" of ")[0].split()[-1]
    assert family in second[0]  # one person, one name
    (answer,) = (tmp_path / "answers").iterdir()
    assert answer.read_text() == f"Re: {TEXT}"


# -- a hook ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_hook_stops_what_holds_a_name_and_says_no_more_than_labels(tmp_path):
    (note := tmp_path / "note.txt").write_text(TEXT)
    (code := tmp_path / "code.py").write_text("def add(a, b):\n    return a + b\n")
    read = {"hook_event_name": "PreToolUse", "tool_name": "Read"}
    events = [
        ({"hook_event_name": "UserPromptSubmit", "prompt": TEXT}, 2),
        ({"hook_event_name": "UserPromptSubmit", "prompt": "Add a test for this function."}, 0),
        ({**read, "tool_input": {"file_path": str(note)}}, 2),
        ({**read, "tool_input": {"file_path": str(code)}}, 0),
        ({**read, "tool_name": "Bash", "tool_input": {"command": "ls -l"}}, 0),
        ("not JSON", 2),
    ]
    for event, status in events:
        given = event if isinstance(event, str) else json.dumps(event)
        command = [sys.executable, str(EXAMPLES / "agent_hook.py")]
        done = subprocess.run(command, input=given, capture_output=True, text=True, timeout=120)
        assert done.returncode == status, (event, done.stderr)
        assert not [s for s in SECRETS if s in done.stdout + done.stderr]
        assert ("PERSON" in done.stderr) == (status == 2 and event != "not JSON")
