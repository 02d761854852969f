"""The Look screen: point, drag, click a head, walk on; and its text for every kind of input."""

import array
import json
import re
import shutil
import unittest
import zipfile

from harness import IMAGES, SOURCE, WindowTest, main

try:
    import numpy
except ImportError:
    numpy = None

SCENES = SOURCE / "assets" / "models" / "scenes" / "model.safetensors"
MOST_CONTROLS = 20
# Two discs and a ring, far from each other and none of them on the border of a quarter of a patch.
DISCS = [(22, 22, 12, [0.9, 0.1, 0.1]), (58, 58, 12, [0.2, 0.3, 0.9])]
RING = (58, 20, 11, [0.2, 0.8, 0.2])


def percent(share):
    """The program's format (app/screens/frame/value_text.h)."""
    p = 100 * share
    if 0 < p < 0.05:
        return "< 0.1 %"
    if 99.95 <= p < 100:
        return "> 99.9 %"
    return f"{p:.1f} %" if abs(p) < 9.95 or 98.95 < p < 100 else f"{p:.0f} %"


class Look(WindowTest):
    def open(self, *arguments):
        return self.start(*arguments, screen="look")

    def first(self):
        """The first start of a new user."""
        (self.folder / "empty").mkdir(exist_ok=True)
        app = self.start("--session", self.folder / "mine.json", screen="")
        app.until(lambda r: "look.caption" in r["reports"] and not r["busy"], "Look")
        return app

    def scene(self):
        def shape(kind, x, y, radius, color):
            return {"kind": kind, "x": x, "y": y, "radius": radius, "rotation": 0, "color": color}
        path = self.folder / "scene.json"
        path.write_text(json.dumps({
            "background": {"from": [0.1, 0.1, 0.15], "to": [0.1, 0.1, 0.15], "direction": 0,
                           "noise": 0, "grain": 1},
            "shapes": [shape("disc", *disc) for disc in DISCS] + [shape("ring", *RING)]}))
        return path

    def maps(self, model, image, patch):
        out = self.folder / "maps.npy"
        done = self.run_program("maps", "--model", model, "--image", image, "--query", patch,
                                "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        return numpy.load(out)

    def assert_few_controls(self, app):
        self.assertLessEqual(int(app.reports()["controls"]), MOST_CONTROLS)

    def test_the_first_minute(self):
        app = self.first()
        said = app.reports()
        self.assertEqual(said["field.screen"], "look")
        self.assertEqual(said["look.question"], "Which kind of shape appears twice?")
        self.assertRegex(said["look.answer"], r"^The model answers cross, .* sure\.")
        self.assertRegex(said["look.title"], "^Sixteen heads")
        self.assertIn("the light blue cross", said["look.caption"])
        self.assertEqual((said["look.asking"], said["look.head"]), ("usual", "4 3"))
        self.assert_few_controls(app)
        # Point.
        app.point("scene.shape.1")
        said = app.until_reports(look__asking="hovered")
        self.assertTrue(app.reports()["look.caption"].startswith(
            "You are pointing at the green cross. In layer 4, head 3, "), said["look.caption"])
        self.assertNotEqual(said["pointing"], "", "an arrow where the model points")
        # Drag: the answer follows, one undo takes it back.
        before = app.reports()
        app.drag("scene.shape.1", -120, 300)
        after = app.reports()
        self.assertNotEqual(after["state.scene"], before["state.scene"])
        self.assertNotEqual(after["look.token"], before["look.token"])
        self.assertIn("the green cross", after["look.caption"])
        app.away()
        app.key("ctrl+z")
        app.until_reports(state__scene=before["state.scene"])
        # Click a head.
        app.click("look.head.2.1")
        app.until_reports(field__layer="2", state__head="1", look__head="2 1")
        # Walk, and back.
        app.click("look.walk")
        said = app.until_reports(field__screen="walk", state__step="softmax", state__head="1")
        self.assertEqual(said["field.layer"], "2")
        app.key("Escape")
        app.until_reports(field__screen="look")

    def test_the_first_minute_with_other_inputs(self):
        """Point, click a head, walk: on a photograph, with a model without classes, and with maps alone."""
        families = SOURCE / "tests" / "golden" / "families"
        for family in "timm", "dinov2", "maps":
            with self.subTest(family):
                session = self.folder / "state" / "headlight" / "session.json"
                session.unlink(missing_ok=True)
                if family == "maps":
                    app = self.open(IMAGES / "cat.jpg", "--model", families / "maps.model.safetensors")
                else:
                    app = self.start_model(family, "cat.jpg")
                app.key("ctrl+1")
                app.until(lambda r: "look.caption" in r["reports"] and not r["busy"], "Look")
                self.assert_few_controls(app)
                app.point("image.patches[1,1]")
                said = app.until_reports(look__asking="hovered")
                self.assertIn("of its attention", said["look.caption"])
                self.assertEqual(said.get("pointing", ""), "", "an arrow only where the model points")
                app.away()
                heads = [name for name in app.settled()["names"] if name.startswith("look.head.")]
                last = max(heads, key=lambda name: [int(n) for n in name.split(".")[2:]])
                layer, head = last.split(".")[2:]
                app.click(last)
                app.until_reports(look__head=f"{layer} {head}", state__head=head, busy="no")
                app.click("look.walk")
                app.until_reports(field__screen="walk", field__layer=layer, state__head=head)
                app.key("Escape")
                app.until_reports(field__screen="look")
                app.quit()

    def test_the_first_lesson_and_an_own_photograph_are_a_click_away(self):
        app = self.first()
        app.click("look.photo")
        app.until_reports(panel="files")
        app.key("Escape")
        app.until_reports(panel="nothing")
        app.click("look.lesson")
        app.until_reports(lesson__stop="1")

    def test_it_is_where_the_session_was_left(self):
        app = self.first()
        self.assertEqual(app.quit(), 0)
        again = self.start("--session", self.folder / "mine.json")
        self.assertEqual(again.reports()["field.screen"], "look")
        again.key("ctrl+3")
        again.until_reports(field__screen="heads")
        self.assertEqual(again.quit(), 0)
        once_more = self.start("--session", self.folder / "mine.json")
        self.assertEqual(once_more.reports()["field.screen"], "heads")

    def test_keys_move_the_patch_and_escape_lets_go(self):
        app = self.first()
        app.click("image.patches[3,4]")
        app.until_reports(state__token="35", look__token="35")
        for key, token in (("Right", "36"), ("Down", "46"), ("Left", "45"), ("Up", "35")):
            app.key(key)
            app.until_reports(state__token=token, look__token=token, look__asking="pinned")
        app.away()
        app.key("Escape")  # the shape, where one was chosen
        app.key("Escape")
        app.until_reports(look__asking="usual")
        app.key("3")
        app.until_reports(look__head="4 3")
        app.key("bracketleft")
        app.until_reports(look__head="3 3")
        app.key("Return")
        app.until_reports(field__screen="walk", state__step="softmax", field__layer="3")

    @unittest.skipUnless(numpy, "needs numpy")
    def test_shares_of_shapes_are_sums_of_the_maps(self):
        scene = self.scene()
        app = self.open(scene, "--model", SCENES)
        app.until(lambda r: "scene.shape.3" in r["names"] and not r["busy"], "the scene")
        app.key("ctrl+1")
        app.until(lambda r: "look.caption" in r["reports"], "Look")
        y, x = numpy.mgrid[:80, :80] + 0.5
        inside = [numpy.hypot(x - cx, y - cy) <= r for cx, cy, r, _ in DISCS]
        covered = [m.reshape(10, 8, 10, 8).sum((1, 3)) for m in inside]
        clear = [(c >= 17).astype(float) for c in covered]  # more than a quarter of 64 pixels
        for layer, head in ((4, 3), (1, 2), (3, 4)):
            app.click(f"look.head.{layer}.{head}")
            app.point("scene.shape.1")
            said = app.until_reports(look__asking="hovered", look__head=f"{layer} {head}")
            token = int(said["look.token"])
            maps = self.maps(SCENES, scene, token - 1)[layer - 1, head - 1]
            caption = app.reports()["look.caption"]
            self.assertTrue(caption.startswith("You are pointing at the red disc. "), caption)
            found = re.search(r"([<> .\d]+ %) of its attention (goes to|stays on) (.*?)( itself)?[.,]",
                              caption)
            self.assertTrue(found, caption)
            shares = {"the red disc": (maps * clear[0]).sum(), "the blue disc": (maps * clear[1]).sum()}
            if found[3] in shares:
                self.assertEqual(found[1].strip(), percent(shares[found[3]]), caption)
                self.assertGreater(shares[found[3]] + 1e-3, max(shares.values()))
            else:
                rest = 1 - maps.sum()
                self.assertIn(found[3], ("the background", "the class token", "the green ring"))
                if found[3] == "the class token":
                    self.assertEqual(found[1].strip(), percent(rest), caption)
            app.away()

    @unittest.skipUnless(numpy, "needs numpy")
    def test_shares_of_a_photograph_are_sums_of_the_maps(self):
        app = self.start_model("timm", "cat.jpg")
        app.key("ctrl+1")
        said = app.until(lambda r: "look.caption" in r["reports"], "Look")["reports"]
        self.assertRegex(said["look.question"], "What does the picture show")
        self.assertRegex(said["look.answer"], "^The model answers .* sure\\.$")
        names = app.settled()["names"]
        rows, columns = (round(n) for n in names["image.patches"]["cells"][2:])
        app.click(f"image.patches[{rows // 2},1]")
        said = app.until_reports(look__asking="hovered", state__token=str(rows // 2 * columns + 2))
        layer, head = map(int, said["look.head"].split())
        maps = self.maps(self.folder / "models/timm/model.safetensors", IMAGES / "cat.jpg",
                         rows // 2 * columns + 1)[layer - 1, head - 1]
        count = max(1, maps.size // 20)
        bright = numpy.sort(maps.ravel())[::-1][:count].sum(dtype="float64")
        caption = app.reports()["look.caption"]
        self.assertIn(f"row {rows // 2 + 1}, column 2", caption)
        self.assertIn(f"{percent(bright)} of its attention goes to the", caption)
        self.assertIn(f"and {percent(1 - maps.sum(dtype='float64'))} to the class token", caption)
        self.assert_few_controls(app)

    @unittest.skipUnless(numpy, "needs numpy")
    def test_a_model_without_classes_names_the_nearest_patches(self):
        app = self.start_model("dinov2", "cat.jpg")
        app.key("ctrl+1")
        app.until(lambda r: "look.caption" in r["reports"], "Look")
        columns = round(app.settled()["names"]["image.patches"]["cells"][3])
        app.point("image.patches[1,1]")
        said = app.until_reports(look__asking="hovered")
        self.assertIn("similar", said["look.question"])
        token = int(said["look.token"])
        trace = self.folder / "trace.safetensors"
        done = self.run_program("trace", "--model", self.folder / "models/dinov2/model.safetensors",
                                "--image", IMAGES / "cat.jpg", "--layers", "1", "--out", trace)
        self.assertEqual(done.returncode, 0, done.stderr)
        data = trace.read_bytes()
        size = int.from_bytes(data[:8], "little")
        norm = json.loads(data[8:8 + size])["norm"]
        begin, end = norm["data_offsets"]
        tokens = numpy.frombuffer(data[8 + size + begin:8 + size + end], "float32").reshape(norm["shape"])[0]
        tokens = tokens.astype("float64")
        cosines = tokens @ tokens[token] / numpy.linalg.norm(tokens, axis=1) / numpy.linalg.norm(tokens[token])
        cosines[token] = cosines[:1] = -2
        best = int(cosines.argmax())
        answer = app.reports()["look.answer"]
        self.assertIn(f": token {best} · row {(best - 1) // columns + 1}, column {(best - 1) % columns + 1} "
                      f"({cosines[best]:.2f})", answer)

    def test_no_sentence_of_the_answer_is_cut(self):
        model = SOURCE / "tests/golden/families/dinov2.model.safetensors"
        done = self.play("\n".join([
            "size 1600 1000", f"open-model {model}", f"open {IMAGES / 'cat.jpg'}", "set screen look", "wait",
            "print look.answer", "print-texts screen"]) + "\n")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        answer, *texts = done.stdout.splitlines()
        self.assertRegex(answer, r"Most similar .* Second: .* Third: .*\.$")
        shown = " ".join(texts)
        shown = shown[shown.index("Most similar"):shown.index("The outlined")]
        self.assertRegex(shown.strip(), r"\(\d\.\d\d\) ?\.$", "whole sentences alone")

    def test_every_kind_of_input_has_a_look(self):
        said = []
        for lines, words in (
                (["vectors royal"], "attend to?"), (["vectors four"], "attend to?"),
                (["signal steps"], "attend to?"), (["close-model"], "attend to?"),
                ([f"open-model {SOURCE}/tests/golden/families/maps.model.safetensors"], "attend to?"),
                ([f"open-model {SOURCE}/tests/golden/families/swin.model.safetensors"], "?"),
                (["set queries 4"], "this query attend to?")):
            done = self.play("\n".join([
                "size 1280 720", f"open {IMAGES / 'shapes.png'}", *lines, "wait", "set screen look",
                "wait", "print look.question", "print look.caption", "print look.title",
                "print controls"]) + "\n")
            self.assertEqual((done.returncode, done.stderr), (0, ""), f"{lines}: {done.stdout}")
            question, caption, title, controls = done.stdout.splitlines()[-4:]
            self.assertTrue(question.endswith(words), f"{lines}: {question}")
            self.assertIn("of its attention", caption, str(lines))
            self.assertIn("look", title)
            self.assertLessEqual(int(controls.split()[-1]), MOST_CONTROLS, str(lines))
            said.append(caption)
        self.assertEqual(len(set(said)), len(said))

    def test_layers_after_token_transformers_are_counted_from_one(self):
        done = self.play("\n".join([
            "size 1280 720", f"open-model {SOURCE}/assets/lessons/11-models/softmax.safetensors",
            f"open {IMAGES / 'lighthouse.jpg'}", "layer T1", "set screen look", "wait",
            "print look.instead", "click look.go", "wait", "print field.layer", "layer T2", "wait",
            "click look.go", "wait", "click look.head.1.1", "wait", "print look.head"]) + "\n")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        instead, layer, head = done.stdout.splitlines()[-3:]
        self.assertIn("token transformer", instead)
        self.assertEqual((layer, head), ("field.layer 1", "look.head 1 1"))

    def test_heads_of_24_layers_scroll(self):
        """Attention maps of 24 layers with 16 heads for 7 × 7 patches and a class token."""
        tokens, heads, layers = 50, 16, 24
        row = array.array("f", (2 * (i + 1) / (tokens * (tokens + 1)) for i in range(tokens)))
        header = str({"descr": "<f4", "fortran_order": False, "shape": (1, heads, tokens, tokens)})
        header += " " * (-(11 + len(header)) % 64) + "\n"
        array_file = (b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() +
                      (row * (heads * tokens)).tobytes())
        maps = self.folder / "maps.npz"
        with zipfile.ZipFile(maps, "w") as file:
            for layer in range(layers):
                file.writestr(f"layer_{layer}.npy", array_file)
        done = self.play("\n".join([
            "size 1280 720", f"open-model {maps}", f"open {IMAGES / 'cat.jpg'}", "set screen look", "wait",
            "print look.heads.count", "print controls", "layer 24", "head 16", "wait", "click look.head.24.15",
            "wait", "print look.head", "shot whole"]) + "\n")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        count, controls, head, _ = done.stdout.splitlines()
        self.assertEqual((count, head), ("look.heads.count 384", "look.head 24 15"))
        self.assertLessEqual(int(controls.split()[1]), MOST_CONTROLS)

    def test_heads_of_a_large_model_scroll_and_the_chosen_one_is_in_sight(self):
        shutil.copy(SOURCE / "tests/golden/families/swin.model.safetensors", self.folder)
        app = self.start_model("swin")
        app.key("ctrl+1")
        app.until(lambda r: "look.caption" in r["reports"], "Look")
        names = app.settled()["names"]
        heads = [name for name in names if name.startswith("look.head.")]
        self.assertEqual(len(heads), int(app.reports()["look.heads.count"]))
        last = max(heads, key=lambda name: [int(n) for n in name.split(".")[2:]])
        app.click(last)
        app.until_reports(look__head=" ".join(last.split(".")[2:]), busy="no")
        app.away()
        app.until_reports(look__head=" ".join(last.split(".")[2:]))


if __name__ == "__main__":
    main()
