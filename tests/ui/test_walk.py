"""Going through the steps: keys, ribbon, buttons, the clicker and playing."""

import json
import re

from harness import IMAGES, SOURCE, STEPS, WindowTest, main


class Walk(WindowTest):
    def test_arrows_go_through_all_steps_and_every_number_agrees(self):
        app = self.start()
        for step in STEPS[1:]:
            app.key("Right")
            app.until_reports(state__step=step)
            app.point("stage.result[40,7]")
            reports = app.until_reports(arithmetic__row="40")
            self.assertEqual(reports["arithmetic.agrees"], "true", step)
            app.away()
        app.key("Right")
        self.assertEqual(app.reports()["state.step"], STEPS[-1])
        app.key("Left")
        app.until_reports(state__step=STEPS[-2])

    def test_home_and_end(self):
        app = self.start()
        app.key("End")
        app.until_reports(state__step=STEPS[-1])
        app.key("Home")
        app.until_reports(state__step=STEPS[0])
        app.key("Left")
        self.assertEqual(app.reports()["state.step"], STEPS[0])

    def test_each_step_of_the_ribbon_is_a_click_away(self):
        app = self.start()
        for step in reversed(STEPS):
            app.click(f"ribbon.{step}")
            app.until_reports(state__step=step)

    def test_buttons_walk_too(self):
        app = self.start()
        for button, step in (("next", "patches"), ("next", "position"), ("previous", "patches"),
                             ("first", "image")):
            app.click(f"transport.{button}")
            app.until_reports(state__step=step)

    def test_timeline_takes_clicks_and_drags(self):
        app = self.start()
        x, y, w, h = app.rect("transport.timeline")
        app.point_at(int(x + w * 5.5 / len(STEPS)), int(y + h / 2))
        app.xdotool("click", 1)
        app.until_reports(state__step=STEPS[5])
        app.drag("transport.timeline", round(2.5 * w / len(STEPS)), 0)  # from the middle, 6
        self.assertEqual(app.reports()["state.step"], STEPS[8])

    def test_clicker_rests_within_softmax(self):
        app = self.start()
        app.go_to("scale")
        seen = []
        for _ in range(4):
            app.key("Next")
            report = app.settled()
            seen.append((report["reports"]["state.step"], round(report["phase"], 3)))
        self.assertEqual(seen, [("softmax", 0.333), ("softmax", 0.667), ("softmax", 1),
                                ("mix", 1)])
        app.key("Prior", "Prior")
        report = app.settled()
        self.assertEqual((report["reports"]["state.step"], round(report["phase"], 3)),
                         ("softmax", 0.667))

    def test_space_plays_and_pauses(self):
        app = self.start()
        app.key("space")
        app.until(lambda r: r["reports"]["playing"] == "yes", "playing")
        app.key("space")
        app.until_reports(playing="no")
        phase = app.settled()["phase"]
        self.assertEqual(app.settled()["phase"], phase)  # it stands still

    def test_playing_goes_on_to_the_last_step_and_stops(self):
        app = self.start()
        app.click("transport.speed")
        app.click("transport.speed.4 ×")
        app.until_reports(field__speed="4")
        app.go_to("concat")
        app.click("transport.play")
        app.until_reports(playing="yes")
        app.until_reports(playing="no", state__step=STEPS[-1])
        self.assertEqual(app.settled()["phase"], 1)

    def test_a_bar_of_the_arithmetic_lights_its_two_factors(self):
        app = self.start()
        app.go_to("products")
        app.click("stage.result[20,30]")
        app.away()
        app.point("arithmetic.bars[0,3]")
        said = app.until(lambda r: "factor.stage.left" in r["reports"] and "factor.stage.top" in r["reports"],
                         "both factors")["reports"]
        row, col = said["arithmetic.row"], said["arithmetic.col"]
        self.assertEqual((said["factor.stage.left"], said["factor.stage.top"]), (f"{row} 3", f"{col} 3"))
        app.away()
        app.until(lambda r: "factor.stage.left" not in r["reports"], "no factor")

    def test_operands_move_to_where_the_next_step_uses_them_and_come_to_rest(self):
        session = self.folder / "state" / "headlight" / "session.json"
        session.parent.mkdir(parents=True)
        session.write_text(json.dumps({"look": {"screen": "walk", "speed": 0.3}}))
        app = self.start(IMAGES / "cat.jpg")
        app.go_to("products")
        app.until_reports(stage__moving="0")
        app.key("Right")
        app.until(lambda r: r["reports"].get("stage.moving", "0") != "0", "operands that move")
        app.until_reports(stage__moving="0")
        app.key("space")  # as part of the motion they stand still with it
        app.until(lambda r: r["reports"]["state.step"] == "softmax" and r["reports"]["stage.moving"] != "0",
                  "operands that move while it plays")
        app.key("space")
        app.until_reports(playing="no")
        self.assertNotEqual(app.settled()["reports"]["stage.moving"], "0")

    def test_one_cell_is_followed_from_the_pixel_to_the_end_with_a_sentence_each(self):
        session = self.folder / "state" / "headlight" / "session.json"
        session.parent.mkdir(parents=True)
        session.write_text(json.dumps({"look": {"screen": "walk", "follow_cell": True}}))
        app = self.start(IMAGES / "cat.jpg")
        sentences = [app.settled()["reports"]["follow.sentence"]]
        for step in STEPS[1:]:
            app.key("Right")
            said = app.until(lambda r: r["reports"]["state.step"] == step and
                             r["reports"]["follow.sentence"] != sentences[-1], step)["reports"]
            sentences.append(said["follow.sentence"])
            self.assertEqual(said["arithmetic.agrees"], "true", step)
            if step == "softmax":
                self.assertIn("of its attention", said["follow.sentence"])
                continue
            shown = float(said["arithmetic.shown"])
            numbers = [float(n.replace("\u2212", "-")) for n in
                       re.findall(r"[-\u2212]?\d+(?:\.\d+)?(?:e[-+]?\d+)?", said["follow.sentence"])]
            self.assertTrue(any(abs(n - shown) <= 6e-4 * max(1, abs(shown)) for n in numbers),
                            (step, shown, said["follow.sentence"]))

    def test_the_drawing_of_a_decoder_has_the_encoders_output(self):
        models = SOURCE / "assets" / "lessons" / "12-models"
        session = self.folder / "state" / "headlight" / "session.json"
        session.parent.mkdir(parents=True)
        session.write_text(json.dumps({"look": {"screen": "walk", "stage_view": "schematic"}}))
        app = self.start("--model", models / "decoder-layer.safetensors",
                         models / "translation.safetensors")
        app.until(lambda r: "schematic.layer.2" in r["names"], "both attentions")
        app.click("schematic.layer.2")
        app.until_reports(field__layer="2")
        app.click("schematic.layer.1")
        app.until_reports(field__layer="1")

    def test_the_speed_list_follows_one_cell(self):
        app = self.start()
        app.click("transport.speed")
        app.click("transport.speed.follow one cell")
        app.until_reports(field__follow_cell="true", field__motion="true")
        self.assertTrue(app.settled()["reports"]["follow.sentence"])
        app.click("transport.speed")
        app.click("transport.speed.2 ×")
        app.until_reports(field__follow_cell="false", field__speed="2")

    def test_without_motion_playing_still_walks(self):
        app = self.start()
        app.click("transport.speed")
        app.click("transport.speed.no motion")
        app.until_reports(field__motion="false")
        app.key("space")
        app.until_reports(state__step="patches")
        app.key("space")
        app.until_reports(playing="no")


if __name__ == "__main__":
    main()
