"""The example notebook, its cells run one after the other."""
import json
import os
import sys

from headlight_files import ROOT, np

os.environ["HEADLIGHT"] = os.path.abspath(sys.argv[1])
sys.path.insert(0, os.path.join(ROOT, "python"))
with open(os.path.join(ROOT, "python", "example.ipynb"), encoding="utf-8") as file:
    notebook = json.load(file)
assert notebook["nbformat"] == 4
names = {}
for cell in notebook["cells"]:
    assert not cell.get("outputs"), "the notebook is kept without outputs"
    if cell["cell_type"] == "code":
        exec(compile("".join(cell["source"]), "example.ipynb", "exec"), names)
assert names["maps"].shape == (4, 4, 10, 10)
assert np.allclose(names["attention"].sum(-1), 1, atol=1e-5)
assert set(names["table"]) == {"image", "layer", "head", "entropy", "distance"}
print("ok")
