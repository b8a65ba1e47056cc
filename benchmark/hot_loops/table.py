#!/usr/bin/env python3
"""The code that Distaff makes of a hot loop, beside what its peers make of it.

usage: table.py [--build DIR] [--environment DIR] [--peers NAME ...|none] [--only REGEX] [--targets NAME ...]
                [--runs N] [--output FILE.md] [--allow-skip]

Prints per target one line for each kernel and system: the median of N or more cold
compile times, each a whole process without a cache, the resources, and the instructions of
the hot loop per 1024 multiply-adds, or of the kernel per element. The ratios that are
demanded follow, each met or missed. The peers are installed from the package index into
a virtual environment (default: BUILD/third-party), ptxas and nvdisasm by
utils/assembler.py, once.

A peer that cannot be installed leaves its lines out and is named. Exit status 1 when
a kernel of ours did not compile or a peer could not be installed, unless --allow-skip
is given; 2 without an assembler.
"""
import argparse
import datetime
import platform
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from classes import CLASSES
from demands import demands
from kernels import ROOT, ROWS, TARGETS
from systems import PEERS, TITLES, result

sys.path += [str(ROOT / "test" / "ThirdParty"), str(ROOT / "utils")]
import assembler  # noqa: E402
from public_kernels import COMPILERS, install  # noqa: E402

HEADS = ["kernel", "system", "s", "s to binary", "registers", "spilled", "shared B", "total", "consumers", *CLASSES, "exposed trips", "moves to MMA", "barriers per trip", "loads"]


def prepare(arguments):
    """Installs what is missing; returns the systems that are there."""
    arguments.tools, reason = assembler.install(arguments.assembler or arguments.build / "assembler")
    if not arguments.tools:
        print(f"error: no assembler: {reason}", file=sys.stderr)
        sys.exit(2)
    environment, wanted = arguments.environment, [] if arguments.peers == ["none"] else arguments.peers
    if wanted and not (environment / "bin" / "pip").exists():
        try:
            venv.create(environment, with_pip=True)
        except (subprocess.CalledProcessError, OSError) as error:
            print(f"SKIPPED: no virtual environment (Debian: python3-venv): {error}")
            return ["distaff"]
    if wanted:
        install(environment, "numpy", ["numpy==2.4.6"])
    return ["distaff", *(name for name in wanted if install(environment, name, COMPILERS[name]))]


def number(value, digits=3):
    return f"{value:.{digits}f}".rstrip("0").rstrip(".") if value else "-"


def widths(counter):
    return ", ".join(f"{number(count, 2)} x {width} B" for width, count in sorted(counter.items(), reverse=True)) or "-"


def cells(row, system, found):
    """One line of the table."""
    if found.message:
        return [row.name, TITLES[system], number(found.seconds), number(found.whole_seconds if found.whole_seconds != found.seconds else 0), found.message] + [""] * (len(HEADS) - 5)
    figures, unit = found.figures, found.unit
    total = f"{figures.instructions / unit:.3f}" + ("*" if figures.whole and row.unit == "kmac" else "") + ("?" if figures.unknown_trips else "")
    alone = f"{figures.consumers / unit:.3f}" if row.has_roles and figures.consumers != figures.instructions else "-"
    has_step = not figures.whole
    return [row.name, TITLES[system], number(found.seconds), number(found.whole_seconds if found.whole_seconds != found.seconds else 0), str(found.registers), number(found.spills), number(found.shared), total,
            alone, *(number(figures.by_class[name] / unit) for name in CLASSES), str(figures.exposed) if has_step else "-",
            number(figures.moves) if row.unit == "kmac" else "-", number(figures.barriers) if has_step else "-", widths(figures.loads)]


def markdown(lines):
    return [f"| {' | '.join(HEADS)} |", f"|{' --- |' * len(HEADS)}", *(f"| {' | '.join(line)} |" for line in lines)]


def measure(arguments, systems, rows):
    """(target, row name, system) -> Result."""
    results = {}
    for target in arguments.targets:
        for row in rows:
            for system in systems:
                found = result(system, row, target, arguments)
                if found is not None:
                    results[target, row.name, system] = found
                    print(".", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return results


def values_of_peers(arguments):
    """What a run of the peers' PTX on the PTX machine says."""
    run = subprocess.run([arguments.environment / "bin" / "python", ROOT / "benchmark" / "hot_loops" / "peers" / "values.py",
                          arguments.build / "bin" / "distaff", arguments.kept], capture_output=True, text=True)
    return (run.stdout or run.stderr).strip().splitlines()


def linking(build):
    """How the compiler of a build is linked, on which the start of its process depends."""
    program = build / "bin" / "distaff"
    needed = subprocess.run(["ldd", program], capture_output=True, text=True).stdout
    return "linked with LLVM's shared libraries" if "libLLVM" in needed else "linked with LLVM's archives"


def head(arguments, systems, missing):
    version = subprocess.run([arguments.tools / "ptxas", "--version"], capture_output=True, text=True).stdout
    release = re.search(r"\bV(\d\S+)", version)[1]
    cpu = next((line.partition(":")[2].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")), platform.machine())
    lines = ["# Hot loops", "",
             f"Command: `python3 benchmark/hot_loops/table.py --build build-release --runs {arguments.runs}`, {datetime.date.today()}, on {cpu}; "
             f"{', '.join(TITLES[name] for name in systems)}; Distaff {linking(arguments.build)}; ptxas and nvdisasm {release}.", "",
             (ROOT / "benchmark" / "hot_loops" / "legend.md").read_text().strip()]
    if missing:
        lines += ["", f"Not installed, so without lines here: {', '.join(TITLES[name] for name in missing)}."]
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--environment", type=Path)
    parser.add_argument("--peers", nargs="+", choices=[*PEERS, "none"], default=list(PEERS))
    parser.add_argument("--only", default="")
    parser.add_argument("--targets", nargs="+", choices=list(TARGETS), default=list(TARGETS))
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--assembler", type=Path, help="where utils/assembler.py has installed (default: BUILD/assembler)")
    parser.add_argument("--output", type=Path)
    parser.add_argument("--allow-skip", action="store_true")
    arguments = parser.parse_args()
    arguments.build = arguments.build.resolve()
    arguments.environment = (arguments.environment or arguments.build / "third-party").resolve()
    systems = prepare(arguments)
    rows = [row for row in ROWS if re.search(arguments.only, row.name)]
    with tempfile.TemporaryDirectory() as folder:
        arguments.kept = Path(folder)
        results = measure(arguments, systems, rows)
        values = values_of_peers(arguments) if len(systems) > 1 else []
    missing = [name for name in arguments.peers if name != "none" and name not in systems]
    lines = head(arguments, systems, missing)
    for target in arguments.targets:
        lines += ["", f"## {target}", ""]
        lines += markdown([cells(row, system, results[target, row.name, system])
                           for row in rows for system in systems if (target, row.name, system) in results])
    lines += ["", *values, "", "## Demands", "", *demands(results)]
    print("\n".join(lines))
    if arguments.output:
        arguments.output.write_text("\n".join(lines) + "\n")
    failed = any(found.message for (_, _, system), found in results.items() if system == "distaff")
    return failed or bool(missing) and not arguments.allow_skip


if __name__ == "__main__":
    sys.exit(main())
