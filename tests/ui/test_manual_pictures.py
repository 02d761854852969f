"""The pictures in the manual show what the program draws.

Fonts and graphics cards draw edges differently, so small squares of both are compared by their mean color."""

import re
import sys
import tempfile
import unittest
from pathlib import Path

from harness import SOURCE, WindowTest, environment, main

try:
    import numpy
    from PIL import Image
except ImportError:
    Image = None
else:
    sys.path.insert(0, str(SOURCE / "assets"))
    import make_pictures

MANUAL = SOURCE / "assets" / "manual"
PICTURES = MANUAL / "pictures"
SQUARE = 16           # pixels along a side
MOST_DIFFERENCE = 20  # of 255, of a square's mean
MOST_SQUARES = 0.08   # of all, that may differ by more
MOST_BYTES = 1_500_000


def squares(path):
    """The mean color of each square, [rows, columns, 3]."""
    picture = Image.open(path).convert("RGB")
    return numpy.asarray(picture.resize((picture.width // SQUARE, picture.height // SQUARE), Image.BOX), float)


@unittest.skipIf(Image is None, "needs python3-pil and python3-numpy")
class ManualPictures(WindowTest):
    def test_they_show_what_the_program_draws(self):
        with tempfile.TemporaryDirectory() as folder:
            make_pictures.take_manual_pictures(self.program, folder, environment(self.folder, self.display))
            taken = sorted(Path(folder).glob("*.png"))
            self.assertEqual([path.name for path in taken], sorted(path.name for path in PICTURES.glob("*.png")))
            for path in taken:
                with self.subTest(path.name):
                    now, kept = squares(path), squares(PICTURES / path.name)
                    self.assertEqual(now.shape, kept.shape)
                    other = (abs(now - kept).max(axis=2) > MOST_DIFFERENCE).mean()
                    self.assertLess(other, MOST_SQUARES, "the program draws something else. Take the pictures again: "
                                    "xvfb-run -a /usr/bin/python3 assets/make_pictures.py build/release/headlight manual")

    def test_each_is_on_a_page_and_they_are_small(self):
        shown = set()
        for page in MANUAL.glob("*.md"):
            shown |= set(re.findall(r"!\[[^\]]+\]\(pictures/([^)]+)\)", page.read_text()))
        self.assertEqual(shown, {path.name for path in PICTURES.glob("*.png")})
        self.assertLess(sum(path.stat().st_size for path in PICTURES.glob("*.png")), MOST_BYTES)


if __name__ == "__main__":
    main()
