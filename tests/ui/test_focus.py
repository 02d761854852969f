"""Hover explains, a click pins, Escape deselects: for patches, cells and heads alike."""

import math
import time

from harness import STEPS, WindowTest, main


def lit(report, kind="lit"):
    """The highlights on the screen: pictures and matrices of tokens, and the row (or column) of
    each."""
    start = kind + "."
    return {name[len(start):]: value for name, value in report["reports"].items()
            if name.startswith(start) and not name.startswith(start + "stage.channel.")}


class Focus(WindowTest):
    def test_a_hovered_patch_is_lit_in_every_matrix(self):
        app = self.start()
        app.go_to("products")
        app.point("image.patches[2,7]")
        seen = lit(app.settled())
        for name in ("image.patches", "stage.left", "stage.result",
                     *(f"ribbon.{step}.matrix" for step in STEPS[1:]),
                     *(f"heads.{head}.map" for head in (1, 2, 3, 4))):
            self.assertEqual(seen.get(name), "27", name)
        self.assertEqual(set(seen.values()), {"27"})

    def test_a_hovered_patch_is_lit_in_every_step(self):
        app = self.start()
        for step in STEPS[1:]:
            app.go_to(step)
            app.point("image.patches[8,1]")
            seen = lit(app.settled())
            self.assertEqual(seen.get("stage.result"), "81", step)
            self.assertEqual(set(seen.values()), {"81"}, step)

    def test_a_row_of_a_matrix_lights_its_patch(self):
        app = self.start()
        app.go_to("products")
        for place in ("stage.left[63,3]", "stage.result[63,12]"):
            app.point(place)
            self.assertEqual(lit(app.settled())["image.patches"], "63", place)

    def test_a_cell_lights_its_row_and_its_column_in_the_operands(self):
        app = self.start()
        app.go_to("products")
        app.point("stage.result[20,30]")
        report = app.settled()
        self.assertEqual(lit(report)["stage.left"], "20")
        self.assertEqual(lit(report, "lit_col")["stage.top"], "30")
        self.assertEqual(lit(report, "lit_col")["stage.result"], "30")

    def test_hover_goes_back_to_what_is_pinned(self):
        app = self.start()
        pinned = lit(app.settled())["image.patches"]
        app.point("image.patches[0,9]")
        self.assertEqual(lit(app.settled())["image.patches"], "9")
        app.away()
        self.assertEqual(lit(app.settled())["image.patches"], pinned)
        self.assertEqual(app.reports()["state.token"], pinned)

    def test_click_pins_a_patch_and_escape_lets_go(self):
        app = self.start()
        app.click("image.patches[4,3]")
        app.until_reports(state__token="43")
        app.away()
        self.assertEqual(lit(app.settled())["image.patches"], "43")
        app.key("Escape")  # of the cell's column
        self.assertEqual(app.reports()["state.token"], "43")
        app.key("Escape")
        app.until_reports(state__token="", state__col="")
        self.assertEqual(lit(app.settled()), {})

    def test_click_pins_a_cell_with_its_arithmetic(self):
        app = self.start()
        app.go_to("products")
        app.click("stage.result[20,30]")
        app.until_reports(state__token="20", state__col="30")
        app.away()
        said = app.reports()
        self.assertEqual((said["arithmetic.row"], said["arithmetic.col"]), ("20", "30"))
        app.key("Right")  # the same query and key, one step on
        said = app.until_reports(state__step="scale")
        self.assertEqual((said["arithmetic.row"], said["arithmetic.col"]), ("20", "30"))

    def test_a_zoom_says_where_one_is_and_escape_shows_all_before_it_lets_go(self):
        app = self.start()
        app.go_to("softmax")
        app.click("stage.result[20,30]")
        app.until_reports(state__token="20", state__col="30")
        self.assertNotIn("zoom", app.reports())
        app.wheel(8)
        said = app.until(lambda r: "zoom" in r["reports"], "the zoom")["reports"]
        self.assertRegex(said["zoom"], r"^tokens \d+–\d+ of 100 × tokens \d+–\d+ of 100$")
        row, col, rows, cols = app.settled()["names"]["stage.result"]["cells"]
        first, last = map(int, said["zoom"].split()[1].split("–"))
        self.assertEqual((first, last), (math.floor(row), math.ceil(row + rows) - 1))
        self.assertEqual(app.settled()["names"]["zoom.map"]["cells"], [row, col, rows, cols])
        app.key("Escape")
        app.until(lambda r: "zoom" not in r["reports"], "all cells")
        self.assertEqual(app.reports()["state.token"], "20")
        app.wheel(8)
        app.until(lambda r: "zoom" in r["reports"], "the zoom")
        app.click("zoom.reset")
        app.until(lambda r: "zoom" not in r["reports"], "all cells")
        for _ in range(2):  # the cell, then the token
            app.key("Escape")
        app.until_reports(state__token="")

    def test_wheel_zooms_into_a_matrix_and_its_operands(self):
        app = self.start()
        app.go_to("products")
        app.point("stage.result[20,30]")
        app.wheel(8)
        names = app.settled()["names"]
        row, _, rows, _ = names["stage.result"]["cells"]
        self.assertLess(rows, 25)
        self.assertEqual(names["stage.left"]["cells"][0::2], [row, rows])
        said = app.reports()  # the cell under the pointer stayed there
        self.assertEqual((said["arithmetic.row"], said["arithmetic.col"]), ("20", "30"))
        app.wheel(-12)
        self.assertEqual(app.settled()["names"]["stage.result"]["cells"], [0, 0, 100, 100])


class Heads(WindowTest):
    def test_keys_choose_heads(self):
        app = self.start()
        for key, head in (("3", "3"), ("Down", "4"), ("Down", "4"), ("Up", "3"), ("1", "1")):
            app.key(key)
            self.assertEqual(app.reports()["state.head"], head)

    def test_a_number_beyond_the_heads_says_so(self):
        app = self.start()
        app.key("9")
        said = app.until(lambda r: r["reports"]["notice"], "a notice")["reports"]
        self.assertEqual(said["state.head"], "1")
        self.assert_one_sentence(said["notice"], "head", "4", "9")

    def test_buttons_choose_heads(self):
        app = self.start()
        app.click("transport.head.next")
        app.until_reports(state__head="2")
        app.click("transport.head.previous")
        app.until_reports(state__head="1")

    def test_hover_previews_a_head_and_click_pins_it(self):
        app = self.start()
        app.go_to("products")
        app.click("stage.result[20,30]")
        app.away()
        first = app.reports()["arithmetic.shown"]
        app.point("heads.3")
        preview = app.reports()
        self.assertNotEqual(preview["arithmetic.shown"], first)
        self.assertEqual(preview["state.head"], "1")
        app.away()
        self.assertEqual(app.reports()["arithmetic.shown"], first)
        app.click("heads.3")
        app.until_reports(state__head="3", state__head_pinned="yes")
        app.away()
        self.assertEqual(app.reports()["arithmetic.shown"], preview["arithmetic.shown"])

    def test_a_second_click_lets_go_of_a_head(self):
        app = self.start()
        app.click("heads.2")
        app.until_reports(state__head="2", state__head_pinned="yes")
        time.sleep(1)  # a slow click is no double click, even when nothing happened in between
        app.click("heads.2")
        app.until_reports(state__head_pinned="no")
        self.assertEqual(app.reports()["state.solo"], "no")

    def test_escape_lets_go_of_a_head_at_last(self):
        app = self.start()
        app.key("2")
        app.until_reports(state__head="2", state__head_pinned="yes")
        app.key("Escape", "Escape", "Escape")  # the cell, the patch, the head
        app.until_reports(state__token="", state__col="", state__head_pinned="no")

    def test_double_click_shows_a_head_alone(self):
        app = self.start()
        app.click("heads.4", times=2)
        app.until_reports(state__solo="yes", state__head="4", state__head_pinned="yes")
        names = app.settled()["names"]
        self.assertIn("heads.4", names)
        self.assertNotIn("heads.1", names)
        app.click("heads.4", times=2)
        app.until_reports(state__solo="no")
        self.assertIn("heads.1", app.settled()["names"])


if __name__ == "__main__":
    main()
