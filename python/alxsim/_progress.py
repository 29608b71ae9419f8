# SPDX-License-Identifier: Apache-2.0
"""Progress for people: a line that rewrites itself, in a terminal and in a notebook."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

Progress = Callable[[str, bool], None]


class _Lines:
    """Writes lines that stay, and one below them that is rewritten; nothing of it in a plain file."""

    def __init__(self) -> None:
        self._shown = 0
        self._rewrites = sys.stderr.isatty() or _in_notebook()

    def __call__(self, line: str, stays: bool) -> None:
        if stays:
            self._write(self._blank() + line + "\n")
        elif self._rewrites:
            blank = self._blank()
            self._shown = len(line)
            self._write(blank + line)

    def close(self) -> None:
        self._write(self._blank())

    def _blank(self) -> str:
        shown, self._shown = self._shown, 0
        return "\r" + " " * shown + "\r" if shown else ""

    @staticmethod
    def _write(text: str) -> None:
        if text:
            sys.stderr.write(text)
            sys.stderr.flush()


def _in_notebook() -> bool:
    return "ipykernel" in sys.modules


class told:
    """What the extension tells of progress while it lasts; `progress`: True, False, or a function
    (line, stays)."""

    def __init__(self, progress: bool | Progress):
        self._progress = progress
        self._lines: _Lines | None = None

    def __enter__(self) -> Progress | None:
        if callable(self._progress):
            return self._progress
        if not self._progress:
            return None
        self._lines = _Lines()
        return self._lines

    def __exit__(self, *raised: Any) -> None:
        if self._lines is not None:
            self._lines.close()
