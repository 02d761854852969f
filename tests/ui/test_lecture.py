"""Lecture view: what a speaker does with clicker, keys and mouse, in the real window."""

from harness import SOURCE, WindowTest, main

TALK = """# A talk

## First
```headlight
set screen walk
step softmax
cell 15 69
spotlight stage.result "All weights"
```
What the room reads.

? Which is right?
- this
- [x] that
- neither
> Because of that.

After the question.

<!-- note: Minute 0 to 5. Ask them first. -->

## Second
```headlight
set screen positions
```
It comes next.

| a table | of two |
|---|---|
| one | 2 |

## Third
```headlight
set screen look
```
The end.
"""


def overlap(a, b):
    return a[0] < b[0] + b[2] and b[0] < a[0] + a[2] and a[1] < b[1] + b[3] and b[1] < a[1] + a[3]


class Lecture(WindowTest):
    def begin(self):
        path = self.folder / "talk.md"
        path.write_text(TALK)
        app = self.start(path)
        app.until_reports(lesson__stop="1", busy="no")
        app.key("F11")
        app.until_reports(field__lecture="true", busy="no")
        return app

    def click_middle(self, app, button):
        app.xdotool("mousemove", 800, 500, "click", button)

    def test_the_keys_of_clickers_go_between_stops(self):
        app = self.begin()
        for key, stop in (("Right", "2"), ("Left", "1"), ("Next", "2"), ("space", "3"), ("Prior", "2"),
                          ("Left", "1")):
            app.key(key)
            app.until_reports(lesson__stop=stop, busy="no")
        for key in "Up", "Down", "Home", "End", "Return":
            app.key(key)
        self.assertEqual(app.reports()["lesson.stop"], "1")

    def test_it_fills_the_screen_and_comes_back(self):
        path = self.folder / "talk.md"
        path.write_text(TALK)
        app = self.start(path)
        app.until_reports(lesson__stop="1", busy="no")

        def size():
            window = app.xdotool("search", "--onlyvisible", "--pid", app.process.pid).split()[0]
            lines = app.xdotool("getwindowgeometry", "--shell", window).splitlines()
            values = dict(line.split("=") for line in lines)
            return tuple(int(values[key]) for key in ("X", "Y", "WIDTH", "HEIGHT"))

        window = app.xdotool("search", "--onlyvisible", "--pid", app.process.pid).split()[0]
        app.xdotool("windowsize", "--sync", window, 1200, 800)
        app.until(lambda r: r["names"]["screen"]["rect"][2] < 1200, "a smaller window")
        before = size()
        app.key("F11")
        app.until(lambda r: size() == (0, 0, 1600, 1000), "the whole screen")
        app.until_reports(field__lecture="true")
        app.key("F11")
        app.until_reports(field__lecture="false")
        app.until(lambda r: size()[2:] == before[2:], "the window as it was")

    def test_a_question_is_asked_answered_and_revealed_by_key(self):
        app = self.begin()
        self.assertNotIn("lesson.answer.1.1", app.read()["names"])
        app.key("q")
        report = app.until(lambda r: "lesson.answer.1.3" in r["names"], "all answers")
        self.assertEqual(report["reports"]["lesson.question.1"], "open")
        app.key("1")
        app.key("2")  # changed their minds
        self.assertEqual(app.reports()["lesson.question.1"], "open")
        app.key("Return")
        app.until_reports(lesson__question__1="right")
        app.key("q")  # the only one: the text again
        app.until(lambda r: "lesson.answer.1.1" not in r["names"], "the text")
        self.assertEqual(app.reports()["lesson.page"], "1 / 3")

    def test_a_wrong_answer_is_said_and_escape_puts_the_question_away(self):
        app = self.begin()
        app.key("q")
        app.until(lambda r: "lesson.answer.1.1" in r["names"], "the question")
        app.click("lesson.answer.1.3")
        app.key("Return")
        app.until_reports(lesson__question__1="second try")
        app.key("1")
        app.key("Return")
        app.until_reports(lesson__question__1="wrong")
        app.key("Escape")
        app.until(lambda r: "lesson.answer.1.1" not in r["names"], "the text")

    def test_more_of_a_stop_comes_by_page_and_a_table_has_the_window(self):
        app = self.begin()
        app.key("Right")
        app.until_reports(lesson__stop="2", lesson__page="1 / 2", busy="no")
        app.until(lambda r: "positions.table" in r["names"], "the screen")
        app.key("Down")
        app.until_reports(lesson__page="2 / 2")
        app.until(lambda r: "positions.table" not in r["names"], "the table in its place")
        app.key("Up")
        app.until(lambda r: "positions.table" in r["names"], "the screen again")

    def test_what_a_stop_says_goes_when_the_screen_moves_on(self):
        app = self.begin()
        app.until(lambda r: "lesson.callout.1" in r["names"] and "lesson.column" in r["names"], "the stop")
        app.key("bracketleft")
        report = app.until(lambda r: r["reports"].get("lesson.away") == "yes", "another layer")
        report = app.until(lambda r: "lesson.column" not in r["names"], "its words to go")
        self.assertNotIn("lesson.callout.1", report["names"])
        app.click("lesson.again")
        app.until_reports(lesson__away="no", lesson__spotlights="1", busy="no")
        app.key("ctrl+3")
        app.until_reports(lesson__away="yes")
        app.key("r")
        app.until_reports(lesson__away="no", field__screen="walk")

    def test_a_callout_covers_neither_what_it_points_at_nor_the_sentence(self):
        app = self.begin()
        names = app.until(lambda r: "lesson.callout.1" in r["names"], "a callout")["names"]
        callout = names["lesson.callout.1"]["rect"]
        for name in "stage.result", "lesson.column":
            self.assertFalse(overlap(callout, names[name]["rect"]), name)

    def test_improvising_and_the_way_back(self):
        app = self.begin()
        app.key("i")
        app.until(lambda r: "improvise.mask" in r["names"], "the controls")
        for name in ("improvise.temperature", "improvise.head.more", "improvise.layer.more", "improvise.photo",
                     "field.positions"):
            self.assertIn(name, app.read()["names"])
        app.choose("improvise.mask", "causal")
        app.until_reports(field__mask="causal", busy="no")
        app.click("improvise.head.more")
        app.until_reports(state__head="4", busy="no")
        app.key("r")
        app.until_reports(field__mask="none", state__head="3", busy="no")
        app.key("i")
        app.until(lambda r: "improvise.mask" not in r["names"], "no controls")

    def test_the_strip_has_all_that_a_single_layer_takes(self):
        done = self.play("size 1280 720\nset lecture true\nset improvise true\nwait\nprint-texts improvise\n")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        for label in "Temperature", "Mask", "Positions", "Score", "Heads", "Head", "Picture", "Reset":
            self.assertIn(label, done.stdout.splitlines())

    def test_the_answers_after_each_layer_keep_their_names(self):
        lesson = SOURCE / "assets" / "lessons" / "10-layers.md"
        done = self.play(f"size 1024 768\nlesson {lesson} 12\nset lecture true\nwait\nprint-texts heads.lens\n")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        for name in "cross", "square", "triangle", "star":
            self.assertIn(name, done.stdout.splitlines())

    def test_any_button_ends_the_black_screen(self):
        app = self.begin()
        for button in 3, 1, 2:
            app.key("period")
            app.until_reports(panel="blank")
            self.click_middle(app, button)
            app.until_reports(panel="nothing")
        app.key("b")
        app.until_reports(panel="blank")
        app.key("x")
        app.until_reports(panel="nothing")

    def test_dot_pen_and_spotlight_end_with_escape_and_with_lecture_view(self):
        app = self.begin()
        app.key("d")
        app.xdotool("mousemove", 700, 400)
        app.until_reports(pointer_dot="on")
        app.key("Escape")
        app.until_reports(field__pointer_dot="false")
        app.key("w")
        app.until_reports(pen="0")
        app.xdotool("mousemove", 500, 300, "mousedown", 1, "mousemove", 600, 350, "mousemove", 700, 450, "mouseup", 1)
        app.until_reports(pen="1")
        self.assertEqual(app.reports()["lesson.away"], "no")  # nothing below heard of it
        app.key("Right")
        app.until_reports(lesson__stop="2", pen="0")
        app.key("Escape")
        app.until_reports(field__pen="false")
        app.key("l")
        app.until_reports(field__pointer_light="true")
        app.key("F11")
        app.until_reports(field__lecture="false", field__pointer_light="false")

    def test_positions_follow_their_page(self):
        app = self.start()
        app.key("ctrl+4")
        app.until_reports(positions__page="table", busy="no")
        app.turn("order")
        app.key("F11")
        app.until_reports(field__lecture="true", positions__page="order", busy="no")
        app.until(lambda r: "positions.table" not in r["names"], "the order alone")

    def test_larger_type_and_notes_that_the_room_does_not_see(self):
        app = self.begin()
        height = app.read()["names"]["lesson.next"]["rect"][3]
        app.key("ctrl+plus")
        app.until(lambda r: r["names"]["lesson.next"]["rect"][3] > height, "larger type")
        app.key("n")
        app.until_reports(field__notes="true")
        self.assertNotIn("lesson.notes", app.reports())

    def test_the_presenter_sees_pictures_and_the_plan_and_asks(self):
        app = self.begin()
        app.key("ctrl+n")
        app.until(lambda r: r["presenter"] and "presenter.picture.now" in r["presenter"]["names"], "what is seen")
        app.until(lambda r: "presenter.picture.next" in r["presenter"]["names"], "what comes")
        self.assertEqual(app.read()["reports"]["presenter.plan"], "on time")
        app.key("q")
        app.until(lambda r: "lesson.answer.1.1" in r["names"], "the question for the room")
        app.key("2", "Return")
        app.until_reports(lesson__question__1="right", lesson__stop="1")


if __name__ == "__main__":
    main()
