# SPDX-License-Identifier: Apache-2.0
"""One decoder (transformer.py), several choices, each compiled for its slice and run on the model of it: what is
computed anew in the backward pass, which chip, one slice or two. Needs JAX with libtpu, no TPU; some minutes.

    python3 choices.py KEPT
"""
import sys

import alxsim.jax
import transformer


def tell(title, found):
    print(title)
    for one in found:
        if one.found is None:
            print(f"  {one}")
            continue
        memory, phases = one.found.memory, one.found.phases
        shares = ", ".join(f"{name} {1e3 * value:.1f}" for name, value in sorted(phases.items(), key=lambda of: -of[1]))
        print(f"  {one}; alive {memory['bytes_per_core'] / 1e9:.2f} GB; ms by phase: {shares}")


def main():
    kept = sys.argv[1] if len(sys.argv) > 1 else "kept"
    anew = {name: {"recomputation": name} for name in transformer.RECOMPUTATION}
    tell("Recomputation, v5e 4x4", alxsim.jax.search(transformer.step, anew, topology="v5e:4x4", folder=kept))
    for topology in ("v5e:4x4", "v5p:2x2x4", "v6e:4x4"):
        flags = "default" if topology.startswith("v5e") else "recipe"
        one = alxsim.jax.search(transformer.step, {"fsdp": {}}, topology=topology, flags=flags, folder=kept)
        tell(f"FSDP, {topology}", one)
    both = {"two slices": {"slices": 2}}
    tell("FSDP, two slices of v5e 2x4", alxsim.jax.search(transformer.step, both, topology="v5e:2x4", slices=2, folder=kept))


if __name__ == "__main__":
    main()
