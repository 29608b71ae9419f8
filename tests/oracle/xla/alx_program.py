# SPDX-License-Identifier: Apache-2.0
"""The update step of the released ALX, written anew from its description, for XLA to compile.

A step gathers a batch's rows of the fixed table, solves a system a row, and adds the solutions to
the updated table. All devices of a slice run it (shard_map); nothing is executed here.
"""

import os

os.environ.update(
    TPU_SKIP_MDS_QUERY="1",
    JAX_PLATFORMS="cpu",
    ALLOW_MULTIPLE_LIBTPU_LOAD="1",
    TPU_ACCELERATOR_TYPE="v3-8",
    TPU_WORKER_HOSTNAMES="localhost",
)

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import topologies
from jax.sharding import Mesh, NamedSharding, PartitionSpec

AXIS = "devices"
ALPHA = 0.001
REG = 0.001


def owned(ids, shard_rows):
    """Which ids a device's shard holds, and where in it."""
    first = jax.lax.axis_index(AXIS) * shard_rows
    return (ids >= first) & (ids < first + shard_rows), ids - first


def looked_up(table, ids):
    """Rows of a device's own shard, zero for those of others; ids clamp at its edges."""
    mine, places = owned(ids, table.shape[0])
    rows = jnp.take(table, places, axis=0, mode="clip")
    return rows * mine[..., None].astype(table.dtype)


def gathered_in_turn(table, ids):
    """One device's batch after another: looked up by all, summed, kept by its owner."""
    everybodys = jax.lax.all_gather(ids, AXIS)
    own = jax.lax.axis_index(AXIS)

    def turn(kept, device):
        rows = jax.lax.psum(looked_up(table, everybodys[device]), AXIS)
        return jax.lax.cond(device == own, lambda: rows, lambda: kept), None

    nothing = jnp.zeros((ids.shape[0], table.shape[1]), table.dtype)
    return jax.lax.scan(turn, nothing, jnp.arange(everybodys.shape[0]))[0]


def gathered_at_once(table, ids):
    everybodys = jax.lax.all_gather(ids, AXIS)
    return jax.lax.psum(looked_up(table, everybodys), AXIS)[jax.lax.axis_index(AXIS)]


def solved(rows, lines, gramian, lengths, other_rows):
    """Conjugate gradients on the normal equations of each row of the batch."""
    dim = rows.shape[-1]
    wide = jax.lax.convert_element_type(rows.reshape(lines.shape[0], -1, dim), jnp.float32)
    segments = lengths.shape[0]
    windows = jax.ops.segment_sum(
        jnp.einsum("bij,bik->bjk", wide, wide), lines, segments
    )
    right = jax.ops.segment_sum(jnp.einsum("bij->bj", wide), lines, segments)
    regularizer = REG * (lengths + ALPHA * other_rows)
    systems = windows + ALPHA * gramian + regularizer[:, None, None] * jnp.eye(dim)
    solve = lambda system, rhs: jax.scipy.sparse.linalg.cg(lambda x: system @ x, rhs)[0]
    return jax.vmap(solve)(systems, right)


def step(gather):
    """The step of a device, of arguments as `arguments` lists them."""

    def of_device(fixed, own, ids, gramian, lengths, row_ids, lines, other_rows):
        rows = gather(fixed, ids)
        solutions = solved(rows, lines, gramian, lengths, other_rows[0])
        solutions = jax.lax.convert_element_type(solutions, own.dtype)
        all_solutions = jax.lax.all_gather(solutions, AXIS).reshape(-1, own.shape[1])
        all_ids = jax.lax.all_gather(row_ids, AXIS).reshape(-1)
        mine, places = owned(all_ids, own.shape[0])
        old = jnp.take(own, places, axis=0, mode="clip")
        residual = (all_solutions - old) * mine[:, None].astype(own.dtype)
        return own.at[places].add(residual)

    return of_device


def arguments(fixed_rows, own_rows, lines, line_length, batch_rows, dim, devices):
    """Shapes and dtypes of what a device gets: shards of rows // devices + 1 rows."""
    return [
        ((fixed_rows // devices + 1, dim), jnp.bfloat16),
        ((own_rows // devices + 1, dim), jnp.bfloat16),
        ((lines * line_length,), jnp.int32),
        ((dim, dim), jnp.bfloat16),
        ((batch_rows,), jnp.int32),
        ((batch_rows,), jnp.int32),
        ((lines,), jnp.int32),
        ((1,), jnp.int32),
    ]


def compiled(topology, shapes, gather=gathered_in_turn, donate=False, devices=None):
    """Compiles for a slice such as "v3:4x4", or for the first of its devices; raises what the
    compiler raises if the step does not fit."""
    slice_ = topologies.get_topology_desc(platform="tpu", topology_name=topology)
    used = slice_.devices[:devices]
    count = len(used)
    mesh = Mesh(np.array(used), (AXIS,))
    cut = NamedSharding(mesh, PartitionSpec(AXIS))

    def of_device(*parts):
        return step(gather)(*(part[0] for part in parts))[None]

    program = jax.shard_map(
        of_device,
        mesh=mesh,
        in_specs=PartitionSpec(AXIS),
        out_specs=PartitionSpec(AXIS),
        check_vma=False,
    )
    structs = [
        jax.ShapeDtypeStruct((count, *shape), dtype, sharding=cut) for shape, dtype in shapes
    ]
    options = {"donate_argnums": (1,)} if donate else {}
    return jax.jit(program, **options).lower(*structs).compile()
