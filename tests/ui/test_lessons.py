"""Lessons: checked, printed, begun, and read in the real window."""

import re
import time
from xml.etree import ElementTree

from harness import SOURCE, WindowTest, main
from png import Png

LESSONS = SOURCE / "assets" / "lessons"
SHIPPED = sorted((path for path in LESSONS.glob("*-*.md")),
                 key=lambda path: int(path.name.split("-")[0]))

OWN = """# Mine

## Cold
```headlight
step softmax
set temperature 0.5
spotlight stage.result[40,*] "A row"
```
Temperature {value temperature}. [Back](do:step products), [queries](symbol:query).

? Which?
- [x] this
- that
  > Compare it with this.
- those
> Because.

! Make it warm.
with: temperature
until: temperature > 2
solution: set temperature 2.5

## Maps
```headlight
set screen heads
```
Words.
"""


def alike(there, back):
    """Whether two pictures are the same. Where only a part of the window is drawn again, Mesa 25 rounds a few colors
    otherwise: at most 16 pixels may differ, by one of 256 levels."""
    if there.read_bytes() == back.read_bytes():
        return True
    pairs = [pair for rows in zip(Png(there).pixels(), Png(back).pixels(), strict=True)
             for pair in zip(*rows, strict=True) if pair[0] != pair[1]]
    return len(pairs) <= 16 and all(abs(a - b) <= 1 for pair in pairs for a, b in zip(*pair, strict=True))


class Lessons(WindowTest):
    def play(self, script):
        path = self.folder / "script.txt"
        path.write_text(script)
        done = self.run_program("shot", "--script", path, "--out", "out", display=self.display)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def own(self, text=OWN):
        path = self.folder / "mine.md"
        path.write_text(text)
        return path

    def test_what_a_speaker_needs(self):
        own = self.own(OWN.replace("Words.", "Words.\n\n<!-- note: Ask them first. -->"))
        app = self.start(own)
        app.until_reports(lesson__stop="1")
        app.key("Next")
        app.until_reports(lesson__stop="2")
        self.assertNotIn("lesson.notes", app.reports())
        app.key("n")
        app.until_reports(lesson__notes="Ask them first.")
        app.key("F11")
        app.until_reports(field__lecture="true")
        app.key("l")
        app.point("screen")
        app.until_reports(pointer_light="on")
        app.key("period")
        app.until(lambda r: "blank" in r["names"], "a black screen")
        app.key("Next")
        app.until(lambda r: "blank" not in r["names"], "the lesson again")

    def test_a_screen_is_recorded_for_a_stop(self):
        saved = self.folder / "cold.headlight.json"
        self.play(f'open "{SOURCE / "assets/images/bee.jpg"}"\nset screen heads\nset temperature 0.25\nhead 2\n'
                  f'wait\nsave-experiment "{saved}"\n')
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        saved.rename(elsewhere / saved.name)
        lesson = elsewhere / "recorded.md"
        lesson.write_text("# T\n\nX.\n\n## One\n```headlight\nopen-experiment cold.headlight.json\n```\nWords.\n\n## Two\nWords.\n")
        self.assertEqual(self.run_program("lesson", "check", lesson).returncode, 0)
        self.play(f'lesson "{lesson}" 2\nwait\nexpect field.temperature 1\nlesson-stop 1\nwait\nexpect field.temperature 0.25\n'
                  "expect field.screen heads\nexpect state.head 2\n")

    def test_a_task_says_what_is_missing_and_shows_how(self):
        app = self.start(self.own())
        app.until_reports(lesson__task__1="open", busy="no")
        self.assertIn("now 0.500, needs more than 2", app.reports()["lesson.task.1.state"])
        app.click("lesson.solve.1")
        app.until_reports(lesson__task__1="done", field__temperature="2.5")
        self.assertEqual(app.reports()["lesson.task.1.state"], "now 2.500")
        self.assertNotIn("lesson.solve.1", app.settled()["names"])
        app.key("ctrl+z")
        app.until_reports(lesson__task__1="done", field__temperature="0.5")

    def test_numbers_that_a_stop_speaks_of_are_written_into_their_cells(self):
        lines = ["set theme light", f"lesson {LESSONS / '5-query-key-value.md'} 3"]
        for size in "1280 720", "1024 768", "1600 1000":
            lines += [f"size {size}", "set lecture false"]
            for stop, widgets in ((3, ("top", "result")), (4, ("left", "result")),
                                  (5, ("top", "result")), (6, ("top", "result")),
                                  (7, ("top", "result"))):
                lines += [f"lesson-stop {stop}", "wait"]
                lines += [f"print-texts stage.{widget}" for widget in widgets]
        lines += ["size 1600 1000", "set lecture true"]
        for stop in 3, 4, 6, 7:
            lines += [f"lesson-stop {stop}", "wait", "print-texts stage.result"]
        said = self.play("\n".join(lines) + "\n")
        # 3 sizes, 8 to 24 cells each, and as many again in the lecture.
        numbers = re.findall(r"^[-\u2212]?\d\.\d+$", said, re.MULTILINE)
        self.assertGreaterEqual(len(numbers), 3 * (8 + 16 + 12 + 16 + 8 + 8 + 12 + 24 + 8 + 16) + 16 + 16 + 24 + 16 - 6)

    def test_a_link_has_no_holes(self):
        own = self.own(OWN.replace("[Back](do:step products)",
                                   "[two long words](do:set temperature 3)"))
        app = self.start(own)
        app.until_reports(lesson__stop="1", field__temperature="0.5", busy="no")
        x, y, w, h = app.rect("lesson.link.1")
        for part in range(1, 20):
            app.point_at(round(x + w * part / 20), round(y + h / 2))
            app.xdotool("click", 1)
            app.until_reports(field__temperature="3")
            app.key("ctrl+z")
            app.until_reports(field__temperature="0.5")

    def test_a_resting_pointer_does_not_move_what_a_stop_points_at(self):
        own = self.own("# T\n\n## A\n```headlight\nfocus 14\n```\nWords.\n\n"
                       "## B\n```headlight\nfocus 68\n```\nMore.\n")
        app = self.start(own)
        app.until_reports(lesson__stop="1", busy="no")
        app.point("image.patches[1,1]")
        app.until_reports(lit__image__patches="12")  # the class token is the first
        app.key("Next")
        app.until_reports(lesson__stop="2", lit__image__patches="68", busy="no")
        x, y = app.pointer
        app.point_at(x + 2, y)
        app.until_reports(lit__image__patches="12")

    def test_what_comes_along_is_right(self):
        done = self.run_program("lesson", "check", *SHIPPED)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(len(done.stdout.splitlines()), len(SHIPPED))
        lectures = self.run_program("lesson", "check", *sorted(LESSONS.glob("lecture*.md")))
        self.assertEqual((lectures.returncode, lectures.stderr), (0, ""))
        self.assertEqual(len(lectures.stdout.splitlines()), 3)
        tour, *courses = done.stdout.splitlines()
        self.assertRegex(tour, r"0-first-look.*stops 3, questions 0, tasks 0: no mistakes")
        self.assertEqual(len(courses), 12)
        for line in courses:
            self.assertRegex(line, r"stops ([6-9]|1[0-3]), questions [1-9]\d*, tasks [1-9]\d*: no mistakes")
        for path in SHIPPED:
            self.assertIn("\n## Sources\n", path.read_text(), path.name)
            self.assertTrue(path.with_suffix(".jpg").exists(), path.name)

    def test_the_lessons_are_a_course(self):
        """Each states its duration and prerequisites, ends with a summary, and leads to the
        next."""
        for path, following in zip(SHIPPED[1:], [*SHIPPED[2:], SHIPPED[1]]):
            text = path.read_text()
            introduction, *stops = text.split("\n## ")
            self.assertRegex(introduction, r"\b([89]|1[0-5]) minutes\. ", path.name)
            self.assertRegex(introduction, r"(Before this|before): lessons? \d|Lesson \d+ helps|No prior knowledge", path.name)
            last = stops[-2]
            self.assertIn("### What you understood", last, path.name)
            self.assertIn(f"({following.name})", last, path.name)
        words = " ".join(path.read_text() for path in SHIPPED)
        for word in ("attention weight", "weighted sum", "embedding", "bias", "residual connection", "logit",
                     "standard deviation", "gradient", "causal", "multi-head", "padding", "feed-forward",
                     "cross-attention", "convolution", "probability distribution", "differentiable"):
            self.assertIn(word, words.lower())

    def test_the_lectures_take_their_time(self):
        """Their notes say when each stop begins and ends, without a gap."""
        for name, minutes in ("lecture", 90), ("lecture_45", 45), ("lecture_20", 20):
            text = (LESSONS / f"{name}.md").read_text()
            times = [(int(a), int(b)) for a, b in re.findall(r"note: Minute (\d+) to (\d+)\.", text)]
            self.assertEqual(len(times), text.count("\n## ["))
            self.assertEqual([a for a, _ in times], [0, *(b for _, b in times[:-1])])
            self.assertEqual(times[-1][1], minutes, name)

    def test_what_is_wrong_is_said_with_its_line(self):
        wrong = self.own("# T\n\n## A\n```headlight\nstep nothing\nspotlight stage.nothing \"x\"\n```\n"
                         "{value nothing} [a](symbol:b) [c](do:step d) [e](f.md)\n\n![g](h.png)\n\n"
                         "! Done already.\nuntil: temperature = 1\nsolution: set temperature 1\n\n"
                         "! No way is told.\nuntil: temperature > 2\n\n"
                         "! No way.\nuntil: temperature > 2\nsolution: set temperature 1.5\n\n"
                         "! Refused.\nuntil: temperature > 2\nsolution: set temperature hot\n\n"
                         "! Two commands.\nuntil: temperature > 2 and mask = \"causal\"\n"
                         "solution: set temperature 3\nsolution: set mask causal\n")
        done = self.run_program("lesson", "check", wrong)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        lines = [int(line.split(":")[1]) for line in done.stderr.splitlines()]
        self.assertEqual(lines, [5, 6, 8, 8, 8, 8, 10, 12, 16, 19, 23, 25], done.stderr)

    def test_the_beginning_is_a_lesson_and_never_overwrites(self):
        done = self.run_program("lesson", "new", "first.md")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = self.run_program("lesson", "check", "first.md")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = self.run_program("lesson", "new", "first.md")
        self.assertEqual(done.returncode, 1)
        self.assert_one_sentence(done.stderr, "first.md", "already")

    def test_a_handout_needs_no_display(self):
        own = self.own(OWN.replace("Words.", "<script> & \"words\""))
        done = self.run_program("lesson", "handout", own, "--out", "page")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        page = (self.folder / "page" / "index.html").read_text()
        self.assertIn("<span class=\"value\">0.500</span>", page)
        self.assertIn("Answers", page)
        self.assertNotIn("<script>", page)
        alternatives = re.findall(r'<img src="(stop-\d\.svg)" alt="([^"]*)">', page)
        self.assertEqual([name for name, _ in alternatives], ["stop-1.svg", "stop-2.svg"])
        self.assertIn("Callout: A row.", alternatives[0][1])
        step, maps = (ElementTree.parse(self.folder / "page" / name).getroot() for name, _ in alternatives)
        texts = ["".join(text.itertext()) for text in step.iter("{http://www.w3.org/2000/svg}text")]
        self.assertIn("A row", texts)
        self.assertNotIn("BEFORE YOU GO ON", texts)  # the page says it in words
        self.assertNotIn("Lessons", texts)
        self.assertLess(float(step.get("width").strip("px")), 0.7 * 1600)
        self.assertGreater(len(list(maps.iter("{http://www.w3.org/2000/svg}image"))), 3)

    def test_a_handout_of_nothing_leaves_nothing(self):
        done = self.run_program("lesson", "handout", self.folder / "none.md", "--out", "page")
        self.assertEqual(done.returncode, 1)
        self.assert_one_sentence(done.stderr, "none.md")
        self.assertFalse((self.folder / "page").exists())

    def test_reading(self):
        own = self.own()
        out = self.play(f"""lesson "{own}"
wait
expect lesson.stop 1
expect lesson.spotlights 1
expect state.step softmax
expect lesson.task.1 open
expect lesson.question.1 open
expect-text "BEFORE YOU GO ON"
expect-that "temperature = 0.5 and step = \\"softmax\\""
print-value "2 * temperature"
click lesson.answer.1.2
expect lesson.question.1 "second try"
expect-text "Compare"
click lesson.answer.1.1
expect lesson.question.1 right
expect-text "Because."
click lesson.link.1
expect state.step products
set temperature 3
expect lesson.task.1 done
click lesson.again
expect state.step softmax
expect lesson.task.1 open
key PageDown
expect lesson.stop 2
expect field.screen heads
key PageDown
expect lesson.stop 2
key PageUp
expect lesson.stop 1
click lesson.dot.2
expect lesson.title Maps
lesson-leave restore
expect field.screen walk
expect field.temperature 1
""")
        self.assertIn("2 * temperature 1\n", out)

    def test_its_words_are_selected_and_copied(self):
        own = self.own(OWN.replace("Temperature {value", "It is *so* cold. Temperature {value"))
        app = self.start(own)
        app.until_reports(lesson__stop="1", busy="no")
        # A drag from one link to the other, which follows neither.
        x, y = app.place("lesson.link.1")
        to_x, to_y = app.place("lesson.link.2")
        app.drag("lesson.link.1", to_x - x, to_y - y)
        said = app.reports()
        self.assertRegex(said["lesson.selected"], r"^a?c?k, quer?i?$")
        self.assertEqual(said["state.step"], "softmax")
        app.key("ctrl+c")
        self.assertEqual(app.clipboard(), said["lesson.selected"])
        app.key("Escape")
        app.until(lambda r: "lesson.selected" not in r["reports"], "nothing selected")
        # One click, two, three.
        app.click("lesson.link.2", 2)
        app.until_reports(lesson__selected="queries")
        app.click("lesson.link.2", 3)
        paragraph = "It is so cold. Temperature 0.500. Back, queries."
        app.until_reports(lesson__selected=paragraph)
        app.key("ctrl+c")
        self.assertEqual(app.clipboard(), paragraph)
        app.click("stage.result[3,3]")
        app.until(lambda r: "lesson.selected" not in r["reports"], "nothing selected")
        app.click("lesson.link.1")
        app.until_reports(state__step="products")
        # All text of the stop.
        app.point("lesson.link.2")
        app.key("ctrl+a")
        app.key("ctrl+c")
        self.assertEqual(app.clipboard(), "Cold\n\n" + paragraph +
                         "\n\nWhich?\n1. this\n2. that\n3. those\n\nMake it warm.")
        app.key("Next")
        app.until_reports(lesson__stop="2")
        self.assertNotIn("lesson.selected", app.reports())
        # Without a selection, the matrix under the pointer is copied as usual.
        app.key("Prior")
        app.until_reports(lesson__stop="1", busy="no")
        app.point("stage.result[3,3]")
        app.key("ctrl+c")
        self.assertEqual(len(app.clipboard().split("\t")), 101)

    def test_each_stop_looks_the_same_from_everywhere(self):
        """The pictures of a lesson gone through forwards and backwards, pixel by pixel."""
        for path in SHIPPED:
            stops = path.read_text().split("\n## ")[1:-1]
            lines = [f'lesson "{path}"', "pointer 0 0"]

            def take(stop, way):
                # The text with the milliseconds of all heads differs.
                part = " heads.grid" if "\nset screen heads" in stops[stop] else ""
                name = self.folder / f"{stop}.{way}.png"
                lines.extend([f"lesson-stop {stop + 1}", "wait", f'export "{name}"{part}'])

            for stop in range(len(stops)):
                take(stop, "on")
            for stop in [*reversed(range(len(stops) - 1)), len(stops) - 1]:
                lines.append("set temperature 0.3")
                take(stop, "back")
            self.play("\n".join(lines) + "\n")
            for stop in range(len(stops)):
                there, back = (self.folder / f"{stop}.{way}.png" for way in ("on", "back"))
                self.assertTrue(alike(there, back), f"{path.name}, stop {stop + 1}")

    def test_an_example_gives_way_to_a_stop(self):
        """The example's remaining commands are not run at the stop."""
        app = self.start(self.own())
        app.until_reports(lesson__stop="1")
        app.key("Next")
        app.until_reports(lesson__stop="2")
        fields = {n: v for n, v in app.settled()["reports"].items() if n.startswith("field.")}
        app.key("Prior")
        app.until_reports(lesson__stop="1")
        app.key("e")
        app.until(lambda r: "files.example.without-weights" in r["names"], "the cards")
        app.click("files.example.without-weights")
        app.until_reports(panel="nothing")
        app.key("Next")
        app.until_reports(lesson__stop="2")
        found = app.settled()["reports"]
        self.assertEqual({n: found[n] for n in fields}, fields)
        self.assertEqual(found["notice"], "")
        app.key("ctrl+z")  # of the example, nothing is there to be undone
        app.until(lambda r: "nothing to undo" in r["reports"]["notice"], "a reason")
        found = app.settled()["reports"]
        self.assertEqual({n: found[n] for n in fields}, fields)
        app.key("t")
        app.until(lambda r: r["reports"]["field.theme"] != fields["field.theme"], "a change")
        app.key("ctrl+z")
        app.until(lambda r: {n: r["reports"][n] for n in fields} == fields, "the beginning of the stop")

    def test_the_list_and_a_dropped_file(self):
        own = self.own()
        out = self.play(f"""set screen lessons
print lessons.row.1
click lessons.row.1
expect lesson.stop 1
key PageDown
expect lesson.stop 2
lesson-leave keep
set screen lessons
print lessons.row.1
drop "{own}"
wait
expect lesson.title Cold
drop "{self.folder / 'none.md'}"
print notice
""")
        self.assertIn("stop 2 of", out)
        self.assertIn("none.md: expected a lesson, found nothing.", out)

    def test_a_lesson_that_is_saved_in_an_editor_is_read_again(self):
        own = self.own()
        window = self.start(own)
        window.until(lambda r: r["reports"].get("lesson.stop") == "1", "the first stop")
        window.key("Page_Down")
        window.until(lambda r: r["reports"].get("lesson.title") == "Maps", "the second stop")
        time.sleep(0.05)  # another time of writing
        self.own(OWN.replace("## Cold", "## New\nx\n\n## Cold"))
        window.until(lambda r: r["reports"].get("lesson.stop") == "3", "the same stop, the third now")
        self.assertEqual(window.reports()["lesson.title"], "Maps")


if __name__ == "__main__":
    main()
