"""What a lane's partner holds, on AMD (VX-82, VX-86): `gpu.shuffle xor` at every distance
within a subgroup, of integers and floats, and reductions over every number of lanes
at every stride. On the SIMT machine, after `lower` and after `convert`, each lane
gets what these lines of Python say; in the code for the target there is a general
permutation only where nothing less reaches the partner.

    python3 xor_shuffles.py OUT_DIR [--distaff PATH]
"""
import pathlib
import random
import re
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import suite

options = suite.options()
failures = []

LANES = {"gfx908": 64, "gfx90a": 64, "gfx942": 64, "gfx950": 64, "gfx1100": 32, "gfx1201": 32}
# By AMD's ISA documents: what reads the partner at a distance.
GFX9 = {**dict.fromkeys((1, 2, 3), "quad_perm"), 7: "row_half_mirror", 8: "row_ror:8", 15: "row_mirror"}


def instruction(target, distance):
    if LANES[target] == 32:
        return "quad_perm" if distance < 4 else "row_xmask" if distance < 16 else "v_permlanex16"
    if target == "gfx950" and distance in (16, 32):
        return f"v_permlane{distance}_swap"
    return "ds_bpermute" if distance >= 32 else GFX9.get(distance, "ds_swizzle")


def check(holds, name, what):
    if not holds:
        failures.append(f"{name}: {what}")


def kernel(name, lanes, results, body, element):
    return "\n".join([
        f"gpu.module @kernels {{ gpu.func @{name}(%in: memref<{lanes}x{element}>, %out: memref<{results}x{lanes}x{element}>) kernel attributes "
        f"{{known_block_size = array<i32: {lanes}, 1, 1>, translation_info = #iree_codegen.translation_info<subgroup_size = {lanes}>}} {{",
        "  %id = gpu.thread_id x", f"  %x = memref.load %in[%id] : memref<{lanes}x{element}>", *body, "  gpu.return", "} }", ""])


def judge(name, target, text, lanes, element, expected):
    """Runs it after lower and after convert; `expected` has one row per result."""
    path, given = options.out / f"{name}.mlir", options.out / f"{name}-in.npy"
    path.write_text(text)
    npy.write(given, element, [lanes], inputs[element][:lanes])
    for stage in ("lower", "convert"):
        out = options.out / f"{name}-{stage}.npy"
        done = suite.distaff(options, "run", path, "--target", target, "--input", f"arg0={given}", "--output", f"arg1={out}", f"--stop-after={stage}")
        check(done.returncode == 0, f"{name} {stage}", f"exit {done.returncode}: {done.stderr[:600]}")
        if done.returncode == 0:
            found = npy.read(out, element)
            for row, wanted in enumerate(expected):
                got = found[row * lanes:(row + 1) * lanes]
                check(npy.to_bytes(got, element) == npy.to_bytes(wanted, element), f"{name} {stage}", f"result {row}: {got} instead of {wanted}")
    done = suite.distaff(options, "compile", path, "--target", target, "--emit", "gcn")
    check(done.returncode == 0, name, f"no code: {done.stderr[:600]}")
    return done.stdout


def shuffles(target, element):
    lanes = LANES[target]
    body = [f"  %w = arith.constant {lanes} : i32"]
    for d in range(1, lanes):
        body += [f"  %d{d} = arith.constant {d} : i32", f"  %i{d} = arith.constant {d - 1} : index",
                 f"  %s{d}, %v{d} = gpu.shuffle xor %x, %d{d}, %w : {element}",
                 f"  memref.store %s{d}, %out[%i{d}, %id] : memref<{lanes - 1}x{lanes}x{element}>"]
    name = f"xor_{target}_{element}"
    code = judge(name, target, kernel(name, lanes, lanes - 1, body, element), lanes, element,
                 [[inputs[element][lane ^ d] for lane in range(lanes)] for d in range(1, lanes)])
    used = [instruction(target, d) for d in range(1, lanes)]
    for what in sorted(set(used) | {"ds_bpermute"}):
        count = len(re.findall(re.escape(what), code))
        check(count == used.count(what), name, f"{count} {what} instead of {used.count(what)}")


def reductions(target):
    """Sums modulo 2^32 over `size` lanes, `stride` apart."""
    lanes, body, expected = LANES[target], [], []
    pairs = [(1 << s, 1 << t) for s in range(1, 7) for t in range(6) if 1 << (s + t) <= lanes]
    for row, (size, stride) in enumerate(pairs):
        cluster = f" cluster(size = {size}" + (f", stride = {stride})" if stride > 1 else ")")
        body += [f"  %i{row} = arith.constant {row} : index", f"  %r{row} = gpu.subgroup_reduce add %x{cluster} : (i32) -> i32",
                 f"  memref.store %r{row}, %out[%i{row}, %id] : memref<{len(pairs)}x{lanes}xi32>"]
        whole = [sum(inputs["i32"][l] for l in range(lanes) if (l ^ lane) & ~((size - 1) * stride) == 0) for lane in range(lanes)]
        expected.append([(n + 2**31) % 2**32 - 2**31 for n in whole])
    name = f"reduce_{target}"
    code = judge(name, target, kernel(name, lanes, len(pairs), body, "i32"), lanes, "i32", expected)
    # Neighbours that hold the same are as good as a partner: 4 away as 7 away.
    distances = [7 if stride == 1 and at == 4 and lanes == 64 else at for size, stride in pairs
                 for at in (stride << r for r in range(size.bit_length() - 1))]
    for what in ("ds_bpermute", "ds_swizzle"):
        most = sum(instruction(target, d) == what for d in distances)
        count = len(re.findall(what, code))
        check(count <= most, name, f"{count} {what}, at most {most} are needed")


rng = random.Random(84)
inputs = {"i32": [rng.randrange(-2**31, 2**31) for _ in range(64)],
          "f32": [struct.unpack("<f", struct.pack("<f", rng.uniform(-9, 9)))[0] for _ in range(64)]}
for target in LANES:
    shuffles(target, "i32")
    reductions(target)
shuffles("gfx942", "f32")
shuffles("gfx1100", "f32")
for failure in failures[:20]:
    print(f"FAIL {failure}")
print(f"{len(failures)} failures")
sys.exit(bool(failures))
