"""The grid of all heads' maps: zooming, scrolling, ordering, filtering, opening and measuring."""

from harness import IMAGES, SOURCE, WindowTest, main
from vit_file import write_vit

SCENES = f"size 1600 1000\nopen-model {SOURCE}/assets/models/scenes\nscene 2000000049\n"


class Maps(WindowTest):
    def start_model(self, family="timm_registers", image="shapes.png"):
        app = super().start_model(family, image)
        app.key("ctrl+3")
        app.until(lambda r: "heads.maps" in r["reports"], "the maps")
        return app

    def choose(self, app, control, option):
        app.click(f"heads.{control}")
        app.click(f"heads.{control}.{option}")

    def zoom(self, app, place, clicks):
        app.point(place)
        app.xdotool("keydown", "ctrl")
        app.wheel(clicks)
        app.xdotool("keyup", "ctrl")

    # ---- zoom and pan

    def test_ctrl_and_the_wheel_zoom_around_the_pointer_and_escape_shows_all(self):
        app = self.start_model()
        before = app.rect("heads.map.2.2")
        x, y = app.place("heads.map.2.2")
        self.zoom(app, "heads.map.2.2", 3)
        app.until(lambda r: float(r["reports"]["heads.zoom"]) > 1.9, "three steps")
        after = app.rect("heads.map.2.2")
        self.assertGreater(after[2], before[2] * 1.8)
        self.assertLess(abs(after[0] + after[2] / 2 - x), before[2] * 0.25)
        self.assertTrue(after[1] < y < after[1] + after[3])
        # The wheel alone scrolls a grid larger than its area.
        pan = app.reports()["heads.pan"]
        app.wheel(1)
        app.until(lambda r: r["reports"]["heads.pan"] != pan, "the scrolled maps")
        self.assertEqual(app.rect("heads.map.2.2")[2], after[2])
        app.key("Escape")
        app.until_reports(heads__zoom="1.00")
        self.assertEqual(app.rect("heads.map.2.2"), before)

    def test_a_drag_moves_the_maps_and_chooses_none(self):
        app = self.start_model()
        self.zoom(app, "heads.map.2.2", 3)
        app.until(lambda r: float(r["reports"]["heads.zoom"]) > 1.9, "three steps")
        said = app.reports()
        x = app.rect("heads.map.2.2")[0]
        app.drag("heads.map.2.2", -60, 0)
        app.until(lambda r: r["reports"]["heads.pan"] != said["heads.pan"], "the moved maps")
        self.assertAlmostEqual(app.rect("heads.map.2.2")[0], x - 60, delta=8)
        self.assertEqual(app.reports()["field.layer"], said["field.layer"])
        app.click("heads.zoom.all")
        app.until_reports(heads__zoom="1.00")
        app.click("heads.map.2.2")
        app.until_reports(field__layer="2", state__head="2")

    def test_keys_zoom_too(self):
        app = self.start_model()
        app.key("plus")
        app.until_reports(heads__zoom="1.25")
        app.key("minus")
        app.until_reports(heads__zoom="1.00")

    # ---- to Walk and back

    def test_a_double_click_opens_the_attention_and_escape_comes_back(self):
        app = self.start_model()
        app.click("heads.large[0,1]")
        app.until_reports(heads__query="token 4")
        app.click("heads.map.2.3", 2)
        app.until_reports(field__screen="walk", state__step="softmax", state__head="3",
                          field__layer="2")
        app.key("Escape")
        app.until_reports(field__screen="heads", busy="no")
        app.away()
        app.until_reports(heads__query="token 4", state__head="3")

    # ---- orders and filters

    def test_importance_has_its_sign(self):
        app = self.start_model()
        self.choose(app, "order", "by importance")
        app.until(lambda r: "heads.number.switched off" in r["reports"], "the effects")
        signs = set()
        for layer in (1, 2):
            for head in (1, 2, 3):
                app.point(f"heads.map.{layer}.{head}")
                found = app.reports()
                change = found["heads.number.switched off"]
                signs.add(change[0])
                self.assertTrue(found["heads.order.number"].endswith("changes by " + change),
                                found["heads.order.number"])
        self.assertIn("-", signs)
        self.assertIn("below zero", app.reports()["heads.key"])

    def test_an_order_that_cannot_be_is_by_layer_in_every_part(self):
        app = self.start_model()
        app.key("p")
        app.until_reports(state__pinned="yes")
        app.browse()
        app.enter_path(IMAGES / "cat.jpg")
        app.until_reports(panel="nothing", busy="no")
        app.until(lambda r: r["reports"]["state.image"].endswith("cat.jpg"), "the other picture")
        self.choose(app, "order", "by patching")
        app.until(lambda r: "heads.number.patched from the baseline" in r["reports"], "the effects")
        app.key("ctrl+z")
        app.until_reports(field__heads_order="layer")
        names = app.settled()["names"]
        there = {name: place["rect"] for name, place in names.items()
                 if name.startswith("heads.map.") or name == "heads.combined"}
        app.key("ctrl+y")
        app.until_reports(field__heads_order="patching")
        app.key("ctrl+2")
        app.until_reports(field__screen="walk", busy="no")
        app.reveal("compare.unpin")
        app.click("compare.unpin")
        app.until_reports(state__pinned="no")
        app.key("ctrl+3")
        names = app.until(lambda r: there.keys() <= r["names"].keys(), "rows and columns")["names"]
        for name, rect in there.items():
            self.assertEqual(names[name]["rect"], rect, name)
        self.assertIn("entropy", app.reports()["heads.key"])

    def test_heads_below_a_bound_are_left_out(self):
        app = self.start_model()
        self.choose(app, "filter", "at least")
        app.until_reports(field__heads_filter="least")
        key = app.reports()["heads.key"]
        self.assertRegex(key, r"^3 of 6 heads: entropy ≥ ")
        # By layer, filtered heads are dimmed; in other orders there are no gaps.
        self.assertIn("heads.map.1.1", app.settled()["names"])
        self.choose(app, "order", "by entropy")
        app.until_reports(field__heads_order="entropy")
        maps = [n for n in app.settled()["names"] if n.startswith("heads.map.")]
        self.assertEqual(len(maps), 3)
        self.choose(app, "filter.by", "by neighbors")
        app.until(lambda r: "share on neighbors" in r["reports"].get("heads.key", ""), "another")
        app.key("ctrl+z")  # the number and its bound, at once
        app.until_reports(field__heads_filter_by="entropy", field__heads_filter="least")
        self.assertEqual(app.settled()["reports"]["heads.key"].split(" · ")[0], key.split(" · ")[0])
        self.choose(app, "filter", "all heads")
        app.until_reports(field__heads_filter="all")
        maps = [n for n in app.settled()["names"] if n.startswith("heads.map.")]
        self.assertEqual(len(maps), 6)

    def test_the_largest_cells_are_cut(self):
        app = self.start_model()
        app.click("heads.cut.text")
        app.key("ctrl+a")
        app.type("5")
        app.key("Return")
        app.until_reports(field__attention_cut="5")

    def test_models_without_classes_are_ordered_by_how_far_their_output_turns(self):
        app = self.start_model("dino")
        self.choose(app, "order", "by importance")
        app.until(lambda r: "heads.number.switched off" in r["reports"], "the turns")
        self.assertRegex(app.reports()["heads.number.switched off"], r"^1 − cos \d")
        self.assertIn("1 − cosine", app.reports()["heads.order.number"])

    # ---- keys

    def test_x_switches_the_head_under_the_pointer_off(self):
        app = self.start_model()
        app.point("heads.map.1.2")
        app.key("x")
        app.until_reports(state__switched_off="1.2", busy="no")
        app.key("x")
        app.until_reports(state__switched_off="", busy="no")

    def test_tab_goes_through_the_choices_and_enter_opens_one(self):
        app = self.start_model()
        app.key("Tab")
        first = app.until(lambda r: r["reports"].get("stop", "").startswith("heads."), "a mark")
        app.key("Tab")
        app.until(lambda r: r["reports"].get("stop") != first["reports"]["stop"], "the next")
        app.key("Return")
        app.until_reports(field__screen="heads", field__reading="by")
        app.key("Escape")
        app.until(lambda r: "stop" not in r["reports"], "no mark")

    def test_help_says_what_the_keys_mean_here(self):
        keys = "show help\nwait\nclick help.page.keys\nwait\nprint-texts\n"
        texts = self.play(SCENES + "set screen heads\n" + keys).stdout
        self.assertIn("KEYS ON HEADS", texts)
        self.assertNotIn("First step", texts)
        texts = self.play(SCENES + "set screen walk\n" + keys).stdout
        self.assertIn("First step", texts)

    # ---- slow measurements

    def test_measuring_ends_where_nobody_asks_for_it(self):
        model = write_vit(self.folder / "vit", width=192, layers=12, heads=12, classes=10,
                          deviation=0.08)
        app = self.start(IMAGES / "shapes.png", model)
        app.key("ctrl+3")
        app.until(lambda r: "heads.maps" in r["reports"], "the maps")
        for end in "order", "screen", "stop":
            self.choose(app, "order", "by importance")
            app.until(lambda r: "heads.stop" in r["names"], "the measuring")
            if end == "order":
                self.choose(app, "order", "by layer")
            elif end == "screen":
                app.key("ctrl+2")
                app.until_reports(field__screen="walk", busy="no")
                app.key("ctrl+3")
                app.until(lambda r: "heads.stop" in r["names"], "it begins again")
                self.choose(app, "order", "by layer")
            else:
                app.click("heads.stop")
            app.until(lambda r: "heads.stop" not in r["names"], "no more measuring")
            self.assertEqual(app.reports()["field.heads_order"], "layer")
            self.assertNotIn("heads.number.switched off", app.reports())

    # ---- many heads

    def test_every_map_of_many_heads_is_named_in_another_order(self):
        model = write_vit(self.folder / "vit", width=64, layers=24, heads=16, patch=32, grid=7,
                          classes=10, deviation=0.08)
        app = self.start(IMAGES / "shapes.png", model)
        app.key("ctrl+3")
        app.until(lambda r: "heads.maps" in r["reports"], "the maps")
        self.assertEqual(app.reports()["heads.maps"], "384")
        self.choose(app, "order", "by entropy")
        app.until_reports(field__heads_order="entropy")
        maps = [place["rect"] for name, place in app.settled()["names"].items()
                if name.startswith("heads.map.")]
        self.assertGreater(min(rect[2] for rect in maps), 43)
        app.point("heads.map.1.1" if "heads.map.1.1" in app.settled()["names"]
                  else next(n for n in app.settled()["names"] if n.startswith("heads.map.")))
        pan = app.reports()["heads.pan"]
        app.wheel(-3)
        app.until(lambda r: r["reports"]["heads.pan"] != pan, "the maps below")
        self.choose(app, "order", "in groups")
        app.until(lambda r: "heads in" in r["reports"].get("heads.key", ""), "the groups")
        self.assertRegex(app.reports()["heads.key"], r"^384 heads in \d+ groups?")


if __name__ == "__main__":
    main()
