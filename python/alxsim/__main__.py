# SPDX-License-Identifier: Apache-2.0
"""The program: `python3 -m alxsim run study.json` is `alxsim run study.json`."""

from __future__ import annotations

import sys

from ._native import native


def main() -> int:
    return native.run_program(["alxsim", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
