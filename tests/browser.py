"""A headless Chromium, driven by its DevTools protocol: no driver to install beside it."""

import json
import shutil
import subprocess
import time
import urllib.request
from contextlib import contextmanager
from importlib.util import find_spec

# None: tests with a browser are skipped.
CHROMIUM = shutil.which("chromium") if find_spec("websockets") else None
OPTIONS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0")

# Code, number and text of each key.
KEYS = {
    "Tab": ("Tab", 9, ""),
    "Enter": ("Enter", 13, "\r"),
    "Space": ("Space", 32, " "),
    "ArrowRight": ("ArrowRight", 39, ""),
    "ArrowDown": ("ArrowDown", 40, ""),
}
_FOCUSED = """(() => {
  const e = document.activeElement;
  if (!e || e === document.body) return "";
  e.dataset.met = e.dataset.met || String(Math.random());
  const name = e.getAttribute("aria-label") || e.innerText || e.placeholder || e.id || "";
  return [e.tagName, e.getAttribute("role") || "", name.slice(0, 40), e.dataset.met].join(" ");
})()"""
_CONTRAST = """(() => {
  const parse = c => { const n = (c.match(/[\\d.]+/g) || []).map(Number);
                       return n.length < 4 ? [...n, 1] : n; };
  const over = (a, b) => [0, 1, 2].map(i => a[i] * a[3] + b[i] * (1 - a[3])).concat(1);
  const linear = v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
  const light = c => { const [r, g, b] = c.map(linear); return .2126 * r + .7152 * g + .0722 * b; };
  const canvas = matchMedia("(prefers-color-scheme: dark)").matches &&
    getComputedStyle(document.documentElement).colorScheme.includes("dark")
    ? [18, 18, 18, 1] : [255, 255, 255, 1];
  const behind = e => { const all = [];
    for (let x = e; x; x = x.parentElement) all.unshift(parse(getComputedStyle(x).backgroundColor));
    return all.reduce((b, a) => over(a, b), canvas); };
  const found = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const e = walk.currentNode.parentElement, s = getComputedStyle(e);
    const text = walk.currentNode.data.trim();
    if (!text || !e.checkVisibility() || ["SCRIPT", "STYLE"].includes(e.tagName) || e.closest("svg")
        || e.closest("[disabled], [aria-disabled=true], [data-testid=stSliderThumbValue]")
        || s.fontFamily.includes("Material")) continue;  // icons need 3; a slider's value floats
    const b = behind(e), f = over(parse(s.color), b);
    const [x, y] = [light(f), light(b)].sort((p, q) => q - p);
    found.push([(x + .05) / (y + .05), e.tagName, text.slice(0, 30), s.color, String(b)]);
  }
  return JSON.stringify(found);
})()"""


class Page:
    def __init__(self, socket):
        self.socket, self.events, self.calls = socket, [], 0
        for domain in ("Runtime", "Log", "Network", "Page"):
            self.call(f"{domain}.enable")

    def call(self, method, **params):
        self.calls += 1
        self.socket.send(json.dumps({"id": self.calls, "method": method, "params": params}))
        while True:
            message = json.loads(self.socket.recv(timeout=60))
            if message.get("id") == self.calls:
                return message["result"]
            self.events.append(message)

    def js(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        return result["result"].get("value")

    def wait_for(self, expression, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if value := self.js(expression):
                return value
            time.sleep(0.05)
        raise AssertionError(f"this did not become true: {expression}")

    def type_into(self, selector, text):
        self.js(f"document.querySelector({json.dumps(selector)}).select()")
        self.call("Input.insertText", text=text)
        self.press("Enter", modifiers=2)

    def press(self, key, **more):
        code, number, text = KEYS[key]
        for kind in ("keyDown" if text else "rawKeyDown", "keyUp"):
            typed = {"text": text} if text and kind == "keyDown" and not more else {}
            how = {"key": text or key, "code": code, "windowsVirtualKeyCode": number} | more | typed
            self.call("Input.dispatchKeyEvent", type=kind, **how)

    def tab_to(self, name, most=200):
        """Press Tab until what has this in its name has the focus."""
        assert name in self.by_tab(most, name)[-1], f"Tab does not come to {name}"

    def fits(self, width):
        """Whether nothing has to be scrolled sideways at this width, in pixels."""
        size = {"height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", width=width, **size)
        time.sleep(0.5)
        root = "document.documentElement"
        return self.js(f"{root}.scrollWidth <= {root}.clientWidth")

    def dark(self, on=True):
        asked = {"name": "prefers-color-scheme", "value": "dark" if on else "light"}
        self.call("Emulation.setEmulatedMedia", features=[asked])
        time.sleep(0.3)

    def pale(self, least=4.5):
        """What is written with less contrast than that (WCAG 2.1, 1.4.3), with the ratio."""
        return [found for found in json.loads(self.js(_CONTRAST)) if found[0] < least]

    def by_tab(self, most=200, until=None):
        """What the Tab key comes to, one after another, to the end or to what has this name."""
        found = [""]
        self.js("document.body.tabIndex = -1; document.body.focus(); scrollTo(0, 0)")
        for _ in range(most):
            self.press("Tab")
            here = self.js(_FOCUSED)
            if until is None and (not here or here in found):
                break
            found.append(here)
            if until is not None and until in here:
                break
        return found[1:]

    def errors(self):
        self.js("0")  # collects the events that are still on their way
        told = {"Runtime.consoleAPICalled": lambda p: p["type"] == "error",
                "Log.entryAdded": lambda p: p["entry"]["level"] == "error",
                "Runtime.exceptionThrown": lambda p: True}  # fmt: skip
        return [e for e in self.events if told.get(e["method"], lambda p: False)(e["params"])]

    def requests(self):
        sent = [e for e in self.events if e["method"] == "Network.requestWillBeSent"]
        sockets = [e for e in self.events if e["method"] == "Network.webSocketCreated"]
        urls = [e["params"]["request"]["url"] for e in sent]
        return urls + [e["params"]["url"] for e in sockets]


@contextmanager
def browser(profile):
    """A Page; profile: an empty folder."""
    from websockets.sync.client import connect

    command = [CHROMIUM, *OPTIONS, f"--user-data-dir={profile}", "about:blank"]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        with connect(_address(profile / "DevToolsActivePort"), max_size=None) as socket:
            yield Page(socket)
    finally:
        process.terminate()
        process.wait(timeout=30)


def _address(file, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        lines = file.read_text().splitlines() if file.exists() else []
        if len(lines) == 2:
            with urllib.request.urlopen(f"http://127.0.0.1:{lines[0]}/json/list") as answer:
                tabs = [tab for tab in json.load(answer) if tab["type"] == "page"]
            if tabs:
                return tabs[0]["webSocketDebuggerUrl"]
        time.sleep(0.05)
    raise AssertionError("the browser did not start")
