"""The gallery: each example is played by a click and walked to its end, and one undo takes it back."""

import subprocess

from harness import SOURCE, WindowTest, main

FOLDER = SOURCE / "assets" / "examples"
FILES = sorted(FOLDER.glob("*.txt"))
WITHOUT_TORCH = 77


def name_of(file):
    return file.stem.split("-", 1)[1]


class Gallery(WindowTest):
    def open_gallery(self, app):
        app.click("top.examples")
        app.until_reports(panel="examples")
        app.until(lambda r: any(n.startswith("files.example.") for n in r["names"]), "the cards")

    def reveal_card(self, app, name):
        """Scrolls the cards until the middle of this one is in sight."""
        def in_sight(report):
            x, y, w, h = report["names"].get(name, {"rect": (0, 1e5, 0, 0)})["rect"]
            return y + h / 2 < bottom

        left, top, width, height = app.rect("files.panel")
        bottom = top + height - 60
        while not in_sight(app.settled()):
            names = app.settled()["names"]
            cards = {n: names[n] for n in names if n.startswith("files.example.")}
            app.point_at(round(left + width * 0.6), round(top + height / 2))
            app.wheel(-2)
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
        title, words = (line[2:] for line in file.read_text().splitlines()[:2])
        self.assertTrue(title and words.endswith("."), file.name)
        self.open_gallery(app)
        card = "files.example." + name_of(file)
        self.reveal_card(app, card)
        app.click(card)
        app.until(lambda r: r["reports"]["notice"].startswith(title + ". Ctrl+Z"), title)
        played = app.reports()
        self.assertEqual(played["panel"], "nothing")
        self.assertNotEqual({n: played[n] for n in before}, before, file.name)
        if played["field.screen"] == "walk":
            self.walk_to_the_end(app)
        app.key("ctrl+z")
        app.until(lambda r: {n: r["reports"][n] for n in before} == before, "what was there")

    def test_every_card_is_played_and_taken_back(self):
        app = self.start()
        before = {n: v for n, v in app.reports().items() if n.startswith("field.")}
        for file in FILES:
            self.play(app, file, before)

    def test_the_browser_leads_there_and_back(self):
        app = self.start()
        app.browse()
        app.click("files.examples")
        app.until_reports(panel="examples")
        app.key("Right", "Right", "Return")  # the second card
        app.until(lambda r: r["reports"]["field.weights"].endswith("t2t-layer/model.safetensors"),
                  "the example")
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
                            "bad.txt:4: click is for scripts alone"),
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


if __name__ == "__main__":
    main()
