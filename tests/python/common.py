# SPDX-License-Identifier: Apache-2.0
"""What tests of the module share."""

import json
import os
import subprocess
import sys
import unittest

PROGRAM = os.environ["ALXSIM_PROGRAM"]
SOURCE = os.environ["ALXSIM_SOURCE_DIR"]

STEP = {
    "ops": [
        {"work": "matmul", "m": 4096, "k": 1024, "n": 1024, "phase": "forward"},
        {"work": "collective", "kind": "all_reduce", "bytes": 4194304, "phase": "gradients", "after": [0]},
    ]
}

STUDY = {
    "study": "mine",
    "numerics": False,
    "fidelity": "analytic",
    "machine": {"chip": "tpu_v4", "cores": 64},
    "workload": {"dataset": {"shape": {"rows": 4e6, "columns": 4e5, "links": 4e8}}, "alx": {"dim": 64}},
    "sweep": {"/machine/cores": [8, 16, 32, 64, 128]},
}


def program(*words):
    """What the program prints."""
    return subprocess.run([PROGRAM, *words], check=True, capture_output=True, text=True).stdout


def program_json(*words):
    return json.loads(program(*words))


def main(needs=()):
    """Runs the tests of the file that calls it, unless one of these packages is missing."""
    for package in needs:
        try:
            __import__(package)
        except ImportError:
            print(f"SKIPPED: {package} is not installed")
            sys.exit(0)
    unittest.main(module="__main__", verbosity=1)
