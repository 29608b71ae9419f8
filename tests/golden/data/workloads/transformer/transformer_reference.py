#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tiny transformers in f64 by JAX, whose gradients are automatic: what workloads/transformer is held against.

    transformer_reference.py        # first holds itself against gpt2_tiny.json, then writes the other files beside it

NAME.json: the model as a study says it, loss, norms of gradients, losses of eight steps (each before its step) of
Adam (Kingma and Ba 2015, rate 1e-2, 0.9, 0.999, 1e-8), which assignments of tokens to experts were dropped and how
close the router's choice was. NAME_gradient.npy: gradients, flattened in the order of `gradient_order`.

Beside llama_tiny's: losses with SGD (rate 0.1) and with Adafactor, and llama_tiny_decode_logits.npy
[b][4][V]: logits of the last four positions of each sequence, from a prefill of all tokens before and four steps with
a cache of keys and values; the script ends with an error where they are not those of the whole forward to 1e-12.

Adafactor is that of Shazeer and Stern 2018 (algorithms 4 and 5): no momentum, no relative step; step t has the decay
1 - t^-0.8; 1e-30 is added to each squared gradient; of a matrix sums over rows and over columns are kept, the second
moment of g_ij is R_i C_j / sum(R); of a vector each number's; the update g / sqrt(moment) is divided by
max(1, its root mean square); the weights move by 1e-2 times that.

Numbers are drawn as base/numbers/random.h says: stream t is of the t-th parameter, counted from 1.
"""
import json
import os

import jax

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", "cpu")

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
STDDEV = 0.1
STEPS = 8
CACHED_STEPS = 4

TINY = {"layers": 2, "hidden": 32, "heads": 4, "vocabulary": 64, "sequence": 16, "batch": 4}
LLAMA = {**TINY, "kv_heads": 2, "mlp_width": 48, "gated": True, "activation": "silu", "norm": "rms",
         "positions": "rotary", "biases": "none", "tied": False}
EXPERTS = {"count": 4, "per_token": 2, "width": 24, "capacity": 0}
MODELS = {
    "llama_tiny": LLAMA,
    "window_tiny": {**LLAMA, "window": 5, "head_size": 12},
    "qwen_tiny": {**LLAMA, "kv_heads": 1, "biases": "qkv", "qk_norm": True, "tied": True},
    "relu_tiny": {**TINY, "activation": "relu", "norm": "rms", "positions": "rotary", "biases": "none"},
    "moe_tiny": {**LLAMA, "experts": EXPERTS},
    "moe_capacity_tiny": {**LLAMA, "experts": {**EXPERTS, "capacity": 1.0}},
}


# --- what is drawn ---

def mix64(value):
    with np.errstate(over="ignore"):
        value = value + np.uint64(0x9E3779B97F4A7C15)
        value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return value ^ (value >> np.uint64(31))


def keys_of(stream, count):
    return (np.uint64(stream) << np.uint64(32)) + np.arange(count, dtype=np.uint64)


def normals(stream, shape):
    keys = keys_of(stream, int(np.prod(shape)))
    unit = [((mix64(k) >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53 for k in (keys, ~keys)]
    return (np.sqrt(-2 * np.log(unit[0])) * np.cos(2 * np.pi * unit[1])).reshape(shape)


def drawn_tokens(model):
    b, s = model["batch"], model["sequence"]
    bits = mix64(keys_of(1000, b * (s + 1))) >> np.uint64(32)
    return ((bits * np.uint64(model["vocabulary"])) >> np.uint64(32)).astype(np.int32).reshape(b, s + 1)


# --- the model ---

def sizes(model):
    """(head width, kv heads, numbers of a row of qkv, width of the MLP or of an expert's, of its first product)."""
    width = model.get("head_size") or model["hidden"] // model["heads"]
    keys = model.get("kv_heads") or model["heads"]
    inner = model["experts"]["width"] if "experts" in model else model.get("mlp_width") or 4 * model["hidden"]
    return width, keys, (model["heads"] + 2 * keys) * width, inner, inner * (2 if model.get("gated") else 1)


def parameter_shapes(model):
    h, v, layered = model["hidden"], model["vocabulary"], model.get("norm", "layer") == "layer"
    width, _, qkv, inner, fc1 = sizes(model)
    biases = model.get("biases", "all")

    def norm(name):
        return {name + ".g": (h,), **({name + ".b": (h,)} if layered else {})}

    shapes = {"wte": (v, h)}
    if model.get("positions", "learned") == "learned":
        shapes["wpe"] = (model["sequence"], h)
    for layer in range(model["layers"]):
        one = {**norm("ln1"), "qkv.w": (h, qkv)}
        if biases != "none":
            one["qkv.b"] = (qkv,)
        if model.get("qk_norm"):
            one.update({"q_norm.g": (width,), "k_norm.g": (width,)})
        one["proj.w"] = (model["heads"] * width, h)
        if biases == "all":
            one["proj.b"] = (h,)
        one.update(norm("ln2"))
        if "experts" in model:
            count = model["experts"]["count"]
            one.update({"router.w": (h, count), "experts.fc1.w": (count * h, fc1), "experts.fc2.w": (count * inner, h)})
        else:
            one["fc1.w"] = (h, fc1)
            if biases == "all":
                one["fc1.b"] = (fc1,)
            one["fc2.w"] = (inner, h)
            if biases == "all":
                one["fc2.b"] = (h,)
        shapes.update({f"{layer}.{name}": shape for name, shape in one.items()})
    shapes.update(norm("lnf"))
    if not model.get("tied", True):
        shapes["head.w"] = (v, h)
    return shapes


def initial(model):
    return {name: (1.0 if name.endswith(".g") else 0.0) + STDDEV * normals(stream, shape)
            for stream, (name, shape) in enumerate(parameter_shapes(model).items(), 1)}


def rms(x, gamma):
    return x / jnp.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * gamma


def normalized(model, p, name, x):
    if model.get("norm", "layer") == "rms":
        return rms(x, p[name + ".g"])
    centred = x - x.mean(-1, keepdims=True)
    return centred / jnp.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * p[name + ".g"] + p[name + ".b"]


def turned(x, positions):
    """x [b][s][heads][d]: (x_i, x_{i + d/2}) by the angle position 10000^(-2i/d)."""
    half = x.shape[-1] // 2
    angles = positions[:, None] * 1e4 ** (-2.0 * np.arange(half) / x.shape[-1])
    cos, sin = np.cos(angles)[:, None, :], np.sin(angles)[:, None, :]
    low, high = x[..., :half], x[..., half:]
    return jnp.concatenate([low * cos - high * sin, low * sin + high * cos], -1)


def queries_keys_values(model, p, x, positions):
    width, keys, _, _, _ = sizes(model)
    qkv = x @ p["qkv.w"] + p.get("qkv.b", 0.0)
    q, k, v = jnp.split(qkv, [model["heads"] * width, (model["heads"] + keys) * width], -1)
    q, k, v = (part.reshape(*x.shape[:2], -1, width) for part in (q, k, v))
    if model.get("qk_norm"):
        q, k = rms(q, p["q_norm.g"]), rms(k, p["k_norm.g"])
    if model.get("positions", "learned") == "rotary":
        q, k = turned(q, positions), turned(k, positions)
    return q, k, v


def attention(model, q, k, v, positions, key_positions):
    group = model["heads"] // k.shape[2]
    scores = jnp.einsum("bihd,bjhd->bhij", q, jnp.repeat(k, group, 2)) / np.sqrt(q.shape[-1])
    behind = positions[:, None] - key_positions[None, :]
    seen = (behind >= 0) & (behind < (model.get("window") or np.inf))
    weights = jax.nn.softmax(jnp.where(seen, scores, -jnp.inf), -1)
    return jnp.einsum("bhij,bjhd->bihd", weights, jnp.repeat(v, group, 2)).reshape(*q.shape[:2], -1)


def between(model, x):
    act = {"gelu": lambda t: 0.5 * t * (1 + jnp.tanh(np.sqrt(2 / np.pi) * (t + 0.044715 * t**3))),
           "relu": lambda t: jnp.maximum(t, 0), "silu": lambda t: t / (1 + jnp.exp(-t))}[model.get("activation", "gelu")]
    if not model.get("gated"):
        return act(x)
    gate, up = jnp.split(x, 2, -1)
    return act(gate) * up


def routing(experts, logits):
    """Weight of each expert for each token [b][s][count], and which of the choices [b][s][per_token] had no place."""
    b, s, count = logits.shape
    best, chosen = jax.lax.top_k(logits, experts["per_token"])  # of equal ones the lower expert first
    weights = jax.nn.softmax(best, -1)
    goes_to = jax.nn.one_hot(chosen, count, dtype=jnp.int64)  # [b][s][per_token][count]
    in_order = goes_to.reshape(b, s * experts["per_token"], count)
    before = ((jnp.cumsum(in_order, 1) - in_order) * in_order).sum(-1).reshape(chosen.shape)
    places = np.ceil(experts["capacity"] * s * experts["per_token"] / count) if experts["capacity"] else np.inf
    kept = before < places
    return ((weights * kept)[..., None] * goes_to).sum(2), ~kept


def mixture(model, p, x):
    experts = model["experts"]
    weights, _ = routing(experts, x @ p["router.w"])
    fc1 = p["experts.fc1.w"].reshape(experts["count"], model["hidden"], -1)
    fc2 = p["experts.fc2.w"].reshape(experts["count"], experts["width"], -1)
    inner = between(model, jnp.einsum("bsh,ehf->bsef", x, fc1))
    return jnp.einsum("bsef,efh,bse->bsh", inner, fc2, weights)


def mlp(model, p, x):
    if "experts" in model:
        return mixture(model, p, x)
    return between(model, x @ p["fc1.w"] + p.get("fc1.b", 0.0)) @ p["fc2.w"] + p.get("fc2.b", 0.0)


def of_layer(p, layer):
    start = f"{layer}."
    return {name[len(start):]: value for name, value in p.items() if name.startswith(start)}


def forward(model, p, tokens, cache=None, router_inputs=None):
    """Logits of `tokens`; with a cache, a list of (k, v) of each layer, these come after what it holds, and join it."""
    begin = cache[0][0].shape[1] if cache else 0
    positions = np.arange(begin, begin + tokens.shape[1])
    x = p["wte"][tokens]
    if "wpe" in p:
        x = x + p["wpe"][positions]
    for layer in range(model["layers"]):
        own = of_layer(p, layer)
        q, k, v = queries_keys_values(model, own, normalized(model, own, "ln1", x), positions)
        if cache is not None:
            if len(cache) <= layer:
                cache.append((k[:, :0], v[:, :0]))
            k, v = cache[layer] = tuple(jnp.concatenate(pair, 1) for pair in zip(cache[layer], (k, v)))
        context = attention(model, q, k, v, positions, np.arange(k.shape[1]))
        x = x + (context @ own["proj.w"] + own.get("proj.b", 0.0))
        normal = normalized(model, own, "ln2", x)
        if router_inputs is not None:
            router_inputs.append(normal)
        x = x + mlp(model, own, normal)
    return normalized(model, p, "lnf", x) @ p.get("head.w", p["wte"]).T


def loss_of(model):
    def loss(p, tokens):
        logits = forward(model, p, tokens[:, :-1])
        chosen = jnp.take_along_axis(logits, tokens[:, 1:, None], -1)[..., 0]
        return (jax.nn.logsumexp(logits, -1) - chosen).mean()

    return jax.jit(jax.value_and_grad(loss))


# --- optimizers: each makes a function (step, parameter's name, gradient) -> what is taken from the weights ---

def sgd(rate):
    return lambda step, name, g: rate * g


def adam(rate, betas=(0.9, 0.999), eps=1e-8):
    state = {}

    def update(step, name, g):
        mean, square = state.get(name, (0.0, 0.0))
        state[name] = mean, square = betas[0] * mean + (1 - betas[0]) * g, betas[1] * square + (1 - betas[1]) * g * g
        return rate * (mean / (1 - betas[0]**step)) / (np.sqrt(square / (1 - betas[1]**step)) + eps)

    return update


def adafactor(rate):
    state = {}

    def update(step, name, g):
        decay, square = 1 - step**-0.8, g * g + 1e-30
        new = (square.sum(1), square.sum(0)) if g.ndim == 2 else (square,)
        old = state.get(name, (0.0,) * len(new))
        state[name] = moments = tuple(decay * o + (1 - decay) * n for o, n in zip(old, new))
        moment = np.outer(*moments) / moments[0].sum() if g.ndim == 2 else moments[0]
        u = g / np.sqrt(moment)
        return rate * u / max(1.0, np.sqrt((u * u).mean()))

    return update


def losses(model, tokens, update):
    p, value_and_gradient, found = initial(model), loss_of(model), []
    for step in range(1, STEPS + 1):
        loss, gradient = value_and_gradient(p, tokens)
        found.append(float(loss))
        p = {name: value - update(step, name, np.asarray(gradient[name])) for name, value in p.items()}
    return found


# --- what is written ---

def flattened(model, gradient):
    return np.concatenate([np.asarray(gradient[name]).ravel() for name in parameter_shapes(model)])


def check_gpt2():
    model = TINY
    tokens = drawn_tokens(model)
    with open(os.path.join(HERE, "gpt2_tiny.json")) as file:
        expected = json.load(file)
    loss, gradient = loss_of(model)(initial(model), tokens)
    assert list(parameter_shapes(model)) == list(expected["gradient_order"])
    of_gradient = np.load(os.path.join(HERE, "gpt2_tiny_gradient.npy")).ravel()
    errors = {"loss": abs(float(loss) - expected["loss"]["serial"]),
              "gradient": abs(flattened(model, gradient) - of_gradient).max(),
              "adam": max(abs(np.subtract(losses(model, tokens, adam(1e-2)), expected["adam"]["losses_serial"])))}
    print("gpt2_tiny, differences from another implementation:", errors)
    assert errors["loss"] < 1e-12 and errors["gradient"] < 1e-12 and errors["adam"] < 1e-10


def routing_facts(model, p, tokens):
    """Of each layer: assignments that were dropped, and the least distance between the last choice and the next."""
    inputs = []
    forward(model, p, tokens[:, :-1], router_inputs=inputs)
    per_token, facts = model["experts"]["per_token"], []
    for layer, normal in enumerate(inputs):
        logits = normal @ p[f"{layer}.router.w"]
        in_order = np.sort(np.asarray(logits), -1)[..., ::-1]
        facts.append({"dropped": int(routing(model["experts"], logits)[1].sum()),
                      "assignments": int(np.prod(logits.shape[:2])) * per_token,
                      "least_margin": float((in_order[..., :per_token] - in_order[..., 1:per_token + 1]).min())})
    return facts


def decoded_logits(model, p, tokens):
    """[b][CACHED_STEPS][V]"""
    whole = forward(model, p, tokens)
    cache, before = [], tokens.shape[1] - CACHED_STEPS
    forward(model, p, tokens[:, :before], cache)
    steps = [forward(model, p, tokens[:, i:i + 1], cache) for i in range(before, tokens.shape[1])]
    found = np.concatenate(steps, 1)
    error = abs(found - whole[:, before:]).max()
    print("decode, difference from the whole forward:", error)
    assert error < 1e-12
    return found


def write(name, model):
    tokens, p = drawn_tokens(model), initial(model)
    shapes = parameter_shapes(model)
    loss, gradient = loss_of(model)(p, tokens)
    result = {"model": model, "initial_stddev": STDDEV, "parameters": int(sum(np.prod(s) for s in shapes.values())),
              "loss": float(loss),
              "gradient_norms": {key: float(np.linalg.norm(gradient[key])) for key in shapes},
              "gradient_order": {key: list(shape) for key, shape in shapes.items()},
              "adam": {"lr": 1e-2, "losses": losses(model, tokens, adam(1e-2))}}
    if "experts" in model:
        result["routing"] = routing_facts(model, p, tokens)
    if name == "llama_tiny":
        result["sgd"] = {"lr": 0.1, "losses": losses(model, tokens, sgd(0.1))}
        result["adafactor"] = {"lr": 1e-2, "losses": losses(model, tokens, adafactor(1e-2))}
        np.save(os.path.join(HERE, name + "_decode_logits.npy"), decoded_logits(model, p, tokens[:, :-1]))
    with open(os.path.join(HERE, name + ".json"), "w") as file:
        json.dump(result, file, indent=1)
        file.write("\n")
    np.save(os.path.join(HERE, name + "_gradient.npy"), flattened(model, gradient))
    print(name, result["parameters"], "parameters, loss", result["loss"], result.get("routing", ""))


if __name__ == "__main__":
    check_gpt2()
    for each, of in MODELS.items():
        write(each, of)
