#!/usr/bin/env python3
"""The program in a page, in headless Chromium: it starts, answers the pointer and keys, takes and gives files, follows
links, and starts without a server.

    python3 tests/web/test_page.py [build/web]

Skipped (77) where ./dev web has not been run or there is no Chromium.
"""

import base64
import json
import random
import re
import struct
import sys
import tempfile
import time
import unittest
from pathlib import Path

from browser import WITHOUT_SERVICE_WORKERS, Page, Server, find_chromium

SOURCE = Path(__file__).resolve().parents[2]
sys.path.append(str(SOURCE / "tests" / "ui"))
from vit_file import write_vit  # noqa: E402

BUILT = Path(sys.argv[1] if len(sys.argv) > 1 else SOURCE / "build" / "web").resolve()
REPORT = "/home/web_user/report.json"


class Window:
    """Headlight in a page, known by its report."""

    def __init__(self, page, address):
        self.page = page
        page.call("Page.addScriptToEvaluateOnNewDocument", source=f"self.headlightArguments = ['--report', '{REPORT}'];")
        self.open(address)

    def forget(self):
        """The next page starts as on the first visit, although this one saves its session when it is left."""
        self.page.run("localStorage.clear(); sessionStorage.clear(); Storage.prototype.setItem = () => {}; "
                      "self.caches && caches.delete('headlight-files')")

    def open(self, address):
        self.page.open("about:blank")
        self.page.wait("document.URL == 'about:blank'")
        self.page.open(address)
        self.page.wait("document.getElementById('cover') && document.getElementById('cover').hidden")

    def report(self):
        return json.loads(self.page.run(f"FS.readFile('{REPORT}', {{encoding: 'utf8'}})"))["reports"]

    def names(self):
        return json.loads(self.page.run(f"FS.readFile('{REPORT}', {{encoding: 'utf8'}})"))["names"]

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
        for letter in text:
            self.page.key(letter, text=letter)

    def drop(self, *named):
        """Drops files, each given as a name and its bytes."""
        self.page.run("self.dropped = []")
        for name, data in named:
            self.page.run(f"""dropped.push(new File([Uint8Array.from(atob('{base64.b64encode(data).decode()}'),
                (c) => c.charCodeAt(0))], '{name}'))""")
        self.page.run("ownFiles.take(dropped)")

    def place(self, name):
        """The middle of what the report calls so, in CSS pixels."""
        x, y, width, height = self.names()[name]["rect"]
        scale = self.page.run("devicePixelRatio")
        return (x + width / 2) / scale, (y + height / 2) / scale

    def touch(self, what, *points):
        self.page.call("Input.dispatchTouchEvent", type=what,
                       touchPoints=[{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)])

    def tap(self, name):
        self.touch("touchStart", self.place(name))
        self.touch("touchEnd")


def shards(data):
    """A safetensors file as a checkpoint of two shards: their names and bytes, and those of the index."""
    size, = struct.unpack_from("<Q", data)
    header = json.loads(data[8:8 + size])
    header.pop("__metadata__", None)
    names, files, weight_map = list(header), [], {}
    for number, part in enumerate((names[::2], names[1::2]), 1):
        file, own, body = f"model-{number:05}-of-00002.safetensors", {}, b""
        for name in part:
            begin, end = header[name]["data_offsets"]
            own[name] = {**header[name], "data_offsets": [len(body), len(body) + end - begin]}
            body += data[8 + size + begin:8 + size + end]
            weight_map[name] = file
        text = json.dumps(own).encode()
        text += b" " * (-len(text) % 8)
        files.append((file, struct.pack("<Q", len(text)) + text + body))
    index = {"metadata": {"total_size": sum(len(body) for _, body in files)}, "weight_map": weight_map}
    return [*files, ("model.safetensors.index.json", json.dumps(index).encode())]


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
        self.window.forget()
        self.window.open(self.server.address)
        self.window.wait("busy", "no")

    def test_keys_change_screens(self):
        self.page.key("t", text="t")
        self.window.wait("field.theme", "light")
        self.page.key("5", ctrl=True)
        self.window.wait("field.screen", "lessons")

    def test_an_image_that_is_dropped(self):
        self.window.drop(("a bee.jpg", (SOURCE / "assets/images/bee.jpg").read_bytes()))
        self.window.wait("field.image", "/files/a bee.jpg")
        self.window.wait("busy", "no")

    def test_a_model_that_is_dropped(self):
        self.window.drop(("mine.safetensors", (SOURCE / "assets/models/scenes/model.safetensors").read_bytes()))
        self.window.wait("field.weights", "/files/mine.safetensors")

    def test_a_checkpoint_that_is_dropped_in_parts(self):
        folder = SOURCE / "assets/models/scenes"
        self.window.drop(("config.json", (folder / "config.json").read_bytes()),
                         *shards((folder / "model.safetensors").read_bytes()))
        self.window.wait("field.weights", "/files/model.safetensors.index.json")
        self.window.wait("busy", "no")
        self.assertIn("cross", self.window.report()["look.answer"])  # the names of classes come from the config

    def test_of_several_dropped_images_the_first_opens(self):
        image = (SOURCE / "assets/images/bee.jpg").read_bytes()
        self.window.drop(*[(f"{number}.jpg", image) for number in range(1, 5)])
        self.window.wait("field.image", "/files/1.jpg")
        self.window.wait("busy", "no")
        self.assertEqual(self.window.report()["field.image"], "/files/1.jpg")

    def test_own_files_are_there_after_a_reload(self):
        folder = SOURCE / "assets/models/scenes"
        self.window.drop(("my bee.jpg", (SOURCE / "assets/images/bee.jpg").read_bytes()))
        self.window.wait("field.image", "/files/my bee.jpg")
        self.window.drop(("config.json", (folder / "config.json").read_bytes()),
                         *shards((folder / "model.safetensors").read_bytes()))
        self.window.wait("field.weights", "/files/model.safetensors.index.json")
        self.window.wait("busy", "no")
        answer = self.window.report()["look.answer"]
        self.page.wait("(localStorage.getItem('headlight-session') || '').includes('index.json')")
        self.page.wait("caches.open('headlight-files').then((c) => c.keys()).then((all) => all.length == 5)")
        self.window.open(self.server.address)
        self.window.wait("field.weights", "/files/model.safetensors.index.json")
        self.window.wait("busy", "no")
        report = self.window.report()
        self.assertEqual((report["field.image"], report["look.answer"], report["notice"]), ("/files/my bee.jpg", answer, ""))

    def test_own_files_that_the_browser_has_lost(self):
        self.window.drop(("my bee.jpg", (SOURCE / "assets/images/bee.jpg").read_bytes()))
        self.window.wait("field.image", "/files/my bee.jpg")
        self.page.wait("(localStorage.getItem('headlight-session') || '').includes('my bee')")
        self.page.run("caches.delete('headlight-files')")
        self.window.open(self.server.address)
        self.window.wait("busy", "no")
        self.assertIn("/files/my bee.jpg", self.window.report()["notice"])

    def test_a_pytorch_file_that_is_dropped(self):
        try:
            import torch
        except ImportError:
            self.skipTest("needs PyTorch")
        with tempfile.TemporaryDirectory() as folder:
            path = write_vit(Path(folder) / "m", 64, 2, 2, patch=16, grid=14, classes=3)
            data = path.read_bytes()
            size, = struct.unpack_from("<Q", data)
            weights = {name: torch.frombuffer(bytearray(data[8 + size + begin:8 + size + end]), dtype=torch.float32)
                       .reshape(entry["shape"]) for name, entry in json.loads(data[8:8 + size]).items()
                       for begin, end in [entry["data_offsets"]]}
            torch.save({"state_dict": weights}, Path(folder) / "mine.pth")
            self.window.drop(("mine.pth", (Path(folder) / "mine.pth").read_bytes()),
                             ("config.json", (path.parent / "config.json").read_bytes()))
        self.window.wait("field.weights", "/files/mine.pth")
        self.window.wait("busy", "no")
        self.assertIn("class", self.window.report()["look.answer"])

    def test_a_file_that_is_picked(self):
        """The browser's dialog sets the files of an input."""
        self.page.run("byId('files').click = () => { self.asked = true; }")
        self.page.key("o", ctrl=True)
        self.window.wait("panel", "files")
        self.window.tap("files.pick")
        self.page.wait("self.asked")
        document = self.page.call("DOM.getDocument")["root"]["nodeId"]
        node = self.page.call("DOM.querySelector", nodeId=document, selector="#files")["nodeId"]
        self.page.call("DOM.setFileInputFiles", files=[str(SOURCE / "assets/images/bee.jpg")], nodeId=node)
        self.window.wait("field.image", "/files/bee.jpg")

    def test_a_scene_and_a_lesson_that_are_dropped(self):
        scene = json.loads(self.window.report()["field.scene"])
        scene["shapes"] = scene["shapes"][:2]
        self.window.drop(("two.json", json.dumps(scene).encode()))
        end = time.monotonic() + 60
        while len(json.loads(self.window.report()["field.scene"])["shapes"]) != 2:
            self.assertLess(time.monotonic(), end, "the scene was not opened")
            time.sleep(0.2)
        self.window.drop(("mine.md", b"# Mine\n\n## One stop\n\nLook at the picture.\n"))
        self.window.wait("lesson.title", "One stop")

    def test_a_file_too_large_for_a_page_is_refused(self):
        self.page.run("self.alert = (text) => { self.said = text; }; ownFiles.take([{name: 'large.pth', size: 3e9}])")
        self.page.wait("self.said")
        self.assertEqual(self.page.run("said"), "large.pth: expected at most 2.1 GB, found 3.0 GB. Use the desktop program for "
                                                "larger files.")

    def test_fingers(self):
        self.window.tap("top.tab.walk")
        self.window.wait("field.screen", "walk")
        self.window.tap("top.tab.look")
        self.window.wait("field.screen", "look")
        before = self.window.report()["field.scene"]
        x, y = self.window.place("scene.shape.1")
        self.window.touch("touchStart", (x, y))
        for step in range(1, 5):
            self.window.touch("touchMove", (x + 10 * step, y))
        self.window.touch("touchEnd")
        end = time.monotonic() + 60
        while self.window.report()["field.scene"] == before:
            self.assertLess(time.monotonic(), end, "the shape was not dragged")
            time.sleep(0.2)

    def test_a_finger_scrolls_a_list(self):
        try:
            self.page.resize(360, 640, 2)
            self.window.tap("top.tab.lessons")
            self.window.wait("field.screen", "lessons")
            x, y = self.window.place("lessons.row.1")
            self.window.touch("touchStart", (x, 400))
            for up in range(20, 121, 20):
                self.window.touch("touchMove", (x, 400 - up))
            self.window.touch("touchEnd")
            end = time.monotonic() + 60
            while abs(self.window.place("lessons.row.1")[1] - (y - 120)) > 1:
                self.assertLess(time.monotonic(), end, f"from {y} to {self.window.place('lessons.row.1')[1]}")
                time.sleep(0.2)
            self.assertNotIn("lesson.stop", self.window.report())
        finally:
            self.page.resize(1600, 1000)

    def test_typing_on_the_keyboard_of_a_touch_screen(self):
        self.window.tap("top.tab.look")
        self.page.key("k", ctrl=True)
        self.page.wait("document.activeElement.id == 'typing'")
        self.window.wait("panel", "palette")
        self.page.call("Input.insertText", text="copy linx")
        self.page.run("typing.value = typing.value.slice(0, -1) + 'k'; typing.dispatchEvent(new Event('input'))")
        self.window.wait("palette.marked", "copy-link")
        self.page.key("Escape")
        self.page.wait("document.activeElement == canvas")

    def test_a_link_leaves_the_saved_session_as_it_is(self):
        self.page.run("navigator.clipboard.writeText = async (text) => { self.copied = text; }")
        self.window.command("copy link")
        self.page.key("Enter", text="\r")
        self.page.wait("self.copied")
        link = self.page.run("copied")
        self.window.open(self.server.address)
        self.page.key("3", ctrl=True)
        self.window.wait("field.screen", "heads")
        self.page.wait("localStorage.getItem('headlight-session').includes('heads')")
        self.window.open(link)
        self.window.wait("field.screen", "look")
        self.page.key("2", ctrl=True)
        self.window.wait("field.screen", "walk")
        self.page.wait("Object.values(sessionStorage).some((session) => session.includes('walk'))")
        self.window.open(link)  # as by a reload
        self.window.wait("field.screen", "walk")
        self.window.open(self.server.address)
        self.window.wait("field.screen", "heads")

    def test_text_that_cannot_be_copied_is_shown(self):
        self.page.run("navigator.clipboard.writeText = () => Promise.reject(); "
                      "self.prompt = (words, text) => { self.prompted = text; }")
        self.window.command("copy link")
        self.page.key("Enter", text="\r")
        self.page.wait("self.prompted && prompted.includes('#s=')")

    def test_the_resolution_of_the_screen(self):
        """The canvas has the screen's pixels, and the program draws at its scale."""
        try:
            for width, height, scale in ((360, 640, 3), (1280, 720, 1.5), (3840, 2160, 1), (1600, 1000, 1)):
                self.page.resize(width, height, scale)
                self.page.wait(f"canvas.width == {round(width * scale)} && canvas.height == {round(height * scale)}")
                self.page.wait(f"Math.abs(JSON.parse(FS.readFile('{REPORT}', {{encoding: 'utf8'}}))"
                               f".names['top.tab.walk'].rect[3] / {scale} - 48) < 24")
        finally:
            self.page.resize(1600, 1000)

    def test_the_pointer_and_the_clipboard(self):
        x, y = self.window.place("look.walk")
        self.page.mouse("mouseMoved", x, y)
        self.page.wait("canvas.style.cursor == 'pointer'")
        self.page.mouse("mouseMoved", 800, 995)
        self.page.wait("canvas.style.cursor == 'default'")
        self.page.key("k", ctrl=True)
        self.window.wait("panel", "palette")
        self.page.run("""(() => {
            const event = new ClipboardEvent('paste', {clipboardData: new DataTransfer(), cancelable: true});
            event.clipboardData.setData('text/plain', 'copy link');
            dispatchEvent(event);
        })()""")
        self.window.wait("palette.marked", "copy-link")

    def test_the_systems_theme(self):
        for theme in ("light", "dark"):
            self.page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
            self.window.forget()
            self.window.open(self.server.address)
            self.window.wait("field.theme", theme)

    def test_a_copied_link_opens_what_was_seen(self):
        self.page.run("navigator.clipboard.writeText = async (text) => { self.copied = text; }")
        self.window.tap("top.tab.heads")
        self.window.wait("field.screen", "heads")
        self.window.command("copy link")
        self.page.key("Enter", text="\r")
        self.page.wait("self.copied")
        link = self.page.run("copied")
        self.assertTrue(link.startswith(self.server.address + "#s="), link)
        scene = self.window.report()["field.scene"]
        self.window.forget()
        self.window.open(link)
        self.window.wait("field.screen", "heads")
        self.assertEqual(self.window.report()["field.scene"], scene)

    def test_it_can_be_installed(self):
        self.assertEqual(self.page.call("Page.getInstallabilityErrors")["installabilityErrors"], [])

    def test_what_is_saved_is_downloaded(self):
        self.page.run("self.saved = []; HTMLAnchorElement.prototype.click = function () { saved.push(this.download); }")
        self.page.key("e", ctrl=True)
        self.page.wait("saved.some((name) => name.endsWith('.png'))")

    def test_a_lesson_by_link(self):
        self.window.open(self.server.address + "?lesson=3&stop=2")
        self.window.wait("lesson.stop", "2")
        self.window.wait("busy", "no")
        self.window.tap("lesson.dot.3")
        self.window.wait("lesson.stop", "3")
        self.page.wait("Object.values(sessionStorage).some((text) => JSON.parse(text).lessons[0].stop == 2)")
        self.window.open(self.server.address + "?lesson=3&stop=2")
        self.window.wait("lesson.stop", "3")

    def test_a_link_that_is_damaged_gives_a_sentence(self):
        chance = random.Random(3)
        letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        link = "".join(chance.choice(letters) for _ in range(1500))
        for hostile in (link, "<script>alert(1)</script>", "%00%ff", "A", "../../etc/passwd", link * 900):
            self.window.open(self.server.address + "#s=" + hostile)
            self.page.wait("""JSON.parse(FS.readFile('%s', {encoding: 'utf8'})).reports.notice.includes('link')""" % REPORT)
            self.assertFalse([line for line in self.page.said if "exception" in line])

    def test_nothing_foreign_is_asked_for(self):
        self.assertFalse([url for url in self.page.requests if not url.startswith((self.server.address, "blob:", "about:", "data:"))])

    def test_nothing_waits_for_the_process_that_draws(self):
        """getParameter of these waits for it, so the page answers from memory, once the program has set them."""
        names = ["BLEND_SRC_RGB", "BLEND_DST_RGB", "BLEND_SRC_ALPHA", "BLEND_DST_ALPHA", "BLEND_EQUATION_RGB",
                 "BLEND_EQUATION_ALPHA", "COLOR_WRITEMASK", "SCISSOR_BOX", "UNPACK_ROW_LENGTH", "UNPACK_SKIP_ROWS",
                 "UNPACK_SKIP_PIXELS"]
        self.page.run("""self.gl = canvas.getContext('webgl2'); self.asked = [];
            self.real = WebGL2RenderingContext.prototype.getParameter;
            WebGL2RenderingContext.prototype.getParameter = function (name) { asked.push(name); return real.call(this, name); };
            self.gl.getError = () => asked.push('error'); gl.readPixels = () => asked.push('pixels'); 0""")
        for key in "2341":  # draws maps
            self.page.key(key, text=key)
            self.window.wait("busy", "no")
        for name in names:
            self.assertEqual(self.page.run(f"String(gl.getParameter(gl.{name}))"),
                             self.page.run(f"String(real.call(gl, gl.{name}))"), name)
        asked = self.page.run("asked")
        self.assertNotIn("error", asked)
        self.assertNotIn("pixels", asked)
        for name in names:
            self.assertNotIn(self.page.run(f"gl.{name}"), asked, name)

    def test_nothing_is_drawn_in_a_hidden_tab(self):
        self.page.run("""self.draws = 0; self.gl = canvas.getContext('webgl2');
            const draw = gl.drawElements; gl.drawElements = (...given) => { ++draws; draw.apply(gl, given); }; 0""")
        press = "dispatchEvent(new KeyboardEvent('keydown', {key: 't'})); draws"
        before = self.page.run(press)
        self.page.wait(f"draws > {before}")
        other = self.page.call("Target.createTarget", url="about:blank")["targetId"]
        self.page.wait("document.visibilityState == 'hidden'")
        before = self.page.run(press)
        time.sleep(1)
        self.assertEqual(self.page.run("draws"), before)
        self.page.call("Target.closeTarget", targetId=other)
        self.page.wait(f"draws > {before}")

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

    def test_a_page_whose_scripts_do_not_run_says_so(self):
        seen = "getComputedStyle(document.getElementById('silent')).visibility"
        with tempfile.TemporaryDirectory() as folder:
            for path in BUILT.iterdir():
                if path.name != "page.js":
                    (Path(folder) / path.name).symlink_to(path)
            server = Server(folder)
            with Page() as page:
                page.open(server.address)
                page.wait("document.getElementById('silent')")
                self.assertEqual(page.run(seen), "hidden")
                page.wait(seen + " == 'visible'", 30)
            server.stop()

    def test_a_start_without_the_server(self):
        folder, port = BUILT, self.server.port
        self.server.stop()
        try:
            self.window.open(f"http://localhost:{port}/?lesson=1")
        finally:
            type(self).server = Server(folder, port)


WITHOUT_RELAXED_SIMD = """
const validate = WebAssembly.validate;
WebAssembly.validate = (bytes) => !String(bytes).includes('253,133,2') && validate.call(WebAssembly, bytes);"""


class InOtherBrowsers(unittest.TestCase):
    """Pages of their own: some get another program, or no threads. After a gesture of two fingers, a headless Chromium gives the
    next page no touch."""

    def setUp(self):
        self.server = Server(BUILT)
        self.page = Page()

    def tearDown(self):
        self.page.__exit__()
        self.server.stop()

    def programs(self):
        return {path.rsplit("/", 1)[1] for path in self.server.asked if path.endswith(".wasm")}

    def assert_starts_offline(self, window):
        port = self.server.port
        self.server.stop()
        try:
            window.open(self.server.address)
        finally:
            self.server = Server(BUILT, port)

    def test_a_browser_with_relaxed_simd(self):
        window = Window(self.page, self.server.address)
        if not self.page.run("hasRelaxedSimd()"):
            self.skipTest("this Chromium has no relaxed SIMD")
        self.assertEqual(self.programs(), {"headlight-relaxed.wasm"})
        self.assert_starts_offline(window)

    def test_a_browser_without_relaxed_simd(self):
        self.page.call("Page.addScriptToEvaluateOnNewDocument", source=WITHOUT_RELAXED_SIMD)
        window = Window(self.page, self.server.address)
        window.wait("busy", "no")
        self.assertEqual(self.programs(), {"headlight.wasm"})
        self.assert_starts_offline(window)

    def test_a_browser_without_service_workers(self):
        self.page.call("Page.addScriptToEvaluateOnNewDocument", source=WITHOUT_SERVICE_WORKERS)
        window = Window(self.page, self.server.address)
        self.assertFalse(self.page.run("crossOriginIsolated"))
        window.wait("busy", "no")
        answer = window.report()["look.answer"]
        self.assertTrue(answer)
        window.drop(("mine.safetensors", (SOURCE / "assets/models/photos/model.safetensors").read_bytes()))
        window.wait("field.weights", "/files/mine.safetensors")
        window.wait("busy", "no")
        self.assertNotEqual(window.report()["look.answer"], answer)
        for screen in ("walk", "heads", "positions", "lessons"):  # each asks for measurements
            window.tap(f"top.tab.{screen}")
            window.wait("field.screen", screen)
            window.wait("busy", "no")
        self.assertEqual([line for line in self.page.said if "rror" in line], [])

    def test_frames_pass_while_a_large_model_is_read_and_computed(self):
        """Without threads, a layer takes several frames."""
        if not self.page.run("'Suspending' in WebAssembly"):
            self.skipTest("this Chromium cannot suspend functions")
        self.page.call("Page.addScriptToEvaluateOnNewDocument", source=WITHOUT_SERVICE_WORKERS)
        window = Window(self.page, self.server.address)
        window.wait("busy", "no")
        self.page.run("""self.suspended = 0;
            suspension.continuing = new Proxy({}, {set(all, key, go) { ++suspended; all[key] = go; return true; }}); 0""")
        with tempfile.TemporaryDirectory() as folder:
            path = write_vit(Path(folder) / "m", 384, 2, 6, classes=10)
            window.drop(("mine.safetensors", path.read_bytes()))
        window.wait("field.weights", "/files/mine.safetensors")
        window.wait("busy", "no")
        self.assertIn("class", window.report()["look.answer"])
        self.assertGreater(self.page.run("suspended"), 4)
        self.assertEqual([line for line in self.page.said if "rror" in line], [])

    def test_a_browser_that_cannot_suspend_functions(self):
        self.page.call("Page.addScriptToEvaluateOnNewDocument",
                       source=WITHOUT_SERVICE_WORKERS + "delete WebAssembly.Suspending; delete WebAssembly.promising;")
        window = Window(self.page, self.server.address)
        window.wait("busy", "no")
        self.assertTrue(window.report()["look.answer"])

    def test_a_browser_without_webgl(self):
        self.page.call("Page.addScriptToEvaluateOnNewDocument", source="HTMLCanvasElement.prototype.getContext = () => null;")
        self.page.open(self.server.address)
        self.page.wait("document.getElementById('trouble') && !document.getElementById('trouble').hidden")
        self.assertRegex(self.page.run("document.getElementById('trouble').textContent"), "WebGL 2.*or use the desktop program")
        self.assertEqual(self.programs(), set())

    def test_two_fingers_zoom(self):
        window = Window(self.page, self.server.address)
        window.wait("busy", "no")
        window.tap("top.tab.walk")
        window.wait("field.screen", "walk")
        window.wait("busy", "no")
        self.page.key("Home")
        self.page.key("ArrowRight")
        window.wait("state.step", "patches")
        x, y = window.place("stage.result")
        window.touch("touchStart", (x - 20, y), (x + 20, y))
        for apart in (40, 60, 80):
            window.touch("touchMove", (x - apart, y), (x + apart, y))
        window.touch("touchEnd")
        end = time.monotonic() + 60
        while "zoom.reset" not in window.names():
            self.assertLess(time.monotonic(), end, "nothing was zoomed")
            time.sleep(0.2)

    def test_two_fingers_click_nothing(self):
        window = Window(self.page, self.server.address)
        window.wait("busy", "no")
        self.page.resize(360, 640, 2)
        window.tap("top.tab.lessons")
        window.wait("field.screen", "lessons")
        x, _ = window.place("lessons.row.1")
        window.touch("touchStart", (x, 300))
        time.sleep(0.2)
        window.touch("touchStart", (x, 300), (x + 40, 300))
        for down in range(20, 101, 20):
            window.touch("touchMove", (x, 300 + down), (x + 40, 300 + down))
        window.touch("touchEnd")
        time.sleep(1)
        self.assertNotIn("lesson.stop", window.report())
        self.page.resize(1600, 1000)

    def test_a_new_version_waits_for_the_old_pages(self):
        files = ("hub.js", "page.js", "headlight.webmanifest", "service-worker.js")
        with tempfile.TemporaryDirectory() as folder:
            for path in BUILT.iterdir():
                if path.name not in files:
                    (Path(folder) / path.name).symlink_to(path)

            def release(version):
                for name in files:
                    text = (BUILT / name).read_text()
                    if name == "service-worker.js":
                        text = re.sub("kVersion = 'headlight-[^']*'", f"kVersion = 'headlight-{version}'", text)
                    elif name.endswith(".js"):
                        text += f"\n(self.versions ||= []).push({version});\n"
                    else:
                        text = text.replace('"name"', f'"version": {version}, "name"', 1)
                    (Path(folder) / name).write_text(text)

            def versions():
                return self.page.run("fetch('headlight.webmanifest').then((a) => a.json()).then((m) => [...versions, m.version])")

            server = Server(folder)
            release(1)
            window = Window(self.page, server.address)
            self.assertEqual(versions(), [1, 1, 1])
            release(2)
            window.open(server.address)
            self.page.run("navigator.serviceWorker.getRegistration().then((r) => { self.registration = r; r.update(); })")
            self.page.wait("registration.waiting")
            self.assertEqual(versions(), [1, 1, 1])
            for seconds in (0.1, 0.3, 1, 3, 10):
                # No page of the old one is open now. The browser starts the new one soon after that.
                self.page.open("about:blank")
                time.sleep(seconds)
                window.open(server.address)
                if versions() != [1, 1, 1]:
                    break
            self.assertEqual(versions(), [2, 2, 2])
            server.stop()

    def test_a_page_in_the_frame_of_another(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "page").symlink_to(BUILT)
            (Path(folder) / "index.html").write_text("<!DOCTYPE html><iframe src='page/' width=1500 height=900></iframe>")
            server = Server(folder)
            self.page.open(server.address)
            self.page.wait("frames[0].document.getElementById('cover').hidden")
            self.assertFalse(self.page.run("frames[0].crossOriginIsolated"))
            server.stop()


if __name__ == "__main__":
    if not (BUILT / "headlight.wasm").exists() or find_chromium() is None:
        print("skipped: needs ./dev web and Chromium")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
