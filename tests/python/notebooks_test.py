# SPDX-License-Identifier: Apache-2.0
"""Each notebook of examples/notebooks: its code cells run, one after another, in the project's folder."""

import contextlib
import glob
import io
import json
import os
import unittest
import warnings

import common


def run_cells(path):
    """Runs a notebook's code; what it printed. An error says of which cell it is."""
    with open(path, encoding="utf-8") as file:
        cells = json.load(file)["cells"]
    printed, names = io.StringIO(), {"__name__": "__main__"}
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
        for number, cell in enumerate(cells):
            if cell["cell_type"] == "code":
                exec(compile("".join(cell["source"]), f"{path}, cell {number}", "exec"), names)
    return printed.getvalue()


class Notebooks(unittest.TestCase):
    def test_the_lesson_says_what_its_solutions_say(self):
        os.chdir(common.SOURCE)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            printed = run_cells("examples/notebooks/lesson.ipynb")
        self.assertIn("links hold it up: refuted", printed)
        self.assertIn("times as long on 256 cores as on 4", printed)
        self.assertIn("a = ", printed)

    def test_your_job_takes_what_the_program_says(self):
        os.chdir(common.SOURCE)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            printed = run_cells("examples/notebooks/your_job.ipynb")
        self.assertIn("ms a call", printed)
        self.assertIn("mlp.py:17", printed)
        self.assertIn("Where the time goes", printed)

    def test_each_is_clean(self):
        """Without outputs: what they print is not reviewed, and would grow stale."""
        notebooks = glob.glob(os.path.join(common.SOURCE, "examples/notebooks/*.ipynb"))
        self.assertTrue(notebooks)
        for path in notebooks:
            with open(path, encoding="utf-8") as file:
                for cell in json.load(file)["cells"]:
                    self.assertEqual(cell.get("outputs", []), [], path)


if __name__ == "__main__":
    common.main(needs=["pandas", "matplotlib"])
