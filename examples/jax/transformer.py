# SPDX-License-Identifier: Apache-2.0
"""A training step of a decoder of our own in plain JAX: causal attention, gated MLP or experts, scanned over layers,
weights and batch cut over all devices (FSDP), or heads and MLP over an axis of the slice (tensor).

    alxsim-dump-hlo v5e:4x4 transformer.py:step -o out

or, for several of them, alxsim.jax.search (docs/jax_module.md).
"""
import functools

import jax
import jax.numpy as jnp
from jax.ad_checkpoint import checkpoint_name
from jax.experimental import mesh_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

LAYERS, HIDDEN, HEADS, MLP, VOCABULARY, SEQUENCE = 4, 2048, 16, 8192, 32768, 2048

RECOMPUTATION = {
    "none": None,
    "dots": jax.checkpoint_policies.dots_with_no_batch_dims_saveable,
    "full": jax.checkpoint_policies.nothing_saveable,
    "offload": jax.checkpoint_policies.save_and_offload_only_these_names(
        names_which_can_be_saved=[], names_which_can_be_offloaded=["layer_input"], offload_src="device",
        offload_dst="pinned_host"),
}


def norm(x, scale):
    wide = x.astype(jnp.float32)
    return (wide * jax.lax.rsqrt(jnp.mean(wide * wide, -1, keepdims=True) + 1e-6)).astype(x.dtype) * scale


def attention(x, layer):
    batch, length, hidden = x.shape
    queries, keys, values = (
        (x @ layer[name]).reshape(batch, length, HEADS, hidden // HEADS) for name in ("queries", "keys", "values"))
    scores = jnp.einsum("bqhd,bkhd->bhqk", queries, keys).astype(jnp.float32) / (hidden // HEADS) ** 0.5
    seen = jnp.tril(jnp.ones((length, length), bool))
    weights = jax.nn.softmax(jnp.where(seen, scores, -1e30)).astype(x.dtype)
    return jnp.einsum("bhqk,bkhd->bqhd", weights, values).reshape(batch, length, hidden) @ layer["output"]


def mlp(x, layer):
    return (jax.nn.silu(x @ layer["gate"]) * (x @ layer["up"])) @ layer["down"]


def mixture(x, layer):
    """Each token's two best experts, all of them computed for groups of tokens that each expert takes at most."""
    batch, length, hidden = x.shape
    experts = layer["router"].shape[-1]
    capacity = 2 * length // experts
    chances = jax.nn.softmax((x @ layer["router"]).astype(jnp.float32))
    weight, choice = jax.lax.top_k(chances, 2)
    chosen = jax.nn.one_hot(choice, experts, dtype=jnp.float32)
    place = jnp.cumsum(chosen.reshape(batch, 2 * length, experts), 1).reshape(chosen.shape) * chosen - 1
    slots = jax.nn.one_hot(place.astype(jnp.int32), capacity, dtype=x.dtype) * chosen[..., None].astype(x.dtype)
    send = slots.sum(2)  # [batch, token, expert, slot]
    back = (slots * weight[..., None, None].astype(x.dtype)).sum(2)
    taken = jnp.einsum("btec,bth->ebch", send, x)
    hidden_units = jax.nn.silu(jnp.einsum("ebch,ehm->ebcm", taken, layer["up"]))
    made = jnp.einsum("ebcm,emh->ebch", hidden_units, layer["down"])
    return jnp.einsum("btec,ebch->bth", back, made)


def block(x, layer):
    x = checkpoint_name(x, "layer_input")
    x = x + attention(norm(x, layer["first_norm"]), layer)
    return x + (mixture if "router" in layer else mlp)(norm(x, layer["second_norm"]), layer), None


def loss(weights, tokens, policy):
    x = weights["embedding"][tokens]
    run = block if policy is None else jax.checkpoint(block, policy=policy, prevent_cse=False)
    x, _ = jax.lax.scan(run, x, weights["layers"])
    logits = (norm(x, weights["norm"]) @ weights["embedding"].T).astype(jnp.float32)
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits[:, :-1]), tokens[:, 1:, None], -1))


def train(weights, tokens, policy):
    gradients = jax.grad(loss)(weights, tokens, policy)
    return jax.tree.map(lambda weight, gradient: weight - 1e-3 * gradient.astype(weight.dtype), weights, gradients)


def shapes(experts):
    layer = {name: (HIDDEN, HIDDEN) for name in ("queries", "keys", "values", "output")}
    layer |= {"first_norm": (HIDDEN,), "second_norm": (HIDDEN,)}
    if experts:
        layer |= {"router": (HIDDEN, experts), "up": (experts, HIDDEN, MLP), "down": (experts, MLP, HIDDEN)}
    else:
        layer |= {"gate": (HIDDEN, MLP), "up": (HIDDEN, MLP), "down": (MLP, HIDDEN)}
    layers = {name: (LAYERS, *shape) for name, shape in layer.items()}
    return {"embedding": (VOCABULARY, HIDDEN), "norm": (HIDDEN,), "layers": layers}


def cut(name, shape, sharding, experts):
    """How an array of weights is cut over the mesh."""
    last = len(shape) - 1
    if len(shape) - (name not in ("embedding", "norm")) < 2:
        return P()
    if experts and name in ("up", "down"):
        return P(None, "data")
    axes = [None] * len(shape)
    if sharding == "tensor":
        axes[last - 1 if name in ("output", "down") else last] = "tensor"
    axes[axes.index(None, last - 1) if None in axes[last - 1:] else last] = "data"
    return P(*axes)


def step(devices, recomputation="none", sharding="fsdp", experts=0, batch=None, slices=1):
    """(jitted, arguments) on these devices. batch: sequences, one a device if it is left out."""
    tensor = 4 if sharding == "tensor" else 1
    sizes = (len(devices) // tensor, tensor)
    if slices > 1:
        grid = mesh_utils.create_hybrid_device_mesh((sizes[0] // slices, tensor), (slices, 1), devices)
    else:
        grid = mesh_utils.create_device_mesh(sizes, devices)
    mesh = Mesh(grid, ("data", "tensor"))
    weights = jax.tree_util.tree_map_with_path(
        lambda path, shape: jax.ShapeDtypeStruct(
            shape, jnp.bfloat16, sharding=NamedSharding(mesh, cut(path[-1].key, shape, sharding, experts))),
        shapes(experts), is_leaf=lambda one: isinstance(one, tuple))
    tokens = jax.ShapeDtypeStruct((batch or sizes[0], SEQUENCE), jnp.int32, sharding=NamedSharding(mesh, P("data")))
    function = functools.partial(train, policy=RECOMPUTATION[recomputation])
    where = jax.tree.map(lambda weight: weight.sharding, weights)
    return jax.jit(function, donate_argnums=0, out_shardings=where), (weights, tokens)
