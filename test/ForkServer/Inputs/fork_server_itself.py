"""usage: fork_server_itself.py FOLDER EXAMPLES: the cases of fork-server.test."""
import concurrent.futures
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

TEST = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TEST / "ForkServer"), str(TEST / "Tools" / "Inputs")]
import cases
import fork_server

FOLDER, EXAMPLES = Path(sys.argv[1]), Path(sys.argv[2])
SERVER = fork_server.library_of(shutil.which("distaff"))


def both(command):
    """A command run both ways, which must not be told apart."""
    forked, started = fork_server.run(command), subprocess.run(list(map(str, command)), capture_output=True, text=True)
    for what in ("returncode", "stdout", "stderr"):
        assert getattr(forked, what) == getattr(started, what), f"{command}: {what} is {getattr(forked, what)!r}, not {getattr(started, what)!r}"
    return forked


def shell(script, timeout=60):
    """Runs a script in a shell that was forked: any program can be served."""
    shell.server = getattr(shell, "server", None) or fork_server.Server(shutil.which("bash"), SERVER)
    return shell.server.run(["bash", "-c", script], timeout)


def is_gone(number, seconds=20):
    """Whether a process ends, or has ended and waits to be reaped."""
    command, end = Path("/proc", number.strip(), "cmdline"), time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if not command.read_bytes():
                return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.01)
    return False


def the_build_has_a_server():
    assert SERVER and fork_server.server_of("distaff"), "no libfork-server.so in the build"


def commands_end_as_they_do_alone():
    softmax = EXAMPLES / "softmax.mlir"
    assert both(["distaff", "compile", softmax, "--target", "sm_80", "--emit", "ptx"]).stdout
    assert both(["distaff", "compile", softmax, "--target", "gfx942", "--emit", "gcn"]).stdout
    assert both(["distaff", "run", softmax, "--target", "sm_80", "--check", "--counters"]).stdout
    assert both(["distaff", "explain", softmax, "--target", "sm_80", "--format", "json"]).stdout
    assert both(["distaff", "--version"]).stdout and both(["distaff", "--help"]).stdout
    assert both(["distaff", "compile", softmax, "--target", "sm_8"]).returncode == 2
    assert both(["distaff", "compile", EXAMPLES / "none.mlir", "--target", "sm_80"]).stderr
    assert both(["distaff", "run", EXAMPLES / "matmul_dynamic.mlir", "--target", "sm_80", "--shape", "arg0=3x4", "--shape", "arg1=5x6"]).returncode == 1
    assert both(["distaff"]).returncode == 2 and both(["distaff", "", "a b", "ü"]).returncode == 2
    assert both(["distaff-opt", softmax]).stdout


def one_run_leaves_nothing_to_the_next():
    for flags in (["--strict-fp"], [], ["--stop-after=tile"], [], ["--emit", "ptx"], ["--no-such"], []):
        both(["distaff", "compile", EXAMPLES / "row_sum.mlir", "--target", "sm_80", *flags])


def codes_and_signals_are_the_childs():
    assert [shell(f"exit {code}").returncode for code in (0, 1, 3, 255)] == [0, 1, 3, 255]
    assert [shell(f"kill -{signal} $$").returncode for signal in ("SEGV", "ABRT", "KILL")] == [-11, -6, -9]


def what_takes_too_long_is_killed():
    begin = time.monotonic()
    try:
        shell("echo $$ > " + str(FOLDER / "child") + "; exec sleep 60", timeout=1.5)
        assert False, "was waited for"
    except subprocess.TimeoutExpired as late:
        assert late.timeout == 1.5 and time.monotonic() - begin < 30
    assert is_gone((FOLDER / "child").read_text()), "lives on"
    assert shell("echo next").stdout == "next\n", "the server does not"


def what_ends_just_in_time_leaves_no_answer_behind():
    def end(timeout):
        try:
            return shell("exit 7", timeout).returncode
        except subprocess.TimeoutExpired:
            return "late"
    assert {end(at / 20000) for at in range(150)} <= {"late", 7}
    assert shell("echo next; exit 3").returncode == 3


def output_is_kept_apart_and_whole():
    done = shell("yes | head -c 3000000; echo no >&2; cat")
    assert len(done.stdout) == 3000000 and done.stderr == "no\n"


def children_are_in_the_folder_of_the_caller():
    before = os.getcwd()
    try:
        os.chdir(FOLDER)
        assert shell("pwd").stdout.strip() == str(FOLDER.resolve()), shell("pwd").stdout
    finally:
        os.chdir(before)


def children_know_nothing_of_the_server():
    names = "LD_PRELOAD|LD_BIND_NOW|" + fork_server.VARIABLE
    assert shell(f"env | grep -E '^({names})='; ls /proc/$$/fd; true").stdout == "\n".join(["0", "1", "2"]) + "\n", shell("env; ls -l /proc/$$/fd").stdout
    assert shell("echo $HOME").stdout.strip() == os.environ.get("HOME", "")


def threads_have_servers_of_their_own():
    seen, number = set(), lambda at: (threading.get_ident(), fork_server.server_of("distaff").process.pid, fork_server.run(["distaff", "--no-" + str(at)]))
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for at, (thread, server, done) in enumerate(pool.map(number, range(40))):
            assert f"'--no-{at}'" in done.stderr, done.stderr
            seen.add((thread, server))
    assert len({thread for thread, _ in seen}) == len({server for _, server in seen}) == len(seen)


def servers_end_with_their_caller():
    script = f"import sys; sys.path.insert(0, {str(TEST / 'ForkServer')!r}); import fork_server; " \
        "fork_server.run(['distaff', '--version']); print(fork_server.server_of('distaff').process.pid)"
    server = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert is_gone(server), "is still there"


def nobody_outlives_who_started_it():
    for victim in ("server", "caller"):
        child, said = FOLDER / f"child-of-{victim}", FOLDER / victim
        script = f"import sys; sys.path.insert(0, {str(TEST / 'ForkServer')!r}); import fork_server, os; " \
            f"server = fork_server.Server({shutil.which('bash')!r}, {str(SERVER)!r}); " \
            f"open({str(said)!r}, 'w').write(str(server.process.pid if {victim == 'server'} else os.getpid())); " \
            f"server.run(['bash', '-c', 'echo $$ > {child}; exec sleep 600'], None)"
        caller = subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.DEVNULL)
        while not child.exists() or not child.read_text().endswith("\n"):
            time.sleep(0.01)
        os.kill(int(said.read_text()), signal.SIGKILL)
        assert caller.wait(20) != 0
        assert is_gone(child.read_text()), f"{victim} is gone, the child is not"


def a_server_that_is_gone_is_an_error():
    server = fork_server.Server(shutil.which("bash"), SERVER)
    assert server.run(["bash", "-c", "exit 4"], 60).returncode == 4
    server.process.kill()
    server.process.wait()
    try:
        server.run(["bash", "-c", "exit 4"], 60)
        assert False, "has run"
    except OSError:
        pass
    fork_server.server_of("distaff").process.kill()
    try:
        fork_server.run(["distaff", "--version"])
        assert False, "has run"
    except OSError:
        assert fork_server.run(["distaff", "--version"]).returncode == 0, "there is no new one"


def arguments_that_are_no_request_are_refused():
    for word in ("x" * 140000, "a\0b"):
        try:
            fork_server.run(["distaff", word])
            assert False, "was sent"
        except ValueError:
            assert fork_server.run(["distaff", "--version"]).returncode == 0
    both(["distaff", "x" * 130000])


def heaps_begin_elsewhere_in_every_run():
    script = "import ctypes; ctypes.pythonapi.PyMem_RawMalloc.restype = ctypes.c_void_p; print(ctypes.pythonapi.PyMem_RawMalloc(40))"
    server = fork_server.Server(sys.executable, SERVER)
    assert len({server.run([sys.executable, "-c", script], 60).stdout for _ in range(20)}) > 10


cases.main([the_build_has_a_server, commands_end_as_they_do_alone, one_run_leaves_nothing_to_the_next, codes_and_signals_are_the_childs,
            what_takes_too_long_is_killed, what_ends_just_in_time_leaves_no_answer_behind, output_is_kept_apart_and_whole, children_are_in_the_folder_of_the_caller,
            children_know_nothing_of_the_server, threads_have_servers_of_their_own, servers_end_with_their_caller,
            nobody_outlives_who_started_it, a_server_that_is_gone_is_an_error, arguments_that_are_no_request_are_refused,
            heaps_begin_elsewhere_in_every_run], FOLDER)
