#!/usr/bin/env python3
"""Writes the seeds of the fuzz targets, tests/fuzz/corpus: small files that are right, one for each
thing that a format allows, and the beginnings of files that are something else.

    python3 tests/fuzz/make_corpus.py

The seeds of `image` are the pictures of tests/golden/images.
"""
import io
import json
import math
import struct
import zipfile
from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"
PICKLES = Path(__file__).parents[1] / "golden" / "pickles"


def safetensors(tensors, metadata=None, spaces=0):
    """tensors: (name, dtype, shape, bytes)"""
    header, at = ({"__metadata__": metadata} if metadata else {}), 0
    for name, dtype, shape, size in tensors:
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header, separators=(",", ":")).encode() + b" " * spaces
    return struct.pack("<Q", len(text)) + text + b"\x3c" * at


def npy(dtype, shape, data, order=False, version=1):
    text = f"{{'descr': '{dtype}', 'fortran_order': {order}, 'shape': {shape}, }}\n".encode()
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + length + text + data


def archive(members, method=zipfile.ZIP_STORED, comment=b"", zip64=False):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as out:
        out.comment = comment
        for name, data in members.items():
            info = zipfile.ZipInfo(name)  # always of the same time
            info.compress_type = method
            with out.open(info, "w", force_zip64=zip64) as member:
                member.write(data)
    return file.getvalue()


def text(value):
    return json.dumps(value).encode()


def floats(shapes):
    """A file of F32 tensors of these shapes, by their names."""
    sizes = {name: 4 * math.prod(shape) for name, shape in shapes.items()}
    return safetensors([(name, "F32", shape, sizes[name]) for name, shape in shapes.items()])


# timm's names: patches of 2 x 2, width 4, one layer.
TIMM = floats({
    "cls_token": [1, 1, 4], "pos_embed": [1, 5, 4],
    "patch_embed.proj.weight": [4, 3, 2, 2], "patch_embed.proj.bias": [4],
    "blocks.0.norm1.weight": [4], "blocks.0.norm1.bias": [4],
    "blocks.0.attn.qkv.weight": [12, 4], "blocks.0.attn.qkv.bias": [12],
    "blocks.0.attn.proj.weight": [4, 4], "blocks.0.attn.proj.bias": [4],
    "blocks.0.norm2.weight": [4], "blocks.0.norm2.bias": [4],
    "blocks.0.mlp.fc1.weight": [8, 4], "blocks.0.mlp.fc1.bias": [8],
    "blocks.0.mlp.fc2.weight": [4, 8], "blocks.0.mlp.fc2.bias": [4],
    "norm.weight": [4], "norm.bias": [4], "head.weight": [2, 4], "head.bias": [2]})


def siglip(embedding):
    """SigLIP's in Hugging Face's names, with its pooling; NaFlex embeds patches by a product."""
    at, head = "encoder.layers.0.", "head."
    shapes = {"embeddings.patch_embedding.weight": embedding, "embeddings.patch_embedding.bias": [4],
              "embeddings.position_embedding.weight": [4, 4], head + "probe": [1, 1, 4],
              head + "attention.in_proj_weight": [12, 4], head + "attention.in_proj_bias": [12]}
    for name, outputs, inputs in ((at + "mlp.fc1", 8, 4), (at + "mlp.fc2", 4, 8),
                                  (head + "mlp.fc1", 8, 4), (head + "mlp.fc2", 4, 8),
                                  (head + "attention.out_proj", 4, 4),
                                  *((f"{at}self_attn.{part}_proj", 4, 4) for part in ("q", "k", "v", "out"))):
        shapes |= {name + ".weight": [outputs, inputs], name + ".bias": [outputs]}
    for name in (at + "layer_norm1", at + "layer_norm2", "post_layernorm", head + "layernorm"):
        shapes |= {name + ".weight": [4], name + ".bias": [4]}
    return floats(shapes)


def swin():
    """Two stages of one layer each, in timm's names."""
    shapes = {"patch_embed.proj.weight": [2, 3, 1, 1], "patch_embed.proj.bias": [2],
              "layers.1.downsample.reduction.weight": [4, 8], "head.fc.weight": [2, 4], "head.fc.bias": [2]}
    for name, width in (("patch_embed.norm", 2), ("layers.1.downsample.norm", 8), ("norm", 4)):
        shapes |= {name + ".weight": [width], name + ".bias": [width]}
    for stage, c in ((0, 2), (1, 4)):
        at = f"layers.{stage}.blocks.0."
        shapes[at + "attn.relative_position_bias_table"] = [9, 2]
        for name, outputs, inputs in (("attn.qkv", 3 * c, c), ("attn.proj", c, c), ("mlp.fc1", c, c),
                                      ("mlp.fc2", c, c)):
            shapes |= {f"{at}{name}.weight": [outputs, inputs], f"{at}{name}.bias": [outputs]}
        for name in ("norm1", "norm2"):
            shapes |= {f"{at}{name}.weight": [c], f"{at}{name}.bias": [c]}
    return floats(shapes)


def pickles():
    """The pickles of tests/golden/make_pickles.py without their storages, and one with them."""
    found = {path.stem: zipfile.ZipFile(path).read(f"{path.stem}/data.pkl")
             for path in (*PICKLES.glob("*.pth"), *PICKLES.glob("refused/*.pth"))
             if path.stem not in ("deflated", "script")}
    return {**found, "archive": (PICKLES / "plain.pth").read_bytes(),
            "deflated": (PICKLES / "deflated.pth").read_bytes()}


LAYER = safetensors([("qkv.weight", "F32", [6, 3], 72), ("proj.weight", "F16", [2, 2], 8),
                     ("proj.bias", "BF16", [2], 4)])
MATRIX = npy("<f4", (2, 3), bytes(24))
ARRAYS = {"block/kernel.npy": MATRIX, "bias.npy": npy("<f2", (4,), b"\0\x3c" * 4)}

SEEDS = {
    "safetensors": {
        "layer": LAYER,
        "mha": safetensors([("a.in_proj_weight", "F64", [3, 1], 24),
                            ("a.out_proj.weight", "I64", [1, 1], 8)], {"format": "pt"}, 2),
        "types": safetensors([("mask", "BOOL", [2, 2], 4), ("i", "I32", [], 4),
                              ("j", "I16", [1, 2], 4), ("k", "I8", [3], 3), ("u", "U8", [1], 1),
                              ("none", "F32", [0, 9], 0)]),
    },
    "npy": {
        "matrix": MATRIX,
        "columns": npy("<f4", (2, 3), bytes(range(24)), order=True),
        "half": npy("<f2", (3,), bytes(6), version=2),
        "bfloat": npy("|V2", (2, 1), b"\x80\x3f" * 2, version=3),
        "double": npy("<f8", (), bytes(8)),
        "truth": npy("|b1", (2, 2), b"\0\1\1\0"),
        "long": npy("<i8", (0, 4), b""),
    },
    "npz": {
        "stored": archive(ARRAYS),
        "deflated": archive(ARRAYS, zipfile.ZIP_DEFLATED),
        "zip64": archive(ARRAYS, zip64=True, comment=b"weights"),
        "other": archive({"readme.txt": b"no array"}),
    },
    "torch": pickles(),
    "checkpoint": {
        "safetensors": LAYER,
        "aligned": safetensors([("x", "F32", [2, 2], 16)], spaces=7),
        "npz": archive(ARRAYS, zipfile.ZIP_DEFLATED),
        "npy": MATRIX,
        "index": text({"metadata": {"total_size": 4}, "weight_map": {"x": "a.safetensors"}}),
        "torch": archive({"model/data.pkl": b"\x80\2}q\0.", "model/version": b"3\n"}),
        "pickle": b"\x80\2\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.",
        "page": b"\n<!DOCTYPE html><html><title>404</title></html>",
        "pointer": b"version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 9\n",
        "picture": b"\x89PNG\r\n\x1a\n",
        "nothing": b"",
    },
    "tokens": {
        "points": MATRIX,
        "map": npy("<f8", (2, 3, 1), bytes(48), order=True),
        "batch": archive({"tokens.npy": npy("<f2", (2, 1, 3), bytes(12))}),
        "beside": archive({"tokens.npy": MATRIX, "mask.npy": npy("|b1", (2, 2), b"\0\1\1\0")}),
        "named": safetensors([("tokens", "BF16", [2, 2], 8)]),
        "maps": npy("<f4", (1, 2, 2), bytes(16)),
    },
    "model": {
        "timm": TIMM,
        "siglip": siglip([4, 3, 2, 2]),
        "siglip_naflex": siglip([4, 12]),
        "swin": swin(),
        "layer": floats({"qkv.weight": [12, 9], "proj.weight": [4, 4], "proj.bias": [4]}),
        "mha": floats({"in_proj_weight": [12, 4], "in_proj_bias": [12],
                       "out_proj.weight": [4, 4], "out_proj.bias": [4]}),
        # Rows of five values of 1/5.
        "maps": floats({"layer.0.attention": [2, 5, 5], "layer.1.attention": [2, 5, 5]}).replace(
            b"\x3c" * 4, struct.pack("<f", 0.2)),
    },
    "config": {
        "huggingface": text({
            "architectures": ["ViTForImageClassification"], "model_type": "vit",
            "hidden_act": "gelu", "hidden_size": 192, "image_size": 224, "patch_size": 16,
            "num_attention_heads": 3, "num_hidden_layers": 12, "layer_norm_eps": 1e-12,
            "qkv_bias": True, "id2label": {"0": "tench", "1": "goldfish"},
            "label2id": {"tench": 0, "goldfish": 1}}),
        "preprocessor": text({
            "do_resize": True, "size": {"shortest_edge": 256}, "do_center_crop": True,
            "crop_size": {"height": 224, "width": 224}, "resample": 3, "do_rescale": True,
            "rescale_factor": 1 / 255, "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5]}),
        "timm": text({
            "architecture": "vit_tiny_patch16_224", "num_classes": 1000, "num_features": 192,
            "global_pool": "token", "label_names": ["tench"],
            "pretrained_cfg": {"input_size": [3, 224, 224], "fixed_input_size": True,
                               "interpolation": "bicubic", "crop_pct": 0.9, "crop_mode": "center",
                               "mean": [0.5, 0.5, 0.5], "std": [0.5, 0.5, 0.5]}}),
        "openclip": text({
            "model_cfg": {"embed_dim": 512, "quick_gelu": True,
                          "vision_cfg": {"image_size": 224, "layers": 12, "width": 768,
                                         "head_width": 64, "patch_size": 32},
                          "text_cfg": {"context_length": 77, "heads": 8}},
            "preprocess_cfg": {"mean": [0.48, 0.46, 0.41], "std": [0.27, 0.26, 0.28]}}),
        "ours": text({
            "family": "timm", "num_heads": 4, "layer_norm_eps": 1e-6, "qk_scale": 0.125,
            "activation": "quick_gelu", "resampling": "bicubic", "mean": [0, 0, 0],
            "std": [1, 1, 1], "image_size": [224, 196]}),
        "empty": b"{}",
    },
    "scene": {
        "pair": text({
            "background": {"from": [0.1, 0.1, 0.2], "to": [1, 0.5, 0], "direction": 30,
                           "noise": 0.02, "grain": 4294967295},
            "shapes": [{"kind": kind, "x": x, "y": 31.5, "radius": 9, "rotation": -20,
                        "color": [0.9, 0.2, 1e-3]} for kind, x in (("star", 20), ("star", 60))]}),
        "nothing": text({
            "background": {"from": [0, 0, 0], "to": [0, 0, 0], "direction": 0, "noise": 0,
                           "grain": 0},
            "shapes": []}),
        "empty": b"{}",
    },
    "session": {
        "layer": text({
            "version": 1,
            "recipe": {"image": "a.ppm", "image_height": 64, "patch_size": 8, "heads": "model",
                       "temperature": 0.5, "positions": "sinusoidal", "mean": [0.5, 0.5, 0.5],
                       "std": [0.5, 0.25, 1], "switched_off": [[0, 1]]},
            "pinned": None,
            "selection": {"step": "softmax", "head": 3, "head_pinned": True, "token": 7, "col": 9,
                          "col_axis": "key_token"},
            "look": {"theme": "light", "zoom": 1.25, "lecture": True, "compare": "after"},
            "recent": ["a.ppm", "b.ppm"], "recent_models": []}),
        "scene": text({
            "version": 1,
            "recipe": {"image": "", "weights": "w.safetensors", "layer": 2, "scene": {
                "background": {"from": [0, 0, 0], "to": [1, 1, 1], "direction": 30, "noise": 0,
                               "grain": 1},
                "shapes": [{"kind": "ring", "x": 40, "y": 31.5, "radius": 9, "rotation": -20,
                            "color": [0.9, 0.2, 1e-3]}]}},
            "pinned": {"image": "b.ppm", "seed": 18446744073709551615},
            "selection": {"shape": 0}, "look": {"compare": "difference"}}),
        "tokens": text({
            "version": 1,
            "recipe": {"image": "", "tokens": {"file": {"name": "p.npy", "shape": [8, 80, 2],
                                                        "as": "batch", "sample": 3}}},
            "on_picture": {"image": "a.ppm"}, "reference": "out.npz", "selection": {"token": 5},
            "look": {"scores_view": "all"}}),
        "empty": b"{}",
    },
    "lesson": {
        "all": b"# Title\n\nWords, *bold* **bolder** `code`.\n\n## Stop\n```headlight\nstep softmax\n"
               b"focus 43\nspotlight stage.result[43,*] \"row\"\n```\n[Q](symbol:query) [do](do:cell 1 2) "
               b"[other](b.md) {value max(attention[43,*])} {percent probability} $R_{ij} = \\sum_c Q_c$\n\n"
               b"![cat](cat.png)\n\n<!-- note: say it -->\n\n? Why?\n- a\n- [x] b\n> because\n\n"
               b"! Do it.\nwith: temperature\nuntil: temperature < 0.5 and mask = \"none\"\n\n"
               b"1. one\n   - two\n\n> quoted\n\n| a | b |\n|---|---|\n| c | d |\n\n---\n\n## Sources\n"
               b"[paper](https://example.org)\n",
        "expression": b"# T\n## S\n{value (1 + 2) * -3 / effective_patches(head 2, 1) - attention[head 1, *, token]}"
                      b" {percent mass(head 3, twin)} {value not right or truth = \"cross\"}\n",
        "empty": b"",
    },
    "commands": {
        "walk": b"step softmax\nhead 2\nfocus 3\ncell 1 2\nstop next\nscrub 3.3\nplay\nstep last\n"
                b"head-click 1\nsolo 2\nrelease\nundo\nundo\nredo\n",
        "experiment": b"set heads 8\nhead 8\nset heads 2\nundo\nredo\nundo\nset temperature 0.3\n"
                      b"set scale 2\nreset scale\nset patch_size 8\nset stride 4\npin\n"
                      b"set patch_size 16\ncompare difference\ncompare before\nunpin\ndefaults\n",
        "files": b"open b.ppm\nset patch_size 16\nopen-model w.safetensors\nlayer 1\nswitch-head 1 1\n"
                 b"switch-heads-on\nopen-model bad.safetensors\nclose-model\nopen \"no file\"\n"
                 b"open text.ppm\nundo\ncancel\n",
        "tokens": b"tokens p.npy\nsample 2\narray batch\nreference p.npy\nreference\nvectors four\n"
                  b"open p.npy\nset scores_view widths\npicture\nundo\nundo\n",
        "scene": b"scene 7\nshape 1\nshape-move 1 20 30.5\nshape-resize 1 12\nshape-turn 1 -45\n"
                 b"shape-color 1 ff8800\nshape-kind 1 star\nshape-add ring 60 60\ntwin 1\nuntwin 1\n"
                 b"shape-delete 2\nset image_size 40\nscene random\nundo\nundo\n",
        "nothing": b"",
    },
}


def main():
    for target, seeds in SEEDS.items():
        folder = CORPUS / target
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in seeds.items():
            (folder / name).write_bytes(data)
    pictures = CORPUS / "image"
    if not pictures.is_symlink():
        pictures.symlink_to("../../golden/images")


if __name__ == "__main__":
    main()
