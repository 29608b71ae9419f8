# SPDX-License-Identifier: Apache-2.0
"""Compiles the released ALX step anew for the points of alx_memory.json and says what moved.

No TPU is needed: libtpu compiles for slices that are only described (pip install "jax[tpu]").

    python make_memory.py [--most-devices N] [--write]

Exit codes: 0 nothing moved; 1 a peak or a refusal moved; 77 JAX or libtpu is not installed.
"""

import argparse
import importlib.util
import json
import pathlib
import re
import sys

RECORDS = pathlib.Path(__file__).with_name("alx_memory.json")
SKIPPED = 77


def shapes(records, point):
    import alx_program

    web = records["webs"][point["web"]]
    other = "columns" if point["half"] == "rows" else "rows"
    return alx_program.arguments(
        web[other],
        web[point["half"]],
        point["lines"],
        records["line_length"],
        point["rows"],
        point["dim"],
        point["devices"],
    )


def measured(records, point):
    """What the compiler says of a point: bytes, or GiB of a program that it refuses."""
    import alx_program

    at_once = point["gather"] == "all_reduce"
    gather = alx_program.gathered_at_once if at_once else alx_program.gathered_in_turn
    try:
        memory = alx_program.compiled(
            point["topology"], shapes(records, point), gather, point["donate"], point["devices"]
        ).memory_analysis()
    except Exception as refusal:  # jaxlib's own type moves between versions
        needed = re.search(r"\(([0-9.]+)G\) exceeds available HBM", str(refusal))
        if not needed:
            raise
        return {"refused_gib": float(needed[1])}
    return {
        "arguments_bytes": memory.argument_size_in_bytes,
        "output_bytes": memory.output_size_in_bytes,
        "temporaries_bytes": memory.temp_size_in_bytes,
        "peak_bytes": memory.peak_memory_in_bytes,
    }


def in_words(point):
    what = [f"{point['web']} on {point['devices']}", point["half"], f"{point['lines']} lines"]
    return ", ".join(what + [f"d {point['dim']}", point["gather"]] + ["donated"] * point["donate"])


def written(records):
    points = ",\n  ".join(json.dumps(point) for point in records["points"])
    head = json.dumps({**records, "points": []}, indent=1)
    return head.replace('"points": []', '"points": [\n  ' + points + "\n ]") + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most-devices", type=int, default=2048, help="leave out larger slices")
    parser.add_argument("--write", action="store_true", help="keep what was found in the records")
    request = parser.parse_args()
    for package in ("jax", "libtpu"):
        if importlib.util.find_spec(package) is None:
            print(f"skipped: no package {package} (pip install \"jax[tpu]\")")
            return SKIPPED
    records = json.loads(RECORDS.read_text())
    moved = 0
    for point in records["points"]:
        if point["devices"] > request.most_devices:
            continue
        for name, value in measured(records, point).items():
            if point.get(name) != value:
                moved += 1
                print(f"{in_words(point)}: {name} {point.get(name)} is now {value}", flush=True)
            point[name] = value
    if request.write:
        import importlib.metadata as installed

        records.update(jax=installed.version("jax"), libtpu=installed.version("libtpu"))
        RECORDS.write_text(written(records))
    print(f"{moved} figures moved since libtpu {records['libtpu']}")
    return 0 if moved == 0 or request.write else 1


if __name__ == "__main__":
    sys.exit(main())
