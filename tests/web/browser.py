"""A page in headless Chromium, driven through its DevTools protocol with nothing but Python's library.

https://chromedevtools.github.io/devtools-protocol/ ; frames of the connection: RFC 6455.
"""

import base64
import contextlib
import functools
import http.server
import json
import os
import shutil
import socket
import struct
import subprocess
import tempfile
import threading
import time
import urllib.request


def find_chromium():
    """The program's path, or None."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


# A script for a page: browsers without service workers give it no threads.
WITHOUT_SERVICE_WORKERS = "Object.defineProperty(Navigator.prototype, 'serviceWorker', {get: () => undefined});"


def node_switches(program):
    """What Node needs to run a program: up to version 20, relaxed SIMD has a switch, which later versions may refuse."""
    switches = ["--experimental-wasm-relaxed-simd"] if "relaxed" in program else []
    return switches if subprocess.run(["node", *switches, "--version"], capture_output=True).returncode == 0 else []


class _Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass


class Server:
    """Serves a folder as any server of files does, without headers of its own; remembers what was asked for."""

    def __init__(self, folder, port=0):
        self.asked = []
        asked = self.asked

        class Handler(_Handler):
            def do_GET(self):
                asked.append(self.path)
                with contextlib.suppress(ConnectionError):  # the page has gone elsewhere
                    super().do_GET()

        handler = functools.partial(Handler, directory=str(folder))
        self.server = http.server.ThreadingHTTPServer(("localhost", port), handler)
        self.port = self.server.server_address[1]
        self.address = f"http://localhost:{self.port}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class Connection:
    """The client's side of a WebSocket."""

    def __init__(self, url):
        host, path = url.removeprefix("ws://").split("/", 1)
        name, port = host.split(":")
        self.socket = socket.create_connection((name, int(port)), timeout=120)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((f"GET /{path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                             f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n").encode())
        self.left = b""
        while b"\r\n\r\n" not in self.left:
            self.left += self.socket.recv(4096)
        self.left = self.left.split(b"\r\n\r\n", 1)[1]

    def _take(self, count):
        while len(self.left) < count:
            part = self.socket.recv(1 << 16)
            if not part:
                raise EOFError("Chromium has closed the connection")
            self.left += part
        taken, self.left = self.left[:count], self.left[count:]
        return taken

    def send(self, text):
        data, mask = text.encode(), os.urandom(4)
        size = (bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + struct.pack(">H", len(data))
                if len(data) < 1 << 16 else b"\xff" + struct.pack(">Q", len(data)))
        key = (mask * (len(data) // 4 + 1))[:len(data)]
        masked = int.from_bytes(data, "little") ^ int.from_bytes(key, "little")
        self.socket.sendall(b"\x81" + size + mask + masked.to_bytes(len(data), "little"))

    def receive(self):
        text = b""
        while True:
            first, size = self._take(2)
            if size == 126:
                size, = struct.unpack(">H", self._take(2))
            elif size == 127:
                size, = struct.unpack(">Q", self._take(8))
            text += self._take(size)
            if first & 0x80:
                return text.decode()


class Page:
    """A page of its own in a browser of its own. Use it with `with`."""

    def __init__(self, width=1600, height=1000, scale=1, arguments=()):
        self.folder = tempfile.mkdtemp(prefix="headlight-web-")
        self.process = subprocess.Popen(
            [find_chromium(), "--headless=new", "--no-sandbox", "--remote-debugging-port=0", "--disable-dev-shm-usage",
             "--enable-unsafe-swiftshader", "--use-angle=swiftshader", f"--user-data-dir={self.folder}", "--no-first-run",
             f"--window-size={width},{height}", *arguments, "about:blank"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port = self._port()
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json") as answer:
            target = next(t for t in json.load(answer) if t["type"] == "page")
        self.connection = Connection(target["webSocketDebuggerUrl"])
        self.number, self.said, self.requests = 0, [], []
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")
        self.resize(width, height, scale)

    def _port(self):
        path = os.path.join(self.folder, "DevToolsActivePort")
        for _ in range(600):
            if os.path.exists(path):
                with open(path) as file:
                    lines = file.read().split("\n")
                if len(lines) > 1:
                    return int(lines[0])
            time.sleep(0.1)
        raise RuntimeError("Chromium did not start")

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
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self._hear(answer.get("method"), answer.get("params", {}))

    def _hear(self, method, event):
        if method == "Runtime.consoleAPICalled":
            self.said.append(" ".join(str(a.get("value", a.get("description", ""))) for a in event["args"]))
        elif method == "Runtime.exceptionThrown":
            details = event["exceptionDetails"]
            self.said.append("exception: " + str(details.get("exception", {}).get("description", details["text"])))
        elif method == "Log.entryAdded":
            self.said.append(event["entry"]["level"] + ": " + event["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(event["request"]["url"])

    def resize(self, width, height, scale=1, mobile=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=mobile)

    def open(self, address):
        self.call("Page.navigate", url=address)

    def run(self, script):
        """What an expression of JavaScript gives; promises are waited for."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait(self, condition, seconds=120):
        """Until an expression of JavaScript is true, or a promise of that."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if self.run(f"Promise.resolve({condition}).then(Boolean)"):
                    return
            except RuntimeError:
                pass  # the page is being loaded
            time.sleep(0.1)
        raise TimeoutError(f"{condition} is not true after {seconds} s. The page said:\n" + "\n".join(self.said[-20:]))

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def mouse(self, what, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=what, x=x, y=y, **more)

    def click(self, x, y):
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)

    def key(self, key, ctrl=False, text=""):
        more = {"key": key, "modifiers": 2 if ctrl else 0}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **more)
        self.call("Input.dispatchKeyEvent", type="keyUp", **more)
