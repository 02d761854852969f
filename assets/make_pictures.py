#!/usr/bin/python3
"""Takes the pictures of the gallery and of the list of lessons: NAME.jpg next to each example
NAME.txt and each lesson NAME.md. Without names, it also takes "screenshot", the first screen, and
"manual", the pictures in the manual.

    xvfb-run -a /usr/bin/python3 assets/make_pictures.py build/release/headlight [NAME…]

(Debian: python3-pil.) Each picture is what the program draws, made smaller.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

from PIL import Image

ASSETS = pathlib.Path(__file__).resolve().parent
SIZE = (480, 300)  # of a picture; cards are about half as wide
BACKGROUND = (18, 21, 28)  # the program's, when it is dark
# Of a picture in the manual: what is shown of it, where that is not the whole window.
PARTS = {"models": (716, 140, 1104, 580), "palette": (260, 50, 1020, 610)}
# Of a lesson: the stop that stands for it, counted from 1, and the widget that is shown of it.
COVERS = {
    "0-first-look": (1, "screen"),
    "1-the-twin-head": (4, "heads.grid"),
    "2-why-attention": (4, "stage"),
    "3-from-picture-to-tokens": (2, "stage"),
    "4-attention-without-weights": (1, "stage"),
    "5-query-key-value": (2, "stage"),
    "6-scores": (1, "stage"),
    "7-softmax-and-masks": (7, "stage"),
    "8-many-heads": (4, "stage"),
    "9-positions": (4, "positions.channel"),
    "10-layers": (2, "stage"),
    "11-what-attention-costs": (6, "stage"),
    "12-encoder-and-decoder": (2, "stage"),
    "lecture": (4, "stage"),
    "lecture_45": (14, "stage"),
    "lecture_20": (3, "screen"),
}


def framed(picture):
    """The whole picture, with the program's background around it if the shapes differ."""
    scale = min(SIZE[0] / picture.width, SIZE[1] / picture.height)
    small = picture.resize((round(picture.width * scale), round(picture.height * scale)),
                           Image.LANCZOS)
    frame = Image.new("RGB", SIZE, BACKGROUND)
    frame.paste(small, ((SIZE[0] - small.width) // 2, (SIZE[1] - small.height) // 2))
    return frame


def example_lines(path):
    """The lines of a script that show an example, and the widget to save."""
    widget = "heads.grid" if "set screen heads" in path.read_text() else "stage"
    return [f"example {path}", "dismiss", "wait"], widget


def lesson_lines(path):
    stop, widget = COVERS[path.stem]
    return [f'lesson "{path}" {stop}', "wait", "lesson-leave keep", "wait"], widget


def take_screenshot(program):
    lines = ["size 1600 1000", "set motion off", f'open-model "{ASSETS / "models" / "scenes"}"',
             "scene 2000000049", "layer 4", "head 3", "set screen look", "wait", "pointer 40 940", "wait",
             f'export "{ASSETS / "screenshot.png"}"']
    with tempfile.TemporaryDirectory() as folder:
        script = pathlib.Path(folder) / "script.txt"
        script.write_text("\n".join(lines) + "\n")
        subprocess.run([program, "shot", "--script", script, "--out", folder], check=True)


def take_manual_pictures(program, folder, environment):
    """Saves NAME.png for each "shot NAME" of the script, as a new user without models and settings sees it."""
    script = ASSETS / "scripts" / "manual.txt"
    with tempfile.TemporaryDirectory() as home:
        kept = {key: value for key, value in environment.items()
                if not key.startswith(("XDG_", "HF_", "HUGGINGFACE", "TORCH_HOME", "LC_", "LANG"))}
        subprocess.run([pathlib.Path(program).resolve(), "shot", "--script", script, "--out", home], check=True,
                       cwd=ASSETS.parent, env={**kept, "HOME": home}, stdout=subprocess.DEVNULL)
        for path in sorted(pathlib.Path(home).glob("*.png")):
            picture = Image.open(path).convert("RGB").crop(PARTS.get(path.stem, (0, 0, 1280, 720)))
            few = picture.quantize(256, dither=Image.Dither.NONE)  # a fourth of the bytes
            few.save(pathlib.Path(folder) / path.name, optimize=True)


def main():
    program, *names = sys.argv[1:]
    if not names or "screenshot" in names:
        take_screenshot(program)
    if not names or "manual" in names:
        take_manual_pictures(program, ASSETS / "manual" / "pictures", os.environ)
    subjects = [(path, example_lines) for path in sorted((ASSETS / "examples").glob("*.txt"))]
    subjects += [(ASSETS / "lessons" / f"{name}.md", lesson_lines) for name in COVERS]
    subjects = [(path, of) for path, of in subjects if not names or path.stem in names]
    with tempfile.TemporaryDirectory() as folder:
        lines = ["size 1280 800", "set motion off"]
        for path, lines_of in subjects:
            begin, widget = lines_of(path)
            lines += [*begin, f'export "{folder}/{path.stem}.png" {widget}', "dismiss"]
        script = pathlib.Path(folder) / "script.txt"
        script.write_text("\n".join(lines) + "\n")
        subprocess.run([program, "shot", "--script", script, "--out", folder], check=True)
        for path, _ in subjects:
            picture = Image.open(f"{folder}/{path.stem}.png").convert("RGB")
            framed(picture).save(path.with_suffix(".jpg"), quality=82, optimize=True)
            print(path.with_suffix(".jpg").name, path.with_suffix(".jpg").stat().st_size)


if __name__ == "__main__":
    main()
