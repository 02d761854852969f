"""Cross-attention: learned queries that read a picture, and queries and values of a file."""

from harness import IMAGES, SOURCE, WindowTest, main

FILE = SOURCE / "tests" / "golden" / "layers" / "keras_cross.input.safetensors"
OF_KEYS = ["patches", "position", "key_value"]
OF_QUERIES = ["queries", "qkv", "heads", "products", "scale", "softmax", "mix", "concat", "project",
              "skip"]


def lit(report, kind="lit"):
    start = kind + "."
    return {name[len(start):]: value for name, value in report["reports"].items()
            if name.startswith(start)}


class Cross(WindowTest):
    def queries(self):
        app = self.start(IMAGES / "cat.jpg")
        app.click("input")
        app.click("input.queries")
        app.until(lambda r: r["reports"]["field.queries"] == "8" and not r["busy"], "the queries")
        return app

    def patch(self, app, row, col):
        return str(row * round(app.settled()["names"]["image.patches"]["cells"][3]) + col)

    def test_queries_are_chosen_beside_the_picture_and_taken_back(self):
        app = self.queries()
        self.assertIn("image.token.7", app.settled()["names"])
        self.assertNotIn("image.token.8", app.read()["names"])
        self.assertNotIn("image.reading", app.read()["names"])
        app.key("ctrl+z")
        app.until(lambda r: r["reports"]["field.queries"] == "none" and not r["busy"], "undone")
        app.key("ctrl+y")
        app.until(lambda r: r["reports"]["field.queries"] == "8" and not r["busy"], "redone")
        app.click("input")
        app.click("input.image")
        app.until(lambda r: r["reports"]["field.queries"] == "none" and not r["busy"], "the image")

    def test_a_hovered_patch_is_a_key_in_every_matrix_and_a_query_stays(self):
        app = self.queries()
        app.click("image.token.3")
        app.go_to("products")
        app.point("image.patches[2,5]")
        report = app.settled()
        patch = self.patch(app, 2, 5)
        rows = lit(report)
        self.assertEqual(rows["image.patches"], patch)
        for step in OF_KEYS:
            self.assertEqual(rows[f"ribbon.{step}.matrix"], patch, step)
        for step in OF_QUERIES:
            self.assertEqual(rows[f"ribbon.{step}.matrix"], "3", step)
        self.assertEqual(rows["stage.left"], "3")
        self.assertEqual(lit(report, "lit_col")["stage.result"], patch)
        self.assertEqual(lit(report, "lit_col")["stage.top"], patch)

    def test_a_clicked_patch_and_a_clicked_query_make_a_cell(self):
        app = self.queries()
        for step in ("products", "scale", "softmax"):
            app.go_to(step)
            app.click("image.token.6")
            app.click("image.patches[3,4]")
            app.away()
            reports = app.reports()
            self.assertEqual(reports["arithmetic.row"], "6", step)
            self.assertEqual(reports["arithmetic.col"], self.patch(app, 3, 4), step)
            self.assertEqual(reports["arithmetic.agrees"], "true", step)

    def test_every_step_explains_a_cell_under_the_pointer(self):
        app = self.queries()
        for step in OF_KEYS + OF_QUERIES:
            app.go_to(step)
            app.point("stage.result[4,2]")
            reports = app.reports()
            self.assertEqual(reports["arithmetic.row"], "4", step)
            self.assertEqual(reports["arithmetic.agrees"], "true", step)
            self.assertEqual(reports["notice"], "", step)

    def test_the_other_screens_say_what_they_show(self):
        app = self.queries()
        app.key("ctrl+3")
        app.until(lambda r: "heads.instead" in r["reports"], "the maps")
        app.key("ctrl+4")
        app.until(lambda r: "positions.patch" in r["reports"] and not r["busy"], "the positions")
        app.key("ctrl+2")
        app.settled()

    def test_a_file_of_query_and_value_is_walked(self):
        app = self.start(IMAGES / "cat.jpg")
        app.browse()
        app.enter_path(FILE)
        report = app.until(lambda r: "tokens.sample" in r["reports"] and not r["busy"], "the file")
        self.assertEqual(report["reports"]["tokens.sample"], "sample 1 of 2")
        for step in ["given", "queries", "qkv", "key_value", "heads", "softmax", "skip"]:
            app.go_to(step)
            app.point("stage.result[2,1]")
            self.assertEqual(app.reports()["arithmetic.agrees"], "true", step)


if __name__ == "__main__":
    main()
