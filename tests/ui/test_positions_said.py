"""Texts and exports of the Positions screen: orders, ways, curves as numbers."""

import csv
import math
import struct

from harness import IMAGES, SOURCE, WindowTest, main

FAMILIES = SOURCE / "tests" / "golden" / "families"


def single(text):
    """The float32 number that is meant: a file may write it with fewer digits."""
    return struct.unpack("f", struct.pack("f", float(text)))[0]


class PositionsSaid(WindowTest):
    def positions(self, *lines, model=None):
        opened = [f"open-model {model}"] if model else []
        done = self.play("\n".join([f"open {IMAGES / 'shapes.png'}", *opened, "set screen positions",
                                    "wait", *lines]) + "\n")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done.stdout

    def model(self, family):
        folder = self.folder / family
        folder.mkdir()
        for name in "model.safetensors", "config.json":
            (folder / name).write_bytes((FAMILIES / f"{family}.{name}").read_bytes())
        return folder / "model.safetensors"

    def table(self, name):
        with (self.folder / name).open() as file:
            return list(csv.reader(file))

    # ---- a slider that is held

    def test_a_base_of_four_digits_is_held_and_comes_to_rest(self):
        said = self.positions("set positions sinusoidal", "set position_base 3000", "wait",
                              "press field.position_base", "wait", "print field.position_base",
                              "release-button",
                              "drag field.position_base by -10 0", "print field.position_base")
        for line in said.splitlines():
            self.assertGreaterEqual(float(line.split()[1]), 100)

    # ---- correct and incorrect claims

    def test_a_lone_sine_fails_what_pairs_keep(self):
        claims = ("constant length", "next = this one rotated", "depends only on the offset",
                  "symmetric about a patch")
        size = ["set patch_size 9", "set positions sinusoidal", "wait"]
        self.positions(*size, *[f'expect "positions.claim.{claim}" fails' for claim in claims],
                       "expect-text \"unpaired\"")
        self.positions("set patch_size 8", "set positions sinusoidal", "wait",
                       *[f'expect "positions.claim.{claim}" holds' for claim in claims])

    def test_a_weak_bias_is_another_output(self):
        self.positions("set positions relative", "set position_strength 0.001",
                       'set order "seed 3"', "wait", "expect positions.order.with other",
                       "expect positions.order.without same",
                       "set position_strength 0", "wait", "expect positions.order.with same")

    def test_an_order_that_would_be_another_is_refused(self):
        for order in "seed 3 + mirrored", "mirrored + mirrored", "exchanged 3-3":
            done = self.play(f'set order "{order}"\n')
            self.assertEqual(done.returncode, 1)
            self.assert_one_sentence(done.stderr, "each at most once and in this order",
                                     f'found "{order}"')

    def test_hands_are_named_by_what_they_tell(self):
        plot = ["set position_plot apart", "wait"]
        self.positions("set positions rotary", *plot, 'expect positions.apart.ends "rows, columns"',
                       "set positions sincos_2d", "wait",
                       'expect positions.apart.ends "columns, rows"',
                       "set positions sinusoidal", "wait",
                       'expect positions.apart.ends "fast, slow"',
                       "set positions learned", "wait", "expect-text \"channel 0\"")

    # ---- several ways

    def test_a_model_that_tells_positions_in_two_ways_shows_either(self):
        self.positions("expect positions.way added", "click positions.way.turned", "wait",
                       "expect positions.way turned", "expect-text \"THE MODEL'S ROTATION\"",
                       "click positions.walk", "wait", "expect state.step rotary",
                       "step position", "wait", "click positions.see", "wait",
                       "expect positions.way added", "click positions.walk", "wait",
                       "expect state.step position", "step rotary", "wait",
                       "click positions.see", "wait", "expect positions.way turned",
                       model=self.model("eva02"))

    def test_the_walk_goes_to_the_step_that_tells_positions(self):
        for kind, step in ("rotary", "rotary"), ("relative", "relative_bias"):
            self.positions(f"set positions {kind}", "wait", "click positions.walk", "wait",
                           f"expect state.step {step}")

    def test_outputs_of_an_order_have_titles(self):
        self.positions('set position_page order', 'set order "seed 3"', "wait",
                       "expect positions.order.without same",
                       'expect-text "Output, patches in order"', 'expect-text "Output, patches moved"',
                       'expect-text "Difference, sorted back"')

    # ---- numbers

    def test_curves_are_exported_by_their_names(self):
        self.positions("set positions rotary", "wait", "export profile.csv positions.profile",
                       "export rotation.csv positions.rotation", "export waves.csv positions.waves",
                       "export table.csv positions.table", "export hands.csv positions.hands",
                       "export readout.csv positions.readout",
                       "set position_card rotation", "wait", "export turns.csv positions.turns",
                       "set position_plot apart", "wait", "export apart.csv positions.apart",
                       "set positions sinusoidal", "set position_plot added", "wait",
                       "export angles.csv positions.angles")
        waves, table = self.table("waves.csv"), self.table("table.csv")
        self.assertEqual([[single(n) for n in row[1:]] for row in waves[1:]],
                         [[single(n) for n in row] for row in table])
        cosine = sum(float(a) * float(b) for a, b in zip(table[0], table[1])) / math.sqrt(
            sum(float(a) ** 2 for a in table[0]) * sum(float(b) ** 2 for b in table[1]))
        profile = self.table("profile.csv")
        self.assertEqual(profile[0], ["offset", "mean cosine along a row", "mean cosine down a column"])
        self.assertAlmostEqual(float(profile[2][1]), cosine, places=5)
        rotation = self.table("rotation.csv")
        offsets = [int(row[0]) for row in rotation[1:]]
        self.assertEqual(offsets, list(range(-max(offsets), max(offsets) + 1)))
        for row in self.table("hands.csv")[1:]:
            sine, turned = float(row[2]), math.radians(float(row[4]))
            self.assertAlmostEqual(sine, math.sin(turned) * float(row[5]), places=6)
        self.assertEqual(len(self.table("turns.csv")), len(self.table("apart.csv")))
        self.assertEqual([row[0] for row in self.table("readout.csv")[:2]], ["after layer", "0"])
        self.assertEqual(self.table("angles.csv")[0][1], "angle where added, degrees")

    def test_what_is_not_there_is_no_number(self):
        done = self.play(f"open {IMAGES / 'shapes.png'}\nset screen positions\n"
                         "set positions sinusoidal\nwait\nexport a.csv positions.rotation\n")
        self.assertEqual(done.returncode, 1)
        self.assert_one_sentence(done.stderr, "positions.rotation", "not a matrix")
        self.assertFalse((self.folder / "a.csv").exists())

    def test_a_curve_under_the_pointer_is_copied(self):
        app = self.start(IMAGES / "shapes.png")
        app.key("ctrl+4")
        app.turn("properties")
        app.until(lambda r: "positions.profile" in r["names"], "the profile")
        app.point("positions.profile")
        app.key("ctrl+c")
        app.until(lambda r: r["reports"].get("notice", "").startswith("Copied"), "a copy")
        self.assertTrue(app.clipboard().startswith("offset\tmean cosine along a row"))


if __name__ == "__main__":
    main()
