# SPDX-License-Identifier: Apache-2.0
"""What zsh makes of a command line when Tab is pressed behind it: zsh_completions.py FOLDER LINE."""
import os
import pty
import re
import select
import sys
import time


def read_until(terminal, wanted, seconds):
    text = ""
    end = time.monotonic() + seconds
    while time.monotonic() < end and not re.search(wanted, text, re.DOTALL):
        if select.select([terminal], [], [], 0.2)[0]:
            text += os.read(terminal, 65536).decode(errors="replace")
    return text


def main(folder, line):
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(TERM="dumb", PS1="ready> ", HOME="/nonexistent")
        os.execvp("zsh", ["zsh", "-f", "-i"])
    os.write(terminal, f"PROMPT_SP=; PS1='ready> '; fpath=({folder} $fpath)\n".encode())
    shown = "done_now() { print -r -- \"<<$BUFFER>>\" }; zle -N done_now; bindkey '^X^D' done_now"
    os.write(terminal, f"autoload -U compinit; compinit -u -D; {shown}; echo be''gin\n".encode())
    read_until(terminal, "begin.*ready> ", 20)  # before that the terminal, not zsh, takes ^D: as the end
    os.write(terminal, line.encode() + b"\t\x18\x04")
    found = re.search(r"<<(.*?)>>", read_until(terminal, "<<.*?>>", 20), re.DOTALL)
    print(found.group(1).strip() if found else "nothing")
    os.close(terminal)


main(*sys.argv[1:])
