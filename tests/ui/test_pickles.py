"""Checkpoints as training scripts leave them. In the format before PyTorch 1.6 they are refused with lines of Python:
run as printed, these must write the weights that the authors evaluate, whatever a training script has saved beside
them. In the format of today Headlight reads them itself, and must choose the same. Without PyTorch nothing is
tested."""

import argparse
import collections
import json
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest

try:
    import numpy
    import torch
except ImportError as missing:
    torch = None

PROGRAM = sys.argv[1] if len(sys.argv) > 1 else "headlight"

# Runs each script in a process of its own. Importing PyTorch takes most of a second, so it is imported only once.
INTERPRETER = """
import json, os, sys, torch
for line in sys.stdin:
    folder, script = json.loads(line)
    if os.fork() == 0:
        os.chdir(folder)
        for stream, name in ((1, "said"), (2, "errors")):
            os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
        exec(script, {"__name__": "__main__"})
        sys.exit()
    print(os.waitstatus_to_exitcode(os.wait()[1]), flush=True)
"""


def weights(seed):
    torch.manual_seed(seed)
    shapes = {"cls_token": (1, 1, 16), "patch_embed.proj.weight": (16, 3, 8, 8), "norm.bias": (16,)}
    return collections.OrderedDict((name, torch.randn(*shape)) for name, shape in shapes.items())


def read(path):
    """Names and numbers of a safetensors file, by its specification."""
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    found = {}
    for name, entry in json.loads(data[8:8 + length]).items():
        begin, end = entry["data_offsets"]
        kind = {"F32": "f4", "F16": "f2", "I64": "i8"}[entry["dtype"]]
        found[name] = numpy.frombuffer(data[8 + length + begin:8 + length + end],
                                       kind).reshape(entry["shape"])
    return found


@unittest.skipIf(torch is None, "needs PyTorch")
class Pickles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.interpreter = subprocess.Popen([sys.executable, "-c", INTERPRETER], stdin=subprocess.PIPE,
                                           stdout=subprocess.PIPE, text=True)

    @classmethod
    def tearDownClass(cls):
        cls.interpreter.communicate()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.good, self.other = weights(1), weights(2)

    def run_script(self, script):
        """The exit status, and what the script says and complains of."""
        print(json.dumps([str(self.folder), script]), file=self.interpreter.stdin, flush=True)
        status = int(self.interpreter.stdout.readline())
        return status, (self.folder / "said").read_text(), (self.folder / "errors").read_text()

    def converted(self, saved, take="", reads=True):
        path = self.folder / 'a "quoted" name.pth'
        torch.save(saved, path, _use_new_zipfile_serialization=False)
        refused = subprocess.run([PROGRAM, "info", path], capture_output=True, text=True)
        self.assertEqual((refused.returncode, refused.stdout), (1, ""))
        lines = refused.stderr[refused.stderr.index("import torch"):]
        lines = lines.replace('TAKE = ""', f'TAKE = "{take}"')
        status, self.said, errors = self.run_script(lines)
        self.assertEqual(status, 0, errors)
        found = read(path.with_suffix(".safetensors"))
        if reads and not take:
            self.compare(saved, path.with_suffix(".safetensors"), found)
        return found

    def compare(self, saved, converted, names):
        """Compares Headlight's reading of the current archive format with the output of the printed
        lines."""
        path = self.folder / "today.pth"
        torch.save(saved, path)
        compared = subprocess.run([PROGRAM, "compare", converted, path], capture_output=True, text=True)
        self.assertEqual(compared.returncode, 0, compared.stdout + compared.stderr)
        for name in names:
            self.assertIn(name, compared.stdout)

    def expect(self, saved, prefix="", tolerance=0.0, **options):
        found = self.converted(saved, **options)
        for name, tensor in self.good.items():
            error = numpy.abs(found[prefix + name].astype("f4") - tensor.numpy()).max()
            self.assertLessEqual(error, tolerance, name)

    def test_state_dicts_under_any_usual_key(self):
        self.expect(self.good)
        self.expect({"model": self.good, "epoch": 3})
        for key in ("state_dict", "model_state_dict", "net", "network", "module", "params",
                    "encoder", "backbone"):
            self.expect({key: self.good, "optimizer": {"state": {0: {"m": torch.ones(9, 9)}}}})
        self.expect({"generator": self.good, "loss": torch.tensor(1.0)})

    def test_what_the_authors_evaluate(self):
        good, other = self.good, self.other
        self.expect({"state_dict": other, "state_dict_ema": good})
        self.expect({"model": other, "model_ema": good})
        self.expect({"model": good, "model_ema": None, "ema": 0.99})
        self.expect({"params": other, "params_ema": good})
        self.expect({"net": other, "ema": {"module": good}})
        self.expect({"model": other, "ema": {"decay": torch.tensor(0.9), "shadow": good}})
        self.expect({"encoder": other, "target_encoder": good, "predictor": other})
        self.expect({"student": {"module." + name: tensor for name, tensor in other.items()},
                     "teacher": {"backbone." + name: tensor for name, tensor in good.items()}},
                    "backbone.")

    def test_averages_without_names(self):
        good, other = list(self.good.values()), self.other
        optimizer = {"state": {0: {"m": torch.ones(9, 9)}}, "param_groups": [{"params": [0]}]}
        self.expect({"model": other, "optimizer": optimizer,
                     "ema": {"decay": 0.9, "shadow_params": good, "collected_params": None}})
        self.expect({"state_dict": other, "callbacks": {"EMA": {"ema_weights": good}}})
        batch = {"bn.running_mean": torch.ones(16), "bn.num_batches_tracked": torch.tensor(3)}
        self.expect({"state_dict": {**batch, **other}, "ema_state": {"shadow_params": good}})

        self.expect({"model": self.good, "ema": {"shadow_params": list(other.values())[:2]}})
        self.assertIn("ema.shadow_params (no names fit)", self.said)

    def test_averages_of_callbacks(self):
        good, other = self.good, self.other
        for callback in ("ema_state_dict", "average_model_state"):
            self.expect({"state_dict": other, "callbacks": {"Average": {callback: good}}})
        self.expect({"weights": other, "ema_weights": good})
        self.expect({"model": other, "swa_model": {"n_averaged": torch.tensor(4), **{
            "module." + name: tensor for name, tensor in good.items()}}}, "module.")
        # mmengine swaps the two when it saves.
        self.expect({"message_hub": {}, "state_dict": good, "ema_state_dict": other})
        some = {"norm.bias": good["norm.bias"]}
        found = self.converted({"model": other, "ema": {"shadow": {
            **some, "cls_token": good["cls_token"]}}})
        self.assertEqual(set(found), set(other))
        self.assertTrue((found["norm.bias"] == good["norm.bias"].numpy()).all())
        whole = "patch_embed.proj.weight"
        self.assertTrue((found[whole] == other[whole].numpy()).all())

    def test_heads_that_are_stored_beside_the_encoder(self):
        head = {"weight": torch.ones(5, 16), "bias": torch.ones(5)}
        for encoder, name in (("backbone", "classifier"), ("encoder", "fc"), ("vit", "head")):
            saved = {encoder: self.good, name: head, "acc": 0.5}
            self.expect(saved, encoder + ".")
            self.assertIn(f"{name}.weight", self.converted(saved))
            self.assertIn(f"Took {encoder} and {name}", self.said)

    def test_lists_and_matrices_beside_the_weights(self):
        optimizer = {"state": {0: {"m": torch.ones(9, 9)}}, "param_groups": [{"params": [0]}]}
        self.expect([self.good, optimizer])
        self.expect((optimizer, self.good))
        self.expect([{"model": self.good}])
        self.expect({"vit": self.good, "center": torch.ones(1, 300)})
        self.expect({"model": self.good, "optimizer": {"exp_avg": self.other}})

    def test_another_part_can_be_taken_and_all_are_listed(self):
        saved = {"student": self.other, "teacher": self.good}
        self.expect(saved)
        self.assertIn("Took teacher", self.said)
        self.assertIn("student", self.said)
        found = self.converted(saved, take="student")
        self.assertTrue((found["norm.bias"] == self.other["norm.bias"].numpy()).all())

    def test_other_numbers(self):
        self.expect({name: tensor.half() for name, tensor in self.good.items()}, tolerance=2e-3)
        self.expect({name: tensor.bfloat16() for name, tensor in self.good.items()}, tolerance=2e-2)
        self.expect({**self.good, "index": torch.arange(4)})
        self.expect({name: torch.nn.Parameter(t) for name, t in self.good.items()})

    def test_objects_beside_the_weights(self):
        arguments = argparse.Namespace(lr=numpy.float64(0.1), out=pathlib.Path("x"))
        self.expect({"model": self.good, "args": arguments, "best": numpy.float32(3),
                     "random": numpy.random.get_state(), "table": numpy.zeros((3, 3)),
                     "hyper_parameters": collections.defaultdict(list, {"a": [1]})})

    def test_classes_that_are_not_installed(self):
        gone = types.ModuleType("gone")
        sys.modules["gone"] = gone
        self.addCleanup(sys.modules.pop, "gone")

        class Net(torch.nn.Module):
            def __init__(self, good):
                super().__init__()
                self.cls_token = torch.nn.Parameter(good["cls_token"])
                self.patch_embed = torch.nn.Module()
                self.patch_embed.proj = torch.nn.Conv2d(3, 16, 8, bias=False)
                self.patch_embed.proj.weight.data.copy_(good["patch_embed.proj.weight"])
                self.norm = torch.nn.Module()
                self.norm.register_buffer("bias", good["norm.bias"])

        class Settings(dict):
            pass

        for kind in (Net, Settings):
            kind.__module__, kind.__qualname__ = "gone", kind.__name__
            setattr(gone, kind.__name__, kind)
        settings = Settings(lr=1)
        settings.name = "run"
        self.expect({"state_dict": self.good, "hyper_parameters": settings, "callbacks": {"a": 1}})
        for modules in (Net(self.good), {"model": Net(self.other), "ema": Net(self.good)}):
            self.expect(modules, reads=False)
            self.expect_refused(modules)

    def expect_refused(self, saved):
        path = self.folder / "today.pth"
        torch.save(saved, path)
        refused = subprocess.run([PROGRAM, "info", path], capture_output=True, text=True)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("pickled module", refused.stderr)
        self.assertIn("import torch", refused.stderr)

    def test_nothing_in_the_file_runs(self):
        class Evil:
            def __reduce__(self):
                return (exec, ("open('ran', 'w')",))

        self.expect({"model": self.good, "x": Evil()})
        for folder in (pathlib.Path(), self.folder):
            self.assertFalse((folder / "ran").exists())

    def test_no_weights_are_said(self):
        path = self.folder / "empty.pth"
        torch.save({"epoch": 3}, path, _use_new_zipfile_serialization=False)
        refused = subprocess.run([PROGRAM, "info", path], capture_output=True, text=True)
        lines = refused.stderr[refused.stderr.index("import torch"):]
        self.assertIn("no weights found", self.run_script(lines)[2])
        self.assertFalse(path.with_suffix(".safetensors").exists())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
