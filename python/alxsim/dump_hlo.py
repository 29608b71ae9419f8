#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles a jitted JAX function for a TPU slice that this machine does not have.

  alxsim-dump-hlo v5e:4x4 train.py:step -o out
  alxsim import hlo out/step.hlo.txt.gz

TOPOLOGY is a chip and its chips per axis: v2, v3, v4, v5e, v5p, v6e or tpu7x, then :4x4 or :2x2x4.
FILE.py:FUNCTION is called with the slice's devices and returns (jitted, arguments): build the mesh from
these devices in place of jax.devices(); arguments are arrays or jax.ShapeDtypeStruct with shardings.
jax.experimental.mesh_utils.create_device_mesh orders devices as the compiler expects them.

Writes FUNCTION.hlo.txt.gz, the compiled text, and FUNCTION.json, which says what the text does not: the
slice, its rings, which chip runs which partition, what XLA says of memory and cost. Both are for
'alxsim import hlo' and for studies ("workload": {"program": {"hlo": ...}}).

Needs Linux on x86-64 and JAX with libtpu, no TPU: pip install "jax[tpu]" in a virtual environment. On
other systems a hosted notebook or a container with Linux does.
"""
import argparse
import gzip
import importlib.util
import json
import os
import sys

# libtpu asks for a TPU's metadata and locks the machine's TPU where these are not set.
ENVIRONMENT = {
    "TPU_SKIP_MDS_QUERY": "1",
    "JAX_PLATFORMS": "cpu",
    "ALLOW_MULTIPLE_LIBTPU_LOAD": "1",
    "TPU_ACCELERATOR_TYPE": "v3-8",
    "TPU_WORKER_HOSTNAMES": "localhost",
}

CHIPS = ("v2", "v3", "v4", "v5e", "v5p", "v6e", "tpu7x")

# What public recipes set from v4 on (maxtext, configs/tpu/v5p; tpu-recipes, training/trillium).
RECIPE = {
    "xla_enable_async_all_gather": True,
    "xla_tpu_enable_async_collective_fusion": True,
    "xla_tpu_enable_async_collective_fusion_fuse_all_gather": True,
    "xla_tpu_enable_async_collective_fusion_multiple_steps": True,
    "xla_tpu_overlap_compute_collective_tc": True,
}


def prepare_environment():
    """Before JAX is imported."""
    for key, value in ENVIRONMENT.items():
        os.environ.setdefault(key, value)


class Refused(Exception):
    """What the user gave cannot be compiled; the message says why."""


def sizes_of(topology):
    """('v5e', [4, 4]) of v5e:4x4."""
    chip, _, shape = topology.partition(":")
    try:
        sizes = [int(size) for size in shape.split("x")]
    except ValueError:
        sizes = []
    if chip not in CHIPS or not sizes or min(sizes) < 1:
        raise Refused(f"'{topology}' is no topology; allowed: one of {', '.join(CHIPS)}, a colon and chips per axis, like v5e:4x4")
    return chip, sizes


def rings_of(chip, sizes):
    """Which axes' ends are joined, as the slice has them (Cloud TPU documentation: v5e and v6e wrap axes of 16, v4, v5p
    and 7x all axes where each is a multiple of 4, v2 and v3 whole pods alone). libtpu wants three values."""
    if chip in ("v5e", "v6e"):
        rings = [size == 16 for size in sizes]
    elif chip in ("v4", "v5p", "tpu7x"):
        rings = [all(size % 4 == 0 for size in sizes)] * len(sizes)
    else:
        rings = [sizes == {"v2": [16, 16], "v3": [32, 32]}[chip]] * len(sizes)
    return rings + [False] * (3 - len(rings))


def devices_of(topology, slices=1, rings=None):
    """The devices of a described slice, in libtpu's order. No TPU is involved."""
    from jax.experimental import topologies

    described = {"wrap": rings or rings_of(*sizes_of(topology))}
    if topology.startswith("v4:"):
        described["chip_config_name"] = "megacore"  # one device a chip, as v4 is used
    if slices > 1:
        described["num_slices"] = slices
    return list(topologies.get_topology_desc(platform="tpu", topology_name=topology, **described).devices)


def function_of(program):
    """The function that FILE.py:FUNCTION names."""
    path, _, name = program.rpartition(":")
    path = os.path.abspath(path) if path else ""
    if not path or not name:
        raise Refused(f"'{program}' is no FILE.py:FUNCTION")
    if not os.path.exists(path):
        raise Refused(f"{path}: no such file")
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    spec = importlib.util.spec_from_file_location("program", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if not hasattr(module, name):
        raise Refused(f"{path} has no function '{name}'")
    return name, getattr(module, name)


def flags_of(recipe, settings):
    flags = dict(RECIPE) if recipe else {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals:
            raise Refused(f"--flag {setting}: allowed: KEY=VALUE, like xla_tpu_overlap_compute_collective_tc=true")
        flags[key] = value
    return flags


def sidecar_of(name, target, compiled):
    """What the text does not say. `target`: topology, slices, wrap, flags."""
    import jax
    import libtpu

    shardings = jax.tree.leaves(compiled.input_shardings)
    several = (sharding for sharding in shardings if len(sharding.device_set) > 1)
    order = next((sharding._device_assignment for sharding in several), None) or list(shardings[0].device_set)[:1]
    memory, cost = compiled.memory_analysis(), compiled.cost_analysis() or {}
    return {
        "name": name,
        **target,
        "megacore": target["topology"].startswith(("v4:", "v5p:")),
        "jax": jax.__version__,
        "libtpu": libtpu.__version__,
        "assignment": [
            {"partition": i, "id": one.id, "coords": list(one.coords), "core": one.core_on_chip, "slice": getattr(one, "slice_index", None) or 0}
            for i, one in enumerate(order)
        ],
        "memory": {key: getattr(memory, key) for key in dir(memory) if key.endswith("_in_bytes")},
        "cost": {key: cost[key] for key in ("flops", "transcendentals", "bytes accessed") if key in cost},
    }


def write(path, data):
    """Whole or not at all."""
    with open(path + ".new", "wb") as file:
        file.write(data)
    os.replace(path + ".new", path)


def text_of(compiled, folders):
    """Without these folders of this machine: files in them by their names."""
    text = compiled.as_text()
    for folder in folders:
        text = text.replace(folder + "/", "")
    return text


def write_program(compiled, base, target, folders=()):
    """BASE.hlo.txt.gz and BASE.json; returns what the latter says."""
    sidecar = sidecar_of(os.path.basename(base), target, compiled)
    os.makedirs(os.path.dirname(base) or ".", exist_ok=True)
    write(base + ".json", (json.dumps(sidecar, indent=1) + "\n").encode())
    write(base + ".hlo.txt.gz", gzip.compress(text_of(compiled, folders).encode(), mtime=0))
    return sidecar


def dump(arguments):
    chip, sizes = sizes_of(arguments.topology)
    rings = rings_of(chip, sizes)
    flags = flags_of(arguments.flags == "recipe", arguments.flag)
    name, function = function_of(arguments.program)
    jitted, given = function(devices_of(arguments.topology, arguments.slices, rings))
    compiled = jitted.lower(*given).compile(compiler_options=flags or None)
    target = {"topology": arguments.topology, "slices": arguments.slices, "wrap": rings, "flags": flags}
    base = os.path.join(arguments.o, name)
    folders = [os.path.dirname(os.path.abspath(file)) for file in (arguments.program.rpartition(":")[0], __file__)]
    sidecar = write_program(compiled, base, target, folders)
    joined = ", ".join(f"axis of {size} {'a ring' if ring else 'no ring'}" for size, ring in zip(sizes, rings))
    print(f"Wrote {base}.hlo.txt.gz and {name}.json: {len(sidecar['assignment'])} devices of {arguments.topology} ({joined})")
    print(f"  alxsim import hlo {base}.hlo.txt.gz")


def main():
    prepare_environment()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("topology", metavar="TOPOLOGY")
    parser.add_argument("program", metavar="FILE.py:FUNCTION")
    parser.add_argument("-o", metavar="DIR", default=".", help="folder for what is written (default: here)")
    parser.add_argument("--slices", metavar="N", type=int, default=1, help="slices that the data center network joins")
    parser.add_argument("--flags", choices=["default", "recipe"], default="default", help="recipe: compiler flags of public recipes, which let all-gathers run beside compute")
    parser.add_argument("--flag", metavar="KEY=VALUE", action="append", default=[], help="a compiler flag; repeatable")
    arguments = parser.parse_args()
    try:
        import jax  # noqa: F401
        import libtpu  # noqa: F401
    except ImportError as error:
        sys.exit(f"alxsim-dump-hlo: {error.name} is not installed; on Linux x86-64: pip install \"jax[tpu]\" in a virtual environment")
    try:
        dump(arguments)
    except Refused as refusal:
        print(f"alxsim-dump-hlo: {refusal}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
