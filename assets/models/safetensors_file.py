"""Files of tensors (https://github.com/huggingface/safetensors, "Format"). Debian has no package for them."""

import json
import struct

import numpy as np

KINDS = {"float32": ("F32", "<f4"), "float16": ("F16", "<f2")}


def as_array(tensor):
    return np.asarray(tensor.detach() if hasattr(tensor, "detach") else tensor)


def write_safetensors(path, tensors, metadata=None):
    """tensors: by name, of NumPy or PyTorch. Float16 stays what it is, all else becomes float32."""
    header, data = {"__metadata__": metadata} if metadata else {}, b""
    for name, tensor in tensors.items():
        array = as_array(tensor)
        kind, stored = KINDS.get(array.dtype.name, KINDS["float32"])
        raw = np.ascontiguousarray(array, stored).tobytes()
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def read_safetensors(path):
    """Tensors of float32 by their names."""
    with open(path, "rb") as file:
        raw = file.read()
    length = struct.unpack("<Q", raw[:8])[0]
    data = raw[8 + length:]
    return {name: np.frombuffer(data[slice(*entry["data_offsets"])], "<f4").reshape(entry["shape"])
            for name, entry in json.loads(raw[8:8 + length]).items() if name != "__metadata__"}
