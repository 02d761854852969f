"""All heads of the current result compared with the baseline's, and swapping the two."""

import shutil

from harness import IMAGES, SOURCE, WindowTest, main

FAMILIES = SOURCE / "tests" / "golden" / "families"


class HeadsKept(WindowTest):
    def start_model(self, family="timm_registers", image="shapes.png"):
        app = super().start_model(family, image)
        app.key("ctrl+3")
        app.until(lambda r: "heads.maps" in r["reports"], "the maps")
        return app

    def open(self, app, path):
        app.browse()
        app.enter_path(path)
        app.until_reports(panel="nothing", busy="no")

    def start_with_before(self):
        """shapes.png is the baseline, cat.jpg is current."""
        app = self.start_model()
        app.click("compare.pin")
        app.until_reports(state__pinned="yes")
        self.open(app, IMAGES / "cat.jpg")
        app.until(lambda r: r["reports"]["state.image"].endswith("cat.jpg"), "the other picture")
        return app

    def test_two_pictures_stand_side_by_side_and_as_a_difference(self):
        app = self.start_with_before()
        self.assertNotIn("heads.other", app.settled()["names"])
        app.click("compare.difference")
        app.away()
        found = app.until(lambda r: "heads.other" in r["names"]
                          and "heads.difference" in r["names"], "before, now and between")
        left, middle, right = (found["names"][n]["rect"][0]
                               for n in ("heads.other", "heads.large", "heads.difference"))
        self.assertLess(left, middle)
        self.assertLess(middle, right)
        chosen = found["reports"]["heads.variation"]
        self.assertGreater(float(chosen), 0)
        self.assertLessEqual(float(chosen), 1)
        self.assertLessEqual(abs(float(found["reports"]["heads.correlation"])), 1)
        # The numbers belong to the head under the pointer, and are the same after swapping.
        app.point("heads.map.2.3")
        other = app.until(lambda r: r["reports"]["heads.variation"] != chosen, "another head")
        app.click("compare.before")
        app.away()
        app.until_reports(state__compare="before", heads__variation=chosen)
        names = app.settled()["names"]
        self.assertLess(names["heads.large"]["rect"][0], names["heads.other"]["rect"][0])
        app.point("heads.map.2.3")
        app.until_reports(heads__variation=other["reports"]["heads.variation"])
        app.click("compare.unpin")
        app.away()
        app.until(lambda r: "heads.other" not in r["names"], "one result alone")

    def test_a_patch_is_asked_for_on_either_picture(self):
        app = self.start_with_before()
        app.click("compare.difference")
        app.until(lambda r: "heads.other" in r["names"], "both")
        app.click("heads.other[0,0]")
        app.away()
        app.until_reports(heads__query="token 3")
        app.click("heads.difference[1,1]")
        app.away()
        found = app.until(lambda r: r["reports"]["heads.query"] != "token 3", "another patch")
        self.assertEqual(found["reports"]["lit.heads.other"], found["reports"]["lit.heads.large"])

    def test_heads_are_sorted_by_how_far_they_have_changed(self):
        app = self.start_model()
        app.click("heads.order")
        self.assertNotIn("heads.order.by change from the baseline", app.settled()["names"])
        app.key("Escape")
        app.key("p")
        app.until_reports(state__pinned="yes")
        app.xdotool("keydown", "ctrl")
        app.click("heads.map.1.2")  # switched off: the second layer reads other tokens
        app.xdotool("keyup", "ctrl")
        app.until_reports(state__switched_off="1.2", busy="no")
        app.click("heads.order")
        app.click("heads.order.by change from the baseline")
        app.until_reports(field__heads_order="change")
        app.click("compare.difference")
        app.away()
        app.until(lambda r: "heads.variation" in r["reports"], "the numbers")
        names = app.settled()["names"]
        maps = sorted((n for n in names if n.startswith("heads.map.")),
                      key=lambda n: (names[n]["rect"][1], names[n]["rect"][0]))
        self.assertTrue(all(n.startswith("heads.map.2.") for n in maps[:3]), maps)
        numbers = []
        for name in maps:
            app.point(name)
            numbers.append(float(app.reports()["heads.variation"]))
        self.assertEqual(numbers, sorted(numbers, reverse=True))
        self.assertGreater(numbers[2], 0)
        self.assertEqual(numbers[3:], [0, 0, 0])

    def open_model(self, app, family):
        folder = self.folder / "models" / family
        folder.mkdir(parents=True)
        for name in ("model.safetensors", "config.json"):
            shutil.copy(FAMILIES / f"{family}.{name}", folder / name)
        self.open(app, folder / "model.safetensors")

    def test_two_models_are_compared_where_their_patches_are_as_many(self):
        app = self.start_with_before()
        self.open_model(app, "dino")  # 4 by 4 patches too
        app.click("compare.difference")
        app.away()
        found = app.until(lambda r: "heads.difference" in r["names"], "the difference")
        self.assertIn("heads.other", found["names"])
        self.assertNotIn("There is no difference", found["reports"].get("heads.apart", ""))
        self.open_model(app, "dinov2")
        found = app.until(lambda r: "heads.apart" in r["reports"], "the sentence")
        self.assertRegex(found["reports"]["heads.apart"],
                         r"^There is no difference map, because this result has (\d+) × \1 patches "
                         r"and the baseline has 4 × 4\.$")
        found = app.until(lambda r: "heads.other" in r["names"], "the maps side by side")
        self.assertNotIn("heads.difference", found["names"])

    def test_v_exchanges_now_and_before_on_every_screen(self):
        app = self.start_with_before()
        app.key("v")
        app.until(lambda r: r["reports"]["state.image"].endswith("shapes.png"), "the kept picture")
        app.until_reports(state__pinned="yes", busy="no")
        app.key("ctrl+2")
        app.until_reports(field__screen="walk")
        app.key("v")
        app.until(lambda r: r["reports"]["state.image"].endswith("cat.jpg"), "the other one again")
        app.key("ctrl+z")
        app.until(lambda r: r["reports"]["state.image"].endswith("shapes.png"), "undone")
        app.reveal("compare.swap")
        app.click("compare.swap")
        app.until(lambda r: r["reports"]["state.image"].endswith("cat.jpg"), "by mouse")

    def test_v_without_a_kept_result_exchanges_queries_or_says_how_to_keep_one(self):
        app = self.start_model()
        app.key("v")
        app.until(lambda r: "Save one first (P)" in r["reports"].get("notice", ""), "the words")
        app.click("heads.token.class token")
        app.away()
        app.until_reports(heads__query="class token")
        app.point("heads.large[0,0]")
        app.key("q")
        app.away()
        app.until_reports(heads__queries="class token, token 3")
        lens = app.reports()["heads.lens.1"]
        app.key("v")
        app.until_reports(heads__queries="token 3, class token")
        turned = app.until(lambda r: r["reports"]["heads.lens.1"] != lens, "the patch's answer")
        # Hovering a query shows its cards at the right.
        app.point("heads.query.2")
        app.until_reports(heads__query="class token", heads__lens__1=lens)
        app.away()
        app.until_reports(heads__lens__1=turned["reports"]["heads.lens.1"])

    def test_the_means_of_two_layers_are_held_against_each_other(self):
        app = self.start_model()
        app.click("heads.combined")
        app.click("heads.combined.and the mean")
        app.until(lambda r: "heads.combined.6" in r["names"], "the combinations")
        app.click("heads.combined.1")  # chooses the first layer
        app.until_reports(field__layer="1", busy="no")
        app.point("heads.combined.2")
        first = app.reports()["heads.correlation"]
        app.click("heads.combined.2")
        app.until_reports(field__layer="2", busy="no")
        app.point("heads.combined.1")
        # Swapped, it is the same pair.
        app.until_reports(heads__correlation=first)

    def test_a_session_that_is_restored_can_be_patched(self):
        app = self.start_with_before()
        app.click("heads.order")
        self.assertIn("heads.order.by patching", app.settled()["names"])
        app.key("Escape")
        self.assertEqual(app.quit(), 0)
        # Without the file's name this would be another experiment, without a result that was kept.
        app = self.start("--session", self.folder / "state" / "headlight" / "session.json")
        app.until_reports(state__pinned="yes", busy="no")
        app.click("heads.order")
        app.click("heads.order.by patching")
        app.until(lambda r: "heads.number.patched from the baseline" in r["reports"], "the effects")


if __name__ == "__main__":
    main()
