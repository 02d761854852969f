"""MAE as trained: timm's encoder with 2-D sine-cosine positions, and its decoder."""
import numpy
import torch

from . import formulas as f
from .timm import VisionTransformer


def sincos(width, native):
    """A row for the class token, all zeros, and one for each patch: sines and cosines of its column
    in the first half, of its row in the second."""
    quarter = width // 4
    waves = 10000.0 ** (-numpy.arange(quarter) / quarter)
    rows, cols = (place.reshape(-1, 1) for place in numpy.indices(native))
    table = numpy.concatenate([wave(place * waves) for place in (cols, rows)
                               for wave in (numpy.sin, numpy.cos)], 1)
    table = numpy.concatenate([numpy.zeros((1, width)), table])
    return torch.from_numpy(table[None].astype(numpy.float32))


def encoder(width, heads, depth, hidden, patch, native, decoder_width):
    model = VisionTransformer(width, heads, depth, hidden, patch, native)
    model.w["pos_embed"] = sincos(width, native)
    extra, at = f.Weights(), "decoder_blocks.0"
    f.draw(extra, "mask_token", 1, 1, decoder_width)
    extra["decoder_pos_embed"] = sincos(decoder_width, native)
    f.draw_linear(extra, "decoder_embed", decoder_width, width)
    for norm in (f"{at}.norm1", f"{at}.norm2", "decoder_norm"):
        f.draw_norm(extra, norm, decoder_width)
    for name, outputs, inputs in (("attn.qkv", 3, 1), ("attn.proj", 1, 1), ("mlp.fc1", 4, 1),
                                  ("mlp.fc2", 1, 4)):
        f.draw_linear(extra, f"{at}.{name}", outputs * decoder_width, inputs * decoder_width)
    f.draw_linear(extra, "decoder_pred", 3 * patch * patch, decoder_width)
    model.extra |= extra
    return model
