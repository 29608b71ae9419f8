# SPDX-License-Identifier: Apache-2.0
"""Studies: what the program reports, to the last digit; progress; what fields mean."""

import json
import os
import tempfile
import unittest

import alxsim
import common


def written(folder):
    with open(os.path.join(folder, "report.json"), encoding="utf-8") as file:
        report = json.load(file)
    return {name: value for name, value in report.items() if name not in ("host", "tool")}


class Runs(unittest.TestCase):
    def test_a_run_is_what_the_program_reports(self):
        with tempfile.TemporaryDirectory() as folder:
            study = os.path.join(folder, "mine.json")
            alxsim.Study(common.STUDY).save(study)
            common.program("run", study, "-o", os.path.join(folder, "by_program"), "--quiet")
            result = alxsim.Study(study).run(output=os.path.join(folder, "here"), progress=False)
            self.assertEqual(written(os.path.join(folder, "here")), written(os.path.join(folder, "by_program")))
            self.assertEqual(
                sorted(os.listdir(os.path.join(folder, "here"))), ["points.csv", "report.html", "report.json"]
            )
            again = alxsim.load(os.path.join(folder, "here", "report.json"))
            self.assertEqual(again.report["points"], result.report["points"])
            explained = common.program("explain", os.path.join(folder, "here", "report.json"))
            self.assertEqual(result.explain(), explained)
            self.assertEqual(again.explain(), explained)

    def test_in_this_process_and_in_others(self):
        study = alxsim.Study(common.STUDY).set("/sweep", {"/machine/cores": [8, 16]}).set("/fidelity", "detailed")
        here = study.run(in_process=True, progress=False).report
        there = study.run(jobs=2, progress=False).report
        self.assertEqual(here["points"], there["points"])
        self.assertEqual(here["points"][0]["fidelity"], "detailed")

    def test_set_makes_another(self):
        study = alxsim.Study(common.STUDY)
        other = study.set("/machine/cores", 32).set("/machine/overrides/ici_hop_latency_s", "x2")
        self.assertEqual(study.to_dict(), common.STUDY)
        self.assertEqual(
            other.to_dict()["machine"], {"chip": "tpu_v4", "cores": 32, "overrides": {"ici_hop_latency_s": "x2"}}
        )

    def test_check_tells_points_that_cannot_be_made_among_the_others(self):
        transformer = {"preset": "gpt2-small", "batch": 16, "mesh": {"data": 16, "tensor": 1}}
        study = alxsim.Study(
            {
                "study": "meshes",
                "numerics": False,
                "machine": {"chip": "tpu_v5e"},
                "workload": {"transformer": transformer},
                "sweep": {"/machine/cores": [8, 16]},
            }
        )
        refused, made = study.check()
        self.assertEqual(refused["no_result"]["kind"], "refused")
        self.assertIn("/workload/transformer/mesh", refused["no_result"]["why"])
        self.assertGreater(made["epoch_seconds"], 0)
        of_all = study.set("/sweep", {"/machine/cores": [8, 32]})
        self.assertEqual([one["no_result"]["kind"] for one in of_all.check()], ["refused"] * 2)
        self.assertEqual([one["fits"] for one in of_all.run(progress=False).report["points"]], [False] * 2)
        with self.assertRaises(alxsim.InputError):
            study.set("/sweep", {"/machine/cores": [8]}).check()

    def test_check_estimates_what_a_run_finds(self):
        study = alxsim.Study(common.STUDY).set("/band", False)
        checked = study.check()
        found = study.run(progress=False).report["points"]
        self.assertEqual([one["machine"] for one in checked], [one["machine"] for one in found])
        with tempfile.TemporaryDirectory() as folder:
            study.save(os.path.join(folder, "mine.json"))
            told = common.program_json("check", os.path.join(folder, "mine.json"), "--json")["points"]
        self.assertEqual([{k: v for k, v in one.items() if k != "host"} for one in checked], told)
        for one, other in zip(checked, found):
            self.assertAlmostEqual(one["epoch_seconds"] / other["epoch_seconds"], 1, delta=0.1)

    def test_a_file_that_is_saved(self):
        result = alxsim.Study(common.STUDY).run(progress=False)
        with tempfile.TemporaryDirectory() as folder:
            for ending in ("json", "html", "csv"):
                result.save(os.path.join(folder, f"out.{ending}"))
                self.assertGreater(os.path.getsize(os.path.join(folder, f"out.{ending}")), 1000)
            self.assertEqual(alxsim.load(os.path.join(folder, "out.json")).report["points"], result.report["points"])
            with self.assertRaises(alxsim.InputError):
                result.save(os.path.join(folder, "out.pdf"))
            with self.assertRaisesRegex(alxsim.InputError, "no folder"):
                result.save(os.path.join(folder, "none", "out.json"))

    def test_a_compact_report_is_the_same_result(self):
        with tempfile.TemporaryDirectory() as folder:
            study = os.path.join(folder, "mine.json")
            alxsim.Study(common.STUDY).save(study)
            for form, more in (("full", []), ("compact", ["--compact"])):
                common.program("run", study, "-o", os.path.join(folder, form), "--quiet", *more)
            full, compact = (alxsim.load(os.path.join(folder, form, "report.json")) for form in ("full", "compact"))
            self.assertIn("shapes", written(os.path.join(folder, "compact"))["points"])
            self.assertEqual(compact.report["points"], full.report["points"])

    def test_wrong_studies(self):
        with self.assertRaises(alxsim.InputError) as caught:
            alxsim.Study(common.STUDY).set("/machine/coresx", 3)
        self.assertEqual((caught.exception.file, caught.exception.pointer), ("study", "/machine"))
        with self.assertRaises(alxsim.InputError) as caught:
            alxsim.Study(common.STUDY).set("/machine/chip", "tpu_v55").run(progress=False)
        self.assertEqual(caught.exception.pointer, "/machine/chip")
        with self.assertRaises(alxsim.InputError):
            alxsim.Study("no/such/file.json")

    def test_progress_comes_to_who_asks(self):
        lines = []
        alxsim.Study(common.STUDY).run(progress=lambda line, stays: lines.append((line, stays)))
        kept = [line for line, stays in lines if stays]
        self.assertEqual(len(kept), 5)
        self.assertTrue(kept[-1].startswith("[5/5] "), kept[-1])

    def test_what_who_is_told_raises_ends_the_run(self):
        def refuse(line, stays):
            raise RuntimeError("enough")

        with self.assertRaisesRegex(RuntimeError, "enough"):
            alxsim.Study(common.STUDY).run(progress=refuse)


class Words(unittest.TestCase):
    def test_columns_are_described(self):
        self.assertIn("training only", alxsim.describe("epoch_seconds"))
        self.assertTrue(alxsim.describe("memory.capacity_bytes"))
        alxsim.describe("series.sweet_spot.cores")
        with self.assertRaises(KeyError):
            alxsim.describe("no_such_column")

    def test_schemas_are_those_of_the_program(self):
        self.assertEqual(alxsim.schema("report"), common.program_json("schema", "report"))
        with self.assertRaises(ValueError):
            alxsim.schema("nothing")


if __name__ == "__main__":
    common.main()
