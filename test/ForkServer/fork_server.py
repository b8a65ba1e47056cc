"""Runs a program many times and loads it once: `run` is subprocess.run with the
output captured as text, and without a parameter for anything else.

Every thread has a server of its own for a program, which ends with the thread's
process (ForkServer.cpp says how it works). Where the build has no server, for one
with sanitizers say, a program is started as usual.
"""
import os
import pathlib
import shutil
import signal
import socket
import struct
import subprocess
import threading

LIBRARY = "libfork-server.so"
VARIABLE = "DISTAFF_FORK_SERVER"
SERVERS = threading.local()


class Server:
    def __init__(self, program, library):
        self.socket, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        # Bound now, a symbol is not looked up again by every child.
        environment = {**os.environ, "LD_PRELOAD": str(library), "LD_BIND_NOW": "1", VARIABLE: str(far.fileno())}
        self.process = subprocess.Popen([program], env=environment, pass_fds=[far.fileno()], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        far.close()

    def number(self):
        answer = self.socket.recv(4)
        if not answer:
            raise OSError(f"the server of {self.process.args[0]} has ended")
        return struct.unpack("i", answer)[0]

    def run(self, command, timeout):
        with os.fdopen(os.memfd_create("stdout"), "r+") as out, os.fdopen(os.memfd_create("stderr"), "r+") as err:
            text = "".join(part + "\0" for part in (os.getcwd(), *command))
            socket.send_fds(self.socket, [text.encode()], [out.fileno(), err.fileno()])
            self.socket.settimeout(None)
            child = self.number()
            self.socket.settimeout(timeout)
            try:
                status = self.number()
            except TimeoutError:
                os.kill(child, signal.SIGKILL)
                self.socket.settimeout(None)
                self.number()
                raise subprocess.TimeoutExpired(command, timeout) from None
            out.seek(0)
            err.seek(0)
            return subprocess.CompletedProcess(command, os.waitstatus_to_exitcode(status), out.read(), err.read())


def library_of(program):
    """bin/PROGRAM has it in ../lib."""
    library = pathlib.Path(program).resolve().parent.parent / "lib" / LIBRARY
    return library if library.exists() else None


def server_of(program):
    servers = SERVERS.__dict__
    if program not in servers:
        path = shutil.which(program)
        library = path and library_of(path)
        servers[program] = Server(path, library) if library else None
    return servers[program]


def run(command, timeout=120):
    """Runs COMMAND, a list of what str() makes arguments; a timeout in seconds."""
    command = [str(part) for part in command]
    if server := server_of(command[0]):
        return server.run(command, timeout)
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, stdin=subprocess.DEVNULL)
