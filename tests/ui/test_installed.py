"""Installs the build, moves it elsewhere and runs it there; and checks its desktop entries."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from unittest.mock import patch

from harness import SOURCE, WindowTest, main

PACKAGING = SOURCE / "packaging"
# What a desktop calls the formats in the manual's table of files. It opens scenes, lessons, examples and some
# checkpoints with other programs, as most files with these endings are something else.
TYPES = {"PNG": "image/png", "JPEG": "image/jpeg", "WebP": "image/webp", "TIFF": "image/tiff", "AVIF": "image/avif",
         "HEIC": "image/heif", "BMP": "image/bmp", "TGA": "image/x-tga", "GIF": "image/gif",
         "PSD": "image/vnd.adobe.photoshop", "PNM": "image/x-portable-anymap",
         ".safetensors": "application/x-safetensors", ".npz": "application/x-numpy-archive",
         ".npy": "application/x-numpy-array", ".pth": "application/x-pytorch-checkpoint",
         ".pt": "application/x-pytorch-checkpoint"}
ELSEWHERE = {".json", ".md", ".txt", ".bin", ".ckpt"}


def build_folder():
    return Path(WindowTest.program).parent


class Moved(WindowTest):
    def setUp(self):
        super().setUp()
        first, self.prefix = self.folder / "first", self.folder / "moved here" / "headlight"
        subprocess.run(["cmake", "--install", build_folder(), "--prefix", first], check=True, capture_output=True)
        self.prefix.parent.mkdir()
        first.rename(self.prefix)
        self.program = str(self.prefix / "bin" / "headlight")
        self.assets = self.prefix / "share" / "headlight"

    def start_first(self):
        return self.start("--session", self.folder / "new.session")

    def test_the_window_opens_the_models_and_pictures_beside_it(self):
        app = self.start_first()
        reports = app.until(lambda r: r["reports"].get("field.weights"), "a model")["reports"]
        self.assertEqual(reports["field.weights"], str(self.assets / "models" / "scenes" / "model.safetensors"))
        self.assertFalse(reports.get("notice"))

    def test_its_own_files_are_enough_for_the_command_line(self):
        model, image = self.assets / "models" / "photos" / "model.safetensors", self.assets / "images" / "cat.jpg"
        done = self.run_program("trace", "--model", model, "--image", image, "--out", "trace.safetensors")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater((self.folder / "trace.safetensors").stat().st_size, 1 << 20)


class Desktop(unittest.TestCase):
    def need(self, tool):
        if not shutil.which(tool):
            self.skipTest(f"no {tool} here")

    def entry(self):
        text = (PACKAGING / "headlight.desktop").read_text()
        return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)

    def own_types(self):
        space = {"m": "http://www.freedesktop.org/standards/shared-mime-info"}
        tree = ElementTree.parse(PACKAGING / "mime.xml")
        return {kind.get("type"): [glob.get("pattern") for glob in kind.findall("m:glob", space)]
                for kind in tree.findall("m:mime-type", space)}

    def test_the_entry_is_valid(self):
        self.need("desktop-file-validate")
        done = subprocess.run(["desktop-file-validate", PACKAGING / "headlight.desktop"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))

    def test_the_entry_has_a_type_for_each_format_of_the_manual(self):
        table = (SOURCE / "assets" / "manual" / "files.md").read_text().split("## ")[0]
        formats = set(re.findall(r"\b[A-Z][A-Za-z]*[A-Z]\b", " ".join(re.findall(r"^\| (PNG.*?) \|", table, re.MULTILINE))))
        formats |= set(re.findall(r"`(\.\w+)`", " ".join(re.findall(r"^\| (.*?) \|", table, re.MULTILINE))))
        self.assertEqual(formats - ELSEWHERE, set(TYPES))
        stated = self.entry()["MimeType"].strip(";").split(";")
        self.assertEqual(len(stated), len(set(stated)))
        self.assertLessEqual(set(TYPES.values()), set(stated))
        self.assertLessEqual(set(self.own_types()), set(stated))

    def test_types_of_our_own_are_known_after_installation(self):
        self.need("update-mime-database")
        with tempfile.TemporaryDirectory() as folder:
            packages = Path(folder, "mime", "packages")
            packages.mkdir(parents=True)
            shutil.copy(PACKAGING / "mime.xml", packages / "headlight.xml")
            with patch.dict(os.environ, XDG_DATA_DIRS=folder):
                subprocess.run(["update-mime-database", packages.parent], check=True, capture_output=True)
            globs = (packages.parent / "globs2").read_text()
        for kind, patterns in self.own_types().items():
            for pattern in patterns:
                self.assertRegex(globs, rf"(?m)^\d+:{re.escape(kind)}:{re.escape(pattern)}$")

    def test_the_icon_is_what_its_script_draws(self):
        drawn = subprocess.run(["python3", "-B", PACKAGING / "icon.py"], capture_output=True, text=True, check=True).stdout
        self.assertEqual((PACKAGING / "headlight.svg").read_text(), drawn)
        ElementTree.fromstring(drawn)

    def test_the_manual_page_has_no_errors(self):
        self.need("mandoc")
        page = subprocess.run([WindowTest.program, "man"], capture_output=True, text=True, check=True).stdout
        lint = subprocess.run(["mandoc", "-T", "lint", "-W", "error"], input=page, capture_output=True, text=True)
        self.assertEqual(lint.returncode, 0, lint.stdout)


if __name__ == "__main__":
    main()
