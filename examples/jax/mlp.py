# SPDX-License-Identifier: Apache-2.0
"""A training step of a multilayer perceptron, its batch cut over all devices and its weights, too (FSDP).

    alxsim-dump-hlo v5e:4x4 mlp.py:step -o out
    alxsim import hlo out/step.hlo.txt.gz
"""
import jax
import jax.numpy as jnp
from jax.experimental import mesh_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec

BATCH, WIDTH, LAYERS = 8192, 4096, 4


def loss(weights, x, y):
    for weight in weights:
        x = jax.nn.gelu(x @ weight)
    return jnp.mean(jnp.square((x - y).astype(jnp.float32)))


def train(weights, x, y):
    gradients = jax.grad(loss)(weights, x, y)
    return [weight - 0.01 * gradient for weight, gradient in zip(weights, gradients)]


def step(devices):
    mesh = Mesh(mesh_utils.create_device_mesh((len(devices),), devices), ("data",))
    cut = NamedSharding(mesh, PartitionSpec("data"))
    weights = [jax.ShapeDtypeStruct((WIDTH, WIDTH), jnp.bfloat16, sharding=cut) for _ in range(LAYERS)]
    batch = jax.ShapeDtypeStruct((BATCH, WIDTH), jnp.bfloat16, sharding=cut)
    return jax.jit(train, donate_argnums=0, out_shardings=[cut] * LAYERS), (weights, batch, batch)
