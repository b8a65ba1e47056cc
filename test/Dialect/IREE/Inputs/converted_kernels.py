"""Kernels in the LLVM dialect, each with one thing said of its launch that cannot
be, and beside each what is like it and can be: the first are refused by their
message, the others run.

    python3 converted_kernels.py OUT_DIR [--distaff PATH]
"""
import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "ForkServer"))
import fork_server

parser = argparse.ArgumentParser()
parser.add_argument("out", type=pathlib.Path)
parser.add_argument("--distaff", default="distaff")
options = parser.parse_args()
options.out.mkdir(parents=True, exist_ok=True)
failures = []

BLOCK = "nvvm.reqntid = array<i32: 32, 1, 1>"


def pointer(number, marks="", space=1, memref="memref<4xi32>"):
    kind = f"!llvm.ptr<{space}>" if space else "!llvm.ptr"
    return f"{kind} {{{marks}iree.abi.type = {memref}, iree.abi.input = {number} : index}}"


def scalar(held, author, number=1):
    return f"{held} {{iree.abi.type = {author}, iree.abi.input = {number} : index}}"


def kernel(arguments, attributes):
    listed = ", ".join(f"%a{i}: {argument}" for i, argument in enumerate(arguments))
    return (f"gpu.module @kernels {{\n  llvm.func @k({listed}) attributes {{nvvm.kernel, {attributes}}} {{\n"
            "    llvm.return\n  }\n}\n")


def lane_kernel(numbers):
    listed = ", ".join(f"%a{i}: memref<4xi32> {{iree.abi.input = {n} : index}}" for i, n in enumerate(numbers))
    return (f"gpu.module @kernels {{\n  gpu.func @k({listed}) kernel attributes "
            "{known_block_size = array<i32: 32, 1, 1>} {\n    gpu.return\n  }\n}\n")


def of(*arguments, more=""):
    return kernel(arguments, BLOCK + more)


NUMBER = "which is another type of number"
SPACE = "which is in another address space"
CASES = [
    # What a launch passes as which type.
    *[(of(pointer(0), scalar(held, author)), None) for held, author in
      [("i8", "i8"), ("i64", "index"), ("f32", "f32"), ("f64", "f64"), ("i8", "f8E4M3FN"), ("i1", "i1"), ("bf16", "bf16"), ("i8", "i4"), ("i32", "i24"), ("i64", "i33")]],
    *[(of(pointer(0), scalar(held, author)), NUMBER) for held, author in
      [("i24", "i24"), ("i64", "i24"), ("i64", "i8"), ("i8", "i64"), ("f64", "i32"), ("f32", "f64"), ("i32", "index"), ("i64", "tensor<4xf32>"),
       ("i64", "vector<4xf32>"), ("vector<4xf32>", "f32"), ("!llvm.struct<(i32, i32)>", "i64")]],
    *[(of(pointer(0), scalar(held, author)), "; a kernel takes tensors, memrefs, vectors and scalars") for held, author in
      [("i64", "none"), ("i64", "() -> ()"), ("!llvm.struct<(i32, i32)>", "!llvm.struct<(i32, i32)>")]],
    # Where pointers point.
    (of(pointer(0, space=0)), None),
    (of(pointer(0, space=3)), SPACE),
    (of(pointer(0, space=5)), SPACE),
    (of(pointer(0, space=1, memref="memref<4xi32, #gpu.address_space<workgroup>>")), SPACE),
    (of(pointer(0, memref="memref<*xf32>")), "; a kernel takes tensors, memrefs, vectors and scalars"),
    # On which bytes they begin.
    (of(pointer(0, marks="llvm.align = 16 : i64, ")), None),
    (of(pointer(0, marks="llvm.align = 0 : i64, ")), "needed a power of two"),
    (of(pointer(0, marks="llvm.align = 24 : i64, ")), "needed a power of two"),
    (of(pointer(0, marks="llvm.align = -8 : i64, ")), "needed a power of two"),
    # How much workgroup memory there is.
    (of(pointer(0), more=", iree.abi.workgroup_bytes = 128 : i64"), None),
    *[(of(pointer(0), more=f", iree.abi.workgroup_bytes = {value}"), "needed a number of bytes") for value in
      ("-128 : i64", "9223372036854775807 : i64", "1.0 : f32", '"many"')],
    # How many workgroups, and how many lanes.
    (of(pointer(0), more=", iree.abi.grid_size = array<i32: 2, 1, 1>"), None),
    (of(pointer(0), more=", iree.abi.grid_size = array<i32: 1, 0, 1>"), None),
    *[(of(pointer(0), more=f", iree.abi.grid_size = {value}"), "needed an array of 3 i32 that are not negative") for value in
      ("array<i32: 2>", "array<i32>", "array<i32: -1, 1, 1>", "array<i64: 1, 1, 1>", "5 : i32",
       "array<i32: " + ", ".join("1" * 16) + ">")],
    (of(pointer(0), more=", rocdl.kernel, rocdl.reqd_work_group_size = array<i32: 32, 1, 1>"), None),
    (of(pointer(0), more=", rocdl.kernel, rocdl.reqd_work_group_size = array<i32: 64, 1, 1>"), "has workgroups of two sizes"),
    (kernel([pointer(0)], "nvvm.reqntid = array<i32: 32>"), "how many lanes its workgroups have"),
    # Which argument is which, of one lane's program at any stage.
    (of(pointer(1), pointer(0)), None),
    (of(pointer(0), pointer(0)), "has no argument 1, and an argument 0"),
    (of(pointer(9), pointer(0)), "has no argument 1, and an argument 9"),
    (lane_kernel([1, 0]), None),
    (lane_kernel([0, 0]), "has no argument 1, and an argument 0"),
    (lane_kernel([9, 0]), "has no argument 1, and an argument 9"),
]

for number, (text, message) in enumerate(CASES):
    path = options.out / f"{number}.mlir"
    path.write_text(text)
    done = fork_server.run([options.distaff, "run", str(path), "--target", "sm_80"], 60)
    expected = 0 if message is None else 1
    if done.returncode != expected or (message and message not in done.stderr):
        failures.append(f"{path}: exit {done.returncode}, expected {message or 'that it runs'}\n{done.stderr[:500]}")

# Values of a global that are not as many as it holds.
path = options.out / "global.mlir"
path.write_text("""gpu.module @kernels {
  llvm.mlir.global internal constant @g(dense<7> : tensor<4xi32>) {addr_space = 1 : i32} : !llvm.array<100000000 x i32>
  llvm.func @k(%o: !llvm.ptr<1> {iree.abi.type = memref<4xi32>, iree.abi.input = 0 : index})
      attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    %g = llvm.mlir.addressof @g : !llvm.ptr<1>
    %x = llvm.load %g : !llvm.ptr<1> -> i32
    llvm.return
  }
}
""")
done = fork_server.run([options.distaff, "run", str(path), "--target", "sm_80"], 60)
if done.returncode != 1 or "holds 100000000 elements" not in done.stderr:
    failures.append(f"{path}: exit {done.returncode}\n{done.stderr[:500]}")

print("\n".join(failures) or f"{len(CASES) + 1} kernels")
sys.exit(bool(failures))
