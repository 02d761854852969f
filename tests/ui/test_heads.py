"""All heads of a model at once: the screen of maps."""

import json
import shutil
import struct

from harness import IMAGES, SOURCE, WindowTest, main

FAMILIES = SOURCE / "tests" / "golden" / "families"


class Heads(WindowTest):
    def start_model(self, family, image="shapes.png"):
        app = super().start_model(family, image)
        app.key("ctrl+3")
        app.until(lambda r: "heads.maps" in r["reports"], "the maps")
        return app

    def test_the_tab_leads_there_and_back(self):
        app = self.start_model("timm_registers")
        self.assertEqual(app.reports()["field.screen"], "heads")
        app.click("top.tab.walk")
        app.until(lambda r: "stage.result" in r["names"], "the walk")
        app.click("top.tab.heads")
        app.until(lambda r: "heads.map.2.3" in r["names"], "the maps")

    def test_the_answer_is_on_the_screen(self):
        scenes = SOURCE / "assets/models/scenes"
        done = self.play("\n".join([
            "size 1280 720", f"open-model {scenes}", "scene 7", "set screen heads", "wait", "print heads.answer",
            "print-texts screen", "scene 2000000049", "wait", "print heads.answer"]) + "\n")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        lines = done.stdout.splitlines()
        first, second = (line.removeprefix("heads.answer ") for line in lines if line.startswith("heads.answer "))
        self.assertRegex(first, r"^The model answers disc, [> .\d]+ % sure\.$")
        self.assertRegex(second, r"^The model answers cross, ")
        self.assertIn(first, lines)
        self.assertFalse([line for line in lines if line.endswith(" ms")], "how long it took is in the tooltip")

    def test_there_is_a_map_for_every_head(self):
        app = self.start_model("timm_registers")
        names = app.settled()["names"]
        maps = [name for name in names if name.startswith("heads.map.")]
        self.assertEqual(len(maps), 6)
        self.assertEqual(app.reports()["heads.maps"], "6")

    def test_hover_compares_and_a_click_chooses(self):
        app = self.start_model("timm_registers")
        before = app.settled()["reports"]["heads.number.entropy"]
        app.point("heads.map.2.3")
        app.until(lambda r: r["reports"]["heads.number.entropy"] != before, "the other head")
        app.click("heads.map.2.3")
        app.until_reports(field__layer="2", state__head="3", busy="no")
        chosen = app.settled()["reports"]["heads.number.entropy"]
        app.away()
        app.until_reports(heads__number__entropy=chosen)
        app.key("ctrl+z")
        app.key("ctrl+z")
        app.until_reports(field__layer="1")

    def test_arrows_go_from_map_to_map_and_enter_opens_the_walk(self):
        app = self.start_model("timm_registers")
        app.key("Down")
        app.until_reports(field__layer="2", busy="no")
        app.key("Right")
        app.until_reports(state__head="2")
        app.key("Return")
        app.until_reports(field__screen="walk", transport__layer="Layer 2 / 2",
                          transport__head="Head 2 / 3")

    def test_the_query_is_chosen_on_the_picture_or_among_the_other_tokens(self):
        app = self.start_model("timm_registers")
        app.click("heads.large[0,0]")
        patch = app.until(lambda r: r["reports"]["heads.query"].startswith("token"), "a patch")
        self.assertEqual(patch["reports"]["heads.query"], "token 3")
        app.click("heads.token.class token")
        app.away()
        app.until_reports(heads__query="class token")

    def test_importance_is_measured_by_switching_off(self):
        app = self.start_model("timm_registers")
        self.assertNotIn("heads.number.switched off", app.reports())
        app.click("heads.order")
        app.click("heads.order.by importance")
        app.until(lambda r: "heads.number.switched off" in r["reports"], "the effects")
        self.assertRegex(app.reports()["heads.number.switched off"], r"^[+-]\d+\.\d\d points$")
        self.assertRegex(app.reports()["heads.number.set to its mean"], r"^[+-]\d+\.\d\d points$")

    def test_contributions_add_up_to_the_logit_of_the_answer(self):
        app = self.start_model("timm_registers")
        app.click("heads.order")
        app.click("heads.order.by contribution")
        found = app.until(lambda r: "heads.contributions" in r["reports"], "the parts")
        self.assertRegex(found["reports"]["heads.number.adds to the logit"], r"^[+-]\d+\.\d{3}$")
        before = found["reports"]["heads.contributions"]
        app.xdotool("keydown", "ctrl")
        app.click("heads.map.1.2")
        app.xdotool("keyup", "ctrl")
        app.until(lambda r: r["reports"].get("heads.contributions", before) != before,
                  "those without the head")

    def test_a_class_is_chosen_and_let_go_of(self):
        app = self.start_model("timm_registers")
        app.click("heads.tools")
        app.until_reports(heads__tools="open")
        app.click("heads.order")
        app.click("heads.order.by importance")
        answer = app.until(lambda r: "heads.number.switched off" in r["reports"], "the effects")
        self.assertEqual(answer["reports"]["field.heads_class"], "answer")
        of_answer = answer["reports"]["heads.number.switched off.of"]
        rows = sorted(n for n in answer["names"] if n.startswith("heads.lens.class."))
        other = next(n for n in rows if "class " + n.rsplit(".", 1)[1] not in of_answer)
        number = other.rsplit(".", 1)[1]
        app.click(other)
        app.until_reports(field__heads_class=number)
        app.until(lambda r: r["reports"].get("heads.number.switched off.of", of_answer) != of_answer,
                  "those of the other class")
        app.click("heads.order")
        app.click("heads.order.by contribution")
        added = "heads.number.adds to the logit.of"
        app.until(lambda r: r["reports"].get(added, of_answer) != of_answer, "the parts")
        self.assertIn("deviation", app.reports()["heads.contributions.frozen"])
        app.click(other)
        app.until_reports(field__heads_class="answer")
        app.until(lambda r: r["reports"].get(added) == of_answer, "the answer's")
        app.key("ctrl+z")
        app.until_reports(field__heads_class=number)

    def test_the_numbers_of_all_heads_are_copied(self):
        app = self.start_model("timm_registers")
        app.click("heads.copy")
        app.until(lambda r: "Copied the numbers of all heads" in r["reports"].get("notice", ""),
                  "the copy")

    def test_maps_that_look_alike_stand_together(self):
        app = self.start_model("timm_registers")
        app.click("heads.order")
        app.click("heads.order.in groups")
        app.until_reports(field__heads_order="groups", busy="no")
        self.assertEqual(app.reports()["heads.maps"], "6")
        app.key("ctrl+z")
        app.until_reports(field__heads_order="layer")

    def test_only_the_patches_that_hold_the_mass_are_shown(self):
        app = self.start_model("timm_registers")
        self.assertNotIn("heads.number.60 % lies in", app.reports())
        self.type_into(app, "heads.mass.text", "60")
        app.until_reports(field__heads_mass="60")
        app.away()
        fewer = app.settled()["reports"]["heads.number.60 % lies in"]
        self.assertRegex(fewer, r"^\d+ patches$")
        self.type_into(app, "heads.mass.text", "90")
        app.away()
        app.until(lambda r: int(r["reports"].get("heads.number.90 % lies in", "0 p").split()[0])
                  > int(fewer.split()[0]), "more patches")

    def type_into(self, app, field, text):
        app.click(field)
        app.key("ctrl+a")
        app.type(text)
        app.key("Return")

    def test_mass_and_cut_are_dragged_and_typed(self):
        app = self.start_model("timm_registers")
        for name, field, rest, typed in [("heads.mass", "field.heads_mass", "100", "33.5"),
                                         ("heads.cut", "field.attention_cut", "0", "1.25")]:
            x, y = app.place(name)
            app.point_at(x, y)
            app.xdotool("mousedown", 1)
            seen = {app.settled()["reports"][field]}
            for dx in (8, 16, 24):
                app.point_at(x + dx, y)
                seen.add(app.until(lambda r: r["reports"][field] not in seen,
                                   "the field to follow")["reports"][field])
            app.xdotool("mouseup", 1)
            self.assertEqual(len(seen), 4, seen)
            app.away()
            app.key("ctrl+z")  # all of the drag
            app.until(lambda r: r["reports"][field] == rest, "the drag undone")
            self.type_into(app, name + ".text", typed)
            app.until(lambda r: r["reports"][field] == typed, "what was typed")
            app.key("ctrl+z")
            app.until(lambda r: r["reports"][field] == rest, "the number undone")
        self.type_into(app, "heads.cut.text", "21")
        app.until(lambda r: "20" in r["reports"].get("notice", ""), "a sentence")

    def test_heads_and_layers_are_combined_to_one_map_each(self):
        app = self.start_model("timm_registers")
        app.click("heads.combined")
        app.click("heads.combined.and the mean")
        app.until_reports(field__heads_combined="mean")
        app.until(lambda r: "heads.combined.6" in r["names"], "two layers, three heads, all")
        before = app.settled()["reports"]["heads.correlation"]
        app.point("heads.combined.6")
        app.until(lambda r: r["reports"]["heads.correlation"] != before, "another map")
        app.click("heads.order")
        app.click("heads.order.by entropy")
        app.until_reports(field__heads_order="entropy")
        app.away()
        # After the heads, of which there is one in each place.
        names = app.settled()["names"]
        places = [tuple(place["rect"]) for name, place in names.items()
                  if name.startswith(("heads.map.", "heads.combined."))
                  and name.split(".")[2].isdigit()]
        self.assertEqual(len(places), len(set(places)))
        heads = [place["rect"] for name, place in names.items() if name.startswith("heads.map.")]
        last = max((y, x) for x, y, *_ in heads)
        for number in range(1, 7):
            x, y, *_ = names[f"heads.combined.{number}"]["rect"]
            self.assertGreater((y, x), last)
        before = app.reports()["heads.correlation"]
        app.point("heads.combined.6")
        app.until(lambda r: r["reports"]["heads.correlation"] != before, "another map")

    # ---- a pinned query

    def attention(self, image):
        """The first layer's, as [heads][queries][keys], from a trace."""
        model = self.folder / "models" / "timm_registers" / "model.safetensors"
        out = self.folder / "trace.safetensors"
        done = self.run_program("trace", "--model", model, "--image", IMAGES / image, "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        data = out.read_bytes()
        size = struct.unpack("<Q", data[:8])[0]
        entry = json.loads(data[8:8 + size])["layer.0.attention"]
        _, heads, queries, keys = entry["shape"]
        begin = 8 + size + entry["data_offsets"][0]
        numbers = struct.unpack_from(f"<{heads * queries * keys}f", data, begin)
        return [[numbers[(h * queries + q) * keys:(h * queries + q + 1) * keys]
                 for q in range(queries)] for h in range(heads)]

    def number_in(self, tip):
        return float(tip.rsplit(": ", 1)[1].replace("\u2212", "-"))

    def test_a_pinned_query_stays_wherever_the_pointer_goes(self):
        app = self.start_model("timm_registers")
        app.click("heads.map.1.2")
        app.until_reports(state__head="2")
        app.point("heads.large[0,1]")  # nothing is pinned: the query follows
        app.until_reports(heads__query="token 4")
        app.click("heads.large[0,0]")
        app.until_reports(heads__query="token 3")
        *_, rows, cols = app.settled()["names"]["heads.large"]["cells"]
        query = int(app.reports()["state.token"])
        maps = self.attention("shapes.png")
        for row, col in ((1, 1), (0, 2), (2, 0)):
            app.point(f"heads.large[{row},{col}]")
            said = app.until(lambda r: "tooltip" in r["reports"], "the value")["reports"]
            self.assertEqual(said["heads.query"], "token 3")
            key = query + row * round(cols) + col
            self.assertAlmostEqual(self.number_in(said["tooltip"]), maps[1][query][key], delta=6e-5)
            app.key("c")
            self.assertAlmostEqual(float(app.clipboard()), maps[1][query][key], places=6)
        app.key("ctrl+shift+c")
        app.until(lambda r: "Copied" in r["reports"]["notice"], "the copy")
        found = [float(n) for line in app.clipboard().split("\n") if line for n in line.split("\t")]
        for number, right in zip(found, maps[1][query][query:], strict=True):
            self.assertAlmostEqual(number, right, places=6)
        for _ in range(2):  # what was copied is said, then the query is pinned
            app.key("Escape")
            app.settled()
        while app.reports()["state.token"]:
            app.key("Escape")
        app.point("heads.large[0,2]")
        app.until_reports(heads__query="token 5")

    def test_a_map_says_how_much_of_its_row_it_shows(self):
        app = self.start_model("timm_registers")
        app.click("heads.map.1.2")
        app.click("heads.large[0,0]")
        app.away()
        query = int(app.until_reports(heads__query="token 3")["state.token"])
        maps = self.attention("shapes.png")
        for reading, row, words in (
                ("from", maps[1][query], " on patches"),
                ("by", [line[query] for line in maps[1]], " from patches")):
            if reading == "by":
                app.click("heads.reading.is attended by")
                app.away()
            said = app.until(lambda r, w=words: r["reports"]["heads.share"].endswith(w), words)
            percent = float(said["reports"]["heads.share"].split(" ")[0])
            self.assertAlmostEqual(percent, 100 * sum(row[query:]) / sum(row), delta=0.51)
            app.point("heads.map.1.2")
            tip = app.until(lambda r: "tooltip" in r["reports"], "the tip")["reports"]["tooltip"]
            self.assertIn(said["reports"]["heads.share"], tip)
            app.away()

    # ---- several queries

    def shift_click(self, app, name):
        app.point(name)
        app.xdotool("keydown", "shift")
        app.click(name)
        app.xdotool("keyup", "shift")

    def test_several_queries_are_asked_each_in_its_hue(self):
        app = self.start_model("timm_registers")
        app.click("heads.large[0,0]")
        app.away()
        app.until_reports(heads__queries="token 3")
        self.shift_click(app, "heads.large[1,1]")
        app.until(lambda r: r["reports"]["heads.queries"].startswith("token 3, token"), "a second")
        self.shift_click(app, "heads.token.class token")
        app.away()
        found = app.until(lambda r: r["reports"]["heads.queries"].endswith(", class token"),
                          "a third")["reports"]
        second = found["heads.queries"].split(", ")[1]
        self.assertEqual(found["heads.legend"], found["heads.queries"])
        self.assertEqual(found["state.also"].count(" "), 1)
        # Hovering shows one alone, its cross removes it, and undo brings it back.
        together = found["heads.correlation"]
        app.point("heads.query.2")
        alone = app.until_reports(heads__query=second)
        self.assertNotIn("heads.legend", alone)
        app.away()
        app.until_reports(heads__correlation=together, heads__query="token 3")
        app.click("heads.query.1.drop")
        app.away()
        app.until_reports(heads__queries=f"{second}, class token")
        app.key("ctrl+z")
        app.until_reports(heads__queries=found["heads.queries"])
        app.key("Escape")
        app.until_reports(heads__queries="token 3")

    def test_a_key_or_a_map_asks_for_the_patch_under_the_pointer(self):
        app = self.start_model("timm_registers")
        app.click("heads.large[0,0]")
        app.away()
        app.until_reports(heads__queries="token 3")
        app.point("heads.map.2.3")
        app.key("q")
        app.until(lambda r: r["reports"]["state.also"] != "", "the patch in the middle of a map")
        app.key("Escape")
        app.until(lambda r: r["reports"]["state.also"] == "", "no longer")
        # Clicking again removes it.
        app.point("heads.large[2,2]")
        app.key("q")
        app.until(lambda r: r["reports"]["state.also"] != "", "a patch of the picture")
        app.point("heads.large[2,2]")
        app.key("q")
        app.until(lambda r: r["reports"]["state.also"] == "", "no longer")
        self.shift_click(app, "heads.map.1.1")
        app.until(lambda r: r["reports"]["state.also"] != "", "the same with a click")
        self.assertEqual(app.reports()["field.layer"], "1")
        # A plain click leaves one query.
        app.click("heads.large[0,1]")
        app.away()
        app.until_reports(heads__queries="token 4")

    def test_a_layers_heads_are_shown_in_hues(self):
        app = self.start_model("timm_registers")
        app.click("heads.combined")
        app.click("heads.combined.heads in hues")
        app.until_reports(field__heads_combined="hues")
        found = app.until(lambda r: "heads.combined.2" in r["names"], "a picture for each layer")
        self.assertNotIn("heads.combined.3", found["names"])
        self.assertEqual(found["reports"]["heads.legend"], "head 1, 2, 3")

    def test_maps_are_drawn_smoothly_and_with_lines(self):
        app = self.start_model("timm_registers")
        self.assertNotIn("heads.drawing", app.reports())
        app.click("heads.smooth.smooth")
        app.until_reports(field__heads_smooth="true",
                          heads__drawing="Smooth: bilinear between patch centers")
        app.click("heads.contours.contours")
        app.until_reports(field__heads_contours="true")
        said = app.reports()["heads.drawing"]
        self.assertRegex(said, r"^Smooth: bilinear between patch centers, lines at .* and ")
        app.click("heads.range.own")
        app.until(lambda r: r["reports"]["heads.drawing"].endswith("each map's own scale"), "own")
        # Hues cannot be interpolated.
        app.point("heads.large[1,2]")
        app.key("q")
        app.away()
        app.until(lambda r: "," in r["reports"]["heads.queries"], "two queries")
        app.until_reports(heads__drawing="In hues: one square per patch, without lines")
        for _ in range(4):
            app.key("ctrl+z")
        app.until_reports(field__heads_contours="false", field__heads_smooth="false")
        app.until(lambda r: "heads.drawing" not in r["reports"], "squares again")

    def test_every_choice_can_be_reached_in_a_small_window(self):
        app = self.start_model("timm_registers")
        window = app.xdotool("search", "--onlyvisible", "--pid", app.process.pid).split()[-1]
        app.xdotool("windowsize", window, 1280, 720)
        app.until(lambda r: r["names"]["screen"]["rect"][2] <= 1280, "the smaller window")
        app.click("heads.tools")
        app.until_reports(heads__tools="open")
        names = app.settled()["names"]
        for tool in "reading.", "token.", "range.", "scale.", "order", "mass", "smooth.", "contours.", \
                "combined":
            found = [place["rect"] for name, place in names.items()
                     if name.startswith("heads." + tool)]
            self.assertGreater(len(found), 0, tool)
            for x, y, w, h in found:
                self.assertTrue(x >= 0 and w > 20 and x + w <= 1280, tool)
        app.click("heads.combined")
        app.click("heads.combined.and the largest")
        app.until_reports(field__heads_combined="max")

    def test_ctrl_click_switches_a_head_off(self):
        app = self.start_model("timm_registers")
        app.xdotool("keydown", "ctrl")
        app.click("heads.map.1.2")
        app.xdotool("keyup", "ctrl")
        app.until_reports(state__switched_off="1.2", busy="no")

    def test_the_lens_ends_in_the_answer(self):
        app = self.start_model("timm_registers")
        app.click("heads.token.class token")
        app.away()
        app.until_reports(heads__query="class token")
        lens = app.settled()["reports"]["heads.lens.1"]
        app.key("ctrl+2")
        app.until_reports(prediction__1=lens)

    def test_a_token_transformer_has_other_tokens(self):
        app = self.start("--model", str(self.t2t()), IMAGES / "shapes.png")
        app.until_reports(transport__layer="T2T 1 / 2")
        app.key("ctrl+3")
        app.until(lambda r: "heads.go" in r["names"], "the way to the layers")
        app.click("heads.go")
        app.until(lambda r: "heads.maps" in r["reports"], "the maps")

    def t2t(self):
        folder = self.folder / "models" / "t2t"
        folder.mkdir(parents=True)
        shutil.copy(FAMILIES / "t2t.model.safetensors", folder / "model.safetensors")
        shutil.copy(FAMILIES / "t2t.config.json", folder / "config.json")
        return folder / "model.safetensors"


if __name__ == "__main__":
    main()
