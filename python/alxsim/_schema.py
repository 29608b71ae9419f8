# SPDX-License-Identifier: Apache-2.0
"""What fields mean, as the schemas tell it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from ._native import native


@lru_cache(maxsize=None)
def schema(name: str = "report") -> dict[str, Any]:
    """The JSON Schema of what is read or written: study, report, op_graph, preset, statements, ..."""
    try:
        return native.schema(name)
    except IndexError:
        raise ValueError(f"no schema is named {name!r}; `alxsim schema --help` lists them") from None


def _resolved(whole: dict[str, Any], part: Any) -> Any:
    while isinstance(part, dict) and "$ref" in part:
        target: Any = whole
        for word in part["$ref"].removeprefix("#/").split("/"):
            target = target[word]
        part = {**target, **{key: value for key, value in part.items() if key != "$ref"}}
    return part


def _alternatives(whole: dict[str, Any], part: Any) -> Iterator[dict[str, Any]]:
    part = _resolved(whole, part)
    if not isinstance(part, dict):
        return
    yield part
    for key in ("oneOf", "anyOf", "allOf"):
        for one in part.get(key, []):
            yield from _alternatives(whole, one)
    if "items" in part and isinstance(part["items"], dict):
        yield from _alternatives(whole, part["items"])


def _at(whole: dict[str, Any], part: Any, path: str) -> Any:
    """What stands at a path below `part`, whose names may have dots of their own; None: nothing."""
    if not path:
        return part
    alternatives = list(_alternatives(whole, part))
    for one in alternatives:
        for name, below in one.get("properties", {}).items():
            if path == name or path.startswith(name + "."):
                found = _at(whole, below, path[len(name) + 1 :])
                if found is not None:
                    return found
    for one in alternatives:
        below = one.get("additionalProperties")
        if isinstance(below, dict):
            if not any(isinstance(inner.get("properties"), dict) for inner in _alternatives(whole, below)):
                return below
            for place in (i for i, letter in enumerate(path) if letter == "."):  # a key may have dots
                found = _at(whole, below, path[place + 1 :])
                if found is not None:
                    return found
    # What a workload puts there is its own: the object is described, as a whole.
    return next((one for one in alternatives if one.get("type") == "object" and "properties" not in one), None)


def describe(column: str) -> str:
    """What a column of Result.points, .draws or .series is, in the words of the report's schema.

    A column is a path like "epoch_seconds", "memory.bytes_per_core" or "series.sweet_spot.cores".
    Raises KeyError for one that no report has; "" where its name says it all.
    """
    whole = schema("report")
    points = whole["properties"]["points"]
    column = column.partition("/")[0]  # "sweep./machine/cores"
    for part, path in ((points, column), (points, "machine." + column), (whole, column)):
        found = _at(whole, part, path)
        if found is not None:
            described = _resolved(whole, found)
            return described.get("description", "") if isinstance(described, dict) else ""
    raise KeyError(column)
