# SPDX-License-Identifier: Apache-2.0
"""Asks the TPU compiler which algorithm it takes for a collective; needs no TPU.

    python3 -m venv ENV && ENV/bin/pip install "jax[tpu]==0.10.2" libtpu==0.0.42.1
    ENV/bin/python make_collectives.py collectives_cases.txt -o FILE.json

A line of the cases file: CHIP SLICE WRAP KINDS AXES DTYPES BYTES [slices=N], e.g.
    v5p 4x4x8 111 all_reduce,all_gather xyz,x f32 4K,1M,64M
WRAP has a digit an axis (1 = a ring). AXES are letters: x, y, z, c (the cores of a chip where a
core is a device), s (slices); BYTES are of the whole: what a device puts into an all-reduce, a
reduce-scatter or an all-to-all, and gets from an all-gather. `v4m` is v4 with megacore.
"""
import argparse
import importlib.metadata
import os
import re
import sys

os.environ.update(TPU_SKIP_MDS_QUERY="1", JAX_PLATFORMS="cpu", ALLOW_MULTIPLE_LIBTPU_LOAD="1",
                  TPU_ACCELERATOR_TYPE="v3-8", TPU_WORKER_HOSTNAMES="localhost")

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import topologies
from jax.sharding import Mesh, NamedSharding, PartitionSpec

import canonical

PLATFORM_NAMES = {"v4m": "v4", "7x": "tpu7x"}
DTYPES = {"f32": jnp.float32, "bf16": jnp.bfloat16, "i8": jnp.int8}


def bytes_of(text):
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
    return int(text[:-1]) * units[text[-1]] if text[-1] in units else int(text)


def mesh_of(chip, slice_shape, wrap, slices):
    """A mesh with an axis for slices (s), each axis of the slice and cores (c), by coordinates."""
    more = {"chip_config_name": "megacore"} if chip == "v4m" else {}
    if slices > 1:
        more["num_slices"] = slices
    name = PLATFORM_NAMES.get(chip, chip) + ":" + slice_shape
    rings = [digit == "1" for digit in wrap] + [False] * (3 - len(wrap))
    devices = topologies.get_topology_desc(
        platform="tpu", topology_name=name, wrap=rings, **more).devices
    sides = [int(n) for n in slice_shape.split("x")]
    cores = 1 + max(d.core_on_chip for d in devices)
    placed = np.empty((slices, *sides, cores), object)
    for d in devices:
        placed[(d.slice_index if slices > 1 else 0, *d.coords[:len(sides)], d.core_on_chip)] = d
    return Mesh(placed, ("s", *"xyz"[:len(sides)], "c"))


def local_shape(elements, devices, size):
    """Rows and columns as layouts of the TPU like them; one dimension where rows do not divide."""
    columns = 1024 if size >= 1 << 20 else 128
    rows = elements // columns
    whole = rows and elements % columns == 0 and rows % devices == 0
    return (rows, columns) if whole else (elements,)


def function_of(kind, axes, devices):
    ring = [(i, (i + 1) % devices) for i in range(devices)]
    return {
        "all_reduce": lambda x: jax.lax.psum(x, axes),
        "all_gather": lambda x: jax.lax.all_gather(x, axes, axis=0, tiled=True),
        "reduce_scatter": lambda x: jax.lax.psum_scatter(
            x, axes, scatter_dimension=0, tiled=True),
        "all_to_all": lambda x: jax.lax.all_to_all(x, axes, 0, 0, tiled=True),
        "permute": lambda x: jax.lax.ppermute(x, axes, ring),
    }[kind]


def instructions_of(text):
    """The entry computation's instructions, as canonical.py wants them."""
    found = []
    entry = text[text.index("\nENTRY"):]
    for line in entry.splitlines()[1:]:
        op = re.match(r"\s+(?:ROOT )?%\S+ = .*?[\]})] ([a-z][a-z0-9-]*)\(", line)
        if not op or op[1] in ("parameter", "bitcast", "tuple", "get-tuple-element", "constant"):
            continue
        instruction = {"op": op[1]}
        for key in ("emitter", "strategy", "debug"):
            value = re.search(rf'"{key}":"((?:[^"\\]|\\.)*)"', line)
            if value and value[1]:
                instruction[key] = value[1]
        custom = re.search(r'custom_call_target="([^"]*)"', line)
        if custom:
            instruction["custom"] = custom[1]
        found.append(instruction)
    return found


def compile_case(mesh, kind, axes, dtype, size):
    """The canonical algorithm of one collective; None where the shape cannot be had."""
    devices = int(np.prod([mesh.shape[a] for a in axes]))
    elements = size // jnp.dtype(DTYPES[dtype]).itemsize
    shape = local_shape(elements, devices, size)
    if kind == "all_gather":
        if shape[0] % devices:
            return None
        shape = (shape[0] // devices, *shape[1:])
    if kind in ("reduce_scatter", "all_to_all") and shape[0] % devices:
        return None
    everything = PartitionSpec(mesh.axis_names)
    function = jax.jit(jax.shard_map(function_of(kind, axes, devices), mesh=mesh,
                                     in_specs=everything, out_specs=everything, check_vma=False))
    argument = jax.ShapeDtypeStruct((shape[0] * mesh.size, *shape[1:]), DTYPES[dtype],
                                    sharding=NamedSharding(mesh, everything))
    text = function.lower(argument).compile().as_text()
    several = sum(mesh.shape[a] > 1 for a in axes) > 1
    return canonical.canonical(kind, instructions_of(text), devices, several)


def cases_of(line):
    chip, slice_shape, wrap, kinds, groups, dtypes, sizes, *rest = line.split()
    slices = int(rest[0].removeprefix("slices=")) if rest else 1
    mesh = mesh_of(chip, slice_shape, wrap, slices)
    for kind in kinds.split(","):
        for group in groups.split(","):
            for dtype in dtypes.split(","):
                for size in map(bytes_of, sizes.split(",")):
                    try:
                        algorithm = compile_case(mesh, kind, tuple(group), dtype, size)
                    except Exception as error:  # a refusal of the compiler is told, not hidden
                        print("refused:", line, kind, group, dtype, size,
                              str(error)[:200].replace("\n", " "), file=sys.stderr)
                        continue
                    if algorithm:
                        yield {"chip": chip.removesuffix("m"), "slice": slice_shape,
                               "wrap": [d == "1" for d in wrap], "slices": slices,
                               "devices_a_chip": mesh.shape["c"], "kind": kind, "axes": group,
                               "order": "mesh", "dtype": dtype, "bytes": size,
                               "algorithm": algorithm}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases")
    parser.add_argument("-o", "--output", required=True)
    options = parser.parse_args()
    with open(options.cases) as lines:
        wanted = [line for line in lines if line.strip() and not line.startswith("#")]
    header = {"compiler": "libtpu " + importlib.metadata.version("libtpu"),
              "jax": jax.__version__}
    cases = []
    for line in wanted:
        cases += cases_of(line)
        canonical.write(options.output, header, cases)
    print(len(cases), "records")


if __name__ == "__main__":
    main()
