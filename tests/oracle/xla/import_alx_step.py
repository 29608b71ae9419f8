#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The released ALX step as XLA compiled it, imported and timed, by phase.

    import_alx_step.py ALXSIM FOLDER > alx_step_imported.json

FOLDER holds the compiled texts alx_*.hlo.txt.gz (v3, rows half, full size). Each op that 'alxsim import hlo' makes
of one is put to the phase that its line of source is of; ops without one to the phase of what stands around them.
Conjugate gradients turn 12 times. The text holds both branches of the scan's conditional; the one that copies the
gathered rows is taken once a step, not at each turn: that copy is told apart.
"""
import json
import os
import subprocess
import sys

PROGRAMS = {"alx_dense_rows_loop__v3-2x2": "2x2", "alx_sparse_rows_loop__v3-4x4": "4x4",
            "alx_sparse_rows_donated__v3-4x4": "4x4", "alx_sparse_rows_loop__v3-8x16": "8x16"}
ITERATIONS = 12

# Lines of the step's source, als_step.py, and what each does.
PHASES = {
    22: "gather.rows", 25: "gather.rows",  # rows of the fixed table; masked to those that are here
    31: "gather.combine",  # the sum over devices
    34: "gather.combine", 45: "gather.ids", 46: "gather.ids", 47: "gather.ids",  # each device's turn; ids, offsets
    65: "statistics", 66: "statistics", 67: "statistics", 68: "statistics", 69: "statistics", 98: "statistics",
    59: "solve", 74: "solve",
    75: "scatter.exchange", 76: "scatter.exchange",  # solutions and their ids
    78: "scatter", 79: "scatter", 80: "scatter",
}


def line_of(op):
    return int(op["source"].rpartition(":")[2]) if op["source"] else 0


def phase_of(op, devices):
    line = line_of(op)
    if line in PHASES:
        return PHASES[line]
    if op["work"].startswith("copy") and op["calls"] == devices:
        return "branch.copy"  # of the gathered rows, in the branch that is taken once a step
    if op["work"].startswith("copy") and op["seconds"] > 1e-3:
        return "scatter.copy"  # of the shard that is not donated
    return "gather.ids" if op["work"] == "collective" else "other"


def imported(alxsim, folder, name):
    text = os.path.join(folder, name + ".hlo.txt.gz")
    command = [alxsim, "import", "hlo", text, "--chip", "v3", "--slice", PROGRAMS[name], "--trip", f"while.58={ITERATIONS}", "--json"]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    sizes = [int(size) for size in PROGRAMS[name].split("x")]
    devices = 2 * sizes[0] * sizes[1]
    seconds = {}
    for op in found["ops"]:
        phase = phase_of(op, devices)
        seconds[phase] = seconds.get(phase, 0) + op["seconds"]
    return {"devices": devices, "step_seconds": found["step_seconds_if_devices_are_alike"],
            "seconds": {phase: float(f"{value:.4g}") for phase, value in sorted(seconds.items())}}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    _, alxsim, folder = sys.argv
    programs = {name: imported(alxsim, folder, name) for name in PROGRAMS}
    json.dump({"source": "import_alx_step.py: compiled texts of libtpu 0.0.42.1 for described v3 slices, imported; no TPU",
               "programs": programs}, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
