#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of README.md anew from a run of study.json: python3 tables.py out/report.json"""
import json
import pathlib
import sys

CORES = 256
MARK = "## The tables\n"
GIB = 2**30


def digits(seconds):
    return f"{seconds:.0f}" if seconds >= 100 else f"{seconds:.3g}"


def spot_in_words(spot):
    edge = {"low": "at or below {}", "high": "{} and beyond"}.get(spot.get("at_edge"), "{}")
    return edge.format(spot["cores"])


def line_of(strategy, point, spot):
    memory = point["memory"]
    if not point["fits"]:
        needed, usable = memory["bytes_per_core"] / GIB, memory["capacity_bytes"] / GIB
        return f"| {strategy} | does not fit: {needed:.1f} of {usable:.2f} GiB, most of it {memory['largest']} | | | | |"
    phases = sorted(point["phases"].items(), key=lambda phase: -phase[1])[:2]
    shares = {name[:-len("_seconds")]: point[name] for name in
              ("compute_seconds", "hbm_seconds", "communication_seconds", "host_seconds", "idle_seconds")}
    bound = max(shares, key=shares.get)
    return (f"| {strategy} | {digits(point['epoch_seconds'])} | "
            + ", ".join(f"{name} {digits(seconds)}" for name, seconds in phases)
            + f" | {bound} {100 * shares[bound] / point['epoch_seconds']:.0f} % | "
            + f"{memory['bytes_per_core'] / GIB:.2f} | {spot_in_words(spot)} |")


def tables(report):
    spots = {series["name"]: series.get("sweet_spot") for series in report["series"]}
    variant, lines = None, []
    for point in report["points"]:
        if point["sweep"].get("/machine/cores") != CORES:
            continue
        web, strategy = point["series"].split(": ", 1)
        if web != variant:
            variant = web
            lines += ["", f"### {web}, {CORES} cores", "",
                      "| strategy | epoch, s | longest phases, s | most of it | GiB a core | sweet spot |",
                      "|---|---|---|---|---|---|"]
        lines.append(line_of(strategy, point, spots[point["series"]]))
    return "\n".join(lines) + "\n"


def main():
    readme = pathlib.Path(__file__).with_name("README.md")
    words = readme.read_text().split(MARK)[0]
    readme.write_text(words + MARK + tables(json.loads(pathlib.Path(sys.argv[1]).read_text())))


main()
