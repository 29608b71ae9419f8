# SPDX-License-Identifier: Apache-2.0
"""Results as data frames, and what is made of them."""

import unittest

import alxsim
import common


class Frames(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.result = alxsim.Study(common.STUDY).run(progress=False)

    def test_points_are_those_of_the_report(self):
        points = self.result.points
        self.assertEqual(len(points), 5)
        for index, point in enumerate(self.result.report["points"]):
            self.assertEqual(points.loc[index, "epoch_seconds"], point["epoch_seconds"])
            self.assertEqual(points.loc[index, "machine.cores"], point["machine"]["cores"])

    def test_draw_i_is_one_world_in_all_points(self):
        draws = self.result.draws
        by_point = draws.pivot(index="draw", columns="point", values="epoch_seconds")
        self.assertFalse(by_point.isna().any().any())
        ratios = by_point[1] / by_point[0]
        told = self.result.ratio(to=0)
        self.assertAlmostEqual(told.loc[1, "low"], ratios.quantile(0.05), places=12)
        self.assertAlmostEqual(told.loc[1, "high"], ratios.quantile(0.95), places=12)

    def test_a_ratio_to_itself_is_1(self):
        own = self.result.ratio(to=2)
        self.assertEqual(list(own.loc[2, ["ratio", "low", "high"]]), [1, 1, 1])
        other = self.result.ratio(to=self.result)
        self.assertEqual(set(other[["ratio", "low", "high"]].to_numpy().flat), {1})

    def test_ratios_are_each_other_s_inverse(self):
        fast = alxsim.Study(common.STUDY).set("/machine/overrides/ici_link_bw_oneway", "x2").run(progress=False)
        there, back = fast.ratio(to=self.result), self.result.ratio(to=fast)
        for a, b in zip(there["ratio"], back["ratio"]):
            self.assertAlmostEqual(a * b, 1, places=12)
        self.assertTrue((there["ratio"] < 1).all())
        self.assertTrue((there["low"] <= there["high"]).all())

    def test_series(self):
        series = self.result.series
        self.assertEqual(list(series.index), ["mine"])
        self.assertEqual(series.loc["mine", "sweet_spot.cores"], self.result.report["series"][0]["sweet_spot"]["cores"])

    def test_every_column_is_one_of_the_schema(self):
        for column in self.result.points.columns:
            with self.subTest(column=column):
                alxsim.describe(column)


if __name__ == "__main__":
    common.main(needs=["pandas"])
