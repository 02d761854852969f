"""The model of photographs in plain PyTorch: a vision transformer that finds the same thing twice.

Names of parameters are timm's (VisionTransformer). Three heads of our own come after the last norm:
`pair_head` (class token: does any object appear twice?), `object_head` (patch: object or background?),
`twin_query` and `twin_key` (patch to patch: where is the center of this object's twin?).
"""

import functools

import torch
import torch.nn.functional as F
from torch import nn

from scene_vit import EPS, Block

PATCH = 8
WIDTH, LAYERS, HEADS = 128, 6, 4


@functools.lru_cache(maxsize=None)
def positions(rows, columns, device="cpu"):
    """[1 + rows * columns, WIDTH]: sine and cosine of the column, then of the row, as in MAE; zeros for the
    class token. Any size of picture has its table."""
    wave = 10000 ** -(torch.arange(WIDTH // 4, dtype=torch.float64) / (WIDTH // 4))
    y, x = torch.meshgrid(torch.arange(rows), torch.arange(columns), indexing="ij")
    parts = [function(place.reshape(-1, 1) * wave) for place in (x, y)
             for function in (torch.sin, torch.cos)]
    return torch.cat([torch.zeros(1, WIDTH), torch.cat(parts, 1).float()]).to(device)


def shipped(state):
    """The tensors of a trained model as its file has them. A sigmoid of the pair's logit z is what a softmax says of
    z / 2 and -z / 2, so the head is timm's, of two classes: "a pair" and "no pair"."""
    tensors = {name: tensor for name, tensor in state.items() if not name.startswith("pair_head.")}
    for part in ("weight", "bias"):
        half = state[f"pair_head.{part}"] / 2
        tensors[f"head.{part}"] = torch.cat([half, -half])
    return tensors


class PhotoVit(nn.Module):
    """[B, 3, H, W] in [-1, 1], N = H/8 * W/8 -> logits of "there is a pair" [B], of "object" for each patch [B, N],
    and of the cell of the twin's center [B, N, N]."""

    def __init__(self):
        super().__init__()
        self.patch_embed = nn.Module()
        self.patch_embed.proj = nn.Conv2d(3, WIDTH, PATCH, PATCH)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, WIDTH))
        self.blocks = nn.Sequential(*[Block(WIDTH, HEADS) for _ in range(LAYERS)])
        self.norm = nn.LayerNorm(WIDTH, eps=EPS)
        self.pair_head = nn.Linear(WIDTH, 1)
        self.object_head = nn.Linear(WIDTH, 1)
        self.twin_query = nn.Linear(WIDTH, WIDTH)
        self.twin_key = nn.Linear(WIDTH, WIDTH)
        for name, parameter in self.named_parameters():
            if name.endswith("weight") and parameter.dim() == 2:
                nn.init.trunc_normal_(parameter, std=0.04)

    def forward(self, pixels):
        rows, columns = pixels.shape[2] // PATCH, pixels.shape[3] // PATCH
        # The convolution as one product, which is faster on a CPU.
        patches = F.unfold(pixels, PATCH, stride=PATCH).transpose(1, 2)
        tokens = F.linear(patches, self.patch_embed.proj.weight.flatten(1), self.patch_embed.proj.bias)
        x = torch.cat([self.cls_token.expand(len(tokens), -1, -1), tokens], 1) + positions(rows, columns, tokens.device)
        x = self.norm(self.blocks(x))
        patch = x[:, 1:]
        pointing = self.twin_query(patch) @ self.twin_key(patch).transpose(1, 2) * WIDTH ** -0.5
        return self.pair_head(x[:, 0])[:, 0], self.object_head(patch)[..., 0], pointing
