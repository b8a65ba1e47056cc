"""usage: command_line.py FOLDER EXAMPLES: the cases of command-line.test."""
import shutil
import struct
import subprocess
import sys
from pathlib import Path

FOLDER, EXAMPLES = Path(sys.argv[1]), Path(sys.argv[2])
TWO_KERNELS = """
func.func @first(%m: memref<4xf32>) { return }
func.func @second(%m: memref<4xf32>) { return }
"""
OVERLAPPING = """
func.func @f(%v: vector<8x8xf32>) -> vector<8x8xf32> {
  %w = iree_vector_ext.to_layout %v to layout(#iree_vector_ext.nested_layout<subgroup_tile = [1, 1],
    batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [8, 4], element_tile = [1, 2],
    subgroup_strides = [0, 0], thread_strides = [1, 1]>) : vector<8x8xf32>
  return %w : vector<8x8xf32>
}
"""
WRONG_SHAPE = """
func.func @f(%v: vector<8x16xf32>) -> vector<8x16xf32> {
  %w = iree_vector_ext.to_layout %v to layout(#iree_vector_ext.nested_layout<subgroup_tile = [1, 1],
    batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [8, 4], element_tile = [1, 2],
    subgroup_strides = [0, 0], thread_strides = [4, 1]>) : vector<8x16xf32>
  return %w : vector<8x16xf32>
}
"""
NO_RULE = """
func.func @f(%a: vector<4x8xf32>, %b: vector<8x4xf32>) -> vector<16xf32> {
  %x = vector.shape_cast %a : vector<4x8xf32> to vector<32xf32>
  %y = vector.shape_cast %b : vector<8x4xf32> to vector<32xf32>
  %m = vector.matrix_multiply %x, %y {lhs_rows = 4 : i32, lhs_columns = 8 : i32, rhs_columns = 4 : i32} : (vector<32xf32>, vector<32xf32>) -> vector<16xf32>
  return %m : vector<16xf32>
}
"""


# out[places[i]] = table[rows[i]]
POSITIONS = """
func.func @f(%table: memref<50xf32>, %rows: memref<32xi32>, %places: memref<32xi32>, %out: memref<40xf32>) {
  %c0 = arith.constant 0 : index
  %none = arith.constant 0 : i32
  %pad = arith.constant 0.0 : f32
  %r = vector.transfer_read %rows[%c0], %none {in_bounds = [true]} : memref<32xi32>, vector<32xi32>
  %p = vector.transfer_read %places[%c0], %none {in_bounds = [true]} : memref<32xi32>, vector<32xi32>
  %from = arith.index_cast %r : vector<32xi32> to vector<32xindex>
  %to = arith.index_cast %p : vector<32xi32> to vector<32xindex>
  %v = iree_vector_ext.transfer_gather %table[%c0] [%from : vector<32xindex>], %pad {
    indexing_maps = [affine_map<(d0)[s0] -> (s0)>, affine_map<(d0)[s0] -> (d0)>]} : memref<50xf32>, vector<32xf32>
  iree_vector_ext.transfer_scatter %v into %out[%c0] [%to : vector<32xindex>] {
    indexing_maps = [affine_map<(d0)[s0] -> (s0)>, affine_map<(d0)[s0] -> (d0)>]} : vector<32xf32>, memref<40xf32>
  return
}
"""

NOT_MODELLED = """
func.func @f(%m: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %x = memref.load %m[%c0] : memref<4xi32>
  %y = math.ipowi %x, %x : i32
  memref.store %y, %m[%c0] : memref<4xi32>
  return
}
"""


def write(name, text):
    path = FOLDER / name
    path.write_text(text) if isinstance(text, str) else path.write_bytes(text)
    return path


def distaff(*arguments):
    return subprocess.run(["distaff", *map(str, arguments)], capture_output=True, text=True, timeout=300)


def refused(code, *arguments, says=()):
    run = distaff(*arguments)
    assert run.returncode == code, f"{arguments}: exit {run.returncode}, not {code}: {run.stderr[:300]}"
    assert "error" in run.stderr and not run.stdout, f"{arguments}: {run.stdout[:100]} {run.stderr[:100]}"
    for text in says:
        assert text in run.stderr, f"{arguments}: no '{text}' in {run.stderr[:400]}"


def unknown_names_list_the_known():
    softmax = EXAMPLES / "softmax.mlir"
    refused(2, "compile", softmax, "--target", "sm_12345", says=["sm_12345", "sm_80", "gfx942"])
    refused(2, "compile", softmax, "--target", "sm_80", "--stop-after=nowhere", says=["nowhere", "assign-layouts"])
    refused(2, "compile", softmax, "--target", "sm_80", "--emit", "exe", says=["exe", "ptx"])
    refused(2, "compile", softmax, "--emit", "ptx", says=["--target"])
    refused(2, "run", softmax, says=["--target"])


def flags_that_do_not_fit():
    softmax = EXAMPLES / "softmax.mlir"
    refused(2, "compile", softmax, "--target", "sm_80", "--emit", "ptx", "--stop-after=lower", says=["--stop-after"])
    refused(2, "compile", softmax, "--target", "sm_80", "--no-such-flag")
    refused(2, "run", softmax, "--target", "sm_80", "--device", "tpu", says=["tpu"])
    refused(2, says=["no command"])
    refused(2, "compile", says=["positional"])


def commands_and_kinds_that_do_not_exist():
    refused(2, "bogus", "--help", says=["bogus", "compile"])
    refused(2, "compile", EXAMPLES / "softmax.mlir", "--target", "gfx942", "--emit", "ptx", says=["ptx", "gfx942"])
    refused(2, "compile", EXAMPLES / "softmax.mlir", "--target", "sm_80", "--emit", "hsaco", says=["hsaco", "sm_80"])
    refused(2, "run", EXAMPLES / "softmax.mlir", "--target", "gfx942", "--device", "cuda:0", says=["cuda:0", "gfx942"])
    text = distaff("compile", "--help").stdout
    assert "--emit" in text and "assign-layouts" in text and len(text.splitlines()) < 40, text


def what_the_machine_does_not_model_is_not_decided():
    refused(3, "run", write("power.mlir", NOT_MODELLED), "--target", "sm_80", "--check", says=["math.ipowi", "not modelled"])


def files_that_cannot_be_read_or_written():
    refused(2, "compile", FOLDER / "absent.mlir", "--target", "sm_80", says=["absent.mlir", "No such file"])
    refused(2, "compile", EXAMPLES / "row_sum.mlir", "--target", "sm_80", "--emit", "ptx", "-o", FOLDER / "no" / "folder.ptx")
    refused(2, "run", EXAMPLES / "row_sum.mlir", "--target", "sm_80", "--output", f"res0={FOLDER}/no/folder.npy")


def a_refused_kernel_leaves_no_file():
    out = FOLDER / "never.ptx"
    refused(1, "compile", write("broken.mlir", "func.func @f() { this is not mlir }\n"), "--target", "sm_80", "-o", out)
    refused(1, "compile", write("overlapping.mlir", OVERLAPPING), "--target", "sm_80", "-o", out)
    assert not out.exists() and not list(FOLDER.glob("never*"))


def a_file_is_replaced_only_by_a_whole_one():
    out = write("kept.ptx", "kept")
    refused(1, "compile", FOLDER / "overlapping.mlir", "--target", "sm_80", "--emit", "ptx", "-o", out)
    assert out.read_text() == "kept"


def wrong_layouts_are_refused_with_their_values():
    refused(1, "compile", write("overlapping.mlir", OVERLAPPING), "--target", "sm_80", says=["thread strides overlap"])
    refused(1, "compile", write("shape.mlir", WRONG_SHAPE), "--target", "sm_80", says=["to_layout", "16", "8"])


def an_op_without_a_rule_is_named():
    refused(1, "compile", write("norule.mlir", NO_RULE), "--target", "sm_80", "--stop-after=distribute", says=["vector.matrix_multiply"])


def kernels_are_chosen_by_name():
    path = write("two.mlir", TWO_KERNELS)
    refused(1, "compile", path, "--target", "sm_80", says=["@first", "@second", "--func"])
    refused(1, "compile", path, "--target", "sm_80", "--func", "third", says=["@third", "@first"])
    run = distaff("compile", path, "--target", "sm_80", "--func", "second")
    assert run.returncode == 0 and "@second" in run.stdout and "@first" not in run.stdout, run.stderr


def without_a_target_a_file_is_parsed_and_printed():
    run = distaff("compile", EXAMPLES / "softmax.mlir")
    assert run.returncode == 0 and "linalg.softmax" in run.stdout


def damaged_arrays_are_refused():
    garbage = write("garbage.npy", b"not an array at all")
    refused(2, "run", EXAMPLES / "row_sum.mlir", "--target", "sm_80", "--input", f"arg0={garbage}", says=["garbage.npy", "magic"])
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }\n"
    small = write("small.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + bytes(16))
    refused(2, "run", EXAMPLES / "row_sum.mlir", "--target", "sm_80", "--input", f"arg0={small}", says=["2x2", "64x4096"])
    refused(2, "run", EXAMPLES / "row_sum.mlir", "--target", "sm_80", "--input", "arg7=zeros", says=["arg7", "arg0"])
    refused(2, "run", EXAMPLES / "row_sum.mlir", "--target", "sm_80", "--input", "arg0=random:x")


def dynamic_extents_must_be_given():
    refused(2, "run", EXAMPLES / "matmul_dynamic.mlir", "--target", "sm_80", says=["arg0", "--shape"])
    refused(2, "run", EXAMPLES / "matmul_dynamic.mlir", "--target", "sm_80", "--shape", "arg0=3xq", says=["3xq"])
    refused(2, "run", EXAMPLES / "matmul_dynamic.mlir", "--target", "sm_80", "--shape", "arg0=-3x64", "--shape", "arg1=64x64", says=["-3x64", "no shape"])


def workgroup_memory_arguments_are_not_emitted():
    refused(1, "compile", EXAMPLES / "attention_rfc.mlir", "--target", "sm_80", "--emit", "ptx", says=["workgroup"])


def arrays_of_positions_stay_in_bounds():
    path = write("positions.mlir", POSITIONS)
    for seed in (None, 7):
        flags = [] if seed is None else ["--input", f"arg1=random:{seed}", "--input", f"arg2=random:{seed}"]
        rows, places = FOLDER / "rows.npy", FOLDER / "places.npy"
        run = distaff("run", path, "--target", "sm_80", "--check", "--output", f"arg1={rows}", "--output", f"arg2={places}", *flags)
        assert run.returncode == 0, f"exit {run.returncode}: {run.stdout} {run.stderr[:400]}"
        gathered, scattered = (struct.unpack("<32i", file.read_bytes()[-128:]) for file in (rows, places))
        assert all(0 <= row < 50 for row in gathered) and len(set(gathered)) > 5, gathered
        assert sorted(set(scattered)) == sorted(scattered) and all(0 <= place < 40 for place in scattered), scattered
    refused(1, "run", path, "--target", "sm_80", "--input", "arg1=random:0:40:90", says=["out of bounds"])


CASES = [unknown_names_list_the_known, flags_that_do_not_fit, commands_and_kinds_that_do_not_exist,
         what_the_machine_does_not_model_is_not_decided, files_that_cannot_be_read_or_written,
         a_refused_kernel_leaves_no_file, a_file_is_replaced_only_by_a_whole_one, wrong_layouts_are_refused_with_their_values,
         an_op_without_a_rule_is_named, kernels_are_chosen_by_name, without_a_target_a_file_is_parsed_and_printed,
         damaged_arrays_are_refused, dynamic_extents_must_be_given, workgroup_memory_arguments_are_not_emitted, arrays_of_positions_stay_in_bounds]
shutil.rmtree(FOLDER, ignore_errors=True)
FOLDER.mkdir(parents=True)
passed = 0
for case in CASES:
    try:
        case()
        passed += 1
        print("ok", case.__name__)
    except AssertionError as error:
        print("FAIL", case.__name__, error)
print(passed, "of", len(CASES))
