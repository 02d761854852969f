"""The composites of photo_composites.py, many at a time, by PyTorch: a GPU makes tens of thousands a second.

Objects vary more here than there: a third of them have their color channels exchanged, and a sixth show a piece of a
background in the object's outline, so that there are more things than cut-outs. Both of a pair vary alike.
"""

import math

import numpy
import torch
import torch.nn.functional as F
from PIL import Image

from photo_composites import NOTHING

SLOTS = 6  # at most two pairs and two distractors
TRIES = 30


class Textures:
    """Pictures of any sizes, each at scales 1, 1/√2, 1/2 …, in one array of pixels: numbers in [0, 1]."""

    def __init__(self, pictures, scales, device):
        pixels, self.sizes, table, start = [], [], [], 0
        for picture in pictures:
            self.sizes.append(picture.size)
            for scale in range(scales):
                width, height = (max(4, round(extent * 2 ** (-scale / 2))) for extent in picture.size)
                small = numpy.asarray(picture.resize((width, height), Image.BILINEAR), numpy.float32) / 255
                if small.shape[2] == 4:  # color times alpha, as blending needs it
                    small = numpy.concatenate([small[..., :3] * small[..., 3:], small[..., 3:]], 2)
                pixels.append(small.reshape(width * height, -1))
                table.append((start, width, height))
                start += width * height
        self.pixels = torch.from_numpy(numpy.concatenate(pixels)).to(device)
        self.table = torch.tensor(table, device=device).reshape(len(pictures), scales, 3)
        self.sizes = torch.tensor(self.sizes, device=device).float()

    def at(self, which, x, y, scale, edges):
        """Colors [B, H, W, C] of pictures `which` [B] at x, y [B, H, W]: 0 to 1 across each. scale [B]: pixels drawn for
        each pixel of a picture. Outside of it: 0, or with `edges` the color of its edge."""
        level = (-2 * torch.log2(scale)).floor().long().clamp(0, self.table.shape[1] - 1)
        start, width, height = (part.reshape(-1, 1, 1) for part in self.table[which, level].unbind(1))
        x, y = x * width - 0.5, y * height - 0.5
        left, top = x.floor(), y.floor()
        color = 0
        for row, down in ((top, top + 1 - y), (top + 1, y - top)):
            for column, across in ((left, left + 1 - x), (left + 1, x - left)):
                inside = (column >= 0) & (column < width) & (row >= 0) & (row < height)
                place = start + row.long().clamp(min=0).minimum(height - 1) * width + \
                    column.long().clamp(min=0).minimum(width - 1)
                weight = down * across if edges else down * across * inside
                color = color + self.pixels[place] * weight[..., None]
        return color


class Composer:
    """Makes batches of composites of objects [(kind, picture RGBA)] on backgrounds, on a device."""

    def __init__(self, objects, backgrounds, device, seed):
        self.device = device
        self.chance = torch.Generator(device).manual_seed(seed)
        self.objects = Textures([picture for _, picture in objects], 6, device)
        self.backgrounds = Textures(backgrounds, 6, device)
        kinds = {kind: number for number, kind in enumerate(dict(objects))}
        self.kinds = torch.tensor([kinds[kind] for kind, _ in objects], device=device)

    def random(self, *shape, low=0.0, high=1.0):
        return low + (high - low) * torch.rand(shape, generator=self.chance, device=self.device)

    def pick(self, allowed):
        """One of the allowed [B, N] of each row [B]; where none is, any."""
        return (self.random(*allowed.shape) + allowed).argmax(1)

    def cast(self, count):
        """As cast() there: how many pairs [B], how many objects [B], and which objects [B, SLOTS]."""
        draw = self.random(count)
        pairs = (draw > 0.2).long() + (draw > 0.8).long()
        free = torch.ones(count, len(self.kinds), dtype=torch.bool, device=self.device)
        rows = torch.arange(count, device=self.device)
        main = self.pick(free)
        free[rows, main] = False
        second = self.pick(free)
        free[rows[pairs == 2], second[pairs == 2]] = False
        chosen = []
        for _ in range(3):
            kin = free & (self.kinds == self.kinds[main][:, None])
            wanted = kin.any(1) & (self.random(count) < 0.5)
            one = self.pick(torch.where(wanted[:, None], kin, free))
            free[rows, one] = False
            chosen.append(one)
        first, next_one, last = chosen
        numbers = torch.stack([main, torch.where(pairs == 0, first, main),
                               torch.where(pairs == 0, next_one, torch.where(pairs == 1, first, second)),
                               torch.where(pairs == 0, last, torch.where(pairs == 1, next_one, second)),
                               first, next_one], 1)
        distractors = torch.tensor([0, 1, 1, 2], device=self.device)[
            torch.randint(4, (count,), generator=self.chance, device=self.device)] + (pairs == 0)
        return pairs, torch.where(pairs == 0, 1, 2 * pairs) + distractors, numbers

    def background(self, count, rows, columns):
        which = torch.randint(len(self.backgrounds.sizes), (count,), generator=self.chance, device=self.device)
        sizes = self.backgrounds.sizes[which]
        side = self.random(count, low=0.2) * (sizes / torch.tensor([columns, rows], device=self.device)).amin(1)
        extent = side[:, None] * torch.tensor([columns, rows], device=self.device)
        corner = self.random(count, 2) * (sizes - extent)
        x = self.pixel_centers(columns)[None, None] * side.reshape(-1, 1, 1) + corner[:, 0].reshape(-1, 1, 1)
        y = self.pixel_centers(rows)[None, :, None] * side.reshape(-1, 1, 1) + corner[:, 1].reshape(-1, 1, 1)
        x = torch.where((self.random(count) < 0.5).reshape(-1, 1, 1), x, sizes[:, 0].reshape(-1, 1, 1) - x)
        x, y = torch.broadcast_tensors(x / sizes[:, 0].reshape(-1, 1, 1), y / sizes[:, 1].reshape(-1, 1, 1))
        return self.backgrounds.at(which, x, y, 1 / side, edges=True)

    def pixel_centers(self, count):
        return torch.arange(count, device=self.device) + 0.5

    def looks(self, count):
        """What both of a pair share: order of the channels [B, SLOTS, 3], the piece of a background that it shows, if any."""
        order = self.random(count, SLOTS, 3).argsort(-1)
        order = torch.where(self.random(count, SLOTS, 1) < 1 / 3, order, torch.arange(3, device=self.device))
        piece = torch.where(self.random(count, SLOTS) < 1 / 6,
                            torch.randint(len(self.backgrounds.sizes), (count, SLOTS), generator=self.chance,
                                          device=self.device), NOTHING)
        corner = self.random(count, SLOTS, 2, high=0.75)
        return order, piece, corner

    def place(self, width, height, boxes, rows, columns):
        """A corner [B, 2] for boxes of this size [B] where they cover none of `boxes`, or now and then a little; and whether
        there was one."""
        count, size = len(width), math.sqrt(rows * columns)
        gap = torch.where(self.random(count) < 0.15, -0.12 * size, size / 40).reshape(-1, 1)
        x = torch.stack([-0.1 * w + self.random(count, TRIES) * ((extent - 0.9 * w).clamp(min=1) + 0.1 * w)
                         for w, extent in ((width[:, None], columns), (height[:, None], rows))], -1).round()
        clear = torch.ones(count, TRIES, dtype=torch.bool, device=self.device)
        for bx, by, bw, bh in boxes:
            bx, by, bw, bh = (part[:, None] for part in (bx, by, bw, bh))
            clear &= ((x[..., 0] + width[:, None] < bx + gap) | (bx + bw < x[..., 0] + gap) |
                      (x[..., 1] + height[:, None] < by + gap) | (by + bh < x[..., 1] + gap))
        first = clear.int().argmax(1)
        return x[torch.arange(count, device=self.device), first], clear.any(1)

    def appearance(self, which, look, extent, angle, box, rows, columns):
        """Color and alpha of one object, [B, H, W, 3] and [B, H, W], in its box on the canvas."""
        order, piece, corner = look
        dx = self.pixel_centers(columns)[None, None] - (box[0] + box[2] / 2).reshape(-1, 1, 1)
        dy = self.pixel_centers(rows)[None, :, None] - (box[1] + box[3] / 2).reshape(-1, 1, 1)
        turn = angle.reshape(-1, 1, 1)
        x = (dx * turn.cos() - dy * turn.sin()) / extent[:, 0].reshape(-1, 1, 1) + 0.5
        y = (dx * turn.sin() + dy * turn.cos()) / extent[:, 1].reshape(-1, 1, 1) + 0.5
        x = torch.where((self.random(len(which)) < 0.5).reshape(-1, 1, 1), x, 1 - x)
        scale = (extent / self.objects.sizes[which]).amax(1)
        seen = self.objects.at(which, x, y, scale, edges=False)
        alpha = seen[..., 3]
        color = seen[..., :3] / alpha.clamp(min=1e-3)[..., None]
        cut = (piece != NOTHING).nonzero()[:, 0]
        if len(cut):
            within = [0.25 * part[cut] + corner[cut, axis].reshape(-1, 1, 1) for axis, part in enumerate((x, y))]
            small = 4 * extent[cut].amax(1) / self.backgrounds.sizes[piece[cut]].amax(1)
            color[cut] = self.backgrounds.at(piece[cut], *within, small, edges=True) * (alpha[cut] > 0)[..., None]
        color = color.gather(-1, order[:, None, None, :].expand(*color.shape[:3], 3))
        return self.lit(color, box), self.softened(alpha, math.sqrt(rows * columns) / 110)

    def lit(self, color, box):
        """Pillow's brightness, saturation and contrast, drawn at random."""
        bright, saturated, contrast = (self.random(len(color), 1, 1, 1, low=low, high=high)
                                       for low, high in ((0.65, 1.3), (0.55, 1.35), (0.75, 1.25)))
        color = (color * bright).clamp(0, 1)
        gray = self.gray(color)
        color = (gray + (color - gray) * saturated).clamp(0, 1)
        mean = self.gray(color).sum((1, 2, 3)) / (box[2] * box[3])
        mean = mean.reshape(-1, 1, 1, 1).clamp(0, 1)
        return (mean + (color - mean) * contrast).clamp(0, 1)

    def gray(self, color):
        return (color @ torch.tensor([0.299, 0.587, 0.114], device=self.device))[..., None]

    def softened(self, values, most):
        """Half of [B, H, W] blurred, with a radius up to `most` pixels."""
        radius = torch.where(self.random(len(values)) < 0.5, self.random(len(values), low=0.05, high=most), 0.01)
        return blurred(values[:, None], radius)[:, 0]

    def batch(self, count, rows, columns, patch):
        """About `count` composites, those that turn out: pixels [B, 3, H, W] in [-1, 1]; for each patch 1 where an object
        covers it; the cell of its twin's center, or NOTHING; 1 where there is a pair."""
        rows, columns = rows * patch, columns * patch
        size = math.sqrt(rows * columns)
        pairs, wanted, numbers = self.cast(count)
        canvas = self.background(count, rows, columns)
        labels = torch.full((count, rows, columns), NOTHING, device=self.device)
        order, piece, corner = self.looks(count)
        placed, going, boxes = torch.zeros_like(pairs), torch.ones_like(pairs, dtype=torch.bool), []
        for slot in range(SLOTS):
            going = going & (slot < wanted)
            which = numbers[:, slot]
            # The second of a pair looks as the first.
            like = torch.where(slot < 2 * pairs, slot - slot % 2, slot)
            look = [part[torch.arange(count, device=self.device), like] for part in (order, piece, corner)]
            side = size * torch.where(wanted < 4, self.random(count, low=0.22, high=0.5),
                                      self.random(count, low=0.22, high=0.4))
            sizes = self.objects.sizes[which]
            extent = (sizes * (side / sizes.amax(1))[:, None]).round().clamp(min=4)
            angle = self.random(count, low=-40, high=40) * math.pi / 180
            cosine, sine = angle.cos(), angle.sin().abs()
            width = (extent[:, 0] * cosine + extent[:, 1] * sine).ceil()
            height = (extent[:, 0] * sine + extent[:, 1] * cosine).ceil()
            where, fits = self.place(width, height, boxes, rows, columns)
            going = going & fits
            box = [torch.where(going, part, -1e4) for part in (where[:, 0], where[:, 1])] + [width, height]
            boxes.append(box)
            color, alpha = self.appearance(which, look, extent, angle, box, rows, columns)
            canvas = canvas + (color - canvas) * alpha[..., None]
            labels = torch.where(alpha > 0.5, slot, labels)
            placed += going
        return self.answers(self.finished(canvas, size), labels, pairs, placed, patch)

    def finished(self, canvas, size):
        """Blurs three in ten, changes the light of all."""
        count = len(canvas)
        radius = torch.where(self.random(count) < 0.3, self.random(count, low=0.05, high=size / 80), 0.01)
        pixels = blurred(canvas.permute(0, 3, 1, 2), radius)
        return (pixels * self.random(count, 1, 1, 1, low=0.8, high=1.2)).clamp(0, 1)

    def answers(self, pixels, labels, pairs, placed, patch):
        count, rows, columns = labels.shape
        slots = torch.arange(SLOTS, device=self.device)
        masks = (labels[..., None] == slots).float()  # [B, H, W, SLOTS]
        areas = masks.sum((1, 2))
        paired = slots < 2 * pairs[:, None]
        turned_out = (placed >= (2 * pairs).clamp(min=1)) & ((areas >= 1.5 * patch * patch) | ~paired).all(1)
        shares = F.avg_pool2d(masks.permute(0, 3, 1, 2), patch).flatten(2)  # [B, SLOTS, patches]
        covered, owner = (shares > 0.4).float().max(1)
        center = [(masks.sum(axis) * self.pixel_centers(extent)[None, :, None]).sum(1) / areas.clamp(min=1) - 0.5
                  for axis, extent in ((2, rows), (1, columns))]
        cells = torch.div(center[0], patch, rounding_mode="floor") * (columns // patch) + \
            torch.div(center[1], patch, rounding_mode="floor")
        twin = cells.long().gather(1, owner ^ 1)
        twin = torch.where((covered > 0) & paired.gather(1, owner), twin, NOTHING)
        keep = turned_out.nonzero()[:, 0]
        return (pixels * 2 - 1)[keep], covered[keep], twin[keep], (pairs > 0).float()[keep]


def blurred(values, radius):
    """[B, C, H, W], each of B under a Gaussian of its own standard deviation [B] in pixels, up to 2."""
    reach = torch.arange(-4, 5, device=values.device)
    weights = torch.exp(-reach ** 2 / (2 * radius[:, None] ** 2))
    weights = weights / weights.sum(1, keepdim=True)
    for axis in (2, 3):
        padded = F.pad(values, (0, 0, 4, 4) if axis == 2 else (4, 4, 0, 0), mode="replicate")
        values = sum(padded.narrow(axis, step, values.shape[axis]) * weights[:, step].reshape(-1, 1, 1, 1)
                     for step in range(9))
    return values
