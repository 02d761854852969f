"""Scenes of shapes: moved by hand while the model answers; heads switched off."""

import json

from harness import IMAGES, SOURCE, WindowTest, main

MODEL = SOURCE / "assets" / "models" / "scenes"
BACKGROUND = {"from": [0.1, 0.1, 0.15], "to": [0.15, 0.15, 0.2], "direction": 30, "noise": 0.02,
              "grain": 7}
SHAPES = [("star", 20, 22, 11, 0, [0.95, 0.8, 0.2]), ("disc", 60, 20, 9, 0, [0.3, 0.6, 1]),
          ("star", 58, 60, 9, 40, [0.9, 0.3, 0.6]), ("square", 22, 58, 10, 15, [0.3, 0.8, 0.4])]


class Scenes(WindowTest):
    def scene(self):
        members = ("kind", "x", "y", "radius", "rotation", "color")
        path = self.folder / "scene.json"
        path.write_text(json.dumps({"background": BACKGROUND, "shapes": [
            dict(zip(members, shape, strict=True)) for shape in SHAPES]}))
        return path

    def open(self):
        app = self.start(IMAGES / "shapes.png", "--model", MODEL)
        app.browse()
        app.enter_path(self.scene())
        app.until(lambda r: "scene.shape.4" in r["names"] and not r["busy"], "the scene")
        app.go_to("softmax")
        app.open_drawer("section.numbers")
        return app

    def shapes(self, app):
        return json.loads(app.reports()["state.scene"])["shapes"]

    def until_shapes(self, app, condition, what):
        app.until(lambda r: condition(json.loads(r["reports"]["state.scene"])["shapes"]), what)

    def answer(self, app):
        """What the model says of the present scene, and what its heads read in it."""
        said = app.reports()
        return [said[name] for name in ("prediction.1", "prediction.2", "numbers.mean entropy")]

    def test_a_dragged_shape_changes_the_answer_and_one_undo_brings_it_back(self):
        app = self.open()
        before, answer = self.shapes(app), self.answer(app)
        side = app.rect("image.patches")[2]
        app.drag("scene.shape.1", round(side * 0.25), round(side * 0.05))
        app.away()
        after = self.shapes(app)
        self.assertAlmostEqual(after[0]["x"], before[0]["x"] + 20, delta=1)
        self.assertAlmostEqual(after[0]["y"], before[0]["y"] + 4, delta=1)
        self.assertEqual(after[1:], before[1:])
        changed = self.answer(app)
        for was, now in zip(answer, changed, strict=True):
            self.assertNotEqual(was, now)
        app.key("ctrl+z")
        self.assertEqual(self.shapes(app), before)
        self.assertEqual(self.answer(app), answer)
        app.key("ctrl+y")
        self.assertEqual(self.shapes(app), after)
        self.assertEqual(self.answer(app), changed)

    def test_a_click_pins_the_patch_and_a_drag_does_not(self):
        app = self.open()
        app.click("image.patches[2,7]")
        app.until_reports(state__token="28", state__shape="2")
        app.drag("scene.shape.1", 30, 30)
        app.away()
        said = app.reports()
        self.assertEqual((said["state.token"], said["state.shape"]), ("28", "1"))

    def test_a_shape_stays_in_the_frame(self):
        app = self.open()
        app.drag("scene.shape.2", 900, -80)
        app.away()
        shape = self.shapes(app)[1]
        self.assertEqual((shape["x"], shape["y"], shape["radius"]), (71, 9, 9))

    def test_the_wheel_resizes(self):
        app = self.open()
        before = self.shapes(app)[2]
        app.point("scene.shape.3")
        app.wheel(2)
        self.until_shapes(app, lambda s: s[2]["radius"] > before["radius"] * 1.1, "a larger star")

    def test_shift_turns(self):
        app = self.open()
        before = self.shapes(app)[2]
        x, y = app.place("scene.shape.3")
        app.point_at(x + 12, y)
        app.xdotool("keydown", "shift")
        app.xdotool("mousedown", 1)
        app.point_at(x + 6, y + 20)
        app.point_at(x, y + 30)
        app.xdotool("mouseup", 1)
        app.xdotool("keyup", "shift")
        after = self.shapes(app)[2]
        self.assertAlmostEqual(after["rotation"], before["rotation"] + 90, delta=5)
        self.assertEqual((after["x"], after["y"]), (before["x"], before["y"]))

    def test_the_card_changes_kind_and_color(self):
        app = self.open()
        app.click("scene.shape.2", times=2)
        app.until(lambda r: "shape.kind.ring" in r["names"], "the card")
        app.click("shape.kind.ring")
        self.until_shapes(app, lambda s: s[1]["kind"] == "ring", "a ring")
        for where in ("shape.swatch.4", "shape.color"):
            before = self.shapes(app)[1]["color"]
            app.click(where)
            self.until_shapes(app, lambda s, old=before: s[1]["color"] != old, "a new color")
        app.key("Escape")
        app.until(lambda r: "shape.card" not in r["names"], "the card to close")

    def test_shapes_come_and_go(self):
        app = self.open()
        app.click("scene.add")
        app.click("scene.add.cross")
        self.until_shapes(app, lambda s: len(s) == 5 and s[4]["kind"] == "cross", "a cross")
        app.away()
        app.key("Delete")
        self.until_shapes(app, lambda s: len(s) == 4, "the cross to go")
        app.click("scene.twin")
        said = app.until_reports(prediction__truth="truth: no pair")
        self.assertIn(said["prediction.verdict"], ("right", "wrong"))
        before = self.shapes(app)
        app.click("scene.new")
        self.until_shapes(app, lambda s: s != before, "a new scene")

    def test_a_head_that_is_switched_off_changes_the_answer(self):
        app = self.open()
        answer = app.reports()["prediction.1"]
        app.click("heads.2.power")
        app.until_reports(changed="changed: 1 head is off: layer 1 head 2")
        app.away()
        self.assertNotEqual(app.reports()["prediction.1"], answer)
        app.key("2")
        app.go_to("mix")
        app.point("stage.result[20,3]")
        said = app.reports()
        self.assertEqual((said["arithmetic.shown"], said["arithmetic.terms"]), ("0", "0"))
        self.assertEqual(said["arithmetic.agrees"], "true")
        app.click("changed.reset")
        app.until_reports(state__switched_off="")
        app.away()
        self.assertEqual(app.reports()["prediction.1"], answer)

    def test_patches_of_a_pair_point(self):
        app = self.open()
        app.point("scene.shape.1")
        self.assertRegex(app.reports()["pointing"], r"^its twin: row \d+, column \d+ · \d+ %$")
        app.point("image.patches[9,9]")
        self.assertIn("not trained", app.reports()["pointing"])

    def test_the_first_start_shows_twins_that_find_each_other(self):
        app = self.start("--session", self.folder / "none-yet.json")
        said = app.reports()
        self.assertEqual(said["state.step"], "image")
        self.assertEqual(said["prediction.verdict"], "right")
        kinds = [shape["kind"] for shape in json.loads(said["state.scene"])["shapes"]]
        twin = next(kind for kind in kinds if kinds.count(kind) == 2)
        self.assertEqual(said["prediction.truth"], f"truth: the {twin} appears twice")
        self.assertEqual(said["invitation"],
                         f"Drag the {twin} and watch the prediction.")
        self.assertRegex(said["pointing"], r"^its twin: row \d+, column \d+ · \d+ %$")

    def test_what_one_is_invited_to_do_can_be_done(self):
        app = self.start("--session", self.folder / "none-yet.json")
        kinds = [shape["kind"] for shape in self.shapes(app)]
        number = next(i for i, kind in enumerate(kinds) if kinds.count(kind) == 2)
        before, answer = self.shapes(app), app.reports()["prediction.1"]
        # On the large picture in the middle, or on the small one.
        for at, name in ((1, "stage.scene.shape"), (2, "scene.shape")):
            app.drag(f"{name}.{number + 1}", 30 // at, 12 // at)
            app.away()
            after = self.shapes(app)
            self.assertNotEqual(after[number], before[number])
            self.assertEqual(after[:number] + after[number + 1:],
                             before[:number] + before[number + 1:])
            self.assertNotEqual(app.reports()["prediction.1"], answer)
            self.assertIn("Wheel", app.reports()["invitation"])
            before, answer = after, app.reports()["prediction.1"]

    def test_there_is_a_way_back_to_scenes(self):
        """After a picture was opened, and after a start that remembers it."""
        app = self.start("--model", MODEL, IMAGES / "coffee.jpg")
        app.click("scene.new")  # offered below the picture, because of the model
        app.until(lambda r: "scene.shape.1" in r["names"], "a scene")
        app.browse()
        app.enter_path(IMAGES / "coffee.jpg")
        app.until_reports(panel="nothing", state__scene="")
        app.settled()  # a picture that is still being read is not remembered
        self.assertEqual(app.quit(), 0)
        app = self.start()
        self.assertEqual(app.settled()["reports"]["state.scene"], "")
        app.browse()
        app.click("files.scene.1")
        app.until_reports(panel="nothing")
        app.until(lambda r: "scene.shape.1" in r["names"], "the first scene")
        self.assertEqual(app.reports()["prediction.verdict"], "right")
        before = self.shapes(app)
        app.key("s")
        self.until_shapes(app, lambda s: s != before, "another scene")

    def test_a_scene_can_be_named_at_the_start(self):
        app = self.start("--session", self.folder / "none-yet.json", self.scene())
        app.until(lambda r: "scene.shape.4" in r["names"] and not r["busy"], "the scene")
        self.assertEqual([shape["kind"] for shape in self.shapes(app)],
                         [shape[0] for shape in SHAPES])

    def test_a_photograph_is_not_what_it_was_trained_on(self):
        app = self.start(IMAGES / "coffee.jpg", "--model", MODEL)
        app.until(lambda r: "drawn shapes" in r["reports"].get("out_of_depth", ""), "the warning")

    def test_a_file_of_drawn_shapes_is_what_it_was_trained_on(self):
        app = self.start(IMAGES / "shapes.png", "--model", MODEL)
        app.until_reports(state__image=str(IMAGES / "shapes.png"), out_of_depth="")
        app.until(lambda r: "prediction.1" in r["reports"], "the answer")
        self.assertEqual(app.settled()["reports"]["out_of_depth"], "")


if __name__ == "__main__":
    main()
