# SPDX-License-Identifier: Apache-2.0
"""MaxText's own train step, as its train_compile.py compiles it, for 'alxsim-dump-hlo' and alxsim.jax.

    alxsim-dump-hlo v5e:16x16 maxtext_step.py:step --flags recipe -o out

Runs where MaxText 0.2.5 is installed (Python 3.12). ARGUMENTS are MaxText's own (configs/base.yml): here the
16B model of its recipe for v5e-256 (configs/tpu/v5e/16b.sh), a batch of 6 sequences a device, FSDP over all.
Others: MAXTEXT_ARGUMENTS="base_emb_dim=2048 base_num_decoder_layers=4" in the environment.
"""
import os

import jax
from flax.core.spmd import logical_axis_rules
from maxtext.configs import pyconfig
from maxtext.trainers.pre_train import train, train_compile
from maxtext.utils import maxtext_utils, sharding

ARGUMENTS = {
    "per_device_batch_size": 6, "max_target_length": 2048, "base_emb_dim": 5120, "base_mlp_dim": 32768,
    "base_num_query_heads": 32, "base_num_kv_heads": 32, "head_dim": 256, "base_num_decoder_layers": 32,
    "mlp_activations": '["relu"]', "vocab_size": 32768, "logits_via_embedding": True,
    "normalize_embedding_logits": True, "attention": "flash", "remat_policy": "full", "use_iota_embed": True,
    "ici_fsdp_parallelism": -1,
}


def configuration(devices):
    asked = dict(argument.split("=", 1) for argument in os.environ.get("MAXTEXT_ARGUMENTS", "").split())
    arguments = {**ARGUMENTS, **asked, "compile_topology_num_slices": 1, "skip_jax_distributed_system": True,
                 "dataset_type": "synthetic", "run_name": "compiled", "hardware": "tpu", "enable_checkpointing": False}
    # MaxText counts devices by a topology's name; the mesh below is made of those that are given.
    arguments["compile_topology"] = arguments.pop("topology", f"v5e-{len(devices)}")
    return pyconfig.initialize(["", *(f"{key}={value}" for key, value in arguments.items())])


class TrainStep:
    """A jitted function that is lowered with its mesh and MaxText's names of axes."""

    def __init__(self, jitted, mesh, rules):
        self.jitted, self.mesh, self.rules = jitted, mesh, rules

    def lower(self, *arguments):
        with jax.set_mesh(self.mesh), logical_axis_rules(self.rules):
            return self.jitted.lower(*arguments)


def step(devices):
    jax.config.update("jax_default_prng_impl", "unsafe_rbg")
    config = configuration(devices)
    mesh = jax.sharding.Mesh(maxtext_utils.create_device_mesh(config, devices), config.mesh_axes)
    arguments, _, state_shardings, _, model = train_compile.get_shaped_inputs(mesh, config)
    parameter_shardings, state_shardings = sharding.maybe_update_params_sharding_with_opt(config, state_shardings)
    inputs = sharding.build_zero1_input_state_mesh_shardings(config, state_shardings, parameter_shardings)
    function, into, out_of, static, donated = maxtext_utils.get_functional_train_with_signature(
        train.train_step, sharding.get_input_data_sharding(config, mesh), inputs, model, config, parameter_shardings)
    jitted = jax.jit(function, in_shardings=into, out_shardings=out_of, static_argnums=static, donate_argnums=donated)
    return TrainStep(jitted, mesh, config.logical_axis_rules), arguments
