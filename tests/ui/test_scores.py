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

    # ---- one row of the softmax to play with

    def start_bench(self):
        app = self.start()
        app.go_to("softmax")
        app.click("softmax.bench")
        app.until(lambda r: "bench.scores" in r["names"], "the bench")
        return app

    def test_a_score_is_dragged_on_the_softmax_bench_and_given_back(self):
        app = self.start_bench()
        app.point("bench.scores[0,5]")
        before = app.until_reports(bench__key="5")
        self.assertEqual(before["bench.changed"], "no")
        app.drag("bench.scores[0,5]", 0, -60)
        app.until_reports(bench__changed="yes")
        app.point("bench.hard[0,5]")
        after = app.until_reports(bench__key="5")
        self.assertGreater(float(after["bench.score"]), float(before["bench.score"]))
        self.assertGreater(float(after["bench.weight"]), float(before["bench.weight"]))
        app.click("bench.reset")
        app.until_reports(bench__changed="no")
        app.point("bench.scores[0,5]")
        app.until_reports(bench__key="5", bench__weight=before["bench.weight"])

    def test_the_temperature_of_the_bench_is_of_one_row_alone(self):
        app = self.start_bench()
        before = app.settled()["reports"]
        app.drag("bench.temperature", -60, 0)
        after = app.until(lambda r: r["reports"]["field.bench_temperature"] != "1", "a colder row")["reports"]
        self.assertLess(float(after["field.bench_temperature"]), 1)
        self.assertLess(float(after["bench.entropy"]), float(before["bench.entropy"]))
        self.assertEqual(after["bench.largest"], before["bench.largest"])
        self.assertEqual(after["field.temperature"], "1")
        app.click("bench.close")
        app.until(lambda r: "bench.scores" not in r["names"] and "stage.left" in r["names"], "all rows")
        app.key("ctrl+z")
        app.until(lambda r: "bench.scores" in r["names"], "the bench again")


if __name__ == "__main__":
    main()
