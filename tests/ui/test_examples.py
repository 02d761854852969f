"""The gallery: each example is played by a click and walked to its end, and one undo takes it back."""

import os
import re
import subprocess
from unittest.mock import patch

from harness import SOURCE, WindowTest, main

FOLDER = SOURCE / "assets" / "examples"
FILES = sorted(FOLDER.glob("*.txt"))
WITHOUT_TORCH = 77


def name_of(file):
    return file.stem.split("-", 1)[1]


def is_question(file):
    return file.read_text().splitlines()[0].endswith("?")


class Gallery(WindowTest):
    def open_gallery(self, app):
        app.choose("top.menu", "examples")
        app.until_reports(panel="examples")
        app.until(lambda r: any(n.startswith("files.example.") for n in r["names"]), "the cards")

    def reveal_card(self, app, name):
        """Scrolls the cards until the middle of this one is in sight.

        They lie where they were last left, so the card may be above them or below."""
        def middle(report):
            x, y, w, h = report["names"].get(name, below)["rect"]
            return y + h / 2

        left, top, width, height = app.rect("files.panel")
        first, last = top + 120, top + height - 60
        below = {"rect": (0, last + 1, 0, 0)}
        while not first < middle(app.settled()) < last:
            names = app.settled()["names"]
            cards = {n: names[n] for n in names if n.startswith("files.example.")}
            app.point_at(round(left + width * 0.6), round(top + height / 2))
            app.wheel(2 if middle(app.settled()) <= first else -2)
            app.until(lambda r: any(r["names"].get(n) != at for n, at in cards.items()),
                      f"{name} to scroll")

    def walk_to_the_end(self, app):
        """And back, with one undo."""
        app.key("End")
        step = app.reports()["state.step"]
        app.key("Right")
        self.assertEqual(app.reports()["state.step"], step)
        app.key("ctrl+z")

    def play(self, app, file, before):
        title, words, tried = (line[2:] for line in file.read_text().splitlines()[:3])
        self.assertTrue(title and words.endswith(".") and tried.startswith("Try: "), file.name)
        app.key("e")
        app.until(lambda r: r["reports"]["panel"] == "examples" and
                  any(n.startswith("files.example.") for n in r["names"]), "the cards")
        card = "files.example." + name_of(file)
        self.reveal_card(app, card)
        app.click(card)
        app.until(lambda r: r["reports"]["notice"].startswith(title.removesuffix(".") + (" Ctrl+Z" if title.endswith("?") else ". Ctrl+Z")), title)
        played = app.reports()
        self.assertEqual(played["panel"], "nothing")
        self.assertNotEqual({n: played[n] for n in before}, before, file.name)
        if played["field.screen"] == "walk":
            self.walk_to_the_end(app)
        app.key("ctrl+z")
        app.until(lambda r: {n: r["reports"][n] for n in before} == before, "what was there")

    def test_questions_come_first_and_what_is_said_stays_until_something_else_is_shown(self):
        app = self.start()
        self.open_gallery(app)
        tops = {n: about["rect"][1] for n, about in app.settled()["names"].items()
                if n.startswith("files.example.")}
        self.assertLess(tops["files.example.without-weights"],
                        tops.get("files.example.t2t-one-head", float("inf")))
        app.click("files.example.without-weights")
        app.until_reports(example__caption="Can attention work without weights?")
        app.key("Escape", "Right", "Left")
        self.assertIn("example.caption", app.settled()["names"])
        app.click("example.caption.close")
        app.until(lambda r: "example.caption" not in r["names"], "no caption")
        self.open_gallery(app)
        app.click("files.example.scores")
        app.until_reports(example__caption="Must a score be a dot product?")
        app.key("ctrl+z")
        app.until(lambda r: "example.caption" not in r["names"], "what was there before")

    def test_every_card_is_played_and_taken_back(self):
        app = self.start()
        before = {n: v for n, v in app.reports().items() if n.startswith("field.")}
        for file in sorted(FILES, key=lambda file: not is_question(file)):  # as they lie
            self.play(app, file, before)

    def test_the_browser_leads_there_and_back(self):
        app = self.start()
        app.browse()
        app.click("files.examples")
        app.until_reports(panel="examples")
        app.key("Right", "Right", "Return")  # the second card
        app.until(lambda r: r["reports"]["field.scores_view"] == "all", "the example")
        app.key("e")
        app.until_reports(panel="examples")
        app.click("files.sample.cat.jpg")
        app.until_reports(panel="nothing", state__image=str(SOURCE / "assets/images/cat.jpg"))

    def test_a_bad_file_changes_nothing_and_says_one_sentence(self):
        app = self.start()
        for text, said in (("set mask causal\n", "expected a comment with the example's title"),
                           ("# A\n# b.\nset mask causal\nstpe mask\n",
                            "bad.txt:4: There is no command \"stpe\"."),
                           ("# A\n# b.\nset heads 2\nclick stage\n",
                            "bad.txt:4: click works only in scripts"),
                           ("# A\n# b.\nopen missing.png\n", "missing.png")):
            with self.subTest(said):
                path = self.folder / "bad.txt"
                path.write_text(text)
                script = self.folder / "script.txt"
                script.write_text(f'drop "{path}"\nexpect field.mask none\n')
                done = self.run_program("shot", "--script", script, "--out", "out",
                                        display=self.display)
                if said.startswith("expected"):  # refused before it began
                    self.assertEqual(done.returncode, 0, done.stderr)
                else:
                    self.assertEqual(done.returncode, 1)
                    self.assert_one_sentence(done.stderr.strip(), said)
        self.assertEqual(app.reports()["notice"], "")

    def start_with_gallery(self, examples):
        """The shipped files, but for the gallery, which has these."""
        assets = self.folder / "assets"
        (assets / "examples").mkdir(parents=True)
        for path in (SOURCE / "assets").iterdir():
            if path.name != "examples":
                (assets / path.name).symlink_to(path)
        for name, commands in examples.items():
            (assets / "examples" / f"{name}.txt").write_text(f"# Of {name}\n# A sentence.\n{commands}")
        with patch.dict(os.environ, HEADLIGHT_ASSETS=str(assets)):
            return self.start()

    def test_a_command_that_fails_is_said_to_the_person(self):
        """Also for errors found only by the computation, after which the previous state is computed
        again."""
        drawn = 'set weights ""\n'
        bad = {"heads": (drawn + "set heads 5\nset mask causal\n", "heads.txt:4: 64 channels"),
               "layer": (drawn + "set layers 2\nlayer 3\n", "layer.txt:5:"),
               "model": ("open-model missing.safetensors\n", "missing.safetensors"),
               "later": (drawn + "set heads 5\nstep nowhere\n", "later.txt:4: 64 channels")}
        good = drawn + "set heads 3\nset channels 48\n"  # the last line puts the others right
        app = self.start_with_gallery({name: text for name, (text, _) in bad.items()} | {"good": good})
        before = {n: v for n, v in app.reports().items() if n.startswith("field.")}
        for name, (_, said) in bad.items():
            self.open_gallery(app)
            app.click(f"files.example.{name}")
            app.until(lambda r: said in r["reports"]["notice"] and not r["busy"], said)
            after = app.reports()
            self.assertIn(said, after["notice"])
            self.assertEqual({n: after[n] for n in before}, before)
            app.key("Escape", "ctrl+y")
            app.until(lambda r: "nothing to redo" in r["reports"]["notice"], "no way to half an example")
        self.open_gallery(app)
        app.click("files.example.good")
        app.until(lambda r: r["reports"]["notice"].startswith("Of good. Ctrl+Z"), "the example")

    def test_one_that_fails_leaves_what_there_was_to_undo_and_redo(self):
        app = self.start_with_gallery({"heads": 'set weights ""\nset heads 5\n'})
        start = app.reports()["field.theme"]
        app.key("t")
        app.until(lambda r: r["reports"]["field.theme"] != start, "the other theme")
        app.key("ctrl+z")
        app.until_reports(field__theme=start)
        self.open_gallery(app)
        app.click("files.example.heads")
        app.until(lambda r: "heads.txt:4: 64 channels" in r["reports"]["notice"] and not r["busy"], "the refusal")
        app.key("Escape", "ctrl+y")
        app.until(lambda r: r["reports"]["field.theme"] != start, "the other theme again")
        app.key("ctrl+z")
        app.until_reports(field__theme=start)

    def test_scripts_for_pytorch_agree(self):
        lines = []
        for file in FILES:
            lines += [f"example {name_of(file)}", "step last",
                      f'export "{self.folder}/{file.stem}.py"']
        script = self.folder / "script.txt"
        script.write_text("\n".join(lines) + "\n")
        done = self.run_program("shot", "--script", script, "--out", "out", display=self.display)
        self.assertEqual(done.returncode, 0, done.stderr)
        scripts = [self.folder / f"{file.stem}.py" for file in FILES]
        ran = subprocess.run(["/usr/bin/python3", SOURCE / "tests/cli/run_scripts.py", *scripts],
                             capture_output=True, text=True, check=False)
        if ran.returncode == WITHOUT_TORCH:
            self.skipTest(ran.stdout.strip())
        self.assertEqual(ran.returncode, 0, ran.stdout)
        self.assertEqual(len(ran.stdout.splitlines()), len(FILES), ran.stdout)


# State that may leak: experiments on vectors, on a signal and on pictures, with one layer, several
# and a model, a baseline, and display settings.
NASTY = ["""vectors royal
set projections learned
set temperature 0.1
set score additive
set mask causal
set weights_from max
set layers 6
layer 6
""", """signal waves
set window 9
set noise 0.5
set temperature 3
set score cosine
tokens "{points}" 3
set heads 3
set mask no_self
set dropout_attention 0.5
sample 5
""", """close-model
open "{coffee}"
set image_size 70
set patch_size 7
set color grey
set layers 4
layer 3
set value_channels 32
set outputs 16
set qkv_bias true
set seed 9
set sum_over queries
set activation_after relu
set queries 5
set query_seed 4
set positions none
set framing crop
pin
set channels 96
set temperature 7
vectors four
compare difference
""", """open-model "{scenes}"
scene 77
set mask "local 1"
set scale 0.01
switch-head 1 1
switch-head 4 3
layer 2
set rollout max
set positions relative
set position_base 50
set screen heads
set heads_order entropy
set heads_large true
set attention_scale linear
set reading by
set range own
set scores_view widths
set figure_layers 2
queries 3 5 9
reference "{points}"
"""]


def every_pair(things):
    """A sequence in which each element follows each other one and itself once (a de Bruijn sequence
    of order 2)."""
    for i, thing in enumerate(things):
        yield thing
        for other in things[i + 1:]:
            yield thing
            yield other
    yield things[0]


END = "panel"  # a report that says nothing of the example


class FromAnywhere(WindowTest):
    """An example shows the same from any previous state."""

    def reports_to_print(self):
        app = self.start()
        return sorted(n for n in app.reports() if n.startswith(("field.", "state.")))

    def lines_of(self, file, names):
        return [f"example {name_of(file)}", "wait", *(f"print {n}" for n in names),
                "print-value max(output)", "print-value deviation(output)", f"print {END}"]

    def played(self, lines):
        """What was printed, in parts that end with END, without it."""
        done = self.play("\n".join(["size 640 400", *lines]) + "\n")  # little to draw
        self.assertEqual(done.returncode, 0, done.stderr)
        return re.split(rf"^{END} .*\n", done.stdout, flags=re.MULTILINE)

    def test_examples_are_those_of_a_fresh_start(self):
        names = self.reports_to_print()
        fresh = {file: self.played(self.lines_of(file, names))[0] for file in FILES}
        images = SOURCE / "assets"
        order = []
        for nasty in NASTY:
            script = nasty.format(points=FOLDER / "data" / "points.safetensors",
                                  coffee=images / "images" / "coffee.jpg",
                                  scenes=images / "models" / "scenes").splitlines()
            for file in FILES:
                order.append((f"after a nasty state, {script[0]}", file, [f"try {line}" for line in script]))
        order += [("in a row", file, []) for file in every_pair(FILES)]
        # Each part begins with the end of the previous one, so that no pair is lost.
        for part in (order[start:start + 101] for start in range(0, len(order) - 1, 100)):
            said = self.played([line for _, file, lines in part
                                for line in lines + self.lines_of(file, names)])
            self.assertEqual(len(said), len(part) + 1)
            for found, (after, file, _) in zip(said, part):
                with self.subTest(after=after, example=file.name):
                    self.assertEqual(found.splitlines(), fresh[file].splitlines())

    def test_convolutions_have_the_relu_of_their_card(self):
        for name in ("convolutions", "summed-over-queries"):
            said, = self.played([f"example {name}", "print-value min(query)", "print-value max(query)"])
            least, most = (float(line.split()[-1].replace("−", "-")) for line in said.splitlines())
            self.assertGreaterEqual(least, 0, name)
            self.assertGreater(most, 0, name)


if __name__ == "__main__":
    main()
