"""Exported pictures: `export` and `headlight figure`, read by third-party parsers."""

import base64
import json
import math
import re
import shlex
import struct
import subprocess
import xml.etree.ElementTree as xml
import zlib

from harness import IMAGES, SOURCE, WindowTest, main
from png import Png

MODEL = SOURCE / "assets" / "models" / "scenes" / "model.safetensors"
SVG = "{http://www.w3.org/2000/svg}"
LINK = "{http://www.w3.org/1999/xlink}href"


class Svg:
    def __init__(self, path):
        self.root = xml.parse(path).getroot()
        self.folder = path.parent
        self.size = float(self.root.get("width")), float(self.root.get("height"))
        self.facts = dict(line.split(": ", 1)
                          for line in self.root.find(SVG + "desc").text.splitlines())
        self.texts = [text.text for text in self.root.iter(SVG + "text")]

    def images(self):
        """Element and pixels of each embedded picture."""
        found = []
        for number, image in enumerate(self.root.iter(SVG + "image")):
            kind, code = image.get(LINK).split(",", 1)
            assert kind == "data:image/png;base64", kind
            path = self.folder / f"embedded-{number}.png"
            path.write_bytes(base64.b64decode(code, validate=True))
            found.append((image, Png(path).pixels()))
        return found


def page_width(pdf):
    """In points. Newer versions of cairo compress the objects of a PDF."""
    parts = [pdf]
    for stream in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.DOTALL):
        try:
            parts.append(zlib.decompress(stream))
        except zlib.error:
            pass  # not compressed
    return float(re.search(rb"/MediaBox \[ ?0 0 ([0-9.]+) [0-9.]+", b" ".join(parts))[1])


def read_maps(path):
    """The numbers of what `headlight maps` wrote, and their shape."""
    data = path.read_bytes()
    length, = struct.unpack_from("<H", data, 8)
    shape = eval(data[10:10 + length])["shape"]  # a Python dictionary, by the format's definition
    numbers = data[10 + length:]
    return struct.unpack(f"<{len(numbers) // 4}f", numbers), shape


class Figures(WindowTest):
    def figure(self, *more):
        return self.run_program("figure", "--model", MODEL, "--image", IMAGES / "cat.jpg", *more)

    def test_a_sheet_of_maps_needs_no_display(self):
        done = self.figure("--query", "43", "--layers", "2-4", "--heads", "1,3", "--out", "a.svg")
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        svg = Svg(self.folder / "a.svg")
        self.assertEqual(svg.facts["shows"], "attention: what token 44 attends to")
        self.assertEqual(svg.facts["model"], str(MODEL))
        for name in ["Layer 2", "Layer 3", "Layer 4", "head 1", "head 3"]:
            self.assertIn(name, svg.texts)
        self.assertNotIn("Layer 1", svg.texts)
        self.assertNotIn("head 2", svg.texts)
        # The photograph, and a map for each of 3 layers × 2 heads.
        self.assertEqual(len(svg.images()), 1 + 6)

    def test_heads_are_combined_and_their_mass_outlined(self):
        done = self.figure("--query", "43", "--heads", "1,3", "--combine", "max", "--mass", "60",
                           "--out", "a.svg")
        self.assertEqual(done.returncode, 0, done.stderr)
        svg = Svg(self.folder / "a.svg")
        self.assertIn("max of heads 1, 3", svg.texts)
        self.assertNotIn("head 1", svg.texts)
        self.assertEqual(len(svg.images()), 1 + 4)
        self.assertIn("60 %", svg.facts["outlined"])
        outlines = [line for line in svg.root.iter(SVG + "line")
                    if line.get("stroke") == "#ffffff"]
        self.assertGreater(len(outlines), 4 * 4)  # a square around a patch has four

    # ---- several queries, and heads, in hues

    QUERY_HUES = (0xFF, 0xC1, 0x45), (0x2F, 0xBD, 0xFF), (0xFF, 0x78, 0xA9)

    def maps(self, query):
        done = self.run_program("maps", "--model", MODEL, "--image", IMAGES / "cat.jpg",
                                "--query", query, "--out", "maps.npy")
        self.assertEqual(done.returncode, 0, done.stderr)
        return read_maps(self.folder / "maps.npy")

    def expect_hues(self, image, sources, hues):
        """Each cell has the hue of the largest map, with brightness by value; naive loops."""
        _, pixels = image
        rows, cols = len(sources[0]), len(sources[0][0])
        tall, wide = len(pixels) // rows, len(pixels[0]) // cols
        most = max(max(max(line) for line in source) for source in self.all_maps)
        for r in range(rows):
            for c in range(cols):
                values = [source[r][c] for source in sources]
                which = values.index(max(values))
                found = pixels[r * tall + tall // 2][c * wide + wide // 2]
                for part, hue in zip(found, hues[which]):
                    self.assertAlmostEqual(part, hue * values[which] / most, delta=1.01)

    def test_several_queries_are_shown_each_in_its_hue(self):
        done = self.figure("--query", "43,57,class", "--layers", "2-4", "--heads", "1,3",
                           "--out", "a.svg")
        self.assertEqual(done.returncode, 0, done.stderr)
        svg = Svg(self.folder / "a.svg")
        self.assertEqual(svg.facts["shows"],
                         "attention: what token 44, token 58 and the class token attend to")
        for name in ["token 44", "token 58", "class token", "Layer 2", "head 3"]:
            self.assertIn(name, svg.texts)
        numbers, (queries, layers, heads, rows, cols) = self.maps("43,57,class")
        self.assertEqual((queries, layers), (3, 4))

        def map_of(q, l, h):
            at = ((q * layers + l) * heads + h) * rows * cols
            return [numbers[at + r * cols:at + (r + 1) * cols] for r in range(rows)]
        chosen = [(l, h) for l in (1, 2, 3) for h in (0, 2)]
        self.all_maps = [map_of(q, l, h) for q in range(3) for l, h in chosen]
        images = svg.images()[1:]
        self.assertEqual(len(images), 6)
        for image, (l, h) in zip(images, chosen):
            self.expect_hues(image, [map_of(q, l, h) for q in range(3)], self.QUERY_HUES)

    def test_several_queries_have_rows_of_their_own(self):
        done = self.figure("--query", "43,57", "--layers", "4", "--several", "rows",
                           "--out", "a.svg")
        self.assertEqual(done.returncode, 0, done.stderr)
        svg = Svg(self.folder / "a.svg")
        self.assertIn("token 44 · Layer 4", svg.texts)
        self.assertIn("token 58 · Layer 4", svg.texts)
        self.assertEqual(len(svg.images()), 1 + 2 * 4)
        self.assertNotIn("hues", svg.facts)

    def test_heads_are_hues_in_one_picture_of_each_layer(self):
        done = self.figure("--query", "43", "--layers", "3,4", "--combine", "hues",
                           "--out", "a.svg")
        self.assertEqual(done.returncode, 0, done.stderr)
        svg = Svg(self.folder / "a.svg")
        self.assertEqual(len(svg.images()), 1 + 2)
        for name in ["heads in hues", "head 1", "head 4"]:
            self.assertIn(name, svg.texts)
        self.assertIn("head whose map is largest", svg.facts["hues"])

    # ---- interpolation between patch centers

    def cells_of(self, query, layer, head):
        numbers, (_, heads, rows, cols) = self.maps(query)
        at = ((layer - 1) * heads + head - 1) * rows * cols
        return [numbers[at + r * cols:at + (r + 1) * cols] for r in range(rows)]

    @staticmethod
    def between(cells, row, col):
        """Bilinear between the centers, and constant beyond the outermost; a naive loop."""
        rows, cols = len(cells), len(cells[0])
        total = 0
        for r in (math.floor(row - 0.5), math.floor(row - 0.5) + 1):
            for c in (math.floor(col - 0.5), math.floor(col - 0.5) + 1):
                weight = (1 - abs(row - 0.5 - r)) * (1 - abs(col - 0.5 - c))
                total += weight * cells[min(max(r, 0), rows - 1)][min(max(c, 0), cols - 1)]
        return total

    def test_smooth_maps_are_numbers_between_middles_in_colors(self):
        done = self.figure("--query", "43", "--layers", "2", "--heads", "1", "--smooth",
                           "--colors", "grey", "--out", "a.svg")
        self.assertEqual(done.returncode, 0, done.stderr)
        svg = Svg(self.folder / "a.svg")
        self.assertEqual(svg.facts["drawn"], "smooth: bilinear between patch centers")
        self.assertIn("bilinear", " ".join(svg.texts))
        cells = self.cells_of("43", 2, 1)
        most = max(map(max, cells))
        _, pixels = svg.images()[1]
        tall, wide = len(pixels) / len(cells), len(pixels[0]) / len(cells[0])
        self.assertGreater(wide, 4)
        for y, line in enumerate(pixels):
            for x, pixel in enumerate(line):
                value = self.between(cells, (y + 0.5) / tall, (x + 0.5) / wide)
                self.assertAlmostEqual(pixel[0], 255 * value / most, delta=1.01)

    def test_contours_lie_where_the_map_has_their_level(self):
        done = self.figure("--query", "43", "--layers", "2", "--heads", "1", "--contours",
                           "--tile", "256", "--out", "a.svg")
        self.assertEqual(done.returncode, 0, done.stderr)
        svg = Svg(self.folder / "a.svg")
        said = svg.facts["drawn"]
        self.assertTrue(said.startswith("one square per patch, lines at "), said)
        levels = [float(word) for word in re.findall(r"[0-9.]+", said)]
        self.assertGreater(len(levels), 1)
        cells = self.cells_of("43", 2, 1)
        image = svg.images()[1][0]
        x, y, w, h = (float(image.get(name)) for name in ("x", "y", "width", "height"))
        lines = [line for kind in ("polyline", "polygon") for line in svg.root.iter(SVG + kind)
                 if line.get("stroke") == "#ffffff"]
        self.assertGreater(len(lines), 0)
        corners, seen = 0, set()
        steepest = 2 * max(map(max, cells)) * len(cells) / h * 0.01  # for a hundredth of a pixel
        for line in lines:
            for point in line.get("points").split():
                px, py = map(float, point.split(","))
                col, row = (px - x) / w * len(cells[0]), (py - y) / h * len(cells)
                value = self.between(cells, min(max(row, 0), len(cells)),
                                     min(max(col, 0), len(cells[0])))
                nearest = min(levels, key=lambda level: abs(level - value))
                self.assertAlmostEqual(value, nearest, delta=steepest)
                seen.add(nearest)
                corners += 1
        self.assertGreater(corners, 20)
        self.assertEqual(seen, {level for level in levels
                                if min(map(min, cells)) < level < max(map(max, cells))})

    def test_in_hues_squares_stay_and_that_is_said(self):
        done = self.figure("--query", "43", "--layers", "4", "--combine", "hues", "--smooth",
                           "--contours", "--out", "a.svg")
        self.assertEqual(done.returncode, 0, done.stderr)
        svg = Svg(self.folder / "a.svg")
        self.assertEqual(svg.facts["drawn"], "one square per patch")
        self.assertIn("in hues: one square per patch", " ".join(svg.texts))
        self.assertFalse([line for kind in ("polyline", "polygon")
                          for line in svg.root.iter(SVG + kind)])

    def test_the_saved_maps_are_smooth_and_have_lines(self):
        window = self.start_maps()
        window.click("heads.smooth.smooth")
        window.click("heads.contours.contours")
        window.until_reports(field__heads_contours="true")
        window.away()
        window.click("heads.save")
        window.until(lambda report: "Saved as" in report["reports"]["notice"], "saved")
        saved = window.reports()["notice"].removeprefix("Saved as ").removesuffix(".")
        svg = Svg(self.folder / saved)
        self.assertTrue(any("bilinear" in text and "lines at" in text for text in svg.texts))
        maps = [pixels for image, pixels in svg.images() if float(image.get("opacity")) < 1]
        self.assertEqual(len(maps), 16)
        # More colors than patches, of all maps together: a dark one has few.
        colors = [len({tuple(pixel) for line in pixels for pixel in line}) for pixels in maps]
        self.assertGreater(sum(colors), 16 * 100)
        self.assertGreater(len(list(svg.root.iter(SVG + "polyline"))) +
                           len(list(svg.root.iter(SVG + "polygon"))), 16)

    def test_maps_stand_side_by_side_as_many_as_wanted(self):
        done = self.figure("--query", "43", "--layers", "4", "--columns", "3", "--out", "a.svg")
        self.assertEqual(done.returncode, 0, done.stderr)
        svg = Svg(self.folder / "a.svg")
        for head in "1234":
            self.assertIn(f"head {head}", svg.texts)
        photos = [use for use in svg.root.iter(SVG + "use")]
        self.assertEqual(len(photos), 4)
        places = {use.get("transform").split(")")[0].split("(")[1] for use in photos}
        self.assertEqual(len({place.split(" ")[0] for place in places}), 3)
        self.assertEqual(len({place.split(" ")[1] for place in places}), 2)

    # ---- ready to print

    def sheet(self, *more, out="a.svg", **options):
        done = self.run_program("figure", "--model", MODEL, "--image", IMAGES / "cat.jpg", *more,
                                "--out", out, **options)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        return Svg(self.folder / out) if out.endswith(".svg") else self.folder / out

    def test_the_bar_names_what_it_shows_and_its_scale(self):
        for scale, words in (("linear", "attention weight;"), ("square_root", "square-root scale"),
                             ("logarithm", "logarithmic scale"), ("even", "multiples of even")):
            svg = self.sheet("--layers", "2", "--scale", scale)
            said = " ".join(svg.texts).replace("\xa0", " ")
            self.assertIn("attention weight", said)
            self.assertIn(words, said)

    def test_each_map_has_a_range_of_its_own(self):
        """The largest cell of each has the last color of the bar; compared with a naive loop."""
        svg = self.sheet("--query", "43", "--layers", "2", "--range", "own", "--colors", "grey",
                         "--opacity", "1")
        self.assertIn("largest of each map", svg.texts)
        for head, (_, pixels) in enumerate(svg.images()[1:], 1):
            cells = self.cells_of("43", 2, head)
            most = max(map(max, cells))
            tall, wide = len(pixels) // len(cells), len(pixels[0]) // len(cells[0])
            for r, line in enumerate(cells):
                for c, value in enumerate(line):
                    found = pixels[r * tall + tall // 2][c * wide + wide // 2][0]
                    self.assertAlmostEqual(found, 255 * value / most, delta=1.01)

    def test_the_page_is_white_or_nothing(self):
        def ground(svg):
            first = next(svg.root.iter(SVG + "rect"), None)
            whole = first is not None and float(first.get("width")) == svg.size[0]
            return first.get("fill") if whole else None
        self.assertEqual(ground(self.sheet("--layers", "2", "--ground", "white")), "#ffffff")
        self.assertIsNone(ground(self.sheet("--layers", "2", "--ground", "transparent")))

    def test_the_width_is_in_centimeters(self):
        done = self.figure("--layers", "2", "--width-cm", "8.5", "--out", "b.svg")
        self.assertEqual(done.returncode, 0, done.stderr)
        root = xml.parse(self.folder / "b.svg").getroot()
        box = [float(number) for number in root.get("viewBox").split()]
        self.assertEqual(root.get("width"), "8.5cm")
        self.assertAlmostEqual(float(root.get("height").removesuffix("cm")),
                               8.5 * box[3] / box[2], places=3)

    def test_pdf_and_png_need_no_display(self):
        pdf = self.sheet("--layers", "2", "--width-cm", "8.5", out="a.pdf").read_bytes()
        self.assertTrue(pdf.startswith(b"%PDF-"), pdf[:20])
        self.assertAlmostEqual(page_width(pdf), 8.5 / 2.54 * 72, delta=0.1)
        picture = Png(self.sheet("--layers", "2", "--width-cm", "8.5", "--ground", "transparent",
                                 out="a.png"))
        self.assertEqual(picture.width, round(8.5 / 2.54 * 300))
        self.assertEqual(picture.first_pixel()[3], 0)

    def test_the_mark_of_the_query_leaves_its_cell_in_sight(self):
        svg = self.sheet("--query", "43", "--layers", "2", "--heads", "1", "--tile", "64")
        rows = len(self.cells_of("43", 2, 1))
        image = svg.images()[1][0]
        cell = float(image.get("width")) / rows
        left = float(image.get("x")) + 43 % rows * cell
        top = float(image.get("y")) + 43 // rows * cell
        marks = [rect for rect in svg.root.iter(SVG + "rect") if rect.get("fill") == "none" and
                 abs(float(rect.get("width")) - cell) < 8]
        self.assertTrue(marks)
        for mark in marks:
            half = float(mark.get("stroke-width")) / 2
            self.assertLessEqual(float(mark.get("x")) + half, left + 0.5 + cell / 8)
            self.assertGreaterEqual(float(mark.get("x")) + float(mark.get("width")) - half,
                                    left + cell - 0.5 - cell / 8)
            self.assertLessEqual(float(mark.get("y")) + half, top + 0.5 + cell / 8)

    def test_class_maps_are_those_of_the_command_line(self):
        # The class is for those maps that depend on one, so not for the rollout.
        svg = self.sheet("--method", "relevance,grad-cam,rollout", "--class", "3", "--colors", "grey",
                         "--opacity", "1")
        self.assertRegex(svg.facts["shows"], "^relevance and Grad-CAM of “[^”]+”, rollout$")
        self.assertIn(svg.facts["shows"], " ".join(svg.texts))
        methods = {"relevance": ("--class", "3"), "grad_cam": ("--class", "3"), "rollout": ()}
        for (method, more), (_, pixels) in zip(methods.items(), svg.images()[1:]):
            done = self.run_program("maps", "--model", MODEL, "--image", IMAGES / "cat.jpg",
                                    "--method", method, *more, "--out", "maps.npy")
            self.assertEqual(done.returncode, 0, done.stderr)
            numbers, (rows, cols) = read_maps(self.folder / "maps.npy")
            most = max(numbers) or 1
            tall, wide = len(pixels) // rows, len(pixels[0]) // cols
            for i, value in enumerate(numbers):
                found = pixels[i // cols * tall + tall // 2][i % cols * wide + wide // 2][0]
                self.assertAlmostEqual(found, 255 * value / most, delta=1.01)
        self.assertEqual(svg.facts["scale"], "linear, each map has its own range")

    def test_a_class_map_of_zeros_is_said_to_be_one(self):
        off = json.dumps({"switched_off": [f"4.{head}" for head in range(1, 5)]})
        words = ["--method", "attention-gradient,legrad", "--attention", off]
        says = "attention × gradient is zero everywhere"
        self.assertIn("; " + says, " ".join(self.sheet(*words).texts))
        self.assertIn("; " + says, " ".join(self.sheet(*words, "--caption", "mine").texts))
        self.assertNotIn("zero", " ".join(self.sheet(*words[:2]).texts))

    def dots_of(self, svg):
        """Centers of the small circles, in order."""
        return [(float(dot.get("cx")), float(dot.get("cy"))) for dot in svg.root.iter(SVG + "circle")
                if float(dot.get("r")) == 1.75]

    def test_numbers_by_layer_are_those_of_measure(self):
        """Heights are proportional to the values, and layers run to the right."""
        svg = self.sheet("--plot", "entropy")
        done = self.run_program("measure", "--model", MODEL, "--images", IMAGES / "cat.jpg",
                                "--what", "entropy", "--out", "m.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [line.split(",") for line in (self.folder / "m.csv").read_text().splitlines()[1:]]
        dots = self.dots_of(svg)
        self.assertEqual(len(dots), len(rows))
        values = [float(row[3]) for row in rows]
        low, high = values.index(min(values)), values.index(max(values))
        per_bit = (dots[low][1] - dots[high][1]) / (values[high] - values[low])
        self.assertGreater(per_bit, 0)
        for (x, y), row, value in zip(dots, rows, values):
            self.assertAlmostEqual(y, dots[low][1] - per_bit * (value - values[low]), delta=0.06)
            layer = int(row[1]) - 1
            self.assertAlmostEqual(x, dots[0][0] + layer * (dots[-1][0] - dots[0][0]) / 3,
                                   delta=0.06)
        self.assertIn("entropy (bits)", svg.texts)
        self.assertIn("mean of the heads", svg.texts)

    def test_a_plot_says_which_class_it_is_about(self):
        done = self.run_program("maps", "--model", MODEL, "--image", IMAGES / "cat.jpg", "--method",
                                "relevance", "--class", "3", "--json", "--out", "maps.npy")
        name = json.loads(done.stdout)["images"][0]["class_name"]
        svg = self.sheet("--plot", "entropy,attribution", "--class", "3")
        self.assertEqual(svg.facts["class"], name)
        self.assertIn(f"cat.jpg, class “{name}”", " ".join(svg.texts))
        self.assertNotIn("class", self.sheet("--plot", "entropy").facts)

    def test_the_lens_ends_at_the_answer(self):
        svg = self.sheet("--plot", "lens", "--caption", "")
        self.assertIn("input", svg.texts)
        names = [text for text in svg.texts if text]
        done = self.run_program("maps", "--model", MODEL, "--image", IMAGES / "cat.jpg", "--method",
                                "relevance", "--json", "--out", "maps.npy")
        self.assertEqual(done.returncode, 0, done.stderr)
        answer = json.loads(done.stdout)["images"][0]
        self.assertIn(answer["class_name"], names)
        # The curve of the answer is the first, and ends as high as its probability.
        spots = [spot for spot in svg.root.iter(SVG + "circle") if float(spot.get("r")) == 2.25]
        of_answer = spots[:5]
        lines = sorted({float(line.get("y1")) for line in svg.root.iter(SVG + "line")
                        if line.get("y1") == line.get("y2")
                        and abs(float(line.get("x2")) - float(line.get("x1"))) > 150})
        numbers = sorted(float(text) for text in names if re.fullmatch(r"[01]\.[0-9]+", text))
        top, bottom = lines[0], lines[-1]
        found = (bottom - float(of_answer[-1].get("cy"))) / (bottom - top) * numbers[-1]
        self.assertAlmostEqual(found, answer["probability"], delta=0.01)

    def test_deletion_and_insertion_are_those_of_curves(self):
        """The legend has the areas, and the points the heights of the probabilities."""
        svg = self.sheet("--plot", "deletion,insertion", "--method", "legrad,random", "--class", "3",
                         "--columns", "2")
        done = self.run_program("curves", "--model", MODEL, "--image", IMAGES / "cat.jpg",
                                "--methods", "legrad,random", "--class", "3", "--json", "--out",
                                "curves.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        answer = json.loads(done.stdout)["images"][0]
        self.assertEqual(svg.facts["class"], answer["class_name"])
        legends = [text for text in svg.texts if ", area " in text]
        self.assertEqual(legends, [f"{title}, area {method[key]:.3f}"
                                   for key in ("deletion_area", "insertion_area")
                                   for title, method in zip(("LeGrad", "random order"),
                                                            answer["methods"])])
        for words in ("deletion (class probability)", "hidden patches (%)",
                      "insertion (class probability)", "shown patches (%)"):
            self.assertIn(words, svg.texts)
        spots = [(float(spot.get("cx")), float(spot.get("cy"))) for spot in
                 svg.root.iter(SVG + "circle") if float(spot.get("r")) == 2.25]
        lines = (self.folder / "curves.csv").read_text().splitlines()
        rows = [dict(zip(lines[0].split(","), line.split(","))) for line in lines[1:]]
        self.assertEqual(len(spots), 2 * len(rows))
        for column, panel in (("deletion", spots[:len(rows)]), ("insertion", spots[len(rows):])):
            left, right = min(x for x, _ in panel), max(x for x, _ in panel)
            values = [float(row[column]) for row in rows]
            low, high = values.index(min(values)), values.index(max(values))
            per_one = (panel[low][1] - panel[high][1]) / (values[high] - values[low])
            for (x, y), row, value in zip(panel, rows, values):
                self.assertAlmostEqual(x, left + float(row["part"]) * (right - left), delta=0.06)
                self.assertAlmostEqual(y, panel[low][1] - per_one * (value - values[low]), delta=0.06)

    def test_plots_stand_side_by_side_as_many_as_wanted(self):
        words = ["--plot", "entropy,distance,itself", "--caption", ""]
        width, height = self.sheet(*words).size
        self.assertEqual(self.sheet(*words, "--columns", "5").size, (width, height))
        for columns, rows in ("2", 2), ("1", 3):
            svg = self.sheet(*words, "--columns", columns)
            self.assertEqual(svg.size[0], 2 * 16 + int(columns) * 320 + (int(columns) - 1) * 24)
            self.assertAlmostEqual(svg.size[1], rows * (height - 2 * 16) + (rows - 1) * 24 + 2 * 16,
                                   delta=2)
            tops = [float(text.get("y")) for text in svg.root.iter(SVG + "text")
                    if text.text and text.text.split(",")[0].split(" (")[0] in
                    ("entropy", "distance", "share on itself")]
            self.assertEqual(len(tops), 3)
            self.assertEqual(len(set(tops)), rows, tops)

    def test_plots_refuse_what_maps_alone_have(self):
        for words, says in ((["--plot", "entropie"], "--plot: expected entropy"),
                            (["--plot", "entropy", "--layers", "2"], "--layers cannot be used"),
                            (["--plot", "entropy", "--class", "2"], "--class can be used only"),
                            (["--plot", "lens", "--method", "legrad"], "--method can be used only"),
                            (["--plot", "deletion", "--method", "heat"], "--method: expected one"),
                            (["--plot", "deletion", "--query", "3"], "--query can be used only"),
                            (["--plot", "importance", "--class", "99"], "--class: expected an"),
                            (["--method", "nonsense"], "--method: expected names"),
                            (["--method", "relevance,relevance"], "each method once"),
                            (["--method", "relevance", "--query", "3"], "--query cannot be used"),
                            (["--method", "rollout", "--class", "2"], "--class has no effect"),
                            (["--class", "2"], "--class can be used only"),
                            (["--random-weights", "2"], "--random-weights can be used only"),
                            (["--plot", "lens", "--random-weights", "2"],
                             "--random-weights cannot be used")):
            done = self.figure(*words, "--out", "a.svg")
            self.assertEqual(done.returncode, 2, (words, done.stderr))
            self.assertIn(says, done.stderr)

    # ---- the window's sheet

    def start_maps(self):
        window = self.start("--model", MODEL, IMAGES / "cat.jpg")
        window.key("ctrl+3")
        window.until_reports(**{"heads.maps": "16"})
        return window

    def open_sheet(self, window):
        window.click("heads.figure")
        return window.until(lambda r: "figure.preview" in r["names"], "the sheet")

    def save_sheet(self, window, ending):
        window.click("figure." + ending)
        window.until(lambda r: "Saved as" in r["reports"]["notice"], "saved")
        return self.folder / window.reports()["notice"].removeprefix("Saved as ").removesuffix(".")

    def run_line(self, line, out):
        words = shlex.split(line)
        self.assertEqual(words[:2], ["headlight", "figure"])
        words[words.index("--out") + 1] = out
        done = self.run_program(*words[1:], display=self.display)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.folder / out

    def test_the_sheet_writes_what_the_command_line_writes(self):
        """Equal byte for byte, whatever is selected."""
        cat = IMAGES / "cat.jpg"
        for said, words in [
                (["set attention_scale linear"], []),
                (["queries 44 58 0"], ["--query", "43,57,class"]),
                (["set figure_layers 2,4", "set figure_heads 1-3", "set figure_mass 60",
                  "set figure_theme dark", "set attention_scale square_root"],
                 ["--layers", "2,4", "--heads", "1-3", "--mass", "60", "--theme", "dark",
                  "--scale", "square_root"]),
                (["queries 44 58", "set figure_queries rows", "set figure_columns 5",
                  "set figure_caption own", 'set figure_words "What\'s read"'],
                 ["--query", "43,57", "--several", "rows", "--columns", "5", "--caption",
                  "What's read"]),
                (["set figure_combine hues", "set attention_scale even", "set attention_cut 2",
                  "set reading by", "set figure_tile 64"],
                 ["--combine", "hues", "--scale", "even", "--cut", "2", "--reading", "by",
                  "--tile", "64"]),
                (["set heads_smooth true", "set heads_contours true", "set figure_tile 160"],
                 ["--smooth", "--contours", "--tile", "160"]),
                (["set figure_methods relevance,gradient_times_input", "heads-class 3",
                  "set attention_scale even", "set figure_mass 60", "set figure_combine max",
                  "set range own", "set heads_smooth true"],
                 ["--method", "relevance,gradient_times_input", "--class", "3", "--smooth"]),
                (["set temperature 0.5", "set attention_map cividis", "set figure_combine max",
                  "set figure_caption none"],
                 ["--attention", '{"temperature":0.5}', "--colors", "cividis", "--combine", "max",
                  "--caption", ""])]:
            scale = [] if any("attention_scale" in line for line in said) else ["--scale", "even"]
            query = [] if {"--query", "--method"} & set(words) else ["--query", "43"]
            script = [f'open-model "{MODEL}"', f'open "{cat}"', "wait", "focus 44", *said, "wait",
                      "figure window.svg", "figure window.png"]
            done = self.play("\n".join(script) + "\n")
            self.assertEqual(done.returncode, 0, done.stderr)
            for ending, more in ("svg", []), ("png", ["--resolution", "2"]):
                done = self.run_program("figure", "--model", MODEL, "--image", cat, *words, *scale,
                                        *query, *more, "--out", f"line.{ending}",
                                        display=self.display)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual((self.folder / f"window.{ending}").read_bytes(),
                                 (self.folder / f"line.{ending}").read_bytes(), (said, ending))

    # ---- after − before

    def test_a_difference_is_what_the_command_line_writes(self):
        """Equal byte for byte, whichever side differs."""
        cat, shapes = IMAGES / "cat.jpg", IMAGES / "shapes.png"
        copy = self.folder / "other" / "model.safetensors"
        copy.parent.mkdir()
        for name in "model.safetensors", "config.json":
            (copy.parent / name).write_bytes((MODEL.parent / name).read_bytes())
        for said, words in [
                ([f'open "{shapes}"'], ["--image", shapes, "--before", cat]),
                (["set temperature 0.5", "queries 44 58 0", "set figure_columns 5",
                  "set figure_queries hues", "set heads_contours true", "set attention_cut 3"],
                 ["--image", cat, "--query", "43,57,class", "--attention", '{"temperature":0.5}',
                  "--before-attention", "{}", "--columns", "5"]),
                ([f'open "{shapes}"', f'open-model "{copy}"', "set figure_combine mean",
                  "set figure_theme dark", "set heads_smooth true", "set reading by",
                  "set signed_map purple-orange"],
                 ["--model", copy, "--image", shapes, "--before", cat, "--before-model", MODEL,
                  "--combine", "mean", "--theme", "dark", "--smooth", "--reading", "by",
                  "--signed-colors", "purple-orange"])]:
            script = [f'open-model "{MODEL}"', f'open "{cat}"', "wait", "focus 44", "pin", *said,
                      "wait", "compare difference", "wait", "figure window.svg",
                      "figure window.png"]
            done = self.play("\n".join(script) + "\n")
            self.assertEqual(done.returncode, 0, done.stderr)
            model = [] if "--model" in words else ["--model", MODEL]
            query = [] if "--query" in words else ["--query", "43"]
            for ending, more in ("svg", []), ("png", ["--resolution", "2"]):
                done = self.run_program("figure", *model, *words, *query, *more, "--out",
                                        f"line.{ending}", display=self.display)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual((self.folder / f"window.{ending}").read_bytes(),
                                 (self.folder / f"line.{ending}").read_bytes(), (said, ending))

    def test_a_difference_has_its_numbers_sign_in_its_colors(self):
        words = ["--query", "43", "--image", IMAGES / "cat.jpg"]
        before = ["--before", IMAGES / "shapes.png"]
        for command, out in (("figure", "a.svg"), ("maps", "a.npy")):
            done = self.run_program(command, "--model", MODEL, *words, *before, "--out", out)
            self.assertEqual(done.returncode, 0, done.stderr)
        numbers, (layers, heads, rows, cols) = read_maps(self.folder / "a.npy")
        reach = max(map(abs, numbers))
        svg = Svg(self.folder / "a.svg")
        self.assertEqual(svg.facts["shows"],
                         "difference of attention, after − before: what token 44 attends to")
        self.assertEqual(svg.facts["image before"], str(IMAGES / "shapes.png"))
        self.assertEqual((svg.facts["model before"], svg.facts["query before"],
                          svg.facts["settings before"]), (str(MODEL), "token 44", "none"))
        self.assertIn("difference of attention weights, after − before; over the picture at 65 %",
                      [(text or "").replace("\u00a0", " ") for text in svg.texts])
        self.assertEqual(" ".join(svg.texts).count("scenes, cat.jpg − scenes, shapes.png: what"), 1)
        # One bar, symmetric around zero.
        ends = [text for text in svg.texts if re.fullmatch("[-−]?[0-9.]+", text or "")]
        self.assertTrue(any(abs(float(end.replace("−", "-")) + reach) < 0.02 * reach
                            for end in ends), (ends, reach))
        maps = svg.images()[1:1 + layers * heads]
        for index, (_, pixels) in enumerate(maps):
            tall, wide = len(pixels) // rows, len(pixels[0]) // cols
            for i, number in enumerate(numbers[index * rows * cols:(index + 1) * rows * cols]):
                red, green, blue = pixels[i // cols * tall][i % cols * wide][:3]
                if abs(number) > 0.05 * reach:
                    self.assertEqual(red > blue, number > 0, (index, i, number))
                if abs(number) < 0.001 * reach:
                    self.assertGreater(min(red, green, blue), 200)

    def test_differences_of_class_maps_are_those_of_maps(self):
        """Of another image, and of shuffled weights; the class is that of the map after."""
        for more, before, caption in (
                ((), ("--before", IMAGES / "shapes.png"), "scenes, cat.jpg − scenes, shapes.png: "),
                (("--random-weights", "7"), ("--before-model", MODEL),
                 "scenes, cat.jpg, shuffled weights − scenes, cat.jpg: ")):
            words = ["--method", "relevance", "--class", "3", *more, *before]
            done = self.run_program("maps", "--model", MODEL, "--image", IMAGES / "cat.jpg", *words,
                                    "--out", "a.npy")
            self.assertEqual(done.returncode, 0, done.stderr)
            numbers, (rows, cols) = read_maps(self.folder / "a.npy")
            reach = max(map(abs, numbers))
            svg = self.sheet(*words, "--opacity", "1")
            self.assertRegex(svg.facts["shows"],
                             "^difference of class maps, after − before: relevance of “[^”]+”$")
            self.assertEqual(svg.facts.get("random weights"), more[1] if more else None)
            self.assertNotIn("query before", svg.facts)
            self.assertIn(caption + "relevance of", " ".join(svg.texts))
            pixels = svg.images()[1][1]
            tall, wide = len(pixels) // rows, len(pixels[0]) // cols
            for i, number in enumerate(numbers):
                red, _, blue = pixels[i // cols * tall + tall // 2][i % cols * wide + wide // 2][:3]
                if abs(number) > 0.05 * reach:
                    self.assertEqual(red > blue, number > 0, (more, i, number))
        svg = self.sheet("--method", "relevance", "--before-model", MODEL)
        self.assertIn("relevance is the same before and after", " ".join(svg.texts))
        svg = self.sheet("--method", "relevance", "--random-weights", "7")
        self.assertIn("scenes, cat.jpg, shuffled weights: relevance of", " ".join(svg.texts))

    def test_a_difference_says_a_config_that_one_side_alone_was_given(self):
        (self.folder / "given.json").write_text('{"layer_norm_eps": 0.1}')
        done = self.figure("--before-config", "given.json", "--query", "43", "--out", "a.svg")
        self.assertEqual(done.returncode, 0, done.stderr)
        svg = Svg(self.folder / "a.svg")
        self.assertEqual(svg.facts["settings before"], "config given.json")
        self.assertNotIn("settings", svg.facts)
        self.assertIn("scenes, cat.jpg, unchanged model − scenes, cat.jpg, config given.json:",
                      " ".join(svg.texts))

    def test_what_a_difference_has_not_is_refused(self):
        cat, shapes = IMAGES / "cat.jpg", IMAGES / "shapes.png"
        for words in (["--scale", "even"], ["--cut", "1"], ["--colors", "grey"], ["--mass", "60"],
                      ["--contours"], ["--combine", "hues"], ["--several", "hues"]):
            done = self.run_program("figure", "--model", MODEL, "--image", cat, "--before", shapes,
                                    *words, "--out", "a.svg")
            self.assertEqual(done.returncode, 2, (words, done.stderr))
            self.assert_one_sentence(done.stderr, words[0], "difference")
        self.assertFalse((self.folder / "a.svg").exists())

    def test_the_sheet_of_a_difference_says_its_line_and_what_it_lacks(self):
        window = self.start_maps()
        window.click("compare.pin")
        window.until_reports(state__pinned="yes")
        window.browse()
        window.enter_path(IMAGES / "shapes.png")
        window.until(lambda r: r["reports"]["state.image"].endswith("shapes.png"), "the other one")
        window.click("compare.difference")
        window.click("heads.large[2,3]")
        window.away()
        report = self.open_sheet(window)
        self.assertEqual(report["reports"]["figure.difference"], "yes")
        for field in "figure_mass", "attention_cut", "heads_contours", "attention_scale":
            self.assertNotIn("field." + field, report["names"])
        self.assertIn("field.heads_smooth", report["names"])
        line = window.settled()["reports"]["figure.command"]
        self.assertIn(f" --before {IMAGES / 'cat.jpg'} ", line)
        for ending in "svg", "png":
            saved = self.save_sheet(window, ending)
            same = self.run_line(line, "same." + ending)
            self.assertEqual(saved.read_bytes(), same.read_bytes(), ending)
        window.click("field.figure_combine")
        window.click("field.figure_combine.hues")
        window.until(lambda r: "cannot show a difference" in r["reports"]["figure.error"], "the sentence")

    def test_the_sheet_says_the_line_that_writes_the_same(self):
        window = self.start_maps()
        window.click("heads.large[2,3]")
        window.away()
        self.open_sheet(window)
        window.click("field.figure_combine")
        window.click("field.figure_combine.hues")
        window.until_reports(field__figure_combine="hues")
        line = window.settled()["reports"]["figure.command"]
        self.assertIn("--query token24 ", line)
        self.assertIn("--combine hues", line)
        for ending in "svg", "png":
            saved = self.save_sheet(window, ending)
            same = self.run_line(line, "same." + ending)
            self.assertEqual(saved.read_bytes(), same.read_bytes(), ending)
        window.click("figure.copy")
        window.until(lambda r: "Copied the command line" in r["reports"]["notice"], "copied")

    def test_the_sheet_draws_class_maps(self):
        window = self.start_maps()
        self.open_sheet(window)
        for method in "relevance", "rollout", "grad_cam", "rollout":
            window.click("figure.method." + method)
        window.away()
        report = window.until(
            lambda r: "--method relevance,grad_cam " in r["reports"]["figure.command"] and
            not r["reports"]["figure.error"], "both maps")
        for field in "figure_mass", "attention_cut", "attention_scale", "figure_combine":
            self.assertNotIn("field." + field, report["names"])
        self.assertIn("figure.class", report["names"])
        line = window.settled()["reports"]["figure.command"]
        for ending in "svg", "png":
            saved = self.save_sheet(window, ending)
            same = self.run_line(line, "same." + ending)
            self.assertEqual(saved.read_bytes(), same.read_bytes(), ending)
        window.click("figure.method.none")
        window.until(lambda r: "--query " in r["reports"]["figure.command"], "the heads' maps")

    def test_the_sheet_draws_between_the_middles(self):
        window = self.start_maps()
        self.open_sheet(window)
        for field in "heads_smooth", "heads_contours":
            window.click("field." + field)
            window.until_reports(**{"field__" + field: "true"})
        line = window.settled()["reports"]["figure.command"]
        self.assertIn(" --smooth --contours ", line)
        for ending in "svg", "png":
            saved = self.save_sheet(window, ending)
            same = self.run_line(line, "same." + ending)
            self.assertEqual(saved.read_bytes(), same.read_bytes(), ending)
        window.key("ctrl+z")
        window.until_reports(field__heads_contours="false")

    def test_the_sheet_is_as_large_as_it_says_and_closes_with_escape(self):
        window = self.start_maps()
        self.open_sheet(window)
        window.point("field.figure_layers.text")
        window.wheel(-30)  # to the end of the list
        window.click("field.figure_resolution.text")
        window.key("ctrl+a")
        window.type("3")
        window.key("Return")
        window.until_reports(field__figure_resolution="3")
        size = window.reports()["figure.size"]
        picture = Png(self.save_sheet(window, "png"))
        self.assertEqual(size, f"{picture.width} × {picture.height} pixels")
        window.key("Escape")
        window.until_reports(panel="nothing")
        window.key("f")
        window.until_reports(panel="figure")

    def test_the_sheet_has_a_printed_width(self):
        window = self.start_maps()
        self.open_sheet(window)
        window.point("field.figure_layers.text")
        window.wheel(-30)  # to the end of the list
        window.click("field.figure_width_cm.text")
        window.key("ctrl+a")
        window.type("8.5")
        window.key("Return")
        window.until_reports(field__figure_width_cm="8.5")
        window.until(lambda r: r["reports"]["figure.size"].startswith("8.5 × "), "the size in cm")
        window.until(lambda r: "figure.preview" in r["names"], "the figure")
        line = window.settled()["reports"]["figure.command"]
        for ending in "svg", "png":
            saved = self.save_sheet(window, ending)
            same = self.run_line(line, "same." + ending)
            self.assertEqual(saved.read_bytes(), same.read_bytes(), ending)
        self.assertEqual(Png(saved).width, round(8.5 / 2.54 * 300))

    def test_the_sheet_says_what_it_cannot_draw(self):
        window = self.start_maps()
        self.open_sheet(window)
        window.click("field.figure_layers.text")
        window.key("ctrl+a")
        window.type("3,9")
        window.key("Return")
        window.until(lambda r: "from 1 to 4, found 9" in r["reports"]["figure.error"], "the error")
        window.key("ctrl+z")
        window.until(lambda r: r["reports"]["figure.error"] == "", "the figure again")

    def test_a_head_that_is_switched_off_is_in_the_command_line(self):
        window = self.start_maps()
        window.xdotool("keydown", "ctrl")
        window.click("heads.map.1.2")
        window.xdotool("keyup", "ctrl")
        window.until_reports(state__switched_off="1.2")
        line = self.open_sheet(window)["reports"]["figure.command"]
        saved = self.save_sheet(window, "svg")
        self.assertEqual(Svg(saved).facts["settings"], '{"switched_off":"1.2"}')
        self.assertEqual(saved.read_bytes(), self.run_line(line, "same.svg").read_bytes())

    def test_its_brightest_cells_are_those_of_the_maps(self):
        self.assertEqual(self.figure("--query", "43", "--out", "a.svg").returncode, 0)
        done = self.run_program("maps", "--model", MODEL, "--image", IMAGES / "cat.jpg",
                                "--query", "43", "--out", "maps.npy")
        self.assertEqual(done.returncode, 0, done.stderr)
        numbers, (layers, heads, rows, cols) = read_maps(self.folder / "maps.npy")
        maps = Svg(self.folder / "a.svg").images()[1:]
        self.assertEqual(len(maps), layers * heads)
        for index, (_, pixels) in enumerate(maps):
            cells = numbers[index * rows * cols:(index + 1) * rows * cols]
            # magma grows brighter from end to end
            tall, wide = len(pixels) // rows, len(pixels[0]) // cols
            light = [sum(pixels[r * tall][c * wide]) for r in range(rows) for c in range(cols)]
            self.assertEqual(light[cells.index(max(cells))], max(light))
            self.assertEqual(light[cells.index(min(cells))], min(light))

    def test_as_a_picture_it_is_as_large_as_wanted_and_says_what_made_it(self):
        sizes = []
        for resolution in "1", "2":
            done = self.run_program("figure", "--model", MODEL, "--image", IMAGES / "cat.jpg",
                                    "--resolution", resolution, "--theme", "dark", "--out", "a.png",
                                    display=self.display)
            self.assertEqual(done.returncode, 0, done.stderr)
            picture = Png(self.folder / "a.png")
            self.assertGreater(picture.distinct_lines(), 100)
            sizes.append(picture.width)
        self.assertAlmostEqual(sizes[1] / sizes[0], 2, delta=0.02)
        self.assertIn(b"what the class token attends to", (self.folder / "a.png").read_bytes())

    def test_wrong_words_end_in_a_sentence(self):
        for words, status, said in [
                (["--layers", "0", "--out", "a.svg"], 2, "--layers"),
                (["--layers", "3-1", "--out", "a.svg"], 2, "--layers"),
                (["--heads", "1,", "--out", "a.svg"], 2, "--heads"),
                (["--heads", "99999999999", "--out", "a.svg"], 2, "--heads"),
                (["--layers", "5", "--out", "a.svg"], 1, "layers from 1 to 4, found 5"),
                (["--combine", "sum", "--out", "a.svg"], 2, "--combine"),
                (["--mass", "101", "--out", "a.svg"], 2, "--mass"),
                (["--mass", "nan", "--out", "a.svg"], 2, "--mass: expected a number from 0 to"),
                (["--cut", "nan", "--out", "a.svg"], 2, "--cut: expected a number from 0 to 20"),
                (["--opacity", "1.5", "--out", "a.svg"], 2, "--opacity"),
                (["--tile", "010", "--out", "a.svg"], 2, "--tile"),
                (["--layers", "1,1", "--out", "a.svg"], 2, "--layers: expected each number once"),
                (["--heads", "1-4,2", "--out", "a.svg"], 2, "found 2 twice"),
                (["--out", ".svg"], 2, ".svg, .pdf or .png"),
                (["--scale", "loud", "--out", "a.svg"], 2, "--scale"),
                (["--query", "tail", "--out", "a.svg"], 2, "--query"),
                (["--out", "a.gif"], 2, ".svg, .pdf or .png"),
                (["--out", "nowhere/a.svg"], 1, "nowhere/a.svg")]:
            done = self.figure(*words)
            self.assertEqual(done.returncode, status, (words, done.stderr))
            self.assertIn(said, done.stderr)
        self.assertFalse((self.folder / "a.svg").exists())

    def test_what_is_read_is_not_written_over(self):
        own, model = self.folder / "own.png", self.folder / "model.svg"
        for path, content in ((own, IMAGES / "shapes.png"), (model, MODEL)):
            path.write_bytes(content.read_bytes())
        for arguments, option in ((("--model", MODEL, "--image", own, "--out", own), "--image"),
                                  (("--model", model, "--image", own, "--out", model), "--model")):
            done = self.run_program("figure", *arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assert_one_sentence(done.stderr, f"expected a file other than that of {option}")
        self.assertEqual(own.read_bytes(), (IMAGES / "shapes.png").read_bytes())
        self.assertEqual(model.read_bytes(), MODEL.read_bytes())

    def test_its_version_is_said(self):
        done = self.run_program("--version")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"^Headlight \d+\.\d+\.\d+\n$")

    # ---- below the maps

    def test_colors_are_those_of_the_bar_where_nothing_shows_through(self):
        chosen = "--layers", "2", "--heads", "1", "--out", "a.svg"
        self.figure(*chosen)
        svg = Svg(self.folder / "a.svg")
        self.assertIn("over the picture at 65 %", " ".join(svg.texts).replace("\xa0", " "))
        self.assertEqual(svg.facts["opacity"], "0.65")
        photo, plain = (pixels for _, pixels in svg.images())
        self.assertEqual([image.get("opacity") for image, _ in svg.images()], ["1", "0.65"])
        done = self.figure("--opacity", "1", *chosen)
        self.assertEqual(done.returncode, 0, done.stderr)
        svg = Svg(self.folder / "a.svg")
        self.assertFalse([text for text in svg.texts if "over" in text])
        self.assertEqual([image.get("opacity") for image, _ in svg.images()], ["1", "1"])
        self.figure("--picture", "none", *chosen)
        svg = Svg(self.folder / "a.svg")
        self.assertEqual(svg.facts["picture"], "none")
        (image, bare), = svg.images()
        self.assertEqual((image.get("opacity"), bare), ("1", plain))
        self.figure("--picture", "grey", *chosen)
        (_, grey), (_, same) = Svg(self.folder / "a.svg").images()
        self.assertEqual(same, plain)
        for colors, greys in zip(photo[::7], grey[::7], strict=True):
            for (r, g, b), pixel in zip(colors[::7], greys[::7], strict=True):
                self.assertEqual(len(set(pixel)), 1)
                self.assertAlmostEqual(pixel[0], 0.2126 * r + 0.7152 * g + 0.0722 * b, delta=1)

    def test_lines_are_promised_only_where_they_are_drawn(self):
        for tile, drawn in (("16", False), ("96", True)):
            self.figure("--contours", "--tile", tile, "--layers", "2", "--out", "a.svg")
            svg = Svg(self.folder / "a.svg")
            lines = [*svg.root.iter(SVG + "polyline"), *svg.root.iter(SVG + "polygon")]
            self.assertEqual(bool(lines), drawn)
            self.assertEqual("no lines" in svg.facts["drawn"], not drawn, svg.facts)

    def test_no_number_is_broken_at_the_end_of_a_line(self):
        for tile in 60, 80, 96, 120, 150, 180:
            done = self.figure("--contours", "--smooth", "--scale", "logarithm", "--layers", "2",
                               "--heads", "1", "--tile", tile, "--out", "a.svg")
            self.assertEqual(done.returncode, 0, done.stderr)
            for text in Svg(self.folder / "a.svg").texts:
                self.assertIsNone(re.search(r"\d\.$", text), text)

    def test_what_made_it_is_in_the_file(self):
        config = self.folder / "config.json"
        config.write_text('{"mean": [0.5, 0.5, 0.5]}')
        chosen = "--layers", "2", "--out", "a.svg"
        done = self.figure("--config", config, "--colors", "viridis", "--cut", "5", *chosen)
        self.assertEqual(done.returncode, 0, done.stderr)
        facts = Svg(self.folder / "a.svg").facts
        self.assertEqual((facts["settings"], facts["colors"], facts["cut"]),
                         (f"config {config}", "viridis", "5 %"))
        self.figure("--scale", "even", "--colors", "cividis", *chosen)
        facts = Svg(self.folder / "a.svg").facts
        self.assertEqual(facts["colors"], "cividis")
        self.assertNotIn("cut", facts)

    def test_the_window_is_saved_as_it_is_seen(self):
        done = self.play("size 1280 720\nstep softmax\nwait\nexport walk.svg\n"
                         "dismiss\nexport stage.svg stage.result\nwait\ndismiss\nwait\n"
                         "export stage.png stage.result\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        svg = Svg(self.folder / "walk.svg")
        self.assertEqual(svg.size, (1280, 720))
        self.assertIn("Softmax", svg.texts)
        self.assertEqual(svg.facts["step"], "softmax")
        picture = Png(self.folder / "stage.png")
        part = Svg(self.folder / "stage.svg")
        self.assertEqual((picture.width, picture.height), tuple(round(n) for n in part.size))

    def test_a_widget_that_is_not_there_is_a_mistake_of_the_script(self):
        for ending in "svg", "png":
            done = self.play(f"export a.{ending} no.such\n")
            self.assertEqual(done.returncode, 1)
            self.assertIn("nothing on the screen is called \"no.such\"", done.stderr)

    def test_a_matrix_is_saved_in_numbers(self):
        done = self.play("step softmax\nwait\nexport a.csv stage.result\nwait\n"
                         "export a.npy stage.result\nwait\n"
                         "export a.safetensors stage.result\nwait\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        numbers, (rows, cols) = read_maps(self.folder / "a.npy")
        lines = [[float(n) for n in line.split(",")]
                 for line in (self.folder / "a.csv").read_text().splitlines()]
        self.assertEqual((len(lines), len(lines[0])), (rows, cols))
        for row, line in enumerate(lines):
            self.assertAlmostEqual(sum(line), 1, places=5)
            for number, same in zip(line, numbers[row * cols:(row + 1) * cols], strict=True):
                self.assertEqual(struct.pack("<f", number), struct.pack("<f", same))
        tensor = (self.folder / "a.safetensors").read_bytes()
        length, = struct.unpack("<Q", tensor[:8])
        header = json.loads(tensor[8:8 + length])
        self.assertEqual(header["stage.result"], {"dtype": "F32", "shape": [rows, cols],
                                                  "data_offsets": [0, 4 * rows * cols]})
        self.assertEqual(header["__metadata__"]["step"], "softmax")
        self.assertEqual(tensor[8 + length:], struct.pack(f"<{rows * cols}f", *numbers))

    def test_a_row_under_the_pointer_is_copied(self):
        window = self.start()
        window.go_to("softmax")
        window.point("stage.result[3,4]")
        token = int(window.reports()["lit.stage.result"])
        rows = []
        for _ in range(2):  # what is said moves nothing below the pointer
            window.key("ctrl+c")
            window.until(lambda report: f"Copied the row of token {token}:" in
                         report["reports"]["notice"], "copied")
            window.settled()
            rows.append(window.clipboard())
            self.assertEqual(window.reports()["lit.stage.result"], str(token))
        self.assertEqual(*rows)
        row = [float(cell) for cell in rows[0].split("\t")]
        self.assertAlmostEqual(sum(row), 1, places=5)
        window.key("c")
        window.until(lambda report: f"the row of token {token}, column 4" in
                     report["reports"]["notice"], "copied")
        self.assertEqual(float(window.clipboard()), row[4])
        window.key("Escape")
        window.click("stage.result[3,5]")
        window.away()
        window.key("c")  # the pinned one
        window.until(lambda report: "column 5" in report["reports"]["notice"], "copied")
        self.assertEqual(float(window.clipboard()), row[5])
        window.key("ctrl+c")
        window.until(lambda report: "point at a matrix" in report["reports"]["notice"], "refusal")

    def test_a_row_a_column_and_a_cell_are_saved_in_numbers(self):
        done = self.play("step softmax\nwait\n" + "".join(f"export {name}\nwait\n" for name in (
            "a.npy stage.result", "row.npy stage.result[3,*]", "column.csv stage.result[*,4]",
            "cell.csv stage.result[3,4]", "row.safetensors stage.result[3,*]")))
        self.assertEqual(done.returncode, 0, done.stderr)
        numbers, (rows, cols) = read_maps(self.folder / "a.npy")
        self.assertEqual(read_maps(self.folder / "row.npy"),
                         (numbers[3 * cols:4 * cols], (1, cols)))
        column = [float(line) for line in (self.folder / "column.csv").read_text().splitlines()]
        self.assertEqual(struct.pack(f"<{rows}f", *column),
                         struct.pack(f"<{rows}f", *numbers[4::cols]))
        self.assertEqual(float((self.folder / "cell.csv").read_text()), column[3])
        tensor = (self.folder / "row.safetensors").read_bytes()
        length, = struct.unpack("<Q", tensor[:8])
        self.assertEqual(json.loads(tensor[8:8 + length])["__metadata__"]["row"], "3")
        done = self.play("step softmax\nwait\nexport b.csv stage.result[999,*]\nwait\n"
                         "print notice\n")
        self.assertIn("expected a row of stage.result from 0 to", done.stdout + done.stderr)
        self.assertFalse((self.folder / "b.csv").exists())

    def test_a_picture_is_drawn_again_at_a_larger_scale(self):
        done = self.play("size 1280 720\nstep softmax\nwait\nexport one.png\ndismiss\nwait\n"
                         "export two.png 2\nwait\ndismiss\nwait\n"
                         "export three.png stage.result 3\nwait\ndismiss\nwait\n"
                         "export part.png stage.result\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        one, two = Png(self.folder / "one.png"), Png(self.folder / "two.png")
        self.assertEqual((two.width, two.height), (2 * one.width, 2 * one.height))
        part, three = Png(self.folder / "part.png"), Png(self.folder / "three.png")
        self.assertAlmostEqual(three.width / part.width, 3, delta=0.05)
        # They look the same, but the pixels are not just enlarged.
        near, sharper = 0, 0
        small, large = one.pixels(), two.pixels()
        for y in range(one.height):
            for x in range(one.width):
                four = [large[2 * y + b][2 * x + a] for a in (0, 1) for b in (0, 1)]
                near += all(abs(sum(p[c] for p in four) / 4 - small[y][x][c]) < 48
                            for c in range(3))
                sharper += len(set(four)) > 1
        self.assertGreater(near / (one.width * one.height), 0.95)
        self.assertGreater(sharper, 5000)
        done = self.play("export a.svg stage.result 2\n")
        self.assertIn("expected a scale only for a .png", done.stderr)
        done = self.play("export a.png 9\n")
        self.assertIn("from 1 to 4", done.stderr)

    def test_the_maps_are_saved_with_a_click(self):
        window = self.start("--model", MODEL, IMAGES / "cat.jpg")
        window.key("ctrl+3")
        window.until_reports(**{"heads.maps": "16"})
        window.click("heads.save")
        window.until(lambda report: "Saved as" in report["reports"]["notice"], "saved")
        saved = window.reports()["notice"].removeprefix("Saved as ").removesuffix(".")
        self.assertEqual(saved.rsplit(".", 1)[1], "svg")
        svg = Svg(self.folder / saved)
        self.assertIn("Layer 4", svg.texts)

    def run_script(self, path):
        """Its last line, or nothing without PyTorch."""
        compile(path.read_text(), str(path), "exec")
        done = subprocess.run(["/usr/bin/python3", path], capture_output=True, text=True)
        if "No module named 'torch'" in done.stderr:
            return None
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()[-1]

    def test_the_walk_is_saved_as_a_script_with_a_click(self):
        window = self.start("--model", MODEL, IMAGES / "cat.jpg")
        window.go_to("softmax")
        window.click("pytorch.save")
        window.until(lambda report: "Saved as" in report["reports"]["notice"], "saved")
        saved = self.folder / window.reports()["notice"].removeprefix("Saved as ").removesuffix(".")
        self.assertEqual(saved.suffix, ".py")
        self.assertTrue(saved.with_suffix(".safetensors").exists())
        self.assertIn("A = S.softmax(dim=-1)\n", saved.read_text())
        self.assertIn(self.run_script(saved), (None, "all 26 steps agree"))

    def assert_compares_gradients(self, path, y):
        text = path.read_text()
        self.assertIn(y, [line for line in text.splitlines() if line.startswith("y = ")][-1])
        self.assertIn("check_gradients(y)", text)
        self.assertIn('compare("pixels.gradient"', text)
        said = self.run_script(path)
        if said is not None:
            self.assertRegex(said, r"^all \d+ steps and \d+ gradients agree$")

    def test_a_script_saved_with_a_click_compares_the_gradients_shown(self):
        window = self.start("--model", MODEL, IMAGES / "cat.jpg")
        window.go_to("softmax")
        window.open_drawer("section.numbers")
        window.click("field.gradient")
        window.until(lambda report: "the logit of" in report["reports"].get("gradient.y", ""), "the gradient")
        window.click("pytorch.save")
        window.until(lambda report: "Saved as" in report["reports"]["notice"], "saved")
        saved = self.folder / window.reports()["notice"].removeprefix("Saved as ").removesuffix(".")
        self.assert_compares_gradients(saved, "head.logits")

    def test_a_script_compares_the_gradients_of_a_sum_and_of_a_cosine(self):
        done = self.play(f"open-model {MODEL}\nopen {IMAGES / 'cat.jpg'}\nset gradient true\nset gradient_of sum\n"
                         f"wait\nexport sum.py\npin\nopen {IMAGES / 'coins.jpg'}\nset gradient_of baseline\n"
                         "wait\nexport cosine.py\nset gradient false\nexport without.py\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_compares_gradients(self.folder / "sum.py", ".sum()")
        self.assert_compares_gradients(self.folder / "cosine.py", "torch.cosine_similarity(")
        self.assertNotIn("gradient", (self.folder / "without.py").read_text())

    def test_a_drawn_layer_is_a_script_without_a_model(self):
        done = self.play("set weights \"\"\nset layers 2\nset mask causal\nset switched_off 1.2\n"
                         "wait\nexport walk.py\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        text = (self.folder / "walk.py").read_text()
        self.assertNotIn("model[", text)
        self.assertIn("O[:, (1,)] = 0", text)
        self.run_script(self.folder / "walk.py")


if __name__ == "__main__":
    main()
