"""`headlight shot`: scripts played in the real window, and the pictures that they take."""

import re
import shutil

from harness import IMAGES, SOURCE, STEPS, WindowTest, main
from png import Png

SCRIPTS = SOURCE / "tests" / "ui" / "scripts"
TOUR = SOURCE / "assets" / "scripts" / "tour.txt"


class Shots(WindowTest):
    def assert_pictures(self, names, size):
        """These and no others, each with something in it, no two the same."""
        folder = self.folder / "out"
        self.assertEqual(sorted(path.name for path in folder.iterdir()),
                         sorted(name + ".png" for name in names))
        pictures = [Png(folder / (name + ".png")) for name in names]
        for name, picture in zip(names, pictures, strict=True):
            self.assertEqual((picture.width, picture.height), size, name)
            self.assertGreater(picture.distinct_lines(), size[1] / 4, name)
        contents = {(folder / (name + ".png")).read_bytes() for name in names}
        self.assertEqual(len(contents), len(names))
        return pictures

    def walk(self, width, height, theme):
        done = self.play(f"size {width} {height}\nset theme {theme}\n"
                         + (SCRIPTS / "walk.txt").read_text())
        self.assertEqual(done.returncode, 0, done.stderr)
        for picture in self.assert_pictures(STEPS, (width, height)):
            if theme == "dark":
                self.assertLess(max(picture.first_pixel()), 64)
            else:
                self.assertGreater(min(picture.first_pixel()), 192)

    def test_all_steps_dark(self):
        self.walk(1600, 1000, "dark")

    def test_all_steps_light(self):
        self.walk(1600, 1000, "light")

    def test_all_steps_small_and_dark(self):
        self.walk(1280, 720, "dark")

    def test_all_steps_small_and_light(self):
        self.walk(1280, 720, "light")

    def test_all_steps_for_a_projector(self):
        done = self.play("set lecture on\nset theme light\n" + (SCRIPTS / "walk.txt").read_text())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_pictures(STEPS, (1600, 1000))

    def test_a_dense_monitor(self):
        done = self.play("size 3840 2160\nscale 2\nstep products\npointer stage.result[20,30]\n"
                         "expect arithmetic.row 20\nexpect arithmetic.col 30\nshot products\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_pictures(["products"], (3840, 2160))

    def test_a_picture_waits_for_what_its_screen_measures(self):
        """Views ask for it while they are drawn, and one answer leads to the next question."""
        scenes = SOURCE / "assets" / "models" / "scenes"
        for name, *changes in (("heads", "set screen heads"),
                               ("groups", "set screen heads", "set heads_order groups"),
                               ("positions", "set screen positions", "set position_page properties"),
                               ("scores", "close-model", "step products", "set scores_view all"),
                               ("gradient", "step softmax", "set gradient true")):
            with self.subTest(name):
                done = self.play("\n".join([f"open-model {scenes}", "scene 7", *changes,
                                            f"shot {name}.at-once", "wait", f"shot {name}.later", ""]))
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                at_once, later = (self.folder / "out" / f"{name}.{when}.png"
                                  for when in ("at-once", "later"))
                self.assertEqual(at_once.read_bytes(), later.read_bytes())

    def bench_drag(self, change, frames=24):
        """On Positions: what it prints, or why it does not."""
        done = self.play("\n".join([f"open {IMAGES / 'shapes.png'}", "set screen positions", "wait",
                                    f"bench-drag {frames} {change}", ""]))
        return done.stdout + done.stderr

    def test_a_measured_drag_shows_other_pictures(self):
        """Also of whole numbers, by which nothing would be measured if they were refused."""
        for change in ("position_channel 0 700", "position_base 100 20000", "image_size 64 320"):
            for frames in (24, 240, 2400):  # a slow machine has shown few pictures after 24
                said = self.bench_drag(change, frames)
                found = re.search(r"(\d+) values set, (\d+) new pictures", said)
                self.assertIsNotNone(found, said)
                self.assertGreaterEqual(int(found[1]), 12, said)
                if int(found[2]) >= 4:
                    break
            else:
                self.fail(said)

    def test_a_drag_that_changes_nothing_is_not_measured(self):
        for change, why in (("position_channel 5 5", "every frame set the same value, 5"),
                            ("theme 0 1", "expected a field of numbers"),
                            ("nothing 0 1", 'no field "nothing"')):
            self.assertIn(why, self.bench_drag(change))

    def test_what_is_drawn_in_parts_looks_like_the_whole(self):
        """Only what changes is drawn: pixel by pixel the same as a window drawn anew."""
        scenes = SOURCE / "assets" / "models" / "scenes"
        lines, count = ["scene 2000000049", f"open-model {scenes}", "wait"], 0

        def compare(*changes):
            nonlocal count
            lines.extend([*changes, f"shot {count}.parts", "size 1601 1000", "shot between",
                          "size 1600 1000", f"shot {count}.whole"])
            count += 1
        for step in ["patches", "products", "softmax"]:
            compare(f"step {step}")
            compare("pointer stage.result[9,30]", "pointer ribbon.products",
                    "pointer stage.result[9,31]", "pointer image.patches")
        compare("set temperature 0.4", "wait")
        compare("shape-move 1 50 40", "wait")
        compare("scroll stage.result[20,30] 3", "pointer stage.result[20,30]")
        compare("set screen heads", "wait", "pointer heads.map.2.3", "pointer heads.map.2.4")
        compare("set screen positions", "wait", "pointer positions.table")
        compare("set screen walk", "set theme light", "key ?", "key Escape")
        compare("set lecture on")
        done = self.play("\n".join(lines) + "\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        for i in range(count):
            parts, whole = (self.folder / "out" / f"{i}.{which}.png" for which in ("parts", "whole"))
            self.assertEqual(parts.read_bytes(), whole.read_bytes(), f"picture {i}")

    def test_what_a_person_can_do(self):
        done = self.play((SCRIPTS / "hands.txt").read_text())
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def first_minute(self, photograph):
        """What the script prints, by name, and its pictures."""
        shutil.copy(IMAGES / photograph, self.folder / "photograph.jpg")
        done = self.play((SCRIPTS / "photograph.txt").read_text().replace("assets/", f"{SOURCE}/assets/"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        printed = {}
        for line in done.stdout.splitlines():
            name, _, value = line.partition(" ")
            printed.setdefault(name, []).append(value)
        names = ["1-dropped", "2-pointed", "3-head", "4-walk", "5-image", "6-mix", "7-last"]
        return printed, dict(zip(names, self.assert_pictures(names, (1200, 800)), strict=True))

    def test_the_first_minute_with_a_photograph_of_ones_own(self):
        """Its pictures show the photograph: of two photographs, the same moment differs in more than words."""
        coins, of_coins = self.first_minute("coins.jpg")
        shutil.rmtree(self.folder / "out")
        dahlia, of_dahlia = self.first_minute("dahlia.jpg")
        for said in (coins, dahlia):
            self.assertEqual(said["state.image"], [str(self.folder / "photograph.jpg")] * 2)
            self.assertTrue(said["field.weights"][0].endswith("photos/model.safetensors"))
            self.assertIn("appears twice", said["look.question"][0])
            self.assertEqual(len(set(said["look.answer"])), 2)  # another one for the patch under the pointer
            # The patch that was pointed at stays the one that Walk follows.
            self.assertEqual(said["state.token"], said["look.token"] * 2)
        self.assertNotEqual(coins["look.answer"], dahlia["look.answer"])
        for name, least in (("1-dropped", 0.3), ("5-image", 0.1)):
            rows, others = of_coins[name].pixels(), of_dahlia[name].pixels()
            changed = sum(max(abs(x - y) for x, y in zip(one, other)) > 8
                          for row, beside in zip(rows, others) for one, other in zip(row, beside))
            self.assertGreater(changed, least * 1200 * 800, name)

    def test_dropped_files(self):
        shutil.copy(IMAGES / "shapes.png", self.folder / "good.png")
        shutil.copy(IMAGES / "coffee.jpg", self.folder / "other.jpg")
        (self.folder / "empty.png").write_bytes(b"")
        (self.folder / "text.png").write_bytes(b"This is a letter, not a picture.\n")
        (self.folder / "truncated.png").write_bytes((IMAGES / "shapes.png").read_bytes()[:300])
        (self.folder / "bad.safetensors").write_bytes(b"no tensors here")
        done = self.play((SCRIPTS / "drop.txt").read_text())
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        images = [line.split(" ", 1)[1] for line in lines if line.startswith("state.image")]
        notices = [line.split(" ", 1)[1] for line in lines if line.startswith("notice")]
        good, other = str(self.folder / "good.png"), str(self.folder / "other.jpg")
        self.assertEqual(images, [good] * 6 + [other])
        self.assertEqual((notices[0], notices[-1]), ("", ""))
        for name, notice in zip(("empty.png", "text.png", "truncated.png", "missing.png",
                                 "bad.safetensors"), notices[1:-1], strict=True):
            self.assert_one_sentence(notice, name)
        self.assert_pictures(["after"], (1600, 1000))

    def test_the_tour(self):
        done = self.play(f'open "{IMAGES / "lighthouse.jpg"}"\n' + TOUR.read_text())
        self.assertEqual(done.returncode, 0, done.stderr)
        names = [f"{number:02}-{step}" for number, step in enumerate(STEPS, 1)]
        self.assert_pictures(names, (1600, 1000))
        self.assertEqual(done.stdout.splitlines(), [f"out/{name}.png" for name in names])

    def test_a_monkey_does_no_harm(self):
        done = self.play("size 800 600\nmonkey 150 1\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        said = done.stdout.splitlines()
        self.assertEqual(len(said), 150)
        self.assertTrue(all(line.startswith("try ") for line in said), said)
        again = self.play("try nonsense\n" + said[0] + "\n" + said[1] + "\n")
        self.assertEqual(again.returncode, 0, again.stderr)

    def test_an_expectation_that_fails_says_where(self):
        done = self.play("step next\n\nexpect state.step image\nshot never\n")
        self.assertEqual(done.returncode, 1)
        self.assert_one_sentence(done.stderr, "script.txt:3: ", "state.step", '"image"',
                                 '"patches"')
        self.assertFalse((self.folder / "out" / "never.png").exists())

    def test_a_file_that_cannot_be_used_ends_the_script(self):
        (self.folder / "text.png").write_bytes(b"This is a letter, not a picture.\n")
        for verb, name in (("open", "text.png"), ("open", "missing.png"),
                           ("set weights", "text.png")):
            done = self.play(f"{verb} {name}\nshot never\n")
            self.assertEqual(done.returncode, 1)
            self.assert_one_sentence(done.stderr, "script.txt:1: ", name)
            self.assertFalse((self.folder / "out" / "never.png").exists())
        shutil.copy(IMAGES / "shapes.png", self.folder / "good.png")
        done = self.play("drop text.png\nwait\nopen good.png\nexpect notice \"\"\n")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_setting_that_cannot_be_computed_ends_the_script(self):
        """Whatever would show or write what was computed before it; the message names its line."""
        drawn = f'open "{IMAGES / "shapes.png"}"\nset weights ""\n'
        scenes = f'open-model "{SOURCE / "assets/models/scenes"}"\n'
        for begin, bad, said in ((drawn, "set heads 5", "64 channels"),
                                 (scenes, "set image_size 65", "65"),
                                 (drawn + "drop text.png\n", "set heads 5", "64 channels")):
            (self.folder / "text.png").write_text("no picture")
            for last in ("wait", "shot never", "export never.npy stage.result", "export never.png",
                         "copy matrix", "figure never.svg", "print-value max(output)", "try dance", ""):
                with self.subTest(bad=bad, last=last):
                    done = self.play(begin + bad + "\nset theme light\nprint notice\n" + last + "\n")
                    self.assertEqual(done.returncode, 1, done.stdout)
                    line = begin.count("\n") + 1
                    self.assert_one_sentence(done.stderr, f"script.txt:{line}: ", said)
                    self.assertEqual(list(self.folder.glob("**/never*")), [])

    def test_a_setting_that_is_put_right_again_does_not_end_the_script(self):
        begin = f'open "{IMAGES / "shapes.png"}"\nset weights ""\nset screen walk\nstep softmax\n'
        for lines in ("set heads 5\nset channels 50", "set heads 5\nset mask causal\nset heads 2",
                      "set heads 5\nundo", "set heads 5\ndefaults", "try set heads 5"):
            with self.subTest(lines):
                done = self.play(begin + lines + "\nwait\nexport now.npy stage.result\nwait\n")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                (self.folder / "now.npy").unlink()

    def test_the_help_lists_what_a_script_can_say(self):
        done = self.run_program("shot", "--help")
        self.assertEqual(done.returncode, 0, done.stderr)
        for said in ("click PLACE", "wait [MILLISECONDS]", "toggle FIELD", "shape-move SHAPE X Y",
                     "image_size 1..4096|model", "mask TEXT|none", "theme dark|light"):
            self.assertIn("\n  " + said, done.stdout)

    def test_lines_that_make_no_sense_say_so(self):
        for line, part in (("dance", "dance"), ("click nowhere.at.all", "nowhere.at.all"),
                           ("set temperature 99", "temperature"), ("size 3 3", "size"),
                           ('shot "open', "quote")):
            done = self.play(line + "\n")
            self.assertEqual(done.returncode, 1, line)
            self.assert_one_sentence(done.stderr, "script.txt:1: ", part)


if __name__ == "__main__":
    main()
