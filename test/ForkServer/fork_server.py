"""Runs a program many times and loads it once: `run` is subprocess.run with the
output captured as text, for what is started again and again in one environment.

Every thread has a server of its own for a program, which ends with the thread
(ForkServer.cpp says how it works). Children have the environment, the limits and
the mask of files that there were when it was started, and an empty stdin. What
their own children write after their end is lost. Where the build has no server,
and with sanitizers, a program is started as usual.
"""
import contextlib
import fcntl
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
REQUEST_BYTES = 1 << 17  # that a server takes
SERVERS = threading.local()


@contextlib.contextmanager
def memory_file(name):
    """A file for a child's output, which several descriptors may append to."""
    with os.fdopen(os.memfd_create(name), "r+") as file:
        fcntl.fcntl(file, fcntl.F_SETFL, os.O_APPEND)
        yield file


class Server:
    def __init__(self, program, library):
        self.socket, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        # Bound now, a symbol is not looked up again by every child.
        environment = {**os.environ, "LD_PRELOAD": str(library), "LD_BIND_NOW": "1", VARIABLE: str(far.fileno())}
        self.process = subprocess.Popen([program], env=environment, pass_fds=[far.fileno()], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        far.close()

    def close(self):
        self.socket.close()
        self.process.kill()
        self.process.wait()

    def number(self, timeout=None):
        self.socket.settimeout(timeout)
        answer = self.socket.recv(4)
        if not answer:
            raise OSError(f"the server of {self.process.args[0]} has ended")
        return struct.unpack("i", answer)[0]

    def code(self, child, command, timeout):
        """The code that a child ends with, in time."""
        try:
            return self.number(timeout)
        except (TimeoutError, BlockingIOError):
            os.kill(child, signal.SIGKILL)  # its number is not another's before the next request
            self.number()
            raise subprocess.TimeoutExpired(command, timeout) from None

    def run(self, command, timeout):
        parts = [os.getcwd(), *command]
        request = "".join(part + "\0" for part in parts).encode()
        if len(request) > REQUEST_BYTES or any("\0" in part for part in parts):
            raise ValueError(f"{len(request)} bytes of arguments to {command[0]}: more than {REQUEST_BYTES}, or with a zero among them")
        with memory_file("stdout") as out, memory_file("stderr") as err:
            self.socket.settimeout(None)
            socket.send_fds(self.socket, [request], [out.fileno(), err.fileno()])
            code = self.code(self.number(), command, timeout)
            out.seek(0)
            err.seek(0)
            return subprocess.CompletedProcess(command, code, out.read(), err.read())


def library_of(program):
    """bin/PROGRAM has it in ../lib."""
    library = pathlib.Path(program).resolve().parent.parent / "lib" / LIBRARY
    return library if library.exists() and "DISTAFF_SANITIZED" not in os.environ else None


def server_of(program):
    servers = SERVERS.__dict__
    if program not in servers:
        path = shutil.which(program)
        library = path and library_of(path)
        servers[program] = Server(path, library) if library else None
    return servers[program]


def run(command, timeout=None):
    """Runs COMMAND, a list of what str() makes arguments; a timeout in seconds."""
    command = [str(part) for part in command]
    server = server_of(command[0])
    if not server:
        return subprocess.run(command, capture_output=True, text=True, timeout=timeout, stdin=subprocess.DEVNULL)
    try:
        return server.run(command, timeout)
    except (subprocess.TimeoutExpired, ValueError):
        raise
    except BaseException:  # who knows which answers are still to come
        del SERVERS.__dict__[command[0]]
        server.close()
        raise
