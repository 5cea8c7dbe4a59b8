"Headless Chromium over the DevTools protocol: one browser, one page, as much as the site's tests need"
from base64 import b64decode
from pathlib import Path
import json
import shutil
import subprocess
import time

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


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
        self.socket = create_connection(f"ws://127.0.0.1:{number}{path}", timeout=30)
        self.count, self.session, self.events = 0, None, []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Log", "Network": self.send(f"{domain}.enable")

    def _until(self, ready, message, seconds=30):
        end = time.monotonic() + seconds
        while not ready():
            if time.monotonic() > end: raise TimeoutError(message)
            time.sleep(.05)

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
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
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

    def picture(self, path, full=False):
        "Write a screenshot"
        Path(path).write_bytes(b64decode(self.send("Page.captureScreenshot", captureBeyondViewport=full)["data"]))

    def reported(self, method): return [e["params"] for e in self.events if e.get("method") == method]

    def close(self):
        try: self.send("Browser.close")
        except Exception: pass
        self.socket.close()
        try: self.process.wait(timeout=20)
        except subprocess.TimeoutExpired: self.process.kill()
