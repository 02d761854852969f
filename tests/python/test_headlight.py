"""Compares headlight.py with the files of the command line."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import warnings

from headlight_files import FAMILIES, IMAGES, ROOT, SCENES, np, run, safetensors

HEADLIGHT = os.path.abspath(sys.argv[1])
CAT = os.path.join(IMAGES, "cat.jpg")
SHAPES = os.path.join(IMAGES, "shapes.png")
sys.path.insert(0, os.path.join(ROOT, "python"))
os.environ.pop("HEADLIGHT", None)
import headlight  # noqa: E402  (the path is set first)


def raises(says, function, *words, **options):
    try:
        function(*words, **options)
    except headlight.Error as error:
        assert says in str(error), error
        return
    raise AssertionError(f"expected an error that says {says}")


def check_finding(folder):
    link = os.path.join(folder, "headlight")
    os.symlink(HEADLIGHT, link)
    before = os.environ["PATH"]
    os.environ["PATH"] = "/nowhere"
    raises("HEADLIGHT", headlight.find_binary)
    raises("/no/program", headlight.find_binary, "/no/program")
    os.environ["PATH"] = folder
    assert headlight.find_binary() == link
    os.environ["PATH"] = before
    os.environ["HEADLIGHT"] = "/no/program"
    raises("/no/program", headlight.info, SCENES)
    assert headlight.find_binary(HEADLIGHT) == HEADLIGHT  # what is said counts most
    os.environ["HEADLIGHT"] = HEADLIGHT
    # As it is installed: the program is found beside the file.
    prefix = os.path.join(folder, "prefix")
    place = os.path.join(prefix, "share", "headlight", "python")
    os.makedirs(place)
    os.makedirs(os.path.join(prefix, "bin"))
    shutil.copy(headlight.__file__, place)
    os.symlink(HEADLIGHT, os.path.join(prefix, "bin", "headlight"))
    found = subprocess.run([sys.executable, "-B", "-c", "import headlight; print(headlight.find_binary())"],
                           cwd=place, env={"PATH": "/nowhere"}, capture_output=True, text=True)
    assert found.stdout.strip() == os.path.join(prefix, "bin", "headlight"), found.stderr


def check_maps(folder):
    out = os.path.join(folder, "maps.npy")
    for words, options in ((["--query", "43"], {"query": 43}), ([], {}),
                           (["--query", "43,class", "--reading", "by"],
                            {"query": [43, "class"], "reading": "by"}),
                           (["--attention", '{"temperature": 2}'], {"attention": {"temperature": 2}})):
        run(HEADLIGHT, "maps", "--model", SCENES, "--image", CAT, *words, "--out", out)
        found = headlight.maps(SCENES, CAT, **options)
        assert found.dtype == np.float32 and np.array_equal(found, np.load(out)), words
    both = headlight.maps(SCENES, [CAT, SHAPES], query=3)
    assert np.array_equal(both[1], headlight.maps(SCENES, SHAPES, query=3))
    one = headlight.maps(SCENES, [CAT], query=3)  # a list gives a list
    assert one.shape == (1,) + both.shape[1:] and np.array_equal(one, both[:1])
    assert headlight.maps(SCENES, [CAT], method="rollout").shape == (1, 10, 10)
    raises("at least one image", headlight.maps, SCENES, [])
    picture = np.random.default_rng(1).integers(0, 256, (80, 80, 3), np.uint8)
    grey = np.repeat(picture[:, :, :1], 3, 2)
    assert np.array_equal(headlight.maps(SCENES, grey), headlight.maps(SCENES, grey[:, :, 0]))
    assert not np.array_equal(headlight.maps(SCENES, grey), headlight.maps(SCENES, picture))
    run(HEADLIGHT, "maps", "--model", SCENES, "--image", CAT, "--method", "relevance", "--class", "2",
        "--layers", "2-4", "--out", out)
    found = headlight.maps(SCENES, CAT, method="relevance", of_class=2, options=["--layers", "2-4"])
    assert found.shape == (10, 10) and np.array_equal(found, np.load(out))
    raises("uint8", headlight.maps, SCENES, picture / 255)
    raises("--query", headlight.maps, SCENES, CAT, query=1000)
    raises("nothing.png", headlight.maps, SCENES, "nothing.png")


def check_trace(folder):
    out = os.path.join(folder, "trace")
    run(HEADLIGHT, "trace", "--model", SCENES, "--image", CAT, "--layers", "2-3", "--out", out)
    expected, found = safetensors(out), headlight.trace(SCENES, CAT, layers="2-3")
    assert set(found) == set(expected)
    assert all(np.array_equal(found[name], expected[name], equal_nan=True) for name in found)
    dino = os.path.join(FAMILIES, "dinov2.model.safetensors")
    options = {"config": os.path.join(FAMILIES, "dinov2.config.json")}
    given = safetensors(os.path.join(FAMILIES, "dinov2.input.safetensors"))
    golden = safetensors(os.path.join(FAMILIES, "dinov2.safetensors"))
    found = headlight.trace(dino, input=given, **options)
    for name in ("layer.0.attention", "norm"):
        assert np.allclose(found[name], golden[name], atol=1e-5), name
    with open(options["config"], encoding="utf-8") as file:
        again = headlight.trace(dino, input=given, config=json.load(file))
    assert np.array_equal(again["norm"], found["norm"])
    tokens = np.random.default_rng(2).normal(size=(9, 768))
    layer = os.path.join(folder, "layer.safetensors")
    headlight._write_safetensors(layer, {"qkv.weight": np.ones((12, 768)) / 768,
                                         "proj.weight": np.eye(4)})
    found = headlight.trace(layer, input=tokens, attention={"heads": 2})
    assert found["layer.0.attention"].shape == (1, 2, 9, 9)


def check_measures(folder):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        table = headlight.measure(SCENES, [CAT, "nothing.png"], ["entropy", "importance"], of_class=2)
    assert any("nothing.png" in str(one.message) for one in said)
    assert table.units["entropy"] == "bits" and list(table.failed) == ["nothing.png"]
    assert list(table.answers) == [CAT] and len(table["entropy"]) == 16
    assert table["image"].tolist() == [CAT] * 16 and table["layer"].tolist()[:5] == [1, 1, 1, 1, 2]
    attention = headlight.trace(SCENES, CAT, layers=[2])["layer.1.attention"][0].astype(float)
    entropy = -(attention * np.log2(attention)).sum(-1).mean(-1)
    assert np.allclose(table["entropy"][4:8], entropy, atol=1e-5)
    alike = headlight.measure(SCENES, CAT, "alike", like=(2, 1), query="class")
    assert alike["alike"][4] == 1
    grey = np.zeros((80, 80), np.uint8)
    arrays = headlight.measure(SCENES, [grey, CAT, grey], "entropy")
    assert arrays["image"].tolist() == ["image0.ppm"] * 16 + [CAT] * 16 + ["image2.ppm"] * 16
    assert list(arrays.answers) == ["image0.ppm", CAT, "image2.ppm"]
    assert not arrays.failed
    folder = os.path.join(folder, "other")
    os.mkdir(folder)
    other = os.path.join(folder, "model.safetensors")
    weights = safetensors(os.path.join(SCENES, "model.safetensors"))
    headlight._write_safetensors(other, {name: array * (1.1 if ".qkv." in name else 1)
                                         for name, array in weights.items()})
    shutil.copy(os.path.join(SCENES, "config.json"), folder)
    images = [CAT, SHAPES]
    change = headlight.measure(SCENES, images, "change", query=43, before_model=other)
    for i, image in enumerate(images):  # total variation of the query's rows
        now, before = (headlight.trace(model, image) for model in (SCENES, other))
        rows = [np.abs(now[name][0, :, 44] - before[name][0, :, 44]).sum(-1) / 2
                for name in (f"layer.{layer}.attention" for layer in range(4))]
        assert np.allclose(change["change"][16 * i:16 * i + 16], np.concatenate(rows), atol=1e-5)
    photos = os.path.join(os.path.dirname(SCENES), "photos")
    raises("number of layers or heads", headlight.measure, SCENES, CAT, "change", before_model=photos,
           attention={"image_size": 80})
    raises("only with --what change", headlight.measure, SCENES, CAT, "entropy", before_model=other)
    same = headlight.measure(SCENES, CAT, "change", before_config={"layer_norm_eps": 0.5})
    assert (same["change"] > 0).all()
    cold = headlight.measure(SCENES, CAT, "change", before_attention={"temperature": 0.5})
    assert (cold["change"] > 0).all()
    raises("--before", headlight.measure, SCENES, CAT, "change")
    raises("entropie", headlight.measure, SCENES, CAT, "entropie")
    raises("nothing.png", headlight.measure, SCENES, "nothing.png")


def warned(function, *words, **options):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        return function(*words, **options), "\n".join(str(one.message) for one in said)


def check_partial():
    """Images that cannot be read are left out of every result of several."""
    some = [CAT, "nothing.png", SHAPES]
    found, said = warned(headlight.maps, SCENES, some, method="relevance")
    assert "nothing.png" in said
    assert np.array_equal(found, headlight.maps(SCENES, [CAT, SHAPES], method="relevance"))
    found, said = warned(headlight.maps, SCENES, some)
    assert "nothing.png" in said and found.shape[0] == 2
    for function, words in ((headlight.pca, [SCENES, some]), (headlight.nearest, [SCENES, CAT, some[1:]]),
                            (headlight.curves, [SCENES, some, "last_attention"]),
                            (headlight.lens, [SCENES, some]), (headlight.norms, [SCENES, some])):
        found, said = warned(function, *words)
        assert "nothing.png" in said, said
        if function is headlight.pca:
            assert found.images == [CAT, SHAPES]
        else:
            assert list(found.failed) == ["nothing.png"]
    raises("nothing.png", headlight.pca, SCENES, ["nothing.png"])


def check_guess(folder):
    """Without a config the number of heads of a narrow model is a guess, which is said."""
    alone = os.path.join(folder, "alone.safetensors")
    shutil.copy(os.path.join(SCENES, "model.safetensors"), alone)
    found, said = warned(headlight.maps, alone, CAT)
    assert found.shape[1] == 1 and "number of heads is a guess: 1" in said, said
    assert not warned(headlight.maps, alone, CAT, config={"num_heads": 4})[1]


def check_features():
    tokens = {image: headlight.trace(SCENES, image)["norm"][0].astype(float) for image in (CAT, SHAPES)}
    rows = np.concatenate([tokens[image][1:] for image in tokens])
    values, shares, images = headlight.pca(SCENES, [CAT, SHAPES], components=2)
    variances = np.linalg.eigvalsh(np.cov(rows.T))[::-1]
    assert values.shape == (2, 10, 10, 2) and images == [CAT, SHAPES]
    assert np.allclose(shares, variances[:2] / variances.sum(), atol=1e-5)
    assert np.allclose(values.reshape(-1, 2).var(0, ddof=1), variances[:2], rtol=1e-3)
    assert headlight.pca(SCENES, np.zeros((80, 80, 3), np.uint8), layer=2).images == ["image0.ppm"]
    some = headlight.pca(SCENES, [CAT, SHAPES], foreground="above:0.5").values
    first = values[..., 0]
    inside = first - first.min() > 0.5 * (first.max() - first.min())
    assert np.array_equal(np.isfinite(some[..., 0]), inside)
    marked = np.zeros((80, 80), np.uint8)
    marked[16:48, 24:56] = 255
    of_region = headlight.pca(SCENES, np.zeros((80, 80, 3), np.uint8) + marked[..., None] // 2, region=marked).values
    assert np.isfinite(of_region[..., 0]).sum() == 16 and np.isfinite(of_region[0, 2:6, 3:7]).all()
    a, b = (each / np.linalg.norm(each, axis=1, keepdims=True) for each in tokens.values())
    assert np.allclose(headlight.match(SCENES, CAT, SHAPES), a[1:] @ b[1:].T, atol=1e-5)
    grey = np.full((80, 80), 128, np.uint8)
    wholes = headlight.nearest(SCENES, CAT, [SHAPES, grey], cache=False)
    assert set(wholes) == {"image", "cosine"} and set(wholes["image"]) == {SHAPES, "among1.ppm"}
    assert wholes["cosine"][0] >= wholes["cosine"][1] and wholes["cosine"].dtype == np.float32
    assert np.allclose(wholes["cosine"][wholes["image"] == SHAPES], a[0] @ b[0], atol=1e-5)
    patch = headlight.nearest(SCENES, CAT, IMAGES, query=44, count=20, cache=False)
    place = patch["image"].tolist().index(SHAPES)
    assert CAT not in patch["image"] and (np.diff(patch["cosine"]) <= 0).all()
    assert np.isclose(patch["cosine"][place], (a[45] @ b[1:].T).max(), atol=1e-5)
    assert patch["token"][place] == 1 + (a[45] @ b[1:].T).argmax()
    assert (patch["token"] == 1 + 10 * (patch["row"] - 1) + patch["column"] - 1).all()
    alone = headlight.nearest(SCENES, CAT, IMAGES, query="token45", count=1, layer=2, cache=False)
    assert alone["image"].shape == (1,)
    raises("--query", headlight.nearest, SCENES, CAT, IMAGES, query="class")


def area_of(curve):
    """Trapezoids, over parts from 0 to 1."""
    return ((curve[:-1] + curve[1:]) / 2).mean()


def check_curves():
    found = headlight.curves(SCENES, SHAPES, ["last_attention", "random"], of_class=2, steps=5, seed=3)
    probability = np.exp(headlight.trace(SCENES, SHAPES)["logits"][0].astype(float))
    probability /= probability.sum()
    assert len(found["patches"]) == 12 and found["patches"][5] == 100
    assert np.allclose(found["deletion"][[0, 6]], probability[2], atol=1e-5)
    assert np.allclose(found["insertion"][[5, 11]], probability[2], atol=1e-5)
    deletion, insertion = found.areas[SHAPES, "random"]
    assert np.isclose(deletion, area_of(found["deletion"][6:]), atol=1e-5)
    assert np.isclose(insertion, area_of(found["insertion"][6:]), atol=1e-5)
    assert found.answers[SHAPES][0] == 2 and not found.failed
    other = headlight.curves(SCENES, SHAPES, "random", of_class=2, steps=5, seed=3, hide="keys")
    assert not np.allclose(other["deletion"], found["deletion"][6:])
    raises("mean_color", headlight.curves, SCENES, SHAPES, hide="nothing")


def check_others():
    """Gradients, comparisons, tables of positions, scenes."""
    trace = headlight.trace(SCENES, CAT, layers=[4], gradient_of=1)
    assert trace["logits.gradient"][0].tolist() == [0, 1] + [0] * (trace["logits"].shape[1] - 2)
    same = headlight.compare(trace, dict(trace))
    assert same["agrees"] and {one["name"] for one in same["tensors"]} == set(trace)
    moved = headlight.compare({"a": np.ones(3)}, {"b": np.array([1, 1, 1.5])}, {"a": "b"})
    assert not moved["agrees"] and moved["tensors"][0]["largest"] == 0.5
    assert headlight.compare({"a": np.ones(3)}, {"a": np.array([1, 1, 1.5])}, tolerance=0.5)["agrees"]
    raises("found none", headlight.compare, {"a": np.ones(3)}, {"b": np.ones(3)})
    off = headlight.trace(SCENES, CAT, attention={"switched_off": ["2.1", "3.4"]})
    assert not off["layer.1.heads"][0, 0].any() and not off["layer.2.heads"][0, 3].any()
    assert off["layer.1.heads"][0, 1].any()
    answers = [np.exp(one["logits"][0, 1]) / np.exp(one["logits"][0]).sum()
               for one in (trace, headlight.trace(SCENES, CAT, attention={"switched_off": "2.1"}))]
    table = headlight.measure(SCENES, CAT, "importance", of_class=1)
    assert np.isclose(abs(table["importance"][4]), 100 * abs(answers[0] - answers[1]), atol=1e-3)
    raises("from 1 to 4", headlight.trace, SCENES, CAT, attention={"switched_off": "2.5"})
    waves = headlight.positions("sinusoidal", 2, 3, 4)
    angles = np.arange(6)[:, None] / np.array([1, 100])
    expected = np.stack([np.sin(angles), np.cos(angles)], -1).reshape(6, 4)
    assert np.allclose(waves, expected, atol=1e-6), (waves, expected)
    pictures, truth = headlight.scenes(2, seed=5, size=80, patch=8)
    assert pictures.shape == (2, 80, 80, 3) and truth.shape == (2, 201)
    assert np.array_equal(headlight.scenes(1, seed=6, size=80)[0], pictures[1])


def check_drawing(folder):
    figure = headlight.figure(SCENES, CAT, layers=[1, 4], heads="2", query=43)
    assert figure._repr_svg_().lstrip().startswith(("<?xml", "<svg")) and "Layer 4" in figure.svg
    assert "shows: entropy" in headlight.figure(SCENES, CAT, options=["--plot", "entropy"]).svg
    figure.save(os.path.join(folder, "figure.svg"))
    raises(".svg", figure.save, os.path.join(folder, "figure.pdf"))


def check_window(folder):
    """The window opens where it was told to, on a virtual display."""
    if not shutil.which("Xvfb"):
        print("without the window: Xvfb is not installed")
        return
    report = os.path.join(folder, "report.json")
    read, write = os.pipe()
    display = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", "1600x1000x24"],
                               pass_fds=[write], stderr=subprocess.DEVNULL)
    os.close(write)
    try:
        os.environ["DISPLAY"] = ":" + os.read(read, 16).decode().strip()
        os.environ.pop("WAYLAND_DISPLAY", None)
        window = headlight.show(CAT, SCENES, layer=3, head=2, query="token44", options=["--report", report])
        wanted = {"field.screen": "heads", "field.layer": "3", "state.head": "2",
                  "state.token": "44"}
        found = {}
        try:
            for _ in range(300):
                time.sleep(0.2)
                try:
                    with open(report, encoding="utf-8") as file:
                        reports = json.load(file)["reports"]
                    found = {name: reports.get(name) for name in wanted}
                except (OSError, ValueError):  # not there yet, or half written
                    pass
                if found == wanted:
                    break
            assert found == wanted, found
        finally:
            window.terminate()
            window.wait()
    finally:
        display.terminate()
        display.wait()


with tempfile.TemporaryDirectory() as scratch:
    check_finding(scratch)
    check_maps(scratch)
    check_trace(scratch)
    check_measures(scratch)
    check_partial()
    check_guess(scratch)
    check_features()
    check_curves()
    check_others()
    check_drawing(scratch)
    check_window(scratch)
print("ok")
