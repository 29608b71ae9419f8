# SPDX-License-Identifier: Apache-2.0
"""Studies: what is asked, and what runs it."""

from __future__ import annotations

import copy
import hashlib
import json
import os
import sys
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ._native import native
from ._progress import Progress, told
from ._result import Result

FIDELITIES = ("detailed", "sampled", "analytic")


def _given(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


class Study:
    """A study (`alxsim schema study`, docs/question.md). It never changes: set() makes another."""

    def __init__(self, study: str | os.PathLike[str] | Mapping[str, Any], *, file: str | None = None):
        """study: the path of its file (JSON, comments allowed), or the same as a dict.

        file: of a dict, where it stands as errors name it; paths in it are relative to its folder
        (this session's, if it is left out).
        """
        if isinstance(study, Mapping):
            self._document: dict[str, Any] = native.plain(dict(study))  # numbers of NumPy, too
            self._file = file or "study"
        else:
            self._file = os.fspath(study)
            self._document = native.read_json(self._file)
        native.study_name(self._document, self._file)  # what is wrong with it is told at once

    @property
    def name(self) -> str:
        return native.study_name(self._document, self._file)

    @property
    def file(self) -> str:
        return self._file

    def to_dict(self) -> dict[str, Any]:
        """The study as its file would have it."""
        return copy.deepcopy(self._document)

    def set(self, pointer: str, value: Any) -> Study:
        """The study with another value at a JSON pointer, like set("/machine/cores", 64).

        What the place does not have yet is made. Raises InputError for what is no place of a study.
        """
        return Study(native.with_setting(self._document, self._file, pointer, value), file=self._file)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the study's file."""
        Path(path).write_text(json.dumps(self._document, indent=2) + "\n", encoding="utf-8")

    def check(self) -> list[dict[str, Any]]:
        """What would run, without running it: a dict for each point, as a report has it, with its
        memory, its estimate, and what a run takes of this host (`host.cpu_seconds`,
        `host.memory_bytes`). A point that cannot be made, or does not fit, says so in `no_result`.
        Raises InputError where the study is wrong, or all of its points are."""
        points = native.check(self._document, self._file)
        return [{**one.pop("point"), **one} for one in points]

    def run(
        self,
        fidelity: str | None = None,
        jobs: int | None = None,
        *,
        progress: bool | Progress = True,
        output: str | os.PathLike[str] | None = None,
        resume: bool = False,
        threads: int | None = None,
        retries: int | None = None,
        memory: str | None = None,
        export: str | os.PathLike[str] | None = None,
        trace: str | os.PathLike[str] | None = None,
        trace_steps: str | None = None,
        in_process: bool = False,
        band: bool | None = None,
    ) -> Result:
        """Runs all points, as `alxsim run` does, in processes of their own.

        fidelity  detailed: every step through SystemC; sampled: some; analytic: closed forms only
        jobs      points at once (one for each core of this host)
        progress  a line on stderr that rewrites itself; False: none; or a function (line, stays)
        output    a folder for report.json, report.html and points.csv
        resume    go on with what an interrupted run kept in `output`
        memory    of this host for the points, such as "8G"
        export, trace, trace_steps  as of `alxsim run`
        band      False: central values alone

        Ctrl-C ends it within a second; points that are finished are kept, and the same call goes on
        with them: with `output` if it says resume=True, without it in this session by itself. Of
        points that failed there is a warning, and the others are there.
        """
        study = self
        if fidelity is not None:
            study = study.set("/fidelity", fidelity)
        if band is not None:
            study = study.set("/band", band)
        folder = os.fspath(output) if output is not None else study._kept_folder()
        options = {
            "folder": folder,
            "writes": output is not None,
            "resume": resume or output is None,
            "jobs": jobs,
            "threads": threads,
            "retries": retries,
            "memory": memory,
            "export": None if export is None else os.fspath(export),
            "trace": None if trace is None else os.fspath(trace),
            "trace_steps": trace_steps,
            "in_process": in_process or not sys.executable,  # what else would start a process?
            "quiet": not progress,
        }
        try:
            with told(progress) as tell:
                report = native.run(study._document, study._file, _given(options), tell)
        except KeyboardInterrupt:
            how = "run it again with resume=True" if output is not None else "run it again in this session"
            raise KeyboardInterrupt(f"finished points are kept; to go on, {how}") from None
        result = Result(report)
        for failure in result.failures:
            warnings.warn(failure, stacklevel=2)
        return result

    def advise(
        self,
        *,
        budget: float | str = 30,
        choices: Sequence[str] | None = None,
        cores: Sequence[int] | None = None,
        keep_cores: bool | None = None,
        chips: Sequence[str] | None = None,
        any_slice: bool | None = None,
        optimise: str | None = None,
        deadline: float | str | None = None,
        max_cost: float | None = None,
        top: int | None = None,
        table: bool | None = None,
        series: str | None = None,
        like: str | os.PathLike[str] | None = None,
        jobs: int | None = None,
        progress: bool | Progress = True,
    ) -> Advice:
        """Searches sharding, slice and batches for a faster plan, and simulates the best.

        Options are those of `alxsim advise`. budget: seconds of this host, or "5min". Ctrl-C ends
        it within a second; what was found until then is the KeyboardInterrupt's `found`.
        """
        options = _given(
            {
                "budget": str(budget),
                "choices": None if choices is None else list(choices),
                "cores": None if cores is None else list(cores),
                "keep_cores": keep_cores,
                "chips": None if chips is None else list(chips),
                "any_slice": any_slice,
                "optimise": optimise,
                "deadline": None if deadline is None else str(deadline),
                "max_cost": None if max_cost is None else str(max_cost),
                "top": top,
                "table": table,
                "series": series,
                "like": None if like is None else os.fspath(like),
                "jobs": jobs,
                "quiet": not progress,
            }
        )
        try:
            with told(progress) as tell:
                found = native.advise(self._document, self._file, options, tell)
        except KeyboardInterrupt as interrupt:
            if hasattr(interrupt, "found"):
                interrupt.found = self._advice(interrupt.found)
            raise
        return self._advice(found)

    def _advice(self, found: tuple[str, dict[str, Any], list[dict[str, Any]]]) -> Advice:
        text, numbers, studies = found
        return Advice(text, numbers, [Study(one, file=self._file) for one in studies])

    def infer(
        self,
        statements: str | os.PathLike[str] | Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        draws: int | None = None,
        seed: int | None = None,
        discrepancy: float | None = None,
        without: Sequence[str] | None = None,
        run: str | None = None,
        measure: str | bool | None = None,
        point: str | None = None,
        jobs: int | None = None,
        progress: bool | Progress = True,
    ) -> Inferred:
        """Finds which values of the unknowns agree with published statements.

        statements: a file of them, its content, or the list alone. Other options are those of
        `alxsim infer`; measure: a file of measurements, or True for those that come along.
        """
        file = "statements"
        if isinstance(statements, (str, os.PathLike)):
            file = os.fspath(statements)
            statements = native.read_json(file)
        elif not isinstance(statements, Mapping):
            statements = {"statements": list(statements)}
        options = _given(
            {
                "draws": draws,
                "seed": seed,
                "discrepancy": discrepancy,
                "without": None if without is None else list(without),
                "run": run,
                "measure": "" if measure is True else measure or None,
                "point": point,
                "jobs": jobs,
            }
        )
        with told(progress) as tell:
            text, numbers = native.infer(self._document, self._file, statements, file, options, tell)
        return Inferred(text, numbers)

    def _kept_folder(self) -> str:
        """Where points of this very study are kept while it runs without an output folder."""
        words = json.dumps([self._document, self._file, os.getcwd()], sort_keys=False)
        key = hashlib.sha256(words.encode()).hexdigest()[:16]
        return os.path.join(_session_folder(), key)

    def __repr__(self) -> str:
        return f"Study({self.name!r})"


_session: tempfile.TemporaryDirectory[str] | None = None


def _session_folder() -> str:
    global _session
    if _session is None:
        _session = tempfile.TemporaryDirectory(prefix="alxsim-")
    return _session.name


class Advice:
    """What advise() found: `text` as `alxsim advise` prints it, `numbers` as with --json.

    `plans` are the numbers of the plans, the best first; `studies` the same as studies to run.
    """

    def __init__(self, text: str, numbers: dict[str, Any], studies: list[Study]):
        self.text = text
        self.numbers = numbers
        self.studies = studies

    @property
    def plans(self) -> list[dict[str, Any]]:
        return self.numbers["plans"]

    def __repr__(self) -> str:
        return self.text


class Inferred:
    """What infer() found: `text` as `alxsim infer` prints it, `numbers` as with --json.

    save() writes a file that a study's "given" names: its bands then come from these worlds.
    """

    def __init__(self, text: str, numbers: dict[str, Any]):
        self.text = text
        self.numbers = numbers

    def save(self, path: str | os.PathLike[str]) -> None:
        Path(path).write_text(json.dumps(self.numbers, indent=1) + "\n", encoding="utf-8")

    def __repr__(self) -> str:
        return self.text
