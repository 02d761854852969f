#!/usr/bin/env python3
"""The page in headless Firefox, driven through WebDriver BiDi: it starts with threads, in a private window, and without
service workers, so without threads.

    xvfb-run -a python3 tests/web/test_firefox.py [build/web]

Firefox draws WebGL through the display, even when it is headless.
Skipped (77) where ./dev web has not been run or there is no Firefox. PICTURES=FOLDER keeps a picture of each start.

https://www.w3.org/TR/webdriver-bidi/
"""

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from browser import WITHOUT_SERVICE_WORKERS, Connection, Server

SOURCE = Path(__file__).resolve().parents[2]
BUILT = Path(sys.argv[1] if len(sys.argv) > 1 else SOURCE / "build" / "web").resolve()
FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
REPORT = "/home/web_user/report.json"
SETTINGS = {"webgl.force-enabled": True, "browser.shell.checkDefaultBrowser": False, "app.update.enabled": False,
            "datareporting.policy.dataSubmissionEnabled": False, "network.captive-portal-service.enabled": False}


class Page:
    """A page of its own in a Firefox of its own. Use it with `with`."""

    def __init__(self, private):
        self.folder = Path(tempfile.mkdtemp(prefix="headlight-firefox-"))
        settings = {**SETTINGS, "browser.privatebrowsing.autostart": private}
        (self.folder / "user.js").write_text("".join(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n"
                                                     for name, value in settings.items()))
        self.process = subprocess.Popen(
            [FIREFOX, "--headless", "--no-remote", "--profile", self.folder, "--remote-debugging-port=0", "--width=1600",
             "--height=1000"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "HOME": str(self.folder)})
        self.number = 0
        self.connection = Connection(f"ws://127.0.0.1:{self._port()}/session")
        self.call("session.new", capabilities={})
        self.context = self.call("browsingContext.getTree")["contexts"][0]["context"]
        self.call("script.addPreloadScript",
                  functionDeclaration=f"() => {{ self.headlightArguments = ['--report', '{REPORT}']; }}")

    def _port(self):
        path = self.folder / "WebDriverBiDiServer.json"
        for _ in range(900):
            if path.exists() and path.read_text():
                return json.loads(path.read_text())["ws_port"]
            time.sleep(0.1)
        raise RuntimeError("Firefox did not start")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.socket.close()
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def call(self, method, **parameters):
        self.number += 1
        self.connection.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.connection.receive())
            if answer.get("id") == self.number:
                if answer["type"] == "error":
                    raise RuntimeError(f"{method}: {answer['message']}")
                return answer["result"]

    def open(self, address):
        self.call("browsingContext.navigate", context=self.context, url=address, wait="none")

    def run(self, script):
        """What an expression of JavaScript gives, as JSON could say it."""
        answer = self.call("script.evaluate", expression=f"JSON.stringify({script})", target={"context": self.context},
                           awaitPromise=True)
        if answer["type"] == "exception":
            raise RuntimeError(f"{script}: {answer['exceptionDetails']['text']}")
        return json.loads(answer["result"].get("value", "null"))

    def wait(self, condition, seconds=180):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if self.run(f"Boolean({condition})"):
                    return
            except RuntimeError:
                pass  # the page is being loaded
            time.sleep(0.2)
        trouble = self.run("document.body.innerText")
        raise TimeoutError(f"{condition} is not true after {seconds} s. The page says: {trouble}")

    def picture(self, path):
        Path(path).write_bytes(base64.b64decode(self.call("browsingContext.captureScreenshot", context=self.context)["data"]))


class InFirefox(unittest.TestCase):
    def assert_starts(self, private, script=""):
        server = Server(BUILT)
        try:
            with Page(private) as page:
                page.call("script.addPreloadScript", functionDeclaration=f"() => {{ {script} }}")
                page.open(server.address)
                page.wait("document.getElementById('cover').hidden")
                page.wait(f"JSON.parse(FS.readFile('{REPORT}', {{encoding: 'utf8'}})).reports.busy === 'no'")
                self.assertEqual(page.run("crossOriginIsolated"), page.run("Boolean(navigator.serviceWorker)"))
                program = "headlight-relaxed.wasm" if page.run("hasRelaxedSimd()") else "headlight.wasm"
                self.assertEqual({path for path in server.asked if path.endswith(".wasm")}, {"/" + program})
                self.assertIn("look.answer", page.run(f"JSON.parse(FS.readFile('{REPORT}', {{encoding: 'utf8'}})).reports"))
                if folder := os.environ.get("PICTURES"):
                    page.picture(Path(folder) / ("firefox-private.png" if private else "firefox.png"))
        finally:
            server.stop()

    def test_a_window(self):
        self.assert_starts(private=False)

    def test_a_private_window(self):
        self.assert_starts(private=True)

    def test_a_window_without_service_workers(self):
        self.assert_starts(private=False, script=WITHOUT_SERVICE_WORKERS)


if __name__ == "__main__":
    if not (BUILT / "headlight.wasm").exists() or FIREFOX is None:
        print("skipped: needs ./dev web and Firefox")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
