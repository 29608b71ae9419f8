#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The published training steps as a compiler makes them: rows of 'alxsim validate'.

    make_compiled_rows.py ALXSIM FOLDER > ../rows/compiled.json.gz

FOLDER holds compiled texts (NAME.hlo.txt.gz) with NAME.json beside them, which also say the published time of a step
(`published_seconds`), where it is published (`source`) and how the compiled program differs (`what_differs`). Each
is imported by 'alxsim import hlo'; kernels of attention carry no estimate and are priced by their shapes. What is
written are the imported op graphs and their machines: the texts are MaxText's and stay out of this repository.
"""
import gzip
import json
import os
import subprocess
import sys
import tempfile

# By the first word of the file's name and its slice, as ../rows/training.json names the same jobs.
NAMES = {
    "16b__v5e-256": "16B on v5e-256", "64b__v5e-256": "64B on v5e-256", "128b__v5e-256": "128B on v5e-256",
    "22b__v4-128_b13flash": "22B on v4-128", "32b__v5p-128": "32B on v5p-128", "128b__v5p-256": "128B on v5p-256",
    "llama3.1-8b__v6e-8": "Llama3.1-8B on v6e-8", "mistral-7b__v6e-8": "Mistral-7B on v6e-8",
    "gpt-6.7b__v3-256": "6.7B on v3-256",
}
# Whose published time chose a preset value (step_skew_devices).
CALIBRATED = {"16b__v5e-256"}
# Of all rows alike, set before any was compared; as of the graphs made by hand.
TOLERANCE = 0.2


def study_of(alxsim, text):
    """The imported op graph with its machine, as 'alxsim import hlo' says it."""
    with tempfile.TemporaryDirectory() as folder:
        graph = os.path.join(folder, "graph.json")
        command = [alxsim, "import", "hlo", text, "-o", graph]
        with gzip.open(text, "rt") as file:
            if "splash_mha" in file.read():
                command += ["--assume", "splash_mha=attention"]
        printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        study = json.loads(printed.rstrip("\n").split("\n")[-1])
        with open(graph) as file:
            study["workload"]["op_graph"] = json.load(file)
    return study


def row(alxsim, folder, name):
    with open(os.path.join(folder, name + ".json")) as file:
        job = json.load(file)
    study = study_of(alxsim, os.path.join(folder, name + ".hlo.txt.gz"))
    study["study"] = NAMES[name]
    return {"name": NAMES[name], "kind": "calibrated" if name in CALIBRATED else "predicted",
            "reference": job["published_seconds"], "unit": "s", "tolerance": TOLERANCE, "source": job["source"],
            "note": "As compiled: " + job["what_differs"] + ".",
            "simulate": {"study": study, "figure": "epoch_seconds"}}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    _, alxsim, folder = sys.argv
    rows = [row(alxsim, folder, name) for name in NAMES]
    text = json.dumps({"topic": "training steps as compiled", "rows": rows}, separators=(",", ":")) + "\n"
    sys.stdout.buffer.write(gzip.compress(text.encode(), 9, mtime=0))


if __name__ == "__main__":
    main()
