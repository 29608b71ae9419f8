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

    def test_in_this_process(self):
        self.assertLess(self.interrupted(self.long_study(), [], in_process=True), 1)


if __name__ == "__main__":
    common.main()
