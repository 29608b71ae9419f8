#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes points.csv and the tables of README.md anew from a run of study.json: python3 tables.py out/report.json"""
import csv
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
MARK = "## The tables\n"
TIERS = ["in HBM", "solved for in the host", "in the host", "in storage"]


def digits(number):
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def busiest_path(point):
    """(path, share of the epoch) of what is moved below HBM; infeeds alone are none."""
    paths = [path for path in point.get("paths", []) if path["busy_share"] >= 0.01]
    if not paths:
        return "", 0.0
    path = max(paths, key=lambda one: one["busy_share"])
    return f"{path['from']} to {path['to']}", path["busy_share"]


def bound_of(point):
    """The longest phase, and the busiest path below HBM."""
    phase, seconds = max(point["phases"].items(), key=lambda one: one[1])
    words = f"{phase} {100 * seconds / point['epoch_seconds']:.0f} %"
    path, share = busiest_path(point)
    return words + (f"; {path} busy {100 * share:.0f} %" if path and "table" in phase else "")


def row_of(point):
    memory = point["memory"]
    row = {"series": point["series"], "machine.cores": point["machine"]["cores"], "fits": str(point["fits"]).lower()}
    for name, field in (("hbm_gb", "bytes_per_core"), ("host_gb", "host_bytes_per_core"),
                        ("storage_gb", "storage_bytes_per_core")):
        row[name] = f"{1e-9 * memory.get(field, 0):.3f}"
    if point["fits"]:
        path, share = busiest_path(point)
        row.update(epoch_seconds=f"{point['epoch_seconds']:.6g}", cost_usd=f"{point['cost_usd']:.5g}",
                   table_in=f"{point['phases'].get('table.in', 0):.5g}",
                   table_out=f"{point['phases'].get('table.out', 0):.5g}",
                   busiest_path=path, busy_share=f"{share:.3f}")
    else:
        row["does_not_fit"] = memory["largest"]
    return row


def write_points(points):
    rows = [row_of(point) for point in points]
    names = ["series", "machine.cores", "fits", "does_not_fit", "hbm_gb", "host_gb", "storage_gb", "epoch_seconds", "cost_usd",
             "table_in", "table_out", "busiest_path", "busy_share"]
    with open(HERE / "points.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def tables(points):
    by_series = {}
    for point in points:
        by_series.setdefault(point["series"], {})[point["machine"]["cores"]] = point
    webs = list(dict.fromkeys(series.split(": ")[0] for series in by_series))
    lines = ["", "Fewest cores, and an epoch on them:", "",
             "| variant | tables | fewest cores | epoch, s | $ an epoch | what bounds it |", "|---|---|---|---|---|---|"]
    for web in webs:
        for tier in TIERS:
            fitting = [(cores, point) for cores, point in sorted(by_series[f"{web}: {tier}"].items()) if point["fits"]]
            cores, point = fitting[0]
            lines.append(f"| {web} | {tier} | {cores} | {digits(point['epoch_seconds'])} | {digits(point['cost_usd'])} "
                         f"| {bound_of(point)} |")
    for web in webs:
        counts = sorted(by_series[f"{web}: in HBM"])
        lines += ["", f"{web}, seconds an epoch by cores:", "",
                  "| tables | " + " | ".join(str(cores) for cores in counts) + " |", "|---" * (len(counts) + 1) + "|"]
        for tier in TIERS:
            series = by_series[f"{web}: {tier}"]
            cells = [digits(series[cores]["epoch_seconds"]) if series[cores]["fits"] else "-" for cores in counts]
            lines.append(f"| {tier} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main():
    points = json.loads(pathlib.Path(sys.argv[1]).read_text())["points"]
    write_points(points)
    readme = HERE / "README.md"
    text = readme.read_text()
    readme.write_text(text[:text.index(MARK) + len(MARK)] + tables(points))


main()
