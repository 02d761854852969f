"""headlight norms against numpy, on the tokens from headlight trace."""
import csv
import json
import os
import sys
import tempfile

from headlight_files import FAMILIES, IMAGES, SCENES, np, run, safetensors

HEADLIGHT = os.path.abspath(sys.argv[1])
CAT, SHAPES = os.path.join(IMAGES, "cat.jpg"), os.path.join(IMAGES, "shapes.png")


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def expected(folder, model, image):
    """The norm of each token, by layer; 0 is the input of the first."""
    out = os.path.join(folder, "trace")
    run(HEADLIGHT, "trace", "--model", model, "--image", image, "--out", out)
    trace = safetensors(out)
    layers = sum(name.startswith("layer.") and name.endswith(".output") for name in trace)
    tokens = [trace["tokens.input"]] + [trace[f"layer.{layer}.output"] for layer in range(layers)]
    return [np.linalg.norm(one[0].astype(float), axis=1) for one in tokens]


def check(folder, model, kinds):
    """kinds: of the tokens before the patches."""
    table, arrays = os.path.join(folder, "norms.csv"), os.path.join(folder, "norms.npz")
    for out in (table, arrays):
        told = json.loads(run(HEADLIGHT, "norms", "--model", model, "--image", CAT, SHAPES, "--json",
                              "--out", out)[0])
    rows = rows_of(table)
    assert list(rows[0]) == [column["name"] for column in told["columns"]]
    assert told["rows"] == len(rows) and [image["file"] for image in told["images"]] == [CAT, SHAPES]
    at = 0
    for image in (CAT, SHAPES):
        for layer, norms in enumerate(expected(folder, model, image)):
            side = round((len(norms) - len(kinds)) ** 0.5)
            for token, norm in enumerate(norms):
                row, at = rows[at], at + 1
                assert (row["image"], row["layer"], row["token"]) == (image, str(layer), str(token))
                assert np.isclose(float(row["norm"]), norm, rtol=1e-5), (row, norm)
                patch = token - len(kinds)
                if patch < 0:
                    assert (row["kind"], row["row"], row["column"]) == (kinds[token], "", ""), row
                else:
                    place = str(patch // side + 1), str(patch % side + 1)
                    assert row["kind"] == "patch" and (row["row"], row["column"]) == place, row
    assert at == len(rows)
    with np.load(arrays) as file:
        assert file["kind"].tolist() == [row["kind"] for row in rows]
        for name in ("layer", "token", "row", "column", "norm"):
            assert file[name].tolist() == [float(row[name]) if row[name] else -1 for row in rows], name


def check_refusals(folder):
    out = os.path.join(folder, "refused.csv")
    maps = os.path.join(FAMILIES, "maps.model.safetensors")
    error = run(HEADLIGHT, "norms", "--model", maps, "--image", CAT, "--out", out, status=1)[1]
    assert "norms of tokens need a model" in error and not os.path.exists(out), error
    error = run(HEADLIGHT, "norms", "--model", SCENES, "--image", CAT, "--out", out[:-3] + "npy",
                status=2)[1]
    assert ".csv or .npz" in error, error


with tempfile.TemporaryDirectory() as scratch:
    check(scratch, SCENES, ["class"])
    check(scratch, os.path.join(FAMILIES, "timm_registers.model.safetensors"), ["class"] + ["register"] * 2)
    check(scratch, os.path.join(FAMILIES, "swin.model.safetensors"), [])
    check_refusals(scratch)
print("ok")
