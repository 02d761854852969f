"""Headlight from Python: attention maps, traces and measures of vision transformers as numpy arrays.

Every function runs the installed program `headlight` and reads what it writes. The program is the
first that is found: the argument `binary`, the environment variable HEADLIGHT, the PATH, or the
folder `bin` of the installation that contains this file. Only numpy is needed:

    import headlight
    maps = headlight.maps("vit_small.safetensors", "photo.jpg", query=43)  # [layers, heads, rows, columns]

A model is a path, as for `headlight --model`. An image is a path or an array: uint8 [H, W, 3], or
[H, W] for gray. As everywhere in Headlight, layers and heads that you name count from 1; arrays, tensor
names, tokens and classes count from 0. `attention` is a dictionary or JSON. `config` is a dictionary or
the path of a JSON file. A failure raises headlight.Error with the program's message. Warnings of the
program become Python warnings.
"""
import collections
import json
import os
import shutil
import struct
import subprocess
import tempfile
import warnings

import numpy as np

__all__ = ["Components", "Curves", "Error", "Figure", "Lens", "Measures", "Table", "compare", "curves",
           "figure", "find_binary", "info", "lens", "maps", "match", "measure", "nearest", "norms", "pca",
           "positions", "scenes", "show", "trace"]


class Error(RuntimeError):
    """The program's message about a failure."""


class Table(dict):
    """Columns of a table by name, as arrays of the same length.

    failed: the images that could not be read or measured, each with its error.
    """

    def __init__(self, columns, about):
        super().__init__(columns)
        self.failed = {image["file"]: image["error"] for image in about["failed"]}


class Measures(Table):
    """A table with the columns image, layer, head, then the measures.

    units: the unit of each column. answers: the predicted class and its probability for each image,
    if the model has classes.
    """

    def __init__(self, columns, about):
        super().__init__(columns, about)
        self.units = {column["name"]: column["unit"] for column in about["columns"]}
        self.answers = _answers(about)


class Curves(Table):
    """A table with a row for each step of each method on each image.

    Its columns are image, method, patches, part, deletion, insertion, deletion_logit and
    insertion_logit. areas: the areas below deletion and insertion by (image, method). answers: for
    each image the class that the curves are about, and its probability.
    """

    def __init__(self, columns, about):
        super().__init__(columns, about)
        self.areas = {(image["file"], one["method"]): (one["deletion_area"], one["insertion_area"])
                      for image in about["images"] for one in image["methods"]}
        self.answers = _answers(about)


class Lens(Table):
    """A table with a row for each image, layer, token and class.

    Its columns are image, layer, token, row, column, rank, class, class_name, logit and probability.
    Layer 0 is before the first layer. token, row and column are -1 for the model's own answer. answers:
    the predicted class and its probability for each image.
    """

    def __init__(self, columns, about):
        super().__init__(columns, about)
        self.answers = _answers(about)


Components = collections.namedtuple("Components", "values shares images")
Components.__doc__ = """Principal components of patches.

values: float32 [images, rows, columns, components], unscaled. shares: the share of the variance of
each component. images: the names of the images.
"""


class Figure:
    """A figure of maps as SVG, which notebooks display."""

    def __init__(self, svg):
        self.svg = svg

    def _repr_svg_(self):
        return self.svg

    def save(self, path):
        """Writes an .svg. `headlight figure --out` also writes .pdf and .png."""
        if not os.fspath(path).endswith(".svg"):
            raise Error(f"{path}: expected a file that ends in .svg. `headlight figure --out` also "
                        "writes .pdf and .png.")
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)


def find_binary(binary=None):
    """The path of the program. Raises Error if there is none."""
    named = binary or os.environ.get("HEADLIGHT")
    if named:
        found = shutil.which(os.fspath(named))
        if found is None:
            raise Error(f"{named}: expected the program headlight, found none. Check the path.")
        return found
    prefix = os.path.abspath(__file__)
    for _ in range(4):  # prefix/share/headlight/python/headlight.py
        prefix = os.path.dirname(prefix)
    found = shutil.which("headlight") or shutil.which(os.path.join(prefix, "bin", "headlight"))
    if found is None:
        raise Error("Expected the program headlight in the PATH, found none. Install it, or name it "
                    "in the environment variable HEADLIGHT.")
    return found


def maps(model, image, query=None, reading="from", *, method=None, of_class=None, options=(),
         attention=None, config=None, part=None, binary=None):
    """What a token attends to in every head: float32 [layers, heads, rows, columns].

    image: one image, or a list or folder of images; several give [images, ...], those of a folder in the
    order of their names. query: "class", "register0", "token44", or the number of a patch, counted from 0
    row by row. A list of queries gives [queries, layers, ...]. None: the class token, or the middle patch
    if there is none. reading: "from" for what the token attends to, "by" for what attends to it.

    method: a method such as "relevance", which gives one map of the whole model instead, [rows, columns];
    `headlight maps --help` lists the methods. of_class: index or name of the class that the map explains;
    None: the predicted class. Images of several that cannot be read are left out, and a warning names them.
    options: more arguments for the command line, such as ["--layers", "9-12"].
    """
    with _Work(binary) as work:
        words = ["--image", *work.images(image)]
        if reading != "from":
            words += ["--reading", reading]
        if query is not None:
            words += ["--query", ",".join(map(str, _list(query)))]
        if method is not None:
            words += ["--method", method]
        if of_class is not None:
            words += ["--class", str(of_class)]
        out = work.path("maps.npy")
        work.run("maps", *work.model(model, attention, config, part), *words, *options, "--out", out,
                 wrote=out)
        found = np.load(out)
        return found[None] if isinstance(image, (list, tuple)) and len(image) == 1 else found


def trace(model, image=None, input=None, layers="all", *, gradient_of=None, attention=None, config=None,
          part=None, rollout=None, binary=None):
    """Everything that a model computes, by name: "layer.0.attention" is float32 [1, heads, N, N].

    image: one image. input: replaces the image. It is a dictionary of tensors (pixels [B, C, H, W], or
    tokens [B, N, D], or query and value), an array of tokens [N, D], or a path. layers: "all", or numbers
    from 1 such as [1, 12] or "1,9-12"; the names of the returned tensors count from 0. gradient_of: a class,
    by index or name; "pooled" for a model without classes; or "cosine:FILE" for the cosine with the output
    for another image; adds the gradient of its logit with respect to
    every tensor, under names such as "layer.0.attention.gradient".
    """
    with _Work(binary) as work:
        words = []
        if image is not None:
            words += ["--image", *work.images(image)]
        if input is not None:
            words += ["--input", work.tensors(input)]
        if rollout is not None:
            words += ["--rollout", _json(rollout)]
        if gradient_of is not None:
            words += ["--gradient-of", str(gradient_of)]
        out = work.path("trace.safetensors")
        work.run("trace", *work.model(model, attention, config, part), *words, "--layers",
                 ",".join(map(str, _list(layers))), "--out", out)
        return _read_safetensors(out)


def measure(model, images, what=None, *, of_class=None, like=None, query=None, before=None,
            before_model=None, before_attention=None, before_config=None, before_part=None, region=None,
            attention=None, config=None, part=None, binary=None):
    """Measures of every head on every image: a dictionary of columns (Measures).

    images: one image, a list, or a folder. An array is named image0.ppm, with its index in the list.
    what: names such as ["entropy", "distance"]; `headlight measure --help` lists them. of_class: index
    or name of the class for importance, importance_logit, attribution, contribution and patching; None:
    the predicted class.
    like: the (layer, head), from 1, that alike compares with. query: the token whose maps alike, change
    and region use. before: the image that change and patching compare with. before_model: another
    checkpoint, with which change compares each head on the same image; before_attention, before_config
    and before_part are for it, or without it for the same checkpoint. region: the mask for region and
    within_region, bright inside, as a path or an array of the picture's size. A warning and
    Measures.failed name the images that fail; if all fail, this raises Error.
    """
    with _Work(binary) as work:
        words = ["--images", *work.images(images)]
        for option, value in (("--what", what), ("--class", of_class), ("--query", query)):
            if value is not None:
                words += [option, ",".join(map(str, _list(value)))]
        if like is not None:
            words += ["--like", "{}.{}".format(*like)]
        if before is not None:
            words += ["--before", *work.images(before)]
        if before_model is not None:
            words += ["--before-model", os.fspath(before_model)]
        words += work.settings(before_attention, before_config, before_part, "before")
        if region is not None:
            words += ["--region", *work.images(region)]
        out = work.path("measures.npz")
        said = work.run("measure", *work.model(model, attention, config, part), *words, "--json",
                        "--out", out, wrote=out)
        return Measures(*work.table(out, said))


def curves(model, images, methods=None, *, of_class=None, hide=None, steps=None, seed=None,
           attention=None, config=None, part=None, binary=None):
    """Deletion and insertion: the probability of a class while patches are hidden or shown (Curves).

    images: one, a list, or a folder. methods: names such as ["relevance", "random"], the maps that
    order the patches; `headlight curves --help` lists them. of_class: index or name of the class;
    None: each image's own answer. hide: "mean_color" or "keys". seed: of the random order. Images that fail
    are treated as measure() treats them.
    """
    with _Work(binary) as work:
        words = ["--images", *work.images(images)]
        for option, value in (("--methods", methods), ("--class", of_class), ("--hide", hide),
                              ("--steps", steps), ("--seed", seed)):
            if value is not None:
                words += [option, ",".join(map(str, _list(value)))]
        out = work.path("curves.npz")
        said = work.run("curves", *work.model(model, attention, config, part), *words, "--json",
                        "--out", out, wrote=out)
        return Curves(*work.table(out, said))


def lens(model, images, *, of_class=None, top=None, patches=False, attention=None, config=None, part=None,
         binary=None):
    """What the model would answer if it ended after each of its layers (Lens).

    images: one, a list, or a folder. of_class: index or name of the one class to write; None: the `top` most
    probable classes of each answer, by default 5. patches: also what every patch would answer: its most
    probable class, or of_class. Images that fail are treated as measure() treats them.
    """
    with _Work(binary) as work:
        words = ["--images", *work.images(images)]
        for option, value in (("--class", of_class), ("--top", top)):
            if value is not None:
                words += [option, str(value)]
        if patches:
            words.append("--patches")
        out = work.path("lens.npz")
        said = work.run("lens", *work.model(model, attention, config, part), *words, "--json", "--out", out,
                        wrote=out)
        return Lens(*work.table(out, said))


def norms(model, images, *, attention=None, config=None, part=None, binary=None):
    """The length of every token in the residual stream, layer by layer (Table).

    images: one, a list, or a folder. The columns are image, layer, token, kind, row, column and norm.
    Layer 0 is before the first layer. kind: "class", "distillation", "register" or "patch"; only patches
    have a row and a column, the others -1. Images that fail are treated as measure() treats them.
    """
    with _Work(binary) as work:
        out = work.path("norms.npz")
        said = work.run("norms", *work.model(model, attention, config, part), "--images",
                        *work.images(images), "--json", "--out", out, wrote=out)
        return Table(*work.table(out, said))


def pca(model, images, components=3, layer="last", *, foreground=None, region=None, attention=None,
        config=None, part=None, binary=None):
    """Principal components of the patches' features, of all images together (Components).

    images: one, a list, or a folder. layer: a number from 1, or "last" for the model's final
    features. foreground: such as "above:0.6", the patches that count, by their place in the range of the
    first component; the others are NaN. region: a mask of the patches that count, bright inside, as a path
    (also a folder of masks) or an array of the picture's size. Images that cannot be read are left out, and
    a warning names them.
    """
    with _Work(binary) as work:
        out = work.path("pca.npy")
        chosen = [] if foreground is None else ["--foreground", foreground]
        if region is not None:
            chosen += ["--region", *work.images(region, "mask")]
        said = work.run("pca", *work.model(model, attention, config, part), "--images",
                        *work.images(images), "--components", str(components), "--layer", str(layer),
                        *chosen, "--json", "--out", out, wrote=out)
        about = work.about(said)
        return Components(np.load(out), np.array(about["variance"]),
                          [image["file"] for image in about["images"]])


def match(model, first, second, layer="last", *, attention=None, config=None, part=None, binary=None):
    """Cosines between the features of all patches of two images: float32 [patches, patches]."""
    with _Work(binary) as work:
        out = work.path("match.npy")
        work.run("match", *work.model(model, attention, config, part), "--images",
                 *work.images([first, second]), "--layer", str(layer), "--out", out)
        return np.load(out)


def nearest(model, image, among, query=None, layer="last", count=10, *, cache=True, attention=None,
            config=None, part=None, binary=None):
    """The images that a model finds most similar to one, the most similar first (Table).

    among: one image, a list, or a folder. query: a patch, counted from 0 row by row: looks for the most
    similar patch of each image, in the further columns token (from 0), row and column (from 1). None:
    compares images as wholes. count: the longest list. cache: whether features are kept on the disk.
    Images that cannot be read are left out, and a warning names them.
    """
    with _Work(binary) as work:
        words = ["--image", *work.images(image, "image"), "--among", *work.images(among, "among"),
                 "--layer", str(layer), "--count", str(count)]
        if query is not None:
            words += ["--query", str(query)]
        if not cache:
            words += ["--no-cache"]
        out = work.path("nearest.csv")
        said = work.run("nearest", *work.model(model, attention, config, part), *words, "--json",
                        "--out", out, wrote=out)
        about = work.about(said)
        kinds = {"image": str, "cosine": np.float32, "token": np.int32, "row": np.int32,
                 "column": np.int32}
        found = [dict(one, image=work.name(one["image"])) for one in about["nearest"]]
        return Table({name: np.array([one[name] for one in found], kind)
                      for name, kind in kinds.items() if name in found[0]}, about)


def compare(found, expected, names=None, tolerance=1e-5, *, binary=None):
    """The differences between tensors of two files, as a dictionary: agrees, tensors and so on.

    found, expected: paths, or tensors by name. names: what `expected` calls a tensor of `found`.
    agrees: whether no error exceeds `tolerance` times the largest expected value.
    """
    with _Work(binary) as work:
        words = [work.tensors(found, "found"), work.tensors(expected, "expected")]
        if names is not None:
            words += ["--map", _json(names)]
        status, said, lines = work.call("compare", *words, "--tolerance", str(tolerance), "--json")
        if status != 0 and not said:
            raise Error("\n".join(lines))
        return json.loads(said)


def positions(kind, rows, cols, dim, *, base=None, first=None, seed=None, binary=None):
    """A table of positions: float32 [rows · cols, dim], of "rotary" sine and cosine [2, rows · cols, dim].

    `headlight positions --help` lists the kinds and explains base, first and seed.
    """
    with _Work(binary) as work:
        words = []
        for option, value in (("--rows", rows), ("--cols", cols), ("--dim", dim), ("--base", base),
                              ("--first", first), ("--seed", seed)):
            if value is not None:
                words += [option, str(value)]
        out = work.path("positions.npy")
        work.run("positions", "--kind", kind, *words, "--out", out)
        return np.load(out)


def scenes(count, seed=None, size=None, *, fewest=None, most=None, patch=None, binary=None):
    """Random scenes of shapes: uint8 [count, size, size, 3].

    patch: pixels across a patch; then also the correct answers, int32 [count, 1 + 2 · patches], as a
    second array. `headlight scenes --help` explains them.
    """
    with _Work(binary) as work:
        words, out, truth = [], work.path("scenes.npy"), work.path("truth.npy")
        for option, value in (("--seed", seed), ("--size", size), ("--fewest", fewest),
                              ("--most", most), ("--patch", patch)):
            if value is not None:
                words += [option, str(value)]
        if patch is not None:
            words += ["--truth", truth]
        work.run("scenes", "--count", str(count), *words, "--out", out)
        return np.load(out) if patch is None else (np.load(out), np.load(truth))


def info(model, *, config=None, part=None, binary=None):
    """What a model file contains, as a dictionary: layers, heads, width, classes, facts and so on."""
    with _Work(binary) as work:
        words = work.model(model, None, config, part)[1:]  # `info` takes the model without --model
        return json.loads(work.run("info", "--json", *words))


def figure(model, image, layers="all", heads="all", query=None, *, attention=None, config=None,
           part=None, options=(), binary=None):
    """The maps of chosen layers and heads, from 1, as a Figure, which notebooks display.

    options: more arguments for the command line, such as ["--combine", "mean", "--smooth"].
    """
    with _Work(binary) as work:
        words = ["--image", *work.images(image)]
        for option, value in (("--layers", layers), ("--heads", heads), ("--query", query)):
            if value is not None and _list(value) != ["all"]:  # the default, which --plot refuses
                words += [option, ",".join(map(str, _list(value)))]
        out = work.path("figure.svg")
        work.run("figure", *work.model(model, attention, config, part), *words, *options, "--out",
                 out)
        with open(out, encoding="utf-8") as file:
            return Figure(file.read())


def show(image=None, model=None, layer=None, head=None, query=None, *, options=(), binary=None):
    """Opens the window and returns its subprocess.Popen, without waiting for it to close.

    With a layer or a head, both from 1, the window shows the maps of all heads with that head chosen.
    query: as for maps(). Your own session does not change.
    """
    program = find_binary(binary)
    folder = tempfile.mkdtemp(prefix="headlight-")  # the window writes there until it is closed
    recipe, selection, look = {}, {}, {}
    if image is not None:
        recipe["image"] = os.path.abspath(_image_file(image, os.path.join(folder, "image")))
    about = info(model, binary=binary) if model is not None else {}
    if model is not None:
        recipe["weights"] = os.path.abspath(about["file"])  # of a folder the one in it
    if layer is not None or head is not None or query is not None:
        look["screen"] = "heads"
        recipe["layer"] = (layer or 1) - 1 + about.get("token_transformers", 0)
        selection.update(head=(head or 1) - 1, head_pinned=True)
        if query is not None:
            selection.update(token=_token(query, about), token_chosen=True)
    session = os.path.join(folder, "session.json")
    with open(session, "w", encoding="utf-8") as file:
        json.dump({"version": 1, "recipe": recipe, "selection": selection, "look": look}, file)
    return subprocess.Popen([program, "--session", session, *map(os.fspath, options)])


def _token(query, about):
    """The index of a token among all tokens: class, distillation, registers, patches."""
    first = int(about.get("class_token", 0)) + int(about.get("distillation_token", 0))
    registers = about.get("registers", 0)
    word = str(query)
    if word == "class" and about.get("class_token"):
        return 0
    if word.startswith("register") and word[8:].isdigit() and int(word[8:]) < registers:
        return first + int(word[8:])
    if word.startswith("token") and word[5:].isdigit():
        return int(word[5:])
    if word.isdigit():
        return first + registers + int(word)
    raise Error("query: expected class, register0, token44 or the number of a patch from 0, found "
                f"{query!r}.")


def _list(value):
    """One value or several, as a list."""
    if isinstance(value, (list, tuple, range, np.ndarray)):
        return list(value)
    return [value]


def _answers(about):
    """For each image the class and its probability, where the model has classes."""
    return {image["file"]: (image["class"], image["probability"])
            for image in about["images"] if "class" in image}


def _json(value):
    return value if isinstance(value, str) else json.dumps(value)


def _image_file(image, beside):
    """The file of an image; an array is written to `beside`.ppm."""
    if isinstance(image, (str, os.PathLike)):
        return os.fspath(image)
    array = np.asarray(image)
    if array.dtype != np.uint8 or array.ndim not in (2, 3) or array.shape[2:] not in ((), (1,), (3,)):
        raise Error(f"Expected an image of uint8 [H, W, 3] or [H, W], found {array.dtype} "
                    f"{list(array.shape)}.")
    gray = array.ndim == 2 or array.shape[2] == 1
    with open(beside + ".ppm", "wb") as file:
        file.write(b"P%d %d %d 255\n" % (5 if gray else 6, array.shape[1], array.shape[0]))
        file.write(np.ascontiguousarray(array).tobytes())
    return beside + ".ppm"


class _Work:
    """A temporary folder for what the program reads and writes."""

    def __init__(self, binary):
        self._program = find_binary(binary)
        self._folder = tempfile.TemporaryDirectory(prefix="headlight-")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._folder.cleanup()

    def path(self, name):
        return os.path.join(self._folder.name, name)

    def name(self, image):
        """The name of an image; an array's file has only a base name, because its folder is temporary."""
        return os.path.basename(image) if os.path.dirname(image) == self._folder.name else image

    def images(self, images, name="image"):
        """The files of one or several images. Arrays get this name and a number."""
        if isinstance(images, (list, tuple)):
            if not images:
                raise Error("Expected at least one image, found an empty list.")
            return [_image_file(image, self.path(f"{name}{i}")) for i, image in enumerate(images)]
        return [_image_file(images, self.path(f"{name}0"))]

    def about(self, said):
        """What a command describes as JSON, with the images' names."""
        about = json.loads(said)
        for told in about.get("images", []) + about["failed"]:
            told["file"] = self.name(told["file"])
        return about

    def table(self, path, said):
        """The columns of an .npz, and about()."""
        with np.load(path, allow_pickle=False) as table:
            columns = {name: table[name] for name in table.files}
        columns["image"] = np.array([self.name(image) for image in columns["image"].tolist()])
        return columns, self.about(said)

    def model(self, model, attention, config, part):
        return ["--model", os.fspath(model), *self.settings(attention, config, part)]

    def settings(self, attention, config, part, of=None):
        """The options of a model, or those of the model `before`."""
        words, option = [], f"--{of}-" if of else "--"
        if attention is not None:
            words += [option + "attention", _json(attention)]
        if config is not None:
            if isinstance(config, dict):
                path = self.path(f"config_{of}.json" if of else "config.json")
                with open(path, "w", encoding="utf-8") as file:
                    json.dump(config, file)
                config = path
            words += [option + "config", os.fspath(config)]
        if part is not None:
            words += [option + "part", part]
        return words

    def tensors(self, given, name="input"):
        if isinstance(given, (str, os.PathLike)):
            return os.fspath(given)
        if isinstance(given, dict):
            return _write_safetensors(self.path(name + ".safetensors"), given)
        np.save(self.path(name + ".npy"), np.asarray(given, np.float32))
        return self.path(name + ".npy")

    def call(self, *words):
        """The exit status, the standard output, and the lines of standard error."""
        done = subprocess.run([self._program, *words], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)
        lines = [line[len("headlight: "):] if line.startswith("headlight: ") else line
                 for line in done.stderr.decode(errors="replace").splitlines()]
        return done.returncode, done.stdout.decode(), lines

    def run(self, *words, wrote=None):
        """The standard output. A failure is only a warning if the file `wrote` exists."""
        status, said, lines = self.call(*words)
        if status != 0 and not (wrote and os.path.exists(wrote)):
            raise Error("\n".join(lines) or f"headlight ended with status {status}.")
        for line in lines:
            if "tensor names from 0" not in line:  # trace() says so itself
                warnings.warn(line, stacklevel=3)
        return said


_TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2",
          "I8": "i1", "U8": "u1", "BOOL": "?"}


def _read_safetensors(path):
    """Tensors by name: https://github.com/huggingface/safetensors#format."""
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        start, tensors = file.tell(), {}
        for name, entry in header.items():
            if name == "__metadata__":
                continue
            begin, end = entry["data_offsets"]
            file.seek(start + begin)
            numbers = np.frombuffer(bytearray(file.read(end - begin)), _TYPES[entry["dtype"]])
            tensors[name] = numbers.reshape(entry["shape"])
    return tensors


def _write_safetensors(path, tensors):
    header, data = {}, []
    end = 0
    for name, tensor in tensors.items():
        tensor = np.asarray(tensor)
        kind = "BOOL" if tensor.dtype == bool else "F32"
        data.append(tensor.astype(_TYPES[kind]).tobytes())
        header[name] = {"dtype": kind, "shape": list(tensor.shape),
                        "data_offsets": [end, end + len(data[-1])]}
        end += len(data[-1])
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(data))
    return path
