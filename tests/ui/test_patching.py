"""Patching of tokens and layers from the baseline, and nearest tokens of models without classes, on
the Heads screen."""

from harness import IMAGES, WindowTest, main


class Patching(WindowTest):
    def start_model(self, family):
        app = super().start_model(family)
        app.key("ctrl+3")
        app.until(lambda r: "heads.maps" in r["reports"], "the maps")
        return app

    def start_with_before(self, family="timm_registers"):
        app = self.start_model(family)
        app.key("p")
        app.until_reports(state__pinned="yes")
        app.browse()
        app.enter_path(IMAGES / "cat.jpg")
        app.until_reports(panel="nothing", busy="no")
        app.until(lambda r: r["reports"]["state.image"].endswith("cat.jpg"), "the other picture")
        app.click("heads.order")
        app.click("heads.order.by patching")
        app.until(lambda r: "heads.number.patched from the baseline" in r["reports"], "the effects")
        return app

    def test_tokens_are_taken_from_before_at_every_layer(self):
        app = self.start_with_before()
        app.click("heads.patched.what.tokens")
        app.until_reports(field__heads_patched="tokens")
        app.until_reports(**{"heads.patched.steps": "3 of 3"})
        self.assertNotIn("heads.map.1.1", app.settled()["names"])
        for step in range(3):
            self.assertIn(f"heads.patched.{step}", app.settled()["names"])
        # After the last layer only the class token is used: it brings the baseline's answer.
        app.click("heads.patched.2.token.0")
        app.until_reports(field__layer="2", busy="no", heads__query="class token")
        found = app.until(lambda r: "heads.patched.token" in r["reports"], "the number")["reports"]
        way = float(found["heads.patched.before"]) - float(found["heads.patched.now"])
        self.assertGreater(abs(way), 1e-4)
        self.assertAlmostEqual(float(found["heads.patched.token"]), way, delta=2e-6)
        # A patch is not used there any more; after the previous layer it matters. The tooltip gives
        # a patch's effect, and a click makes it the query.
        app.point("heads.patched.2[0,0]")
        said = app.until(lambda r: r["reports"].get("tooltip", "").startswith("token 3 "), "its tip")
        self.assertEqual(said["reports"]["heads.query"], "class token")
        app.click("heads.patched.2[0,0]")
        app.until_reports(heads__query="token 3", busy="no")
        self.assertAlmostEqual(float(app.reports()["heads.patched.token"]), 0, delta=2e-6)
        app.click("heads.patched.1[1,1]")
        app.away()
        after = app.until_reports(field__layer="1", busy="no")
        self.assertTrue(after["heads.query"].startswith("token"))
        self.assertNotEqual(float(after["heads.patched.token"]), 0)
        self.assertEqual(after["heads.patched.steps"], "3 of 3")  # not computed anew

    def test_layers_are_taken_from_before(self):
        app = self.start_with_before()
        app.click("heads.patched.what.layers")
        app.until_reports(field__heads_patched="layers")
        found = app.until(lambda r: "heads.patched.layer.2" in r["reports"], "the bars")["reports"]
        self.assertNotEqual(float(found["heads.patched.layer.1"]), 0)
        app.click("heads.patched.layer.2")
        app.until_reports(field__layer="2", busy="no")
        app.click("heads.patched.what.heads")
        app.until(lambda r: "heads.map.1.1" in r["names"], "the maps")
        app.key("ctrl+z")
        app.until_reports(field__heads_patched="layers")

    def test_without_a_kept_result_there_is_nothing_to_take(self):
        app = self.start_model("timm_registers")
        app.click("heads.order")
        names = app.settled()["names"]
        self.assertIn("heads.order.by importance", names)
        self.assertNotIn("heads.order.by patching", names)

    def test_without_classes_the_nearest_tokens_stand_in_the_lens_place(self):
        app = self.start_model("dino")
        reports = app.reports()
        self.assertNotIn("heads.lens.1", reports)
        self.assertRegex(reports["heads.nearest.1"], r"^(token \d+|class token) -?\d\.\d{6}$")
        first = [float(reports[f"heads.nearest.{k}"].split()[-1]) for k in (1, 2, 3)]
        self.assertEqual(first, sorted(first, reverse=True))
        self.assertEqual(len(reports["heads.nearest.others"].split()), 3)
        # Never the query itself.
        app.click("heads.large[0,0]")
        app.until_reports(heads__query="token 1")
        app.away()
        nearest = app.reports()["heads.nearest.1"]
        self.assertFalse(nearest.startswith("token 1 "), nearest)


if __name__ == "__main__":
    main()
