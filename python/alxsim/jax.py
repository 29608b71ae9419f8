# SPDX-License-Identifier: Apache-2.0
"""Times of jitted JAX functions on TPU slices that this machine does not have.

    import alxsim.jax
    result = alxsim.jax.simulate(jax.jit(step), weights, batch, topology="v5e:4x4")
    print(result)

The TPU compiler (libtpu, of pip install "jax[tpu]") compiles for the slice, here, without a TPU; alxsim runs what it
wrote. Arguments are arrays or jax.ShapeDtypeStruct with shardings, on a mesh of alxsim.jax.devices(topology) or on any
other mesh with as many devices as the slice (jax.sharding.AbstractMesh needs none): it is laid on the slice as
jax.experimental.mesh_utils.create_device_mesh does. Import this before JAX is used, so that JAX looks for no TPU.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from . import dump_hlo
from ._errors import InputError
from ._progress import Progress, told
from ._result import Result
from ._study import Study

dump_hlo.prepare_environment()

_described: dict[tuple[str, int], list[Any]] = {}  # JAX tells devices of two descriptions apart

__all__ = ["Candidate", "CompilerRefusal", "Search", "Simulated", "compile", "devices", "search", "simulate"]


class CompilerRefusal(RuntimeError):
    """What the TPU compiler will not compile, in its first line; `details` is all that it says. Most often the function
    needs more memory than a device has."""

    def __init__(self, topology: str, said: str):
        self.details = said
        super().__init__(f"the TPU compiler refuses it for {topology}: {next(iter(said.splitlines()), 'no reason')}")


def devices(topology: str, slices: int = 1) -> list[Any]:
    """The devices of a described slice, such as "v5e:8x8", for jax.sharding.Mesh. Raises ValueError for none that is."""
    if (topology, slices) not in _described:
        try:
            _described[topology, slices] = dump_hlo.devices_of(topology, slices)
        except dump_hlo.Refused as refused:
            raise ValueError(str(refused)) from None
    return list(_described[topology, slices])


def compile(
    jitted: Any,
    *arguments: Any,
    topology: str,
    slices: int = 1,
    flags: str | Mapping[str, Any] = "default",
    folder: str | os.PathLike[str] | None = None,
    name: str | None = None,
) -> Path:
    """Compiles for a slice and returns the path of NAME-KEY.hlo.txt.gz, with NAME-KEY.json beside it: both are for
    studies ("workload": {"program": {"hlo": PATH}}) and for `alxsim import hlo`.

    jitted    what jax.jit returns, or anything else with lower(*arguments)
    flags     "default"; "recipe": those of public recipes, which let all-gathers run beside compute; or compiler flags
    folder    where it is kept: the same function, arguments, slice, flags and compiler are not compiled again.
              Left out: a folder of this session

    Raises CompilerRefusal where a device has too little memory, say.
    """
    import jax

    if not hasattr(jitted, "lower"):
        raise TypeError(f"found {jitted!r}; allowed: a jitted function, jax.jit({getattr(jitted, '__name__', 'function')})")
    options = _flags(flags)
    there = devices(topology, slices)
    lowered = jitted.lower(*_laid_on(arguments, there))
    base = _base(jitted, lowered, (topology, slices, options), folder, name)
    text = base.with_name(base.name + ".hlo.txt.gz")
    if not text.exists():
        try:
            compiled = lowered.compile(compiler_options=options or None)
        except jax.errors.JaxRuntimeError as refused:
            raise CompilerRefusal(topology, str(refused)) from None
        rings = dump_hlo.rings_of(*dump_hlo.sizes_of(topology))
        target = {"topology": topology, "slices": slices, "wrap": rings, "flags": options}
        dump_hlo.write_program(compiled, str(base), target, _folders(jitted, jax))
    return text


def simulate(
    jitted: Any,
    *arguments: Any,
    topology: str,
    slices: int = 1,
    flags: str | Mapping[str, Any] = "default",
    folder: str | os.PathLike[str] | None = None,
    name: str | None = None,
    assume: Mapping[str, float | str] | None = None,
    trips: Mapping[str, int] | None = None,
    branches: Mapping[str, int] | None = None,
    machine: Mapping[str, Any] | None = None,
    progress: bool | Progress = True,
    **run: Any,
) -> Simulated:
    """What one call of a jitted function takes on a slice: seconds with a band, by phase and line of source, memory,
    and what would help.

    assume    of what nobody knows the cost of, as a study's: seconds, or "attention" for kernels of attention
    trips, branches  of loops and conditionals that depend on data: {"while.6": 12}, as --trip and --branch of a message
    machine   other fields of /machine, such as {"overrides": {"ici_link_bw_oneway": "x2"}}
    run       as of Study.run(); analytic unless fidelity says otherwise

    Raises InputError for what the program holds and nobody knows the time of: it names all of it; CompilerRefusal for
    what does not compile, as what needs more memory than a device has.
    """
    with told(progress) as tell:
        if tell is not None:
            tell(f"compiling for {topology}", False)
        text = compile(jitted, *arguments, topology=topology, slices=slices, flags=flags, folder=folder, name=name)
    program = {"hlo": str(text), "assume": assume, "trips": trips, "branches": branches}
    return _simulated(text, program, machine, progress, run)


def search(
    function: Callable[..., tuple[Any, Sequence[Any]]],
    candidates: Mapping[str, Mapping[str, Any]] | Sequence[Mapping[str, Any]],
    *,
    topology: str,
    slices: int = 1,
    flags: str | Mapping[str, Any] = "default",
    folder: str | os.PathLike[str] | None = None,
    progress: bool | Progress = True,
    **options: Any,
) -> Search:
    """Compiles and runs each candidate and ranks them by time; those that do not fit come last.

    function    called with the slice's devices and a candidate's keywords, returns (jitted, arguments)
    candidates  keywords by names of yours, or a list of them: shardings, recomputation, batch
    folder      where what was compiled is kept: a second search compiles what is new
    options     as of simulate(): assume, trips, branches, machine, and those of Study.run()

    What the compiler refuses (out of memory, for one) is told of that candidate, and the others go on.
    """
    there = devices(topology, slices)
    found = []
    with told(progress) as tell:
        named = list(_named(candidates))
        for number, (name, keywords) in enumerate(named, start=1):
            if tell is not None:
                tell(f"compiling {number} of {len(named)}: {name}", False)
            found.append(_candidate(function, name, keywords, there, topology, slices, flags, folder, options))
            if tell is not None:
                tell(str(found[-1]), True)
    return Search(found)


class Rows(list[dict[str, Any]]):
    """Rows of a table of times; printed one a line, and so are slices of it."""

    def __getitem__(self, which: Any) -> Any:
        found = super().__getitem__(which)
        return Rows(found) if isinstance(which, slice) else found

    def __str__(self) -> str:
        return "\n".join(f"{_time(row['seconds']):>8} {100 * row['share']:4.0f} %  {row['name']}" for row in self)


class Simulated:
    """What a call takes on the slice: seconds, with `low` and `high` of the 90 % band.

    path      of the compiled text
    result    alxsim.Result of the run
    """

    def __init__(self, path: Path, result: Result):
        self.path = path
        self.result = result

    @property
    def point(self) -> dict[str, Any]:
        """The one point, as a report has it."""
        return self.result.report["points"][0]

    @property
    def fits(self) -> bool:
        return self.point.get("fits", True)

    @property
    def seconds(self) -> float | None:
        """Of one call; None if it does not fit into memory."""
        return self.point.get("epoch_seconds")

    @property
    def low(self) -> float | None:
        """What 5 % of the draws of the uncertain inputs stay below."""
        return self._band("low")

    @property
    def high(self) -> float | None:
        """What 95 % of the draws of the uncertain inputs stay below."""
        return self._band("high")

    @property
    def phases(self) -> dict[str, float]:
        """Seconds of forward, backward, recomputation, optimizer ..."""
        return self.point.get("phases", {})

    @property
    def by(self) -> dict[str, Rows]:
        """Rows by source line, collective and axes: shares of the critical path."""
        return {table["by"]: Rows(table["rows"]) for table in self.point.get("time_by", [])}

    @property
    def lines(self) -> Rows:
        """Rows by source line, the longest first."""
        return self.by.get("source line", Rows())

    @property
    def memory(self) -> dict[str, Any]:
        """Bytes of a core: alive at once, and what the compiler allocates."""
        return self.point.get("memory", {})

    @property
    def assumed(self) -> float:
        """Share of the time from instructions whose cost was given (`assume`) or is the kernel author's own estimate."""
        return self.point.get("assumed", {}).get("share", 0.0)

    def explain(self) -> str:
        """In words: where the time goes, and what would help."""
        return self.result.explain()

    def __repr__(self) -> str:
        return f"Simulated({_in_words(self)})"

    def __str__(self) -> str:
        where = self.point["machine"]
        said = [f"{where['chip']} {where['slice']}: {_in_words(self)}"]
        if self.fits:
            total = sum(self.phases.values()) or 1
            shares = sorted(self.phases.items(), key=lambda phase: -phase[1])
            said.append("by phase: " + ", ".join(f"{name} {100 * value / total:.0f} %" for name, value in shares))
        said += [f"note: {note}" for note in self.result.notes]
        return "\n".join(said)

    def _band(self, end: str) -> float | None:
        return self.point.get(f"epoch_seconds_{end}")


class Candidate:
    """One of a search: its name, keywords, and what was found or why nothing was."""

    def __init__(self, name: str, keywords: Mapping[str, Any], found: Simulated | None, problem: str = ""):
        self.name = name
        self.keywords = dict(keywords)
        self.found = found
        self.problem = problem

    @property
    def seconds(self) -> float | None:
        return self.found.seconds if self.found is not None else None

    def __str__(self) -> str:
        return f"{self.name}: {_in_words(self.found) if self.found is not None else self.problem}"

    def __repr__(self) -> str:
        return f"Candidate({str(self)!r})"


class Search(Sequence[Candidate]):
    """Candidates, the fastest first; those without a time last."""

    def __init__(self, candidates: Sequence[Candidate]):
        self._ranked = sorted(candidates, key=lambda one: (one.seconds is None, one.seconds or 0.0))

    def __len__(self) -> int:
        return len(self._ranked)

    def __getitem__(self, index: Any) -> Any:
        return self._ranked[index]

    @property
    def best(self) -> Candidate | None:
        """The fastest; None if none has a time."""
        return self._ranked[0] if self._ranked and self._ranked[0].seconds is not None else None

    @property
    def table(self) -> Any:
        """pandas.DataFrame: a row for each candidate."""
        import pandas

        rows = [
            {"name": one.name, **one.keywords, "seconds": one.seconds, "low": one.found and one.found.low,
             "high": one.found and one.found.high, "problem": one.problem}
            for one in self._ranked
        ]  # fmt: skip
        return pandas.DataFrame(rows)

    def __str__(self) -> str:
        return "\n".join(str(one) for one in self._ranked)

    def __repr__(self) -> str:
        return f"Search({[one.name for one in self._ranked]!r})"


def _flags(flags: str | Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(flags, Mapping):
        return dict(flags)
    if flags not in ("default", "recipe"):
        raise ValueError(f"found flags {flags!r}; allowed: 'default', 'recipe', or a dict of compiler flags")
    return dump_hlo.flags_of(flags == "recipe", [])


def _laid_on(arguments: Any, there: Sequence[Any]) -> Any:
    """Arguments as shapes on these devices. Raises ValueError for a mesh of another size."""
    import jax

    return jax.tree.map(lambda leaf: _leaf_on(leaf, there), arguments)


def _leaf_on(leaf: Any, there: Sequence[Any]) -> Any:
    import jax
    import numpy
    from jax.experimental import mesh_utils
    from jax.sharding import Mesh, NamedSharding, PartitionSpec, SingleDeviceSharding

    if not isinstance(leaf, (jax.Array, jax.ShapeDtypeStruct, numpy.ndarray, numpy.generic)):
        leaf = jax.numpy.asarray(leaf)
    weak = bool(getattr(leaf, "weak_type", False))

    def shape_on(sharding: Any) -> Any:
        return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=sharding, weak_type=weak)

    sharding = getattr(leaf, "sharding", None)
    if isinstance(sharding, NamedSharding):
        mesh = sharding.mesh
        if isinstance(mesh, Mesh) and set(mesh.devices.flat) <= set(there):
            return shape_on(sharding)
        if mesh.size != len(there):
            raise ValueError(f"found a mesh of {mesh.size} devices; allowed: as many as the slice has, {len(there)}")
        grid = mesh_utils.create_device_mesh(tuple(mesh.shape.values()), list(there), allow_split_physical_axes=True)
        kept = {"axis_types": mesh.axis_types} if hasattr(mesh, "axis_types") else {}
        laid = Mesh(grid, mesh.axis_names, **kept)
        sharding = NamedSharding(laid, sharding.spec, memory_kind=sharding.memory_kind)
    elif sharding is not None and not isinstance(sharding, SingleDeviceSharding):
        raise ValueError(f"found {sharding}; allowed: a NamedSharding, or none for an argument on each device")
    else:
        mesh = Mesh(mesh_utils.create_device_mesh((len(there),), list(there)), ("devices",))
        sharding = NamedSharding(mesh, PartitionSpec())
    return shape_on(sharding)


def _base(jitted: Any, lowered: Any, target: Any, folder: str | os.PathLike[str] | None, name: str | None) -> Path:
    """FOLDER/NAME-KEY, by all that decides what is compiled."""
    import jax
    import libtpu

    what = json.dumps([lowered.as_text(), target, jax.__version__, libtpu.__version__], default=str)
    key = hashlib.sha256(what.encode()).hexdigest()[:12]
    place = Path(folder) if folder is not None else _session_folder()
    place.mkdir(parents=True, exist_ok=True)
    called = re.sub(r"\W", "", name or getattr(jitted, "__name__", "")) or "program"
    return place / f"{called}-{key}"


_kept: list[Any] = []


def _session_folder() -> Path:
    if not _kept:
        _kept.append(tempfile.TemporaryDirectory(prefix="alxsim-jax-"))
    return Path(_kept[0].name)


def _folders(jitted: Any, jax: Any) -> list[str]:
    """Folders that compiled texts need not name: the function's, and that of JAX."""
    files = [jax.__file__, __file__]
    try:
        files.insert(0, inspect.getsourcefile(inspect.unwrap(jitted)) or __file__)
    except TypeError:  # nothing of Python's
        pass
    return [os.path.dirname(os.path.abspath(file)) for file in files]


def _simulated(text: Path, program: Mapping[str, Any], machine: Any, progress: Any, run: Mapping[str, Any]) -> Simulated:
    study = {
        "study": text.name.removesuffix(".hlo.txt.gz").rpartition("-")[0],
        "numerics": False,
        "fidelity": run.get("fidelity") or "analytic",
        "workload": {"program": {name: value for name, value in program.items() if value is not None}},
    }
    if machine is not None:
        study["machine"] = dict(machine)
    return Simulated(text, Study(study).run(progress=progress, **run))


def _named(candidates: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if isinstance(candidates, Mapping):
        yield from candidates.items()
        return
    for keywords in candidates:
        yield ", ".join(f"{name}={value}" for name, value in keywords.items()) or "as it is", keywords


def _candidate(
    function: Any,
    name: str,
    keywords: Mapping[str, Any],
    there: Any,
    topology: str,
    slices: int,
    flags: Any,
    folder: Any,
    options: Mapping[str, Any],
) -> Candidate:
    import jax

    jitted, arguments = function(there, **keywords)
    try:
        found = simulate(
            jitted, *arguments, topology=topology, slices=slices, flags=flags, folder=folder, progress=False, **options
        )
    except CompilerRefusal as refused:
        return Candidate(name, keywords, None, str(refused))
    except jax.errors.JaxRuntimeError as failed:  # before the compiler, or in it
        return Candidate(name, keywords, None, "JAX refuses it: " + next(iter(str(failed).splitlines()), ""))
    except (InputError, ValueError) as refused:  # what nobody knows the time of; a sharding that does not divide
        return Candidate(name, keywords, None, "refused: " + " ".join(str(refused).split()))
    return Candidate(name, keywords, found)


def _in_words(found: Simulated) -> str:
    if "error" in found.point:
        return "failed: " + found.point["error"]
    if not found.fits or found.seconds is None:
        return "does not fit into the memory of a device"
    band = f", in 90 % of the draws {_time(found.low)} to {_time(found.high)}" if found.low is not None else ""
    return _time(found.seconds) + " a call" + band


def _time(seconds: float | None) -> str:
    if seconds is None:
        return "no time"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"
