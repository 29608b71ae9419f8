# SPDX-License-Identifier: Apache-2.0
"""From jitted functions to figures, where JAX with libtpu is; it compiles, which takes seconds each."""

import os
import sys
import tempfile
import unittest

import common

sys.path.insert(0, os.path.join(common.SOURCE, "examples", "jax"))
TOPOLOGY = "v5e:2x2"


class Simulated(unittest.TestCase):
    def test_a_multilayer_perceptron_takes_no_less_than_its_products(self):
        import jax
        import jax.numpy as jnp

        import alxsim.jax

        cut = jax.sharding.NamedSharding(jax.sharding.AbstractMesh((4,), ("data",)), jax.sharding.PartitionSpec("data"))
        weight = jax.ShapeDtypeStruct((2048, 2048), jnp.bfloat16, sharding=cut)
        batch = jax.ShapeDtypeStruct((4096, 2048), jnp.bfloat16, sharding=cut)

        def loss(weights, x):
            for one in weights:
                x = jax.nn.gelu(x @ one)
            return jnp.mean(jnp.square(x.astype(jnp.float32)))

        with tempfile.TemporaryDirectory() as folder:
            given = dict(topology=TOPOLOGY, folder=folder, progress=False)
            result = alxsim.jax.simulate(jax.jit(jax.grad(loss)), [weight] * 3, batch, **given)
            products = 9 * 2 * 1024 * 2048 * 2048 - 2 * 1024 * 2048 * 2048  # the first weight's input has no gradient
            self.assertGreater(result.seconds, products / 197e12)
            self.assertLess(result.low, result.seconds)
            self.assertGreater(result.high, result.seconds)
            self.assertIn("backward", result.phases)
            self.assertTrue(any("jax_test.py" in line["name"] for line in result.lines), result.lines)
            self.assertGreater(result.memory["bytes_per_core"], 3 * 2048 * 2048 * 2 / 4)
            self.assertIn("Where the time goes", result.explain())
            kept = sorted(os.listdir(folder))
            again = alxsim.jax.simulate(jax.jit(jax.grad(loss)), [weight] * 3, batch, **given)
            self.assertEqual(sorted(os.listdir(folder)), kept)  # nothing was compiled again
            self.assertEqual(again.seconds, result.seconds)

    def test_links_of_half_the_speed_take_longer_and_are_a_setting_of_the_machine(self):
        import transformer

        import alxsim.jax

        self.make_small(transformer)
        jitted, arguments = transformer.step(alxsim.jax.devices(TOPOLOGY))
        run = dict(topology=TOPOLOGY, progress=False, band=False)
        seconds = alxsim.jax.simulate(jitted, *arguments, **run).seconds
        slow = alxsim.jax.simulate(jitted, *arguments, machine={"overrides": {"ici_link_bw_oneway": "x0.5"}}, **run)
        self.assertGreater(slow.seconds, seconds)

    def test_candidates_are_ranked_and_what_the_compiler_refuses_is_told(self):
        import transformer

        import alxsim.jax

        self.make_small(transformer)
        candidates = {"dense": {}, "experts": {"experts": 4}, "too large": {"batch": 4 * 16384}}
        found = alxsim.jax.search(transformer.step, candidates, topology=TOPOLOGY, progress=False, band=False)
        self.assertEqual({one.name for one in found[:2]}, {"dense", "experts"})
        self.assertLessEqual(found[0].seconds, found[1].seconds)
        self.assertIsNone(found[2].seconds)
        self.assertIn("compiler refuses", found[2].problem)
        self.assertIs(found.best, found[0])

    def test_what_a_device_has_no_room_for_is_refused_in_a_sentence(self):
        import jax

        import alxsim.jax

        product = jax.jit(lambda a: (a @ a).sum())
        large = jax.ShapeDtypeStruct((200000, 200000), jax.numpy.bfloat16)
        with self.assertRaisesRegex(alxsim.jax.CompilerRefusal, "refuses it for .*: RESOURCE_EXHAUSTED") as refused:
            alxsim.jax.simulate(product, large, topology=TOPOLOGY, progress=False)
        self.assertIn("RESOURCE_EXHAUSTED", refused.exception.details)

    def test_a_candidate_that_does_not_divide_or_has_an_unknown_loop_ends_no_search(self):
        import jax

        import alxsim.jax

        def step(devices, rows=64, loops=False):
            mesh = jax.sharding.Mesh(devices, ("data",))
            cut = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("data"))
            turn = lambda x: jax.lax.while_loop(lambda x: x.sum() < 1e6, lambda x: 2 * x, x)  # noqa: E731
            function = jax.jit(turn if loops else lambda x: x + 1)
            return function, (jax.ShapeDtypeStruct((rows, 128), "float32", sharding=cut),)

        candidates = {"odd": {"rows": 63}, "loop": {"loops": True}, "plain": {}}
        found = alxsim.jax.search(step, candidates, topology=TOPOLOGY, progress=False, band=False)
        self.assertEqual(found.best.name, "plain")
        problems = {one.name: one.problem for one in found[1:]}
        self.assertIn("refused", problems["odd"])
        self.assertIn("loop", problems["loop"])

    def test_a_mesh_of_another_size_and_a_wrong_topology_are_refused(self):
        import jax

        import alxsim.jax

        cut = jax.sharding.NamedSharding(jax.sharding.AbstractMesh((8,), ("data",)), jax.sharding.PartitionSpec("data"))
        x = jax.ShapeDtypeStruct((64, 64), "float32", sharding=cut)
        with self.assertRaisesRegex(ValueError, "mesh of 8 devices; allowed: as many as the slice has, 4"):
            alxsim.jax.compile(jax.jit(lambda x: x + 1), x, topology=TOPOLOGY)
        with self.assertRaisesRegex(ValueError, "no topology; allowed"):
            alxsim.jax.devices("v5e")

    @staticmethod
    def make_small(transformer):
        transformer.LAYERS, transformer.HIDDEN, transformer.HEADS, transformer.MLP = 2, 512, 4, 1024
        transformer.VOCABULARY, transformer.SEQUENCE = 2048, 512


if __name__ == "__main__":
    common.main(needs=["jax", "libtpu"])
