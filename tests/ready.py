# SPDX-License-Identifier: Apache-2.0
"""A process of the command line that has loaded everything, and run one command that needs
nothing: each command of a test is a fork of it.

Loading takes longer than most commands of the tests. A fork is a process of its own, with its own
folder, variables and streams, and ends as one; what it does not show is how a process starts, for
which tests take a fresh one (`trial.started`)."""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import socket
import subprocess
import sys
from contextlib import redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path

LONGEST_REQUEST = 1 << 20
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1"}
"""What a fork takes along is one thread; a library that numpy brings would start more."""


@cache
def server() -> socket.socket:
    """The way to a process that waits, which ends with this one."""
    ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, LONGEST_REQUEST)
    words = [sys.executable, "-P", __file__, str(its.fileno())]
    subprocess.Popen(words, pass_fds=[its.fileno()], env={**os.environ, **ONE_THREAD})
    its.close()
    return ours


def status_of(
    command: list[str], folder: Path, variables: dict[str, str], streams: list[int]
) -> int:
    """Runs a command line in a folder with the given standard streams."""
    request = json.dumps([command, os.fspath(folder), variables]).encode()
    socket.send_fds(server(), [request], streams)
    return int(server().recv(LONGEST_REQUEST))


def _next(way: socket.socket) -> bool:
    """Waits until this process is the fork that is to run a command; False where none comes."""
    while True:
        request, streams, _, _ = socket.recv_fds(way, LONGEST_REQUEST, 3)
        if not request:
            return False
        child = os.fork()
        if not child:
            way.close()
            command, folder, variables = json.loads(request)
            _become(command, folder, variables, streams)
            return True
        for stream in streams:
            os.close(stream)
        way.send(str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])).encode())


def _become(command: list[str], folder: str, variables: dict[str, str], streams: list[int]) -> None:
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(variables)
    sys.argv = command


def _load() -> None:
    """All of Tandem, and what the first command that anyone runs brings. Nothing of it is garbage:
    a fork that looked for some would have a copy of its own of every page."""
    import tandem

    for module in pkgutil.walk_packages(tandem.__path__, "tandem."):
        importlib.import_module(module.name)
    from tandem.commands.application import application

    with redirect_stdout(StringIO()):
        application(["list", "targets"], standalone_mode=False)
    gc.collect()
    gc.freeze()


if __name__ == "__main__":
    import tandem.commands

    _load()
    if _next(socket.socket(fileno=int(sys.argv[1]))):
        tandem.commands.main()
