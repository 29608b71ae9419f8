# SPDX-License-Identifier: Apache-2.0
"""The extension, told how this Python starts processes that run points."""

from __future__ import annotations

import sys

from . import _alxsim as native

__all__ = ["__version__", "native"]
__version__: str = native.version

# A process that runs points has the extension alone: it starts in some 20 ms, and nothing that this
# session has imported or changed reaches it.
_PROGRAM = """
import importlib.machinery, importlib.util, sys
loader = importlib.machinery.ExtensionFileLoader("_alxsim", sys.argv[1])
module = importlib.util.module_from_spec(importlib.util.spec_from_loader("_alxsim", loader))
loader.exec_module(module)
sys.exit(module.run_program(["alxsim", *sys.argv[2:]]))
"""

if sys.executable:
    native.be_started_as(sys.executable, ["-I", "-S", "-c", _PROGRAM, native.__file__])
