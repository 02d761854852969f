"""The command palette: found by name, run by Enter or a click, and it owns the keyboard while it is open."""

from harness import IMAGES, WindowTest, main


class Palette(WindowTest):
    def open(self, app, by="key"):
        if by == "key":
            app.key("ctrl+k")
        else:
            app.choose("top.menu", "commands")
        app.until_reports(panel="palette")
        app.until(lambda r: "palette.marked" in r["reports"], "the palette")

    def search(self, app, text, marked):
        app.type(text)
        app.until_reports(palette__marked=marked)

    def find(self, app, text, marked):
        self.open(app)
        self.search(app, text, marked)

    def run_marked(self, app, **reports):
        app.key("Return")
        return app.until_reports(panel="nothing", **reports)

    def test_enter_runs_a_command(self):
        app = self.start(IMAGES / "shapes.png")
        self.find(app, "next step", "step next")
        self.run_marked(app, state__step="patches")
        self.find(app, "ligth dark", "toggle theme")
        self.run_marked(app, field__theme="light")
        self.find(app, "undo", "undo")
        self.run_marked(app, field__theme="dark")
        self.find(app, "heads screen maps", "set screen heads")
        self.run_marked(app, field__screen="heads")

    def test_a_field_takes_a_number(self):
        app = self.start(IMAGES / "shapes.png")
        self.find(app, "temprature", "temperature")
        app.key("Return")
        app.until_reports(palette__asks="temperature")
        app.type("999")
        app.until(lambda r: "palette.problem" in r["reports"], "what is wrong")
        app.key("Return")
        self.assertEqual(app.reports()["panel"], "palette")
        app.key("BackSpace", "BackSpace", "BackSpace")
        app.until(lambda r: "palette.problem" not in r["reports"], "nothing wrong")
        self.search(app, "2.5", "typed")
        self.run_marked(app, field__temperature="2.5")
        app.key("ctrl+z")
        app.until_reports(field__temperature="1")

    def test_a_field_lists_its_values(self):
        app = self.start(IMAGES / "shapes.png")
        self.find(app, "signed col", "signed_map")
        app.key("Return")
        app.until_reports(palette__asks="signed_map")
        self.search(app, "virid", "viridis")
        self.run_marked(app, field__signed_map="viridis")
        self.find(app, "signed_map", "signed_map")
        app.key("Return")
        app.until_reports(palette__asks="signed_map")
        self.search(app, "default", "reset")
        self.run_marked(app, field__signed_map="blue-white-red")
        self.find(app, "grid", "borders")
        app.key("Return")
        app.until_reports(palette__asks="borders")
        app.key("Down")
        app.until_reports(palette__marked="false")
        self.run_marked(app, field__borders="false")

    def test_a_field_says_what_it_takes(self):
        app = self.start(IMAGES / "shapes.png")
        for field, expected in (("temperature", "0.05 to 20"), ("nearest_folder", "a folder")):
            self.find(app, field, field)
            app.key("Return")
            said = app.until_reports(palette__asks=field)
            self.assertIn(expected, said["palette.hint"])
            app.key("Escape")
            app.until_reports(panel="nothing")

    def test_a_command_takes_its_arguments(self):
        app = self.start(IMAGES / "shapes.png")
        self.open(app)
        app.type("head")
        app.until(lambda r: "palette.command.head" in r["names"], "the command")
        app.click("palette.command.head")
        app.until_reports(palette__asks="head")
        self.search(app, "3", "typed")
        self.run_marked(app, state__head="3")
        self.open(app)
        app.type("layer")
        app.until(lambda r: "palette.command.layer" in r["names"], "the command")
        app.key("Escape")
        app.until_reports(panel="nothing")

    def test_the_mouse_alone_is_enough(self):
        app = self.start(IMAGES / "shapes.png")
        self.open(app, by="mouse")
        app.click("palette.command.step next")
        app.until_reports(panel="nothing", state__step="patches")
        self.open(app, by="mouse")
        x, y, _, _ = app.rect("palette")
        app.point_at(round(x - 40), round(y + 200))
        app.xdotool("click", 1)
        app.until_reports(panel="nothing")

    def test_it_owns_the_keyboard(self):
        app = self.start(IMAGES / "shapes.png")
        before = app.reports()
        self.open(app)
        app.type("t l . s x 2 ?")
        app.key("Left", "Home", "Tab", "Down", "ctrl+o", "ctrl+1")
        after = app.reports()
        for name, value in before.items():
            if name.startswith(("state.", "field.")):
                self.assertEqual(after[name], value, name)
        self.assertEqual(after["panel"], "palette")
        app.key("Escape")
        app.until_reports(panel="nothing")
        # Text typed together with the shortcut goes to the palette.
        app.xdotool("key", "ctrl+k", "type", "--delay", 0, "--args", 1, "next step", "key", "Return")
        app.until_reports(panel="nothing", state__step="patches")
        self.open(app)
        self.assertEqual(app.reports()["palette.marked"], "step previous", "it begins anew")

    def test_lessons_and_examples_are_found(self):
        app = self.start(IMAGES / "shapes.png")
        self.open(app)
        app.type("causal mask")
        app.until(lambda r: "palette.example.causal-mask" in r["names"], "the example")
        app.click("palette.example.causal-mask")
        app.until(lambda r: r["reports"]["panel"] == "nothing" and
                  "causal" in r["reports"]["field.mask"], "the example")
        self.open(app)
        app.type("lesson softmax")
        app.until(lambda r: r["reports"]["palette.count"] != "0", "lessons")
        lesson = next(n for n in app.settled()["names"] if n.startswith("palette.lesson."))
        app.click(lesson)
        app.until(lambda r: "lesson.stop" in r["reports"] and r["reports"]["panel"] == "nothing", "the lesson")


if __name__ == "__main__":
    main()
