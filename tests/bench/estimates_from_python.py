# SPDX-License-Identifier: Apache-2.0
"""Microseconds of a call of Machine.seconds and Machine.estimate, by ops of the graph.

PYTHONPATH=build/release/python python3 tests/bench/estimates_from_python.py
"""

import time

import alxsim


def graph_of(ops):
    """Layers of a product and a sum over all devices; each waits for the one before."""
    graph = alxsim.Graph()
    last = []
    for layer in range(ops // 2):
        product = graph.matmul(4096, 1024, 1024 + 8 * layer, phase="forward", after=last)
        last = [graph.collective("all_reduce", 4194304 + 4096 * layer, phase="gradients", after=[product])]
    return graph


def microseconds(function, calls):
    """Of a call: the least of five rounds."""
    rounds = []
    for _ in range(5):
        begin = time.perf_counter()
        for _ in range(calls):
            function()
        rounds.append((time.perf_counter() - begin) / calls * 1e6)
    return min(rounds)


def main():
    print(f"{'ops':>6} {'first, us':>10} {'seconds(), us':>14} {'estimate(), us':>15} {'another machine, us':>20}")
    for ops in (10, 100, 1000):
        machine, graph = alxsim.Machine("v5e-16"), graph_of(ops)
        begin = time.perf_counter()
        machine.seconds(graph)
        first = (time.perf_counter() - begin) * 1e6
        calls = max(10, 20000 // ops)
        seconds = microseconds(lambda: machine.seconds(graph), calls)
        estimate = microseconds(lambda: machine.estimate(graph), calls)
        faster = {"overrides": {"ici_link_bw_oneway": "x2"}}
        other = microseconds(lambda: machine.replace(**faster).seconds(graph), max(3, 2000 // ops))
        print(f"{ops:>6} {first:>10.0f} {seconds:>14.2f} {estimate:>15.2f} {other:>20.0f}")


if __name__ == "__main__":
    main()
