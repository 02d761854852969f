"""Tokens that are given instead of a picture: vectors dragged and typed, words, a curve drawn by hand."""

import json
import struct

from harness import IMAGES, WindowTest, main


class Tokens(WindowTest):
    def open(self, source):
        app = self.start(IMAGES / "cat.jpg")
        app.click("input")
        app.click(f"input.{source}")
        app.until(lambda r: "input.image" in r["names"] and not r["busy"], source)
        app.away()
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
        app.key("ctrl+3")
        app.settled()
        app.key("ctrl+2")
        app.click("input.image")
        app.until(lambda r: "image.patches" in r["names"] and not r["busy"], "the picture")

    def write_points(self, name, samples):
        """Of so many samples five points of the plane, as numpy saves them."""
        shape = (samples, 5, 2) if samples > 1 else (5, 2)
        head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
        numbers = [0.1 * i * (-1) ** (i // 3) for i in range(10 * samples)]
        path = self.folder / name
        path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head
                         + struct.pack(f"<{len(numbers)}f", *numbers))
        return path

    def test_points_of_a_file_are_opened_walked_and_chosen(self):
        app = self.start(self.write_points("points.npy", 1))
        app.until(lambda r: "stage.result.focus" in r["names"] and not r["busy"], "the points")
        self.assertEqual(app.reports()["state.step"], "given")
        self.assertEqual(app.reports()["state.token"], "0")
        app.key("End")
        app.settled()
        self.assertIn("image.points", app.read()["names"])
        app.click("input.image")
        app.until(lambda r: "image.patches" in r["names"] and not r["busy"], "a picture")
        app.key("ctrl+z")
        app.until(lambda r: "image.points" in r["names"] and not r["busy"], "the points again")

    def test_an_array_of_three_extents_is_a_map_or_a_batch(self):
        app = self.start(self.write_points("batch.npy", 3))
        said = app.until(lambda r: "tokens.array.batch" in r["names"] and not r["busy"], "the map")
        self.assertIn("read as a feature map of 3 × 5 cells", said["reports"]["notice"])
        app.click("tokens.array.batch")
        app.until_reports(tokens__sample="sample 1 of 3", busy="no")
        app.click("tokens.next")
        app.until_reports(tokens__sample="sample 2 of 3", busy="no")
        app.key("ctrl+z")
        app.until_reports(tokens__sample="sample 1 of 3", busy="no")

    def test_numbers_of_another_program_stand_beside_each_step(self):
        points = self.write_points("points.npy", 1)
        app = self.start(points)
        app.until(lambda r: "stage.result.focus" in r["names"] and not r["busy"], "the points")
        app.reveal("numbers.reference")
        app.click("numbers.reference")
        app.until_reports(panel="reference")
        other = points.with_name("tokens.input.npy")
        other.write_bytes(points.read_bytes())
        app.enter_path(other)
        app.until_reports(reference__given="0")
        app.reveal("reference.close")
        app.click("reference.close")
        app.until(lambda r: "reference.close" not in r["names"], "no reference")

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
