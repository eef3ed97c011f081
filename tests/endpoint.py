"""A scripted endpoint on this machine, in the API of OpenAI's chats."""

import json
import re
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TEXT = re.compile(r"<(text\d*)>\n(.*)\n</\1>", re.S)


def text_of(prompt):
    """The paragraph in a prompt."""
    return TEXT.search(prompt)[2]


def chat(content, finish="stop"):
    """The body of an answer."""
    message = {"role": "assistant", "content": content}
    return json.dumps({"choices": [{"message": message, "finish_reason": finish}]}).encode()


class Handler(BaseHTTPRequestHandler):
    """Answers by the script of its server: a text, or a status, a body and headers."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        raw = self.rfile.read(int(self.headers["content-length"]))
        server = self.server
        with server.lock:
            server.seen.append((self.path, dict(self.headers), raw))
            server.running += 1
            server.most = max(server.most, server.running)
        try:
            prompt = json.loads(raw)["messages"][0]["content"]
            answer = server.script(prompt if server.takes_prompts else text_of(prompt))
        finally:  # before it is sent: who has the answer may ask again at once
            with server.lock:
                server.running -= 1
        self.send(answer)

    def do_GET(self):
        self.server.seen.append((self.path, dict(self.headers), b""))
        self.send((200, chat("Nobody has asked."), {}))

    def send(self, answer):
        status, body, headers = (200, chat(answer), {}) if isinstance(answer, str) else answer
        self.send_response(status)
        for name, value in {"content-length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    def handle_error(self, *_):
        """Say nothing of clients that did not wait."""


@contextmanager
def serving(script, *, takes_prompts=False):
    """Yield a server. script: a function of the paragraph of a request, or of its prompt."""
    server = Server(("127.0.0.1", 0), Handler)
    server.script, server.seen, server.lock = script, [], threading.Lock()
    server.running = server.most = 0
    server.takes_prompts = takes_prompts
    server.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
