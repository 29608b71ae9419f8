# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C while a study runs: it ends within a second, and nothing that is finished is lost."""

import os
import signal
import threading
import time
import unittest

import alxsim
import common


class Interrupts(unittest.TestCase):
    def interrupted(self, study, kept, **options):
        """Presses Ctrl-C once a point is finished; seconds until the call is over."""
        pressed = []

        def press(line, stays):
            if stays and not pressed:
                pressed.append(time.monotonic())
                threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
            kept.append(line)

        with self.assertRaises(KeyboardInterrupt):
            study.run(progress=press, **options)
        return time.monotonic() - pressed[0]

    def long_study(self):
        shape = {"rows": 4e7, "columns": 4e6, "links": 4e9}
        return alxsim.Study(
            {
                **common.STUDY,
                "study": "long",
                "fidelity": "detailed",
                "workload": {
                    "dataset": {"shape": shape},
                    "alx": {"dim": 64, "batch": {"lines": 1024, "line_length": 16, "rows": 512}},
                },
                "machine": {"chip": "tpu_v3", "cores": 8},
                "sweep": {"/machine/cores": [8, 512, 1024]},
            }
        )

    def test_ends_within_a_second_and_goes_on(self):
        study = self.long_study()
        self.assertLess(self.interrupted(study, [], jobs=2), 1)
        lines = []
        self.interrupted(study, lines, jobs=2)
        self.assertTrue(any("taken over" in line for line in lines), lines)

    def after_half_a_second(self, function):
        """Presses Ctrl-C then; what was raised, and seconds until the call is over."""
        pressed = []

        def press():
            pressed.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

        threading.Timer(0.5, press).start()
        with self.assertRaises(KeyboardInterrupt) as caught:
            function()
        return caught.exception, time.monotonic() - pressed[0]

    def test_advice_keeps_what_was_found(self):
        study = self.long_study().set("/sweep", {"/machine/cores": [512]})
        raised, seconds = self.after_half_a_second(lambda: study.advise(budget="5min", progress=False))
        self.assertLess(seconds, 1)
        self.assertIsInstance(raised.found, alxsim.Advice)
        self.assertTrue(raised.found.numbers["plans"])

    def test_inference(self):
        study = alxsim.Study(common.STUDY)
        statement = {
            "name": "seen",
            "source": "a test",
            "run": "mine",
            "at": {},
            "figure": "epoch_seconds",
            "value": 12,
        }
        _, seconds = self.after_half_a_second(lambda: study.infer([statement], draws=1000000, progress=False))
        self.assertLess(seconds, 1)

    def test_an_op(self):
        work = {"work": "hbm_stream", "bytes_read": 4e9}
        _, seconds = self.after_half_a_second(lambda: alxsim.op(work, hbm="banks"))
        self.assertLess(seconds, 1)
        self.assertGreater(alxsim.op({"work": "hbm_stream", "bytes_read": 1e6})["simulated_seconds"], 0)

    def test_in_this_process(self):
        self.assertLess(self.interrupted(self.long_study(), [], in_process=True), 1)


if __name__ == "__main__":
    common.main()
