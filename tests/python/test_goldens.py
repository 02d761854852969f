"""The stored reference numbers of tests/golden are those that its scripts write today, up to rounding error.

Each script writes into a copy of that folder. A script whose own tools or modules are not installed is skipped; without
PyTorch all are.
"""
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from headlight_files import ROOT, np, safetensors

HEADLIGHT = os.path.abspath(sys.argv[1])
NEEDS = ("No module named", "No such file or directory: '")  # 'cjpeg'
# Sums in another order: orthogonalized random rows, directions from a decomposition.
TOLERANCE = 1e-5


def is_missing(error):
    last = error.strip().splitlines()[-1] if error.strip() else ""
    return any(need in last for need in NEEDS)


def write_again(script):
    """None, or the reason for a failure."""
    program = [HEADLIGHT] if "release/headlight" in script.read_text() else []
    done = subprocess.run([sys.executable, "-B", str(script), *program], capture_output=True, text=True, check=False,
                          env={**os.environ, "OMP_NUM_THREADS": "1"})
    if done.returncode == 0:
        return None
    assert is_missing(done.stderr), (script.name, done.stderr)
    return done.stderr.strip().splitlines()[-1]


def compare(stored, written):
    expected, found = safetensors(stored), safetensors(written)
    assert expected.keys() == found.keys(), (stored, expected.keys() ^ found.keys())
    for name, numbers in expected.items():
        again = found[name]
        assert again.shape == numbers.shape and again.dtype == numbers.dtype, (stored, name, again.shape, numbers.shape)
        if np.array_equal(again, numbers, equal_nan=numbers.dtype.kind == "f"):
            continue
        finite = np.isfinite(numbers)
        assert np.array_equal(finite, np.isfinite(again)), (stored, name)
        size = np.abs(numbers[finite]).max()
        error = np.abs(again[finite].astype(float) - numbers[finite]).max()
        assert error <= TOLERANCE * size, (stored, name, error / size)


def main():
    if subprocess.run([sys.executable, "-c", "import torch"], capture_output=True, check=False).returncode != 0:
        print("PyTorch is not installed")
        return 77
    golden = pathlib.Path(ROOT) / "tests" / "golden"
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "tests" / "golden"
        shutil.copytree(golden, copy, ignore=shutil.ignore_patterns("__pycache__"))
        os.symlink(pathlib.Path(ROOT) / "assets", pathlib.Path(folder) / "assets")
        scripts = sorted(copy.glob("make_*.py"))
        # make_golden.py and make_families.py first: others read what they write.
        scripts.sort(key=lambda path: path.name not in ("make_golden.py", "make_families.py"))
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for script, why in zip(scripts, pool.map(write_again, scripts)):
                if why:
                    print(f"{script.name} skipped: {why}")
        count = 0
        for stored in sorted(golden.rglob("*.safetensors")):
            if "projects" not in stored.parts:  # written by the projects' own code
                compare(stored, copy / stored.relative_to(golden))
                count += 1
    print(f"{count} files of {len(scripts)} scripts")
    return 0


if __name__ == "__main__":
    sys.exit(main())
