"""Where a patch is, as the model is told it: the screen of positions."""

from harness import IMAGES, WindowTest, main


class Positions(WindowTest):
    def start_layer(self):
        """A bare layer: its positions are the sinusoidal ones."""
        app = self.start(IMAGES / "shapes.png")
        app.key("ctrl+3")
        app.until(lambda r: "positions.patch" in r["reports"], "the positions")
        return app

    def start_model(self, family):
        app = super().start_model(family)
        app.key("ctrl+3")
        app.until(lambda r: "positions.patch" in r["reports"], "the positions")
        return app

    def claims(self, app):
        return {name[len("positions.claim."):]: value
                for name, value in app.settled()["reports"].items()
                if name.startswith("positions.claim.")}

    def test_sinusoids_keep_what_is_promised_but_know_no_rows(self):
        claims = self.claims(self.start_layer())
        self.assertEqual(claims.pop("above as near as beside"), "fails")
        self.assertEqual(set(claims.values()), {"holds"})

    def test_a_hand_is_turned_to_another_patch_and_undo_turns_it_back(self):
        app = self.start_layer()
        before = app.settled()["reports"]["positions.patch"]
        app.drag("positions.hand.0", -20, 0)
        app.away()
        app.until(lambda r: r["reports"]["positions.patch"] != before, "another patch")
        app.key("ctrl+z")
        app.until_reports(positions__patch=before)

    def test_waves_are_left_out(self):
        app = self.start_layer()
        before = app.settled()["reports"]["positions.offset.1"]
        app.drag("field.fast_waves_off", 40, 0)
        app.until(lambda r: r["reports"]["field.fast_waves_off"] != "0", "fewer waves")
        app.until(lambda r: float(r["reports"]["positions.offset.1"]) > float(before),
                  "neighbours that are more alike")
        app.key("ctrl+z")
        app.until_reports(positions__offset__1=before)

    def test_places_are_read_off_the_stream(self):
        app = self.start_model("timm_registers")
        found = app.until(lambda r: "positions.readout.row" in r["reports"], "the readout")
        self.assertLessEqual(float(found["reports"]["positions.readout.row"]), 1)

    def test_a_learned_table_honestly_fails(self):
        claims = self.claims(self.start_model("timm_registers"))
        self.assertEqual(claims["every row distinct"], "holds")
        self.assertEqual(claims["next is this one turned"], "fails")
        self.assertEqual(claims["depends on the offset alone"], "fails")

    def test_a_relative_bias_is_set_seen_and_undone(self):
        app = self.start_layer()
        app.click("positions.kind.relative")
        app.until(lambda r: "positions.bias.right" in r["reports"], "the bias")
        app.until_reports(field__positions="relative", busy="no")
        claims = self.claims(app)
        self.assertEqual(claims["depends on the offset alone"], "holds")
        self.assertEqual(claims["falls with the distance"], "fails")
        drawn = app.settled()["reports"]["positions.bias.right"]
        app.click("positions.bias.head.3")
        app.until(lambda r: r["reports"]["positions.bias.right"] != drawn, "another head")
        app.key("Prior")
        app.key("Prior")
        app.until_reports(positions__bias__right=drawn)
        patch = int(app.settled()["reports"]["positions.patch"])
        app.key("Right")
        app.until_reports(positions__patch=str(patch + 1))
        app.key("ctrl+1")
        app.go_to("relative_bias")
        app.key("ctrl+3")
        app.click("field.position_bias")
        app.until(lambda r: "field.position_bias.distance" in r["names"], "the menu")
        app.click("field.position_bias.distance")
        app.until(lambda r: r["reports"].get("positions.claim.falls with the distance") == "holds",
                  "a bias that falls")
        self.assertAlmostEqual(float(app.settled()["reports"]["positions.bias.right"]), -0.25,
                               places=5)
        app.key("ctrl+z")
        app.until(lambda r: r["reports"].get("positions.claim.falls with the distance") == "fails",
                  "the drawn one")

    def test_a_beit_shows_its_own_bias(self):
        app = self.start_model("beit")
        app.until(lambda r: "positions.bias.right" in r["reports"], "the bias")
        claims = self.claims(app)
        self.assertEqual(claims["depends on the offset alone"], "holds")
        self.assertEqual(claims["for larger grids too"], "fails")
        app.click("positions.kind.none")
        app.until(lambda r: r["reports"].get("positions.none") == "yes", "no positions")
        app.key("ctrl+z")
        app.until(lambda r: "positions.bias.right" in r["reports"], "the bias again")

    def test_what_is_added_is_held_against_what_is_there(self):
        app = self.start_layer()
        app.click("positions.plot.added")
        found = app.until(lambda r: "positions.added.along" in r["reports"], "the angles")
        self.assertLess(0, float(found["reports"]["positions.added.along"]))
        self.assertLess(float(found["reports"]["positions.added.along"]), 1)
        self.assertAlmostEqual(float(found["reports"]["positions.added.apart"]), 90, places=3)
        app.click("positions.kind.none")
        app.until(lambda r: "positions.added.along" not in r["reports"], "nothing added")
        app.key("ctrl+z")
        app.until(lambda r: "positions.added.along" in r["reports"], "the angles again")

    def test_places_are_read_off_scenes_and_stopped(self):
        app = self.start_layer()
        app.until(lambda r: r["reports"].get("positions.readout.tested") == "0", "the picture's")
        app.click("positions.plot.scenes")
        app.until_reports(field__readout_scenes="32")
        found = app.until(lambda r: r["reports"].get("positions.readout.tested") == "16", "scenes")
        self.assertGreater(float(found["reports"]["positions.readout.row"]), 0.2)
        app.click("positions.plot.picture")
        app.until(lambda r: r["reports"].get("positions.readout.tested") == "0", "the picture's")

    def test_a_rotation_is_measured_on_the_present_head(self):
        app = self.start_model("dinov3")
        claims = self.claims(app)
        self.assertEqual(claims["next is this one turned"], "holds")
        self.assertEqual(claims["depends on the offset alone"], "holds")
        self.assertLess(float(app.settled()["reports"]["positions.rotation.spread"]), 1e-5)
        app.click("positions.kind.none")
        app.until(lambda r: r["reports"].get("positions.none") == "yes", "no positions")
        self.assertNotIn("positions.rotation.spread", app.settled()["reports"])
        app.key("ctrl+z")
        app.until(lambda r: "positions.rotation.spread" in r["reports"], "the rotation again")

    def test_the_hands_of_a_query_turn_by_row_and_by_column(self):
        app = self.start_model("dinov3")
        app.key("Right")
        patch = int(app.settled()["reports"]["positions.patch"])
        app.key("ctrl+1")
        app.go_to("rotary")
        reports = app.settled()["reports"]
        for pair, place in ((0, patch // 6), (4, patch % 6)):  # the fastest of both
            turn = 360 * (2 * (place + 0.5) / 6 - 1) / 0.9
            off = (float(reports[f"rotate.angle.{pair}"]) - turn + 180) % 360 - 180
            self.assertAlmostEqual(off, 0, delta=0.01)

    def test_another_kind_is_a_click_away_and_undone(self):
        app = self.start_layer()
        app.click("positions.kind.sincos_2d")
        app.until_reports(field__positions="sincos_2d", busy="no")
        app.until(lambda r: r["reports"].get("positions.claim.above as near as beside") == "holds",
                  "the other table")
        app.key("ctrl+z")
        app.until(lambda r: r["reports"].get("positions.claim.above as near as beside") == "fails",
                  "the table before")

    def test_a_patch_is_hovered_on_the_sheet_and_dragged_along_the_waves(self):
        app = self.start_layer()
        app.click("positions.table[7,300]")  # columns are narrower than pixels
        app.until_reports(positions__patch="7")
        channel = app.settled()["reports"]["positions.channel"]
        self.assertAlmostEqual(int(channel), 300, delta=3)
        app.point("positions.cosines[20,5]")
        app.until_reports(positions__patch="20")
        app.away()
        app.until_reports(positions__patch="7", positions__channel=channel)
        app.drag("positions.waves", 60, 0)
        app.away()
        app.until(lambda r: r["reports"]["positions.patch"] not in ("7", "20"), "another patch")

    def test_keys_go_from_patch_to_patch_and_from_channel_to_channel(self):
        app = self.start_layer()
        app.click("positions.table[7,300]")
        app.away()
        app.until_reports(positions__patch="7")
        channel = int(app.settled()["reports"]["positions.channel"])
        app.key("Right")
        app.until_reports(positions__patch="8")
        app.key("Next")
        app.until_reports(positions__channel=str(channel + 1))

    def test_without_positions_a_shuffle_is_not_noticed(self):
        app = self.start_model("timm_registers")
        app.click("positions.shuffle")
        app.until(lambda r: "positions.order.without" in r["reports"], "both runs")
        reports = app.settled()["reports"]
        self.assertEqual(reports["positions.order.without"], "same")
        self.assertEqual(reports["positions.order.with"], "other")

    def test_there_is_a_way_from_the_walk_and_back(self):
        app = self.start_layer()
        app.click("positions.walk")
        app.until_reports(field__screen="walk", state__step="position")
        app.click("positions.see")
        app.until_reports(field__screen="positions")


if __name__ == "__main__":
    main()
