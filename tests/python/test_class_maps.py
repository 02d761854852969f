"""headlight maps --method and attributions against the papers' formulas, with PyTorch's autograd.

The models are those of tests/golden/make_families.py, written in plain PyTorch; the pixels are what
Headlight made of a photograph.
"""
import json
import os
import shutil
import struct
import sys
import tempfile
import zlib

from headlight_files import FAMILIES, IMAGES, SCENES, np, run, safetensors, write_safetensors
from torch_models import make_families, swins, torch

HEADLIGHT = os.path.abspath(sys.argv[1])
CAT, SHAPES = os.path.join(IMAGES, "cat.jpg"), os.path.join(IMAGES, "shapes.png")
# Whether the class token represents the image, or the patches' mean.
CASES = {"timm": True, "timm_registers": True, "timm_pooled": False, "timm_swiglu": True,
         "deit_distilled": True, "dinov2": True, "hf_vit": True, "hf_dinov2": True,
         "torchvision": True, "eva02": False, "beit": False, "siglip_classes": False,
         "siglip": False, "clip_openai": True, "timm_dinov3": True, "timm_siglip_classes": False}
WINDOWS = ["swin", "hf_swin", "torchvision_swin"]


def output_of(found, of_class):
    if "logits" in found:
        return found["logits"][0, of_class]
    for name in ("embedding", "pooler"):
        if name in found:
            return found[name][0].sum()
    return found["norm"][0, 0].sum()


class Case:
    """A model in float64, and the pixels that Headlight cuts its patches from."""

    def __init__(self, folder, name):
        torch.manual_seed(zlib.crc32(name.encode()))
        self.model = make_families.CASES[name]()[0]
        with torch.no_grad():
            self.model.w.update({key: value.double() for key, value in self.model.w.items()})
        ending = os.path.join(FAMILIES, name)
        self.words = ["--model", ending + ".model.safetensors"]
        config = {}
        if os.path.exists(ending + ".config.json"):
            with open(ending + ".config.json", encoding="utf-8") as file:
                config = json.load(file)
        if "dinov2" in name:  # whose pictures have 56 × 56 such patches
            config["image_size"] = 24
        with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as file:
            json.dump(config, file)
        if config:
            self.words += ["--config", file.name]
        out = os.path.join(folder, "trace")
        run(HEADLIGHT, "trace", *self.words, "--image", CAT, "--out", out)
        trace = safetensors(out)
        self.patches = trace["tokens.patches"][0].astype(float)
        size = round((self.patches.shape[1] / 3) ** 0.5)
        run(HEADLIGHT, "maps", *self.words, "--image", CAT, "--method", "input_gradient", "--out",
            out + ".npy")
        self.rows, self.cols = np.load(out + ".npy").shape
        self.size = size
        cells = self.patches.reshape(self.rows, self.cols, 3, size, size)
        planes = cells.transpose(2, 0, 3, 1, 4).reshape(1, 3, self.rows * size, self.cols * size)
        self.pixels = torch.from_numpy(np.ascontiguousarray(planes))
        self.layers = sum(key.startswith("layer.") and key.endswith(".attention") for key in trace)
        found = self.model.steps(self.pixels)
        self.has_classes = "logits" in found
        for key in ("logits", "norm", "pooler"):
            if key in trace and key in found:
                expected = found[key].numpy()
                assert np.abs(trace[key] - expected).max() < 1e-4 * np.abs(expected).max(), name

    def gradients(self, names, of_class, pixels=None, depth=None, windows=False):
        """Tensors by name and what y changes by with them; of windows all, else of the first sample."""
        pixels = (self.pixels if pixels is None else pixels).clone().requires_grad_()
        if depth is None:
            found = self.model.steps(pixels)
        else:
            before, self.model.depth = self.model.depth, depth
            found = self.model.steps(pixels)
            self.model.depth = before
        output = output_of(found, of_class)
        found = getattr(self.model, "padded_steps", found)
        tensors = [pixels if name == "pixels" else found[name] for name in names]
        gradients = torch.autograd.grad(output, tensors)
        pairs = [(tensor.detach().numpy(), gradient.numpy())
                 for tensor, gradient in zip(tensors, gradients)]
        return pairs if windows else [(tensor[0], gradient[0]) for tensor, gradient in pairs]

    def answer(self):
        return int(self.model.steps(self.pixels)["logits"][0].argmax()) if self.has_classes else 0


def attention(layer):
    return f"layer.{layer}.attention"


def expected_map(case, by_class_token, method, of_class, layers, discard=0.0, steps=32, heads=None):
    patches = case.rows * case.cols

    def row(matrix):
        matrix = matrix[:, -patches:]
        return matrix[0] if by_class_token else matrix[-patches:].mean(0)

    def pairs(which, **more):
        return [(a[heads or slice(None)], d[heads or slice(None)]) for a, d in
                case.gradients([attention(layer) for layer in which], of_class, **more)]

    if method == "attention_gradient":
        (a, d), = pairs(layers[-1:])
        return row(np.maximum(a * d, 0).mean(0))
    if method in ("relevance", "gradient_rollout", "rollout"):
        result = None
        for a, d in pairs(layers):
            identity = np.eye(a.shape[-1])
            result = identity if result is None else result
            if method == "relevance":
                result = result + np.maximum(a * d, 0).mean(0) @ result
            elif method == "rollout":
                step = (a.mean(0) + identity) / 2
                result = step / step.sum(-1, keepdims=True) @ result
            else:
                fused = np.maximum((a * d).mean(0), 0)
                flat = fused.reshape(-1)
                lowest = np.argsort(flat, kind="stable")[:int(flat.size * discard)]
                flat[lowest[lowest != 0]] = 0
                step = (fused + identity) / 2
                result = step / step.sum(-1, keepdims=True) @ result
        return row(result)
    if method == "legrad":
        return sum(np.maximum(pairs([layer], depth=layer + 1)[0][1], 0).mean((0, 1))[-patches:]
                   for layer in layers)
    if method == "grad_cam":
        return grad_cam(case, of_class, layers[-1], patches)
    return map_of_input(case, method, of_class, steps)


def grad_cam(case, of_class, layer, patches):
    (norm, d), = case.gradients([f"layer.{layer}.norm1"], of_class)
    return np.maximum(norm @ d.mean(0), 0)[-patches:]


def map_of_input(case, method, of_class, steps):
    if method == "integrated_gradients":
        d = sum(case.gradients(["pixels"], of_class, (i + 0.5) / steps * case.pixels)[0][1]
                for i in range(steps)) / steps
    else:
        (_, d), = case.gradients(["pixels"], of_class)
    cells = abs(d) if method == "input_gradient" else d * case.pixels[0].numpy()
    return cells.reshape(3, case.rows, case.size, case.cols, case.size).sum((0, 2, 4)).reshape(-1)


def map_of_windows(case, of_class, layer):
    """Mean over all queries of the mean over heads of (A ⊙ ∇A)⁺, put back where the keys lie."""
    stage, block, number = 0, 0, layer
    while number >= case.model.depths[stage]:
        number, stage = number - case.model.depths[stage], stage + 1
    block = number
    size, shift = case.model.size_and_shift(stage, block)
    rows, cols = case.model.grid_of(stage)
    (a, d), = case.gradients([attention(layer)], of_class, windows=True)
    keys = np.maximum(a * d, 0).mean(1).sum(1) / (rows * cols)
    cells = swins.reverse(torch.from_numpy(keys)[..., None], size, rows, cols)[0, ..., 0]
    return torch.roll(cells, (shift, shift), (0, 1)).numpy()


def compare(case, method, words, expected, shape, folder):
    out = os.path.join(folder, "map.npy")
    run(HEADLIGHT, "maps", *case.words, "--image", CAT, "--method", method, *words, "--out", out)
    found = np.load(out)
    assert found.dtype == np.float32 and found.shape == shape, (case.words, method, found.shape)
    error = np.abs(found - expected.reshape(shape)).max() / max(np.abs(expected).max(), 1e-9)
    assert error < 1e-4, (case.words, method, words, error)


def check_windows(folder, name):
    """Methods that do not need one matrix of all tokens through all layers; the rest is refused."""
    case = Case(folder, name)
    of_class, words = 1, ["--class", "1"]
    for layer in range(case.layers):
        expected = map_of_windows(case, of_class, layer)
        more = words + ["--layers", str(layer + 1)]
        compare(case, "attention_gradient", more, expected, expected.shape, folder)
        compare(case, "grad_cam", more, grad_cam(case, of_class, layer, expected.size),
                expected.shape, folder)
    for method in ("input_gradient", "gradient_times_input", "integrated_gradients"):
        more = words + (["--steps", "3"] if method == "integrated_gradients" else [])
        compare(case, method, more, map_of_input(case, method, of_class, 3),
                (case.rows, case.cols), folder)
    for method in ("rollout", "gradient_rollout", "relevance", "legrad"):
        error = run(HEADLIGHT, "maps", *case.words, "--image", CAT, "--method", method, "--out",
                    os.path.join(folder, "none.npy"), status=1)[1]
        assert "expected layers" in error, error


def check_attribution(folder, case):
    """headlight measure --what attribution: minus each head's output times its gradient."""
    table = os.path.join(folder, "heads.npz")
    run(HEADLIGHT, "measure", *case.words, "--images", CAT, "--what", "attribution", "--class", "1",
        "--out", table)
    pairs = case.gradients([f"layer.{layer}.heads" for layer in range(case.layers)], 1)
    expected = np.concatenate([-(z * d).sum((1, 2)) for z, d in pairs])
    with np.load(table) as found:
        error = np.abs(found["attribution"] - expected).max() / np.abs(expected).max()
    assert error < 1e-4, (case.words, error)


def check(folder, name, by_class_token):
    case = Case(folder, name)
    if case.has_classes and name != "siglip_classes":
        check_attribution(folder, case)
    every = list(range(case.layers))
    questions = [(method, every, [], {}) for method in (
        "attention_gradient", "gradient_rollout", "relevance", "legrad", "grad_cam",
        "input_gradient", "gradient_times_input")]
    questions += [("gradient_rollout", every, ["--discard-ratio", "0.7"], {"discard": 0.7}),
                  ("relevance", every[1:], ["--start-layer", "1"], {}),
                  ("attention-gradient", every[:1], ["--layers", "1"], {}),
                  ("attention-gradient", every, ["--heads", "2"], {"heads": [1]}),
                  ("relevance", every, ["--heads", "1,2"], {"heads": [0, 1]}),
                  ("legrad", every, ["--heads", "2"], {"heads": [1]}),
                  ("rollout", every, ["--heads", "1"], {"heads": [0]}),
                  ("rollout", every, [], {}),
                  ("grad_cam", every[:1], ["--layers", "1"], {}),
                  ("legrad", every[1:], ["--layers", "2"], {}),
                  ("integrated_gradients", every, ["--steps", "5"], {"steps": 5})]
    for method, layers, more, options in questions:
        of_class = case.answer()
        if case.has_classes and method not in ("relevance", "rollout"):
            of_class, more = 1, more + ["--class", "1"]
        expected = expected_map(case, by_class_token, method.replace("-", "_"), of_class, layers,
                                **options)
        compare(case, method, more, expected, (case.rows, case.cols), folder)


def check_provenance(folder):
    """The provenance in files, and --json."""
    out = os.path.join(folder, "made")
    words = ["maps", "--model", SCENES, "--attention", '{"temperature": 2}', "--method",
             "gradient_rollout", "--layers", "2-4", "--heads", "1,3", "--discard-ratio", "0.5"]
    run(HEADLIGHT, *words, "--image", CAT, "--out", out + ".npy")
    plain = np.load(out + ".npy")
    told = json.loads(run(HEADLIGHT, *words, "--image", CAT, SHAPES, "--json", "--out",
                          out + ".npz")[0])
    with np.load(out + ".npz") as file:
        assert file["map"].shape == (2, 10, 10) and np.array_equal(file["map"][0], plain)
        assert list(file["image"]) == [CAT, SHAPES]
        assert json.loads(str(file["provenance"])) == told
        classes, probabilities = file["class"], file["probability"]
    assert not os.path.exists(out + ".npz.txt")
    assert told["method"] == "gradient_rollout" and told["layers"] == [2, 3, 4]
    assert told["heads"] == [1, 3] and told["discard_ratio"] == 0.5 and "steps" not in told
    assert told["attention"] == {"temperature": 2} and told["model"] == SCENES
    for i, image in enumerate((CAT, SHAPES)):
        run(HEADLIGHT, "trace", "--model", SCENES, "--image", image, "--attention",
            '{"temperature": 2}', "--out", out + ".trace")
        logits = safetensors(out + ".trace")["logits"][0].astype(float)
        powers = np.exp(logits - logits.max())
        assert told["images"][i]["class"] == classes[i] == logits.argmax()
        assert abs(probabilities[i] - powers[classes[i]] / powers.sum()) < 1e-6
        assert abs(told["images"][i]["logit"] - logits.max()) < 1e-6
    run(HEADLIGHT, *words, "--image", CAT, "--class", "3", "--out", out + ".safetensors")
    with open(out + ".safetensors", "rb") as file:
        facts = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))["__metadata__"]
    assert facts["method"] == "gradient_rollout" and facts["layers"] == "[2,3,4]", facts
    assert json.loads(facts["images"])[0]["class"] == 3
    assert safetensors(out + ".safetensors")["map"].shape == (10, 10)
    error = run(HEADLIGHT, *words, "--image", CAT, SHAPES, "--out", out + ".safetensors", status=2)[1]
    assert ".npz for several images" in error, error
    run(HEADLIGHT, "maps", "--model", SCENES, "--image", CAT, "--method", "rollout", "--out",
        out + ".npz")
    with np.load(out + ".npz") as file:
        assert "class" not in json.loads(str(file["provenance"]))["images"][0]


def check_zero(folder):
    """A map of zeros is said to be one."""
    off = json.dumps({"switched_off": [f"4.{head}" for head in range(1, 5)]})
    words = ["--model", SCENES, "--image", CAT, "--json"]
    for more, zero in (([], False), (["--attention", off], True)):
        told, error = run(HEADLIGHT, "maps", *words, *more, "--method", "attention_gradient", "--out",
                          os.path.join(folder, "zero.npy"))
        assert np.any(np.load(os.path.join(folder, "zero.npy"))) != zero
        assert json.loads(told)["images"][0]["zero"] is zero, told
        assert ("cat.jpg: attention_gradient is zero everywhere. Try" in error) is zero, error
        told, error = run(HEADLIGHT, "curves", *words, *more, "--methods", "attention_gradient,random",
                          "--steps", "2", "--out", os.path.join(folder, "zero.csv"))
        assert [of["zero"] for of in json.loads(told)["images"][0]["methods"]] == [zero, False], told
        assert ("attention_gradient is zero everywhere, so the order" in error) is zero, error


def check_settings(folder):
    """--json of every command says what was set."""
    setting = {"temperature": 2}
    for words, more in ((["curves", "--methods", "random", "--steps", "1", "--image", CAT], {}),
                        (["lens", "--image", CAT], {}),
                        (["pca", "--image", CAT], {"layer": "last"}),
                        (["match", "--layer", "2", "--image", CAT, SHAPES], {"layer": "2"}),
                        (["nearest", "--no-cache", "--image", CAT, "--among", SHAPES], {}),
                        (["measure", "--what", "attribution", "--class", "1", "--image", CAT],
                         {"class": 1}),
                        (["measure", "--what", "change", "--before", SHAPES, "--image", CAT],
                         {"query": "class", "before": {"model": SCENES, "attention": setting,
                                                       "image": SHAPES}}),
                        (["measure", "--what", "change", "--before-attention", "{}", "--image", CAT],
                         {"before": {"model": SCENES, "attention": {}}})):
        ending = ".npy" if words[0] in ("pca", "match") else ".csv"
        told = json.loads(run(HEADLIGHT, *words, "--model", SCENES, "--attention",
                              json.dumps(setting), "--json", "--out",
                              os.path.join(folder, "set" + ending))[0])
        for key, value in {"model": SCENES, "attention": setting, **more}.items():
            assert told[key] == value, (words, key, told)
        assert told["made_by"].startswith("Headlight"), told


def check_files(folder):
    """The maps of all heads as .npz, and one map as .csv."""
    out = os.path.join(folder, "maps")
    words = ["maps", "--model", SCENES, "--query", "43"]
    run(HEADLIGHT, *words, "--image", CAT, "--out", out + ".npy")
    run(HEADLIGHT, *words, "--image", CAT, "--attention", '{"temperature": 1}', "--out", out + ".npz")
    with np.load(out + ".npz") as file:
        maps = file["maps"]
        assert maps.shape == (4, 4, 10, 10) and np.array_equal(maps, np.load(out + ".npy"))
        assert list(file["image"]) == [CAT]
        made_by = json.loads(str(file["provenance"]))
    assert made_by["model"] == SCENES and made_by["images"] == [{"file": CAT}]
    assert made_by["layers"] == [1, 2, 3, 4] and made_by["query"] == "43"
    assert made_by["reading"] == "from" and made_by["attention"] == {"temperature": 1}
    run(HEADLIGHT, *words, "--image", CAT, "--layers", 3, "--heads", 2, "--out", out + ".csv")
    assert np.array_equal(np.loadtxt(out + ".csv", np.float32, delimiter=","), maps[2, 1])
    for ending in (".npz", ".npy"):
        run(HEADLIGHT, *words[:-1], "43,class", "--image", CAT, SHAPES, "--out", out + ending)
    with np.load(out + ".npz") as file:
        assert file["maps"].shape == (2, 2, 4, 4, 10, 10)
        assert np.array_equal(file["maps"], np.load(out + ".npy"))
        assert list(file["image"]) == [CAT, SHAPES]
    change = ["--image", CAT, "--before", SHAPES]
    run(HEADLIGHT, *words, *change, "--out", out + ".npz")
    run(HEADLIGHT, *words, *change, "--layers", 1, "--heads", 4, "--out", out + ".csv")
    with np.load(out + ".npz") as file:
        assert json.loads(str(file["provenance"]))["before"] == {"model": SCENES, "image": SHAPES}
        assert np.array_equal(np.loadtxt(out + ".csv", np.float32, delimiter=","), file["maps"][0, 3])
    relevance = ["maps", "--model", SCENES, "--method", "relevance", "--image", CAT, "--out"]
    run(HEADLIGHT, *relevance, out + ".npz")
    run(HEADLIGHT, *relevance, out + ".csv")
    with np.load(out + ".npz") as file:
        assert np.array_equal(np.loadtxt(out + ".csv", np.float32, delimiter=","), file["map"])
    os.remove(out + ".csv")
    of_cat = [*words, "--image", CAT]
    for more, says in (
            ([*of_cat], "--layers: expected one number such as 2, because a .csv holds one map"),
            ([*of_cat, "--layers", 2], "--heads: expected one number"),
            ([*of_cat, "--layers", "1-2", "--heads", 1], "--layers: expected one number"),
            ([*of_cat, "--layers", 5, "--heads", 1], "layers from 1 to 4"),
            ([*of_cat, "--layers", 1, "--heads", 5], "heads from 1 to 4"),
            ([*of_cat, "--layers", 1, "--heads", 0], "--heads"),
            ([*words[:-1], "1,2", "--image", CAT, "--layers", 1, "--heads", 1],
             "--query: expected one token"),
            ([*of_cat, SHAPES, "--layers", 1, "--heads", 1], ".npy or .npz for several images"),
            (["maps", "--model", SCENES, "--method", "relevance", "--image", CAT, SHAPES],
             ".npy or .npz for several images")):
        error = run(HEADLIGHT, *more, "--out", out + ".csv", status=2)[1]
        assert says in error and not os.path.exists(out + ".csv"), error


def check_choice(folder):
    """--layers and --heads without --method: these alone, in this order."""
    out = os.path.join(folder, "chosen")
    words = ["maps", "--model", SCENES, "--query", "45,class", "--image", CAT]
    choice = ["--layers", "4,1-2", "--heads", "3,1"]
    run(HEADLIGHT, *words, "--out", out + ".npy")
    whole = np.load(out + ".npy")
    chosen = whole[:, [3, 0, 1]][:, :, [2, 0]]
    run(HEADLIGHT, *words, *choice, "--out", out + ".npy")
    assert np.array_equal(np.load(out + ".npy"), chosen)
    run(HEADLIGHT, *words, *choice, "--out", out + ".safetensors")
    assert np.array_equal(safetensors(out + ".safetensors")["maps"], chosen)
    run(HEADLIGHT, *words, SHAPES, *choice, "--out", out + ".npz")
    with np.load(out + ".npz") as file:
        assert np.array_equal(file["maps"][0], chosen) and file["maps"].shape[:4] == (2, 2, 3, 2)
        made_by = json.loads(str(file["provenance"]))
        assert made_by["layers"] == [4, 1, 2] and made_by["heads"] == [3, 1], made_by
    run(HEADLIGHT, *words, "--before", SHAPES, "--out", out + ".npy")
    whole = np.load(out + ".npy")
    run(HEADLIGHT, *words, "--before", SHAPES, *choice, "--out", out + ".npy")
    assert np.array_equal(np.load(out + ".npy"), whole[:, [3, 0, 1]][:, :, [2, 0]])
    for more, says in ((["--layers", "5"], "layers from 1 to 4"), (["--heads", "0"], "--heads 1"),
                       (["--heads", "x"], "--heads: expected all, or numbers")):
        error = run(HEADLIGHT, *words, *more, "--out", out + ".refused.npy", status=2)[1]
        assert says in error and not os.path.exists(out + ".refused.npy"), error


def check_class_names(folder):
    """--class by name, in any case, or by a whole word of it."""
    out = os.path.join(folder, "named.npy")
    words = ["maps", "--image", CAT, "--method", "grad_cam", "--out", out]
    names = json.loads(run(HEADLIGHT, "info", SCENES, "--json")[0])["class_names"]
    assert names == ["disc", "square", "triangle", "ring", "cross", "star", "no pair"], names
    for said, index in (("CROSS", 4), ("no pair", 6), ("Pair", 6), ("2", 2)):
        told = json.loads(run(HEADLIGHT, *words, "--model", SCENES, "--class", said, "--json")[0])
        found = told["images"][0]
        assert found["class"] == index and found["class_name"] == names[index], (said, found)
    timm = os.path.join(FAMILIES, "timm.model.safetensors")  # which does not name its classes
    assert "class_names" not in json.loads(run(HEADLIGHT, "info", timm, "--json")[0])
    for model, said, says in (
            (SCENES, "cros", 'no class of this model is called "cros". The most similar ones: cross (4)'),
            (SCENES, "sqare", "The most similar ones: square (1), "),
            (timm, "class", '"class" could mean class 0 (0), class 1 (1)')):
        error = run(HEADLIGHT, *words, "--model", model, "--class", said, status=2)[1]
        assert says in error, error
    for command, more in (("curves", ["--steps", "1"]), ("lens", []),
                          ("measure", ["--what", "attribution"])):
        files = [os.path.join(folder, name + ".csv") for name in ("by_index", "by_name")]
        for said, file in zip(("4", "cross"), files):
            run(HEADLIGHT, command, "--model", SCENES, "--image", CAT, *more, "--class", said, "--out",
                file)
        with open(files[0], "rb") as one, open(files[1], "rb") as other:
            assert one.read() == other.read(), command


def check_differences(folder):
    """Class maps of other settings, another model or another image, subtracted: of the same class."""
    out = os.path.join(folder, "less.npy")
    words = ["maps", "--method", "attention_gradient", "--out", out]

    def maps(*more):
        run(HEADLIGHT, *words, *more)
        return np.load(out)

    other = os.path.join(folder, "other.safetensors")
    shutil.copy(os.path.join(SCENES, "model.safetensors"), other)
    config = os.path.join(folder, "eps.json")
    with open(os.path.join(SCENES, "config.json"), encoding="utf-8") as file:
        settings = json.load(file)
    with open(config, "w", encoding="utf-8") as file:
        json.dump({**settings, "layer_norm_eps": 0.5}, file)
    changed = ["--attention", '{"temperature": 2}']
    now = ["--model", SCENES, "--image", CAT]
    told = json.loads(run(HEADLIGHT, *words, *now, "--json")[0])
    of_class = ["--class", told["images"][0]["class"]]
    after = maps(*now)
    for more, before in (
            (["--before-attention", changed[1]], [*now, *changed]),
            (["--before-model", other, "--before-config", config],
             ["--model", other, "--config", config, "--image", CAT]),
            (["--before", SHAPES], ["--model", SCENES, "--image", SHAPES])):
        expected = after - maps(*before, *of_class)
        assert np.abs(expected).max() > 0 and np.allclose(maps(*now, *more), expected, atol=1e-9), more
    told, error = run(HEADLIGHT, *words, *now, SHAPES, *changed, "--before-attention", changed[1], "--json")
    assert not np.load(out).any() and error.count("attention_gradient is the same before and after") == 2
    told = json.loads(told)
    assert told["shows"] == "after − before" and told["before"]["attention"] == {"temperature": 2}, told
    assert np.load(out).shape == (2, 10, 10)


def shuffled(numbers, seeded):
    """Fisher–Yates on the numbers of an array, with SplitMix64. seeded: its state, in a list."""
    flat, mask = numbers.reshape(-1).copy(), 2 ** 64 - 1
    for i in range(len(flat), 1, -1):
        seeded[0] = (seeded[0] + 0x9E3779B97F4A7C15) & mask
        z = seeded[0]
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & mask
        other = ((z ^ (z >> 31)) >> 32) * i >> 32
        flat[i - 1], flat[other] = flat[other], flat[i - 1]
    return flat.reshape(numbers.shape)


def check_random_weights(folder):
    """--random-weights: a map of the model whose matrices are shuffled in the order of their names."""
    out, model = os.path.join(folder, "random.npy"), os.path.join(folder, "shuffled")
    words = ["maps", "--image", CAT, "--method", "gradient_times_input", "--class", "3", "--out", out]
    weights, seeded = safetensors(os.path.join(SCENES, "model.safetensors")), [7]
    changed = {name: shuffled(array, seeded) if name.endswith("weight") and sum(
        extent > 1 for extent in array.shape) >= 2 else array for name, array in sorted(weights.items())}
    os.mkdir(model)
    shutil.copy(os.path.join(SCENES, "config.json"), model)
    write_safetensors(os.path.join(model, "model.safetensors"), changed)
    run(HEADLIGHT, *words, "--model", model)
    expected = np.load(out)
    told = json.loads(run(HEADLIGHT, *words, "--model", SCENES, "--random-weights", 7, "--json")[0])
    assert told["random_weights"] == 7 and told["images"][0]["class"] == 3, told
    assert np.abs(expected).max() > 0 and np.array_equal(np.load(out), expected)
    run(HEADLIGHT, *words, "--model", SCENES)
    assert not np.allclose(np.load(out), expected, atol=1e-3 * np.abs(expected).max())
    error = run(HEADLIGHT, "maps", "--image", CAT, "--model", SCENES, "--random-weights", 7, "--out", out,
                status=2)[1]
    assert "--random-weights can be used only with --method" in error, error


def check_command_line(folder):
    out = os.path.join(folder, "map.npy")
    words = ["--model", SCENES, "--image", CAT, "--out", out]
    for more, says in ((["--method", "relevanz"], "expected one of attention,"),
                       (["--class", "1"], "--class can be used only with --method"),
                       (["--json"], "--json can be used only with --method"),
                       (["--method", "legrad", "--query", "3"], "--query"),
                       (["--method", "legrad", "--reading", "from"], "--reading"),
                       (["--method", "legrad", "--steps", "32"], "--steps"),
                       (["--method", "legrad", "--discard-ratio", "0"], "--discard-ratio"),
                       (["--method", "grad_cam", "--heads", "1"], "--heads"),
                       (["--method", "grad_cam", "--start-layer", "0"], "--start-layer"),
                       (["--method", "input_gradient", "--layers", "1"], "--layers"),
                       (["--method", "relevance", "--start-layer", "4"], "--start-layer"),
                       (["--method", "relevance", "--heads", "0"], "--heads 1"),
                       (["--method", "relevance", "--heads", "9"], "heads from 1 to"),
                       (["--method", "relevance", "--class", "-1"], "--class"),
                       (["--method", "relevance", "--class", "7"], "--class: expected an integer"),
                       (["--method", "rollout", "--class", "1"], "--class")):
        assert says in run(HEADLIGHT, "maps", *words, *more, status=2)[1], more
    maps = os.path.join(FAMILIES, "maps.model.safetensors")
    for more, says in ((["--model", maps], "whole model"),
                       (["--model", os.path.join(FAMILIES, "dinov2.model.safetensors"), "--class",
                         "1"], "classifier"),
                       (["--model", os.path.join(FAMILIES, "swin.model.safetensors")],
                        "expected layers")):
        error = run(HEADLIGHT, "maps", "--image", CAT, "--out", out, "--method", "relevance", *more,
                    status=1)[1]
        assert says in error, error
    assert not os.path.exists(out)
    run(HEADLIGHT, "maps", "--model", SCENES, "--image", CAT, SHAPES, "--method", "relevance", "--out",
        out)
    both = np.load(out)
    with open(out + ".txt", encoding="utf-8") as names:
        assert names.read().split() == [CAT, SHAPES]
    run(HEADLIGHT, "maps", "--model", SCENES, "--image", SHAPES, "--method", "relevance", "--out", out)
    check_provenance(folder)
    check_zero(folder)
    check_settings(folder)
    check_files(folder)
    assert both.shape == (2, 10, 10) and np.array_equal(np.load(out), both[1])
    run(HEADLIGHT, "trace", "--model", SCENES, "--image", CAT, "--out", out + ".trace")
    run(HEADLIGHT, "maps", "--model", SCENES, "--image", CAT, "--method", "rollout", "--out", out)
    rollout = safetensors(out + ".trace")["rollout"][0]
    assert np.allclose(np.load(out).reshape(-1), rollout[0, 1:], atol=1e-6)


with tempfile.TemporaryDirectory() as scratch:
    for name, by_class_token in CASES.items():
        check(scratch, name, by_class_token)
    for name in WINDOWS:
        check_windows(scratch, name)
with tempfile.TemporaryDirectory() as scratch:
    check_choice(scratch)
    check_class_names(scratch)
    check_differences(scratch)
    check_random_weights(scratch)
    check_command_line(scratch)
print("ok")
