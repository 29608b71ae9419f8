# SPDX-License-Identifier: Apache-2.0
"""What is asked of a study besides its run: advice, and which worlds agree with statements."""

import os
import tempfile
import unittest

import alxsim
import common


def seconds_of(result):
    return result.report["points"][0]["epoch_seconds"]


def width_of(result):
    point = result.report["points"][0]
    return point["epoch_seconds_p95"] / point["epoch_seconds_p05"]


class Answers(unittest.TestCase):
    def test_advice_is_a_study_that_runs(self):
        study = alxsim.Study(common.STUDY).set("/sweep", {"/machine/cores": [64]})
        advice = study.advise(choices=["gather"], budget="1min", progress=False)
        best = advice.plans[0]
        self.assertEqual(best["rank"], 1)
        self.assertIn("gather", advice.text)
        found = advice.studies[0].set("/fidelity", "analytic").set("/band", False).run(progress=False)
        before = study.set("/band", False).run(progress=False)
        self.assertLess(seconds_of(found), seconds_of(before))

    def test_inferred_worlds_narrow_a_study(self):
        study = alxsim.Study(common.STUDY).set("/sweep", {"/machine/cores": [64]})
        before = study.run(progress=False)
        statement = {"name": "seen", "source": "a test", "run": "mine", "at": {}, "figure": "epoch_seconds"}
        known = {**statement, "value": seconds_of(before), "tolerance": 0.05}
        inferred = study.infer([known], draws=1000, progress=False)
        self.assertIn("statements", inferred.numbers)
        with tempfile.TemporaryDirectory() as folder:
            inferred.save(os.path.join(folder, "worlds.json"))
            given = study.set("/given", os.path.join(folder, "worlds.json")).run(progress=False)
        self.assertLess(width_of(given), width_of(before))

    def test_a_wrong_statement(self):
        with self.assertRaises(alxsim.InputError) as caught:
            alxsim.Study(common.STUDY).infer([{"name": "none"}], progress=False)
        self.assertTrue(caught.exception.pointer.startswith("/statements"), caught.exception.pointer)


if __name__ == "__main__":
    common.main()
