# SPDX-License-Identifier: Apache-2.0
"""What a run found."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from ._native import native


def _module(name: str, package: str, what: str) -> Any:
    try:
        return __import__(name, fromlist=["_"])
    except ImportError:
        raise ImportError(
            f"{what} needs {package}: install python3-{package} (Debian) or `pip install {package}`; "
            "Result.report has the same as a dict"
        ) from None


def _pandas(what: str) -> Any:
    return _module("pandas", "pandas", what)


def _flat(fields: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Numbers and words by their paths, "sweet_spot.cores"; lists are left out."""
    for name, value in fields.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{name}.")
        elif not isinstance(value, list):
            yield before + name, value


def _quantile(values: Sequence[float], share: float) -> float:
    """Between the two nearest of the sorted values."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def load(path: str | os.PathLike[str]) -> Result:
    """The result that a report.json of `alxsim run`, or of Result.save(), holds."""
    return Result(native.load_report(os.fspath(path)))


class Result:
    """Points, draws and series of a study that ran. describe() tells what a column is.

    report    all of it as a dict, as report.json has it
    points    a row for each point, a column for each number ("phases.gather")
    draws     a row for each draw of each point, its time: draw i has the same values of all uncertain inputs at every point
    series    a row for each curve: its sweet spot, its fit
    """

    def __init__(self, report: Any):
        self._native = report

    @cached_property
    def report(self) -> dict[str, Any]:
        return self._native.to_dict()

    @property
    def name(self) -> str:
        return self.report["study"]["study"]

    @property
    def notes(self) -> list[str]:
        """What should be known beside the numbers."""
        return [line.removeprefix("note: ") for line in self._native.notes().splitlines()]

    @property
    def failures(self) -> list[str]:
        """Of points that failed: which, and why."""
        return [f"point {i}: {point['error']}" for i, point in enumerate(self.report["points"]) if "error" in point]

    @cached_property
    def points(self) -> Any:
        """pandas.DataFrame: a row for each point, numbered as in the report."""
        csv = io.StringIO(self._native.points_csv())
        return _pandas("Result.points").read_csv(csv, float_precision="round_trip", index_col="point")

    @cached_property
    def series(self) -> Any:
        """pandas.DataFrame: a row for each series, by its name."""
        pandas = _pandas("Result.series")
        rows = [{**dict(_flat(series)), "points": series["points"]} for series in self.report["series"]]
        return pandas.DataFrame(rows).set_index("name")

    @cached_property
    def draws(self) -> Any:
        """pandas.DataFrame: series, point, draw, and what the report keeps of each: epoch_seconds.

        Draw i has the same values of all uncertain inputs at every point, so that times may be divided draw by draw.
        """
        pandas = _pandas("Result.draws")
        frames = []
        for series, index in self._by_series():
            drawn = self._drawn(index)
            if drawn:
                frame = pandas.DataFrame(drawn)
                frame.insert(0, "series", series)
                frame.insert(1, "point", index)
                frame.insert(2, "draw", range(len(frame)))
                frames.append(frame)
        if not frames:
            return pandas.DataFrame(columns=["series", "point", "draw", "epoch_seconds"])
        return pandas.concat(frames, ignore_index=True)

    def ratio(self, to: int | Result = 0, *, by: str = "sweep") -> Any:
        """pandas.DataFrame: each point's time over that of another, with what 5 % and 95 % of the
        draws stay below (`low`, `high`), world by world.

        to: a point of this result, by its number; or another result, whose points are matched as
        `alxsim compare` does (by: sweep, cores, chips, dollars or joules); the ratio is then this
        one's time over the other's.
        """
        pandas = _pandas("Result.ratio()")
        if isinstance(to, Result):
            pairs = to._native.compare(self._native, by, [])
            rows = [
                {
                    "series": pair["b"]["series"],
                    "cores": pair["b"]["cores"],
                    "seconds": pair["b"]["epoch_seconds"],
                    "to_seconds": pair["a"]["epoch_seconds"],
                    "ratio": pair["ratio"],
                    "low": pair.get("ratio_low"),
                    "high": pair.get("ratio_high"),
                }
                for pair in pairs
            ]
            return pandas.DataFrame(rows)
        rows = [self._ratio_of(series, index, to) for series, index in self._by_series() if self._seconds(index)]
        return pandas.DataFrame(rows).set_index("point")

    def plot(self, band: bool = True, ax: Any = None, x: str | None = None) -> Any:
        """Draws time against cores, a line for each series, with matplotlib; returns its Axes.

        band: shades what 90 % of the draws of the uncertain inputs lie within.
        x: another column of points for the horizontal axis, such as "machine.chips" or what was swept.
        """
        pyplot = _module("matplotlib.pyplot", "matplotlib", "Result.plot()")
        if ax is None:
            _, ax = pyplot.subplots(figsize=(7, 4.5), layout="constrained")
        for series in self.report["series"]:
            places = [i for i in series["points"] if self._seconds(i)]
            places.sort(key=lambda i: self._x(i, x))
            xs = [self._x(i, x) for i in places]
            (line,) = ax.plot(xs, [self._seconds(i) for i in places], marker="o", label=series["name"])
            limits = [self._limits(i) for i in places]
            if band and all(limits):
                low, high = zip(*limits)
                ax.fill_between(
                    xs, low, high, color=line.get_color(), alpha=0.2, linewidth=0, label="90 % of the draws"
                )
        self._label(ax, x)
        return ax

    def explain(self, series: str = "") -> str:
        """In words, as `alxsim explain`: what bends the curves and what would move them."""
        return self._native.explain(series)[0]

    def explanation(self, series: str = "") -> dict[str, Any]:
        """The numbers behind explain()."""
        return self._native.explain(series)[1]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes report.json, report.html and points.csv into a folder, or the one file whose name
        ends so (.json, .html, .csv)."""
        self._native.save(os.fspath(path))

    def __repr__(self) -> str:
        return f"Result({self.name!r}, {len(self.report['points'])} points)"

    def _repr_html_(self) -> str | None:
        try:
            return self.points._repr_html_()
        except ImportError:
            return None

    def _by_series(self) -> Iterator[tuple[str, int]]:
        for series in self.report["series"]:
            for index in series["points"]:
                yield series["name"], index

    def _point(self, index: int) -> dict[str, Any]:
        points = self.report["points"]
        if not 0 <= index < len(points):
            raise IndexError(f"found point {index}; allowed: 0 to {len(points) - 1}")
        return points[index]

    def _seconds(self, index: int) -> float | None:
        return self._point(index).get("epoch_seconds")

    def _limits(self, index: int) -> tuple[float, float] | None:
        point = self._point(index)
        low, high = point.get("epoch_seconds_p05"), point.get("epoch_seconds_p95")
        return None if low is None or high is None else (low, high)

    def _drawn(self, index: int) -> dict[str, list[float]]:
        """Column -> values of all draws."""
        drawn = self._point(index).get("drawn", {})
        return {name: values for name, values in drawn.items() if isinstance(values, list)}

    def _ratio_of(self, series: str, index: int, to: int) -> dict[str, Any]:
        seconds, base = self._seconds(index), self._seconds(to)
        if not seconds or not base:
            raise ValueError(f"point {index if base else to} has no time: it failed, or does not fit into memory")
        row = {
            "point": index,
            "series": series,
            "cores": self._point(index)["machine"]["cores"],
            "ratio": seconds / base,
        }
        own, other = (self._drawn(i).get("epoch_seconds") for i in (index, to))
        if own and other and len(own) == len(other):
            ratios = [a / b for a, b in zip(own, other)]
            row.update(low=_quantile(ratios, 0.05), high=_quantile(ratios, 0.95))
        return row

    def _x(self, index: int, column: str | None) -> float:
        point = self._point(index)
        if column is None:
            return point["machine"]["cores"]
        if column in point.get("sweep", {}):
            return point["sweep"][column]
        return dict(_flat(point))[column]

    def _label(self, ax: Any, x: str | None) -> None:
        intervals = (point["interval"] for point in self.report["points"] if "interval" in point)
        ax.set_title(self.name)
        ax.set_xlabel(x or "cores")
        ax.set_ylabel(f"seconds of one {next(intervals, 'interval')}")
        ax.set_xscale("log", base=2)
        ax.set_yscale("log")
        ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        numbers = _module("matplotlib.ticker", "matplotlib", "Result.plot()").LogFormatter
        ax.yaxis.set_major_formatter(numbers())
        ax.yaxis.set_minor_formatter(numbers(minor_thresholds=(2, 0.6)))
        ax.grid(True, which="both", alpha=0.3)
        if len(ax.get_legend_handles_labels()[0]) > 1:
            ax.legend()
