#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes rows/training.json: published training steps as op graphs of one layer times the layers.

    experiments/answers/validate/training/make_rows.py > experiments/answers/validate/rows/training.json

Nothing here was chosen by what a job took, but for two values of v5e's preset that its 16B jobs gave: shapes, shardings and what is kept for the backward pass
are as published, and what is not published is the same assumption for all (README.md).
"""
import json
import sys
from dataclasses import dataclass, field, replace

BF16 = 2
F32 = 4

OPERANDS = "operands"  # come and go with their op

MAXTEXT = "MaxText, configs/tpu/{}/README.md"
RECIPES = "tpu-recipes, training/{}"


@dataclass(frozen=True)
class Job:
    name: str
    source: str
    seconds: float  # published
    machine: str  # as its documentation calls chip and slice
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_size: int
    mlp_width: int
    gated: bool
    vocabulary: int
    tied: bool
    batch: int  # sequences of a device
    sequence: int
    fsdp: tuple  # axes of the network
    fsdp_devices: int
    tensor: tuple = ()
    tensor_devices: int = 1
    slices: int = 1
    flash: bool = True
    # What the backward pass finds: products computed once, and what went to the host.
    kept: tuple = ()
    on_host: tuple = ()
    master_bytes: int = F32
    note: str = ""

    @property
    def tokens(self):
        """Of a tensor-parallel group, which all its devices multiply with their shares of the weights."""
        return self.batch * self.sequence * self.tensor_devices

    @property
    def query_width(self):
        return self.heads * self.head_size // self.tensor_devices

    @property
    def kv_width(self):
        return max(1, self.kv_heads * self.head_size // self.tensor_devices)

    @property
    def width(self):
        return self.mlp_width // self.tensor_devices

    @property
    def layer_parameters(self):
        attention = self.hidden * self.head_size * (2 * self.heads + 2 * self.kv_heads)
        return attention + self.hidden * self.mlp_width * (3 if self.gated else 2)

    @property
    def head_parameters(self):
        return self.hidden * self.vocabulary

    @property
    def parameters(self):
        return self.layers * self.layer_parameters + self.head_parameters * (1 if self.tied else 2)


@dataclass
class Graph:
    """Ops, each after the one before it on the device; collectives of weights wait for nothing."""

    job: Job
    phase: str
    ops: list = field(default_factory=list)
    last: list = field(default_factory=list)  # what the next op waits for
    beside: list = field(default_factory=list)  # what runs beside the next product

    def add(self, op, chained=True):
        op["phase"] = op.get("phase", self.phase)
        if chained and self.last:
            op["after"] = self.last
        self.ops.append(op)
        if chained:
            self.last = [len(self.ops) - 1]

    def add_beside(self, op, after):
        """In ring steps beside a product, which waits for what it waits for: a collective matmul."""
        op |= {"phase": self.phase, "overlap": "async"}
        if after:
            op["after"] = after
        self.ops.append(op)
        return len(self.ops) - 1

    def product(self, name, m, k, n, batch=1, in_vmem=False, big=None):
        """`big`: the operand or result that is an array of its own, as ("reads", its name, its bytes);
        the others come and go with the op."""
        op = {"work": "matmul", "name": name, "m": m, "k": k, "n": n}
        if batch > 1:
            op["batch"] = batch
        if in_vmem:
            op |= {"reads": [], "writes": []}
        elif big:
            way, array, size = big
            op |= {"reads": [], "writes": [], way: uses(array, size)}
            others = (m * k + k * n + m * n) * batch * BF16 - size
            op["reads"] = op["reads"] + uses(OPERANDS, others)
        self.add(op)
        self.last += self.beside
        self.beside = []

    def vector(self, name, elements, operations, medium=0, reads=0, writes=0, sum_over=0, array=None):
        """`array`: of which it reads and writes each number in its place."""
        op = {"work": "vector", "name": name, "elements": elements, "dtype": "bf16", "ops_per_element": operations}
        if medium:
            op["medium_per_element"] = medium
        if sum_over:
            op |= {"reduction": "lanes", "minor": sum_over}
        op["reads"] = uses(array or OPERANDS, reads)
        op["writes"] = uses(array or OPERANDS, writes)
        self.add(op)

    def collective(self, name, kind, size, group, chained=True):
        if group:
            self.add(collective(name, kind, size, group), chained)

    def weights(self, parameters):
        """Gathered in bf16, ahead: their order is that of the program."""
        job = self.job
        self.collective("weights", "all_gather", parameters // job.tensor_devices * BF16, job.fsdp, chained=False)

    def gradients(self, parameters):
        job = self.job
        self.collective("gradients", "reduce_scatter", parameters // job.tensor_devices * BF16, job.fsdp)

    def shared_input(self, name):
        """Of a product whose columns are cut: each device's part of the tokens goes to its group."""
        job = self.job
        if job.tensor:
            gather = collective(name, "all_gather", job.tokens * job.hidden * BF16, job.tensor)
            self.beside.append(self.add_beside(gather, self.last))

    def shared_output(self, name):
        """Of a product whose rows are cut, the one before: its sums are scattered as they come."""
        job = self.job
        if job.tensor:
            product = self.ops[self.last[0]]
            scatter = collective(name, "reduce_scatter", job.tokens * job.hidden * BF16, job.tensor)
            self.last = self.last + [self.add_beside(scatter, product.get("after", []))]

    def norm(self, name):
        """Root mean square, scaled, with the residual added: of this device's part of the tokens."""
        job = self.job
        elements = job.tokens // job.tensor_devices * job.hidden
        self.vector(name, elements, 5, reads=2 * elements * BF16, writes=2 * elements * BF16, sum_over=job.hidden)

    def to_host(self, names):
        for name in names:
            size = host_bytes(self.job, name)
            self.add({"work": "copy", "name": name + " to the host", "from": "hbm", "to": "host", "bytes": size,
                      "writes": [{"buffer": "host." + name, "bytes": size}]}, chained=False)

    def from_host(self, names):
        for name in names:
            size = host_bytes(self.job, name)
            self.add({"work": "copy", "name": name + " from the host", "from": "host", "to": "hbm", "bytes": size,
                      "reads": [{"buffer": "host." + name, "bytes": size}]}, chained=False)

    def attention(self):
        job = self.job
        batch = job.batch * job.tensor_devices * (job.heads // job.tensor_devices)
        s, d = job.sequence, job.head_size
        if job.flash:  # scores stay in VMEM; of the square, the half that attends
            self.product("scores", s, d, s // 2, batch, in_vmem=True)
            self.softmax(batch * s * (s // 2), s // 2)
            self.product("context", s, s // 2, d, batch, in_vmem=True)
        else:
            scores = batch * s * s * BF16
            self.product("scores", s, d, s, batch, big=("writes", "scores", scores))
            self.softmax(batch * s * s, s, scores)
            self.product("context", s, s, d, batch, big=("reads", "scores", scores))

    def softmax(self, elements, row, moved=0):
        self.vector("softmax", elements, 5, 1, sum_over=row, reads=moved, writes=moved, array="scores")

    def attention_backward(self):
        """Scores anew, and the gradients of probabilities, values, keys and queries."""
        job = self.job
        batch = job.batch * job.tensor_devices * (job.heads // job.tensor_devices)
        s, d = job.sequence, job.head_size
        seen = s // 2 if job.flash else s
        stored = 0 if job.flash else batch * s * seen * BF16
        if job.flash:
            self.product("scores", s, d, seen, batch, in_vmem=True)

        def product(name, m, k, n, way, array):
            self.product(name, m, k, n, batch, in_vmem=job.flash, big=(way, array, stored))

        product("gradient of probabilities", s, d, seen, "writes", "gradient of scores")
        product("gradient of values", seen, s, d, "reads", "scores")
        self.vector("softmax backward", batch * s * seen, 8, 1, sum_over=seen, reads=2 * stored, writes=stored,
                    array="gradient of scores")
        product("gradient of queries", s, seen, d, "reads", "gradient of scores")
        product("gradient of keys", seen, s, d, "reads", "gradient of scores")

    def queries_keys_values(self):
        job = self.job
        self.product("queries, keys, values", job.tokens, job.hidden, job.query_width + 2 * job.kv_width)

    def up(self):
        job = self.job
        self.product("up", job.tokens, job.hidden, job.width * (2 if job.gated else 1))
        self.activation("activation", 4 if job.gated else 1, 1 if job.gated else 0, 2 if job.gated else 1)

    def activation(self, name, operations, medium, arrays):
        elements = self.job.tokens * self.job.width
        self.vector(name, elements, operations, medium, reads=arrays * elements * BF16, writes=elements * BF16)

    def backward_product(self, name, m, k, n):
        """Of y = x w, with x [m x k]: what goes back to x, and to w."""
        self.product(name + ", to the input", m, n, k)
        self.product(name + ", to the weights", k, m, n)


def collective(name, kind, size, group):
    return {"work": "collective", "name": name, "kind": kind, "bytes": size, "group": list(group), "dtype": "bf16"}


def uses(name, size):
    return [{"buffer": name, "bytes": size}] if size else []


def host_bytes(job, name):
    tokens = job.tokens
    width = {"layer input": job.hidden, "output of attention": job.hidden, "queries": job.query_width,
             "keys and values": 2 * job.kv_width}[name]
    if name in ("layer input", "output of attention"):
        tokens //= job.tensor_devices
    return tokens * width * BF16


def forward_layer(job):
    g = Graph(job, "forward")
    g.weights(job.layer_parameters)
    g.to_host(job.on_host)
    g.norm("norm")
    g.shared_input("attention's input")
    g.queries_keys_values()
    g.attention()
    g.product("output of attention", job.tokens, job.query_width, job.hidden)
    g.shared_output("attention's output")
    g.norm("second norm")
    g.shared_input("MLP's input")
    g.up()
    g.product("down", job.tokens, job.width, job.hidden)
    g.shared_output("MLP's output")
    return g.ops


def recompute(g):
    """What the backward pass needs and does not find. The down projection is never needed."""
    job = g.job
    found = set(job.kept) | set(job.on_host)
    g.phase = "recomputation"
    g.norm("norm")
    if "queries" not in found and "dots" not in found:
        g.shared_input("attention's input")
        g.queries_keys_values()
    if "context" not in found and "dots" not in found:
        g.attention()
    if "output of attention" not in found and "dots" not in found:
        g.product("output of attention", job.tokens, job.query_width, job.hidden)
        g.shared_output("attention's output")
    g.norm("second norm")
    if "dots" in found:
        g.activation("activation", 4 if job.gated else 1, 1 if job.gated else 0, 2 if job.gated else 1)
    else:
        g.shared_input("MLP's input")
        g.up()


def backward_layer(job):
    g = Graph(job, "backward")
    g.weights(job.layer_parameters)
    g.from_host(job.on_host)
    recompute(g)
    g.phase = "backward"
    g.shared_input("gradient of MLP's output")
    g.backward_product("down", job.tokens, job.width, job.hidden)
    g.activation("activation backward", 8 if job.gated else 1, 1 if job.gated else 0, 3 if job.gated else 2)
    g.backward_product("up", job.tokens, job.hidden, job.width * (2 if job.gated else 1))
    g.shared_output("gradient of MLP's input")
    g.norm("second norm backward")
    g.shared_input("gradient of attention's output")
    g.backward_product("output of attention", job.tokens, job.query_width, job.hidden)
    g.attention_backward()
    g.backward_product("queries, keys, values", job.tokens, job.hidden, job.query_width + 2 * job.kv_width)
    g.shared_output("gradient of attention's input")
    g.norm("norm backward")
    g.gradients(job.layer_parameters)
    return g.ops


def head(g):
    job = g.job
    words = job.vocabulary // job.tensor_devices
    g.phase = "head"
    g.weights(job.head_parameters)
    g.shared_input("head's input")
    logits = job.tokens * words
    g.product("logits", job.tokens, job.hidden, words, big=("writes", "logits", logits * BF16))
    g.vector("cross entropy", logits, 8, 1, sum_over=words, reads=2 * logits * BF16, writes=logits * BF16, array="logits")
    g.product("logits, to the input", job.tokens, words, job.hidden, big=("reads", "logits", logits * BF16))
    g.product("logits, to the weights", job.hidden, job.tokens, words, big=("reads", "logits", logits * BF16))
    g.shared_output("gradient of head's input")
    g.gradients(job.head_parameters)


def optimizer(g):
    job = g.job
    shard = job.parameters // (job.fsdp_devices * job.tensor_devices)
    g.phase = "optimizer"
    if job.slices > 1:
        g.collective("gradients between slices", "all_reduce", shard * BF16, ("dcn",))
    # Reads gradient, weight and two moments, and writes the last three in their places.
    state = job.master_bytes + 2 * F32
    g.add({"work": "vector", "name": "Adam", "elements": shard, "dtype": "f32", "ops_per_element": 14,
           "division_per_element": 2, "reads": uses("optimizer", shard * (job.master_bytes + state)),
           "writes": uses("optimizer", shard * state)})


def graph(job):
    g = Graph(job, "forward")
    g.add({"work": "repeat", "name": "layers", "times": job.layers, "body": {"ops": forward_layer(job)}})
    head(g)
    g.add({"work": "repeat", "name": "layers backward", "times": job.layers, "body": {"ops": backward_layer(job)}})
    optimizer(g)
    return {"buffers": buffers_in_use(g.ops) + [
        {"name": "host." + name, "bytes": host_bytes(job, name) * job.layers, "residency": "host"}
        for name in job.on_host], "ops": g.ops}


def buffers_in_use(ops):
    """Operands take what the largest does; an array that is read twice in an op is there once."""
    sizes = {}

    def look(ops):
        for op in ops:
            look(op["body"]["ops"] if "body" in op else [])
            for use in op.get("reads", []) + op.get("writes", []):
                name, size = use["buffer"], use["bytes"]
                best = max if name in (OPERANDS, "optimizer") else min
                if not name.startswith("host."):
                    sizes[name] = best(size, sizes.get(name, size))

    look(ops)
    return [{"name": name, "bytes": size, "residency": "hbm_in_use"} for name, size in sizes.items()]


def row(job):
    machine = {"chip": job.machine}
    if job.slices > 1:
        machine["slices"] = job.slices
    if job.machine.startswith(("v5p", "v6e")):  # flags of public recipes fuse it with products
        machine["compiler_flags"] = "recipe"
    # v5e's skews of step times (step_skew_devices, step_skew_slices) are fitted to these.
    kind = "calibrated" if "16B" in job.name else "predicted"
    return {"name": job.name, "kind": kind, "reference": job.seconds, "unit": "s", "tolerance": 0.2,
            "source": job.source, "note": job.note,
            "simulate": {"study": {"study": job.name, "numerics": False, "fidelity": "analytic", "machine": machine,
                                   "workload": {"op_graph": graph(job)}}, "figure": "epoch_seconds"}}


V4_22B = Job("22B on v4-128", MAXTEXT.format("v4") + ": 156 TF/s a device", 28.42, "v4-128", 48, 6144, 24, 24,
             256, 24576, False, 32768, True, 16, 2048, ("x", "y", "z"), 64, flash=False,
             note="Scores in HBM, everything recomputed. Its script says 165 TF/s where the page says 156.")
V5E_16B = Job("16B on v5e-256", MAXTEXT.format("v5e") + ": 120 TF/s a device", 10.33, "v5e-256", 32, 5120, 32,
              32, 256, 32768, False, 32768, True, 6, 2048, ("x", "y"), 256, note="Everything recomputed.")
V5E_64B = replace(V5E_16B, name="64B on v5e-256", source=MAXTEXT.format("v5e") + ": 118 TF/s a device", seconds=13.71,
                  layers=64, hidden=10240, batch=2)
V5P_32B = Job("32B on v5p-128", MAXTEXT.format("v5p") + ": 328 TF/s a device", 7.238, "v5p-128", 32, 8192, 64,
              64, 128, 28672, True, 32000, False, 6, 2048, ("y", "z"), 16, ("x",), 4, kept=("dots",),
              note="Sharded 16 x 4; products kept.")
LLAMA_8B = Job("Llama3.1-8B on v6e-8", RECIPES.format("trillium") + ": 7,139 tokens/s a chip", 3.443, "v6e-8",
               32, 4096, 32, 8, 128, 14336, True, 128256, False, 3, 8192, ("x", "y"), 8,
               on_host=("layer input", "output of attention", "queries", "keys and values"),
               note="Layer input, output of attention, queries, keys and values go to the host, the rest is recomputed.")
LLAMA_70B = replace(LLAMA_8B, name="Llama3.1-70B on v6e-32", source=RECIPES.format("trillium") + ": 921 tokens/s a chip",
                    seconds=17.790, machine="v6e-32", layers=80, hidden=8192, heads=64, mlp_width=28672, batch=2,
                    fsdp_devices=32, on_host=("layer input", "queries", "keys and values"), master_bytes=BF16,
                    note="Layer input, queries, keys and values go to the host, the rest is recomputed; weights in bf16.")

JOBS = [
    V4_22B,
    replace(V4_22B, name="22B on 4 x v4-128", source=MAXTEXT.format("v4") + ": 149 TF/s a device", seconds=29.75,
            slices=4),
    V5E_16B,
    replace(V5E_16B, name="16B on 2 x v5e-256", source=MAXTEXT.format("v5e") + ": 117 TF/s a device", seconds=10.59,
            slices=2),
    replace(V5E_16B, name="16B on 8 x v5e-256", source=MAXTEXT.format("v5e") + ": 115 TF/s a device", seconds=10.78,
            slices=8),
    V5E_64B,
    replace(V5E_64B, name="64B on 4 x v5e-256", source=MAXTEXT.format("v5e") + ": 110 TF/s a device", seconds=14.71,
            slices=4),
    replace(V5E_64B, name="128B on v5e-256", source=MAXTEXT.format("v5e") + ": 110 TF/s a device", seconds=14.67,
            heads=64, kv_heads=64, mlp_width=65536, batch=1, fsdp=("x",), fsdp_devices=16,
            tensor=("y",), tensor_devices=16, note="Sharded 16 x 16, everything recomputed."),
    V5P_32B,
    replace(V5P_32B, name="128B on v5p-256", source=MAXTEXT.format("v5p") + ": 315 TF/s a device", seconds=4.963,
            machine="v5p-256", layers=64, heads=128, kv_heads=128, mlp_width=57344, batch=1, fsdp=("x", "y"),
            tensor=("z",), tensor_devices=8, note="Sharded 16 x 8; products kept."),
    replace(V5P_32B, name="512B on v5p-1024", source=MAXTEXT.format("v5p") + ": 294 TF/s a device", seconds=42.09,
            machine="v5p-1024", layers=128, hidden=16384, heads=128, kv_heads=128, mlp_width=57344, batch=2,
            fsdp=("x", "y"), fsdp_devices=64, tensor=("z",), tensor_devices=8, kept=(),
            note="Sharded 64 x 8; everything recomputed."),
    LLAMA_8B,
    LLAMA_70B,
    replace(LLAMA_70B, name="Llama3.1-70B on v6e-256", source=RECIPES.format("trillium") + ": 960 tokens/s a chip",
            seconds=42.656, machine="v6e-256", batch=5, fsdp_devices=256, master_bytes=F32,
            note="Layer input, queries, keys and values go to the host, the rest is recomputed."),
    replace(LLAMA_8B, name="Mistral-7B on v6e-8", source=RECIPES.format("trillium") + ": 7,777 tokens/s a chip",
            seconds=6.320, vocabulary=32000, batch=6,
            note="What is kept is not published here: as Llama3.1-8B."),
    replace(LLAMA_70B, name="Llama3.1-70B on 7x, 4x4x4", source=RECIPES.format("ironwood") + ": 64 chips, 256 sequences",
            seconds=12.20, machine="tpu7x-4x4x4", fsdp=("x", "y", "z"), fsdp_devices=128, on_host=(),
            kept=("queries", "context"), master_bytes=F32, note="Context, queries, keys and values are kept."),
    Job("6.7B on v3-256", "Levanter's documentation: 11.7 to 12.1 s a step", 11.9, "v3-256", 32, 4096, 32, 32,
        128, 16384, False, 50257, True, 4, 2048, ("x", "y"), 256, flash=False,
        note="The middle of 11.7 to 12.1 s. Each layer is recomputed; scores in HBM."),
]


def main():
    document = {"topic": "training steps", "rows": [row(job) for job in JOBS]}
    text = json.dumps(document)
    # A line for each row's head and for each op.
    text = text.replace('{"name": ', '\n {"name": ').replace('{"work": ', '\n  {"work": ')
    sys.stdout.write(text + "\n")


if __name__ == "__main__":
    main()
