#!/usr/bin/python3
"""Measures the heads of the model of photographs, for its card (photos/README.md).

    assets/models/measure_photos.py composites
    assets/models/measure_photos.py photographs DIR [PATCHES]

(Debian: python3-torch python3-pil.) `composites` needs the packages that photo_composites.py names, and prints what every
head attends to on held-out composites. `photographs` needs a folder with these packages in it, unpacked:

    cd DIR && apt-get download palapeli-data python3-skimage python3-sklearn gcompris-qt-data
    for package in *.deb; do dpkg -x $package .; done

It prints how often each head's map lies inside the object that its patch is on, or inside another object of that kind, and
how often that of color does, on the photographs of photos/masks.json: polygons and ellipses in percent of the width and
the height, objects of one kind together.
"""

import io
import json
import pathlib
import struct
import sys
import zlib

import numpy
import torch
from PIL import Image, ImageDraw

from photo_vit import HEADS, LAYERS, PATCH, PhotoVit
from scene_vit import pixels_of

HERE = pathlib.Path(__file__).parent
COMPOSITES, SIDE = 300, 14  # patches
MOST_PATCHES = 216
OWN_HEAD = (4, 1)  # counted from 0, as `composites` says
KINS = ("own", "twin", "other", "back", "class")


def model_of(path=HERE / "photos/model.safetensors"):
    """PhotoVit with the weights of a file. The pair's logit is the difference of the two classes' logits."""
    raw = pathlib.Path(path).read_bytes()
    (size,) = struct.unpack("<Q", raw[:8])
    state = {}
    for name, entry in json.loads(raw[8:8 + size]).items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            numbers = numpy.frombuffer(raw[8 + size + begin:8 + size + end], "<f4").reshape(entry["shape"])
            state[name] = torch.from_numpy(numbers.copy())
    for part in ("weight", "bias"):
        head = state.pop(f"head.{part}")
        state[f"pair_head.{part}"] = head[:1] - head[1:]
    model = PhotoVit()
    model.load_state_dict(state)
    return model.eval()


@torch.no_grad()
def attention_of(model, picture):
    """uint8 [H, W, 3] -> [LAYERS, HEADS, N, N], and the outputs."""
    outputs = model(pixels_of(picture[None].copy()))
    return torch.stack([block.attn.weights[0] for block in model.blocks]).numpy(), outputs


def colors_of(picture):
    """The mean color of each patch, [P, 3]."""
    height, width = picture.shape[:2]
    cells = picture.reshape(height // PATCH, PATCH, width // PATCH, PATCH, 3)
    return cells.mean((1, 3)).reshape(-1, 3)


def neighbors(rows, columns):
    """[P, P]: true where two patches touch, at a corner too; not of a patch and itself."""
    y, x = numpy.divmod(numpy.arange(rows * columns), columns)
    near = (abs(y[:, None] - y) <= 1) & (abs(x[:, None] - x) <= 1)
    return near & ~numpy.eye(rows * columns, dtype=bool)


def measure_composites():
    from photo_composites import NOTHING, drawn, objects_of
    model = model_of()
    sums = numpy.zeros((LAYERS, HEADS, len(KINS)))
    per_patch = numpy.zeros((LAYERS, HEADS, 2))  # of a twin's patch, of another object's
    color, near, class_token = (numpy.zeros((LAYERS, HEADS)) for _ in range(3))
    area, readers, compared = numpy.zeros(len(KINS)), 0, 0
    touch = neighbors(SIDE, SIDE)
    for seed in range(COMPOSITES):
        picture, labels, pairs, count = drawn(seed, "test", SIDE * PATCH, PATCH)
        own = objects_of(labels, count, PATCH)
        weights, _ = attention_of(model, picture)
        rgb = colors_of(picture)
        distance = numpy.linalg.norm(rgb[:, None] - rgb, axis=-1)
        class_token += weights[:, :, 0, 1:][..., own != NOTHING].sum(-1)
        for patch in numpy.nonzero((own != NOTHING) & (own < 2 * pairs))[0]:
            row = weights[:, :, 1 + patch]
            is_twin = own == (own[patch] ^ 1)
            kin = [own == own[patch], is_twin, (own != NOTHING) & (own != own[patch]) & ~is_twin, own == NOTHING]
            for i, where in enumerate(kin):
                sums[:, :, i] += row[..., 1:][..., where].sum(-1)
                area[i] += where.sum() / (1 + len(own))
            sums[:, :, 4] += row[..., 0]
            if is_twin.any() and kin[2].any():
                per_patch[..., 0] += row[..., 1:][..., is_twin].mean(-1)
                per_patch[..., 1] += row[..., 1:][..., kin[2]].mean(-1)
                compared += 1
            alike = numpy.argsort(distance[patch])[1:1 + SIDE * SIDE // 10]
            color += row[..., 1:][..., alike].sum(-1)
            near += row[..., 1:][..., touch[patch]].sum(-1)
            readers += 1
    print(f"{COMPOSITES} held-out composites of {SIDE} x {SIDE} patches; {readers} patches of paired objects, "
          f"{compared} of them beside other objects\n"
          "                                                     twin    color nearest  class token\n"
          "layer head " + " ".join(f"{kin:>6}" for kin in KINS) + "  : other  tenth    eight   on objects")
    print("  by area  " + " ".join(f"{value / readers:6.2f}" for value in area[:4]))
    for layer in range(LAYERS):
        for head in range(HEADS):
            print(f"{layer + 1:5} {head + 1:4} " +
                  " ".join(f"{value / readers:6.2f}" for value in sums[layer, head]) +
                  f"  {per_patch[layer, head, 0] / per_patch[layer, head, 1]:7.1f} {color[layer, head] / readers:6.2f} "
                  f"{near[layer, head] / readers:8.2f} {class_token[layer, head] / COMPOSITES:12.2f}")


def resources(path):
    """{name: bytes} of a Qt resource file (rcc, version 2 or 3), but for those that zstd has packed."""
    raw = path.read_bytes()
    _, tree, data, names = struct.unpack(">IIII", raw[4:20])
    found = {}

    def walk(node, prefix):
        at = tree + 22 * node
        name_at, flags = struct.unpack(">IH", raw[at:at + 6])
        (length,) = struct.unpack(">H", raw[names + name_at:names + name_at + 2])
        name = raw[names + name_at + 6:names + name_at + 6 + 2 * length].decode("utf-16-be") if node else ""
        if flags & 2:
            count, first = struct.unpack(">II", raw[at + 6:at + 14])
            for child in range(first, first + count):
                walk(child, f"{prefix}{name}/")
            return
        begin = data + struct.unpack(">I", raw[at + 10:at + 14])[0]
        (size,) = struct.unpack(">I", raw[begin:begin + 4])
        content = raw[begin + 4:begin + 4 + size]
        if not flags & 4:
            found[prefix + name] = zlib.decompress(content[4:]) if flags & 1 else content

    walk(0, "")
    return found


def photograph(folder, where):
    """As masks.json names it: a file of Headlight's, of a package, or of a resource file in one: FILE.rcc#NAME."""
    path, _, name = where.partition("#")
    file = HERE / "../images" / path if (HERE / "../images" / path).exists() else pathlib.Path(folder) / path
    if not name:
        return Image.open(file).convert("RGB")
    return Image.open(io.BytesIO(next(raw for full, raw in resources(file).items() if full.endswith("/" + name)))).convert("RGB")


def framed(picture, most):
    """In its own aspect, in no more patches than these."""
    width, height = picture.size
    scale = (most * PATCH * PATCH / (width * height)) ** 0.5
    columns, rows = (max(1, int(extent * scale / PATCH)) for extent in (width, height))
    return picture.resize((columns * PATCH, rows * PATCH), Image.BICUBIC)


def mask_of(objects, rows, columns):
    """[P]: true where the center of a patch lies in one of the objects."""
    mask = Image.new("1", (columns * PATCH, rows * PATCH))
    draw = ImageDraw.Draw(mask)
    for one in objects:
        points = numpy.array(one["ellipse"] if isinstance(one, dict) else one, float).reshape(-1, 2)
        points *= [mask.width / 100, mask.height / 100]
        if isinstance(one, dict):
            draw.ellipse([*(points[0] - points[1]), *(points[0] + points[1])], fill=1)
        else:
            draw.polygon([tuple(point) for point in points], fill=1)
    return numpy.asarray(mask)[PATCH // 2::PATCH, PATCH // 2::PATCH].reshape(-1)


def inside(maps, mask, own):
    """The share of the map's largest patches that lie in the mask, as many as it has; not the patch itself. maps: [..., P]."""
    others = mask.copy()
    others[own] = False
    count = others.sum()
    maps = numpy.array(maps, float)
    maps[..., own] = -numpy.inf
    best = numpy.argpartition(-maps, count - 1, axis=-1)[..., :count]
    return others[best].mean(-1)


def measure_photographs(folder, most):
    model, scores, by_color, by_pointing, by_area = model_of(), [], [], [], []
    masks = json.loads((HERE / "photos/masks.json").read_text())
    for entry in masks:
        picture = numpy.asarray(framed(photograph(folder, entry["file"]), most))
        rows, columns = picture.shape[0] // PATCH, picture.shape[1] // PATCH
        weights, (_, _, pointing) = attention_of(model, picture)
        rgb = colors_of(picture)
        found = [[] for _ in range(4)]
        for kind in entry["kinds"]:
            mask = mask_of(kind, rows, columns)
            for patch in numpy.nonzero(mask)[0] if mask.sum() > 1 else []:
                found[0].append(inside(weights[:, :, 1 + patch, 1:], mask, patch))
                found[1].append(inside(-numpy.linalg.norm(rgb - rgb[patch], axis=1), mask, patch))
                found[2].append(inside(pointing[0, patch].numpy(), mask, patch))
                found[3].append((mask.sum() - 1) / (len(mask) - 1))
        for values, into in zip(found, (scores, by_color, by_pointing, by_area)):
            into.append(numpy.mean(values, 0))
    scores, by_color = numpy.array(scores), numpy.array(by_color)
    print(f"{len(masks)} photographs of up to {most} patches; of a map's largest patches, as many as the object and others of "
          "its kind\nhave, the share that lies in them (mean over photographs)\n"
          f"by area {numpy.mean(by_area):.3f}, color {by_color.mean():.3f}, pointing {numpy.mean(by_pointing):.3f}")
    for layer in range(LAYERS):
        print(f"layer {layer + 1}: " + " ".join(f"{scores[:, layer, head].mean():.3f}" for head in range(HEADS)))
    best = numpy.unravel_index(scores.mean(0).argmax(), (LAYERS, HEADS))
    for words, (layer, head) in (("best head of all on these photographs", best),
                                 ("the head that gives most to own object and twin on composites", OWN_HEAD)):
        print(f"{words}, layer {layer + 1} head {head + 1}: {scores[:, layer, head].mean():.3f}; "
              f"better than color on {(scores[:, layer, head] > by_color).sum()} of {len(masks)}")
    for entry, heads, color_score in zip(masks, scores, by_color):
        print(f"  {entry['file'].rpartition('/')[2]:28} best head {heads[best]:.2f}  color {color_score:.2f}")


def main():
    if sys.argv[1:2] == ["composites"]:
        return measure_composites()
    if sys.argv[1:2] == ["photographs"] and len(sys.argv) > 2:
        return measure_photographs(sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else MOST_PATCHES)
    sys.exit(__doc__)


if __name__ == "__main__":
    main()
