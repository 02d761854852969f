"""Faults caused by the system or other programs: nothing is lost, and a message appears."""

import errno
import os
import signal
import subprocess
import time

from harness import IMAGES, PATIENCE, SOURCE, WindowTest, environment, main, write_layer

MODEL = SOURCE / "assets" / "models" / "t2t-layer" / "model.safetensors"


class Faults(WindowTest):
    def test_a_model_that_is_cut_off_while_it_is_shown(self):
        layer = write_layer(self.folder / "layer.safetensors")
        app = self.start(IMAGES / "cat.jpg", "--model", layer)
        app.go_to("softmax")
        whole = layer.read_bytes()
        os.truncate(layer, 1000)  # as saving over it begins
        app.point("ribbon.products")  # the person is back
        app.until(lambda r: "changed on disk" in r["reports"]["notice"], "a notice")
        app.key("Escape")
        app.reveal("field.temperature")
        app.drag("field.temperature", -60, 0)  # computed from what was read
        self.assertNotEqual(app.reports()["field.temperature"], "1")
        app.browse()
        app.enter_path(layer)
        said = app.until(lambda r: "expected" in r["reports"]["notice"], "a refusal")["reports"]
        self.assert_one_sentence(said["notice"], "layer.safetensors")
        self.assertEqual(said["state.step"], "softmax")
        layer.write_bytes(whole)
        app.browse()
        app.enter_path(layer)
        app.until_reports(notice="", field__weights=str(layer))
        self.assertEqual(app.quit(), 0)

    def test_a_report_that_cannot_be_written_for_a_while(self):
        app = self.start()
        end = time.monotonic() + PATIENCE
        said, pause = "", 0.2
        while "it is a directory" not in said:
            self.assertLess(time.monotonic(), end, "the failure was not noticed")
            app.report_file.unlink(missing_ok=True)
            app.report_file.mkdir()
            app.key("t")
            time.sleep(pause)  # too short where the machine is slow: then once more
            pause *= 2
            app.report_file.rmdir()
            app.xdotool("mousemove_relative", "--", 5, 0)
            said = app.until(lambda r: True, "a report")["reports"]["notice"]
        self.assertEqual(app.quit(), 0)

    def test_a_signal_ends_a_trace_that_waits_for_a_pipe(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        trace = subprocess.Popen([self.program, "trace", "--model", MODEL, "--image", pipe,
                                  "--out", "out.safetensors"], cwd=self.folder,
                                 env=environment(self.folder))
        self.addCleanup(trace.kill)
        writer = self.open_when_read(pipe)
        os.write(writer, b"P6")
        trace.send_signal(signal.SIGTERM)
        self.assertEqual(trace.wait(PATIENCE), -signal.SIGTERM)
        os.close(writer)
        self.assertEqual([entry.name for entry in self.folder.iterdir()], ["pipe"])

    def open_when_read(self, pipe):
        end = time.monotonic() + PATIENCE
        while True:
            try:
                return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
            except OSError as error:
                self.assertEqual(error.errno, errno.ENXIO)
            self.assertLess(time.monotonic(), end, "nobody reads")
            time.sleep(0.01)

    def test_a_picture_through_a_pipe(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        writer = subprocess.Popen(["sh", "-c", f"cat {IMAGES / 'cat.jpg'} > {pipe}"])
        done = self.run_program("trace", "--model", MODEL, "--image", pipe, "--out", "a")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        writer.wait(PATIENCE)
        self.run_program("trace", "--model", MODEL, "--image", IMAGES / "cat.jpg", "--out", "b")
        self.assertEqual((self.folder / "a").read_bytes(), (self.folder / "b").read_bytes())

    def test_a_working_folder_that_is_gone(self):
        script = self.folder / "script.txt"
        script.write_text("shot a\n")
        for arguments in (["trace", "--model", "m", "--image", "a.png", "--out", "out"],
                          ["shot", "--script", str(script), "--out", "pictures"],
                          ["trace", "--model", str(MODEL), "--image", str(IMAGES / "cat.jpg"),
                           "--out", "out"]):
            with self.subTest(arguments[:2]):
                gone = self.folder / "gone"
                gone.mkdir()
                done = subprocess.run(
                    ["sh", "-c", 'cd gone; rmdir ../gone; exec "$@"', "sh", self.program,
                     *arguments], cwd=self.folder, env=environment(self.folder, self.display),
                    capture_output=True, text=True, timeout=PATIENCE, check=False)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assert_one_sentence(done.stderr)
                self.assertNotIn("filesystem error", done.stderr)

    def test_little_memory(self):
        """Wherever memory runs out, there is an error message."""
        layer = write_layer(self.folder / "layer.safetensors")
        work = ["trace", "--model", layer, "--image", IMAGES / "cat.jpg", "--out", "out",
                "--attention", '{"image_size": 640}']
        if self.run_within(2000, ["--help"]).returncode != 0:
            self.skipTest("a sanitizer needs address space")
        # Below this, the system's loader cannot load the libraries, and the program does not start.
        least = next(megabytes for megabytes in range(100, 2000, 10)
                     if self.run_within(megabytes, ["--help"]).returncode == 0)
        failed = 0
        for megabytes in range(least, least + 300, 10):
            with self.subTest(megabytes):
                done = self.run_within(megabytes, work)
                self.assertIn(done.returncode, (0, 1), done.stderr)
                if done.returncode == 1:
                    self.assert_one_sentence(done.stderr, "memory")
                    failed += 1
        self.assertGreater(failed, 5)

    def run_within(self, megabytes, arguments):
        return subprocess.run(
            ["sh", "-c", f'ulimit -v {megabytes}000; exec "$@"', "sh", self.program, *arguments],
            cwd=self.folder, env=environment(self.folder), capture_output=True, text=True,
            timeout=PATIENCE * 4, check=False)


if __name__ == "__main__":
    main()
