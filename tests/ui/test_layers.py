"""A whole model: its layers and heads by keys, buttons, ribbon and map; prefix tokens."""

from harness import SOURCE, WindowTest, main


class Layers(WindowTest):
    def until_layer(self, app, number, of):
        app.until_reports(field__layer=str(number), busy="no",
                          transport__layer=f"Layer {number} / {of}")

    def test_layers_by_keys_buttons_and_ribbon(self):
        app = self.start_model("timm_registers")
        self.until_layer(app, 1, 2)
        app.key("bracketright")
        self.until_layer(app, 2, 2)
        app.key("bracketright")  # there is none
        app.key("bracketleft")
        self.until_layer(app, 1, 2)
        app.click("transport.layer.next")
        self.until_layer(app, 2, 2)
        app.click("transport.layer.previous")
        self.until_layer(app, 1, 2)
        app.click("ribbon.layers.after")
        self.until_layer(app, 2, 2)
        self.assertNotIn("ribbon.layers.after", app.settled()["names"])
        app.click("ribbon.layers.before")
        self.until_layer(app, 1, 2)

    def test_every_step_of_a_model_is_a_click_away(self):
        app = self.start_model("timm_registers")
        steps = [name[len("ribbon."):] for name in app.settled()["names"]
                 if name.startswith("ribbon.") and name.count(".") == 1]
        self.assertEqual(len(steps), 26)
        for step in ("ls1", "skip", "norm2", "residual2", "head", "prefix"):
            app.go_to(step)

    def test_other_tokens_than_the_layer_s_are_explained_but_not_lit_up(self):
        app = self.start_model("t2t")
        app.go_to("norm")
        app.until_reports(transport__layer="T2T 1 / 2")
        lit = app.reports()["lit.image.patches"]
        app.point("stage.result[2,5]")
        app.until_reports(arithmetic__row="2", arithmetic__col="5")
        self.assertEqual(app.reports()["lit.image.patches"], lit)
        app.click("stage.result[2,5]")
        self.assertEqual(app.reports()["lit.image.patches"], lit)

    def test_the_probe_is_walked_to_the_pooler(self):
        app = self.start_model("siglip")
        steps = [name[len("ribbon."):] for name in app.settled()["names"]
                 if name.startswith("ribbon.pool") and name.count(".") == 1]
        self.assertEqual(len(steps), 15)
        for step in steps:
            app.go_to(step)
            app.until(lambda r: "stage.result" in r["names"], step)
            app.point("stage.result[0,3]")
            app.until_reports(arithmetic__row="0", arithmetic__col="3", arithmetic__agrees="true")
            app.away()

    def test_the_probe_s_reading_lies_over_the_picture(self):
        app = self.start_model("siglip")
        app.go_to("pool_softmax")
        app.until_reports(heads__unchosen="what the probe attends to, by head")
        app.point("stage.picture[1,2]")  # patch 5 of 3 x 3
        app.until_reports(arithmetic__col="5", lit__image__patches="5")
        app.click("stage.result[0,7]")
        app.away()
        app.until_reports(arithmetic__col="7", arithmetic__agrees="true")
        before = app.reports()["arithmetic.shown"]
        app.key("2")  # another head reads otherwise
        app.until(lambda r: r["reports"]["arithmetic.shown"] != before, "the second head's share")
        self.assertNotIn("heads.2.power", app.settled()["names"])

    def test_a_picture_of_any_aspect_keeps_its_own(self):
        app = self.start_model("siglip_naflex",
                               SOURCE / "tests" / "golden" / "images" / "rgb.png")  # 5 x 7
        app.until(lambda r: r["names"]["image.patches"]["cells"][2:] == [4, 5], "4 by 5 patches")

    def test_the_map_leads_to_every_head(self):
        app = self.start_model("timm_registers")
        app.click("heads.view.all layers")
        app.until_reports(field__all_layers="true")
        app.point("heads.layers[1,2]")
        said = app.until(lambda r: "heads.layers" in r["reports"], "the numbers")["reports"]
        self.assertRegex(said["heads.layers"],
                         r"^Layer 2, head 3: entropy \d\.\d\d bits, distance \d+\.?\d* pixels, "
                         r"on the class token 0\.\d+, on registers 0\.\d+, on itself 0\.\d+, "
                         r"on neighbors 0\.\d+")
        app.click("heads.layers[1,2]")
        self.until_layer(app, 2, 2)
        self.assertEqual(app.reports()["transport.head"], "Head 3 / 3")
        app.click("heads.view.this layer")
        app.until(lambda r: "heads.2" in r["names"], "the heads of the layer")

    def test_tokens_that_are_no_patches_are_queries_too(self):
        app = self.start_model("timm_registers")
        names = app.settled()["names"]
        prefix = sum(name.startswith("image.token.") for name in names)
        self.assertEqual(prefix, 3)  # class token and two registers
        columns = int(names["image.patches"]["cells"][3])
        app.click("image.patches[1,0]")
        app.until_reports(state__token=str(prefix + columns))
        app.away()
        self.assertEqual(app.reports()["lit.image.patches"], str(prefix + columns))
        for token in (0, prefix - 1):
            app.click(f"image.token.{token}")
            app.until_reports(state__token=str(token))
            app.away()
            self.assertNotIn("lit.image.patches", app.reports())
            self.assertEqual(app.reports()["lit.ribbon.softmax.matrix"], str(token))

    def test_a_patch_stays_in_place_between_layers_of_other_tokens(self):
        app = self.start_model("t2t")
        app.key("bracketright", "bracketright")
        app.until(lambda r: r["reports"].get("transport.layer", "").startswith("Layer 1"), "layer 1")
        app.click("image.patches[0,0]")
        app.until_reports(state__token="1")  # behind the class token
        app.key("bracketleft", "bracketleft")
        app.until(lambda r: r["reports"]["transport.layer"].startswith("T2T 1"), "T2T 1")
        # Its windows are smaller: another one has the same middle, on the same diagonal.
        report = app.settled()
        across = round(report["names"]["image.patches"]["cells"][3])
        row, col = divmod(int(report["reports"]["state.token"]), across)
        self.assertEqual(row, col)
        self.assertLess(row, across / 2)
        self.assertNotIn("image.token.0", report["names"])


if __name__ == "__main__":
    main()
