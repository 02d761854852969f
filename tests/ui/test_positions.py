"""The Positions screen: how the model gets position information."""

from harness import IMAGES, SOURCE, WindowTest, main


class Positions(WindowTest):
    def start_layer(self):
        """A bare layer, whose positions are sinusoidal."""
        app = self.start(IMAGES / "shapes.png")
        app.key("ctrl+4")
        app.until(lambda r: "positions.patch" in r["reports"], "the positions")
        return app

    def start_model(self, family):
        app = super().start_model(family)
        app.key("ctrl+4")
        app.until(lambda r: "positions.patch" in r["reports"], "the positions")
        return app

    def claims(self, app):
        app.turn("properties")
        app.until(lambda r: any(name.startswith("positions.claim.") for name in r["reports"]), "the claims")
        return {name[len("positions.claim."):]: value
                for name, value in app.settled()["reports"].items()
                if name.startswith("positions.claim.")}

    def test_sinusoids_keep_what_is_promised_but_know_no_rows(self):
        claims = self.claims(self.start_layer())
        self.assertEqual(claims.pop("same down and across"), "fails")
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
        app.turn("properties")
        before = app.settled()["reports"]["positions.offset.1"]
        app.drag("field.fast_waves_off", 40, 0)
        app.until(lambda r: r["reports"]["field.fast_waves_off"] != "0", "fewer waves")
        app.turn("properties")
        app.until(lambda r: float(r["reports"]["positions.offset.1"]) > float(before),
                  "neighbors that are more alike")
        app.key("ctrl+z", "ctrl+z")  # the page, and the waves
        app.until_reports(field__fast_waves_off="0")
        app.turn("properties")
        app.until_reports(positions__offset__1=before)

    def slide(self, app, name, by):
        """A drag in two parts, which one undo reverts."""
        app.rect(name)  # opens the drawer
        before = app.settled()["reports"][name]
        app.drag(name, by, 0)
        app.until(lambda r: r["reports"].get(name, before) != before, "what it was slid to")
        app.key("ctrl+z")
        app.until_reports(**{name.replace(".", "__"): before})
        app.key("ctrl+y")
        app.until(lambda r: r["reports"].get(name, before) != before and not r["busy"], "the same again")
        return app.settled()["reports"]

    def test_the_length_of_the_table_is_slid(self):
        app = self.start_layer()
        app.rect("positions.length")  # opens the drawer
        before = app.settled()["reports"]
        after = self.slide(app, "positions.length", 60)
        self.assertGreater(int(after["positions.length"]), int(before["positions.length"]))
        self.assertEqual(after["positions.width"], before["positions.width"])
        rows, cols = app.settled()["names"]["positions.table"]["cells"][2:]
        self.assertEqual((rows, cols), (int(after["positions.length"]),
                                        int(after["positions.width"])))
        self.assertEqual(after["field.patch_size"], before["field.patch_size"])

    def test_the_width_of_the_table_is_slid_by_the_size_of_the_patches(self):
        app = self.start_layer()
        app.rect("positions.width")  # opens the drawer
        before = app.settled()["reports"]
        after = self.slide(app, "positions.width", -30)
        self.assertEqual(after["positions.length"], before["positions.length"])
        self.assertEqual(int(after["positions.width"]), 3 * int(after["field.patch_size"]) ** 2)
        app.click("positions.kind.sincos_2d")
        app.until_reports(field__positions="sincos_2d", busy="no")
        for by in (-25, -13, 8, 21):
            app.drag("positions.width", by, 0)
            self.assertEqual(int(app.settled()["reports"]["positions.width"]) % 4, 0)
            self.assertEqual(app.settled()["reports"]["notice"], "")

    def test_the_width_of_a_rotation_is_that_of_a_head(self):
        app = self.start_layer()
        app.click("positions.kind.rotary")
        app.until_reports(field__positions="rotary", busy="no")
        after = self.slide(app, "positions.width", 40)
        self.assertEqual(int(after["positions.width"]), int(after["field.channels"]) // 4)
        self.assertEqual(int(after["positions.width"]) % 4, 0)

    def test_a_models_table_is_resampled_and_has_its_width(self):
        app = self.start_model("timm_registers")
        before = app.settled()["reports"]
        self.assertNotIn("positions.width", before)
        app.rect("positions.length")  # opens the drawer
        before = app.settled()["reports"]
        after = self.slide(app, "positions.length", 30)
        self.assertGreater(int(after["positions.length"]), int(before["positions.length"]))
        self.assertEqual(after["notice"], "")

    def test_what_windows_decide_has_no_slider(self):
        app = self.start_model("swin")
        self.assertNotIn("positions.length", app.settled()["reports"])

    def test_channels_are_scrubbed_through(self):
        app = self.start_layer()
        before = app.settled()["reports"]["positions.channel"]
        app.drag("field.position_channel", 20, 0)
        found = app.until(lambda r: r["reports"]["positions.channel"] != before, "another channel")
        self.assertGreater(int(found["reports"]["positions.channel"]), 100)
        app.key("ctrl+z")
        app.until_reports(positions__channel=before)

    def test_the_rows_waves_come_first_as_in_moco_v3(self):
        app = self.start_layer()
        app.click("positions.kind.sincos_2d")
        app.until_reports(field__positions="sincos_2d", busy="no")
        app.click("field.position_first")
        app.until(lambda r: "field.position_first.rows" in r["names"], "the menu")
        app.click("field.position_first.rows")
        app.until_reports(field__position_first="rows", busy="no")
        app.key("ctrl+z")
        app.until_reports(field__position_first="columns")

    def test_places_are_read_off_the_stream(self):
        app = self.start_model("timm_registers")
        app.turn("properties")
        found = app.until(lambda r: "positions.readout.row" in r["reports"], "the readout")
        self.assertLessEqual(float(found["reports"]["positions.readout.row"]), 1)

    def test_a_learned_table_honestly_fails(self):
        claims = self.claims(self.start_model("timm_registers"))
        self.assertEqual(claims["every row distinct"], "holds")
        self.assertEqual(claims["next = this one rotated"], "fails")
        self.assertEqual(claims["depends only on the offset"], "fails")

    def test_a_relative_bias_is_set_seen_and_undone(self):
        app = self.start_layer()
        app.click("positions.kind.relative")
        app.until(lambda r: "positions.bias.right" in r["reports"], "the bias")
        app.until_reports(field__positions="relative", busy="no")
        claims = self.claims(app)
        self.assertEqual(claims["depends only on the offset"], "holds")
        self.assertEqual(claims["falls with the distance"], "fails")
        app.turn("table")
        drawn = app.settled()["reports"]["positions.bias.right"]
        app.click("positions.bias.head.3")
        app.until(lambda r: r["reports"]["positions.bias.right"] != drawn, "another head")
        app.key("Prior")
        app.key("Prior")
        app.until_reports(positions__bias__right=drawn)
        patch = int(app.settled()["reports"]["positions.patch"])
        app.key("Right")
        app.until_reports(positions__patch=str(patch + 1))
        app.key("ctrl+2")
        app.go_to("relative_bias")
        app.key("ctrl+4")
        app.click("field.position_bias")
        app.until(lambda r: "field.position_bias.distance" in r["names"], "the menu")
        app.click("field.position_bias.distance")
        app.until(lambda r: abs(float(r["reports"].get("positions.bias.right", 0)) + 0.25) < 1e-5, "a slope")
        app.turn("properties")
        app.until(lambda r: r["reports"].get("positions.claim.falls with the distance") == "holds",
                  "a bias that falls")
        app.key("ctrl+z", "ctrl+z")  # the page, and the bias
        app.until_reports(positions__bias__right=drawn)
        app.turn("properties")
        app.until(lambda r: r["reports"].get("positions.claim.falls with the distance") == "fails",
                  "the drawn one")

    def test_a_beit_shows_its_own_bias(self):
        app = self.start_model("beit")
        app.until(lambda r: "positions.bias.right" in r["reports"], "the bias")
        claims = self.claims(app)
        self.assertEqual(claims["depends only on the offset"], "holds")
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
        app.until_reports(field__positions="none", busy="no")
        app.turn("properties")
        self.assertNotIn("positions.added.along", app.reports(), "nothing added")
        app.key("ctrl+z", "ctrl+z")  # the page, and the kind
        app.until_reports(field__positions="model")
        app.turn("properties")
        app.until(lambda r: "positions.added.along" in r["reports"], "the angles again")

    def test_places_are_read_off_scenes_and_stopped(self):
        app = self.start_layer()
        app.turn("properties")
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
        self.assertEqual(claims["next = this one rotated"], "holds")
        self.assertEqual(claims["depends only on the offset"], "holds")
        self.assertLess(float(app.settled()["reports"]["positions.rotation.spread"]), 1e-5)
        app.click("positions.kind.none")
        app.until(lambda r: r["reports"].get("positions.none") == "yes", "no positions")
        app.turn("properties")
        self.assertNotIn("positions.rotation.spread", app.settled()["reports"])
        app.key("ctrl+z", "ctrl+z")  # the page, and the kind
        app.until(lambda r: r["reports"].get("positions.none") != "yes" and not r["busy"], "the rotation")
        app.turn("properties")
        app.until(lambda r: "positions.rotation.spread" in r["reports"], "the rotation again")

    def test_the_hands_of_a_query_turn_by_row_and_by_column(self):
        app = self.start_model("dinov3")
        app.key("Right")
        patch = int(app.settled()["reports"]["positions.patch"])
        app.key("ctrl+2")
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
        app.turn("properties")
        app.until(lambda r: r["reports"].get("positions.claim.same down and across") == "holds",
                  "the other table")
        app.key("ctrl+z", "ctrl+z")  # the page, and the kind
        app.until_reports(field__positions="model", busy="no")
        app.turn("properties")
        app.until(lambda r: r["reports"].get("positions.claim.same down and across") == "fails",
                  "the table before")

    def test_each_click_is_taken_back_by_itself(self):
        app = self.start_layer()
        for kind in ("sincos_2d", "rotary", "none"):
            app.click(f"positions.kind.{kind}")
            app.until_reports(field__positions=kind, busy="no")
        app.key("ctrl+z")
        app.until_reports(field__positions="rotary", positions__kind="rotary")
        app.key("ctrl+z")
        app.until_reports(field__positions="sincos_2d")
        for channel in "12":
            app.click("positions.channel.next")
            app.until_reports(positions__channel=channel)
        app.key("ctrl+z")
        app.until_reports(positions__channel="1")
        app.key("Next")
        app.until_reports(positions__channel="2")
        app.key("Next")
        app.until_reports(positions__channel="3")
        app.key("ctrl+z")
        app.until_reports(positions__channel="2")

    def test_the_base_of_another_kind_is_no_change(self):
        app = self.start_layer()
        app.click("positions.kind.rotary")
        app.until_reports(field__positions="rotary", busy="no")
        self.assertNotIn("base", app.settled()["reports"].get("changed", ""))

    def test_the_rotation_of_an_offset_is_chosen_and_pointed_at(self):
        app = self.start_layer()
        app.click("positions.card.M(k)")
        app.until(lambda r: float(r["reports"].get("positions.turns.residual", 1)) < 1e-4, "M(k)")
        app.until_reports(positions__offset="1,0")
        app.click("positions.offset_down.more")
        app.until_reports(positions__offset="1,1")
        app.click("positions.offset_right.less")
        app.until_reports(positions__offset="0,1")
        app.key("ctrl+z")
        app.until_reports(positions__offset="1,1")
        app.point("positions.cosines[20,23]")
        app.until_reports(positions__offset="3,0")
        app.away()
        app.until_reports(positions__offset="1,1")
        app.click("positions.card.properties")
        app.until(lambda r: "positions.claim.every row distinct" in r["reports"], "the claims")

    def test_all_pairs_are_by_cosine_product_or_distance(self):
        app = self.start_layer()
        app.turn("properties")
        one = float(app.settled()["reports"]["positions.offset.1"])
        self.assertLess(one, 1)
        for measure in ("product", "distance"):  # labels are shorter where there is little room
            app.click(next(name for name in app.settled()["names"]
                           if name.startswith(f"positions.pairs.{measure[:3]}")))
            app.until_reports(field__pair_measure=measure)
        app.until(lambda r: float(r["reports"]["positions.offset.1"]) != one, "distances")
        app.key("ctrl+z")
        app.until(lambda r: float(r["reports"]["positions.offset.1"]) > 2, "products")

    def test_a_kind_that_these_tokens_cannot_have_is_not_said_to_be_there(self):
        """Tokens 25 wide have no 2-D waves: the previous table stays."""
        done = self.play("\n".join([f"open {IMAGES / 'shapes.png'}", "set color grey",
                                    "set patch_size 5", "set image_size 45",
                                    "set screen positions", "wait", "print positions.kind",
                                    "try set positions sincos_2d", "wait",
                                    "print positions.kind", ""]))
        self.assertEqual(done.stdout.count("model"), 2, done.stdout + done.stderr)

    def test_a_model_that_joins_its_tokens_says_where_positions_come_in(self):
        app = self.start_model("t2t")
        app.until(lambda r: r["reports"].get("positions.later") == "yes", "where they come in")
        app.click("positions.layer")
        app.until(lambda r: "positions.later" not in r["reports"], "the layer that has them")

    def test_maes_own_table_keeps_what_its_formula_promises(self):
        app = self.start_model("mae")
        claims = self.claims(app)
        self.assertEqual(claims["next = this one rotated"], "holds")
        self.assertEqual(claims["for larger grids too"], "fails")
        app.turn("table")
        self.assertEqual(app.settled()["reports"]["positions.equals"], "yes")
        app.click("positions.kind.sinusoidal")
        app.until(lambda r: r["reports"].get("positions.untrained") == "yes", "not trained this way")

    def test_escape_lets_go_of_a_patch_at_once(self):
        app = self.start_layer()
        before = app.settled()["reports"]["positions.patch"]
        app.turn("properties")
        app.click("positions.cosines[3,3]")
        app.away()
        app.until_reports(positions__patch="3")
        app.key("Escape")
        app.until_reports(positions__patch=before)

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

    def test_a_table_wider_than_its_place_shows_means_and_gives_away_its_numbers(self):
        app = self.start_layer()
        reports = app.settled()["reports"]
        patches, channels = map(int, reports["positions.table.means"].split())
        rect, cells = (app.settled()["names"]["positions.table"][part] for part in ("rect", "cells"))
        self.assertEqual((patches, cells[3]), (1, 768))
        self.assertGreaterEqual(rect[2] * channels, 768)
        self.assertGreater(channels, 1)
        app.point("positions.table[7,301]")
        app.until_reports(positions__patch="7", positions__channel=str(301 // channels * channels))

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

    def order(self, app):
        app.turn("order")
        return app.settled()["reports"]["positions.order"]

    def test_a_patch_is_dragged_onto_another_and_each_step_is_undone(self):
        app = self.start_layer()
        self.assertEqual(self.order(app), "none")
        self.assertNotIn("positions.order.with", app.settled()["reports"])
        x, y = app.place("positions.order.picture[0,0]")
        to_x, to_y = app.place("positions.order.picture[1,2]")
        app.drag("positions.order.picture[0,0]", to_x - x, to_y - y)
        exchanged = app.until(lambda r: r["reports"]["positions.order"].startswith("exchanged 0-"),
                              "two patches exchanged")["reports"]["positions.order"]
        app.until_reports(positions__order__without="same", positions__order__with="other")
        self.assertLess(float(app.settled()["reports"]["positions.order.without.most"]), 1e-4)
        app.click("positions.order.right")
        app.until_reports(positions__order="shifted 0 1")
        app.click("positions.order.right")
        app.until_reports(positions__order="shifted 0 2")
        app.click("positions.order.mirror")
        app.until_reports(positions__order="mirrored + shifted 0 2")
        for before in ("shifted 0 2", "shifted 0 1", exchanged, "none"):
            app.key("ctrl+z")
            app.until_reports(positions__order=before)
        app.key("ctrl+y")
        app.until_reports(positions__order=exchanged)
        app.click("positions.order.none")
        app.until_reports(positions__order="none")

    def test_two_clicks_exchange_two_patches_and_the_same_two_put_them_back(self):
        app = self.start_layer()
        for times, order in (1, "exchanged 0-1"), (2, "none"):
            app.click("positions.order.picture[0,0]")
            app.click("positions.order.picture[0,1]")
            app.until_reports(positions__order=order)

    def test_a_patch_is_lit_in_both_pictures_and_in_every_output(self):
        app = self.start_layer()
        app.click("positions.order.mirror")
        app.until(lambda r: "positions.order.with.changed" in r["names"], "the outputs")
        app.point("positions.order.picture[0,0]")
        patch = int(app.settled()["reports"]["positions.patch"])
        self.assertGreater(patch, 0)  # the last one of the first row
        app.point("positions.order.plain[0,0]")
        app.until_reports(positions__patch="0")
        rows, cols = app.settled()["names"]["positions.order.with.changed"]["cells"][2:]
        app.point(f"positions.order.with.changed[{int(rows) // 2},3]")
        app.until(lambda r: r["reports"]["positions.patch"] != "0", "the patch of that row")

    def test_the_model_of_scenes_answers_and_points_in_another_order(self):
        app = self.start(IMAGES / "shapes.png", "--model", SOURCE / "assets/models/scenes")
        app.key("ctrl+4")
        app.until(lambda r: "positions.patch" in r["reports"], "the positions")
        app.click("positions.shuffle")
        found = app.until(lambda r: "positions.order.answer.changed" in r["reports"], "answers")
        self.assertIn("%", found["reports"]["positions.order.answer.plain"])
        self.assertGreaterEqual(int(found["reports"]["positions.order.points.changed"]), 0)
        self.assertEqual(found["reports"]["positions.order.without"], "same")
        self.assertEqual(found["reports"]["positions.order.with"], "other")

    def test_words_are_put_in_other_orders(self):
        app = self.start(IMAGES / "cat.jpg")
        app.click("input")
        app.click("input.words")
        app.until(lambda r: "input.image" in r["names"] and not r["busy"], "words")
        app.click("vectors.set")
        app.click("vectors.set.hello")
        app.until(lambda r: "love" in r["reports"]["field.tokens"], "Hello I love you")
        app.key("ctrl+4")
        app.until_reports(positions__order__without="same")
        self.assertEqual(app.reports()["positions.none"], "yes")
        app.click("positions.kind.sinusoidal")
        app.until_reports(positions__order__with="other", positions__order__without="same")
        app.click("positions.kind.none")
        app.until(lambda r: "positions.order.with" not in r["reports"], "no positions")
        app.until_reports(positions__order__without="same")
        app.key("ctrl+z")
        app.until_reports(positions__order__with="other")
        x, y = app.place("positions.word.0.1")
        to_x, to_y = app.place("positions.word.0.3")
        app.drag("positions.word.0.1", to_x - x, to_y - y)
        app.until_reports(positions__order="exchanged 1-3")
        app.click("positions.order.mirror")
        app.until_reports(positions__order="mirrored")
        app.key("ctrl+z")
        app.until_reports(positions__order="exchanged 1-3")
        app.key("ctrl+z")
        app.until_reports(positions__order="none")

    def test_a_learned_table_is_drawn_from_its_seed(self):
        app = self.start_layer()
        app.click("positions.kind.learned")
        app.until_reports(field__positions="learned", busy="no")
        self.assertEqual(self.claims(app)["next = this one rotated"], "fails")
        app.key("ctrl+z", "ctrl+z")  # the page, and the kind
        app.until_reports(field__positions="model", busy="no")

    def test_two_positions_are_told_apart_by_some_waves(self):
        app = self.start_layer()
        app.click("positions.plot.apart")
        app.until(lambda r: "positions.apart" in r["reports"], "the plot")
        patch = app.settled()["reports"]["positions.patch"]
        app.until_reports(positions__apart=f"{patch} {int(patch) + 1}")
        near = float(app.settled()["reports"]["positions.apart.distance"])
        app.click("positions.apart.map[0,0]")
        app.away()
        app.until_reports(positions__apart=f"{patch} 0")
        self.assertGreater(float(app.settled()["reports"]["positions.apart.distance"]), near)
        self.assertEqual(app.settled()["reports"]["positions.apart.collapsed"], "0")
        app.key("ctrl+z")
        app.until_reports(positions__apart=f"{patch} {int(patch) + 1}")
        app.drag("field.fast_waves_off", 150, 0)
        app.turn("properties")
        app.until(lambda r: int(r["reports"].get("positions.apart.collapsed", 0)) > 0, "collapsed pairs")

    def test_there_is_a_way_from_the_walk_and_back(self):
        app = self.start_layer()
        app.click("positions.walk")
        app.until_reports(field__screen="walk", state__step="position")
        app.click("positions.see")
        app.until_reports(field__screen="positions")


if __name__ == "__main__":
    main()
