"""headlight lens against the model's end, applied with numpy to the tokens from headlight trace."""
import csv
import json
import os
import sys
import tempfile

from headlight_files import FAMILIES, IMAGES, SCENES, np, run, safetensors

HEADLIGHT = os.path.abspath(sys.argv[1])
CAT, SHAPES = os.path.join(IMAGES, "cat.jpg"), os.path.join(IMAGES, "shapes.png")
LAYERS, SIDE = 4, 10  # of the model of scenes


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def expected(folder, image):
    """Logits after each layer for every token: [layers + 1, N, classes]."""
    out = os.path.join(folder, "trace")
    run(HEADLIGHT, "trace", "--model", SCENES, "--image", image, "--out", out)
    trace = safetensors(out)
    weights = safetensors(os.path.join(SCENES, "model.safetensors"))
    stream = [trace["tokens.input"]] + [trace[f"layer.{layer}.output"] for layer in range(LAYERS)]
    logits = []
    for tokens in stream:
        x = tokens[0].astype(float)
        x = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-6)
        x = x * weights["norm.weight"] + weights["norm.bias"]
        logits.append(x @ weights["head.weight"].T.astype(float) + weights["head.bias"])
    assert np.allclose(logits[-1][0], trace["logits"][0], atol=1e-4)
    return np.array(logits)


def softmax(logits):
    powers = np.exp(logits - logits.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def check_answers(folder):
    table = os.path.join(folder, "lens.csv")
    told = json.loads(run(HEADLIGHT, "lens", "--model", SCENES, "--image", CAT, SHAPES, "--patches",
                          "--top", "3", "--json", "--out", table)[0])
    rows = rows_of(table)
    assert list(rows[0]) == [column["name"] for column in told["columns"]]
    per_image = (LAYERS + 1) * (3 + SIDE * SIDE)
    assert len(rows) == told["rows"] == 2 * per_image
    for i, image in enumerate((CAT, SHAPES)):
        logits = expected(folder, image)
        probabilities = softmax(logits)
        seen = set()
        for row in rows[i * per_image:(i + 1) * per_image]:
            assert row["image"] == image
            layer, rank, one = int(row["layer"]), int(row["rank"]), int(row["class"])
            token = int(row["token"]) if row["token"] else 0  # the class token gives the answer
            seen.add((layer, row["token"], rank))
            if row["token"]:
                assert token == 1 + (int(row["row"]) - 1) * SIDE + int(row["column"]) - 1, row
            else:
                assert not row["row"] and not row["column"]
            order = np.sort(logits[layer, token])[::-1]
            assert np.isclose(logits[layer, token, one], order[rank - 1], atol=1e-4), row
            assert np.isclose(float(row["logit"]), logits[layer, token, one], atol=1e-4), row
            assert np.isclose(float(row["probability"]), probabilities[layer, token, one],
                              atol=1e-5), row
        assert seen == {(layer, "", rank) for layer in range(LAYERS + 1) for rank in (1, 2, 3)} | {
            (layer, str(1 + patch), 1) for layer in range(LAYERS + 1) for patch in range(SIDE * SIDE)}
        assert told["images"][i]["class"] == logits[-1][0].argmax()
        assert np.isclose(told["images"][i]["probability"], probabilities[-1, 0].max(), atol=1e-5)


def check_class(folder):
    """One class; and .npz holds the numbers of the .csv."""
    table, arrays = os.path.join(folder, "one.csv"), os.path.join(folder, "one.npz")
    for out in (table, arrays):
        run(HEADLIGHT, "lens", "--model", SCENES, "--image", CAT, "--patches", "--class", "2", "--out",
            out)
    logits = expected(folder, CAT)
    rows = rows_of(table)
    with np.load(arrays) as file:
        assert (file["class"] == 2).all() and set(file["image"]) == {CAT}
        for name in ("layer", "token", "row", "column", "rank", "class", "logit", "probability"):
            assert file[name].tolist() == [float(row[name]) if row[name] else -1 for row in rows], name
        assert file["class_name"].tolist() == [row["class_name"] for row in rows]
        token = np.maximum(file["token"], 0)
        of_class = logits[file["layer"], token]
        assert np.allclose(file["logit"], of_class[:, 2], atol=1e-4)
        assert np.allclose(file["probability"], softmax(of_class)[:, 2], atol=1e-5)
        ranks = 1 + (of_class > of_class[:, 2:3]).sum(-1)
        assert (file["rank"] == ranks).mean() > 0.99  # but for ties up to rounding


def check_layers(folder):
    """Layers count from the model's first, also where the lens starts after the last merge."""
    out = os.path.join(folder, "merged.csv")
    run(HEADLIGHT, "lens", "--model", os.path.join(FAMILIES, "swin.model.safetensors"), "--image", CAT,
        "--patches", "--out", out)
    rows = rows_of(out)
    assert {row["layer"] for row in rows if not row["token"]} == {"3", "4"}
    assert {row["layer"] for row in rows if row["token"]} == {"3", "4"}


def check_unreadable_and_refusals(folder):
    broken, out = os.path.join(folder, "broken.png"), os.path.join(folder, "some.csv")
    with open(broken, "w", encoding="utf-8") as file:
        file.write("no picture")
    words = ["lens", "--model", SCENES, "--out", out]
    said, error = run(HEADLIGHT, *words, "--image", broken, CAT, "--json", status=1)
    assert broken in error and "1 of 2 images could not be read" in error, error
    assert [one["file"] for one in json.loads(said)["failed"]] == [broken]
    assert {row["image"] for row in rows_of(out)} == {CAT} and len(rows_of(out)) == 5 * 5
    os.remove(out)
    of_cat = ["--model", SCENES, "--image", CAT]
    dino = os.path.join(FAMILIES, "dinov2.model.safetensors")
    for status, says, more in (
            (1, "a lens needs a model with a classifier", ["--model", dino, "--image", CAT]),
            (2, "--class: expected an integer from 0 to 6", [*of_cat, "--class", 7]),
            (2, "excludes", [*of_cat, "--class", 1, "--top", 2]),
            (2, "--top", [*of_cat, "--top", 0]),
            (1, "broken.png", ["--model", SCENES, "--image", broken])):
        error = run(HEADLIGHT, "lens", *more, "--out", out, status=status)[1]
        assert says in error and not os.path.exists(out), error
    error = run(HEADLIGHT, *words[:-1], os.path.join(folder, "lens.npy"), "--image", CAT, status=2)[1]
    assert ".csv or .npz" in error, error


with tempfile.TemporaryDirectory() as scratch:
    check_answers(scratch)
    check_class(scratch)
    check_layers(scratch)
    check_unreadable_and_refusals(scratch)
print("ok")
