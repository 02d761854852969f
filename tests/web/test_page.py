#!/usr/bin/env python3
"""The program in a page, in headless Chromium: it starts, answers the pointer and keys, takes and gives files, follows
links, and starts without a server.

    python3 tests/web/test_page.py [build/web]

Skipped (77) where ./dev web has not been run or there is no Chromium.
"""

import base64
import json
import random
import sys
import tempfile
import time
import unittest
from pathlib import Path

from browser import Page, Server, find_chromium

SOURCE = Path(__file__).resolve().parents[2]
BUILT = Path(sys.argv[1] if len(sys.argv) > 1 else SOURCE / "build" / "web").resolve()
REPORT = "/home/web_user/report.json"


class Window:
    """Headlight in a page, known by its report."""

    def __init__(self, page, address):
        self.page = page
        page.call("Page.addScriptToEvaluateOnNewDocument", source=f"self.headlightArguments = ['--report', '{REPORT}'];")
        self.open(address)

    def open(self, address):
        self.page.open("about:blank")
        self.page.wait("document.URL == 'about:blank'")
        self.page.open(address)
        self.page.wait("document.getElementById('cover') && document.getElementById('cover').hidden")

    def report(self):
        return json.loads(self.page.run(f"FS.readFile('{REPORT}', {{encoding: 'utf8'}})"))["reports"]

    def wait(self, name, value, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = self.report().get(name) if self.page.run(f"FS.analyzePath('{REPORT}').exists") else None
            if found == value:
                return
            time.sleep(0.2)
        raise AssertionError(f"{name} is {found!r}, not {value!r}")

    def command(self, text):
        """By Ctrl+K, as a person gives it."""
        self.page.key("k", ctrl=True)
        self.wait("panel", "palette")
        self.page.call("Input.insertText", text=text)
        for letter in text:
            self.page.key(letter, text=letter)

    def drop(self, name, data):
        self.page.run(f"""takeFiles([new File([Uint8Array.from(atob('{base64.b64encode(data).decode()}'),
            (c) => c.charCodeAt(0))], '{name}')])""")


class InPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(BUILT)
        cls.page = Page()
        cls.window = Window(cls.page, cls.server.address)

    @classmethod
    def tearDownClass(cls):
        cls.page.__exit__()
        cls.server.stop()

    def setUp(self):
        self.page.run("localStorage.clear()")
        self.window.open(self.server.address)
        self.window.wait("busy", "no")

    def test_keys_change_screens(self):
        self.page.key("t", text="t")
        self.window.wait("field.theme", "light")
        self.page.key("5", ctrl=True)
        self.window.wait("field.screen", "lessons")

    def test_an_image_that_is_dropped(self):
        self.window.drop("a bee.jpg", (SOURCE / "assets/images/bee.jpg").read_bytes())
        self.window.wait("field.image", "/files/a bee.jpg")
        self.window.wait("busy", "no")

    def test_a_model_that_is_dropped(self):
        self.window.drop("mine.safetensors", (SOURCE / "assets/models/scenes/model.safetensors").read_bytes())
        self.window.wait("field.weights", "/files/mine.safetensors")

    def test_what_is_saved_is_downloaded(self):
        self.page.run("self.saved = []; HTMLAnchorElement.prototype.click = function () { saved.push(this.download); }")
        self.page.key("e", ctrl=True)
        self.page.wait("saved.some((name) => name.endsWith('.png'))")

    def test_a_lesson_by_link(self):
        self.window.open(self.server.address + "?lesson=3&stop=2")
        self.window.wait("lesson.stop", "2")

    def test_a_link_that_is_damaged_gives_a_sentence(self):
        chance = random.Random(3)
        letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        link = "".join(chance.choice(letters) for _ in range(1500))
        for hostile in (link, "<script>alert(1)</script>", "%00%ff", "A", "../../etc/passwd", link * 900):
            self.window.open(self.server.address + "#s=" + hostile)
            self.page.wait("""JSON.parse(FS.readFile('%s', {encoding: 'utf8'})).reports.notice.includes('link')""" % REPORT)

    def test_nothing_foreign_is_asked_for(self):
        self.assertFalse([url for url in self.page.requests if not url.startswith((self.server.address, "blob:", "about:", "data:"))])

    def test_lost_graphics_are_said_until_they_are_back(self):
        self.page.run("self.lost = canvas.getContext('webgl2').getExtension('WEBGL_lose_context'); lost.loseContext()")
        self.page.wait("!document.getElementById('cover').hidden")
        self.page.key("t", text="t")  # draws a frame, which is lost
        time.sleep(1)
        self.assertTrue(self.page.run("!document.getElementById('cover').hidden"))
        self.assertIn("graphics", self.page.run("document.getElementById('trouble').textContent"))
        self.page.run("self.isOld = true; setTimeout(() => lost.restoreContext(), 0)")
        self.page.wait("!self.isOld && document.getElementById('cover').hidden")

    def test_a_page_that_lacks_a_file_says_so(self):
        with tempfile.TemporaryDirectory() as folder:
            for path in BUILT.iterdir():
                if path.name != "headlight.data":
                    (Path(folder) / path.name).symlink_to(path)
            server = Server(folder)
            with Page() as page:
                page.open(server.address)
                page.wait("document.getElementById('trouble') && !document.getElementById('trouble').hidden")
                self.assertIn("reload", page.run("document.getElementById('trouble').textContent"))
            server.stop()

    def test_a_start_without_the_server(self):
        folder, port = BUILT, self.server.port
        self.server.stop()
        try:
            self.window.open(f"http://localhost:{port}/?lesson=1")
        finally:
            type(self).server = Server(folder, port)


if __name__ == "__main__":
    if not (BUILT / "headlight.wasm").exists() or find_chromium() is None:
        print("skipped: needs ./dev web and Chromium")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
