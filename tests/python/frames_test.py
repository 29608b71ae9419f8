# SPDX-License-Identifier: Apache-2.0
"""Results as data frames, and what is made of them."""

import csv
import io
import tempfile
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
        by_point = draws.pivot(index="draw", columns="point", values="drawn.epoch_seconds")
        self.assertFalse(by_point.isna().any().any())
        ratios = by_point[1] / by_point[0]
        told = self.result.ratio(to=0)
        self.assertAlmostEqual(told.loc[1, "ratio_p05"], ratios.quantile(0.05), places=12)
        self.assertAlmostEqual(told.loc[1, "ratio_p95"], ratios.quantile(0.95), places=12)

    def test_a_ratio_to_itself_is_1(self):
        own = self.result.ratio(to=2)
        self.assertEqual(list(own.loc[2, ["ratio", "ratio_p05", "ratio_p95"]]), [1, 1, 1])
        other = self.result.ratio(to=self.result)
        self.assertEqual(set(other[["ratio", "ratio_p05", "ratio_p95"]].to_numpy().flat), {1})

    def test_ratios_are_each_other_s_inverse(self):
        fast = alxsim.Study(common.STUDY).set("/machine/overrides/ici_link_bw_oneway", "x2").run(progress=False)
        there, back = fast.ratio(to=self.result), self.result.ratio(to=fast)
        for a, b in zip(there["ratio"], back["ratio"]):
            self.assertAlmostEqual(a * b, 1, places=12)
        self.assertTrue((there["ratio"] < 1).all())
        self.assertTrue((there["ratio_p05"] <= there["ratio_p95"]).all())

    def test_series(self):
        series = self.result.series
        self.assertEqual(list(series.index), ["mine"])
        self.assertEqual(series.loc["mine", "sweet_spot.cores"], self.result.report["series"][0]["sweet_spot"]["cores"])

    def test_every_column_is_one_of_the_schema(self):
        rows = {"point", "series", "draw"}  # which row it is
        series = [f"series.{column}" for column in self.result.series.columns]
        for column in [*self.result.points.columns, *self.result.draws.columns, *series]:
            with self.subTest(column=column):
                if column not in rows:
                    alxsim.describe(column)

    def test_columns_are_those_of_the_csv(self):
        """A thing has one name: in report.json as a path, in CSV, and here."""
        with tempfile.TemporaryDirectory() as folder:
            self.result.save(folder + "/out")
            report = folder + "/out/report.json"
            with open(folder + "/out/points.csv", newline="", encoding="utf-8") as file:
                points = next(csv.reader(file))
            draws = next(csv.reader(io.StringIO(common.program("report", report, "--draws"))))
            pairs = common.program_json("compare", report, report, "--json")["pairs"]
        self.assertEqual([self.result.points.index.name, *self.result.points.columns], points)
        self.assertEqual(list(self.result.draws.columns), draws)
        for column in draws:
            if column.startswith("drawn."):
                self.assertIn(column.split(".")[1], self.result.report["points"][0]["drawn"])
        ratios = [column for column in self.result.ratio(to=0).columns if column.startswith("ratio")]
        self.assertEqual(ratios, [name for name in pairs[0] if name.startswith("ratio") and name in ratios])

    def test_no_draws_are_a_table_of_the_same_columns(self):
        certain = alxsim.Study(common.STUDY).set("/band", False).run(progress=False)
        self.assertEqual(list(certain.draws.columns), ["point", "series", "draw", "drawn.epoch_seconds"])
        self.assertEqual(len(certain.draws), 0)

    def test_a_ratio_has_the_same_columns_whatever_it_is_to(self):
        point, result = self.result.ratio(to=0), self.result.ratio(to=self.result)
        self.assertEqual(sorted(point.columns), sorted(result.columns))
        self.assertEqual(point.index.name, result.index.name)


if __name__ == "__main__":
    common.main(needs=["pandas"])
