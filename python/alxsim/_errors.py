# SPDX-License-Identifier: Apache-2.0
"""What is raised for wrong input."""

from __future__ import annotations


class InputError(ValueError):
    """Something that was given is wrong.

    message  all of it, as the program `alxsim` prints it
    file     the file, or what else it stands in ("Machine", an option); None where nobody says
    pointer  the place in it: a JSON pointer ("/machine/cores"), or line and column; None likewise
    found    what was found there; None where the message does not say
    allowed  what is allowed there; None likewise
    """

    def __init__(self, message: str, file: str = "", pointer: str = "", found: str = "", allowed: str = ""):
        super().__init__(message)
        self.message = message
        self.file: str | None = file or None
        self.pointer: str | None = pointer or None
        self.found: str | None = found or None
        self.allowed: str | None = allowed or None

    def __reduce__(self) -> tuple[type[InputError], tuple[str, ...]]:
        fields = (self.file, self.pointer, self.found, self.allowed)
        return InputError, (self.message, *(field or "" for field in fields))
