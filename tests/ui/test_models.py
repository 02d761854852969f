"""Whole models: opening by argument, browser and drop, details, closing, and invalid files."""

import json
import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path
from unittest import mock

sys.path.append(str(Path(__file__).resolve().parents[1] / "hub"))

import server
import tower_file
import vit_file
from harness import IMAGES, SOURCE, WindowTest, main

FAMILIES = SOURCE / "tests" / "golden" / "families"
SCENES = SOURCE / "assets" / "models" / "scenes"


class Models(WindowTest):
    def model(self, family="timm"):
        """A small one in a folder of its own, its config beside it."""
        folder = self.folder / "models" / family
        folder.mkdir(parents=True)
        shutil.copy(FAMILIES / f"{family}.model.safetensors", folder / "model.safetensors")
        shutil.copy(FAMILIES / f"{family}.config.json", folder / "config.json")
        return folder / "model.safetensors"

    def pickle(self):
        path = self.folder / "trained.pth"
        path.write_bytes(b"\x80\x02}q\x00.")
        return path

    def test_the_browser_opens_one_and_undo_closes_it(self):
        model = self.model()
        shutil.copy(IMAGES / "shapes.png", model.parent)
        app = self.start(model.parent / "shapes.png")
        app.key("ctrl+o")
        entry = "files.entry.model.safetensors"
        app.until(lambda r: entry in r["names"], "the model's tile")
        app.click(entry)
        app.until_reports(field__weights=str(model), panel="nothing", busy="no", notice="")
        app.until(lambda r: "prediction.1" in r["reports"], "the prediction")
        self.assertEqual(app.reports()["state.image"], str(model.parent / "shapes.png"))
        app.key("ctrl+z")
        app.until_reports(field__weights="", busy="no")
        app.until(lambda r: "prediction.1" not in r["reports"], "no prediction")

    def test_a_plain_argument_and_a_folder(self):
        model = self.model()
        for arguments in ((model, IMAGES / "shapes.png"), ("--model", model.parent)):
            app = self.start(*arguments)
            self.assertEqual(app.reports()["field.weights"], str(model))
            self.assertEqual(app.reports()["notice"], "")
            app.close()

    def test_the_prediction_is_the_softmax_of_the_logits(self):
        model = self.model()
        app = self.start(IMAGES / "shapes.png", "--model", model)
        said = app.reports()
        shown = [said[f"prediction.{place}"].rsplit(" ", 1) for place in range(1, 6)
                 if f"prediction.{place}" in said]
        probabilities = [float(number) for _, number in shown]
        with open(model, "rb") as file:
            head = json.loads(file.read(*struct.unpack("<Q", file.read(8))))["head.weight"]
        self.assertEqual(len(shown), min(5, head["shape"][0]))
        self.assertEqual(probabilities, sorted(probabilities, reverse=True))
        if head["shape"][0] <= 5:
            self.assertAlmostEqual(sum(probabilities), 1, places=4)
        self.assertTrue(all(name.startswith("class ") for name, _ in shown))

    def start_with_hub(self, **files):
        """The window with a stand-in for the Hub, which has a small model under a name of the list
        and "ada/vit"."""
        self.hub = server.Hub()
        self.addCleanup(self.hub.close)
        path = vit_file.write_vit(self.folder / "published", 192, 4, 3, classes=10)
        published = {"config.json": (path.parent / "config.json").read_bytes(), "model.safetensors": path.read_bytes()}
        self.hub.repositories["ada/vit"] = server.Repository(published)
        self.hub.repositories["timm/vit_small_patch16_224.dino"] = server.Repository(published, license="mit")
        with mock.patch.dict(os.environ, HF_ENDPOINT=self.hub.address):
            return self.start()

    def open_panel(self, app):
        app.key("m")
        reports = app.until_reports(panel="model")
        if "model.get" not in reports:
            self.skipTest("built without libcurl or OpenSSL")
        return reports

    def test_the_panel_lists_models_to_get_as_the_manual_does(self):
        app = self.start_with_hub()
        reports = self.open_panel(app)
        rows = [line.strip("| \n").replace("`", "")
                for line in (SOURCE / "assets" / "manual" / "models.md").read_text().split("## Getting a model")[1]
                .split("##")[0].splitlines() if line.startswith("| ")][1:]
        self.assertGreater(len(rows), 6)
        self.assertEqual([reports[f"model.get.{i + 1}"] for i in range(len(rows))], rows)
        self.assertNotIn(f"model.get.{len(rows) + 1}", reports)
        app.click("model.get.4")  # which this Hub has not
        failed = app.until_reports(model__get="failed")
        self.assertIn("no public model", failed["model.get.error"])
        app.click("model.get.python")
        copied = app.clipboard()
        self.assertEqual(len(copied.splitlines()), 2)
        compile(copied, "copied", "exec")
        name = rows[3].split(" | ")[1]
        self.assertIn(f'snapshot_download("{name}"', copied)

    def test_the_panel_fetches_a_model_in_two_clicks(self):
        app = self.start_with_hub()
        self.open_panel(app)
        app.click("model.get.2")
        found = app.until_reports(model__get="found")
        self.assertRegex(found["model.get.facts"], r"^ViT, 4 layers × 3 heads, .*10 classes, 7.9 MB, MIT$")
        self.assertFalse(any(r.range is None for r in self.hub.of("cdn")))
        asked = len(self.hub.of("hub", "HEAD"))
        app.click("model.get.fetch")
        app.until(lambda r: r["reports"]["field.weights"].endswith("model.safetensors") and not r["busy"], "the model")
        weights = app.reports()["field.weights"]
        self.assertIn("models--timm--vit_small_patch16_224.dino/snapshots/", weights)
        self.assertEqual(len(self.hub.of("hub", "HEAD")), asked)  # what the Hub said is not asked for again

    def test_the_panel_fetches_a_model_by_its_name_and_can_stop(self):
        app = self.start_with_hub()
        self.open_panel(app)
        app.click("model.get.name")
        app.type("ada/vit")
        app.key("Return")
        app.until_reports(model__get="found")
        self.hub.faults.pause = 0.3
        app.click("model.get.fetch")
        app.until(lambda r: "left" in r["reports"].get("model.get.progress", ""), "rate and remaining time")
        app.click("model.get.cancel")
        app.until_reports(model__get="found")
        self.assertEqual(app.reports()["field.weights"], "")
        app.click("model.get.fetch")
        app.until(lambda _: len(self.hub.of("cdn")) > 2, "another request")
        self.hub.faults.pause = 0
        app.until(lambda r: "models--ada--vit" in r["reports"]["field.weights"], "the model")
        self.assertTrue(self.hub.of("cdn")[-1].range)  # it went on from there

    def test_the_panel_fetches_a_vision_tower_alone_and_lists_it(self):
        app = self.start_with_hub()
        self.hub.repositories["ada/clip"] = server.Repository(
            {"config.json": (FAMILIES / "clip_huggingface.config.json").read_bytes(),
             "model.safetensors": tower_file.with_text("clip_huggingface")})
        self.open_panel(app)
        app.click("model.get.name")
        app.type("ada/clip")
        app.key("Return")
        found = app.until_reports(model__get="found")
        self.assertRegex(found["model.get.facts"], r"^CLIP ViT.*, only its vision tower: 7\d kB of 123 MB, Apache 2.0$")
        app.click("model.get.fetch")
        app.until(lambda r: r["reports"]["field.weights"].endswith("/clip-vision.safetensors") and not r["busy"], "the model")
        self.assertLess(sum(r.sent for r in self.hub.of("cdn")), 20_000_000)
        said = app.until(lambda r: r["reports"].get("model.local", "").startswith("1 of 1"), "the list")["reports"]
        self.assertRegex(said["model.local.1"], r"^ada/clip, vision tower \| CLIP ViT.* \| 7\d kB$")

    def test_the_panel_says_what_is_wrong_with_a_name(self):
        app = self.start_with_hub()
        self.open_panel(app)
        app.click("model.get.name")
        app.type("no name")
        app.key("Return")
        self.assertIn("ORG/NAME", app.until_reports(model__get="failed")["model.get.error"])

    def test_the_panel_says_what_is_known_and_leads_to_other_models(self):
        first, second = self.model(), self.model("hf_vit")
        app = self.start(first, second)
        app.click("top.model")
        app.until_reports(panel="model")
        said = app.until(lambda r: "model.heads" in r["reports"], "the facts")["reports"]
        self.assertTrue(said["model.heads"].startswith("3"), said["model.heads"])
        self.assertIn("timm", said["model.family"])
        app.key("End")
        app.until_reports(model__scrolled="yes")
        app.key("Home")
        app.until_reports(model__scrolled="no")
        app.click("model.recent.2")
        app.until_reports(field__weights=str(second), busy="no")
        app.click("model.none")
        app.until_reports(field__weights="", panel="model", busy="no")
        app.key("Escape")
        app.until_reports(panel="nothing")
        app.key("m")
        app.until_reports(panel="model")

    def test_what_the_model_says_can_be_changed_and_brought_back(self):
        app = self.start(IMAGES / "shapes.png", "--model", self.model())
        app.reveal("field.activation")
        app.click("field.activation")
        app.click("field.activation.relu")
        app.until_reports(field__activation="relu", busy="no")
        app.click("field.activation.reset")
        app.until_reports(field__activation="model", busy="no")

    def test_a_long_name_leaves_the_size_of_the_model_in_sight(self):
        folder = self.folder / "models"
        folder.mkdir()
        model = folder / ("a-vision-transformer-" * 8 + "模型.safetensors")
        shutil.copy(SCENES / "model.safetensors", model)
        shutil.copy(SCENES / "config.json", folder)
        picture = folder / ("a-photograph-of-shapes-" * 6 + "画.png")
        shutil.copy(IMAGES / "shapes.png", picture)
        app = self.start(picture, "--model", model)
        said = app.reports()
        self.assertRegex(said["top.model"], "^a-vision.*… · .*4 layers × 4 heads$")
        self.assertRegex(said["top.open"], r"^a-photo.*… · \d+×\d+$")

    def test_a_head_count_that_nobody_says_is_marked(self):
        model = self.folder / "alone.safetensors"
        shutil.copy(SCENES / "model.safetensors", model)
        app = self.start(IMAGES / "shapes.png", "--model", model)
        self.assertRegex(app.reports()["top.model"], r"4 layers × 1 head \(assumed\)$")
        self.assertEqual(app.reports()["changed"], "")
        app.reveal("field.num_heads.text")
        app.click("field.num_heads.text")
        app.settled()
        app.key("ctrl+a")
        app.type("4")
        app.key("Return")
        app.until(lambda r: r["reports"]["top.model"].endswith("4 layers × 4 heads"), "four heads")

    def renamed(self, name, new_names):
        """The small model with other tensor names."""
        model = self.model(name)
        raw = model.read_bytes()
        size = struct.unpack("<Q", raw[:8])[0]
        header = {new_names.get(key, key): about for key, about in json.loads(raw[8:8 + size]).items()}
        text = json.dumps(header).encode()
        text += b" " * (-len(text) % 8)
        model.write_bytes(struct.pack("<Q", len(text)) + text + raw[8 + size:])
        return model

    def test_a_fine_tuned_head_gives_the_classes_that_it_gave_before(self):
        app = self.start(IMAGES / "shapes.png", "--model", self.model())
        before = app.until(lambda r: "prediction.1" in r["reports"], "classes")["reports"]
        app.close()
        shutil.rmtree(self.folder / "models")
        model = self.renamed("timm", {f"head.{part}": f"classifier.1.{part}"
                                      for part in ("weight", "bias")})
        app = self.start(IMAGES / "shapes.png", "--model", model)
        after = app.until(lambda r: "prediction.1" in r["reports"], "classes")["reports"]
        for place in (1, 2, 3):
            self.assertEqual(after[f"prediction.{place}"], before[f"prediction.{place}"])
        self.assertNotIn("classifier", after["top.model"])

    def test_a_head_that_is_left_out_is_said_beside_the_models_name(self):
        app = self.start(IMAGES / "shapes.png", "--model",
                         self.renamed("timm", {"head.weight": "head.out.table"}))
        said = app.reports()
        self.assertRegex(said["top.model"], "classifier not used$")
        self.assertEqual(said["notice"], "")
        self.assertNotIn("prediction.1", said)
        app.click("top.model")
        said = app.until(lambda r: "model.head not used" in r["reports"], "the facts")["reports"]
        self.assertIn("classifier not used", said["model.family"])

    def test_a_second_head_is_left_aside_and_said_beside_the_models_name(self):
        model = self.model("timm")
        raw = model.read_bytes()
        size = struct.unpack("<Q", raw[:8])[0]
        header, data = json.loads(raw[8:8 + size]), raw[8 + size:]
        width = header["norm.weight"]["shape"][0]
        header["aux_head.weight"] = {"dtype": "F32", "shape": [7, width],
                                     "data_offsets": [len(data), len(data) + 28 * width]}
        text = json.dumps(header).encode()
        text += b" " * (-len(text) % 8)
        model.write_bytes(struct.pack("<Q", len(text)) + text + data + bytes(28 * width))
        app = self.start(IMAGES / "shapes.png", "--model", model)
        said = app.until(lambda r: "prediction.1" in r["reports"], "classes")["reports"]
        self.assertRegex(said["top.model"], "aux_head not used$")
        traced = subprocess.run(
            [self.program, "trace", "--model", model, "--image", IMAGES / "shapes.png", "--out",
             self.folder / "trace.safetensors"], capture_output=True, text=True)
        self.assertEqual(traced.returncode, 0, traced.stderr)
        self.assertIn("aux_head (1 tensor)", traced.stderr)

    def test_a_folder_is_opened_or_says_what_is_in_it(self):
        folder = self.folder / "trained"
        folder.mkdir()
        for name in ("weights.safetensors", "other.npz"):
            shutil.copy(SCENES / "model.safetensors", folder / name)
        shutil.copy(SCENES / "config.json", folder)
        app = self.start(IMAGES / "shapes.png", "--model", folder)
        self.assertTrue(app.reports()["top.model"].startswith("trained · "))
        (folder / "weights.safetensors").rename(folder / "one.safetensors")
        done = self.run_program("info", folder)
        self.assert_one_sentence(done.stderr.strip(), "expected a folder that contains one model",
                                 "one.safetensors", "other.npz")

    def test_a_pickle_is_not_run_and_its_lines_can_be_copied(self):
        app = self.start(IMAGES / "shapes.png")
        app.browse()
        app.enter_path(self.pickle())
        said = app.until(lambda r: r["reports"]["notice"], "a notice")["reports"]
        self.assertGreater(len(said["notice"].splitlines()), 3)
        self.assertEqual(said["field.weights"], "")
        app.click("notice.copy")
        app.browse()
        app.click("files.path")
        app.settled()
        app.key("ctrl+a")
        app.key("ctrl+v")
        app.key("Return")
        said = app.until(lambda r: "files.problem" in r["reports"], "what was pasted")["reports"]
        self.assertIn("import torch", said["files.problem"])
        self.assertIn("torch.load", said["files.problem"])

    def test_a_pickle_at_the_start_leaves_a_picture(self):
        app = self.start(self.pickle(), IMAGES / "shapes.png")
        said = app.until(lambda r: r["reports"]["notice"], "a notice")["reports"]
        self.assertIn("import torch", said["notice"])
        self.assertEqual(said["field.weights"], "")
        self.assertEqual(said["state.image"], str(IMAGES / "shapes.png"))

    def test_dropped_with_a_picture(self):
        model = self.model()
        done = self.play(f'drop "{IMAGES / "coffee.jpg"}"\ndrop "{model}"\nwait\n'
                         f'expect state.image "{IMAGES / "coffee.jpg"}"\n'
                         f'expect field.weights "{model}"\nexpect notice ""\n'
                         f'drop "{model.parent}"\nwait\nexpect notice ""\n'
                         "layer next\nwait\nexpect field.layer 2\n")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def two_encoders(self):
        """A student and its teacher with different numbers of layers."""
        data = (FAMILIES / "timm.model.safetensors").read_bytes()
        length = struct.unpack("<Q", data[:8])[0]
        header, numbers = json.loads(data[8:8 + length]), data[8 + length:]
        both, bytes_of_both = {}, b""
        for prefix, last in (("student.", 0), ("teacher.", 99)):
            for name, entry in header.items():
                if name == "__metadata__" or (name.startswith("blocks.")
                                              and int(name.split(".")[1]) > last):
                    continue
                begin, end = entry["data_offsets"]
                start = len(bytes_of_both)
                bytes_of_both += numbers[begin:end]
                both[prefix + name] = {**entry, "data_offsets": [start, len(bytes_of_both)]}
        text = json.dumps(both).encode()
        path = self.folder / "both.safetensors"
        path.write_bytes(struct.pack("<Q", len(text)) + text + bytes_of_both)
        (self.folder / "config.json").write_text('{"num_heads": 3}')
        return path

    def test_the_panel_chooses_one_of_several_encoders(self):
        app = self.start(self.two_encoders())
        app.key("m")
        app.until_reports(**{"model.part of the file": "teacher", "model.layers": "2"})
        app.click("model.encoder.student")
        app.until_reports(**{"model.part of the file": "student", "model.layers": "1",
                             "busy": "no"})
        self.assertEqual(app.reports()["field.part"], "student")
        self.assertEqual(app.quit(), 0)
        self.assertEqual(self.start().reports()["field.part"], "student")

    def test_a_script_chooses_one_of_several_encoders(self):
        model = self.two_encoders()
        done = self.play(f'drop "{IMAGES / "coffee.jpg"}"\ndrop "{model}"\nwait\n'
                         "show model\nexpect model.layers 2\nset part student\nwait\n"
                         "expect model.layers 1\nset part model\nwait\nexpect model.layers 2\n")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_config_of_another_model_is_said(self):
        model = self.model()
        (model.parent / "config.json").write_text('{"hidden_size": 384, "num_attention_heads": 6}')
        app = self.start(model)
        said = app.until(lambda r: "config.json" in r["reports"]["notice"], "a notice")["reports"]
        self.assertIn("hidden_size", said["notice"])

    def test_a_session_comes_back_with_its_model_and_layer(self):
        model = self.model()
        app = self.start(model)
        app.key("bracketright")
        app.until_reports(field__layer="2", busy="no")
        self.assertEqual(app.quit(), 0)
        said = self.start().reports()
        self.assertEqual((said["field.weights"], said["field.layer"]), (str(model), "2"))


if __name__ == "__main__":
    main()
