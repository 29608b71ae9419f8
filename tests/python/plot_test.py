# SPDX-License-Identifier: Apache-2.0
"""A picture of a result: a line, and its band."""

import unittest

import alxsim
import common


class Plot(unittest.TestCase):
    def test_a_line_and_its_band(self):
        result = alxsim.Study(common.STUDY).run(progress=False)
        axes = result.plot(band=True)
        (line,) = axes.get_lines()
        self.assertEqual(list(line.get_xdata()), [8, 16, 32, 64, 128])
        points = result.report["points"]
        self.assertEqual(list(line.get_ydata()), [point["epoch_seconds"] for point in points])
        (band,) = axes.collections
        heights = band.get_paths()[0].vertices[:, 1]
        self.assertEqual(min(heights), min(point["epoch_seconds_p05"] for point in points))
        self.assertEqual(max(heights), max(point["epoch_seconds_p95"] for point in points))
        self.assertEqual(len(result.plot(band=False).collections), 0)


if __name__ == "__main__":
    common.main(needs=["matplotlib"])
