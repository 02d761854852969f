"""Every screen opens calm: few controls, the rest in drawers and on pages that are remembered."""

import json

from harness import IMAGES, SOURCE, WindowTest, main

MODELS = SOURCE / "assets" / "models"
FAMILIES = SOURCE / "tests" / "golden" / "families"
MOST_CONTROLS = 20
LESSONS = len(list((SOURCE / "assets" / "lessons").glob("*.md")))
INPUTS = {
    "scene": [f"open-model {MODELS / 'scenes/model.safetensors'}", "scene 7"],
    "photograph": [f"open-model {MODELS / 'photos/model.safetensors'} 6", f"open {IMAGES / 'cat.jpg'}"],
    "photograph, model of shapes": [f"open-model {MODELS / 'scenes/model.safetensors'} 2",
                                    f"open {IMAGES / 'cat.jpg'}"],
    "photograph, a layer alone": ["close-model", f"open {IMAGES / 'cat.jpg'}"],
    "DINOv2": [f"open-model {FAMILIES / 'dinov2.model.safetensors'}", f"open {IMAGES / 'cat.jpg'}"],
    "Swin": [f"open-model {FAMILIES / 'swin.model.safetensors'}", f"open {IMAGES / 'cat.jpg'}"],
    "maps alone": [f"open-model {FAMILIES / 'maps.model.safetensors'}", f"open {IMAGES / 'cat.jpg'}"],
}
SCREENS = ("look", "walk", "heads", "positions", "lessons")
PAGES = ("table", "properties", "order")
STEPS = ("first", "position", "qkv", "products", "softmax", "mix", "skip", "last")


class Calm(WindowTest):
    def counts(self, size, kind):
        """How many controls each screen has, each page of Positions and each step of the walk."""
        views = [(f"set screen {s}", s) for s in SCREENS]
        views += [(f"set screen positions\nset position_page {p}", f"positions {p}") for p in PAGES]
        views += [(f"set screen walk\ntry step {s}", f"walk {s}") for s in STEPS]
        script = [f"size {size}", *INPUTS[kind], "wait"]
        for line, _ in views:
            script += [line, "wait", "print controls"]
        done = self.play("\n".join(script) + "\n")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        found = [int(line.split()[1]) for line in done.stdout.splitlines() if line.startswith("controls ")]
        return dict(zip((name for _, name in views), found, strict=True))

    def test_every_screen_opens_with_few_controls(self):
        for kind in INPUTS:
            for size in ("1600 1000", "1280 720"):
                for name, count in self.counts(size, kind).items():
                    most = MOST_CONTROLS + (LESSONS if name == "lessons" else 0)  # each is a row
                    with self.subTest(f"{kind}, {name}, {size}"):
                        self.assertLessEqual(count, most)
                        self.assertGreater(count, 4, "tabs are controls")

    def test_a_drawer_is_remembered(self):
        app = self.start(IMAGES / "shapes.png")
        few = int(app.reports()["controls"])
        # The lower one first: what opens above it moves it out of sight.
        for drawer, widget in (("numbers", "numbers.reference"), ("experiment", "field.temperature")):
            self.assertNotIn(widget, app.settled()["names"])
            app.click(f"section.{drawer}")
            app.until(lambda r, w=widget: w in r["names"], drawer)
        self.assertGreater(int(app.reports()["controls"]), few + 10)
        self.assertIn("numbers.range", app.reports())
        self.assertEqual(app.quit(), 0)
        again = self.start()
        self.assertIn("field.temperature", again.settled()["names"])
        self.assertIn("numbers.range", again.reports())
        again.click("section.experiment")
        again.until(lambda r: "field.temperature" not in r["names"], "the drawer to close")
        again.click("section.numbers")
        self.assertEqual(int(again.reports()["controls"]), few)

    def test_what_was_changed_stays_in_sight(self):
        app = self.start(IMAGES / "shapes.png")
        app.go_to("softmax")
        self.assertNotIn("stage.result.scale", app.settled()["names"])
        app.key("p")
        app.until(lambda r: "compare.difference" in r["names"], "the comparison")
        self.assertEqual(app.reports()["section.experiment"], "folded")
        app.click("compare.unpin")
        app.until(lambda r: "compare.difference" not in r["names"], "nothing to compare")

    def test_pages_of_positions(self):
        app = self.start(IMAGES / "shapes.png")
        app.key("ctrl+4")
        app.until_reports(positions__page="table")
        self.assertLessEqual({"positions.table", "positions.likeness", "positions.waves"},
                             app.settled()["names"].keys())
        app.click("positions.page.Order")
        app.until_reports(positions__page="order")
        names = app.settled()["names"]
        self.assertIn("positions.shuffle", names)
        self.assertNotIn("positions.table", names)
        app.click("positions.page.Properties")
        app.until_reports(positions__page="properties")
        self.assertIn("positions.cosines", app.settled()["names"])
        app.key("ctrl+z", "ctrl+z")
        app.until_reports(positions__page="table")
        app.click("positions.kinds")
        app.until(lambda r: "positions.kind.sincos_2d" in r["names"], "the kinds")
        app.click("positions.kind.sincos_2d")
        app.until_reports(positions__kind="sincos_2d")

    def test_a_script_reaches_what_is_in_a_drawer(self):
        done = self.play("\n".join([
            "size 1280 720", f"open {IMAGES / 'shapes.png'}", "set screen walk", "step softmax", "wait",
            "click image.overlay", "wait", "print field.overlay", 'print "numbers.mean entropy"',
            "set screen positions", "wait", "click positions.shuffle", "wait", "print field.order",
            "click positions.kind.none", "wait", "print positions.kind", "set screen heads", "wait",
            "click heads.range.own", "wait", "print field.range"]) + "\n")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        said = dict(line.rsplit(" ", 1) for line in done.stdout.splitlines())
        self.assertEqual(said["field.overlay"], "false")
        self.assertEqual(said["positions.kind"], "none")
        self.assertEqual(said["field.range"], "own")
        self.assertIn("field.order seed", " ".join(done.stdout.splitlines()))
        done = self.play(f"open {IMAGES / 'shapes.png'}\nset screen walk\nwait\nclick no.such.thing\n")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("no.such.thing", done.stderr)

    def test_the_walk_says_which_layers_it_passes_over(self):
        done = self.play("\n".join([
            "size 1600 1000", *INPUTS["scene"], "layer 4", "set screen walk", "step norm1", "wait",
            "print passed_layers", "click ribbon.layers.before", "wait", "print field.layer", "layer 1",
            "wait", "step norm1", "wait", "print passed_layers", "step residual2", "wait", "print passed_layers"]) + "\n")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        before, layer, first, last = done.stdout.splitlines()
        self.assertIn("1–3", before)
        self.assertIn("three times", before)
        self.assertEqual(layer, "field.layer 3")
        self.assertEqual(first.strip(), "passed_layers")

    def test_attention_is_shown_in_multiples_of_even_attention(self):
        (self.folder / "empty").mkdir()
        app = self.start("--session", self.folder / "new.json", screen="")
        app.until(lambda r: "look.caption" in r["reports"] and not r["busy"], "Look")
        self.assertEqual(app.reports()["field.attention_scale"], "even")
        self.assertEqual(app.quit(), 0)
        kept = json.loads((self.folder / "new.json").read_text())
        self.assertNotIn("logarithm", json.dumps(kept))


if __name__ == "__main__":
    main()
