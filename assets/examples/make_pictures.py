#!/usr/bin/python3
"""Takes the pictures of the gallery: beside each example NAME.txt what it shows, NAME.jpg.

    xvfb-run -a /usr/bin/python3 assets/examples/make_pictures.py build/release/headlight [NAME…]

(Debian: python3-pil.) A picture shows what the program draws, smaller.
"""
import pathlib
import subprocess
import sys
import tempfile

from PIL import Image

FOLDER = pathlib.Path(__file__).resolve().parent
SIZE = (480, 300)  # of a picture; cards are about half as wide


def framed(picture):
    """All of it, on the program's background where it has another shape."""
    scale = min(SIZE[0] / picture.width, SIZE[1] / picture.height)
    small = picture.resize((round(picture.width * scale), round(picture.height * scale)),
                           Image.LANCZOS)
    frame = Image.new("RGB", SIZE, picture.getpixel((0, 0)))
    frame.paste(small, ((SIZE[0] - small.width) // 2, (SIZE[1] - small.height) // 2))
    return frame


def main():
    program, *names = sys.argv[1:]
    examples = [path for path in sorted(FOLDER.glob("*.txt")) if not names or path.stem in names]
    with tempfile.TemporaryDirectory() as folder:
        lines = ["size 1280 800", "set motion off"]
        for path in examples:
            widget = "heads.grid" if "set screen heads" in path.read_text() else "stage"
            lines += [f"example {path}", "dismiss", "wait",
                      f'export "{folder}/{path.stem}.png" {widget}', "dismiss"]
        script = pathlib.Path(folder) / "script.txt"
        script.write_text("\n".join(lines) + "\n")
        subprocess.run([program, "shot", "--script", script, "--out", folder], check=True)
        for path in examples:
            picture = Image.open(f"{folder}/{path.stem}.png").convert("RGB")
            framed(picture).save(path.with_suffix(".jpg"), quality=82, optimize=True)
            print(path.with_suffix(".jpg").name, path.with_suffix(".jpg").stat().st_size)


if __name__ == "__main__":
    main()
