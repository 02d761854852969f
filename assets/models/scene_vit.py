"""The models of Headlight's scenes in plain PyTorch: a small vision transformer,
and one attention layer of T2T-ViT.

Names of parameters are timm's (VisionTransformer), so that Headlight and timm read them; `twin_head`
is our own: from a patch's last token to the patch in which its shape's twin has its center.
"""

import torch
import torch.nn.functional as F
from torch import nn

KINDS = 6
GRID = 10
PATCHES = GRID * GRID
CLASSES = KINDS + 1  # "no pair" is one of its own
WIDTH, LAYERS, HEADS = 64, 4, 4
EPS = 1e-6  # timm's


def sinusoidal(rows, width):
    """Vaswani et al., "Attention Is All You Need" (2017), section 3.5; row 0 is the class token's."""
    angle = torch.arange(rows, dtype=torch.float64)[:, None] / 10000 ** (
        2 * torch.div(torch.arange(width), 2, rounding_mode="floor") / width)
    table = torch.where(torch.arange(width) % 2 == 0, angle.sin(), angle.cos())
    return table.float()[None]


class Attention(nn.Module):
    fused = False  # in training: faster on a GPU, needs PyTorch 2 and keeps no weights

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.proj = nn.Linear(width, width)

    def forward(self, x):
        batch, tokens, width = x.shape
        qkv = self.qkv(x).reshape(batch, tokens, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        if self.fused and self.training:
            mixed = F.scaled_dot_product_attention(*qkv)
            return self.proj(mixed.transpose(1, 2).reshape(batch, tokens, width))
        query, key, value = qkv[0] * (width // self.heads) ** -0.5, qkv[1], qkv[2]
        attention = (query @ key.transpose(-2, -1)).softmax(-1)
        self.weights = attention.detach()  # [B, H, N, N], for the measurements
        return self.proj((attention @ value).transpose(1, 2).reshape(batch, tokens, width))


class Mlp(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc1 = nn.Linear(width, 4 * width)
        self.fc2 = nn.Linear(4 * width, width)

    def forward(self, x):
        return self.fc2(F.gelu(self.fc1(x)))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm1 = nn.LayerNorm(width, eps=EPS)
        self.attn = Attention(width, heads)
        self.norm2 = nn.LayerNorm(width, eps=EPS)
        self.mlp = Mlp(width)

    def forward(self, x):
        x = x + self.attn(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class SceneVit(nn.Module):
    """[B, 3, 80, 80] in [-1, 1] -> logits of the class [B, 7], of each patch's kind [B, 100, 7] and
    of the place of its twin [B, 100, 100]."""

    patch = 8
    help = ("kind_head",)  # outputs that help to learn and are not shipped

    def __init__(self, positions):
        super().__init__()
        self.patch_embed = nn.Module()
        self.patch_embed.proj = nn.Conv2d(3, WIDTH, self.patch, self.patch)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, WIDTH))
        if positions == "learned":
            self.pos_embed = nn.Parameter(0.02 * torch.randn(1, 1 + PATCHES, WIDTH))
        else:
            self.register_buffer("pos_embed", sinusoidal(1 + PATCHES, WIDTH))
        self.blocks = nn.Sequential(*[Block(WIDTH, HEADS) for _ in range(LAYERS)])
        self.norm = nn.LayerNorm(WIDTH, eps=EPS)
        self.head = nn.Linear(WIDTH, CLASSES)
        self.twin_head = nn.Linear(WIDTH, PATCHES)
        self.kind_head = nn.Linear(WIDTH, CLASSES)
        for name, parameter in self.named_parameters():
            if name.endswith("weight") and parameter.dim() == 2:
                nn.init.trunc_normal_(parameter, std=0.05)

    def forward(self, pixels):
        # The convolution as one product, which is faster on a CPU.
        patches = F.unfold(pixels, self.patch, stride=self.patch).transpose(1, 2)
        tokens = F.linear(patches, self.patch_embed.proj.weight.flatten(1),
                          self.patch_embed.proj.bias)
        x = torch.cat([self.cls_token.expand(len(tokens), -1, -1), tokens], 1) + self.pos_embed
        x = self.norm(self.blocks(x))
        return self.head(x[:, 0]), self.kind_head(x[:, 1:]), self.twin_head(x[:, 1:])


class ArticleLayer(nn.Module):
    """Grey pictures [B, 3, 70, 70], 100 tokens of 7 × 7 pixels, 64 channels, 4 heads, the skip from V:
    the dimensions in which T2T-ViT's attention is usually explained. The mean of its tokens names the
    class."""

    patch = 7
    help = ("kind_head", "twin_head")

    def __init__(self):
        super().__init__()
        self.register_buffer("positions", sinusoidal(PATCHES, self.patch ** 2), persistent=False)
        self.qkv = nn.Linear(self.patch ** 2, 3 * WIDTH, bias=False)
        self.proj = nn.Linear(WIDTH, WIDTH)
        self.head = nn.Linear(WIDTH, CLASSES)
        self.kind_head = nn.Linear(WIDTH, CLASSES)
        self.twin_head = nn.Linear(WIDTH, PATCHES)

    def forward(self, pixels):
        grey = (pixels * torch.tensor([0.299, 0.587, 0.114]).view(3, 1, 1)).sum(1, keepdim=True)
        tokens = F.unfold(grey, self.patch, stride=self.patch).transpose(1, 2) + self.positions
        qkv = self.qkv(tokens).reshape(len(tokens), PATCHES, 3, HEADS, WIDTH // HEADS)
        query, key, value = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        attention = (query @ key.transpose(-2, -1) * (WIDTH // HEADS) ** -0.5).softmax(-1)
        mixed = (attention @ value).transpose(1, 2).reshape(len(tokens), PATCHES, WIDTH)
        y = value.transpose(1, 2).reshape(len(tokens), PATCHES, WIDTH) + self.proj(mixed)
        return self.head(y.mean(1)), self.kind_head(y), self.twin_head(y)


def pixels_of(pictures):
    """uint8 [B, H, W, 3] -> [B, 3, H, W] in [-1, 1]: mean and deviation 0.5."""
    return (torch.from_numpy(pictures).permute(0, 3, 1, 2).float() / 255 - 0.5) / 0.5
