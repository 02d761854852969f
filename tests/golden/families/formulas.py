"""What all families share. Shapes: tokens [B, N, D], per head [B, H, N, head_dim].

Every function takes tensors as the family's file keeps them, so a wrong layout shows.
"""
import torch
from torch.nn import functional as F


def draw(weights, name, *shape, std=0.3):
    weights[name] = torch.randn(*shape) * std


def draw_linear(weights, name, outputs, inputs, bias=True):
    """Large enough that attention is far from uniform and every bias has a visible effect."""
    draw(weights, f"{name}.weight", outputs, inputs, std=1.5 * inputs ** -0.5)
    if bias:
        draw(weights, f"{name}.bias", outputs)


def draw_norm(weights, name, width, weight="weight"):
    weights[f"{name}.{weight}"] = 1 + 0.3 * torch.randn(width)
    draw(weights, f"{name}.bias", width)


class Weights(dict):
    """The tensors of a file by name, with torch's layers on them."""

    def linear(self, name, x):
        return F.linear(x, self[f"{name}.weight"], self.get(f"{name}.bias"))

    def norm(self, name, x, eps):
        gamma = self[f"{name}.weight"]
        return F.layer_norm(x, gamma.shape, gamma, self[f"{name}.bias"], eps)

    def convolution(self, name, pixels):
        """The patch embedding as a convolution whose stride is its kernel: [B, P, D]."""
        kernel = self[f"{name}.weight"]
        found = F.conv2d(pixels, kernel, self.get(f"{name}.bias"), stride=kernel.shape[-1])
        return found.flatten(2).transpose(1, 2)


def patches(pixels, size):
    """[B, P, channels·size·size], pixels listed by channel, row, column."""
    return F.unfold(pixels, size, stride=size).transpose(1, 2)


def cut_heads(x, heads):
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def attend(query, key, value, scale):
    """Per head; `concat` concatenates the heads."""
    found = {"query": query, "key": key, "value": value}
    found["scores"] = query @ key.transpose(-2, -1) * scale
    found["attention"] = found["scores"].softmax(-1)
    found["heads"] = found["attention"] @ value
    found["concat"] = found["heads"].transpose(1, 2).flatten(-2)
    return found


ACTIVATIONS = {
    "gelu": F.gelu,
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "quick_gelu": lambda x: x * torch.sigmoid(1.702 * x),
    "swiglu": lambda x: F.silu(x.chunk(2, -1)[0]) * x.chunk(2, -1)[1],
    "geglu": lambda x: F.gelu(x.chunk(2, -1)[0]) * x.chunk(2, -1)[1],
}


def block(x, norm1, attention, norm2, mlp_in, activation, mlp_out, ls1=None, ls2=None, mlp_norm=None):
    """The pre-norm block; its parts are functions of tokens. `attention` stores the steps up to
    `projection`."""
    found = {"norm1": norm1(x)}
    found |= attention(found["norm1"])
    del found["concat"]
    step = found["projection"]
    if ls1 is not None:
        step = found["ls1"] = step * ls1
    found["residual1"] = x + step
    found["norm2"] = norm2(found["residual1"])
    found["mlp_hidden"] = mlp_in(found["norm2"])
    found["mlp_activation"] = ACTIVATIONS[activation](found["mlp_hidden"])
    step = found["mlp_activation"]
    if mlp_norm is not None:
        step = found["mlp_norm"] = mlp_norm(step)
    step = found["mlp"] = mlp_out(step)
    if ls2 is not None:
        step = found["ls2"] = step * ls2
    found["output"] = found["residual1"] + step
    return found


def layers(found, x, count, steps):
    """Calls steps(l, x) for every layer, adds the results to found, and returns the last layer's
    output."""
    for layer in range(count):
        for name, tensor in steps(layer, x).items():
            found[f"layer.{layer}.{name}"] = tensor
        x = found[f"layer.{layer}.output"]
    return x


def resample(table, before, old, new, how):
    """Resamples a table [1, before + rows·cols, D] from grid `old` to grid `new`; the first rows
    stay."""
    if old == new:
        return table
    first, grid = table[:, :before], table[:, before:]
    grid = grid.unflatten(1, old).permute(0, 3, 1, 2)
    if how == "offset":  # DINO asks for a little more, lest a rounding cost a row
        factors = tuple((n + 0.1) / o for n, o in zip(new, old))
        grid = F.interpolate(grid, scale_factor=factors, mode="bicubic")
    elif how == "bicubic":
        grid = F.interpolate(grid, size=new, mode="bicubic", align_corners=False)
    elif how == "antialiased":
        grid = F.interpolate(grid, size=new, mode="bicubic", antialias=True)
    elif how == "corners":
        grid = F.interpolate(grid, size=new, mode="bilinear", align_corners=True)
    elif how == "bicubic_corners":
        grid = F.interpolate(grid, size=new, mode="bicubic", align_corners=True)
    assert grid.shape[2:] == new
    return torch.cat([first, grid.permute(0, 2, 3, 1).flatten(1, 2)], 1)


def grid_of(pixels, patch):
    return pixels.shape[2] // patch, pixels.shape[3] // patch
