# SPDX-License-Identifier: Apache-2.0
"""What alxsim-dump-hlo says of wrong slices before JAX is asked, and where it looks for modules."""

import os
import subprocess
import sys
import tempfile
import unittest

import common
from alxsim import dump_hlo


class Topologies(unittest.TestCase):
    def test_a_slice_is_a_chip_and_its_chips_per_axis(self):
        self.assertEqual(dump_hlo.sizes_of("v5e:4x8"), ("v5e", [4, 8]))
        self.assertEqual(dump_hlo.sizes_of("v5p:2x2x4"), ("v5p", [2, 2, 4]))

    def test_others_are_refused_with_what_is_allowed(self):
        for topology, said in {
            "v5e-16": "allowed: one of v2, v3",
            "h100:8x8": "allowed: one of v2, v3",
            "v5p:4x4": "has 2 axes; allowed: a slice of v5p has 3",
            "v5e:4x4x4": "has 3 axes; allowed: a slice of v5e has 2",
            "v5e:32x32": "allowed: at most 16x16",
        }.items():
            with self.subTest(topology), self.assertRaisesRegex(dump_hlo.Refused, said):
                dump_hlo.sizes_of(topology)

    def test_whole_pods_have_rings_and_small_slices_none(self):
        self.assertEqual(dump_hlo.rings_of("v5e", [16, 16]), [True, True, False])
        self.assertEqual(dump_hlo.rings_of("v5e", [4, 16]), [False, True, False])
        self.assertEqual(dump_hlo.rings_of("v4", [4, 4, 4]), [True, True, True])


class Folder(unittest.TestCase):
    def test_modules_of_the_source_tree_do_not_hide_the_module(self):
        """The folder of the program holds the package without its extension."""
        with tempfile.TemporaryDirectory() as folder:
            text = "import alxsim\nalxsim.Machine('v5e-4')\nprint('found')\ndef step(devices): raise SystemExit(0)\n"
            path = os.path.join(folder, "mine.py")
            with open(path, "w") as file:
                file.write(text)
            script = os.path.join(common.SOURCE, "python", "alxsim-dump-hlo")
            run = f"import runpy, sys; sys.path.insert(0, {os.path.dirname(script)!r}); module = runpy.run_path({script!r})\n"
            run += f"module['leave_own_folder'](); module['function_of']({path + ':step'!r})"
            done = subprocess.run([sys.executable, "-c", run], capture_output=True, text=True)
            self.assertEqual(done.stdout.strip(), "found", done.stderr)


if __name__ == "__main__":
    common.main()
