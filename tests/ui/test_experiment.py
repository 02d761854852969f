"""Changing the layer: sliders, fields, choices; undo and redo; comparing with a pinned result."""

from harness import SOURCE, STEPS, WindowTest, main


class Experiment(WindowTest):
    def start(self, *arguments, drawers=True, **options):
        return super().start(*arguments, drawers=drawers, **options)

    def shown(self, app):
        """The displayed value of one attention cell."""
        app.point("stage.result[20,30]")
        said = app.reports()
        self.assertEqual((said["arithmetic.row"], said["arithmetic.col"]), ("20", "30"))
        self.assertEqual(said["arithmetic.agrees"], "true")
        return said["arithmetic.shown"]

    def enter(self, app, field, text):
        """Types into the field of a value."""
        app.reveal(f"field.{field}.text")
        app.click(f"field.{field}.text")
        app.settled()
        app.key("ctrl+a")
        app.type(text)
        app.key("Return")

    def choose(self, app, field, choice):
        app.reveal(f"field.{field}")
        app.click(f"field.{field}")
        app.click(f"field.{field}.{choice}")
        app.until_reports(**{f"field__{field}": choice})

    def test_a_slider_changes_the_numbers_and_undo_takes_it_back(self):
        app = self.start()
        app.go_to("softmax")
        before = self.shown(app)
        app.reveal("field.temperature")
        app.drag("field.temperature", -60, 0)
        cold = app.reports()["field.temperature"]
        self.assertLess(float(cold), 0.8)
        after = self.shown(app)
        self.assertNotEqual(after, before)
        # One drag is one change, however many values it passes.
        for key, temperature, shown in (("ctrl+z", "1", before), ("ctrl+shift+z", cold, after),
                                        ("ctrl+z", "1", before), ("ctrl+y", cold, after)):
            app.key(key)
            self.assertEqual(app.reports()["field.temperature"], temperature, key)
            self.assertEqual(self.shown(app), shown, key)

    def test_undo_goes_back_change_by_change(self):
        app = self.start()
        for temperature in ("2", "0.5"):
            self.enter(app, "temperature", temperature)
            app.until_reports(field__temperature=temperature)
        for temperature in ("2", "1"):
            app.key("ctrl+z")
            self.assertEqual(app.reports()["field.temperature"], temperature)
        app.key("ctrl+z")
        said = app.until(lambda r: r["reports"]["notice"], "a notice")["reports"]
        self.assert_one_sentence(said["notice"], "nothing to undo")

    def test_transparency_is_dropped_or_laid_on_a_color(self):
        pictures = SOURCE / "tests" / "golden" / "images"
        app = self.start(pictures / "rgba.png")
        app.go_to("image")
        app.until_reports(stage__transparency="transparency dropped")
        self.choose(app, "alpha", "white")
        app.until_reports(stage__transparency="transparency on white")
        app.key("ctrl+z")
        app.until_reports(stage__transparency="transparency dropped")
        app.browse()
        app.enter_path(pictures / "rgb.png")
        app.until_reports(stage__transparency="")
        names = app.settled()["names"]
        self.assertIn("field.framing", names)
        self.assertNotIn("field.alpha", names)

    def test_typing_is_not_mistaken_for_commands(self):
        app = self.start()
        before = app.reports()
        self.enter(app, "temperature", "2")
        said = app.until_reports(field__temperature="2")
        for name in ("state.step", "state.head", "field.theme", "playing"):
            self.assertEqual(said[name], before[name])

    def test_a_value_out_of_range_is_refused(self):
        app = self.start()
        self.enter(app, "temperature", "-3")
        said = app.until(lambda r: r["reports"]["notice"], "a notice")["reports"]
        self.assert_one_sentence(said["notice"], "temperature", "0.05", "20", "-3")
        self.assertEqual(said["field.temperature"], "1")

    def test_choices_and_toggles(self):
        app = self.start()
        app.go_to("position")
        before = app.reports()["numbers.range"]
        self.choose(app, "positions", "none")
        self.assertNotEqual(app.reports()["numbers.range"], before)
        app.reveal("field.bias")
        for value in ("true", "false"):
            app.click("field.bias")
            app.until_reports(field__bias=value)

    def test_heads_that_do_not_divide_the_channels(self):
        app = self.start()
        app.go_to("softmax")
        before = self.shown(app)
        self.enter(app, "channels", "62")
        said = app.until(lambda r: r["reports"]["notice"], "a notice")["reports"]
        self.assert_one_sentence(said["notice"], "62", "4", "heads")
        self.assertEqual(self.shown(app), before)  # the last good layer stays
        self.enter(app, "heads", "2")
        app.until_reports(notice="", field__channels="62", field__heads="2")
        self.assertNotIn("heads.3", app.settled()["names"])

    def test_comparing_with_a_pinned_result(self):
        app = self.start()
        app.go_to("softmax")
        old = self.shown(app)
        app.key("p")
        app.until_reports(state__pinned="yes")
        self.enter(app, "temperature", "3")
        app.until_reports(field__temperature="3")
        new = self.shown(app)
        self.assertNotEqual(new, old)
        app.reveal("compare.before")
        app.click("compare.before")
        app.until_reports(state__compare="before")
        self.assertEqual(self.shown(app), old)
        app.reveal("compare.difference")
        app.click("compare.difference")
        said = app.until_reports(state__compare="difference")
        self.assertNotIn("arithmetic.shown", said)  # a difference has no operands
        app.reveal("compare.after")
        app.click("compare.after")
        app.until_reports(state__compare="after")
        self.assertEqual(self.shown(app), new)
        app.reveal("compare.unpin")
        app.click("compare.unpin")
        app.until_reports(state__pinned="no")

    def test_a_pinned_result_of_another_shape(self):
        app = self.start()
        app.go_to("softmax")
        old = self.shown(app)
        app.key("p")
        self.enter(app, "patch_size", "32")  # 25 tokens instead of 100
        app.until_reports(field__patch_size="32", busy="no")
        app.reveal("compare.before")
        app.click("compare.before")
        app.until_reports(state__compare="before")
        self.assertEqual(app.read()["names"]["stage.result"]["cells"], [0, 0, 100, 100])
        self.assertEqual(self.shown(app), old)
        app.reveal("compare.difference")
        app.click("compare.difference")
        app.until_reports(state__compare="difference")
        report = app.settled()
        self.assertNotIn("stage.result", report["names"])  # there is none, so none is shown
        self.assertNotIn("numbers.range", report["reports"])

    def test_a_difference_of_heads(self):
        app = self.start()
        app.go_to("qkv")
        app.key("p")
        self.enter(app, "seed", "1")
        app.until_reports(field__seed="1", busy="no")
        app.reveal("compare.difference")
        app.click("compare.difference")
        app.until_reports(state__compare="difference")
        whole = app.settled()["reports"]["numbers.range"]
        app.go_to("heads")  # the first head begins where [Q K V] does, but is no more than its part
        part = app.settled()
        self.assertEqual(part["names"]["stage.result"]["cells"], [0, 0, 100, 16])
        self.assertNotEqual(part["reports"]["numbers.range"], whole)

    def test_a_menu_by_keyboard(self):
        app = self.start()
        for keys, skip in ((("Escape",), "model"), (("Up", "Return"), "none"),
                           (("Down", "Down", "Return"), "input")):
            app.reveal("field.skip")
            app.click("field.skip")
            app.until(lambda r: "field.skip.none" in r["names"], "the menu")
            app.key(*keys)
            app.until(lambda r: "field.skip.none" not in r["names"], "the menu to close")
            app.until_reports(field__skip=skip, state__head="1", state__step="image")

    def test_what_was_changed_is_said_and_can_be_taken_back(self):
        app = self.start()
        app.go_to("softmax")
        before = self.shown(app)
        self.assertEqual(app.reports()["changed"], "")
        self.enter(app, "temperature", "0.312")
        self.choose(app, "positions", "none")
        words = "changed: temperature 0.312, positions none"
        app.until_reports(changed=words)
        for name in STEPS:  # wherever one looks
            app.go_to(name)
            self.assertEqual(app.reports()["changed"], words)
        app.key("F11")
        app.until_reports(field__lecture="true", changed=words)
        self.assertIn("changed.reset", app.settled()["names"])
        app.key("F11")
        app.until_reports(field__lecture="false")
        app.click("changed.what")  # one of them
        app.click("changed.what.positions")
        app.until_reports(changed="changed: temperature 0.312")
        app.quit()
        app = self.start()  # and after a start that remembers it
        app.until_reports(changed="changed: temperature 0.312")
        app.click("changed.reset")
        app.until_reports(changed="", field__temperature="1")
        app.go_to("softmax")
        self.assertEqual(self.shown(app), before)

    def test_what_is_folded_stays_folded(self):
        app = self.start()
        app.go_to("softmax")
        for name, before, after in (("numbers", "open", "folded"), ("mask", "folded", "open"),
                                    ("look", "folded", "open")):
            app.until_reports(**{f"section__{name}": before})
            app.reveal(f"section.{name}")
            app.click(f"section.{name}")
            app.until_reports(**{f"section__{name}": after})
        self.assertNotIn("inspector.histogram", app.settled()["names"])
        app.quit()
        app = self.start()
        app.until_reports(section__numbers="folded", section__mask="open", section__look="open")

    def test_of_the_result_from_before_it_is_said_whose_settings_are_shown(self):
        app = self.start()
        app.go_to("softmax")
        app.key("p")
        app.until_reports(state__pinned="yes")
        self.enter(app, "temperature", "3")
        app.until_reports(field__temperature="3")
        self.assertNotIn("compare.settings", app.reports())
        app.reveal("compare.before")
        app.click("compare.before")
        said = app.until(lambda r: r["reports"].get("compare.settings"), "the words")["reports"]
        self.assertIn("“after”", said["compare.settings"])

    def test_the_drawers_are_in_sight(self):
        """Without scrolling, as they are first met."""
        app = self.start(drawers=False)
        for name in STEPS:
            app.go_to(name)
            names = app.settled()["names"]
            bottom = names["transport.timeline"]["rect"][1]
            for widget in ("section.experiment", "section.numbers"):
                x, y, w, h = names[widget]["rect"]
                self.assertLess(y + h, bottom, f"{widget} at {name}")

    def test_the_right_column_is_reached_by_keys(self):
        app = self.start()
        app.go_to("softmax")
        app.away()

        def tab_to(name):
            seen = []
            while app.reports().get("stop") != name:
                before = app.reports().get("stop")
                self.assertNotIn(before, seen, f"there is no way to {name}")
                seen.append(before)
                app.key("Tab")
                app.until(lambda r: r["reports"].get("stop") != before, "the next stop")

        tab_to("field.temperature.text")
        app.key("Return")
        app.settled()
        app.key("ctrl+a")
        app.type("3")
        app.key("Return")
        app.until_reports(field__temperature="3")
        tab_to("section.mask")
        app.key("Return")
        app.until_reports(section__mask="open")
        tab_to("field.mask.causal")
        app.key("Return")
        said = app.until(lambda r: r["reports"]["field.mask"] != "none", "a mask")["reports"]
        self.assertEqual(said["state.head"], "1")
        tab_to("section.numbers")
        app.key("Return")
        app.until_reports(section__numbers="folded")
        token = app.reports()["state.token"]
        app.key("Escape")  # leaves the column, and lets go of nothing
        app.until(lambda r: "stop" not in r["reports"], "the column to be left")
        self.assertEqual(app.reports()["state.token"], token)


if __name__ == "__main__":
    main()
