"""Compiles a row with each system, and measures what came out.

Each system is a command that writes PTX or GCN in a fresh process with no cache; PTX
is assembled and disassembled by one pair of NVIDIA's tools for all systems.
"""
import json
import os
import re
import shutil
import statistics
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import counts
from instructions import functions
from kernels import TARGETS
from peers import iree_peer

PEERS = ("triton", "iree", "tilelang")
TITLES = {"distaff": "Distaff", "triton": "Triton 3.9.0", "iree": "IREE 3.13.0", "tilelang": "TileLang 0.1.15"}
PACKAGE_HEADER = 32  # bytes before a package's manifest (docs/Packages.md)
PEER_FOLDER = Path(__file__).resolve().parent / "peers"


@dataclass
class Result:
    """What one system made of one row. `message` says why there is nothing."""
    message: str = ""
    seconds: float = 0
    whole_seconds: float = 0  # with what the system does behind the text: a binary
    registers: int = 0
    spills: int = 0  # bytes on NVIDIA, registers on AMD
    shared: int = 0
    figures: counts.Figures = None
    unit: float = 1  # what the counts are divided by
    kernels: int = 1


@dataclass
class Code:
    """Assembled code: what the assembler says of the kernels, and their functions."""
    registers: int = 0
    spills: int = 0
    shared: int = 0
    functions: list = field(default_factory=list)
    language: str = ""
    workgroup_sizes: list = field(default_factory=list)


def timed(command, runs, **options):
    """(median of the seconds that runs in fresh processes take, the last process).

    There are that many runs, and of short ones more, up to five times as many, until they have
    taken two seconds: what else the machine does for a moment is no part of the median.
    """
    seconds = []
    while len(seconds) < runs or (len(seconds) < 5 * runs and sum(seconds) < 2):
        start = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True, **options)
        seconds.append(time.perf_counter() - start)
        if done.returncode:
            break
    return statistics.median(seconds), done


def assembled_ptx(path, target, tools):
    """Registers, spills and shared memory as ptxas says them, and the code as nvdisasm prints it."""
    cubin = path.with_suffix(".cubin")
    done = subprocess.run([tools / "ptxas", "-arch", target, "-v", path, "-o", cubin], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"ptxas: {done.stderr.strip().splitlines()[0]}")
    said = done.stderr + done.stdout
    sass = subprocess.run([tools / "nvdisasm", "-c", cubin], capture_output=True, text=True, check=True).stdout
    most = lambda pattern: max(map(int, re.findall(pattern, said)), default=0)  # noqa: E731
    return Code(most(r"Used (\d+) registers"), most(r"(\d+) bytes spill stores"), most(r"(\d+) bytes smem"), functions(sass, "sass"), "sass",
                workgroup_sizes(path.read_text(), "ptx"))


def assembled_gcn(path):
    text = path.read_text()
    most = lambda key: max(map(int, re.findall(rf"\.{key}:\s+(\d+)", text)), default=0)  # noqa: E731
    return Code(most("vgpr_count"), most("vgpr_spill_count") + most("sgpr_spill_count"), most("group_segment_fixed_size"), functions(text, "gcn"), "gcn",
                workgroup_sizes(text, "gcn"))


def assembled(path, target, tools):
    return assembled_ptx(path, target, tools) if TARGETS[target] == "ptx" else assembled_gcn(path)


def first_error(text):
    """The line of a failed process that says what went wrong."""
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    named = [line for line in lines if re.search(r"error|Error|unsupported|cannot", line)]
    return re.sub(r"^\S*/", "", (named or lines or ["no message"])[-1 if not named else 0])[:160]


def workgroup_sizes(text, language):
    """Lanes of a workgroup, of the kernels in the order of the text."""
    if language == "ptx":
        sizes = re.findall(r"\.(?:maxntid|reqntid) (\d+)(?:, (\d+))?(?:, (\d+))?", text)
    else:
        sizes = re.findall(r"\.max_flat_workgroup_size:\s+(\d+)()()", text)
    return [int(x) * int(y or 1) * int(z or 1) for x, y, z in sizes]


def kernel_figures(row, code, workgroups, roles):
    """(figures, unit). Per element every kernel of the row counts, by its lanes; per
    1024 multiply-adds the kernel with the most of them."""
    if row.unit == "kmac":
        of_each = [counts.figures(function, code.language, roles) for function in code.functions]
        best = max(of_each, key=lambda f: f.multiply_adds)
        return best, best.multiply_adds / 1024
    total = counts.Figures(counts.Counter(), 0, whole=True)
    for function, lanes, groups in zip(code.functions, code.workgroup_sizes, workgroups):
        part, factor = counts.whole(function, code.language), lanes * groups
        total.instructions += factor * part.instructions
        total.unknown_trips += part.unknown_trips
        for name in part.by_class:
            total.by_class[name] += factor * part.by_class[name]
        total.loads += part.loads
    return total, row.elements


def measured(row, code, workgroups, roles=None):
    figures, unit = kernel_figures(row, code, workgroups, roles)
    result = Result("", registers=code.registers, spills=code.spills, shared=code.shared, figures=figures, unit=unit)
    if not figures.instructions or not unit:
        result.message, result.figures = "has no multiply-adds in a form that is counted", None
    return result


# Distaff ---------------------------------------------------------------------


def distaff_command(distaff, row, target, source, output):
    return [distaff, "compile", source, "--target", target, "--emit", TARGETS[target], "-o", output, *row.flags]


def shares_of_roles(distaff, row, target, source):
    """Subgroups of the first and the second role, as the split of the workgroup says them: halves where it is no constant."""
    if not row.has_roles:
        return None
    shown = subprocess.run([distaff, "compile", source, "--target", target, *row.flags, "--stop-after", "specialize"], capture_output=True, text=True).stdout
    constant = re.search(r"split \[\[?%c(\d+)", shown)
    lanes = re.search(r"workgroup_size = \[(\d+)", shown)
    subgroup = re.search(r"subgroup_size = (\d+)", shown)
    all_subgroups = int(lanes[1]) // int(subgroup[1] if subgroup else 64 if target.startswith("gfx") else 32)
    first = int(constant[1]) if constant else all_subgroups // 2
    return first, all_subgroups - first


def launches_of(distaff, row, target, source, folder):
    """Workgroups and shared memory as a package's manifest says them; 1 for what only a run knows."""
    package = folder / "package"
    subprocess.run([distaff, "compile", source, "--target", target, "--emit", "package", "-o", package, *row.flags], capture_output=True, check=True)
    text = package.read_bytes()[PACKAGE_HEADER:].decode("latin-1")
    manifest, _ = json.JSONDecoder().raw_decode(text)
    workgroups = []
    for launch in manifest["launches"]:
        sizes = [size if isinstance(size, int) else 1 for size in launch["grid"]]
        workgroups.append(sizes[0] * sizes[1] * sizes[2])
    shared = [launch["shared_memory"] for launch in manifest["launches"]]
    return workgroups, max(size if isinstance(size, int) else 0 for size in shared)


def distaff_result(row, target, arguments, folder):
    distaff = arguments.build / "bin" / "distaff"
    source, output = folder / f"{row.name}.mlir", folder / f"{row.name}.{TARGETS[target]}"
    source.write_text(row.text())
    seconds, done = timed(distaff_command(distaff, row, target, source, output), arguments.runs)
    if done.returncode:
        return Result(first_error(done.stderr), seconds)
    workgroups, shared = launches_of(distaff, row, target, source, folder)
    found = measured(row, assembled(output, target, arguments.tools), workgroups, shares_of_roles(distaff, row, target, source))
    found.seconds = found.whole_seconds = seconds
    found.shared = max(found.shared, shared)
    return found


# Peers -----------------------------------------------------------------------


def run_peer(name, row, target, arguments, folder):
    """(seconds to text, seconds in all, process, what it said)."""
    source = folder / f"{row.name}.mlir"
    environment = {**os.environ, "TRITON_ALWAYS_COMPILE": "1", "TRITON_CACHE_DIR": str(folder / "cache"), "TRITON_DEFAULT_FP_FUSION": "1",
                   "TILELANG_DISABLE_CACHE": "1", "TILELANG_CACHE_DIR": str(folder / "cache")}
    if name == "iree":
        source.write_text(iree_peer.program(row.name, row.text()))
        seconds, done = timed(iree_peer.command(arguments.environment, target, source, folder), arguments.runs, env=environment)
        said = None if done.returncode else iree_peer.outcome(arguments.environment, target, source, folder)
        return seconds, seconds, done, said
    script = [arguments.environment / "bin" / "python", PEER_FOLDER / f"{name}_peer.py", row.name, target, folder]
    whole, done = timed(script, arguments.runs, env=environment)
    text = timed([*script, "--text"], arguments.runs, env=environment)[0] if name == "triton" and not done.returncode else whole
    return text, whole, done, None if done.returncode else json.loads(done.stdout.strip().splitlines()[-1])


def peer_result(name, row, target, arguments, folder):
    seconds, whole, done, said = run_peer(name, row, target, arguments, folder)
    if said is None:
        return Result(first_error(done.stderr or done.stdout), seconds, whole)
    if TARGETS[target] == "ptx" and "dynamic" not in row.name:
        kept = arguments.kept / f"{row.name}.{name}"
        kept.mkdir()
        shutil.copy(said["code"], kept / "kernel.ptx")
        (kept / "launch.json").write_text(json.dumps(said))
    try:
        code = assembled(Path(said["code"]), target, arguments.tools)
    except RuntimeError as error:
        return Result(str(error)[:160], seconds, whole)
    found = measured(row, code, said["workgroups"])
    found.seconds, found.whole_seconds = seconds, whole
    found.shared = max(found.shared, said["shared"])
    return found


def result(name, row, target, arguments):
    """None where a system has no such row."""
    if name != "distaff" and row.flags:
        return None
    with tempfile.TemporaryDirectory() as folder:
        if name == "distaff":
            return distaff_result(row, target, arguments, Path(folder))
        return peer_result(name, row, target, arguments, Path(folder))
