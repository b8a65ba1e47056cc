"""What code large vectors become on GPUs (VX-127, VX-164): its lines do not grow with the extents, no
register is spilled, nothing is promised to be spilled either, and the instruction cache decides.

    python3 large_vector_code.py OUT_DIR [--distaff PATH] [--table PTXAS]

With `--table`, a table of all kernels and targets (benchmark/results/vectors.md), for which PTXAS assembles.
"""
import pathlib
import re
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import large_vectors
from large_vectors import suite

ROWS = (512, 2048, 8192)
KINDS = {
    "transpose": lambda m: large_vectors.transpose((m, 96), (1, 0)), "sum of columns": lambda m: large_vectors.reduction((m, 96), (0,)),
    "sum of rows": lambda m: large_vectors.reduction((m, 96), (1,)), "scan of columns": lambda m: large_vectors.scan((m, 96), 0, "true"),
    "scan of rows": lambda m: large_vectors.scan((m, 96), 1, "false"), "contraction": lambda m: large_vectors.contraction(m, 96, 80),
    "contraction of f16": lambda m: large_vectors.contraction(m, 96, 80, elements=("f16", "f32")), "broadcast": lambda m: large_vectors.broadcast((96,), (m,)),
    "gather": lambda m: large_vectors.gather((m, 96), 1000), "gather of rows": lambda m: large_vectors.gather_rows((m, 96), 1000, 1), "elementwise": lambda m: large_vectors.elementwise((m, 96)),
}
# Of extents that few numbers divide, and twice the contraction that took 100,000 lines.
ODD = ("transpose_251x509", "reduce_257x1021_0", "reduce_257x1021_1", "scan_251x509_1", "contract_67x97x131", "broadcast_251x509", "gather_251x509", "elementwise_17x31x241")
CUBE = large_vectors.contraction(256, 256, 256)


def compiled(chosen, name, kernel, target, *more):
    """The assembly, what was said, and the seconds that it took."""
    path, to = chosen.out / f"{name}.mlir".replace(" ", "_"), chosen.out / f"{name}_{target}.s".replace(" ", "_")
    path.write_text(kernel.text())
    started = time.time()
    done = suite.distaff(chosen, "compile", path, "--target", target, "--emit", "ptx" if target.startswith("sm") else "gcn", "-o", to, *more)
    assert done.returncode == 0, f"{name}: {done.stderr[:500]}"
    return to, done.stderr, time.time() - started


def spilled(path):
    """Registers that LLVM spills, where it assigns them."""
    return sum(map(int, re.findall(r"[sv]gpr_spill_count:\s*(\d+)", path.read_text())))


def registers(path, ptxas):
    """Registers of a lane and what is spilled, by the assembler or by LLVM's notes."""
    if path.name.endswith("sm_80.s"):
        done = subprocess.run([ptxas, "-v", "-arch=sm_80", "-o", "/dev/null", path], capture_output=True, text=True)
        said = done.stdout + done.stderr
        return int(re.search(r"Used (\d+) registers", said)[1]), sum(map(int, re.findall(r"(\d+) bytes spill", said)))
    return int(re.search(r"vgpr_count:\s*(\d+)", path.read_text())[1]), spilled(path)


def lines(path):
    return len(path.read_text().splitlines())


def table(chosen, ptxas):
    print("| kernel | target | lines | registers | spilled | compilation, ms |\n| --- | --- | --- | --- | --- | --- |")
    kernels = [(f"{kind}, {m} rows", make(m)) for kind, make in KINDS.items() for m in ROWS]
    kernels += [(name, large_vectors.LARGE[name]) for name in ODD] + [("contract_256x256x256", CUBE)]
    for name, kernel in kernels:
        for target in large_vectors.TARGETS:
            path, _, seconds = compiled(chosen, name.replace(",", ""), kernel, target)
            count, spills = registers(path, ptxas)
            print(f"| {name} | {target} | {lines(path)} | {count} | {spills} | {seconds * 1000:.0f} |")


def main():
    ptxas = None
    if "--table" in sys.argv:
        at = sys.argv.index("--table")
        ptxas = sys.argv[at + 1]
        del sys.argv[at:at + 2]
    chosen = suite.options()
    if ptxas:
        return table(chosen, ptxas)
    wrong = []

    def expect(what, holds):
        print("ok" if holds else "WRONG", what)
        if not holds:
            wrong.append(what)

    is_quick = suite.depth.IS_QUICK
    targets, rows = list(large_vectors.TARGETS), ROWS[::2] if is_quick else ROWS
    for number, (kind, make) in enumerate(KINDS.items()):
        for target in [targets[number % 3]] if is_quick else targets:
            sizes = []
            for m in rows:
                path, said, _ = compiled(chosen, f"{kind} {m}", make(m), target)
                sizes.append(lines(path))
                expect(f"{kind} of {m} rows for {target}: {spilled(path)} spilled, {said[:200] or 'no warning'}", spilled(path) == 0 and not said)
            expect(f"{kind} for {target}: {sizes} lines", max(sizes) <= 2 * min(sizes) and max(sizes) < 1200)
    for name in suite.depth.some(ODD, 5):
        for target in ("sm_80", "gfx942"):
            path, said, _ = compiled(chosen, name, large_vectors.LARGE[name], target)
            expect(f"{name} for {target}: {lines(path)} lines, {spilled(path)} spilled, {said[:200] or 'no warning'}", lines(path) < 1500 and spilled(path) == 0 and not said)
    path, _, _ = compiled(chosen, "cube", CUBE, "gfx942")
    expect(f"256x256x256 takes {lines(path)} lines", lines(path) < 1000 and spilled(path) == 0)
    # A contraction that registers hold is straight code where the cache is large enough for it.
    costs = chosen.out / "costs.json"
    loops = []
    for size in (1 << 19, 1 << 15):
        costs.write_text(f'{{"schema": "distaff-costs", "version": 1, "target": "sm_80", "code": {{"instructionCache": {size}}}}}')
        path, _, _ = compiled(chosen, "cached", large_vectors.contraction(64, 64, 8), "sm_80", "--config", "workgroup_size=128", "--costs", str(costs))
        loops.append(len(re.findall(r"\bbra\b", path.read_text())))
    expect(f"loops by the size of the instruction cache: {loops}", loops[0] == 0 and loops[1] > 0)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
