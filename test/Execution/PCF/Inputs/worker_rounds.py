"""Code of subgroups whose rows registers do not hold (PCF-155): rows that are independent are computed in rounds, others
are not, and each gives exact values for every number of rows, in several orders, on sm_80 and gfx942 and as PTX. Rounds
that are one too few, or that no barrier ends, are found.

    python3 worker_rounds.py OUT_DIR [--distaff PATH] [--distaff-opt PATH]
"""
import pathlib
import random
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path += [str(ROOT / "test" / "ForkServer"), str(ROOT / "test" / "Execution" / "Inputs")]
import depth
import fork_server
import npy
from pipeline_passes import read_flags

options = read_flags()
M, N, K = 200, 128, 16

# Subgroup i of the first m computes rows [i * r, i * r + r) of the result, r = ceil(M / m).
KERNEL = """#sg = #iree_gpu.subgroup_scope
!A = !pcf.sref<200x16xf32, #sg>
!B = !pcf.sref<16x128xf32, #sg>
!C = !pcf.sref<200x128xf32, #sg>
!Q = !pcf.sref<200x128xf32, #sg>
!O = !pcf.sref<200x128xf32, sync(#sg)>
func.func @kernel(%a: tensor<200x16xf32>, %b: tensor<16x128xf32>, %c: tensor<200x128xf32>, %out: tensor<200x128xf32>, %m: index, %nk: index) -> tensor<200x128xf32>
    attributes {{translation_info = #iree_codegen.translation_info<workgroup_size = [{threads}, 1, 1]>}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c200 = arith.constant 200 : index
  %zero = arith.constant 0.0 : f32
  %r = pcf.generic scope(#sg) initialize {{ {panels})
      execute(%A <- %a : tensor<200x16xf32>, %B <- %b : tensor<16x128xf32>, %C <- %c : tensor<200x128xf32>, %O = %{result})[%id: index, %n: index]
      : (!A, !B, !C, !O) -> (tensor<200x128xf32>) {{
    %rows = arith.ceildivui %c200, %m : index
    %begin = arith.muli %id, %rows : index
    %o = arith.minui %begin, %c200 : index
    %left = arith.subi %c200, %o : index
    %s = arith.minui %rows, %left : index
    %z = pcf.read_slice {begin}[%o, 0] [%s, 128] [1, 1] : {kind} to tensor<?x128xf32>
    %y = scf.for %k = %c0 to %nk step %c1 iter_args(%x = %z) -> (tensor<?x128xf32>) {{
      %first = arith.cmpi eq, %id, %c0 : index
      scf.if %first {{
        %t = pcf.read_slice %B[0, 0] [16, 128] [1, 1] : !B to tensor<16x128xf32>
        pcf.write_slice %t into %p[0, 0] [16, 128] [1, 1] : tensor<16x128xf32> into !B
      }}
      pcf.barrier(#sg) fence(%p) : !B
      %l = pcf.read_slice %A[%o, 0] [%s, 16] [1, 1] : !A to tensor<?x16xf32>
      %w = pcf.read_slice %p[0, 0] [16, 128] [1, 1] : !B to tensor<16x128xf32>
      %v = linalg.matmul ins(%l, %w : tensor<?x16xf32>, tensor<16x128xf32>) outs(%x : tensor<?x128xf32>) -> tensor<?x128xf32>
      pcf.barrier(#sg) fence(%p) : !B
      scf.yield %v : tensor<?x128xf32>
    }}
    {rest}
    pcf.return
  }}
  return %r : tensor<200x128xf32>
}}
"""
ONE_PANEL = "%x = pcf.alloc() : !B  pcf.yield %x : !B } -> (%p: !B"
TWO_PANELS = "%x = pcf.alloc() : !B  %y = pcf.alloc() : !Q  pcf.yield %x, %y : !B, !Q } -> (%p: !B, %q: !Q"
WRITE = "pcf.write_slice %{0} into %O[%o, 0] [%s, 128] [1, 1] : tensor<?x128xf32> into !O"
ROWS, ROW = "affine_map<(i, j) -> (i, j)>", "affine_map<(i, j) -> (i)>"
EMPTY = "%e = tensor.empty(%s) : tensor<?x128xf32>\n    "
# What is done with the sums, whether rows are independent of each other then, and what it gives of row i of a worker, its
# rows, and the first one.
RESTS = {
    "sums": (WRITE.format("y"), True, lambda rows: rows),
    "in place": (WRITE.format("y"), True, lambda rows: rows),
    "less than the largest of the row": (f"""%low = arith.constant -1.0e6 : f32
    %me = tensor.empty(%s) : tensor<?xf32>
    %mf = linalg.fill ins(%low : f32) outs(%me : tensor<?xf32>) -> tensor<?xf32>
    %mx = linalg.reduce {{ arith.maximumf }} ins(%y : tensor<?x128xf32>) outs(%mf : tensor<?xf32>) dimensions = [1]
    {EMPTY}%d = linalg.generic {{indexing_maps = [{ROWS}, {ROW}, {ROWS}], iterator_types = ["parallel", "parallel"]}}
        ins(%y, %mx : tensor<?x128xf32>, tensor<?xf32>) outs(%e : tensor<?x128xf32>) {{
      ^bb0(%u: f32, %v: f32, %w: f32):
        %g = arith.subf %u, %v : f32
        linalg.yield %g : f32
    }} -> tensor<?x128xf32>
    {WRITE.format("d")}""", True, lambda rows: [[x - max(row) for x in row] for row in rows]),
    "and the number of the row": (f"""{EMPTY}%d = linalg.generic {{indexing_maps = [{ROWS}, {ROWS}], iterator_types = ["parallel", "parallel"]}}
        ins(%y : tensor<?x128xf32>) outs(%e : tensor<?x128xf32>) {{
      ^bb0(%u: f32, %w: f32):
        %i = linalg.index 0 : index
        %j = arith.index_cast %i : index to i32
        %f = arith.sitofp %j : i32 to f32
        %g = arith.addf %u, %f : f32
        linalg.yield %g : f32
    }} -> tensor<?x128xf32>
    {WRITE.format("d")}""", False, lambda rows: [[x + i for x in row] for i, row in enumerate(rows)]),
    "and the sum of the column": (f"""%ce = tensor.empty() : tensor<128xf32>
    %cf = linalg.fill ins(%zero : f32) outs(%ce : tensor<128xf32>) -> tensor<128xf32>
    %cs = linalg.reduce {{ arith.addf }} ins(%y : tensor<?x128xf32>) outs(%cf : tensor<128xf32>) dimensions = [0]
    {EMPTY}%d = linalg.generic {{indexing_maps = [{ROWS}, affine_map<(i, j) -> (j)>, {ROWS}], iterator_types = ["parallel", "parallel"]}}
        ins(%y, %cs : tensor<?x128xf32>, tensor<128xf32>) outs(%e : tensor<?x128xf32>) {{
      ^bb0(%u: f32, %v: f32, %w: f32):
        %g = arith.addf %u, %v : f32
        linalg.yield %g : f32
    }} -> tensor<?x128xf32>
    {WRITE.format("d")}""", False, lambda rows: [[x + sum(column) for x, column in zip(row, zip(*rows))] for row in rows]),
    "with another's rows": ("""pcf.write_slice %y into %q[%o, 0] [%s, 128] [1, 1] : tensor<?x128xf32> into !Q
    pcf.barrier(#sg) fence(%q) : !Q
    %back = arith.subi %left, %s : index
    %d = pcf.read_slice %q[%back, 0] [%s, 128] [1, 1] : !Q to tensor<?x128xf32>
    """ + WRITE.format("d"), False, None),
}
# A copy of what the result was before, and memory for all sums of all subgroups, are more than GPUs have.
NOT_COMPILED = {("in place", "sm_80"), ("in place", "gfx942"), ("with another's rows", "sm_80"), ("with another's rows", "gfx942"),
                ("and the sum of the column", "sm_80"), ("and the sum of the column", "gfx942"),
                ("less than the largest of the row", "gfx942")}
THREADS = {"sm_80": 256, "gfx942": 512}


def kernel(name, target):
    begin, kind, result = ("%O", "!O", "c") if name == "in place" else ("%C", "!C", "out")
    rest, _, finish = RESTS[name]
    return KERNEL.format(rest=rest, threads=THREADS[target], panels=ONE_PANEL if finish else TWO_PANELS, begin=begin, kind=kind, result=result)


def say(is_right, *what):
    print("ok" if is_right else "FAIL", *what)
    return 0 if is_right else 1


def expected(finish, a, b, c, m, steps):
    """The result as rows of the workers."""
    sums = [[c[i * N + j] + steps * sum(a[i * K + k] * b[k * N + j] for k in range(K)) for j in range(N)] for i in range(M)]
    each = -(-M // m)
    parts = [(first, min(first + each, M)) for first in range(0, M, each)]
    if not finish:
        return [x for first, end in parts for i in range(M - end, M - first) for x in sums[i]]
    return [x for first, end in parts for row in finish(sums[first:end]) for x in row]


def run(path, target, inputs, *flags):
    result = options.out / "result.npy"
    result.unlink(missing_ok=True)
    command = [options.distaff, "run", path, "--target", target, *flags, "--output", f"res0={result}"]
    for i, value in enumerate(inputs):
        command += ["--input", f"arg{i}={value}"]
    done = fork_server.run(list(map(str, command)))
    return npy.read(result, "f32") if done.returncode == 0 else done.stderr.strip()[-300:]


def compiled(path, target):
    return fork_server.run([options.distaff, "compile", path, "--target", target, "--stop-after=distribute-lanes"])


def arguments(rng):
    a, b, c = ([rng.randint(-3, 3) for _ in range(count)] for count in (M * K, K * N, M * N))
    shapes = {"a": (M, K), "b": (K, N), "c": (M, N)}
    files = [npy.write(options.out / f"{name}.npy", "f32", shapes[name], numbers) for name, numbers in zip("abc", (a, b, c))]
    return [*files, npy.write(options.out / "out.npy", "f32", (M, N), [rng.uniform(1, 9) for _ in c])], (a, b, c)


def check(name, target, files, numbers, rng):
    _, is_independent, finish = RESTS[name]
    path = options.out / f"{list(RESTS).index(name)}-{target}.mlir"
    path.write_text(kernel(name, target))
    # Each round ends with a barrier that the kernel does not have.
    done = compiled(path, target)
    barriers = done.stdout.count("pcf.barrier(#iree_gpu.subgroup_scope)") - path.read_text().count("pcf.barrier(#sg)")
    failures = say(done.returncode == 0 and barriers == is_independent, name, target, "in rounds" if barriers else "at once", done.stderr[:300] * is_independent)
    devices = [["--stop-after=distribute-lanes"]]
    if (name, target) not in NOT_COMPILED:
        devices += [["--stop-after=convert"]] + [["--device=ptx"]] * (target == "sm_80")
    cases = [(m, device) for m in (1, 3, 7, 8) for device in devices]
    for m, device in depth.Turns(5).of(cases):
        steps = rng.choice([0, 1, 2])
        found = run(path, target, [*files, m, steps], *device, "--schedule", rng.randint(1, 1 << 20))
        wanted = expected(finish, *numbers, m, steps)
        failures += say(found == wanted, name, target, m, "of 8 subgroups", steps, "steps", *device, "" if found == wanted else str(found)[-300:])
    return failures


def spoil(files, numbers):
    """Bugs that a run is to find in what rounds make."""
    path = options.out / "once.mlir"
    text = kernel("sums", "sm_80")
    # With one step, nothing but the end of a round is behind the last read.
    last = text.rindex("      pcf.barrier(#sg) fence(%p) : !B\n")
    path.write_text(text[:last] + text[last:].replace("      pcf.barrier(#sg) fence(%p) : !B\n", "", 1))
    wanted = expected(RESTS["sums"][2], *numbers, 3, 1)
    text = compiled(path, "sm_80").stdout
    failures = say(run(path, "sm_80", [*files, 3, 1], "--stop-after=distribute-lanes") == wanted, "one step, and no barrier behind it")
    barriers = list(re.finditer(r"\n *pcf\.barrier\(#iree_gpu\.subgroup_scope\)[^\n]*", text))
    bugs = {"a round less": re.sub(r"arith\.ceildivui (%\w+, %c32)", r"arith.divui \1", text),
            "rounds without their barrier": text[:barriers[-1].start()] + text[barriers[-1].end():]}
    spoilt = options.out / "spoilt.mlir"
    for name, bug in bugs.items():
        assert bug != text, name
        spoilt.write_text(bug)
        found = [run(spoilt, "sm_80", [*files, 3, 1], "--schedule", seed) for seed in range(1, 5)]
        failures += say(any(each != wanted for each in found), "spoilt:", name)
    return failures


def main():
    rng, failures = random.Random(155), 0
    files, numbers = arguments(rng)
    for target in THREADS:
        for name in RESTS:
            failures += check(name, target, files, numbers, rng)
    failures += spoil(files, numbers)
    print(failures, "failures")
    sys.exit(failures > 0)


main()
