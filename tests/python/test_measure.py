"""Compares headlight measure with the formulas, applied to the attention from headlight trace."""
import csv
import json
import os
import pathlib
import shutil
import sys
import tempfile

from headlight_files import (FAMILIES, IMAGES, SCENES, golden_models, np, run, safetensors, write_pnm,
                             write_safetensors)

HEADLIGHT = os.path.abspath(sys.argv[1])
CAT = os.path.join(IMAGES, "cat.jpg")
SHAPES = os.path.join(IMAGES, "shapes.png")


def rows_of(path):
    with open(path, newline="", encoding="utf-8", errors="surrogateescape") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        for name in row:
            if name != "image":
                row[name] = float(row[name]) if row[name] else float("nan")
    return rows


def trace_of(model, image):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "trace")
        run(HEADLIGHT, "trace", "--model", model, "--image", image, "--out", out)
        return safetensors(out)


def without_head(folder, weights, layer, head):
    """The same model with a projection that ignores that head."""
    changed = dict(weights)
    name = f"blocks.{layer}.attn.proj.weight"
    changed[name] = weights[name].copy()
    changed[name][:, 16 * head:16 * head + 16] = 0
    model = os.path.join(folder, "without")
    os.makedirs(model, exist_ok=True)
    shutil.copy(os.path.join(SCENES, "config.json"), model)
    write_safetensors(os.path.join(model, "model.safetensors"), changed)
    return model


def contribution(weights, trace, layer, head, of_class):
    """The head's contribution to the class token, through the last norm with its standard deviation
    frozen."""
    stream = trace["layer.3.output"][0, 0].astype(float)
    part = (weights[f"blocks.{layer}.attn.proj.weight"][:, 16 * head:16 * head + 16].astype(float)
            @ trace[f"layer.{layer}.heads"][0, head, 0])
    normed = (part - part.mean()) / np.sqrt(stream.var() + 1e-6) * weights["norm.weight"]
    return normed @ weights["head.weight"][of_class].astype(float)


def softmax(logits):
    powers = np.exp(logits.astype(float) - logits.max())
    return powers / powers.sum()


def entropy(weights):
    positive = np.where(weights > 0, weights, 1)
    return -(weights * np.log2(positive)).sum(-1)


def naive(attention, before, rows, cols, image):
    """The measures of one head, as matrices of all pairs of tokens."""
    class_tokens, distillation, registers = before
    prefix = sum(before)
    down, across = np.divmod(np.arange(rows * cols), cols)
    down, across = down[:, None] - down, across[:, None] - across
    away = np.hypot(down * image[0] / rows, across * image[1] / cols)
    near = np.maximum(abs(down), abs(across)) == 1
    weights = attention[prefix:, prefix:]
    sums = weights.sum(1)
    distances = ((weights * away).sum(1) / np.where(sums > 0, sums, 1))[sums > 0]
    neighbors = (weights * near).sum(1)
    def share(first, count):
        return attention[:, first:first + count].sum(1).mean() if count else float("nan")
    return {"entropy": entropy(attention).mean(),
            "distance": np.mean(distances) if len(distances) else float("nan"),
            "class_token": share(0, class_tokens),
            "distillation_token": share(class_tokens, distillation),
            "registers": share(class_tokens + distillation, registers),
            "itself": np.diag(attention).mean(),
            "neighbors": np.mean(neighbors)}


def check_family(folder, name, model, more):
    table, traced = os.path.join(folder, "m.csv"), os.path.join(folder, "trace")
    run(HEADLIGHT, "measure", "--model", model, *more, "--images", CAT, "--out", table)
    run(HEADLIGHT, "trace", "--model", model, *more, "--image", CAT, "--out", traced)
    about = json.loads(run(HEADLIGHT, "info", "--json", model, *more)[0])
    found, trace = rows_of(table), safetensors(traced)
    layers = sum(key.startswith("layer.") and key.endswith(".attention") for key in trace)
    assert about["layers"] == layers, name
    at = 0
    for layer in range(layers):
        attention = trace[f"layer.{layer}.attention"].astype(float)
        for head in range(attention.shape[1]):
            row = found[at]
            at += 1
            assert (row["image"], row["layer"], row["head"]) == (CAT, layer + 1, head + 1)
            if "swin" in name:  # windows: the other patches get nothing
                expected = {"entropy": entropy(attention[:, head]).mean(),
                            "itself": np.diagonal(attention[:, head], axis1=1, axis2=2).mean()}
            elif "class_token" not in about:  # maps alone
                expected = {"entropy": entropy(attention[0, head]).mean()}
            else:
                before = (int(about["class_token"]), int(about["distillation_token"]),
                          about["registers"])
                patches = attention.shape[-1] - sum(before)
                height, width = about["image_size"]
                rows = round((patches * height / width) ** 0.5)
                cell = about.get("patch_size") or height / rows
                framed = (rows * cell, patches // rows * cell)
                expected = naive(attention[0, head], before, rows, patches // rows, framed)
                if "patch_size" not in about:  # soft splits overlap: no image / rows apart
                    del expected["distance"]
            for measure, value in expected.items():
                assert np.isclose(row[measure], value, rtol=1e-5, atol=1e-6, equal_nan=True), (
                    name, layer, head, measure, row[measure], value)
    assert at == len(found), name


def with_setting(folder, more, **settings):
    config = json.loads(pathlib.Path(more[1]).read_text()) if more else {}
    path = pathlib.Path(folder, "smaller.json")
    path.write_text(json.dumps(config | settings))
    return ["--config", path]


def check_requested(folder):
    """For the shipped model, with a separate run of the program for each head."""
    table = os.path.join(folder, "m.csv")
    run(HEADLIGHT, "measure", "--model", SCENES, "--images", CAT, "--out", table, "--what",
        "importance,importance_logit,contribution,alike,change,patching", "--like", "2.3", "--query", "43",
        "--before", SHAPES, "--class", 5)
    found = rows_of(table)
    now, before = trace_of(SCENES, CAT), trace_of(SCENES, SHAPES)
    weights = safetensors(os.path.join(SCENES, "model.safetensors"))
    chosen = now["layer.1.attention"][0, 2, 44, 1:]
    whole = softmax(now["logits"][0])[5]
    for row in found:
        layer, head = int(row["layer"]) - 1, int(row["head"]) - 1
        one = now[f"layer.{layer}.attention"][0, head, 44].astype(float)
        other = before[f"layer.{layer}.attention"][0, head, 44].astype(float)
        assert np.isclose(row["alike"], np.corrcoef(chosen, one[1:])[0, 1], atol=1e-5), row
        assert np.isclose(row["change"], abs(one - other).sum() / 2, atol=1e-5), row
        assert np.isclose(row["contribution"], contribution(weights, now, layer, head, 5),
                          rtol=1e-4, atol=1e-5), row
        if (layer, head) in ((0, 0), (1, 2), (3, 3)):
            off = trace_of(without_head(folder, weights, layer, head), CAT)
            importance = 100 * (softmax(off["logits"][0])[5] - whole)
            assert np.isclose(row["importance"], importance, rtol=1e-3, atol=1e-4), row
            change = float(off["logits"][0, 5]) - float(now["logits"][0, 5])
            assert np.isclose(row["importance_logit"], change, rtol=1e-3, atol=1e-4), row
    assert np.isclose(found[6]["alike"], 1)
    # Alone, it is the same; its unit is that of attribution, which estimates it.
    about = json.loads(run(HEADLIGHT, "measure", "--model", SCENES, "--images", CAT, "--out", table,
                           "--what", "importance_logit,attribution", "--class", 5, "--json")[0])
    assert [column["unit"] for column in about["columns"][3:]] == ["logit", "logit"], about
    alone = rows_of(table)
    assert [row["importance_logit"] for row in alone] == [row["importance_logit"] for row in found]
    measured, estimated = ([row[name] for row in alone] for name in ("importance_logit", "attribution"))
    assert np.corrcoef(measured, estimated)[0, 1] > 0.5
    # Patching each head's output from the run itself changes nothing.
    run(HEADLIGHT, "measure", "--model", SCENES, "--images", CAT, "--out", table, "--what",
        "change,patching", "--before", CAT)
    assert all(row["change"] == 0 and row["patching"] == 0 for row in rows_of(table))


def check_other_models(folder):
    """change against another part of a file, another config and other settings: the traces differ."""
    weights = safetensors(os.path.join(SCENES, "model.safetensors"))
    both = os.path.join(folder, "both.safetensors")
    write_safetensors(both, {f"{part}.{name}": array * (factor if ".qkv." in name else 1)
                             for part, factor in (("student", 1.2), ("teacher", 1))
                             for name, array in weights.items()})
    own, other = os.path.join(SCENES, "config.json"), os.path.join(folder, "eps.json")
    with open(own, encoding="utf-8") as file:
        config = json.load(file)
    with open(other, "w", encoding="utf-8") as file:
        json.dump({**config, "layer_norm_eps": 0.5}, file)
    table = os.path.join(folder, "other.csv")
    of_file = ["--model", both, "--config", own]
    student, teacher = (of_file + ["--part", part] for part in ("student", "teacher"))
    for now, words, before in (
            (student, ["--before-part", "teacher"], teacher),
            (student, ["--before-config", other],
             ["--model", both, "--config", other, "--part", "student"]),
            (teacher, ["--before-model", both, "--before-config", other, "--before-part", "student"],
             ["--model", both, "--config", other, "--part", "student"]),
            (["--model", SCENES], ["--before-model", both, "--before-part", "student",
                                   "--before-config", own], student),
            (["--model", SCENES, "--attention", '{"temperature": 0.5}'], ["--before-attention", "{}"],
             ["--model", SCENES])):
        run(HEADLIGHT, "measure", *now, "--images", CAT, "--what", "change", "--query", "43", *words,
            "--out", table)
        traces = []
        for model in (now, before):
            out = os.path.join(folder, "trace")
            run(HEADLIGHT, "trace", *model, "--image", CAT, "--out", out)
            traces.append(safetensors(out))
        for row in rows_of(table):
            one, two = (trace[f"layer.{int(row['layer']) - 1}.attention"][
                0, int(row["head"]) - 1, 44].astype(float) for trace in traces)
            assert np.isclose(row["change"], abs(one - two).sum() / 2, atol=1e-5), (words, row)
            assert row["change"] > 0, (words, row)


def check_region(folder):
    """An object that a mask marks: attention from the trace, patches counted pixel by pixel."""
    image, mask = os.path.join(folder, "r.ppm"), os.path.join(folder, "mask.pgm")
    side = json.loads(run(HEADLIGHT, "info", "--json", SCENES)[0])["image_size"][0]
    pixels = np.random.default_rng(1).integers(0, 255, (side, side, 3))
    write_pnm(image, pixels)
    rows, columns = np.mgrid[:side, :side]
    inside = (rows - 0.4 * side) ** 2 + (columns - 0.6 * side) ** 2 < (0.27 * side) ** 2
    write_pnm(mask, np.where(inside, 200, 30))
    trace = trace_of(SCENES, image)
    count = trace["layer.0.attention"].shape[-1] - 1
    grid = int(count ** 0.5)
    covered = inside.reshape(grid, side // grid, grid, side // grid).mean((1, 3)).ravel() >= 0.5
    assert 5 < covered.sum() < count / 2
    table = os.path.join(folder, "region.csv")
    about = run(HEADLIGHT, "measure", "--model", SCENES, "--images", image, "--out", table, "--what",
                "region,within_region", "--region", mask, "--query", "43", "--json")[0]
    about = json.loads(about)
    assert about["region"] == mask and about["query"] == "43" and "class" not in about, about
    for row in rows_of(table):
        attention = trace[f"layer.{int(row['layer']) - 1}.attention"][0, int(row["head"]) - 1, :, 1:]
        assert np.isclose(row["region"], attention[44, covered].sum(), rtol=1e-6), row
        within = attention[1:][covered][:, covered].sum(1).mean()
        assert np.isclose(row["within_region"], within, rtol=1e-6), row
    assert about["images"][0]["region_patches"] == covered.sum(), about
    assert "layers_without_region" not in about["images"][0], about
    check_region_without_patches(folder)
    # With a mask, both are among the default measures; the class token is the default query.
    run(HEADLIGHT, "measure", "--model", SCENES, "--images", image, "--out", table, "--region", mask)
    for row in rows_of(table):
        attention = trace[f"layer.{int(row['layer']) - 1}.attention"][0, int(row["head"]) - 1]
        assert np.isclose(row["region"], attention[0, 1:][covered].sum(), rtol=1e-6), row
        assert np.isfinite(row["entropy"])
    masks = os.path.join(folder, "masks")
    os.mkdir(masks)
    shutil.copy(mask, os.path.join(masks, "r.pgm"))
    of_folder = os.path.join(folder, "of_folder.csv")
    run(HEADLIGHT, "measure", "--model", SCENES, "--images", image, "--out", of_folder, "--region",
        masks)
    with open(of_folder, "rb") as one, open(table, "rb") as other:
        assert one.read() == other.read()
    error = run(HEADLIGHT, "measure", "--model", SCENES, "--images", image, CAT, "--out", of_folder,
                "--region", masks, status=1)[1]
    assert "a mask called cat" in error, error
    error = run(HEADLIGHT, "measure", "--model", SCENES, "--images", CAT, "--out", of_folder,
                "--region", mask, status=1)[1]
    assert "expected a mask of the picture's size" in error, error


def check_region_without_patches(folder):
    """A mask of a single patch: after Swin merges 2 × 2 patches, no center is inside. A mask of none."""
    swin = os.path.join(FAMILIES, "swin.model.safetensors")
    image, mask = os.path.join(folder, "s.ppm"), os.path.join(folder, "s.pgm")
    write_pnm(image, np.random.default_rng(3).integers(0, 255, (8, 8, 3)))
    rows, columns = np.mgrid[:8, :8]
    write_pnm(mask, np.where((rows < 2) & (columns < 2), 255, 0))
    table = os.path.join(folder, "s.csv")
    words = ["measure", "--images", image, "--region", mask, "--out", table, "--json"]
    about = json.loads(run(HEADLIGHT, *words, "--model", swin, "--what", "within_region")[0])
    assert about["images"][0]["region_patches"] == 1, about
    assert about["images"][0]["layers_without_region"] == [3, 4], about
    assert all(np.isnan(row["within_region"]) == (row["layer"] > 2) for row in rows_of(table))
    write_pnm(mask, np.zeros((8, 8), int))
    about = json.loads(run(HEADLIGHT, *words, "--model", SCENES, "--what", "region", status=1)[0])
    assert "at least half of one patch" in about["failed"][0]["error"], about
    assert about["images"] == [] and "query" not in about, about


def check_folder(folder):
    """Names that must be quoted in a table, files that fail, and both formats."""
    photos = os.path.join(folder, 'photos, "mine"')
    os.mkdir(photos)
    names = ["a10.jpg", "a9.jpg", 'says "hi", twice.jpg', "größe é 猫 😀.jpg", "line\nbreak.jpg"]
    for name in names:
        shutil.copy(CAT, os.path.join(photos, name))
    with open(os.path.join(os.fsencode(photos), b"b\xff\xc3.jpg"), "wb") as file:
        file.write(open(SHAPES, "rb").read())
    broken = os.path.join(photos, "broken.png")
    with open(broken, "w") as file:
        file.write("no picture")
    table, arrays = os.path.join(folder, "m.csv"), os.path.join(folder, "m.npz")
    for out in (table, arrays):
        said, error = run(HEADLIGHT, "measure", "--model", SCENES, "--images", photos,
                          "/nowhere.png", SHAPES, "--what", "itself,entropy", "--out", out, "--json",
                          status=1)
        assert "broken.png" in error and "/nowhere.png" in error, error
        assert "2 of 9 images were not measured" in error, error
        said = json.loads(said)
        assert [failed["file"] for failed in said["failed"]] == [broken, "/nowhere.png"]
        assert [column["name"] for column in said["columns"]] == [
            "image", "layer", "head", "itself", "entropy"]
        assert said["columns"][-1]["unit"] == "bits"
        assert len(said["images"]) == 7 and said["rows"] == 7 * 16
    rows = rows_of(table)
    images = [rows[16 * i]["image"] for i in range(len(rows) // 16)]
    inside = [os.path.basename(image) for image in images]
    assert set(inside) == {*names, "shapes.png", os.fsdecode(b"b\xff\xc3.jpg")}
    assert inside.index("a9.jpg") < inside.index("a10.jpg")
    with np.load(arrays, allow_pickle=False) as file:
        assert sorted(file.files) == ["entropy", "head", "image", "itself", "layer"]
        assert file["layer"].dtype == np.int32 and file["entropy"].dtype == np.float64
        for name in file.files:
            assert file[name].tolist() == [row[name] for row in rows], name
    alone = os.path.join(folder, "alone.csv")
    run(HEADLIGHT, "measure", "--model", SCENES, "--images", broken, "--out", alone, status=1)
    assert not os.path.exists(alone)


def check_refusals(folder):
    def refused(status, says, *words):
        out = os.path.join(folder, "refused.csv")
        error = run(HEADLIGHT, "measure", "--out", out, *words, status=status)[1]
        assert says in error and not os.path.exists(out), (words, error)
    of_scenes = ["--model", SCENES, "--images", CAT]
    dino = os.path.join(FAMILIES, "dinov2.model.safetensors")
    swin = os.path.join(FAMILIES, "swin.model.safetensors")
    refused(2, "expected entropy, distance", *of_scenes, "--what", "entropie")
    refused(2, "each measure once", *of_scenes, "--what", "entropy,entropy")
    refused(2, "--before", *of_scenes, "--what", "change")
    refused(2, "--before", *of_scenes, "--before", CAT)
    for option, value in (("--before-config", os.path.join(SCENES, "config.json")),
                          ("--before-part", "teacher"), ("--before-attention", "{}")):
        for what in ("entropy", "change,patching"):
            refused(2, option + " can be used only with --what change", *of_scenes, "--what", what, option,
                    value, *(["--before", SHAPES] if "patching" in what else []))
    refused(2, "--before-attention: ", *of_scenes, "--what", "change", "--before-attention", "{")
    refused(1, "nosuch", *of_scenes, "--what", "change", "--before-part", "nosuch")
    refused(2, "--class", *of_scenes, "--class", 1)
    refused(2, "--region", *of_scenes, "--what", "region")
    refused(2, "--region", *of_scenes, "--what", "entropy", "--region", CAT)
    refused(2, "--like", *of_scenes, "--what", "alike", "--like", "x")
    refused(2, "--like: expected an integer from 1 to 4", *of_scenes, "--what", "alike", "--like",
            "9.1")
    refused(2, "layers count from 1", *of_scenes, "--what", "alike", "--like", "0.1")
    refused(1, "does not have the layer and head", *of_scenes, "--what", "alike", "--like", "1.9")
    refused(2, "--class: expected an integer from 0 to 6", *of_scenes, "--what", "importance",
            "--class", "99")
    refused(2, "--query", *of_scenes, "--what", "alike", "--query", "400")
    older = ["--model", os.path.join(FAMILIES, "torchvision_older.model.safetensors"), "--config",
             os.path.join(FAMILIES, "torchvision_older.config.json")]
    refused(1, "model.safetensors: A pooler comes before", *older, "--images", CAT, SHAPES, "--what",
            "entropy,contribution")
    refused(1, "classifier", "--model", dino, "--images", CAT, "--what", "contribution")
    refused(1, "expected layers with the same number of heads", "--model", swin, "--images", CAT,
            "--what", "alike")
    refused(1, "expected images, found none", "--model", SCENES, "--images", folder)
    for wrong in ("t.npz", "t.npy"):
        error = run(HEADLIGHT, "trace", "--model", SCENES, "--image", CAT, "--out",
                    os.path.join(folder, wrong), status=2)[1]
        assert ".safetensors" in error, error
    refused(2, ".csv or .npz", *of_scenes, "--out", os.path.join(folder, "m.txt"))
    copy = os.path.join(folder, "model.npz")
    shutil.copy(os.path.join(SCENES, "model.safetensors"), copy)
    error = run(HEADLIGHT, "measure", "--model", copy, "--images", CAT, "--out", copy, status=2)[1]
    assert "a file other than" in error
    table = os.path.join(folder, "dino.csv")
    run(HEADLIGHT, "measure", "--model", dino, "--images", CAT, "--what", "importance,registers",
        "--out", table)
    assert all(0 <= row["importance"] <= 2 and np.isnan(row["registers"]) for row in rows_of(table))


def check_comparison(folder):
    paths = [os.path.join(folder, name) for name in ("a", "b")]
    for path, image in zip(paths, (CAT, SHAPES)):
        run(HEADLIGHT, "trace", "--model", SCENES, "--image", image, "--out", path)
    first, second = map(safetensors, paths)
    said = json.loads(run(HEADLIGHT, "compare", *paths, "--json", status=1)[0])
    assert not said["agrees"] and {one["name"] for one in said["tensors"]} == set(first)
    for one in said["tensors"]:
        a, b = first[one["name"]].astype(float), second[one["name"]].astype(float)
        assert np.isclose(one["largest"], abs(a - b).max(), rtol=1e-6)
        assert np.isclose(one["relative"], abs(a - b).max() / abs(b).max(), rtol=1e-6)
        assert np.isclose(one["norm"], np.linalg.norm(a - b) / np.linalg.norm(b), rtol=1e-6)
    assert json.loads(run(HEADLIGHT, "compare", paths[0], paths[0], "--json")[0])["agrees"]


with tempfile.TemporaryDirectory() as scratch:
    check_refusals(scratch)
    check_folder(scratch)
    check_requested(scratch)
    check_other_models(scratch)
    check_region(scratch)
    check_comparison(scratch)
    count = 0
    for name, model, more in golden_models():
        # By default DINOv2 takes 1,369 patches. That is slow, and enough for one of its four models.
        if "dinov2" in name and name != "dinov2":
            more = with_setting(scratch, more, image_size=36)
        check_family(scratch, name, model, more)
        count += 1
    assert count > 40
print("ok")
