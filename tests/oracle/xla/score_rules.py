# SPDX-License-Identifier: Apache-2.0
"""The reference evaluator of model/xla/collective_rules.json, and its score.

    python3 score_rules.py [RECORDS.json ..] [--rest N]

prints, for each file of records, the share of records whose algorithm the rules give, by chip and
by kind, and the first N that they do not give. algorithm(machine, collective) is what the simulator
does, too; the meaning of each predicate and construction stands in the JSON file itself.
"""
import argparse
import collections
import fractions
import json
import math
import pathlib

import canonical

HERE = pathlib.Path(__file__).resolve().parent
RULES = json.loads((HERE.parents[2] / "model/xla/collective_rules.json").read_text())
WIDE_BYTES = 1 << 20  # from here on the records' rows have 1,024 numbers, below 128
DTYPE_BYTES = {"f32": 4, "bf16": 2, "i8": 1}
MADE_ON = ("collectives.json", "collectives_more.json")
JUDGED = ("name", "colours", "directions", "phases", "rings", "engine", "inner", "padded",
          "piece_bytes", "stages")


def alike_first(lengths):
    """Lengths in XLA's order, but those of the most frequent length before the others; how many."""
    often = max(lengths.count(n) for n in lengths)
    if often == 1:
        return lengths, 1
    common = next(n for n in lengths if lengths.count(n) == often)
    return [common] * often + [n for n in lengths if n != common], often


def tiles_of_shard(size, element_bytes, devices):
    """Rows of tiles of a shard, as a fraction, in arrays as the records have them."""
    columns = 128 if size < WIDE_BYTES else 1024
    return fractions.Fraction(size, devices * 8 * columns * element_bytes)


def padding_percent(chip, size, element_bytes, devices, colours):
    """What a native reduce-scatter adds to its rows; see `facts` in the JSON file."""
    limits = RULES["reduce_scatter_span_bytes"]
    tiles = tiles_of_shard(size, element_bytes, devices)
    unit = size / tiles  # bytes of a row of tiles for each device
    longest = limits.get(chip, limits["others"]) * devices // (devices + 4)
    spans = math.ceil(size / max(unit, longest // unit * unit))
    if size < WIDE_BYTES and tiles > 1:  # each direction takes whole tiles
        colours = 2
    padded = math.ceil(tiles / (spans * colours)) * spans * colours
    return math.ceil(100 * (padded / tiles - 1))


def facts_of(machine, collective):
    """What the predicates look at.

    machine: chip, sides {axis letter: devices}, wrap {axis letter: bool}, devices_a_chip, slices.
    collective: kind, axes (letters of the group: x y z, c = the cores of a chip, s = slices),
    bytes (of the whole), element_bytes.
    """
    sides = {a: n for a, n in machine["sides"].items() if n > 1}
    spanned = [a for a in "yxz" if a in collective["axes"] and a in sides]
    if spanned == ["y", "z"]:  # XLA's order goes round: y, x, z, y
        spanned = ["z", "y"]
    lengths = [sides[a] for a in spanned]
    cores = machine["devices_a_chip"] if "c" in collective["axes"] else 1
    devices = math.prod(lengths) * cores
    size, element = collective["bytes"], collective["element_bytes"]
    if "s" in collective["axes"] and machine["slices"] > 1:
        group = "slices"
    elif len(spanned) < 2:
        group = "axis" if spanned else "chip_cores"
    else:
        group = "all" if len(spanned) == len(sides) else "axes"
    ordered, alike = alike_first(lengths or [1])
    return {
        "chip": machine["chip"],
        "kind": collective["kind"],
        "group": group,
        "axes": len(spanned),
        "lengths": lengths,
        "cores": cores,
        "whole_chips": cores == machine["devices_a_chip"],
        "devices": devices,
        "equal_axes": len(set(lengths)) <= 1,
        "alike": alike,
        "doubled_axes": len(set(lengths)) == 2 and max(lengths) == 2 * min(lengths),
        "leading_ring": ordered[0] * cores,
        "longest_ring": max(lengths, default=1) * cores,
        # an axis of two is a ring by itself: both of its links join the same pair
        "closed": all(machine["wrap"][a] or sides[a] == 2 for a in spanned),
        "slice_devices": math.prod(sides.values()) * machine["devices_a_chip"],
        "several_slices": machine["slices"] > 1,
        "bytes": size,
        "shard_bytes": size // devices,
        "shard_elements": size // element // devices,
        "whole_lanes": size // element % (128 * devices) == 0,
        "whole_lanes_across": size // element % (128 * devices * machine["slices"]) == 0,
        "whole_tiles": tiles_of_shard(size, element, devices).denominator == 1,
        "element_bytes": element,
        "padding_percent": padding_percent(machine["chip"], size, element, devices, 1),
        "padding_percent_of_two": padding_percent(machine["chip"], size, element, devices, 2),
    }


def all_hold(predicates, facts):
    return all(holds(name, wanted, facts) for name, wanted in predicates.items())


def holds(predicate, wanted, facts):
    """One predicate of a rule's `when`."""
    if predicate == "is":
        return any(all_hold(line, facts) for line in RULES["named"][wanted])
    if predicate.endswith("_at_least"):
        return facts[predicate.removesuffix("_at_least")] >= wanted
    if predicate.endswith("_at_most"):
        return facts[predicate.removesuffix("_at_most")] <= wanted
    if isinstance(wanted, list):
        return facts[predicate] in wanted
    return facts[predicate] == wanted


def turned(lengths, turn, cores):
    """A colour's rings: the axes from place `turn` on, the first multiplied by the cores."""
    order = lengths[turn:] + lengths[:turn]
    return [order[0] * cores] + order[1:]


def rings_of(construction, facts, colours):
    if construction == "one_ring":
        return [[facts["devices"]]] * colours
    if construction == "rotated":
        lengths = facts["lengths"]
        return [turned(lengths, k % len(lengths), facts["cores"]) for k in range(colours)]
    if construction == "alike_first":
        # turning axes that are equally long changes no length
        ordered, _ = alike_first(facts["lengths"])
        return [turned(ordered, 0, facts["cores"])] * colours
    return None


def count(value, facts):
    """A number of colours or phases: a number, None, or the name of a fact (see `reading`)."""
    if not isinstance(value, str):
        return value
    if value == "axes and cores":
        return min(3, facts["axes"] + (facts["cores"] > 1))
    return 2 * facts["alike"] if value == "2*alike" else facts[value]


def deciding_rule(facts):
    for number, rule in enumerate(RULES["rules"]):
        if all_hold(rule["when"], facts):
            return number, rule
    raise LookupError(f"no rule for {facts}")


def algorithm(machine, collective):
    """What XLA does: name, colours, directions, phases, rings, engine, ... as canonical.py has it.

    Only the keys that the deciding rule sets, and `rules`: places in the list of the deciding rule
    and of an inner one.
    """
    facts = facts_of(machine, collective)
    number, rule = deciding_rule(facts)
    use = dict(rule["use"])
    if "inner" in use:  # an all-reduce of the whole, with a slice after or zeros before it
        inner = algorithm(machine, {**collective, "kind": use.pop("inner")})
        decided = {"rules": [number, *inner["rules"]]}
        if inner["engine"] != "tensor_core":
            return {**inner, **decided}
        return {**inner, "inner": inner["name"], "name": use["name"], **decided}
    colours = count(use.get("colours"), facts)
    return {**use, "colours": colours, "phases": count(use.get("phases"), facts),
            "rings": rings_of(use.get("rings"), facts, colours), "rules": [number]}


def machine_of(record):
    sides = [int(n) for n in record["slice"].split("x")]
    letters = "xyz"[:len(sides)]
    return {"chip": record["chip"], "sides": dict(zip(letters, sides)),
            "wrap": dict(zip(letters, record["wrap"])),
            "devices_a_chip": record["devices_a_chip"], "slices": record["slices"]}


def collective_of(record):
    return {"kind": record["kind"], "axes": record["axes"], "bytes": record["bytes"],
            "element_bytes": DTYPE_BYTES[record["dtype"]]}


def agrees(said, record):
    """Whether all that the compiler prints is what the rules say; on SparseCore the engine only."""
    printed = record["algorithm"]
    return all(said.get(key) == printed[key] for key in JUDGED
               if printed.get(key) is not None)


def usable(record):
    """Gathers over the raw list of devices are left out: nobody should build a mesh from it."""
    return not (record["order"] == "list" and record["kind"] == "all_gather")


def score(path, rest):
    records = [r for r in canonical.unpack(json.loads(path.read_text()))
               if usable(r)]
    totals, right, wrong = collections.Counter(), collections.Counter(), []
    decided = collections.Counter()
    for record in records:
        said = algorithm(machine_of(record), collective_of(record))
        decided.update(said["rules"])
        for key in ("all", record["chip"], record["kind"]):
            totals[key] += 1
            right[key] += agrees(said, record)
        if not agrees(said, record):
            wrong.append((record, said))
    print(f"{path.name}: {right['all']} of {totals['all']} agree "
          f"({100 * right['all'] / totals['all']:.1f} %)")
    for key in sorted(totals.keys() - {"all"}):
        print(f"  {key:15} {right[key]:5} of {totals[key]:5}")
    for record, said in wrong[:rest]:
        asked = {k: v for k, v in record.items() if k != "algorithm"}
        print("  not so:", json.dumps(asked), "\n    compiler", json.dumps(record["algorithm"]),
              "\n    rules   ", json.dumps(said))
    return decided


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("records", nargs="*")
    parser.add_argument("--rest", type=int, default=10, help="records to list that disagree")
    parser.add_argument("--rules", action="store_true",
                        help="records that each rule decides, among those it was made on")
    options = parser.parse_args()
    paths = [pathlib.Path(p) for p in options.records] or sorted(HERE.glob("collectives*.json"))
    decided = collections.Counter()
    for path in paths:
        by_rule = score(path, options.rest)
        if path.name in MADE_ON:
            decided += by_rule
    if options.rules:
        for number, rule in enumerate(RULES["rules"]):
            same = decided[number] == rule["records"]
            stale = "" if same else f" (the file says {rule['records']})"
            print(f"{decided[number]:5}{stale}  {rule['why']}")


if __name__ == "__main__":
    main()
