# SPDX-License-Identifier: Apache-2.0
"""Estimates in process: those of the program, to the last digit; laws of them; wrong input."""

import json
import pickle
import threading
import unittest
import warnings

import alxsim
import common


class Estimates(unittest.TestCase):
    def test_an_estimate_is_what_op_prints(self):
        told = common.program_json("op", json.dumps(common.STEP), "--chip", "v5e-16", "--json")
        machine = alxsim.Machine("v5e-16")
        self.assertEqual(machine.seconds(common.STEP), told["closed_form_seconds"])
        self.assertEqual(machine.estimate(common.STEP).seconds, told["closed_form_seconds"])
        self.assertEqual(machine.to_dict(), told["machine"])

    def test_op_is_what_op_prints(self):
        work = {"work": "collective", "kind": "all_reduce", "bytes": 8388608}
        told = common.program_json(
            "op", json.dumps(work), "--cores", "64", "--override", "ici_hop_latency_s=x2", "--json"
        )
        self.assertEqual(alxsim.op(work, cores=64, overrides={"ici_hop_latency_s": "x2"}), told)

    def test_several_ops_one_after_another(self):
        ops = [{"work": "vector", "elements": 1e6}, {"work": "matmul", "m": 512, "k": 512, "n": 512}]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.assertEqual(alxsim.op(ops, chip="v5e"), [alxsim.op(op, chip="v5e") for op in ops])

    def test_an_analytic_run_adds_what_starts_a_step(self):
        study = {
            "study": "a step",
            "numerics": False,
            "fidelity": "analytic",
            "band": False,
            "machine": {"chip": "v5e-16", "overrides": {"step_skew_devices": 0, "step_skew_slices": 0}},
            "workload": {"op_graph": common.STEP},
        }
        point = alxsim.Study(study).run(progress=False).report["points"][0]
        estimate = alxsim.Machine("v5e-16").estimate(common.STEP)
        for phase, seconds in estimate.phases.items():
            self.assertEqual(point["phases"][phase], seconds, phase)

    def test_phases_and_shares_add_up(self):
        estimate = alxsim.Machine("v5e-16").estimate(common.STEP)
        self.assertAlmostEqual(sum(estimate.phases.values()), estimate.seconds, delta=1e-12)
        self.assertAlmostEqual(sum(estimate.shares.values()), estimate.seconds, delta=1e-12)
        self.assertEqual(float(estimate), estimate.seconds)

    def test_a_doubled_value_moves_alike(self):
        """By its number, by its factor, in process and by the program."""
        link = alxsim.chips("tpu_v5e")["values"]["ici_link_bw_oneway"]
        machine = alxsim.Machine("v5e-16")
        doubled = machine.replace(overrides={"ici_link_bw_oneway": 2 * link["value"]}).seconds(common.STEP)
        self.assertLess(doubled, machine.seconds(common.STEP))
        self.assertEqual(doubled, machine.replace(overrides={"ici_link_bw_oneway": "x2"}).seconds(common.STEP))
        told = common.program_json(
            "op", json.dumps(common.STEP), "--chip", "v5e-16", "--override", "ici_link_bw_oneway=x2", "--json"
        )
        self.assertEqual(doubled, told["closed_form_seconds"])

    def test_more_work_takes_no_less_time(self):
        machine = alxsim.Machine("tpu_v4", cores=64)
        seconds = [
            machine.seconds({"ops": [{"work": "matmul", "m": m, "k": 1024, "n": 1024}]}) for m in (128, 512, 4096)
        ]
        self.assertEqual(seconds, sorted(seconds))

    def test_a_graph_grows(self):
        graph = alxsim.Graph()
        product = graph.matmul(4096, 1024, 1024, phase="forward")
        machine = alxsim.Machine("v5e-16")
        alone = machine.seconds(graph)
        graph.collective("all_reduce", 4194304, phase="gradients", after=[product])
        self.assertEqual(graph.to_dict(), common.STEP)
        self.assertGreater(machine.seconds(graph), alone)
        self.assertEqual(machine.seconds(graph), machine.seconds(common.STEP))

    def test_sizes_follow_the_machine(self):
        graph = alxsim.Graph({"ops": [{"work": "matmul", "m": "262144/devices", "k": 4096, "n": 4096}]})
        few, many = alxsim.Machine("tpu_v5e", cores=4), alxsim.Machine("tpu_v5e", cores=16)
        self.assertGreater(few.seconds(graph), 3 * many.seconds(graph))
        self.assertEqual(few.seconds(graph), few.seconds(graph))

    def test_many_graphs_one_after_another(self):
        """More than a machine keeps compiled: what was forgotten, and its memory used again, is no matter."""
        machine = alxsim.Machine("v5e-16")
        graphs = [{"ops": [{"work": "matmul", "m": 128 + 37 * i, "k": 512, "n": 512}]} for i in range(1000)]
        found = [machine.seconds(graph) for graph in graphs]
        for i in range(0, 1000, 50):
            self.assertEqual(found[i], alxsim.Machine("v5e-16").seconds(graphs[i]))
            self.assertEqual(found[i], machine.seconds(graphs[i]))

    def test_from_several_threads(self):
        machine, graph = alxsim.Machine("v5e-16"), alxsim.Graph(common.STEP)
        expected, found = machine.seconds(graph), []
        threads = [
            threading.Thread(target=lambda: found.extend(machine.seconds(graph) for _ in range(100))) for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [expected] * 400)


class Chips(unittest.TestCase):
    def test_each_number_has_a_source(self):
        for chip in alxsim.chips():
            for key, value in chip["values"].items():
                self.assertTrue(value["source"], f"{chip['name']}.{key}")
                if "low" in value and not isinstance(value["value"], (bool, str, list)):
                    self.assertLessEqual(value["low"], value["value"])
                    self.assertLessEqual(value["value"], value["high"])

    def test_all_of_the_program(self):
        listed = common.program_json("chips", "--json")["chips"]
        self.assertEqual([chip["name"] for chip in alxsim.chips()], [chip["name"] for chip in listed])
        for name in ("tpu_v3", "v5e-16"):
            self.assertEqual(alxsim.chips(name), common.program_json("chips", name, "--json"))


class WrongInput(unittest.TestCase):
    def error_of(self, function):
        with self.assertRaises(alxsim.InputError) as caught:
            function()
        return caught.exception

    def test_tells_place_found_and_allowed(self):
        error = self.error_of(lambda: alxsim.Machine("v5e-16", cores=9))
        self.assertEqual((error.file, error.pointer), ("Machine", "/machine/cores"))
        self.assertTrue(error.found.startswith("9 beside chip"), error.found)
        self.assertTrue(error.allowed.startswith("that, or no cores"), error.allowed)
        self.assertEqual(str(error), error.message)
        self.assertIsInstance(error, ValueError)

    def test_a_type_that_is_none(self):
        error = self.error_of(lambda: alxsim.Machine("v5e", cores="many"))
        self.assertEqual(error.pointer, "/machine/cores")
        with self.assertRaises(TypeError):
            alxsim.Machine("v5e", overrides={"ici_hop_latency_s": object()})

    def test_of_a_graph(self):
        error = self.error_of(lambda: alxsim.Machine("v5e-16").seconds({"ops": [{"work": "matmul", "mm": 1}]}))
        self.assertEqual((error.file, error.pointer), ("graph", "/ops/0"))

    def test_survives_a_copy(self):
        error = self.error_of(lambda: alxsim.Machine("nothing"))
        copy = pickle.loads(pickle.dumps(error))
        self.assertEqual(vars(copy), vars(error))


class Options(unittest.TestCase):
    def test_what_the_command_refuses_is_refused(self):
        op = {"work": "vector", "elements": 1024}
        for wrong in ({"hbm": "bank"}, {"cores": 8.7}, {"cores": "4"}, {"schedule": "nonsense"}, {"cores": 0}):
            with self.subTest(wrong), self.assertRaises(alxsim.InputError):
                alxsim.op(op, **wrong)
        study = alxsim.Study(common.STUDY)
        for wrong in ({"jobs": -3}, {"jobs": "3"}, {"retries": -1}, {"export": "nowhere"}):
            with self.subTest(wrong), self.assertRaises(alxsim.InputError):
                study.run(progress=False, **wrong)
        with self.assertRaises(alxsim.InputError):
            study.advise(optimise="cots")

    def test_wrap_and_overrides_reach_an_op(self):
        op = {"work": "collective", "kind": "all_reduce", "bytes": 8388608}
        line = alxsim.op(op, chip="tpu_v5e", cores=16, slice="4x4", wrap=[False, False])
        ring = alxsim.op(op, chip="tpu_v5e", cores=16, slice="4x4", wrap=[True, True])
        self.assertLess(ring["closed_form_seconds"], line["closed_form_seconds"])


if __name__ == "__main__":
    common.main()
