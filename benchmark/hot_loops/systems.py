"""Compiles a row with each system, and measures what came out.

Each system is a command that writes PTX or GCN in a fresh process with no cache and
prints a JSON line about it; PTX is assembled and disassembled by one pair of NVIDIA's
tools for all systems.
"""
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import counts
from instructions import functions
from kernels import ROOT, TARGETS

PEERS = {"triton": "triton_peer.py", "iree": "iree_peer.py", "tilelang": "tilelang_peer.py"}
TITLES = {"distaff": "Distaff", "triton": "Triton 3.9.0", "iree": "IREE 3.13.0", "tilelang": "TileLang 0.1.15"}
PACKAGE_HEADER = 32  # bytes before a package's manifest (docs/Packages.md)
CLUSTER_ROWS = ("run_cluster", "producer_consumer", "ping_pong")


@dataclass
class Result:
    """What one system made of one row. `message` says why there is nothing."""
    message: str = ""
    seconds: float = 0
    cpu_seconds: float = 0
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


def timed(command, runs, **options):
    """(wall seconds, CPU seconds, process): medians of runs in fresh processes."""
    walls, cpus = [], []
    for _ in range(runs):
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True, **options)
        walls.append(time.perf_counter() - start)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpus.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        if done.returncode:
            break
    return statistics.median(walls), statistics.median(cpus), done


def assembled_ptx(path, target, tools):
    """Registers, spills and shared memory as ptxas says them, and the code as nvdisasm prints it."""
    cubin = path.with_suffix(".cubin")
    done = subprocess.run([tools / "ptxas", "-arch", target, "-v", path, "-o", cubin], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"ptxas: {done.stderr.strip().splitlines()[0]}")
    said = done.stderr + done.stdout
    sass = subprocess.run([tools / "nvdisasm", "-c", cubin], capture_output=True, text=True, check=True).stdout
    most = lambda pattern: max(map(int, re.findall(pattern, said)), default=0)  # noqa: E731
    return Code(most(r"Used (\d+) registers"), most(r"(\d+) bytes spill stores"), most(r"(\d+) bytes smem"), functions(sass, "sass"), "sass")


def assembled_gcn(path):
    text = path.read_text()
    most = lambda key: max(map(int, re.findall(rf"\.{key}:\s+(\d+)", text)), default=0)  # noqa: E731
    return Code(most("vgpr_count"), most("vgpr_spill_count") + most("sgpr_spill_count"), most("group_segment_fixed_size"), functions(text, "gcn"), "gcn")


def assembled(path, target, tools):
    return assembled_ptx(path, target, tools) if TARGETS[target] == "ptx" else assembled_gcn(path)


def first_error(text):
    """The line of a failed process that says what went wrong."""
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    named = [line for line in lines if re.search(r"error|Error|unsupported|cannot", line)]
    return re.sub(r"^\S*/", "", (named or lines or ["no message"])[-1 if not named else 0])[:160]


def kernel_figures(row, code, launches, roles):
    """(figures, unit). Per element every kernel of the row counts, by its lanes; per
    1024 multiply-adds the kernel with the most of them."""
    if row.unit == "kmac":
        of_each = [counts.figures(function, code.language, roles) for function in code.functions]
        best = max(of_each, key=lambda f: f.multiply_adds)
        return best, best.multiply_adds / 1024
    total = counts.Figures(counts.Counter(), 0, whole=True)
    lanes = {launch["kernel"]: launch["lanes"] for launch in launches}
    for function in code.functions:
        part, factor = counts.whole(function, code.language), lanes.get(function.name, max(lanes.values()))
        total.instructions += factor * part.instructions
        total.barriers += factor * part.barriers
        total.unknown_trips += part.unknown_trips
        for name in part.by_class:
            total.by_class[name] += factor * part.by_class[name]
        total.loads += part.loads
    return total, row.elements


def measured(row, code, launches, wall, cpu, shared, roles=None):
    figures, unit = kernel_figures(row, code, launches, roles)
    if not unit:
        return Result("has no multiply-adds that are counted", wall, cpu, code.registers, code.spills, code.shared + shared)
    return Result("", wall, cpu, code.registers, code.spills, code.shared + shared, figures, unit, len(code.functions))


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
    """The launches as a package's manifest says them, or none for extents that only a run knows."""
    package = folder / "package"
    subprocess.run([distaff, "compile", source, "--target", target, "--emit", "package", "-o", package, *row.flags], capture_output=True, check=True)
    text = package.read_bytes()[PACKAGE_HEADER:].decode("latin-1")
    manifest, _ = json.JSONDecoder().raw_decode(text)
    launches = []
    for launch in manifest["launches"]:
        sizes = launch["grid"] + launch["workgroup_size"]
        lanes = 1
        for size in sizes:
            lanes *= size if isinstance(size, int) else 1
        launches.append({"kernel": launch["kernel"], "lanes": lanes, "shared": launch["shared_memory"]})
    return launches


def distaff_result(row, target, arguments, folder):
    distaff = arguments.build / "bin" / "distaff"
    source, output = folder / f"{row.name}.mlir", folder / f"{row.name}.{TARGETS[target]}"
    source.write_text(row.text())
    wall, cpu, done = timed(distaff_command(distaff, row, target, source, output), arguments.runs)
    if done.returncode:
        return Result(first_error(done.stderr), wall, cpu)
    launches = launches_of(distaff, row, target, source, folder)
    code = assembled(output, target, arguments.tools)
    shared = max(launch["shared"] for launch in launches)
    result = measured(row, code, launches, wall, cpu, 0, shares_of_roles(distaff, row, target, source))
    result.shared = max(result.shared, shared if isinstance(shared, int) else 0)
    return result


# Peers -----------------------------------------------------------------------


def peer_result(name, row, target, arguments, folder):
    if row.name in CLUSTER_ROWS:
        return None
    script = ROOT / "benchmark" / "hot_loops" / "peers" / PEERS[name]
    source = folder / f"{row.name}.mlir"
    source.write_text(row.text())
    environment = {**os.environ, "TRITON_ALWAYS_COMPILE": "1", "TRITON_CACHE_DIR": str(folder / "cache"), "TRITON_DEFAULT_FP_FUSION": "1",
                   "TILELANG_DISABLE_CACHE": "1", "PYTHONPATH": "", "SOURCE": str(source)}
    wall, cpu, done = timed([arguments.environment / "bin" / "python", script, row.name, target, folder], arguments.runs, env=environment)
    if done.returncode:
        return Result(first_error(done.stderr or done.stdout), wall, cpu)
    said = json.loads(done.stdout.strip().splitlines()[-1])
    lanes = said["lanes"]
    for size in said["grid"]:
        lanes *= size
    try:
        code = assembled(Path(said["code"]), target, arguments.tools)
    except RuntimeError as error:
        return Result(str(error)[:160], wall, cpu)
    # On AMD the text says what is shared already.
    return measured(row, code, [{"kernel": "", "lanes": lanes}], wall, cpu, said["shared"] if code.language == "sass" and not code.shared else 0)


def result(name, row, target, arguments):
    with tempfile.TemporaryDirectory() as folder:
        run = distaff_result if name == "distaff" else lambda *rest: peer_result(name, *rest)
        try:
            return run(row, target, arguments, Path(folder))
        except (subprocess.CalledProcessError, ValueError, KeyError, StopIteration) as error:
            print(f"{name} {row.name} {target}: {type(error).__name__}: {error}", file=sys.stderr)
            return Result(f"{type(error).__name__}: {error}"[:160])


__all__ = ["PEERS", "TITLES", "Result", "result"]
