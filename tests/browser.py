"Headless Chromium over the DevTools protocol: one browser, one page, as much as the site's tests need, and a server for it"
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit
import json
import re
import shutil
import subprocess
import time

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


WHOLE = """addEventListener("DOMContentLoaded", () => { // what is far below is laid out, too: else it cannot be measured
    document.head.insertAdjacentHTML("beforeend", "<style>main section { content-visibility: visible !important; }</style>");
})"""


class Browser:
    "A page in Chromium that reaches nothing but files and this machine; `events` holds what it reported since the last visit"

    def __init__(self, folder):
        from websocket import create_connection
        folder = Path(folder)
        self.process = subprocess.Popen(
            [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
             "--remote-debugging-port=0", "--remote-allow-origins=*", f"--user-data-dir={folder}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port = folder / "DevToolsActivePort"
        self._until(lambda: port.exists() and port.read_text().count("\n"), "Chromium opened no port")
        number, path = port.read_text().split("\n")[:2]
        self.socket = create_connection(f"ws://127.0.0.1:{number}{path}", timeout=300)
        self.count, self.session, self.events = 0, None, []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Log", "Network": self.send(f"{domain}.enable")
        self.whole(True)

    def whole(self, wanted):
        "Shall pages to come be laid out whole, or as readers have them?"
        if wanted: self.script = self.send("Page.addScriptToEvaluateOnNewDocument", source=WHOLE)["identifier"]
        else: self.send("Page.removeScriptToEvaluateOnNewDocument", identifier=self.script)

    def _until(self, ready, message, seconds=300):
        end = time.monotonic() + seconds
        while not ready():
            if time.monotonic() > end: raise TimeoutError(message)
            time.sleep(.02)

    def send(self, method, **parameters):
        "Result of a DevTools command; events that come before it are kept"
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session: message["sessionId"] = self.session
        self.socket.send(json.dumps(message))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") != self.count: self.events.append(answer)
            elif "error" in answer: raise RuntimeError(f"{method}: {answer['error']['message']}")
            else: return answer["result"]

    def show(self, width, scheme="light", height=900):
        "A window of this width whose reader prefers this colour scheme"
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, screenWidth=width, screenHeight=height, deviceScaleFactor=1, mobile=width < 600)
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def visit(self, address):
        "Open a page and wait until it and its images are loaded"
        self.events = []
        self.send("Page.navigate", url=address)
        self._until(lambda: self.run("document.readyState == 'complete' && location.href != 'about:blank'"), f"{address} did not load")

    def run(self, expression):
        "Value of a JavaScript expression in the page; a promise is waited for"
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer: raise RuntimeError(answer["exceptionDetails"]["exception"].get("description", expression))
        return answer["result"].get("value")

    def reported(self, method): return [e["params"] for e in self.events if e.get("method") == method]

    def close(self):
        try: self.send("Browser.close")
        except Exception: pass
        self.socket.close()
        try: self.process.wait(timeout=300)
        except subprocess.TimeoutExpired: self.process.kill()


CUT_OFF = """[...document.querySelectorAll('main *, header *')].filter(e => {
    const box = e.getBoundingClientRect();
    if (!box.width || !box.height || (box.right <= screen.width + 1 && box.left >= -1)) return false;
    for (let p = e; p && p !== document.body; p = p.parentElement)
        if (['auto', 'scroll'].includes(getComputedStyle(p).overflowX)) return false;
    return true;
}).slice(0, 3).map(e => e.tagName + ' ' + e.className + ' ' + e.textContent.slice(0, 40))"""


def luminance(colour):
    channels = [int(c) / 255 for c in re.findall(r"\d+", colour)[:3]]
    return sum(w * (c / 12.92 if c <= .04045 else ((c + .055) / 1.055) ** 2.4) for w, c in zip((.2126, .7152, .0722), channels, strict=True))


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + .05) / (low + .05)


AT_REST = """(async () => { // a frame was drawn, in which boxes are measured; colours have faded in and menus have slid, however slow the machine is
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    let moving;
    while ((moving = document.getAnimations()).length) await Promise.allSettled(moving.map((each) => each.finished));
})()"""


def complaints(browser):
    "Errors that the page reported, and requests that left the machine"
    for event in browser.reported("Runtime.exceptionThrown"): yield event["exceptionDetails"]["text"]
    for event in browser.reported("Log.entryAdded"):
        if event["entry"]["level"] == "error": yield event["entry"]["text"]
    for event in browser.reported("Runtime.consoleAPICalled"):
        if event["type"] == "error": yield str(event["args"])
    for event in browser.reported("Network.requestWillBeSent"):
        parts = urlsplit(event["request"]["url"])
        if parts.scheme not in ("file", "data") and parts.hostname != "127.0.0.1": yield event["request"]["url"]


def served(folder, **changes):
    "A server of a folder at `server_port`, with the types that browsers ask of WebAssembly and modules; changes: methods of its own"
    types = {**SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm", ".mjs": "text/javascript"}
    changes = {"log_message": lambda *args: None, "extensions_map": types, **changes}
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(type("Quiet", (SimpleHTTPRequestHandler,), changes), directory=folder))
    Thread(target=server.serve_forever, daemon=True).start()
    return server


def stopped(server):
    server.shutdown()
    server.server_close()
