#!/usr/bin/python3
"""Makes the two small T2T-ViTs of the lesson on what attention costs: softmax.safetensors and performer.safetensors.

    /usr/bin/python3 assets/lessons/11-models/make_models.py        (Debian: python3-numpy)

They differ in one thing: the token transformers of the first take a softmax, those of the second random features. Nobody
trained them. Queries and keys of the first are made by hand, and are the same: the color of a window, its slopes and its
coarse pattern. So windows that look alike read each other, and there is something to be seen. All else is drawn.
"""
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "models"))
from safetensors_file import write_safetensors  # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parent
SIDE = 112                # pixels of the picture's side: 28, 14 and 7 tokens
TOKEN, WIDTH = 16, 16     # channels of the token transformers and of the encoder
FEATURES = 64             # random rows of a performer
LONGEST = 1.0             # no query or key is longer


def cosine(side, frequency):
    wave = np.cos(np.pi * (np.arange(side) + 0.5) * frequency / side)
    return wave / np.linalg.norm(wave)


def patterns(side):
    """16 orthonormal rows over a window's numbers, color by color: brightness and two opposed colors, in slow waves."""
    colors = [np.array(c) / np.linalg.norm(c) for c in ([1.0, 1, 1], [1, 0, -1], [1, -2, 1])]
    waves = [[(0, 1), (1, 0), (1, 1), (0, 2), (2, 0), (1, 2), (2, 1), (2, 2), (0, 3), (3, 0)],
             [(0, 0), (0, 1), (1, 0)], [(0, 0), (0, 1), (1, 0)]]
    return np.array([np.kron(color, np.kron(cosine(side, v), cosine(side, h)))
                     for color, of_color in zip(colors, waves) for v, h in of_color])


def orthogonal(random, rows, cols):
    """Rows of length 1, square to each other as far as there are so many."""
    blocks = [np.linalg.qr(random.standard_normal((cols, cols)))[0] for _ in range(-(-rows // cols))]
    return np.concatenate(blocks)[:rows]


def random_rows(random):
    """As long as rows of so many normal numbers, and square to each other in blocks."""
    lengths = np.linalg.norm(random.standard_normal((FEATURES, TOKEN)), axis=1, keepdims=True)
    return orthogonal(random, FEATURES, TOKEN) * lengths


def linear(random, outputs, inputs):
    """As torch.nn.Linear draws a weight."""
    return (random.random((outputs, inputs)) * 2 - 1) * inputs ** -0.5


def norm(width):
    return {"weight": np.ones(width), "bias": np.zeros(width)}


def token_transformer(random, sees, performer):
    """sees: [16, inputs], what queries, keys and values are, but for their length."""
    inputs = sees.shape[1]
    # A norm makes a token's numbers inputs^0.5 long.
    query = key = sees * LONGEST * inputs ** -0.5
    value = sees
    mixing = orthogonal(random, TOKEN, TOKEN)
    first, second = linear(random, TOKEN, TOKEN), linear(random, TOKEN, TOKEN)
    rows = random_rows(random)
    tensors = {"norm1": norm(inputs), "norm2": norm(TOKEN), "proj": {"weight": mixing, "bias": np.zeros(TOKEN)}}
    biases = np.zeros(TOKEN)
    if performer:
        tensors |= {"kqv": {"weight": np.concatenate([key, query, value]), "bias": np.zeros(3 * TOKEN)}, "": {"w": rows},
                    "mlp.0": {"weight": first, "bias": biases}, "mlp.2": {"weight": second, "bias": biases}}
    else:
        # T2T-ViT divides these products by the root of the inputs; a performer does not.
        tensors["attn.qkv"] = {"weight": np.concatenate([query * inputs ** 0.5, key, value])}
        tensors["attn.proj"] = tensors.pop("proj")
        tensors |= {"mlp.fc1": {"weight": first, "bias": biases}, "mlp.fc2": {"weight": second, "bias": biases}}
    return {f"{part}.{name}".strip("."): tensor for part, of_part in tensors.items() for name, tensor in of_part.items()}


def sinusoidal(rows, width):
    angles = np.arange(rows)[:, None] / 10000.0 ** (2 * (np.arange(width) // 2) / width)
    return np.where(np.arange(width) % 2 == 0, np.sin(angles), np.cos(angles))[None]


def model(performer):
    random = np.random.default_rng(0)
    tensors = {"cls_token": np.zeros((1, 1, WIDTH)), "pos_embed": sinusoidal(1 + (SIDE // 16) ** 2, WIDTH)}
    for number, sees in ((1, patterns(7)), (2, orthogonal(random, 9 * TOKEN, 9 * TOKEN)[:TOKEN])):
        parts = token_transformer(random, sees, performer)
        tensors |= {f"tokens_to_token.attention{number}.{name}": tensor for name, tensor in parts.items()}
    for name, outputs, inputs in (("tokens_to_token.project", WIDTH, 9 * TOKEN), ("blocks.0.attn.qkv", 3 * WIDTH, WIDTH),
                                  ("blocks.0.attn.proj", WIDTH, WIDTH), ("blocks.0.mlp.fc1", 2 * WIDTH, WIDTH),
                                  ("blocks.0.mlp.fc2", WIDTH, 2 * WIDTH)):
        tensors |= {f"{name}.weight": linear(random, outputs, inputs), f"{name}.bias": np.zeros(outputs)}
    for name in ("blocks.0.norm1", "blocks.0.norm2", "norm"):
        tensors |= {f"{name}.{part}": tensor for part, tensor in norm(WIDTH).items()}
    return tensors


def main():
    for name in ("softmax", "performer"):
        write_safetensors(FOLDER / f"{name}.safetensors", model(name == "performer"))


if __name__ == "__main__":
    main()
