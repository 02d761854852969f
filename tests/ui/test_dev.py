"""`./dev run` where there is no display: pictures of the window, made of a program already built."""

import shutil
import subprocess

from harness import IMAGES, PATIENCE, SOURCE, STEPS, WindowTest, environment, main

NAMES = [f"{number:02}-{step}.png" for number, step in enumerate(STEPS, 1)]
# Nothing to build here, and nothing to install: dpkg-query calls every package installed.
STANDINS = {"cmake": 'echo "$@" >>"$(dirname "$0")/cmake.log"', "ctest": "exit 0", "dpkg-query": 'shift 2; printf "|%s installed" "$@"'}


class Dev(WindowTest):
    def setUp(self):
        super().setUp()
        self.root = self.folder / "checkout"
        (self.root / "build" / "release").mkdir(parents=True)
        (self.root / "build" / "release" / "headlight").symlink_to(self.program)
        (self.root / "assets").symlink_to(SOURCE / "assets")
        shutil.copy(SOURCE / "dev", self.root)
        self.tools = self.folder / "tools"
        self.tools.mkdir()
        for name, work in STANDINS.items():
            (self.tools / name).write_text(f"#!/bin/bash\n{work}\n")
            (self.tools / name).chmod(0o755)

    def dev(self, *words):
        variables = environment(self.folder)
        variables["PATH"] = f"{self.tools}:{variables['PATH']}"
        return subprocess.run([self.root / "dev", *words], cwd=self.folder, env=variables,
                              capture_output=True, text=True, timeout=PATIENCE * 4, check=False)

    def run_dev(self, *images):
        return self.dev("run", *images)

    def assert_tour(self, folder):
        self.assertEqual(sorted(path.name for path in folder.iterdir()), NAMES)

    def test_one_image(self):
        done = self.run_dev(IMAGES / "shapes.png")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_tour(self.root / "out")

    def test_several_images_each_in_its_folder(self):
        other = self.folder / "other"
        other.mkdir()
        shutil.copy(IMAGES / "coffee.jpg", other / "shapes.jpg")
        done = self.run_dev(IMAGES / "shapes.png", other / "shapes.jpg")
        self.assertEqual(done.returncode, 0, done.stderr)
        out = self.root / "out"
        self.assertEqual(sorted(path.name for path in out.iterdir()), ["shapes", "shapes-2"])
        for folder in out.iterdir():
            self.assert_tour(folder)
        first, second = ((out / name / NAMES[0]).read_bytes() for name in ("shapes", "shapes-2"))
        self.assertNotEqual(first, second)

    def test_only_who_develops_is_stopped_by_a_warning(self):
        cache = self.root / "build" / "release" / "CMakeCache.txt"
        log = self.tools / "cmake.log"
        for words, there, strict in (("build",), False, False), (("test",), False, True), (
                ("test",), True, False):
            if there:
                cache.touch()
            done = self.dev(*words)
            self.assertEqual(done.returncode, 0, done.stderr)
            said = log.read_text()
            log.unlink()
            self.assertIn("--preset release", said)
            self.assertEqual("-DHEADLIGHT_WERROR=ON" in said, strict, (words, there))

    def test_no_image_no_pictures(self):
        letter = self.folder / 'my "letter".png'
        letter.write_text("This is a letter, not a picture.\n")
        done = self.run_dev(letter)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"{letter}: expected a PNG", done.stderr)
        self.assertEqual(list((self.root / "out").iterdir()), [])


if __name__ == "__main__":
    main()
