"""Walking through a vision transformer of thousands of tokens in the memory of a small machine."""

import os
import subprocess

from harness import IMAGES, WindowTest, environment, main
from vit_file import write_vit

WIDTH, LAYERS, PATCH, SIZE = 384, 12, 8, 480  # ViT-S/8 and its picture
TOKENS = (SIZE // PATCH) ** 2 + 1
KEPT = 2 * LAYERS * TOKENS * WIDTH * 4  # queries and keys of all layers, for the maps of all heads
# Bytes, the pictures in OpenGL's memory and the weights among them; KEPT of two results, the one that
# is shown and the next.
LIMIT = 1.5e9 + 2 * KEPT
ATTENTION = 4 * 6 * TOKENS ** 2  # bytes, of one layer
LAYER = ["norm1", "qkv", "heads", "products", "scale", "softmax", "mix", "concat", "project",
         "skip", "norm2", "mlp_in", "activation", "mlp_out", "residual2"]


# Of a large one, as DINOv2's and CLIP's: 24 layers of 16 heads, 37 × 37 patches of 14 pixels. Its
# MLPs are narrow, for the sake of the time that they take.
LARGE_WIDTH, LARGE_LAYERS, LARGE_HEADS, LARGE_PATCH, LARGE_GRID, LARGE_HIDDEN = 1024, 24, 16, 14, 37, 256
LARGE_TOKENS = LARGE_GRID ** 2 + 1
LARGE_WEIGHTS = 4 * LARGE_LAYERS * (4 * LARGE_WIDTH ** 2 + 2 * LARGE_WIDTH * LARGE_HIDDEN)
LARGE_KEPT = 2 * LARGE_LAYERS * LARGE_TOKENS * LARGE_WIDTH * 4
LARGE_MAPS = 4 * LARGE_LAYERS * LARGE_HEADS * LARGE_TOKENS ** 2  # of all queries: 2.9 GB
# Beside weights and what is kept: the attention of the layer that is looked at, before and after the
# softmax, the program's libraries and the pictures. Measured: 2.5 GB in all.
LARGE_LIMIT = 1.7e9 + LARGE_WEIGHTS + 2 * LARGE_KEPT


SANITIZED = "ASAN_OPTIONS" in os.environ or "TSAN_OPTIONS" in os.environ


class Memory(WindowTest):
    def expect_less(self, peak, limit):
        if not SANITIZED:  # which takes memory of its own
            self.assertLess(peak, limit)

    def measured(self, lines):
        """The output, and the peak memory in bytes."""
        script, out = self.folder / "script.txt", self.folder / "printed.txt"
        script.write_text("\n".join(lines) + "\n")
        with open(out, "w") as file:
            process = subprocess.Popen(
                [self.program, "shot", "--script", script, "--out", "out"], cwd=self.folder,
                env=environment(self.folder, self.display), stdout=file, stderr=subprocess.STDOUT)
            _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0, out.read_text())
        return out.read_text().splitlines(), usage.ru_maxrss * 1024

    def test_all_maps_of_a_large_model(self):
        """The maps of 24 × 16 heads for any query, without keeping all attention."""
        model = write_vit(self.folder / "large", LARGE_WIDTH, LARGE_LAYERS, LARGE_HEADS,
                          hidden=LARGE_HIDDEN, patch=LARGE_PATCH, grid=LARGE_GRID)
        lines = ["size 1600 1000", f"open {IMAGES / 'cat.jpg'}", f"open-model {model}",
                 f"set image_size {LARGE_GRID * LARGE_PATCH}", "set screen heads", "wait",
                 "print heads.maps", "focus 700", "wait", "set reading by", "wait",
                 "set reading from", "queries 44 700 1300", "wait", "set heads_combined mean",
                 "wait", "set heads_combined nothing", "set heads_mass 60", "wait", "focus 700",
                 "wait", "set heads_mass 100", "set heads_order groups", "wait",
                 "set heads_order layer", "wait", "export a.npy heads.map.24.16", "wait",
                 "export b.csv heads.rings", "wait", "print heads.maps", "print busy"]
        printed, peak = self.measured(lines)
        self.assertEqual(printed, ["heads.maps 384", "heads.maps 384", "busy no"])
        self.assertGreater((self.folder / "a.npy").stat().st_size, LARGE_GRID ** 2 * 4)
        self.assertGreater(peak, LARGE_WEIGHTS + LARGE_KEPT)
        self.expect_less(peak, LARGE_LIMIT)
        self.assertLess(LARGE_LIMIT, LARGE_WEIGHTS + LARGE_MAPS)

    def test_thousands_of_tokens(self):
        model = write_vit(self.folder / "small", WIDTH, LAYERS, 6, patch=PATCH, grid=224 // PATCH)
        lines = ["size 1600 1000", f"open {IMAGES / 'cat.jpg'}", f"open-model {model}",
                 f"set image_size {SIZE}", "wait", "print field.image_size"]
        lines += [f"step {step}\nwait" for step in ["image", "patches", "position", *LAYER]]
        lines += ["head 4", "step softmax", "wait", "layer 6", "wait", "step scale", "wait",
                  "layer 12", "wait", "set all_layers on", "wait", "set all_layers off",
                  "step softmax", "wait", "layer 1", "wait", "set temperature 2", "wait",
                  "print field.layer", "print state.step", "print busy", "print notice"]
        printed, peak = self.measured(lines)
        self.assertEqual(printed, [f"field.image_size {SIZE}", "field.layer 1",
                                   "state.step softmax", "busy no", "notice "])
        self.assertGreater(peak, 2 * ATTENTION)  # two layers' were there: the walk was walked
        self.expect_less(peak, LIMIT)


if __name__ == "__main__":
    main()
