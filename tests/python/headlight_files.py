"""Shared by the tests of the command line: running it, and reading its files independently."""
import json
import os
import struct
import subprocess
import sys

try:
    import numpy as np
except ImportError:
    print("skipped: numpy is not installed")
    sys.exit(77)

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FAMILIES = os.path.join(ROOT, "tests", "golden", "families")
SCENES = os.path.join(ROOT, "assets", "models", "scenes")
IMAGES = os.path.join(ROOT, "assets", "images")


def run(binary, *words, status=0):
    done = subprocess.run([binary, *map(str, words)], capture_output=True)
    assert done.returncode == status, (words, done.returncode, done.stderr.decode())
    return done.stdout.decode(), done.stderr.decode(errors="replace")


def safetensors(path):
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = file.read()
    arrays = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        kind = {"F16": "<f2", "F32": "<f4", "F64": "<f8", "I32": "<i4", "I64": "<i8", "U8": "u1", "BOOL": "?"}[entry["dtype"]]
        arrays[name] = np.frombuffer(data[begin:end], kind).reshape(entry["shape"])
    return arrays


def write_safetensors(path, arrays):
    header, data = {}, b""
    for name, array in arrays.items():
        bytes_ = array.astype("<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(array.shape),
                        "data_offsets": [len(data), len(data) + len(bytes_)]}
        data += bytes_
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def golden_models():
    """Name, model and what else the command line needs to open it."""
    for file in sorted(os.listdir(FAMILIES)):
        name, _, ending = file.partition(".model.")
        if ending:
            config = os.path.join(FAMILIES, name + ".config.json")
            yield (name, os.path.join(FAMILIES, file),
                   ["--config", config] if os.path.exists(config) else [])


def write_pnm(path, pixels):
    """8-bit gray or RGB."""
    kind = "P5" if pixels.ndim == 2 else "P6"
    with open(path, "wb") as file:
        file.write(f"{kind} {pixels.shape[1]} {pixels.shape[0]} 255\n".encode())
        file.write(pixels.astype(np.uint8).tobytes())
