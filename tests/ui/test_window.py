"""What a person does with mouse and keyboard, and what they then see.

Usage: test_window.py PROGRAM [unittest arguments]
"""

import math
import os
import shutil
import sys
import time
import unittest
from pathlib import Path

from harness import SOURCE, Display, Folder, Headlight

PROGRAM = ""
IMAGES = SOURCE / "assets" / "images"
STEPS = ["image", "patches", "position", "qkv", "heads", "products", "scale", "softmax", "mix",
         "concat", "project", "skip"]


def numbers(text):
    return [float(word) for word in text.split()]


class WindowTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.display = Display()
        cls.addClassCleanup(cls.display.close)

    def setUp(self):
        self.folder = self.enterContext(Folder())

    def start(self, *arguments, **options):
        app = Headlight(PROGRAM, self.display, self.folder, *arguments, **options)
        self.addCleanup(app.close)
        return app

    # ---- the first look

    def test_first_start_shows_a_picture(self):
        report = self.start().read()
        self.assertEqual(report["reports"]["state.step"], "image")
        self.assertTrue(Path(report["reports"]["state.image"]).is_file())
        self.assertEqual(report["reports"]["notice"], "")
        self.assertIn("image.patches", report["names"])

    def test_idle_costs_nothing(self):
        app = self.start()
        app.point("stage.result")
        frame = app.at_rest()["frame"]
        used = self.processor_ticks(app)
        time.sleep(2)
        self.assertLessEqual(self.processor_ticks(app) - used, 2)
        self.assertEqual(app.read()["frame"], frame)

    @staticmethod
    def processor_ticks(app):
        stat = Path(f"/proc/{app.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return int(stat[11]) + int(stat[12])

    # ---- walking

    def test_arrows_walk_through_all_steps(self):
        app = self.start()
        for step in STEPS[1:]:
            app.key("Right")
            reports = app.until_reports(state__step=step)["reports"]
            self.assertEqual(reports.get("arithmetic.agrees", "true"), "true", step)
        app.key("Right")
        self.assertEqual(app.at_rest()["reports"]["state.step"], STEPS[-1])
        app.key("Home")
        app.until_reports(state__step=STEPS[0])
        app.key("End")
        app.until_reports(state__step=STEPS[-1])
        app.key("Left")
        app.until_reports(state__step=STEPS[-2])

    def test_ribbon_and_buttons_walk_too(self):
        app = self.start()
        app.click("ribbon.softmax")
        app.until_reports(state__step="softmax")
        app.click("transport.next")
        app.until_reports(state__step="mix")

    def test_keys_choose_heads(self):
        app = self.start()
        app.key("3")
        app.until_reports(state__head="3")
        app.key("Down")
        app.until_reports(state__head="4")
        app.key("Up", "Up")
        app.until_reports(state__head="2")
        app.click("heads.1")
        app.until_reports(state__head="1")

    def test_clicker_stops_within_softmax(self):
        app = self.start()
        app.click("ribbon.scale")
        app.until_reports(state__step="scale")
        phases = []
        for _ in range(3):
            app.key("Next")
            report = app.at_rest()
            self.assertEqual(report["reports"]["state.step"], "softmax")
            phases.append(report["phase"])
        self.assertEqual(phases, sorted(set(phases)))
        self.assertEqual(phases[-1], 1)

    def test_space_plays_and_pauses(self):
        app = self.start()
        app.key("space")
        app.until(lambda r: r["reports"]["playing"] == "yes", "playing")
        app.key("space")
        app.until(lambda r: r["reports"]["playing"] == "no", "the pause")

    # ---- numbers

    def arithmetic(self, app, cell):
        """The reported arithmetic of a cell of the present step, by hovering it."""
        row, col = cell
        app.point(f"stage.result[{row},{col}]")
        return app.until_reports(arithmetic__row=str(row), arithmetic__col=str(col))["reports"]

    def go_to(self, app, step):
        app.click(f"ribbon.{step}")
        app.until_reports(state__step=step)
        app.at_rest()

    def test_hovered_products_are_the_sum_of_their_terms(self):
        app = self.start()
        for step, cell in (("qkv", (31, 100)), ("products", (20, 30)), ("mix", (45, 7)),
                           ("project", (62, 33))):
            self.go_to(app, step)
            said = self.arithmetic(app, cell)
            left, right = numbers(said["arithmetic.left"]), numbers(said["arithmetic.right"])
            self.assertEqual(len(left), int(said["arithmetic.terms"]))
            bias = float(said["arithmetic.bias"] or 0)
            total = math.fsum(a * b for a, b in zip(left, right, strict=True)) + bias
            size = math.fsum(abs(a * b) for a, b in zip(left, right, strict=True))
            self.assertAlmostEqual(total, float(said["arithmetic.shown"]), delta=1e-5 * size + 1e-9)
            self.assertEqual(said["arithmetic.agrees"], "true")

    def test_one_cell_followed_from_product_to_attention(self):
        app = self.start()
        shown = {}
        for step in ("products", "scale", "softmax"):
            self.go_to(app, step)
            said = self.arithmetic(app, (20, 30))
            shown[step] = float(said["arithmetic.shown"])
        head_dim = 16  # 64 channels, 4 heads
        self.assertAlmostEqual(shown["scale"], shown["products"] / math.sqrt(head_dim), places=6)
        shifted = numbers(said["arithmetic.left"])  # a row of scores, less its maximum
        self.assertAlmostEqual(max(shifted), 0)
        share = math.exp(shifted[30]) / math.fsum(math.exp(s) for s in shifted)
        self.assertAlmostEqual(shown["softmax"], share, places=6)

    # ---- focus

    def test_hovered_patch_is_lit_everywhere_in_one_frame(self):
        app = self.start()
        self.go_to(app, "products")
        app.point("image.patches[2,7]")
        report = app.until(lambda r: r["reports"].get("lit.image.patches") == "27", "patch 27")
        lit = {name: value for name, value in report["reports"].items() if name.startswith("lit.")}
        for matrix in ("lit.stage.result", "lit.stage.left", "lit.ribbon.softmax.matrix",
                       "lit.ribbon.patches.matrix", "lit.heads.1.map"):
            self.assertIn(matrix, lit)
        self.assertEqual(set(lit.values()), {"27"})

    def test_click_pins_and_escape_lets_go(self):
        app = self.start()
        app.click("image.patches[4,3]")
        app.until_reports(state__token="43")
        app.point("top.help")
        app.until(lambda r: r["reports"].get("lit.image.patches") == "43", "the pinned patch")
        app.key("Escape", "Escape")
        app.until_reports(state__token="")

    # ---- the experiment

    def test_temperature_slider_and_undo(self):
        app = self.start()
        self.go_to(app, "softmax")
        before = self.arithmetic(app, (20, 30))["arithmetic.shown"]
        app.drag("field.temperature", -60, 0)
        app.at_rest()
        after = self.arithmetic(app, (20, 30))
        self.assertNotEqual(after["arithmetic.shown"], before)
        self.assertEqual(after["arithmetic.agrees"], "true")
        app.key("ctrl+z")
        app.until_reports(arithmetic__shown=before)
        app.key("ctrl+shift+z")
        app.until_reports(arithmetic__shown=after["arithmetic.shown"])
        app.key("ctrl+z")
        app.until_reports(arithmetic__shown=before)
        app.key("ctrl+y")
        app.until_reports(arithmetic__shown=after["arithmetic.shown"])

    def test_typing_is_not_mistaken_for_commands(self):
        app = self.start()
        app.click("field.temperature.text")
        app.at_rest()
        app.key("ctrl+a")
        app.type("2")
        app.key("Return")
        report = app.at_rest()
        self.assertEqual(report["reports"]["state.head"], "1")
        self.assertEqual(report["reports"]["state.step"], "image")

    # ---- files

    def test_image_as_argument(self):
        app = self.start("shapes.png", cwd=IMAGES)
        app.until_reports(state__image=str(IMAGES / "shapes.png"))

    def test_file_browser_opens_a_picture(self):
        gallery = self.folder / "gallery"
        gallery.mkdir()
        for name in ("shapes.png", "coffee.jpg"):
            shutil.copy(IMAGES / name, gallery)
        app = self.start(gallery / "shapes.png")
        app.key("ctrl+o")
        app.until(lambda r: "files.entry.coffee.jpg" in r["names"], "the other picture")
        app.at_rest()
        app.click("files.entry.coffee.jpg")
        app.until_reports(state__image=str(gallery / "coffee.jpg"), panel="nothing")

    def test_bad_file_in_the_browser_leaves_the_picture(self):
        app = self.start(IMAGES / "shapes.png")
        bad = self.folder / "no-picture.png"
        bad.write_bytes(b"this is no picture")
        app.key("ctrl+o")
        app.until(lambda r: "files.path" in r["names"], "the path field")
        app.at_rest()
        app.click("files.path")
        app.at_rest()
        app.key("ctrl+a")
        app.type(str(bad))
        app.key("Return")
        report = app.until(lambda r: "no-picture.png" in r["reports"]["notice"], "a notice")
        self.assertEqual(report["reports"]["state.image"], str(IMAGES / "shapes.png"))
        self.assertIn("image.patches", report["names"])

    def test_bad_argument_leaves_a_picture(self):
        for name, content in (("missing.png", None), ("empty.png", b""), ("noise.jpg", b"\xff\xd8?")):
            path = self.folder / name
            if content is not None:
                path.write_bytes(content)
            with self.subTest(name):
                app = self.start(path)
                report = app.until(lambda r, n=name: n in r["reports"]["notice"]
                                   and "image.patches" in r["names"], "a notice and a picture")
                self.assertNotEqual(report["reports"]["state.image"], str(path))
                app.close()

    def test_bad_model_leaves_a_picture(self):
        bad = self.folder / "bad.safetensors"
        bad.write_bytes(b"no tensors here")
        app = self.start("--model", bad)
        app.until(lambda r: "bad.safetensors" in r["reports"]["notice"]
                  and "image.patches" in r["names"], "a notice and a picture")

    # ---- the session

    def test_session_comes_back(self):
        app = self.start(IMAGES / "shapes.png")
        app.click("ribbon.products")
        app.key("2", "t")
        app.until_reports(state__step="products", state__head="2")
        self.assertEqual(app.quit(), 0)
        app = self.start()
        app.until_reports(state__step="products", state__head="2",
                          state__image=str(IMAGES / "shapes.png"))

    def test_session_is_written_while_running(self):
        session = self.folder / "my.json"
        app = self.start("--session", session)
        app.key("Right")
        app.until_reports(state__step="patches")
        end = time.monotonic() + 20
        while not session.exists() and time.monotonic() < end:
            time.sleep(0.1)
        self.assertIn('"patches"', session.read_text())

    def test_damaged_session_is_put_aside(self):
        session = self.folder / "state" / "headlight" / "session.json"
        session.parent.mkdir(parents=True)
        session.write_text('{"recipe": [broken')
        app = self.start()
        app.until(lambda r: "session.json" in r["reports"]["notice"], "a notice")
        self.assertEqual(session.with_name("session.json.damaged").read_text(), '{"recipe": [broken')
        self.assertEqual(app.quit(), 0)
        self.assertIn("recipe", session.read_text())

    def test_session_whose_image_is_gone(self):
        picture = self.folder / "mine.png"
        shutil.copy(IMAGES / "shapes.png", picture)
        self.assertEqual(self.start(picture).quit(), 0)
        picture.unlink()
        app = self.start()
        report = app.until(lambda r: "mine.png" in r["reports"]["notice"], "a notice")
        self.assertIn("image.patches", report["names"])

    # ---- the window

    def test_zoom(self):
        app = self.start()

        def width():
            return app.at_rest()["names"]["image.patches"]["rect"][2]
        usual = width()
        app.key("ctrl+plus", "ctrl+plus")
        self.assertGreater(width(), usual * 1.1)
        app.key("ctrl+0")
        self.assertEqual(width(), usual)
        app.key("ctrl+minus")
        self.assertLess(width(), usual)

    def test_lecture_view_has_large_type(self):
        app = self.start()

        def height():
            return app.at_rest()["names"]["transport.head.next"]["rect"][3]
        usual = height()
        app.key("F11")
        self.assertGreater(height(), usual * 1.2)
        app.key("F11")
        self.assertEqual(height(), usual)

    def test_panels_open_and_close(self):
        app = self.start()
        for key, panel in (("question", "help"), ("F1", "help"), ("ctrl+o", "files")):
            app.key(key)
            app.until_reports(panel=panel)
            app.key("Escape")
            app.until_reports(panel="nothing")

    def test_export_saves_a_picture(self):
        app = self.start()
        for name in ("headlight-cat-image.png", "headlight-cat-image-2.png"):
            app.key("ctrl+e")
            app.until(lambda r, n=name: n in r["reports"]["notice"], "where it was saved")
            header = (self.folder / name).read_bytes()[:24]
            self.assertEqual(header[:8], b"\x89PNG\r\n\x1a\n")
            self.assertEqual(int.from_bytes(header[16:20], "big"), 1600)
            self.assertEqual(int.from_bytes(header[20:24], "big"), 1000)

    def test_a_second_start_and_quit(self):
        self.assertEqual(self.start().quit(), 0)
        self.assertEqual(self.start().quit(), 0)


class NoDisplayTest(unittest.TestCase):
    def test_one_sentence(self):
        import subprocess
        environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY",
                                                                       "WAYLAND_DISPLAY")}
        for arguments in ([], ["shot", "--script", os.devnull, "--out", "/tmp"]):
            run = subprocess.run([PROGRAM, *arguments], env=environment, capture_output=True,
                                 text=True, check=False)
            self.assertEqual(run.returncode, 1)
            self.assertEqual(len(run.stderr.splitlines()), 1, run.stderr)
            self.assertIn("display", run.stderr)


if __name__ == "__main__":
    PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main(verbosity=2)
