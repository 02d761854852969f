"""The topmost element has the keyboard; a resting pointer has no effect."""

import string

from harness import IMAGES, WindowTest, main

EVERYTHING = [*string.ascii_lowercase, *string.digits, "period", "bracketleft", "bracketright",
              "plus", "minus", "space", "Left", "Right", "Up", "Down", "Home", "End", "Prior", "Next",
              "Tab", "Delete", "F1", "F11", "question"]
WITH_CTRL = ["ctrl+z", "ctrl+y", "ctrl+shift+z", "ctrl+c", "ctrl+a", "ctrl+shift+c", "ctrl+n",
             "ctrl+o", "ctrl+1", "ctrl+2", "ctrl+3", "ctrl+4", "ctrl+5"]


def chosen(report):
    """The whole selection, and the value of every field."""
    return {name: value for name, value in report["reports"].items()
            if name.startswith(("state.", "field."))}


class Keyboard(WindowTest):
    def start_heads(self):
        app = self.start_model("timm_registers")
        app.key("ctrl+3")
        app.until(lambda r: "heads.maps" in r["reports"], "the maps")
        return app

    def assert_keeps_the_keys(self, app, keys, panel="nothing"):
        """None of these keys changes anything; after Escape, they work again."""
        before = chosen(app.settled())
        app.key(*keys)
        after = app.settled()
        self.assertEqual(chosen(after), before)
        self.assertEqual(after["reports"]["panel"], panel)
        self.assertEqual(after["reports"]["notice"], "")
        app.key("Escape")
        app.until_reports(panel="nothing")
        self.assertEqual(chosen(app.settled()), before)
        app.key("t")
        app.until(lambda r: r["reports"]["field.theme"] != before["field.theme"], "the theme")
        app.key("t")
        app.until(lambda r: r["reports"]["field.theme"] == before["field.theme"], "the theme again")

    def test_panels_keep_all_keys(self):
        app = self.start(IMAGES / "shapes.png")
        app.away()
        for key, panel in (("question", "help"), ("m", "model"), ("f", "figure"), ("e", "examples"),
                           ("ctrl+o", "files"), ("ctrl+k", "palette")):
            with self.subTest(panel):
                app.key(key)
                app.until_reports(panel=panel)
                self.assert_keeps_the_keys(app, EVERYTHING + WITH_CTRL, panel)

    def test_what_is_typed_at_once_is_the_panels_too(self):
        app = self.start(IMAGES / "shapes.png")
        before = chosen(app.settled())
        for key in ("ctrl+o", "question", "m", "f"):
            app.xdotool("key", key, "type", "--delay", 0, "--args", 1, "astronaut 2 cats", "key",
                        "Escape")
            app.until_reports(panel="nothing")
            self.assertEqual(chosen(app.settled()), before, key)

    def test_a_field_of_the_figure_keeps_the_keys(self):
        app = self.start_heads()
        app.key("f")
        app.until(lambda r: "field.figure_resolution.text" in r["names"], "the fields")
        app.click("field.figure_resolution.text")
        before = chosen(app.settled())
        app.type("lsxe")
        self.assertEqual(chosen(app.settled()), before)
        app.key("Escape")
        app.until_reports(panel="nothing")
        self.assertEqual(chosen(app.settled()), before)

    def test_a_list_keeps_all_keys(self):
        app = self.start_heads()
        app.click("heads.order")
        app.until(lambda r: "heads.order.by entropy" in r["names"], "the list")
        self.assert_keeps_the_keys(app, [k for k in EVERYTHING if k not in ("Up", "Down")] + WITH_CTRL)
        self.assertNotIn("heads.order.by entropy", app.settled()["names"])

    def test_a_shapes_card_keeps_all_keys(self):
        app = self.start(IMAGES / "shapes.png")
        app.key("s")
        app.until(lambda r: "scene.shape.1" in r["names"] and not r["busy"], "the scene")
        app.click("scene.shape.1", times=2)
        app.until(lambda r: "shape.card" in r["names"], "the card")
        own = ("Left", "Right", "Delete")
        self.assert_keeps_the_keys(app, [k for k in EVERYTHING if k not in own] + WITH_CTRL)
        self.assertNotIn("shape.card", app.settled()["names"])

    # ---- what a lecture needs

    def test_spotlight_and_black_screen_are_for_lectures(self):
        app = self.start()
        before = chosen(app.settled())
        app.key("l", "period")
        report = app.settled()
        self.assertEqual(chosen(report), before)
        self.assertEqual(report["reports"]["panel"], "nothing")

    def test_escape_and_a_click_end_them_and_the_screen_says_so(self):
        app = self.start()
        app.key("F11")
        app.until_reports(field__lecture="true")
        for end in (lambda: app.key("Escape"), lambda: app.xdotool("click", 1)):
            app.key("l")
            app.point("stage")
            app.until_reports(pointer_light="on", way_out="Esc ends this")
            end()
            app.until_reports(field__pointer_light="false")
            self.assertNotIn("pointer_light", app.reports())
            app.key("period")
            app.until_reports(panel="blank", way_out="Esc ends this")
            end()
            app.until_reports(panel="nothing")

    # ---- the pointer at rest

    def test_no_tip_comes_up_under_a_resting_pointer(self):
        app = self.start()
        play = app.place("transport.play")
        app.key("question")
        app.until_reports(panel="help")
        app.point_at(*play)
        app.key("Escape")
        app.until_reports(panel="nothing")
        self.assertNotIn("tooltip", app.until(lambda r: not r["busy"], "rest")["reports"])
        x, y = app.pointer
        app.point_at(x + 2, y)
        app.until(lambda r: "tooltip" in r["reports"], "its tip")


if __name__ == "__main__":
    main()
