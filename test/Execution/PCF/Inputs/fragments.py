"""Every function of fragments.mlir, run by the SIMT machine as it is, as code of lanes, and as vectors, on whole
numbers; what comes out is that of the function as it is, which is compared with numbers computed here.

    python3 fragments.py OUT_DIR [--distaff PATH] [--distaff-opt PATH]
"""
import pathlib
import random
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path += [str(ROOT / "test" / "ForkServer"), str(ROOT / "test" / "Execution" / "Inputs")]
import depth
import fork_server
import npy
from pipeline_passes import PHASES_TO_VECTORS, after_each, read_flags

M, N, K = 32, 16, 32
POINTS = [(32, 16), (32, 1), (1, 16), (29, 15), (7, 3)]
options = read_flags()


def product(a, b, i, j):
    return sum(a[i * K + k] * b[k * N + j] for k in range(K))


def payload(a, b, rows, columns, old, m, n):
    result = list(old)
    for i in range(m):
        for j in range(n):
            value = ((old[i * M + j] + product(a, b, i, j)) * rows[i] - columns[j]) * 2
            result[i * M + j] = (value if j <= i else 0) + i + j
    return result


def operands(a, b, rows, columns, old, m, n):
    a = [a[i * K + k] * rows[i] + rows[k] for i in range(M) for k in range(K)]
    result = list(old)
    for i in range(m):
        for j in range(n):
            result[j * M + i] = product(a, b, i, j)
    return result


def col_major(a, b, rows, columns, old, m, n):
    result = list(old)
    for i in range(min(m, 24)):
        for j in range(n):
            result[i * M + j] = product(a, b, i, j)
    return result


def swap(a, b, rows, columns, old, m, n):
    result = list(old)
    for i in range(16):
        for j in range(16):
            result[i * M + j], result[(i + 16) * M + j] = 2 * old[(i + 16) * M + j], old[i * M + j]
    return result


def main():
    rng, failures, turn = random.Random(3), 0, depth.Turns(5)
    source = ROOT / "test/Execution/PCF/Inputs/fragments.mlir"
    for stage, path in after_each(options, PHASES_TO_VECTORS, source):
        for function in (payload, operands, col_major, swap):
            for m, n in POINTS:
                if not turn():
                    continue
                a, b, rows, columns, old = ([rng.randint(-4, 4) for _ in range(count)] for count in (M * K, K * N, M, N, M * M))
                inputs = [npy.write(options.out / "a.npy", "f16", (M, K), a), npy.write(options.out / "b.npy", "f16", (K, N), b), npy.write(options.out / "rows.npy", "f32", (M,), rows),
                          npy.write(options.out / "columns.npy", "f32", (N,), columns), npy.write(options.out / "old.npy", "f32", (M, M), old), m, n]
                result = options.out / "result.npy"
                result.unlink(missing_ok=True)
                command = [options.distaff, "run", path, "--func", function.__name__, "--target", "sm_80", "--output", f"res0={result}"]
                for i, value in enumerate(inputs):
                    command += ["--input", f"arg{i}={value}"]
                done = fork_server.run(command)
                said = done.stderr.strip().splitlines()[:1]
                if not done.returncode:
                    found = npy.read(result, "f32")
                    expected = function(a, b, rows, columns, old, m, n)
                    wrong = [i for i in range(M * M) if found[i] != expected[i]]
                    said = [f"element {divmod(wrong[0], M)} is {found[wrong[0]]}, not {expected[wrong[0]]}"] if wrong else []
                failures += bool(said)
                print("FAIL" if said else "ok", stage, function.__name__, f"{m}x{n}", *said)
    print(failures, "failures")
    sys.exit(failures > 0)


main()
