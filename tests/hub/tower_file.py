"""Files with a vision tower and a tower of text, as CLIP's and SigLIP's authors publish them, made of the golden models."""

import json
import pathlib
import struct

FAMILIES = pathlib.Path(__file__).resolve().parents[1] / "golden" / "families"
TEXT = {"text_model.embeddings.token_embedding.weight": [60000, 512], "text_model.final_layer_norm.weight": [512]}


def count(shape):
    numbers = 1
    for size in shape:
        numbers *= size
    return numbers


def read(data):
    """The header of a safetensors file, without metadata; the metadata; and the bytes after it."""
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    return header, header.pop("__metadata__", {}), data[8 + size:]


def widened(about, data, times):
    """A tensor of the golden models, whose width is 24, in a model of `times` that width."""
    shape = [size * times if size in (24, 96) else size for size in about["shape"]]
    return {**about, "shape": shape}, data * (count(shape) // max(count(about["shape"]), 1))


def with_text(family, times=1, text=TEXT):
    """A golden model, made wider, with a large tower of text between its tensors."""
    header, _, body = read((FAMILIES / f"{family}.model.safetensors").read_bytes())
    tensors = {name: widened(about, body[slice(*about["data_offsets"])], times) for name, about in header.items()
               if not name.startswith(("text_model.", "vision_model.embeddings.position_ids"))}
    for name, shape in text.items():
        tensors[name] = ({"dtype": "F32", "shape": shape}, bytes(4 * count(shape)))
    out, end, chunks = {"__metadata__": {"format": "pt"}}, 0, []
    for name, (about, data) in sorted(tensors.items()):
        out[name] = {"dtype": about["dtype"], "shape": about["shape"], "data_offsets": [end, end + len(data)]}
        chunks.append(data)
        end += len(data)
    header = json.dumps(out).encode()
    return struct.pack("<Q", len(header)) + header + b"".join(chunks)
