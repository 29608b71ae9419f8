#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs whose texts nobody keeps: compiled here, imported, and held to figures worked out from their shapes.

    check_programs.py ALXSIM MAKE_CORPUS

MAKE_CORPUS makes the shared corpus of compiled programs. Where it or JAX with libtpu is not, the check is skipped
(exit 77).
"""
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77


def compiled(maker, name, folder):
    script = shutil.copy(maker, folder)  # it writes beside itself
    subprocess.run([sys.executable, script, "--one", name], check=True, capture_output=True)
    return os.path.join(folder, name + ".hlo.txt")


def imported(alxsim, text):
    return subprocess.run([alxsim, "import", "hlo", text, "--json"], capture_output=True, text=True)


def expect(name, what, found, wanted):
    if found != wanted:
        raise AssertionError(f"{name}: {what}: found {found}, wanted {wanted}")
    print(f"{name}: {what} {found}")


def check_counts(alxsim, maker, name, wanted):
    with tempfile.TemporaryDirectory() as folder:
        outcome = imported(alxsim, compiled(maker, name, folder))
    if outcome.returncode:
        raise AssertionError(f"{name}: {outcome.stderr}")
    found = json.loads(outcome.stdout)
    for path, value in wanted.items():
        one = found
        for part in path.split("."):
            one = one[part]
        expect(name, path, one, value)


def check_refused(alxsim, maker, name, words):
    with tempfile.TemporaryDirectory() as folder:
        outcome = imported(alxsim, compiled(maker, name, folder))
    expect(name, "exit code", outcome.returncode, 2)
    for word in words:
        expect(name, f"'{word}' said", word in outcome.stderr, True)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    _, alxsim, maker = sys.argv
    missing = [package for package in ("jax", "libtpu") if importlib.util.find_spec(package) is None]
    if missing or not os.path.exists(maker):
        print("skipped: " + (f"{missing[0]} is not installed" if missing else f"no {maker}"))
        sys.exit(SKIPPED)
    # Six by five turns of a product of 512 x 1024 x 1024 a device, and gathers of its weights.
    check_counts(alxsim, maker, "nested_scan__v6e-2x2", {"matmul_flops": 32212254720, "collective_bytes.all_gather": 62914560})
    check_counts(alxsim, maker, "llama_data_fsdp__v5e-4x4", {
        "matmul_flops_once": 3779571220480, "matmul_flops": 10170482556928, "unmapped": [],
        "collective_bytes.all_gather": 1149370368, "collective_bytes.reduce_scatter": 620756992})
    check_refused(alxsim, maker, "pallas_remote_dma__v5e-2x4", ["a kernel without cost_estimate"])


if __name__ == "__main__":
    main()
