"""Heads: a head's attention by distance, the branches relative to the residual stream, and the
rollout as a map."""

import csv
import json
import struct
import xml.etree.ElementTree as xml

from harness import IMAGES, SOURCE, WindowTest, main

SCENES = SOURCE / "assets" / "models" / "scenes" / "model.safetensors"
CAT = IMAGES / "cat.jpg"
SVG = "{http://www.w3.org/2000/svg}"


def tensor(path, name):
    """Shape and numbers of one tensor of a safetensors file."""
    data = path.read_bytes()
    length, = struct.unpack("<Q", data[:8])
    about = json.loads(data[8:8 + length])[name]
    begin, end = about["data_offsets"]
    return about["shape"], struct.unpack(f"<{(end - begin) // 4}f",
                                         data[8 + length + begin:8 + length + end])


class Profiles(WindowTest):
    def start_heads(self):
        window = self.start("--model", SCENES, CAT)
        window.key("ctrl+3")
        window.until_reports(heads__maps="16")
        return window

    def copied_table(self, window):
        window.point("heads.side")
        window.settled()
        window.key("ctrl+c")
        window.until(lambda r: "Copied" in r["reports"]["notice"], "copied")
        rows = list(csv.reader(window.clipboard().splitlines(), delimiter="\t"))
        return rows[0], rows[1:]

    def test_the_card_turns_to_rings_of_the_head_that_is_looked_at(self):
        window = self.start_heads()
        window.click("heads.side.2")
        reports = window.until(lambda r: "heads.rings.5" in r["reports"], "rings")["reports"]
        names, rows = self.copied_table(window)
        self.assertEqual(names[:3], ["layer", "head", "patches away"])
        self.assertEqual({row[0] for row in rows}, {"1"})
        first = [row for row in rows if row[1] == "1"]
        for ring, row in enumerate(first):
            self.assertAlmostEqual(float(row[3]), float(reports[f"heads.rings.{ring}"]), places=6)
            self.assertAlmostEqual(float(row[5]), float(row[3]) / float(row[4]), places=6)
        window.point("heads.map.4.3")
        window.until(lambda r: r["reports"].get("heads.rings.0") not in (
            None, reports["heads.rings.0"]), "rings of another head")
        # At most all attention; the rest goes to the class token.
        of_other = window.reports()
        self.assertLess(sum(float(value) for name, value in of_other.items()
                            if name.startswith("heads.rings.")), 1 + 1e-6)

    def test_the_card_turns_to_the_branches(self):
        window = self.start_heads()
        window.click("heads.side.3")
        reports = window.until(lambda r: "heads.branches.4" in r["reports"], "branches")["reports"]
        names, rows = self.copied_table(window)
        self.assertEqual([row[0] for row in rows], [str(l) for l in range(1, 5)])
        for l, row in enumerate(rows, 1):
            attention, mlp = reports[f"heads.branches.{l}"].split()
            self.assertAlmostEqual(float(row[1]), float(attention), places=6)
            self.assertAlmostEqual(float(row[2]), float(mlp), places=6)
        self.assertRegex(names[3], r"of (the class token|token \d+)$")
        window.click("heads.side.1")
        window.until(lambda r: "heads.branches.4" not in r["reports"], "the distances")
        window.key("ctrl+z")
        window.until_reports(field__heads_side="branches")
        window.key("ctrl+z")
        window.until_reports(field__heads_side="distance")

    def test_the_rollout_is_a_map_that_trace_writes(self):
        for settings, said in (({"fusion": "mean"}, ["set rollout mean"]),
                               ({"fusion": "max", "discard_ratio": 0.5,
                                 "normalisation": "vit_explain"},
                                ["set rollout max", "set rollout_discard 0.5",
                                 "set rollout_norm vit_explain"])):
            done = self.run_program("trace", "--model", SCENES, "--image", CAT, "--layers", "1",
                                    "--rollout", json.dumps(settings), "--out", "t.safetensors")
            self.assertEqual(done.returncode, 0, done.stderr)
            (*_, tokens), rollout = tensor(self.folder / "t.safetensors", "rollout")
            done = self.play("\n".join([
                "size 1600 1000", f"open {CAT}", f"open-model {SCENES}", "set screen heads", *said,
                "focus 44", "wait", "export r.csv heads.combined.1", "wait",
                "export r.svg heads.combined.1", "wait", "set reading by", "wait",
                "export c.csv heads.combined.1", "wait"]) + "\n")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            for name, expected in (("r", rollout[44 * tokens + 1:45 * tokens]),
                                   ("c", rollout[tokens + 44::tokens])):
                with open(self.folder / f"{name}.csv", newline="") as file:
                    cells = [float(cell) for row in csv.reader(file) for cell in row]
                self.assertEqual(len(cells), tokens - 1)
                for cell, number in zip(cells, expected, strict=True):
                    self.assertAlmostEqual(cell, number, delta=1e-6)
            about = xml.parse(self.folder / "r.svg").getroot().find(SVG + "desc").text
            self.assertIn(f"heads: rollout of the heads' {settings['fusion']}", about)
            self.assertEqual("the lowest 50 % discarded, normalized as in vit-explain" in about,
                             "discard_ratio" in settings)

    def test_the_rollout_is_chosen_with_the_mouse(self):
        window = self.start_heads()
        window.click("heads.rollout")
        window.click("heads.rollout.of their largest")
        window.until(lambda r: "heads.combined.1" in r["names"], "the map")
        window.until_reports(field__rollout="max")
        window.point("heads.combined.1")
        window.settled()
        window.click("heads.rollout.discard")
        window.click("heads.rollout.discard.without the lowest 90 %")
        window.until_reports(field__rollout_discard="0.9")
        window.key("ctrl+z")
        window.until_reports(field__rollout_discard="0")
        window.click("heads.rollout")
        window.click("heads.rollout.no rollout")
        window.until(lambda r: "heads.combined.1" not in r["names"], "no map")


if __name__ == "__main__":
    main()
