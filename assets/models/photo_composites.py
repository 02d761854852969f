"""Composites of photographic cut-outs on photographic backgrounds, from packages of Debian.

    apt-get install tuxpaint-stamps-default gnome-backgrounds plasma-workspace-wallpapers mate-backgrounds
        lomiri-wallpapers-16.04 lomiri-wallpapers-20.04 ukui-wallpapers

In most composites one object, in some two, appears twice: in another size, turn, mirror image and light. Every sixth
object and every eighth background is kept for tests.
"""

import functools
import glob
import os
import random

import numpy
from PIL import Image, ImageEnhance, ImageFilter

STAMPS = "/usr/share/tuxpaint/stamps/"
BACKGROUNDS = ("/usr/share/backgrounds", "/usr/share/wallpapers")
OBJECT_SIDE, BACKGROUND_SIDE = 160, 640  # pixels kept of each source
NOTHING = -1


def cut_outs():
    """[(kind, picture RGBA)] of the stamps that are photographs: a drawing has few colors."""
    found = []
    for path in sorted(glob.glob(STAMPS + "**/*.png", recursive=True)):
        picture = Image.open(path).convert("RGBA")
        pixels = numpy.asarray(picture)
        solid = pixels[pixels[..., 3] > 200][:, :3]
        if "cartoon" in path or min(picture.size) < 40 or len(solid) < 0.08 * pixels[..., 3].size:
            continue
        if len(numpy.unique(solid // 8, axis=0)) < 120 or (pixels[..., 3] > 128).mean() > 0.97:
            continue
        picture = picture.crop(picture.getchannel("A").getbbox())
        picture.thumbnail((OBJECT_SIDE, OBJECT_SIDE), Image.LANCZOS)
        found.append((os.path.dirname(os.path.relpath(path, STAMPS)), picture))
    return found


def backgrounds():
    found = []
    paths = (path for folder in BACKGROUNDS for path in glob.glob(folder + "/**/*", recursive=True))
    seen = set()
    for path in sorted(paths):
        # A wallpaper comes in many sizes: KDE's lie in one folder, under names of their sizes.
        subject = os.path.dirname(path) if "/contents/images" in path else os.path.realpath(path)
        if not path.lower().endswith((".jpg", ".jpeg", ".png", ".webp")) or subject in seen:
            continue
        if os.path.getsize(path) < 100_000 or os.path.islink(path):
            continue
        picture = Image.open(path).convert("RGB")
        small = numpy.asarray(picture.resize((64, 64))).reshape(-1, 3)
        if len(numpy.unique(small // 16, axis=0)) < 150:
            continue
        seen.add(subject)
        picture.thumbnail((2 * BACKGROUND_SIDE, BACKGROUND_SIDE), Image.LANCZOS)
        found.append(picture)
    return found


@functools.lru_cache(maxsize=None)
def sources():
    """{"train": (objects, backgrounds), "test": …}; objects are [(kind, picture)]."""
    objects, scenery = cut_outs(), backgrounds()
    random.Random(1).shuffle(objects)
    return {"test": (objects[::6], scenery[::8]),
            "train": ([o for i, o in enumerate(objects) if i % 6], [b for i, b in enumerate(scenery) if i % 8])}


def background(chance, pool, size):
    picture = chance.choice(pool)
    side = chance.uniform(0.2, 1.0) * min(picture.size)
    x, y = (chance.uniform(0, extent - side) for extent in picture.size)
    picture = picture.resize((size, size), Image.BILINEAR, box=(x, y, x + side, y + side))
    return picture.transpose(Image.FLIP_LEFT_RIGHT) if chance.random() < 0.5 else picture


def varied(chance, picture, side, size):
    """One appearance of an object: [RGB picture, alpha]."""
    scale = side / max(picture.size)
    picture = picture.resize([max(4, round(extent * scale)) for extent in picture.size], Image.BILINEAR)
    if chance.random() < 0.5:
        picture = picture.transpose(Image.FLIP_LEFT_RIGHT)
    picture = picture.rotate(chance.uniform(-40, 40), Image.BILINEAR, expand=True)
    color = picture.convert("RGB")
    for enhance, low, high in ((ImageEnhance.Brightness, 0.65, 1.3), (ImageEnhance.Color, 0.55, 1.35),
                               (ImageEnhance.Contrast, 0.75, 1.25)):
        color = enhance(color).enhance(chance.uniform(low, high))
    alpha = picture.getchannel("A")
    if chance.random() < 0.5:
        alpha = alpha.filter(ImageFilter.GaussianBlur(chance.uniform(0, size / 110)))
    return color, alpha


def place(chance, canvas, labels, look, number, boxes):
    """Pastes it where it covers no other object, or now and then a little of one."""
    color, alpha = look
    width, height = alpha.size
    size = canvas.size[0]
    gap = -0.12 * size if chance.random() < 0.15 else size / 40
    for _ in range(30):
        # A tenth of it may lie outside.
        x = round(chance.uniform(-0.1 * width, max(1, size - 0.9 * width)))
        y = round(chance.uniform(-0.1 * height, max(1, size - 0.9 * height)))
        if all(x + width < bx + gap or bx + bw < x + gap or y + height < by + gap or by + bh < y + gap
               for bx, by, bw, bh in boxes):
            break
    else:
        return False
    canvas.paste(color, (x, y), alpha)
    mask = Image.new("L", canvas.size)
    mask.paste(alpha, (x, y))
    labels[numpy.asarray(mask) > 127] = number
    boxes.append((x, y, width, height))
    return True


def cast(chance, objects):
    """Which objects are to appear: pairs first, then distractors, half of them of a pair's own kind."""
    pairs = chance.choices([0, 1, 2], [0.2, 0.6, 0.2])[0]
    chosen = chance.sample(range(len(objects)), max(1, pairs))
    numbers = [number for number in chosen for _ in range(2 if pairs else 1)]
    for _ in range(chance.choice([0, 1, 1, 2]) + (pairs == 0)):
        kin = [i for i, (kind, _) in enumerate(objects) if kind == objects[chosen[0]][0] and i not in numbers]
        others = [i for i in range(len(objects)) if i not in numbers]
        numbers.append(chance.choice(kin if kin and chance.random() < 0.5 else others))
    return pairs, numbers


def drawn(seed, split, size, patch):
    """The picture; the number of the object at each pixel, or NOTHING; how many pairs, and how many objects. The first
    are pairs: 0 and 1, then 2 and 3."""
    chance = random.Random(f"{split} {seed}")
    objects, scenery = sources()[split]
    while True:
        canvas = background(chance, scenery, size)
        labels, boxes = numpy.full((size, size), NOTHING), []
        pairs, numbers = cast(chance, objects)
        largest = 0.5 if len(numbers) < 4 else 0.4
        for number, index in enumerate(numbers):
            side = chance.uniform(0.22, largest) * size
            if not place(chance, canvas, labels, varied(chance, objects[index][1], side, size), number, boxes):
                break
        if len(boxes) < max(1, 2 * pairs):
            continue
        areas = [(labels == number).sum() for number in range(2 * pairs)]
        if areas and min(areas) < 1.5 * patch * patch:
            continue
        if chance.random() < 0.3:
            canvas = canvas.filter(ImageFilter.GaussianBlur(chance.uniform(0, size / 80)))
        canvas = ImageEnhance.Brightness(canvas).enhance(chance.uniform(0.8, 1.2))
        return numpy.asarray(canvas), labels, pairs, len(boxes)


def objects_of(labels, count, patch):
    """The number of the object that covers most of each patch, or NOTHING."""
    grid = labels.shape[0] // patch
    cells = labels.reshape(grid, patch, grid, patch).transpose(0, 2, 1, 3).reshape(grid * grid, patch * patch)
    objects = numpy.full(grid * grid, NOTHING)
    for number in range(count):
        objects[(cells == number).mean(1) > 0.4] = number
    return objects


def composite(seed, split, size, patch):
    """Picture uint8 [size, size, 3]; for each patch 1 where an object covers it, and the cell of the center of its
    twin, or NOTHING; 1 where there is a pair."""
    picture, labels, pairs, count = drawn(seed, split, size, patch)
    objects = objects_of(labels, count, patch)
    twin = numpy.full(len(objects), NOTHING)
    for number in range(2 * pairs):
        rows, columns = numpy.nonzero(labels == (number ^ 1))
        twin[objects == number] = int(rows.mean()) // patch * (size // patch) + int(columns.mean()) // patch
    return picture, (objects != NOTHING).astype(numpy.float32), twin, float(pairs > 0)
