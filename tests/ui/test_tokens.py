"""Tokens that are given instead of a picture: vectors dragged and typed, words, a curve drawn by hand."""

import json

from harness import IMAGES, WindowTest, main


class Tokens(WindowTest):
    def open(self, source):
        app = self.start(IMAGES / "cat.jpg")
        app.click("input")
        app.click(f"input.{source}")
        app.until(lambda r: "input.image" in r["names"] and not r["busy"], source)
        return app

    def tokens(self, app):
        return json.loads(app.reports()["field.tokens"])

    def test_a_dragged_vector_changes_its_weights_and_one_undo_brings_it_back(self):
        app = self.open("vectors")
        before, said = self.tokens(app), app.reports()["mixture"]
        self.assertTrue(said.startswith("y₁"), said)
        app.drag("stage.result.1", -120, -160)
        app.away()
        after = self.tokens(app)
        self.assertLess(after["vectors"][0][0], before["vectors"][0][0])
        self.assertGreater(after["vectors"][0][1], before["vectors"][0][1])
        self.assertEqual(after["vectors"][1:], before["vectors"][1:])
        self.assertNotEqual(app.reports()["mixture"], said)
        app.key("ctrl+z")
        self.assertEqual(self.tokens(app), before)
        self.assertEqual(app.reports()["mixture"], said)

    def test_a_number_is_typed_and_a_vector_named(self):
        app = self.open("vectors")
        app.click("vectors.2.1")
        app.key("ctrl+a")
        app.type("-0.5")
        app.key("Return")
        app.until(lambda r: json.loads(r["reports"]["field.tokens"])["vectors"][1][0] == -0.5, "typed")
        app.click("vectors.2.word")
        app.key("ctrl+a")
        app.type("dog")
        app.key("Return")
        app.until(lambda r: json.loads(r["reports"]["field.tokens"]).get("words") == ["", "dog", "", ""],
                  "named")

    def test_words_are_walked_to_the_end_and_the_picture_comes_back(self):
        app = self.open("words")
        self.assertEqual(self.tokens(app)["words"], ["king", "queen", "man", "woman"])
        app.key("End")
        app.settled()
        self.assertIn("stage.result.output.1", app.read()["names"])
        app.key("ctrl+2")
        app.settled()
        app.key("ctrl+1")
        app.click("input.image")
        app.until(lambda r: "image.patches" in r["names"] and not r["busy"], "the picture")

    def test_a_curve_is_drawn(self):
        app = self.open("signal")
        said = app.reports()["signal"]
        self.assertIn("moving average", said)
        app.drag("stage.result", 60, -80)
        app.away()
        self.assertEqual(self.tokens(app)["signal"]["curve"], "drawn")
        self.assertNotEqual(app.reports()["signal"], said)
        app.key("ctrl+z")
        self.assertEqual(self.tokens(app)["signal"]["curve"], "steps")
        self.assertEqual(app.reports()["signal"], said)


if __name__ == "__main__":
    main()
