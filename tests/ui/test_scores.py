"""Where a layer makes its scores: all score functions side by side, and what 1/√d is for."""

from harness import WindowTest, main

SCORES = ["scaled_dot", "dot", "cosine", "general", "additive", "location"]


class Scores(WindowTest):
    def test_one_of_six_is_chosen_by_a_click_and_taken_back(self):
        app = self.start()
        app.go_to("products")
        app.click("scores.view.all six kinds")
        said = app.until(lambda r: all("scores." + s in r["names"] for s in SCORES), "six maps")
        self.assertNotEqual(said["reports"]["scores.dot"], said["reports"]["scores.scaled_dot"])
        app.click("scores.cosine")
        app.until_reports(field__score="cosine", busy="no")
        app.key("ctrl+z")
        app.until_reports(field__score="usual", busy="no")
        app.click("scores.view.these scores")
        app.until(lambda r: "stage.left" in r["names"], "the product")

    def test_which_view_is_shown_is_a_field_and_can_be_undone(self):
        app = self.start()
        app.go_to("products")
        app.click("scores.view.all six kinds")
        app.until_reports(field__scores_view="all")
        app.click("scores.view.why 1/\u221ad")
        app.until_reports(field__scores_view="widths")
        app.key("ctrl+z")
        app.until_reports(field__scores_view="all")

    def test_without_the_scale_the_gradient_vanishes(self):
        app = self.start()
        app.go_to("products")
        app.click("scores.view.why 1/\u221ad")
        first = app.until(lambda r: "widths.gradient" in r["reports"], "the curves")["reports"]
        plain, scaled = map(float, first["widths.deviation"].split())
        self.assertTrue(25 < plain < 40 and 0.9 < scaled < 1.1, first["widths.deviation"])
        plain, scaled = map(float, first["widths.gradient"].split())
        self.assertLess(plain, scaled)
        app.click("widths.seed")
        app.until(lambda r: r["reports"]["widths.deviation"] != first["widths.deviation"], "others")


if __name__ == "__main__":
    main()
