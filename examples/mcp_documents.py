"""An MCP server: an agent reads your documents with surrogates, and writes answers with originals.

    pip install "spacy-dxprivacy" "mcp>=2"
    python examples/mcp_documents.py FOLDER

A client starts it with this command (stdio). The agent sees documents by number, with surrogates
for persons, dates, places, addresses, organisations, contacts, identifiers and secrets. What it
hands to `write_answer` is restored, and written to FOLDER/answers, which it cannot read. Names of
files are not shown: they may hold names. What the recogniser misses, the agent reads.
"""

from __future__ import annotations

import sys
from pathlib import Path

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

import spacy_dxprivacy as dx

ENDINGS = (".txt", ".md")


class Documents:
    """The documents of a folder, which are one conversation: a person has one surrogate in all."""

    def __init__(self, folder: Path) -> None:
        self.answers = folder / "answers"
        self.paths = sorted(p for p in folder.iterdir() if p.suffix in ENDINGS and p.is_file())
        self._read: list[str] = []  # originals, in the order in which the agent read them

    def list_documents(self) -> list[str]:
        """List the documents by number, with their length in characters."""
        sizes = [path.stat().st_size for path in self.paths]
        return [f"document {i}: {size} bytes" for i, size in enumerate(sizes, 1)]

    def read_document(self, number: int) -> str:
        """Read a document. Names, dates and identifiers in it are surrogates: use them as they
        are."""
        if not 1 <= number <= len(self.paths):
            raise ToolError(f"There are documents 1 to {len(self.paths)}.")
        text = self.paths[number - 1].read_text("utf8")
        texts = self._read if text in self._read else [*self._read, text]
        sent, _ = self._prompt(texts)
        self._read = texts
        return sent[texts.index(text)]

    def write_answer(self, text: str) -> str:
        """Write a text for the user. Surrogates in it become the originals."""
        _, restore = self._prompt(self._read or [""])
        self.answers.mkdir(mode=0o700, exist_ok=True)
        number = 1 + sum(1 for _ in self.answers.iterdir())
        with (self.answers / f"answer-{number}.txt").open("x", encoding="utf8") as file:
            file.write(restore(text))
        return f"answer {number} is written."

    @staticmethod
    def _prompt(texts: list[str]):
        try:
            return dx.prompt(texts)
        except dx.DxError as error:  # its message holds no text
            raise ToolError(str(error)) from None


def make_server(folder: Path) -> MCPServer:
    """Return the server of a folder."""
    documents, server = Documents(folder), MCPServer("documents")
    for tool in (documents.list_documents, documents.read_document, documents.write_answer):
        server.add_tool(tool)
    return server


if __name__ == "__main__":
    make_server(Path(sys.argv[1])).run("stdio")
