# SPDX-License-Identifier: Apache-2.0
"""Python on pages: the blocks of each run, one after another, in a folder with the page's files."""

import contextlib
import io
import os
import re
import shutil
import tempfile
import unittest
import warnings

import common

PAGES = ("README.md", "docs/python.md")
BLOCK = re.compile(r"(?:<!-- (not run|file): ([^\n]*) -->\n)?```(\w+)\n(.*?)```\n", re.DOTALL)


def run_page(page):
    """Runs a page's Python in this folder; how many blocks it had."""
    with open(os.path.join(common.SOURCE, page), encoding="utf-8") as file:
        text = file.read()
    names, blocks = {"__name__": "__main__"}, 0
    for mark, value, language, block in BLOCK.findall(text):
        if mark == "file":
            with open(value, "w", encoding="utf-8") as file:
                file.write(block)
        elif language == "python" and mark != "not run":
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                exec(compile(block, page, "exec"), names)
            blocks += 1
    return blocks


class Pages(unittest.TestCase):
    def test_their_python_runs(self):
        for page in PAGES:
            with self.subTest(page=page), tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                for name in ("docs", "examples"):
                    shutil.copytree(os.path.join(common.SOURCE, name), os.path.join(folder, name))
                os.chdir(folder)
                try:
                    self.assertGreater(run_page(page), 0)
                finally:
                    os.chdir(common.SOURCE)


if __name__ == "__main__":
    common.main(needs=["pandas", "matplotlib"])
