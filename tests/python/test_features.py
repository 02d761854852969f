"""Compares headlight pca, match and nearest with numpy, on the tokens of headlight trace."""
import csv
import json
import os
import sys
import tempfile

from headlight_files import FAMILIES, IMAGES, SCENES, np, run, safetensors, write_pnm, write_safetensors

HEADLIGHT = os.path.abspath(sys.argv[1])
PHOTOS = os.path.join(os.path.dirname(SCENES), "photos")
TWO = [os.path.join(IMAGES, name) for name in ("cat.jpg", "shapes.png")]


def trace_of(model, image):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "trace")
        run(HEADLIGHT, "trace", "--model", model, "--image", image, "--out", out)
        return safetensors(out)


def features_of(model, layer):
    """[patches, C] of each image: the tokens after the class token."""
    name = "norm" if layer == "last" else f"layer.{int(layer) - 1}.output"
    return [trace_of(model, image)[name][0, 1:].astype(float) for image in TWO]


def components_of(rows, count):
    """Directions with the largest loading positive, and their shares of the variance."""
    _, sizes, directions = np.linalg.svd(rows - rows.mean(0), full_matrices=False)
    for direction in directions[:count]:
        if direction[np.abs(direction).argmax()] < 0:
            direction *= -1
    return directions[:count], (sizes ** 2 / (sizes ** 2).sum())[:count]


def check_pca(model, layer, count, folder):
    features = features_of(model, layer)
    rows = np.concatenate(features)
    directions, shares = components_of(rows, count)
    expected = (rows - rows.mean(0)) @ directions.T
    out = os.path.join(folder, "pca.npy")
    said = json.loads(run(HEADLIGHT, "pca", "--model", model, "--image", *TWO, "--layer", layer,
                          "--components", str(count), "--out", out, "--json")[0])
    found = np.load(out)
    side = round(len(features[0]) ** 0.5)
    assert found.dtype == np.float32 and found.shape == (2, side, side, count), found.shape
    assert said["shape"] == list(found.shape), said
    assert np.abs(np.array(said["variance"]) - shares).max() < 1e-5, (said["variance"], shares)
    with open(out + ".txt", encoding="utf-8") as file:
        assert file.read().splitlines() == TWO
    error = np.abs(found.reshape(-1, count) - expected).max() / np.abs(expected).max()
    assert error < 1e-4, (layer, count, error)


def check_foreground(model, layer, side, bound, folder):
    """The components of the patches beyond a bound of the first one, as in DINOv2's figures."""
    features = features_of(model, layer)
    rows = np.concatenate(features)
    first = (rows - rows.mean(0)) @ components_of(rows, 1)[0][0]
    place = (first - first.min()) / (first.max() - first.min())
    inside = place > bound if side == "above" else place < bound
    assert 3 < inside.sum() < len(rows) - 3 and np.abs(place - bound).min() > 1e-4
    directions, shares = components_of(rows[inside], 3)
    expected = (rows[inside] - rows[inside].mean(0)) @ directions.T
    out = os.path.join(folder, "foreground.npy")
    said = json.loads(run(HEADLIGHT, "pca", "--model", model, "--image", *TWO, "--layer", layer,
                          "--foreground", f"{side}:{bound}", "--out", out, "--json")[0])
    found = np.load(out).reshape(-1, 3)
    assert (np.isnan(found).all(1) == ~inside).all() and not np.isnan(found[inside]).any()
    error = np.abs(found[inside] - expected).max() / np.abs(expected).max()
    assert error < 1e-4, (layer, side, error)
    assert np.abs(np.array(said["variance"]) - shares).max() < 1e-5, (said["variance"], shares)
    counts = [int(part.sum()) for part in np.split(inside, 2)]
    assert [image["foreground"] for image in said["images"]] == counts, said


def check_region(model, layer, folder):
    """The components of the patches inside a mask alone, as in the window."""
    image, mask, out = (os.path.join(folder, name) for name in ("r.ppm", "mask.pgm", "region.npy"))
    side = json.loads(run(HEADLIGHT, "info", "--json", model)[0])["image_size"][0]
    write_pnm(image, np.random.default_rng(1).integers(0, 255, (side, side, 3)))
    rows, columns = np.mgrid[:side, :side]
    marked = (rows - 0.4 * side) ** 2 + (columns - 0.6 * side) ** 2 < (0.27 * side) ** 2
    write_pnm(mask, np.where(marked, 200, 30))
    name = "norm" if layer == "last" else f"layer.{int(layer) - 1}.output"
    features = trace_of(model, image)[name][0, 1:].astype(float)
    grid = round(len(features) ** 0.5)
    inside = marked.reshape(grid, side // grid, grid, side // grid).mean((1, 3)).ravel() >= 0.5
    directions, _ = components_of(features[inside], 3)
    expected = (features[inside] - features[inside].mean(0)) @ directions.T
    words = ["pca", "--model", model, "--layer", layer, "--out", out, "--image", image]
    said = json.loads(run(HEADLIGHT, *words, "--region", mask, "--json")[0])
    found = np.load(out).reshape(-1, 3)
    assert (np.isfinite(found).all(1) == inside).all() and (np.isnan(found).all(1) == ~inside).all()
    assert np.abs(found[inside] - expected).max() / np.abs(expected).max() < 1e-4
    assert said["images"][0]["foreground"] == inside.sum() and said["region"] == mask, said
    masks = os.path.join(folder, "masks")  # one for each image
    os.mkdir(masks)
    another = os.path.join(masks, "another.pgm")
    os.rename(mask, another)
    said = run(HEADLIGHT, *words, "--region", masks, status=1)[1]
    assert "called r" in said, said
    os.rename(another, os.path.join(masks, "r.pgm"))
    run(HEADLIGHT, *words, "--region", masks)
    assert np.array_equal(np.load(out).reshape(-1, 3), found, equal_nan=True)
    said = run(HEADLIGHT, *words, "--region", masks, "--foreground", "above:0.5", status=2)[1]
    assert "--region cannot be used with --foreground" in said, said
    marked[:] = False
    marked[:side // grid, :2 * (side // grid)] = True
    write_pnm(mask, np.where(marked, 200, 30))
    assert "more than 3 patches" in run(HEADLIGHT, *words, "--region", mask, status=1)[1]
    for used in (image, mask, os.path.join(masks, "r.pgm")):
        os.remove(used)
    os.rmdir(masks)


def check_match(model, layer, folder):
    a, b = (each / np.linalg.norm(each, axis=1, keepdims=True)
            for each in features_of(model, layer))
    expected = a @ b.T
    out = os.path.join(folder, "match.npy")
    said = json.loads(run(HEADLIGHT, "match", "--model", model, "--image", TWO[0], "--image",
                          TWO[1], "--layer", layer, "--out", out, "--json")[0])
    found = np.load(out)
    assert found.dtype == np.float32 and found.shape == expected.shape, found.shape
    assert np.abs(found - expected).max() < 1e-5, np.abs(found - expected).max()
    mutual = {(i, j) for i, j in enumerate(found.argmax(1)) if found[:, j].argmax() == i}
    assert {(i, j) for i, j, _ in said["mutual_nearest"]} == mutual
    assert all(abs(cosine - found[i, j]) < 1e-6 for i, j, cosine in said["mutual_nearest"])


def cosines(a, b):
    return (a / np.linalg.norm(a, axis=-1, keepdims=True)) @ (
        b / np.linalg.norm(b, axis=-1, keepdims=True)).T


def nearest(model, image, *words, status=0):
    said, error = run(HEADLIGHT, "nearest", "--model", model, "--image", image, "--json",
                      *words, status=status)
    return (json.loads(said) if said else None), error


def check_nearest(model, layer, folder):
    """Images and patches of all shipped pictures; a second run uses the first one's cache."""
    os.environ["XDG_CACHE_HOME"] = os.path.join(folder, "cache" + layer)
    others = sorted(os.path.join(IMAGES, name) for name in os.listdir(IMAGES)
                    if name.endswith((".jpg", ".png")))
    asked = others.pop(0)
    name = "norm" if layer == "last" else f"layer.{int(layer) - 1}.output"
    traces = {image: trace_of(model, image)[name][0].astype(float) for image in [asked, *others]}
    token = 45
    wholes = {image: cosines(traces[asked][0], traces[image][0]) for image in others}
    patches = {image: cosines(traces[asked][token], traces[image][1:]) for image in others}
    for from_cache in (0, len(others)):
        said, _ = nearest(model, asked, "--layer", layer, "--among", IMAGES)
        assert said["from_cache"] == from_cache and said["compared"] == len(others), said
        order = sorted(others, key=lambda image: -wholes[image])[:10]
        assert [one["image"] for one in said["nearest"]] == order, (said, wholes)
        for one in said["nearest"]:
            assert abs(one["cosine"] - wholes[one["image"]]) < 1e-5, (one, wholes)
    said, _ = nearest(model, asked, "--layer", layer, "--among", IMAGES, "--query",
                      f"token{token}", "--count", 3)
    assert said["query"] == str(token - 1) and "token" not in said and said["from_cache"] == len(others), said
    order = sorted(others, key=lambda image: -patches[image].max())[:3]
    assert [one["image"] for one in said["nearest"]] == order, (said, order)
    for one in said["nearest"]:
        of_image = patches[one["image"]]
        assert abs(one["cosine"] - of_image.max()) < 1e-5, one
        assert one["token"] == 1 + of_image.argmax(), one
        side = round(len(of_image) ** 0.5)
        assert (one["row"] - 1) * side + one["column"] == one["token"], one
    # The bare number of the same patch, and the table.
    out = os.path.join(folder, "nearest.csv")
    run(HEADLIGHT, "nearest", "--model", model, "--image", asked, "--layer", layer, "--among",
        IMAGES, "--query", token - 1, "--count", 3, "--out", out)
    with open(out, encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    assert [row["image"] for row in table] == order, table
    assert [int(row["token"]) for row in table] == [one["token"] for one in said["nearest"]]
    # Other settings, and another model, find nothing in the cache.
    said, _ = nearest(model, asked, "--layer", "1", "--among", IMAGES)
    assert said["from_cache"] == 0, said
    said, _ = nearest(model, asked, "--layer", layer, "--among", IMAGES, "--attention",
                      json.dumps({"temperature": 2}))
    assert said["from_cache"] == 0, said
    said, _ = nearest(model, asked, "--layer", layer, "--among", IMAGES, "--no-cache")
    assert said["from_cache"] == 0, said


def check_nearest_refusals(folder):
    broken = os.path.join(folder, "no-picture.png")
    with open(broken, "w") as file:
        file.write("no picture")
    said, error = nearest(SCENES, TWO[0], "--among", broken, TWO[1], status=1)
    assert [one["file"] for one in said["failed"]] == [broken], said
    assert [one["image"] for one in said["nearest"]] == [TWO[1]] and broken in error, error
    assert broken in nearest(SCENES, broken, "--among", *TWO, status=1)[1]
    assert "--among" in nearest(SCENES, TWO[0], "--among", TWO[0], status=1)[1]
    for word, arguments in (("--query", ["--query", "class"]), ("--query", ["--query", "100"]),
                            ("--layer", ["--layer", "5"]), ("--out", ["--out", "a.npy"]),
                            ("--count", ["--count", "0"])):
        error = nearest(SCENES, TWO[0], "--among", TWO[1], *arguments, status=2)[1]
        assert word in error, (arguments, error)


def check_one_image(folder):
    out = os.path.join(folder, "one.npy")
    run(HEADLIGHT, "pca", "--model", SCENES, "--image", TWO[1], "--out", out)
    assert np.load(out).shape == (1, 10, 10, 3), np.load(out).shape
    assert not os.path.exists(out + ".txt")


def check_refusals(folder):
    out = os.path.join(folder, "none.npy")
    error = run(HEADLIGHT, "pca", "--model", PHOTOS, "--image", *TWO, "--out", out, status=1)[1]
    assert "expected a grid of" in error and TWO[1] in error, error
    for status, word, arguments in (
            (2, "two images", ["match", "--image", TWO[0]]),
            (2, "--layer", ["pca", "--image", TWO[0], "--layer", "0"]),
            (2, "--layer", ["match", "--image", *TWO, "--layer", "99"]),
            (2, "--components", ["pca", "--image", TWO[0], "--components", "100"]),
            (2, "--components", ["pca", "--image", TWO[0], "--components", "0"]),
            (2, "--foreground", ["pca", "--image", TWO[0], "--foreground", "0.5"]),
            (2, "--foreground", ["pca", "--image", TWO[0], "--foreground", "above:1.5"]),
            (1, "--foreground", ["pca", "--image", TWO[0], "--foreground", "above:1"])):
        done = run(HEADLIGHT, arguments[0], "--model", SCENES, *arguments[1:], "--out", out,
                   status=status)
        assert word in done[1], (arguments, done[1])
        assert not os.path.exists(out), arguments


def check_few_patches(folder):
    """2 × 5 patches have nine directions, and one patch has none."""
    out = os.path.join(folder, "few.npy")
    of_pooled = ["--model", os.path.join(FAMILIES, "timm_pooled.model.safetensors"), "--config",
                 os.path.join(FAMILIES, "timm_pooled.config.json"), "--image", TWO[0], "--out", out]
    assert "--components: expected at most 9" in run(HEADLIGHT, "pca", *of_pooled, "--components",
                                                     10, status=2)[1]
    size = json.dumps({"image_size": [4, 4]})
    assert "at least two patches" in run(HEADLIGHT, "pca", *of_pooled, "--components", 1,
                                         "--attention", size, status=1)[1]
    assert not os.path.exists(out)


def check_overflow(folder):
    """A model with infinite results: the user is warned."""
    model, out = os.path.join(folder, "large.safetensors"), os.path.join(folder, "large.npy")
    weights = safetensors(os.path.join(SCENES, "model.safetensors"))
    write_safetensors(model, {name: array * (1e25 if "blocks.1.mlp.fc" in name else 1)
                              for name, array in weights.items()})
    of_large = ["--model", model, "--config", os.path.join(SCENES, "config.json"), "--out", out]
    for words in (["match", "--image", *TWO], ["maps", "--image", TWO[0]],
                  ["maps", "--image", TWO[0], "--method", "rollout"],
                  ["curves", "--image", TWO[0], "--steps", 1, "--methods", "last_attention",
                   "--out", out + ".csv"]):
        last = [] if "curves" in words else of_large[-2:]
        error = run(HEADLIGHT, words[0], *of_large[:-2], *words[1:], *last)[1]
        assert f"{model}: some results are NaN or infinite" in error, (words, error)
        assert error.count("\n") == 1, (words, error)
    assert f"{model}: Principal components need finite numbers" in run(
        HEADLIGHT, "pca", *of_large, "--image", TWO[0], status=1)[1]


def check_unreadable(folder):
    """An unreadable image is named and left out by all commands that take several."""
    broken = os.path.join(folder, "broken.png")
    with open(broken, "w") as file:
        file.write("no picture")
    images = [TWO[0], broken, TWO[1]]
    out = os.path.join(folder, "some.npy")
    for words in (["pca", "--image"], ["maps", "--method", "relevance", "--image"]):
        said, error = run(HEADLIGHT, words[0], "--model", SCENES, *words[1:], *images, "--json",
                          "--out", out, status=1)
        assert broken in error and "1 of 3 images could not be read" in error, error
        assert [one["file"] for one in json.loads(said)["failed"]] == [broken]
        assert len(np.load(out)) == 2
        with open(out + ".txt", encoding="utf-8") as file:
            assert file.read().splitlines() == TWO
    error = run(HEADLIGHT, "maps", "--model", SCENES, "--image", *images, "--out", out, status=1)[1]
    assert broken in error and "1 of 3 images could not be read" in error, error
    assert np.load(out).shape == (2, 4, 4, 10, 10)
    with open(out + ".txt", encoding="utf-8") as file:
        assert file.read().splitlines() == TWO
    table = os.path.join(folder, "some.csv")
    error = run(HEADLIGHT, "curves", "--model", SCENES, "--image", *images, "--steps", "2",
                "--methods", "last_attention", "--out", table, status=1)[1]
    assert broken in error and "1 of 3 images could not be read" in error, error
    with open(table, encoding="utf-8") as file:
        text = file.read()
    assert TWO[0] in text and TWO[1] in text and broken not in text
    none = os.path.join(folder, "none.npy")
    error = run(HEADLIGHT, "pca", "--model", SCENES, "--image", broken, broken, "--out", none,
                status=1)[1]
    assert "so nothing was written" in error and not os.path.exists(none), error


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_pca(SCENES, "last", 3, folder)
        check_pca(SCENES, "2", 5, folder)
        check_foreground(SCENES, "last", "above", 0.5, folder)
        check_foreground(SCENES, "2", "below", 0.4, folder)
        check_region(SCENES, "last", folder)
        check_region(SCENES, "2", folder)
        check_match(SCENES, "last", folder)
        check_match(PHOTOS, "4", folder)
        check_nearest(SCENES, "last", folder)
        check_nearest(SCENES, "2", folder)
        check_nearest_refusals(folder)
        check_one_image(folder)
        check_refusals(folder)
        check_unreadable(folder)
        check_few_patches(folder)
        check_overflow(folder)


if __name__ == "__main__":
    main()
