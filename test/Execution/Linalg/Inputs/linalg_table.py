"""Every kernel of linalg_kernels.py on every target, and the page that says so.

usage: linalg_table.py OUT_DIR [--write] [options of suite.py]

A kernel runs at extents that tiles divide, at ragged ones and at extents of 1, with
static extents and, where it may have them, dynamic ones; each is compared with the
reference. The page docs/Linalg.md has the outcome per kernel and target, and must be
what comes out here; `--write` makes it so.
"""
import concurrent.futures
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import depth
import linalg_kernels
import suite

TARGETS = ("sm_80", "sm_90a", "gfx942", "gfx1100", "host")
PAGE = pathlib.Path(__file__).resolve().parents[4] / "docs" / "Linalg.md"
HEAD = """# Linalg kernels

What kernels as practitioners write them come to, on each target. Each is run at extents that tiles divide, at ragged ones and at extents of 1, with
dynamic extents too where the last column has a yes, and compared with the reference evaluation. This page is written by
`test/Execution/Linalg/Inputs/linalg_table.py --write` and held true by `table.test`; the kernels are in `linalg_kernels.py` beside it.

"""


def device_of(target):
    """The SIMT machine runs code for GPUs; that of this CPU runs as it is emitted."""
    return ("--device", "host") if target == "host" else ()


def runs_of(kernel, target, chosen):
    for shape, extents in kernel.shapes.items():
        for dynamic in (False, True) if kernel.dynamic else (False,):
            path = chosen.out / f"{kernel.name}.{shape}{'.dynamic' if dynamic else ''}.mlir"
            path.write_text(kernel.text(extents, dynamic))
            command = [chosen.distaff, "run", str(path), "--target", target, *device_of(target), "--check", *kernel.flags(extents, dynamic)]
            yield suite.Run(f"{kernel.name} {shape}{' dynamic' if dynamic else ''} {target}", command, compares=False)


def summary(outcomes):
    """`right`, or the worst that happened and why."""
    for wanted in ("wrong", "refused", "undecided"):
        for kind, seen in outcomes:
            if kind == wanted:
                why = next((line.split("error: ", 1)[1] for line in seen.splitlines() if "error: " in line), "")
                return f"{kind}: {why[:160]}"
    return "right"


def page(rows):
    lines = [HEAD, "| kernel | family | " + " | ".join(TARGETS) + " | dynamic |", "| --- " * (len(TARGETS) + 3) + "|"]
    for kernel, cells in rows:
        lines.append(f"| `{kernel.name}` | {kernel.family} | " + " | ".join(cells) + f" | {'yes' if kernel.dynamic else 'no'} |")
    count = sum(cell == "right" for _, cells in rows for cell in cells)
    lines.append(f"\n{count} of {len(rows) * len(TARGETS)} cells are right.")
    return lines[0] + "\n".join(lines[1:]) + "\n"


def main():
    write = "--write" in sys.argv
    if write:
        sys.argv.remove("--write")
    chosen = suite.options()
    kernels = [kernel for kernel in linalg_kernels.KERNELS if not chosen.only or chosen.only in kernel.name]
    cells = [(kernel, target, list(runs_of(kernel, target, chosen))) for kernel in kernels for target in TARGETS]
    taken = depth.some((run for _, _, runs in cells for run in runs), 1 if write or chosen.only else 17)
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        ends = dict(zip((run.name for run in taken), pool.map(suite.outcome, taken)))
    # Of a cell whose runs are all left out nothing else is known than what the page says, if all others are right.
    rows = [(kernel, [summary([ends[run.name] for run in runs if run.name in ends]) for owner, _, runs in cells if owner is kernel]) for kernel in kernels]
    failed = 0
    for name, (kind, seen) in ends.items():
        if kind != "right":
            failed += 1
            print(f"FAIL {name}: {kind}: {seen}")
    text = page(rows)
    if write:
        PAGE.write_text(text)
    elif not chosen.only and PAGE.read_text() != text:
        failed += 1
        print("FAIL docs/Linalg.md is not what comes out; write it anew with --write")
    print(f"{len(ends) - failed} right of {len(ends)} runs of {len(kernels)} kernels")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
