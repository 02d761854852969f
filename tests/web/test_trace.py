#!/usr/bin/env python3
"""What the browser computes: the subcommands in WebAssembly, under Node, against the native program.

    python3 tests/web/test_trace.py build/release/headlight [build/web-build]

Skipped (77) where ./dev web has not been run or there is no node.
"""

import json
import math
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from browser import node_switches

SOURCE = Path(__file__).resolve().parents[2]
MODELS, IMAGES = SOURCE / "assets" / "models", SOURCE / "assets" / "images"
# Relative to the largest number of a tensor. The two sum in other orders, and float32 rounds in each layer. So numbers of whole
# models are within 1e-6 in the mean (root of the mean square), and single ones a little further apart: up to 1.9e-6 between native
# runs with AVX2 and with AVX-512, and up to 3.1e-6 between these and the page.
WITHIN, SINGLE_IN_A_MODEL = 1e-6, 4e-6
PROGRAMS = ["headlight-cli.js", "headlight-cli-relaxed.js"]  # without and with relaxed SIMD
NATIVE = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else None
BUILT = Path(sys.argv[2] if len(sys.argv) > 2 else SOURCE / "build" / "web-build").resolve()


def tensors(path):
    data = path.read_bytes()
    size, = struct.unpack_from("<Q", data)
    header = json.loads(data[8:8 + size])
    header.pop("__metadata__", None)
    found = {}
    for name, entry in header.items():
        begin, end = (8 + size + at for at in entry["data_offsets"])
        assert entry["dtype"] == "F32", name
        found[name] = (entry["shape"], memoryview(data)[begin:end].cast("f"))
    return found


class Trace(unittest.TestCase):
    def traced(self, program, folder, arguments):
        path = Path(folder) / "trace.safetensors"
        subprocess.run([*program, "trace", *map(str, arguments), "--out", str(path)], check=True, stdout=subprocess.DEVNULL, timeout=600)
        return tensors(path)

    def assert_same(self, single, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            native = self.traced([str(NATIVE)], folder, arguments)
            for program in PROGRAMS:
                with self.subTest(program=program):
                    node = ["node", *node_switches(program)]
                    self.compare(native, self.traced([*node, str(BUILT / program)], folder, arguments), single)

    def compare(self, native, web, single):
        self.assertEqual(list(native), list(web))
        for name, (shape, numbers) in native.items():
            others = web[name]
            self.assertEqual(shape, others[0], name)
            largest = max(map(abs, numbers), default=0)
            apart = [abs(a - b) for a, b in zip(numbers, others[1])]
            self.assertLessEqual(max(apart, default=0), single * largest, name)
            if len(apart) > 100:
                self.assertLessEqual(math.sqrt(sum(d * d for d in apart) / len(apart)), WITHIN * largest, name)

    def test_the_model_of_scenes(self):
        self.assert_same(SINGLE_IN_A_MODEL, "--model", MODELS / "scenes" / "model.safetensors", "--image", IMAGES / "shapes.png")

    def test_the_model_of_photographs(self):
        self.assert_same(SINGLE_IN_A_MODEL, "--model", MODELS / "photos" / "model.safetensors", "--image", IMAGES / "cat.jpg")

    def test_a_single_layer(self):
        self.assert_same(WITHIN, "--model", MODELS / "t2t-layer" / "model.safetensors", "--image", IMAGES / "bee.jpg")


if __name__ == "__main__":
    if NATIVE is None or not (BUILT / "headlight-cli.js").exists() or not shutil.which("node"):
        print("skipped: needs a native program, ./dev web and node")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
