"""Masks painted with the mouse: cells of a matrix, and patches of the picture."""

from harness import WindowTest, main


class Painting(WindowTest):
    def start_painting(self):
        app = self.start()
        app.reveal("field.mask.blocked")
        app.click("field.mask.blocked")
        app.go_to("scale")
        return app

    def drag_cells(self, app, start, end):
        x, y = app.place(start)
        to_x, to_y = app.place(end)
        app.drag(start, to_x - x, to_y - y)

    def test_a_stroke_over_cells_blocks_them_and_one_undo_frees_them(self):
        app = self.start_painting()
        self.drag_cells(app, "stage.result[20,10]", "stage.result[20,60]")
        mask = app.until(lambda r: r["reports"]["field.mask"].startswith("blocked 100x100 "),
                         "a painted mask")["reports"]["field.mask"]
        self.assertIn("10", mask)
        self.assertIn("60", mask)
        app.until(lambda r: "ribbon.mask" in r["names"], "the mask's step")
        self.assertEqual(app.reports()["state.step"], "scale")  # nothing was pinned or walked to
        app.key("ctrl+z")
        app.until_reports(field__mask="none")

    def test_a_stroke_that_begins_on_a_blocked_cell_frees(self):
        app = self.start_painting()
        self.drag_cells(app, "stage.result[20,10]", "stage.result[20,60]")
        painted = app.until(lambda r: not r["busy"] and r["reports"]["field.mask"] != "none",
                            "a painted mask")["reports"]["field.mask"]
        self.drag_cells(app, "stage.result[20,30]", "stage.result[20,80]")
        freed = app.until(lambda r: r["reports"]["field.mask"] != painted, "other cells")
        self.assertTrue(freed["reports"]["field.mask"].startswith("blocked 100x100 "))
        app.click("field.mask.blocked.reset")
        app.until_reports(field__mask="none")

    def test_patches_of_the_picture_are_hidden_from_everybody(self):
        app = self.start_painting()
        self.drag_cells(app, "image.patches[2,3]", "image.patches[2,5]")
        app.until_reports(field__mask="keys 23 24 25", busy="no")
        app.click("image.patches[2,4]")  # free again
        app.until_reports(field__mask="keys 23 25", busy="no")
        app.key("ctrl+z", "ctrl+z")
        app.until_reports(field__mask="none")

    def test_without_the_brush_a_click_pins(self):
        app = self.start()
        app.go_to("scale")
        app.click("stage.result[20,30]")
        said = app.until_reports(state__token="20", state__col="30")
        self.assertEqual(said["field.mask"], "none")


if __name__ == "__main__":
    main()
