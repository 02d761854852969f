"""headlight.py against the files of the command line."""
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


def check_measures():
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        table = headlight.measure(SCENES, [CAT, "nothing.png"], ["entropy", "importance"], of_class=2)
    assert any("nothing.png" in str(one.message) for one in said)
    assert table.units["entropy"] == "bit" and list(table.failed) == ["nothing.png"]
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
    raises("entropie", headlight.measure, SCENES, CAT, "entropie")
    raises("nothing.png", headlight.measure, SCENES, "nothing.png")


def check_drawing():
    figure = headlight.figure(SCENES, CAT, layers=[1, 4], heads="2", query=43)
    assert figure._repr_svg_().lstrip().startswith(("<?xml", "<svg")) and "Layer 4" in figure.svg


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
        window = headlight.show(CAT, SCENES, layer=3, head=2, query=43, options=["--report", report])
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
    check_measures()
    check_drawing()
    check_window(scratch)
print("ok")
