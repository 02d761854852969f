#!/usr/bin/env python3
"""Runs the scripts that `headlight torch` wrote, all in one interpreter, for PyTorch takes long to load.

    run_scripts.py SCRIPT...

Prints of each its last line and the largest error that it found; 0 where all of them agree, else 1.
Without PyTorch: 77, and the reason.
"""

import contextlib
import io
import os
import runpy
import sys

sys.path[:] = [path for path in sys.path if path != os.path.dirname(os.path.abspath(__file__))]
try:
    import torch
except ImportError as missing:
    print(missing)
    sys.exit(77)

torch.set_num_threads(1)
failed = False
for script in sys.argv[1:]:
    sys.argv = [script]
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            runpy.run_path(script, run_name="__main__")
        lines = said.getvalue().splitlines()
        errors = [float(line.split()[-1]) for line in lines[:-1]]
        print(f"{os.path.basename(script)}: {lines[-1]}, largest error {max(errors):.1e}")
    except SystemExit as end:
        print(f"{os.path.basename(script)}: {end.code}")
        failed = True
    except Exception as error:
        line = error.__traceback__
        while line.tb_next:
            line = line.tb_next
        print(f"{os.path.basename(script)}:{line.tb_lineno}: {type(error).__name__}: {error}")
        failed = True
sys.exit(failed)
