"""Words and pictures that fit: at 1280 × 720, and in lecture view."""

import re

from harness import SOURCE, WindowTest, main

LESSONS = SOURCE / "assets" / "lessons"
SCENES = SOURCE / "assets" / "models" / "scenes"
BUTTONS = {"Tools…"}  # which end so on purpose


class Fitting(WindowTest):
    def said(self, *lines):
        done = self.play("\n".join(lines) + "\n")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done.stdout

    def at_stop(self, lesson, stop, *lines, size="1280 720"):
        path = next(LESSONS.glob(f"{lesson}-*.md"))
        return self.said(f"size {size}", f'lesson "{path}" {stop}', "wait", *lines)

    def cut(self, texts):
        return [line for line in texts.splitlines() if line.endswith("…") and line not in BUTTONS]

    # ---- a small window

    def test_no_words_of_these_stops_are_cut(self):
        """In the narrow list beside the stage of 4.5, words end in an ellipsis."""
        for lesson, stop, place in ((2, 8, "screen"), (3, 1, "screen"), (3, 5, "screen"), (4, 5, "stage"),
                                    (6, 10, "screen"), (10, 12, "screen"), (11, 7, "screen")):
            with self.subTest(f"{lesson}.{stop}"):
                self.assertEqual(self.cut(self.at_stop(lesson, stop, f"print-texts {place}")), [])

    def test_the_table_of_vectors_names_whole_words(self):
        """Its buttons that remove a vector give up their column, and appear under the pointer."""
        for lesson, stop in (2, 2), (2, 6), (2, 7), (2, 9), (2, 10), (4, 5), (5, 8):
            with self.subTest(f"{lesson}.{stop}"):
                said = self.at_stop(lesson, stop, "print-texts screen")
                self.assertEqual([line for line in self.cut(said) if line != "…"], [])
        said = self.at_stop(4, 5, "pointer vectors.1.word", "wait", "click vectors.1.delete", "wait",
                            "print-texts")
        self.assertIn("6 words · 6×2", said)

    def test_a_lecture_says_that_the_temperature_acts_in_all_layers(self):
        said = self.said("size 1600 1000", f"open-model {SCENES}", "scene 7", "set screen walk", "step softmax",
                         "set lecture true", "wait", "print-texts screen")
        self.assertIn("in all layers\n", said)

    def test_the_ribbon_cuts_no_name(self):
        """A name may be wider than its step; where two would touch, one is left to its tooltip."""
        for lesson, stop in (5, 3), (6, 4), (7, 3), (9, 3):
            with self.subTest(f"{lesson}.{stop}"):
                said = self.at_stop(lesson, stop, "print-texts screen")
                self.assertNotRegex(said, "(Positi|Temper|Projec|Softm)[a-z]*…")

    def test_the_cards_of_heads_and_the_name_of_the_lesson_are_whole(self):
        for lesson, stop in (5, 9), (6, 11):
            with self.subTest(lesson):
                said = self.at_stop(lesson, stop, "set screen heads", "wait", "print-texts screen",
                                    "print-texts lesson.column")
                self.assertEqual(self.cut(said), [])

    def test_the_card_of_a_head_names_the_whole_class(self):
        for order in "importance", "contribution", "attribution", "patching":
            with self.subTest(order):
                said = self.said("size 1500 1000", f"open-model {SCENES}", "scene 7", "set screen heads", "wait",
                                 "pin", "scene 3", "wait", f"set heads_order {order}", "wait", "print-texts screen")
                self.assertEqual(self.cut(said), [])
                self.assertRegex(said, "“[^”…]+”\n")

    def test_the_ribbon_cuts_no_shape(self):
        """Half a shape would look like another one."""
        said = self.at_stop(6, 4, "print-texts screen")
        self.assertIn("100×49", said)
        self.assertNotRegex(said, "×[0-9]*…")

    def test_the_small_plane_is_there_to_drag_in(self):
        for lesson, stop in (8, 2), (12, 2):
            with self.subTest(lesson):
                self.at_stop(lesson, stop, "print-texts image.plane")

    def test_all_points_of_a_file_move_in_one_picture(self):
        said = self.at_stop(4, 6, "print-texts stage.cloud", "print stage.cloud")
        self.assertIn("90 rows of two numbers, as points. Lines lead from", said)

    def test_the_caption_of_a_photograph_is_whole(self):
        """A picture that is sized for small sentences is not so wide that they become large."""
        images = SOURCE / "assets" / "images"
        for size in "1280 720", "1366 768", "1440 900":
            with self.subTest(size):
                said = self.said(f"size {size}", f"open-model {SCENES.parent / 'photos'}",
                                 f"open {images / 'cat.jpg'}", "set screen look", "wait", "focus 79", "wait",
                                 "print-texts")
                self.assertRegex(said, r"token\n?\.\n")

    # ---- lecture view on a 4:3 projector

    def test_no_words_of_a_step_are_cut_on_an_old_projector(self):
        steps = "patches", "position", "norm1", "products", "softmax", "mix", "head"
        said = self.said("size 1024 768", f"open-model {SCENES}", "scene 7", "layer 4", "head 3",
                         "focus 43", "set screen walk", "set lecture true",
                         *(line for step in steps for line in (f"step {step}", "wait", "print-texts")))
        self.assertEqual(self.cut(said), [])
        self.assertEqual(said.count("Layer 4 / 4\n"), len(steps))
        for name in "disc", "triangle", "no pair":
            self.assertIn(f"{name}\n", said)

    def test_no_words_of_screens_and_panels_are_cut_on_an_old_projector(self):
        said = self.said("size 1024 768", f"open-model {SCENES}", "scene 7", "layer 4", "head 3",
                         "focus 43", "set lecture true",
                         *(line for field in ("screen look", "screen heads", "screen positions",
                                              "position_page properties", "position_page order")
                           for line in (f"set {field}", "wait", "print-texts")),
                         "show features", "wait", "print-texts", "show palette", "wait", "print-texts")
        self.assertEqual(self.cut(said), ["Open a mask…"])  # it opens a panel

    def test_no_words_of_these_stops_are_cut_on_an_old_projector(self):
        for lesson, stop in ((0, 1), (0, 2), (1, 4), (1, 6), (1, 9), (2, 1), (2, 8), (3, 1), (3, 2), (4, 2),
                             (4, 6), (5, 8), (6, 5), (6, 10), (6, 11), (7, 9), (8, 8), (8, 11), (9, 3),
                             (9, 9), (12, 6)):
            with self.subTest(f"{lesson}.{stop}"):
                said = self.at_stop(lesson, stop, "set lecture true", "wait", "print-texts screen",
                                    size="1024 768")
                self.assertEqual(self.cut(said), [])

    def test_a_small_plane_names_one_of_the_words_with_the_same_arrow(self):
        said = self.at_stop(2, 9, "set lecture true", "wait", "print-texts image.plane", size="1024 768")
        words = [line for line in said.splitlines() if line.isalpha()]
        self.assertEqual(sorted(words), ["are", "keys"], said)
        self.assertNotIn(",", said)

    def test_the_type_of_a_stop_is_never_small_on_an_old_projector(self):
        for lesson, stop in (4, 4), (5, 3), (7, 8), (10, 8):
            with self.subTest(f"{lesson}.{stop}"):
                said = self.at_stop(lesson, stop, "set lecture true", "wait", "print lesson.words",
                                    size="1024 768")
                self.assertIn("lesson.words with text", said)

    def test_the_batch_has_its_shape(self):
        said = self.at_stop(12, 4, "set lecture true", "wait", "print stage.batch", size="1920 1080")
        self.assertRegex(said, r"stage.batch \[4, \d+, \d+\], sample 2")

    def test_a_callout_is_near_the_head_that_it_names(self):
        """In the free space below the heads, which are no matrix."""
        app = self.start(LESSONS / "0-first-look.md", screen="")
        app.until_reports(lesson__stop="1", busy="no")
        app.key("Right")
        app.key("F11")
        names = app.until(lambda r: r["reports"].get("lesson.stop") == "2" and r["reports"]["busy"] == "no"
                          and "lesson.callout.1" in r["names"], "the callout")["names"]
        x, y, w, h = names["look.head.4.3"]["rect"]
        left, top, wide, high = names["lesson.callout.1"]["rect"]
        across = max(0, left - (x + w), x - (left + wide))
        down = max(0, top - (y + h), y - (top + high))
        self.assertLess((across ** 2 + down ** 2) ** 0.5, 200)

    # ---- lecture view

    def test_the_order_of_patches_fills_the_projector(self):
        opened = ["size 1280 720", f"open-model {SCENES}", "scene 3", "set screen positions",
                  "set position_page order", "set lecture true", "wait"]
        said = self.said(*opened, "print positions.order.sentence", 'set order "seed 3"', "wait",
                         "print positions.order.sentence", "print-texts positions.order.with.difference")
        self.assertIn("Only positions carry it", said)
        self.assertIn("With positions, it changes.", said)
        app = self.start()
        app.key("ctrl+4")
        app.until(lambda r: "positions.patch" in r["reports"], "the positions")
        app.turn("order")
        app.key("F11")
        app.until_reports(field__lecture="true", positions__page="order", busy="no")
        picture = app.rect("positions.order.picture")
        window = app.rect("screen")
        self.assertGreater(picture[3], 0.5 * window[3])

    def test_the_stops_about_order_show_no_table(self):
        for stop in 2, 11:
            said = self.at_stop(9, stop, "set lecture true", "wait",
                                "print-texts positions.order.picture", "try print-texts positions.table")
            self.assertNotIn("TABLE OF POSITIONS", said)

    def test_a_stop_can_point_to_the_linear_map_and_to_the_answer_by_layer(self):
        for lecture in "false", "true":
            self.at_stop(10, 4, f"set lecture {lecture}", "wait", "print-texts positions.readout")
            said = self.at_stop(10, 12, f"set lecture {lecture}", "wait", "print-texts heads.lens")
            self.assertIn("ANSWER", said)

    def test_positions_at_a_stop_are_forgotten_without_residual_connections(self):
        said = self.at_stop(10, 4, "print positions.readout.row", "print positions.readout.column",
                            "set skip input", "wait",
                            "print positions.readout.row", "print positions.readout.column")
        row, column, row_with, column_with = map(float, re.findall(r"-?\d+\.\d+", said))
        self.assertLess(max(row, column), 0.2)
        self.assertGreater(min(row_with, column_with), 0.9)


if __name__ == "__main__":
    main()
