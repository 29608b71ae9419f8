#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles an MLP whose factors are quantized before each product, for slices of TPUs: quantized/*.hlo.txt.gz.

    make_quantized.py FOLDER

Needs JAX with libtpu (README.md); no TPU. bf16 [4096 x 4096] on every device, its root mean square norm, times
bf16 [4096 x 8192] cut along the columns, silu, times bf16 [8192 x 4096] cut along the rows, whose sum is left out. Scales
as AQT has them for int8 (a row of the left, a column of the right factor), one a factor for fp8.
"""
import gzip
import json
import os
import re
import sys

from make_products import ENVIRONMENT

os.environ.update(ENVIRONMENT)

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
from jax import lax  # noqa: E402
from jax.experimental import mesh_utils, topologies  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P  # noqa: E402

PROGRAMS = {"int8__v5e-2x2": ("v5e:2x2", 4), "int8__v6e-2x2": ("v6e:2x2", 4), "fp8__v6e-2x2": ("v6e:2x2", 4),
            "fp8__tpu7x-2x2x1": ("tpu7x:2x2x1", 8)}


def quantized(x, axis, largest, dtype):
    scale = jnp.max(jnp.abs(x).astype(jnp.float32), axis, keepdims=True) / largest + 1e-9
    numbers = x.astype(jnp.float32) * lax.reciprocal(scale)
    return (jnp.round(numbers) if dtype == jnp.int8 else numbers).astype(dtype), scale


def product(of_int8):
    dtype, largest, sums = (jnp.int8, 127, jnp.int32) if of_int8 else (jnp.float8_e4m3fn, 448, jnp.float32)

    def f(x, w):
        left, left_scale = quantized(x, 1 if of_int8 else None, largest, dtype)
        right, right_scale = quantized(w, 0 if of_int8 else None, largest, dtype)
        result = lax.dot_general(left, right, (((1,), (0,)), ((), ())), preferred_element_type=sums)
        return (result.astype(jnp.float32) * left_scale * right_scale).astype(jnp.bfloat16)
    return f


def norm(x, gain):
    mean = jnp.mean(jnp.square(x.astype(jnp.float32)), -1, keepdims=True)
    return (x * lax.rsqrt(mean + 1e-5) * gain).astype(jnp.bfloat16)


def mlp(of_int8):
    times = product(of_int8)

    def f(x, gain, up, down):
        return times(jax.nn.silu(times(norm(x, gain), up)).astype(jnp.bfloat16), down)
    return f


def main():
    folder = sys.argv[1]
    for name, (topology, devices) in PROGRAMS.items():
        described = topologies.get_topology_desc(platform="tpu", topology_name=topology)
        mesh = Mesh(mesh_utils.create_device_mesh((devices,), list(described.devices)), ("tensor",))
        specs = (P(), P(), P(None, "tensor"), P("tensor", None))
        f = jax.shard_map(mlp(name.startswith("int8")), mesh=mesh, in_specs=specs, out_specs=P("tensor"), check_vma=False)
        shapes = ((4096, 4096), (4096,), (4096, 8192), (8192, 4096))
        compiled = jax.jit(f).lower(*(jax.ShapeDtypeStruct(shape, jnp.bfloat16, sharding=NamedSharding(mesh, spec))
                                      for shape, spec in zip(shapes, specs))).compile()
        text = re.sub(r"(?ms)^FileNames.*?(?=^%|^ENTRY)", "", compiled.as_text())  # where the source stood
        text = re.sub(r" stack_frame_id=\d+", "", text)
        place = [{"partition": i, "id": d.id, "coords": list(d.coords), "core": d.core_on_chip, "slice": 0}
                 for i, d in enumerate(mesh.devices.flat)]
        with open(os.path.join(folder, name + ".hlo.txt.gz"), "wb") as file:
            file.write(gzip.compress(text.encode(), mtime=0))
        with open(os.path.join(folder, name + ".json"), "w") as file:
            json.dump({"topology": topology, "slices": 1, "assignment": place}, file)
            file.write("\n")


if __name__ == "__main__":
    main()
