"""Attention maps without a model: the window, `maps` and `figure` lay them on the same grid."""

import unittest
from pathlib import Path

from harness import SOURCE, WindowTest, main

try:
    import numpy
    from PIL import Image
except ImportError:
    numpy = None

SCENES = SOURCE / "assets" / "models" / "scenes" / "model.safetensors"


def picture(path, height, width):
    rows, columns = numpy.mgrid[:height, :width]
    pixels = numpy.stack([rows % 251, columns % 241, (rows * 7 + columns * 3) % 239], axis=-1)
    Image.fromarray(pixels.astype("uint8")).save(path)
    return path


def attention(before, rows, columns, seed, layers=2, heads=2):
    """[layers, heads, N, N]: each head attends to another patch. And its place: [layers, heads,
    2]."""
    tokens = before + rows * columns
    random = numpy.random.default_rng(seed)
    places = random.integers(0, rows * columns, (layers, heads))
    maps = numpy.full((layers, heads, tokens, tokens), 0.5 / tokens, "float32")
    for layer in range(layers):
        for head in range(heads):
            maps[layer, head, :, before + places[layer, head]] += 0.5
    return maps, numpy.stack([places // columns, places % columns], axis=-1)


@unittest.skipUnless(numpy, "needs numpy and Pillow")
class AttentionFiles(WindowTest):
    def maps(self, *arguments):
        out = self.folder / "maps.npy"
        done = self.run_program("maps", *arguments, "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        return numpy.load(out), done.stderr

    def windows(self, model, image, *lines):
        """The window's export for layer 2, head 1."""
        done = self.play("\n".join([
            "size 1280 720", f"open {image}", f"open-model {model}", "wait", *lines,
            "set screen heads", "wait", "focus 0", "wait", "export m.npy heads.map.2.1",
            "wait"]) + "\n")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return numpy.load(self.folder / "m.npy")

    def expect(self, found, maps, places, before):
        for layer in range(2):
            for head in range(2):
                numpy.testing.assert_array_equal(
                    found[layer, head], maps[layer, head, 0, before:].reshape(found.shape[2:]))
                at = numpy.unravel_index(found[layer, head].argmax(), found.shape[2:])
                self.assertEqual(tuple(at), tuple(places[layer, head]))

    def test_each_head_looks_at_its_patch_everywhere(self):
        for seed, (before, rows, columns, height, width) in enumerate([
                (1, 15, 20, 240, 320), (4, 14, 14, 224, 224), (1, 12, 9, 192, 144),
                (9, 7, 11, 112, 176), (5, 15, 20, 300, 400)]):
            maps, places = attention(before, rows, columns, seed)
            model, image = self.folder / "attention.npy", self.folder / "p.png"
            numpy.save(model, maps)
            picture(image, height, width)
            first = "register0" if before == 4 else "class"
            found, _ = self.maps("--model", model, "--image", image, "--query", first)
            self.assertEqual(found.shape, (2, 2, rows, columns))
            self.expect(found, maps, places, before)
            numpy.testing.assert_array_equal(self.windows(model, image), found[1, 0])
            done = self.run_program("figure", "--model", model, "--image", image, "--query", first,
                                    "--out", "f.svg")
            self.assertEqual(done.returncode, 0, done.stderr)
            info = self.run_program("info", model, "--image", image).stdout
            self.assertIn(f"{rows} × {columns} after {before} other token", info)

    def test_the_grid_can_be_said(self):
        maps, places = attention(3, 5, 7, 7)
        model, image = self.folder / "attention.npy", picture(self.folder / "p.png", 160, 160)
        numpy.save(model, maps)
        found, _ = self.maps("--model", model, "--image", image, "--grid", "5x7",
                             "--tokens-before", "3")
        self.expect(found, maps, places, 3)
        numpy.testing.assert_array_equal(
            self.windows(model, image, "set grid 5x7", "wait"), found[1, 0])
        numpy.testing.assert_array_equal(
            self.windows(model, image, "set grid 5x7", "set tokens_before 3", "wait"), found[1, 0])
        for option in [("--grid", "5x8"), ("--grid", "5x7", "--tokens-before", "2"),
                       ("--tokens-before", "38")]:
            done = self.run_program("maps", "--model", model, "--image", image, *option, "--out",
                                    "no.npy")
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assert_one_sentence(done.stderr.strip(), "38 tokens")

    def test_a_choice_among_several_grids_is_said_wherever_maps_are_laid_on_a_picture(self):
        model, image = self.folder / "attention.npy", picture(self.folder / "p.png", 480, 640)
        numpy.save(model, attention(5, 14, 14, 3)[0])
        source = ["--model", model, "--image", image]
        chosen = ["--grid", "12x16", "--tokens-before", "9"]
        for command, out in (("maps", "m.npy"), ("figure", "f.svg"), ("trace", "t.safetensors")):
            done = self.run_program(command, *source, "--out", out)
            self.assertEqual(done.returncode, 0, done.stderr)
            said = done.stderr.strip().splitlines()
            self.assertEqual(len(said), 1, done.stderr)
            for part in ("14 × 14 after 5", "12 × 16 after 9", " ".join(chosen)):
                self.assertIn(part, said[0])
            done = self.run_program(command, *source, *chosen, "--out", out)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        # Pictures of one shape make one line.
        numpy.savez(self.folder / "batch.npz", *numpy.stack([attention(5, 14, 14, 3)[0]] * 2, 1))
        _, said = self.maps("--model", self.folder / "batch.npz", "--image", image, "--image", image)
        self.assertEqual(len(said.strip().splitlines()), 1, said)

    def test_the_right_column_sets_the_grid(self):
        maps, _ = attention(1, 14, 14, 3)  # 197 tokens, which are 5 + 12 · 16 as well
        model, image = self.folder / "attention.npy", picture(self.folder / "p.png", 480, 640)
        numpy.save(model, maps)
        app = self.start(image, "--model", model)
        app.reveal("field.grid.text")
        grid = self.cells(app)
        self.assertEqual(grid, [14, 14])
        app.click("field.grid.text")
        app.key("ctrl+a")
        app.type("12x16")
        app.key("Return")
        app.until_reports(field__grid="12x16", busy="no")
        self.assertEqual(self.cells(app), [12, 16])
        app.click("field.grid.reset")
        app.until_reports(field__grid="model", busy="no")
        self.assertEqual(self.cells(app), [14, 14])
        app.key("m")
        found = app.until(lambda r: "model.patches" in r["reports"], "the model panel")["reports"]
        self.assertEqual(found["model.patches"], "14 × 14 after 1 other token")
        self.assertEqual(found["model.also fits"], "12 × 16 after 5 other tokens")

    @staticmethod
    def cells(app):
        """Rows and columns of patches on the picture."""
        return [round(n) for n in app.settled()["names"]["image.patches"]["cells"][2:]]

    def test_a_trace_says_how_its_tokens_lie(self):
        image = SOURCE / "assets" / "images" / "cat.jpg"
        trace = self.folder / "trace.safetensors"
        done = self.run_program("trace", "--model", SCENES, "--image", image, "--out", trace)
        self.assertEqual(done.returncode, 0, done.stderr)
        expected, _ = self.maps("--model", SCENES, "--image", image)
        # The user gives the layout, so it is valid for any picture.
        for shape in [(160, 160), (100, 333)]:
            found, _ = self.maps("--model", trace, "--image",
                                 picture(self.folder / "p.png", *shape))
            numpy.testing.assert_array_equal(found, expected)
        # A setting that differs is followed, with a note.
        image = picture(self.folder / "p.png", 160, 160)
        rows, columns = expected.shape[2:]
        for option, contradicts in ((f"{rows}x{columns}", False), ("5x20", True)):
            _, said = self.maps("--model", trace, "--image", image, "--grid", option)
            self.assertEqual("metadata" in said, contradicts, said)

    def test_a_batch_has_samples(self):
        first, _ = attention(1, 4, 4, 1)
        second, _ = attention(1, 4, 4, 2)
        model, image = self.folder / "batch.npz", picture(self.folder / "p.png", 64, 64)
        numpy.savez(model, *[numpy.stack([first[layer], second[layer]]) for layer in range(2)])
        for sample, maps in (("1", first), ("2", second)):
            found, said = self.maps("--model", model, "--image", image, "--sample", sample)
            numpy.testing.assert_array_equal(found, maps[:, :, 0, 1:].reshape(2, 2, 4, 4))
            self.assertEqual(said, "")
            for command in f"sample {sample}", f"set sample {sample}":
                numpy.testing.assert_array_equal(self.windows(model, image, command, "wait"),
                                                 found[1, 0])
        found, said = self.maps("--model", model, "--image", image)
        numpy.testing.assert_array_equal(found, first[:, :, 0, 1:].reshape(2, 2, 4, 4))
        self.assertIn("2 samples", said)
        other = picture(self.folder / "q.png", 64, 64)
        found, said = self.maps("--model", model, "--image", image, "--image", other)
        for sample, maps in enumerate((first, second)):
            numpy.testing.assert_array_equal(found[sample],
                                             maps[:, :, 0, 1:].reshape(2, 2, 4, 4))


if __name__ == "__main__":
    main()
