"""headlight trace --gradient-of against PyTorch's autograd: every tensor of every family's small model.

The models are those of tests/golden/make_families.py, written in plain PyTorch.
"""
import os
import sys
import tempfile

from headlight_files import FAMILIES, IMAGES, SCENES, golden_models, np, run, safetensors
from torch_models import make_gradients

HEADLIGHT = os.path.abspath(sys.argv[1])
CAT = os.path.join(IMAGES, "cat.jpg")
TABLES = ("positions", "relative_bias")  # weights, of which there are no gradients


def check(folder, name, model, words):
    net, pixels = make_gradients.case_of(name)
    found = net.steps(pixels)
    expected = make_gradients.gradients_by(
        [step for step in found if not step.endswith(TABLES) and found[step].requires_grad],
        found, pixels, net, make_gradients.output_of(found))
    of = "1" if "logits" in found else "pooled"
    out = os.path.join(folder, "trace")
    run(HEADLIGHT, "trace", "--model", model, *words, "--input",
        os.path.join(FAMILIES, name + ".input.safetensors"), "--gradient-of", of, "--out", out)
    trace = safetensors(out)
    for step, gradient in expected.items():
        gradient = gradient.numpy()
        if step == "pool.probe":  # a weight
            continue
        calculated = trace[step + ".gradient"]
        assert calculated.shape == gradient.shape, (name, step, calculated.shape, gradient.shape)
        size = np.abs(gradient).max()
        error = np.abs(calculated - gradient).max()
        # Rows whose exact sum is 0 have rounding errors.
        assert error <= 1e-5 * size or error < 1e-9, (name, step, error / size)
        assert step == "pixels" or trace[step].shape == gradient.shape, (name, step)
    return len(expected)


def check_command_line(folder):
    out = os.path.join(folder, "trace")
    words = ["trace", "--image", CAT, "--out", out, "--model"]
    for model, of, status, says in (
            (SCENES, "cat", 2, "--gradient-of"), (SCENES, "-1", 2, "--gradient-of"),
            (SCENES, "99", 2, "--gradient-of"), (SCENES, "pooled", 2, "--gradient-of"),
            (SCENES, "", 2, "--gradient-of"), (SCENES, "1.5", 2, "--gradient-of"),
            (os.path.join(FAMILIES, "maps.model.safetensors"), "1", 1, "whole model")):
        error = run(HEADLIGHT, *words, model, "--gradient-of", of, status=status)[1]
        assert says in error, (of, error)
    # Requesting gradients changes no other output.
    run(HEADLIGHT, *words, SCENES, "--layers", "2")
    plain = safetensors(out)
    run(HEADLIGHT, *words, SCENES, "--layers", "2", "--gradient-of", "3")
    both = safetensors(out)
    assert all(np.array_equal(plain[name], both[name]) for name in plain)
    more = set(both) - set(plain)
    assert more and all(name.endswith(".gradient") for name in more)
    assert "layer.1.attention.gradient" in more and "layer.0.attention.gradient" not in more
    assert both["pixels.gradient"].ndim == 4 and "tokens.input.gradient" in more
    # The cosine with another image's output: its gradient, and none with the picture itself.
    logits = []
    for image in (os.path.join(IMAGES, "shapes.png"), CAT):
        run(HEADLIGHT, "trace", "--image", image, "--model", SCENES, "--layers", "1", "--out", out)
        logits.append(safetensors(out)["logits"][0].astype(float))
        run(HEADLIGHT, *words, SCENES, "--layers", "1", "--gradient-of", "cosine:" + image)
        found = safetensors(out)
        row, other = found["logits"][0].astype(float), logits[-1]
        of_row, of_other = np.linalg.norm(row), np.linalg.norm(other)
        expected = (other / of_other - row @ other / (of_row * of_other) * row / of_row) / of_row
        assert np.abs(found["logits.gradient"][0] - expected).max() < 1e-6 / of_row, image
        assert (np.abs(found["pixels.gradient"]).max() > 1e-4) == (image != CAT), image
    for target, says in (("cosine:" + out, "--gradient-of"), ("cosine:none.png", "none.png")):
        command = ["trace", "--image", CAT, "--out", out, "--model", SCENES, "--gradient-of", target]
        error = run(HEADLIGHT, *command, status=2 if says.startswith("--") else 1)[1]
        assert says in error, error
    # A class can be given by its name.
    found = []
    for of in ("4", "cross"):
        run(HEADLIGHT, *words, SCENES, "--layers", "2", "--gradient-of", of)
        found.append(safetensors(out))
    assert all(np.array_equal(found[0][name], found[1][name]) for name in found[0])
    error = run(HEADLIGHT, *words, SCENES, "--gradient-of", "cros", status=2)[1]
    assert '--gradient-of: no class of this model is called "cros"' in error, error


compared = 0
with tempfile.TemporaryDirectory() as scratch:
    for name, model, words in golden_models():
        if name in make_gradients.CASES:
            compared += check(scratch, name, model, words)
    check_command_line(scratch)
assert compared > 1000, compared
print(compared, "gradients are those of autograd")
