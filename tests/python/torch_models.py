"""PyTorch, and the golden models written in it, for the tests that compare with it. Without it they are skipped."""
import os
import sys

from headlight_files import ROOT

try:
    import torch
except ImportError:
    print("skipped: PyTorch is not installed")
    sys.exit(77)

sys.path.insert(0, os.path.join(ROOT, "tests", "golden"))
import make_families  # noqa: E402  (the path is set first)
import make_gradients  # noqa: E402
from families import swin as swins  # noqa: E402

__all__ = ["make_families", "make_gradients", "swins", "torch"]
