"""The visible contrast of attention, measured in the window's pixels."""

import array
import json
import random
import struct
import tempfile
from pathlib import Path

from harness import IMAGES, SOURCE, Headlight, WindowTest, main
from png import Png, oklab_distance

# How far a color must be from that of zero to be told from it at a glance: 0.02 is just seen when
# both lie side by side.
TOLD = 0.06


def shapes(width, patch, size):
    """One layer of timm's ViT and what stands around it."""
    grid = size // patch
    yield "cls_token", [1, 1, width]
    yield "pos_embed", [1, grid * grid + 1, width]
    yield "patch_embed.proj.weight", [width, 3, patch, patch]
    yield "patch_embed.proj.bias", [width]
    for name, outputs, inputs in (("attn.qkv", 3, 1), ("attn.proj", 1, 1), ("mlp.fc1", 4, 1),
                                  ("mlp.fc2", 1, 4)):
        yield f"blocks.0.{name}.weight", [outputs * width, inputs * width]
        yield f"blocks.0.{name}.bias", [outputs * width]
    for norm in ("blocks.0.norm1", "blocks.0.norm2", "norm"):
        yield f"{norm}.weight", [width]
        yield f"{norm}.bias", [width]


def write_vit(path, width, patch, deviation):
    """Random weights; the norms change nothing, so that heads differ as the weights do."""
    generator = random.Random(width)
    stock = array.array("f", (generator.gauss(0, deviation) for _ in range(1 << 18)))
    header, body = {}, bytearray()
    for name, shape in shapes(width, patch, 224):
        count = 1
        for extent in shape:
            count *= extent
        begin = len(body)
        if "norm" in name:
            body += array.array("f", [1.0 if name.endswith("weight") else 0.0] * count).tobytes()
        while len(body) < begin + 4 * count:
            first = generator.randrange(len(stock) // 2)
            body += stock[first:first + (begin + 4 * count - len(body)) // 4].tobytes()
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [begin, len(body)]}
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + body)
    return path


class Colors(WindowTest):
    def attention(self, recipe, look):
        """The pixels of A in the softmax step, without highlights."""
        session = {"version": 1, "recipe": recipe, "look": {"motion": False, **look},
                   "selection": {"step": "softmax", "token": None, "col": None}}
        home = Path(tempfile.mkdtemp(dir=self.folder))
        kept = home / "state" / "headlight" / "session.json"
        kept.parent.mkdir(parents=True)
        kept.write_text(json.dumps(session))
        app = Headlight(self.program, self.display, home)
        self.addCleanup(app.close)
        x, y, w, h = (round(n) for n in app.rect("stage.result"))
        app.key("ctrl+e")
        app.until(lambda r: "Saved" in r["reports"].get("notice", ""), "the picture")
        picture, = home.rglob("*.png")
        app.quit()
        lines = Png(picture).pixels()
        return [lines[row][col] for row in range(y + 3, y + h - 3)
                for col in range(x + 3, x + w - 3)]

    def share_told_from_zero(self, pixels, zero):
        told = {}
        for pixel in pixels:
            if pixel not in told:
                told[pixel] = oklab_distance(pixel, zero) >= TOLD
        return sum(told[pixel] for pixel in pixels) / len(pixels)

    def screens(self):
        cat = str(IMAGES / "cat.jpg")
        models = SOURCE / "assets" / "models"
        b16 = write_vit(self.folder / "b16.safetensors", 768, 16, 0.06)
        s8 = write_vit(self.folder / "s8.safetensors", 384, 8, 0.08)
        return {
            "scenes, layer 1": {"weights": str(models / "scenes" / "model.safetensors"),
                                "image": str(IMAGES / "shapes.png"), "layer": 0},
            "ViT-B/16 of random weights": {"weights": str(b16), "image": cat},
            "785 tokens": {"weights": str(s8), "image": cat},
            "T2T": {"weights": str(models / "t2t-layer" / "model.safetensors"), "image": cat},
            "a drawn layer": {"image": cat},
        }

    def test_attention_is_told_from_zero_on_five_screens(self):
        magma_zero = (0, 0, 3)
        for name, recipe in self.screens().items():
            with self.subTest(name):
                pixels = self.attention(recipe, {})
                share = self.share_told_from_zero(pixels, magma_zero)
                colors = len(set(pixels))
                print(f"{name}: {share:.1%} told from zero in {colors} colors")
                self.assertGreater(share, 0.75)
                self.assertGreater(colors, 60)

    def test_one_spike_hides_the_rest_on_a_linear_scale(self):
        pixels = self.attention(self.screens()["785 tokens"], {"attention_scale": "linear"})
        self.assertLess(self.share_told_from_zero(pixels, (0, 0, 3)), 0.2)


if __name__ == "__main__":
    main()
