"""Compares headlight curves with a loop in PyTorch that hides patches one step after the other."""
import csv
import json
import os
import sys
import tempfile
import zlib

from headlight_files import FAMILIES, IMAGES, SCENES, np, run, safetensors
from torch_models import make_families, torch

HEADLIGHT = os.path.abspath(sys.argv[1])
CAT, SHAPES = os.path.join(IMAGES, "cat.jpg"), os.path.join(IMAGES, "shapes.png")


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def numbers(rows, method, column):
    return np.array([float(row[column]) for row in rows if row["method"] == method])


def probability(model, pixels, of_class):
    return model.steps(pixels)["logits"][0].softmax(-1)[of_class].item()


def check_against_a_loop(folder, name):
    torch.manual_seed(zlib.crc32(name.encode()))
    model = make_families.CASES[name]()[0]
    with torch.no_grad():
        model.w.update({key: value.double() for key, value in model.w.items()})
    ending = os.path.join(FAMILIES, name)
    words = ["--model", ending + ".model.safetensors", "--config", ending + ".config.json"]
    out = os.path.join(folder, "out")
    run(HEADLIGHT, "trace", *words, "--image", CAT, "--out", out)
    patches = safetensors(out)["tokens.patches"][0].astype(float)
    run(HEADLIGHT, "maps", *words, "--image", CAT, "--method", "relevance", "--class", "1", "--out",
        out + ".npy")
    cells = np.load(out + ".npy")
    (rows, cols), size = cells.shape, round((patches.shape[1] / 3) ** 0.5)
    order = np.argsort(-cells.reshape(-1), kind="stable")
    told = json.loads(run(HEADLIGHT, "curves", *words, "--image", CAT, "--methods", "relevance",
                          "--class", "1", "--steps", "1000", "--json", "--out", out + ".csv")[0])
    table = rows_of(out + ".csv")
    assert [int(row["patches"]) for row in table] == list(range(len(order) + 1))

    def hidden(which):
        left = patches.copy()
        left[which] = 0
        planes = left.reshape(rows, cols, 3, size, size).transpose(2, 0, 3, 1, 4)
        pixels = np.ascontiguousarray(planes.reshape(1, 3, rows * size, cols * size))
        return probability(model, torch.from_numpy(pixels), 1)

    deletion = np.array([hidden(order[:k]) for k in range(len(order) + 1)])
    insertion = np.array([hidden(order[k:]) for k in range(len(order) + 1)])
    assert np.abs(deletion - numbers(table, "relevance", "deletion")).max() < 1e-5, name
    assert np.abs(insertion - numbers(table, "relevance", "insertion")).max() < 1e-5, name
    assert told["steps"] == len(order), (name, told["steps"])
    areas = told["images"][0]["methods"][0]
    for curve, key in ((deletion, "deletion_area"), (insertion, "insertion_area")):
        area = ((curve[1:] + curve[:-1]) / 2).mean()
        assert abs(areas[key] - area) < 1e-5, (name, key)


def check_keys(folder):
    """Hidden as keys: compared with --attention masking the same tokens."""
    out = os.path.join(folder, "out")
    run(HEADLIGHT, "curves", "--model", SCENES, "--image", SHAPES, "--methods", "legrad,random",
        "--hide", "keys", "--steps", "4", "--seed", "7", "--out", out + ".csv")
    table = rows_of(out + ".csv")
    run(HEADLIGHT, "maps", "--model", SCENES, "--image", SHAPES, "--method", "legrad", "--out",
        out + ".npy")
    order = np.argsort(-np.load(out + ".npy").reshape(-1), kind="stable")
    for column, part in (("deletion", lambda k: order[:k]), ("insertion", lambda k: order[k:])):
        found = numbers(table, "legrad", column)
        logits = numbers(table, "legrad", column + "_logit")
        for step, taken in enumerate((0, 25, 50, 75, 100)):
            keys = sorted(int(patch) + 1 for patch in part(taken))
            more = ["--attention", json.dumps({"mask": {"keys": keys}})] if keys else []
            run(HEADLIGHT, "trace", "--model", SCENES, "--image", SHAPES, *more, "--out", out)
            row = safetensors(out)["logits"][0].astype(float)
            if column == "deletion" and step == 0:
                of_class = row.argmax()
            powers = np.exp(row - row.max())
            assert abs(found[step] - (powers / powers.sum())[of_class]) < 1e-5, (column, step)
            assert abs(logits[step] - row[of_class]) < 1e-4 * max(1, abs(row[of_class]))
    # Both ends are the same in every order; between them orders differ.
    for column in ("deletion", "insertion"):
        one, other = (numbers(table, method, column) for method in ("legrad", "random"))
        assert one[0] == other[0] and one[-1] == other[-1] and not np.array_equal(one, other)


def check_command_line(folder):
    out = os.path.join(folder, "curves.npz")
    words = ["curves", "--image", CAT, "--out", out, "--steps", "2", "--model"]
    run(HEADLIGHT, *words, SCENES, "--image", SHAPES)
    with np.load(out) as found:
        assert found["method"].tolist() == (["relevance"] * 3 + ["last_attention"] * 3
                                            + ["random"] * 3) * 2
        assert found["image"].tolist() == [CAT] * 9 + [SHAPES] * 9
        assert found["part"].tolist() == [0, 0.5, 1] * 6
        plain = found["deletion"]
    os.remove(out)
    swin = os.path.join(FAMILIES, "swin.model.safetensors")
    for status, says, model, *more in (
            (2, "--methods", SCENES, "--methods", "relevance,relevance"),
            (2, "--methods", SCENES, "--methods", "heat"), (2, "--hide", SCENES, "--hide", "black"),
            (2, "--steps", SCENES, "--steps", "0"), (2, "--class: expected", SCENES, "--class", "99"),
            (1, "classifier", os.path.join(FAMILIES, "dinov2.model.safetensors")),
            (1, "mean color", swin, "--methods", "grad_cam", "--hide", "keys"),
            (1, "expected layers", swin)):
        error = run(HEADLIGHT, *words, model, *more, status=status)[1]
        assert says in error, error
    assert not os.path.exists(out)
    run(HEADLIGHT, *words, swin, "--methods", "grad_cam,random")
    with np.load(out) as found:
        assert np.isfinite(found["deletion"]).all() and len(plain) == 18


with tempfile.TemporaryDirectory() as scratch:
    for name in ("timm", "timm_pooled", "deit_distilled"):
        check_against_a_loop(scratch, name)
    check_keys(scratch)
    check_command_line(scratch)
print("ok")
