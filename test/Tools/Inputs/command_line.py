"""usage: command_line.py FOLDER EXAMPLES: the cases of command-line.test."""
import math
import os
import re
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "ForkServer"))
import cases
import fork_server

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

OTHER_ROAD = """
func.func @f(%a: tensor<64xf32>) -> tensor<64xf32> attributes {translation_info = #iree_codegen.translation_info<pipeline = RunSideways>} {
  %d = math.exp %a : tensor<64xf32>
  return %d : tensor<64xf32>
}
"""
MIXED = """
gpu.module @kernels {
  gpu.func @lane(%m: memref<32xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} { gpu.return }
}
func.func @whole(%m: memref<4xf32>) { return }
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
func.func @f(%m: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %x = memref.load %m[%c0] : memref<4xf32>
  %h = arith.truncf %x downward : f32 to f16
  %y = arith.extf %h : f16 to f32
  memref.store %y, %m[%c0] : memref<4xf32>
  return
}
"""

# Reads how often its loop goes from an argument; the other one goes around tensors.
COUNTS = """
func.func @counts(%n: index, %by: i32, %out: memref<3xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %step = arith.index_cast %by : i32 to index
  %turns = scf.for %i = %c0 to %n step %step iter_args(%t = %c0) -> index {
    %u = arith.addi %t, %c1 : index
    scf.yield %u : index
  }
  memref.store %n, %out[%c0] : memref<3xindex>
  memref.store %step, %out[%c1] : memref<3xindex>
  memref.store %turns, %out[%c2] : memref<3xindex>
  return
}
func.func @around(%x: tensor<8x8xf32>, %n: index) -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<8x8xf32> {
    %y = linalg.matmul ins(%a, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%a : tensor<8x8xf32>) -> tensor<8x8xf32>
    scf.yield %y : tensor<8x8xf32>
  }
  return %r : tensor<8x8xf32>
}
"""

ASSERTS = """
func.func @not_modelled(%m: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %x = memref.load %m[%c0] : memref<4xi32>
  %big = arith.constant 8 : i32
  %ok = arith.cmpi sge, %x, %big : i32
  cf.assert %ok, "not modelled: four is less than eight"
  memref.store %big, %m[%c0] : memref<4xi32>
  return
}
"""


def write(name, text):
    path = FOLDER / name
    path.write_text(text) if isinstance(text, str) else path.write_bytes(text)
    return path


def distaff(*arguments):
    return fork_server.run(["distaff", *arguments], 300)


def half_array(name, shape):
    header = f"{{'descr': '<f2', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return write(name, b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + bytes(2 * math.prod(shape)))


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
    for command in ("run", "explain"):
        refused(2, command, softmax, says=["--target"])
        refused(2, command, softmax, "--target", "sm_12345", says=["sm_12345", "sm_80", "gfx942"])


def roads_are_chosen_by_name():
    softmax = EXAMPLES / "softmax.mlir"
    for command in ("compile", "run", "explain"):
        refused(2, command, softmax, "--target", "sm_80", "--pipeline", "run-sideways", says=["unknown pipeline 'run-sideways'", "vector-distribute, run-cluster"])
        refused(2, command, softmax, "--target", "sm_80", "--pipeline", "", says=["--pipeline needs a value"])
    refused(2, "compile", softmax, "--target", "sm_80", "--pipeline", "vector-distribute", "--stop-after=wrap-in-executor", says=["unknown stage 'wrap-in-executor'", "assign-layouts"])
    tiled = distaff("compile", softmax, "--target", "sm_80", "--stop-after=tile").stdout
    for name in ("vector-distribute", "LLVMGPUVectorDistribute"):
        assert tiled == distaff("compile", softmax, "--target", "sm_80", "--stop-after=tile", "--pipeline", name).stdout != ""
    other = write("other.mlir", OTHER_ROAD)
    for command in ("compile", "run", "explain"):
        refused(1, command, other, "--target", "sm_80", says=["asks for the pipeline `RunSideways`; there is LLVMGPUVectorDistribute, RunClusterDistribute", "--pipeline"])
    asked = distaff("compile", other, "--target", "sm_80", "--pipeline", "vector-distribute", "--stop-after=tile")
    assert asked.returncode == 0 and "pipeline = LLVMGPUVectorDistribute" in asked.stdout, asked
    again = distaff("run", write("again.mlir", asked.stdout), "--target", "sm_80", "--check")
    assert again.returncode == 0, again


def specializations_are_known_and_of_a_road_that_has_them():
    softmax = EXAMPLES / "softmax.mlir"
    for command in ("compile", "run", "explain"):
        refused(2, command, softmax, "--target", "sm_80", "--specialize", "sideways", says=["unknown specialization 'sideways'", "none, producer-consumer, ping-pong"])
        refused(2, command, softmax, "--target", "sm_80", "--specialize", "", says=["--specialize needs a value"])
        refused(1, command, softmax, "--target", "sm_80", "--specialize", "ping-pong", says=["takes the pipeline vector-distribute, on which nothing is specialized"])
    plain = distaff("compile", softmax, "--target", "sm_80", "--specialize", "none")
    assert plain.returncode == 0, plain


def kernels_of_one_file_have_been_as_far():
    mixed = write("mixed.mlir", MIXED)
    refused(1, "compile", mixed, "--target", "sm_80", says=["has been through other stages than the first kernel", "--func"])
    assert distaff("compile", mixed, "--target", "sm_80", "--func", "lane", "--emit", "ptx").returncode == 0


def flags_that_do_not_fit():
    softmax = EXAMPLES / "softmax.mlir"
    refused(2, "compile", softmax, "--target", "sm_80", "--emit", "ptx", "--stop-after=lower", says=["--stop-after"])
    refused(2, "compile", softmax, "--target", "sm_80", "--no-such-flag")
    refused(2, "run", softmax, "--target", "sm_80", "--device", "tpu", says=["tpu"])
    refused(2, says=["no command"])
    # Of LLVM's libraries, which its parser would take.
    for flag in ("--stop-after=tile", "--print-after-all", "--start-after=x"):
        refused(2, "explain", softmax, "--target", "sm_80", flag, says=["unknown flag '" + flag.split("=")[0] + "'"])
    refused(2, "compile", softmax, "--target", "sm_80", "--print-after-all", says=["unknown flag '--print-after-all'"])
    refused(2, "targets", "--print-after-all", says=["unknown flag '--print-after-all'"])


def messages_are_one_line_in_our_words():
    softmax = EXAMPLES / "softmax.mlir"
    for arguments, says in ((["run", "--target", "sm_80"], "no kernel given: distaff run"), (["compile"], "no kernel given: distaff compile"),
                            (["run", softmax, "second.mlir"], "two kernels"), (["run", softmax, "--no-such-flag"], "unknown flag '--no-such-flag'"),
                            (["targets", "extra"], "unknown target 'extra'"), (["compile", softmax, "-o", ""], "-o needs a value"),
                            (["compile", softmax, "-o", "x", "-o", "y"], "-o is given more than once")):
        refused(2, *arguments, says=["distaff: error: ", says])
        stderr = distaff(*arguments).stderr
        assert len(stderr.splitlines()) == 1 and "--o " not in stderr and "-h'" not in stderr, stderr
    bad_flag = subprocess.run(["distaff-opt", "--no-such-flag"], capture_output=True, text=True, timeout=60)
    assert bad_flag.returncode == 2 and "no-such-flag" in bad_flag.stderr, bad_flag
    no_target = subprocess.run(["distaff-opt", softmax, "--distaff-assign-layouts"], capture_output=True, text=True, timeout=60)
    assert no_target.returncode == 1 and "no target given" in no_target.stderr and "sm_80" in no_target.stderr, no_target.stderr
    assert "linalg.softmax" not in no_target.stderr, no_target.stderr


def help_leaves_no_file():
    before = set(Path("/tmp").glob("distaff-??????"))
    for arguments in (["--help"], ["run", "--help"], ["--version"]):
        assert distaff(*arguments).returncode == 0
    time.sleep(0.5)  # others may run, which clean up
    assert not set(Path("/tmp").glob("distaff-??????")) - before


def commands_and_kinds_that_do_not_exist():
    refused(2, "bogus", "--help", says=["bogus", "compile"])
    refused(2, "compile", EXAMPLES / "softmax.mlir", "--target", "gfx942", "--emit", "ptx", says=["ptx", "gfx942"])
    refused(2, "compile", EXAMPLES / "softmax.mlir", "--target", "sm_80", "--emit", "hsaco", says=["hsaco", "sm_80"])
    refused(2, "run", EXAMPLES / "softmax.mlir", "--target", "gfx942", "--device", "cuda:0", says=["cuda:0", "gfx942"])
    text = distaff("compile", "--help").stdout
    assert "--emit" in text and "assign-layouts" in text and len(text.splitlines()) < 40, text


def what_the_machine_does_not_model_is_not_decided():
    refused(3, "run", write("power.mlir", NOT_MODELLED), "--target", "sm_80", "--check", "--stop-after=input", says=["arith.truncf", "not modelled"])
    # Its own words do not make a kernel undecided.
    refused(1, "run", write("not modelled:.mlir", ASSERTS), "--target", "sm_80", "--check", "--input", "arg0=4",
            says=["assertion: ", "not modelled: four is less than eight"])


def files_that_cannot_be_read_or_written():
    refused(2, "compile", FOLDER / "absent.mlir", "--target", "sm_80", says=["absent.mlir", "No such file"])
    refused(2, "compile", EXAMPLES / "row_sum.mlir", "--target", "sm_80", "--emit", "ptx", "-o", FOLDER / "no" / "folder.ptx")
    refused(2, "run", EXAMPLES / "row_sum.mlir", "--target", "sm_80", "--output", f"res0={FOLDER}/no/folder.npy")


def of_several_outputs_all_are_written_or_none():
    whole, absent = FOLDER / "whole.npy", FOLDER / "no" / "folder.npy"
    kernel = write("two_outputs.mlir", "func.func @f(%a: memref<4xf32>, %b: memref<4xf32>) { return }\n")
    ptx = write("two_outputs.ptx", distaff("compile", kernel, "--target", "sm_80", "--emit", "ptx").stdout)
    launch = ["--entry", "f", "--grid", "1", "--block", "32", "--shape", "arg0=4xf32", "--shape", "arg1=4xf32"]
    for command in ([kernel], [ptx, *launch]):
        refused(2, "run", *command, "--target", "sm_80", "--output", f"arg0={whole}", "--output", f"arg1={absent}", says=["no/folder.npy"])
        assert not list(FOLDER.glob("*whole*")) and not list(FOLDER.glob(".distaff*"))


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
    refused(2, "run", path, "--target", "sm_80", says=["@first", "@second", "--func"])
    refused(2, "compile", path, "--target", "sm_80", "--emit", "package", says=["@first", "@second", "--func"])
    for command in ("compile", "explain", "run"):
        refused(2, command, path, "--target", "sm_80", "--func", "third", says=["@third", "@first"])
    run = distaff("compile", path, "--target", "sm_80", "--func", "second")
    assert run.returncode == 0 and "@second" in run.stdout and "@first" not in run.stdout, run.stderr
    refused(1, "compile", write("none.mlir", "func.func private @f()\n"), "--target", "sm_80", says=["no kernel"])


def without_a_name_all_kernels_are_compiled():
    text = TWO_KERNELS + "func.func private @unused(f32) -> f32\n"
    path = write("all.mlir", text)
    run = distaff("compile", path, "--target", "sm_80")
    assert run.returncode == 0 and "@first(" in run.stdout and "@second(" in run.stdout, run.stderr
    ptx = distaff("compile", path, "--target", "sm_80", "--emit", "ptx").stdout
    assert ".entry first" in ptx and ".entry second" in ptx and "unused" not in ptx, ptx
    # One of them has been lowered already.
    lowered = distaff("compile", path, "--target", "sm_80", "--func", "first", "--stop-after=distribute").stdout
    inner = lowered.split("module {", 1)[1].rsplit("}", 1)[0]
    mixed = lowered.split("module {", 1)[0] + inner + "func.func @third(%m: tensor<64xf32>) -> tensor<64xf32> {\n" \
        "%e = math.exp %m : tensor<64xf32>\nreturn %e : tensor<64xf32> }\n"
    refused(1, "compile", write("mixed.mlir", mixed), "--target", "sm_80", says=["--func"])


def values_of_flags_are_checked():
    softmax, row_sum = EXAMPLES / "softmax.mlir", EXAMPLES / "row_sum.mlir"
    refused(2, "compile", softmax, "--target", says=["error: ", "--target", "value"])
    refused(2, "compile", softmax, "--target", "sm_80", "-o", says=["error: ", "-o"])
    for flag in ("--target", "--func", "--emit", "--stop-after", "-o"):
        given = [] if flag == "--target" else ["--target", "sm_80"]
        refused(2, "compile", softmax, *given, flag + "=", says=["error: ", flag.strip("-")])
    refused(2, "compile", softmax, "--target", "sm_80", "--target", "gfx942", says=["--target", "more than once"])
    for flag, value in (("--max-steps", "-5"), ("--max-steps", "0"), ("--max-steps", "many"), ("--max-steps", "1e9"),
                        ("--max-steps", "9223372036854775808"), ("--threads", "-1"), ("--threads", "4294967295"),
                        ("--schedule", "-1"), ("--schedule", "0x"), ("--check", "maybe"), ("--device", ""), ("--device", "cuda:-1")):
        refused(2, "run", row_sum, "--target", "sm_80", f"{flag}={value}", says=["error: ", flag])
    for value in ("arg0", "arg0=", "=iota", "arg0=random:-1", "arg0=random:99999999999999999999", "arg0=random:1:2", "arg0=random:1:3:2",
                  "arg0=random:1:nan:nan", "arg0=random:1:-inf:inf", "arg0=random:1:-1e308:1e308", "arg0=whole:1", "arg0=whole:1:0.3:0.6",
                  "arg0=whole:1:2:1", "arg0=whole:1:nan:1", "arg0=whole:1:0:inf", "arg0=1e5x", "arg1=iota"):
        refused(2, "run", row_sum, "--target", "sm_80", "--input", value, says=["error: "])
    refused(2, "run", row_sum, "--target", "sm_80", "--input", "arg0=iota", "--input", "arg0=zeros", says=["arg0", "twice"])
    refused(2, "run", row_sum, "--target", "sm_80", "--output", "arg0=x.npy", "--output", "res0=x.npy", says=["x.npy"])
    refused(2, "run", row_sum, "--target", "sm_80", "--output", "arg0=x.npy", "--output", "res0=./x.npy", says=["both written"])
    refused(2, "run", row_sum, "--target", "sm_80", "--output", "res1=x.npy", says=["res1", "res0"])
    dynamic = EXAMPLES / "matmul_dynamic.mlir"
    for value in ("arg0=3x-1", "arg0=", "arg0=x", "arg0=3xx3", "arg0=3", "arg0=3x99999999999999999999", "arg9=3x3", "res0=3x3"):
        refused(2, "run", dynamic, "--target", "sm_80", "--shape", value, says=["error: "])
    for device in ("simt", "ptx"):
        refused(1, "run", dynamic, "--target", "sm_80", "--device", device, "--shape", "arg0=17x65", "--shape", "arg1=64x33",
                says=["dimension 1 of arg0 and dimension 0 of arg1", "extents differ"])
    refused(1, "run", dynamic, "--target", "sm_80", "--check", "--shape", "arg0=17x65", "--shape", "arg1=64x33", says=["linalg.matmul", "extent 64"])
    small = f"arg0={half_array('small.npy', (3, 4))}"
    refused(2, "run", dynamic, "--target", "sm_80", "--input", small, "--shape", "arg0=3x5", "--shape", "arg1=5x4", says=["small.npy", "3x4", "3x5"])
    refused(1, "run", dynamic, "--target", "sm_80", "--input", small, "--shape", "arg1=5x4", says=["extents differ"])
    refused(2, "run", dynamic, "--target", "sm_80", "--shape", "arg0=4294967296x4294967296", "--shape", "arg1=4294967296x4", says=["arg0"])
    refused(2, "run", dynamic, "--target", "sm_80", "--shape", "arg0=1048576x1048576", "--shape", "arg1=1048576x4", says=["arg0", "this machine"])


def values_of_integer_inputs_are_checked():
    path = write("integers.mlir", "func.func @f(%m: memref<4xi8>) { return }\n")
    for value in ("nan", "inf", "1e300", "random:1:-1e300:1e300", "random:1:0:9e18"):
        refused(2, "run", path, "--target", "sm_80", "--input", f"arg0={value}", says=["arg0"])


def versions_name_distaff_first():
    for tool in (["distaff"], ["distaff", "compile"], ["distaff-opt"], ["distaff-launch"]):
        run = subprocess.run([*tool, "--version"], capture_output=True, text=True, timeout=60)
        assert run.returncode == 0 and run.stdout.startswith("distaff "), run.stdout


def outputs_stay_what_they_are():
    row_sum = EXAMPLES / "row_sum.mlir"
    ptx = distaff("compile", row_sum, "--target", "sm_80", "--emit", "ptx").stdout
    compile_to = lambda path: distaff("compile", row_sum, "--target", "sm_80", "--emit", "ptx", "-o", path)
    real = write("real.ptx", "old")
    os.chmod(real, 0o640)
    link = FOLDER / "link.ptx"
    link.symlink_to("real.ptx")
    assert compile_to(link).returncode == 0 and link.is_symlink() and real.read_text() == ptx
    assert real.stat().st_mode & 0o777 == 0o640
    assert compile_to("/dev/stdout").stdout == ptx
    pipe, arrived = FOLDER / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: arrived.append(pipe.read_text()))
    reader.start()
    run = compile_to(pipe)
    reader.join(60)
    assert run.returncode == 0 and arrived == [ptx] and pipe.is_fifo(), run.stderr
    refused(2, "compile", row_sum, "--target", "sm_80", "-o", "/dev/full", says=["No space left"])
    refused(2, "run", row_sum, "--target", "sm_80", "--output", "res0=/dev/full", says=["No space left"])
    refused(2, "compile", row_sum, "--target", "sm_80", "-o", FOLDER, says=["directory"])
    link = FOLDER / "link.npy"
    link.symlink_to("real.npy")
    run = distaff("run", row_sum, "--target", "sm_80", "--output", f"res0={link}")
    assert run.returncode == 0 and link.is_symlink() and (FOLDER / "real.npy").read_bytes().startswith(b"\x93NUMPY"), run.stderr
    run = subprocess.run(["distaff-opt", row_sum, "-o", FOLDER / "link.ptx"], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0 and (FOLDER / "link.ptx").is_symlink(), run.stderr
    for command in (["distaff", "compile", row_sum], ["distaff", "run", row_sum, "--target", "sm_80", "--check"], ["distaff", "targets"], ["distaff-opt", row_sum]):
        with open("/dev/full", "w") as full:
            run = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
        assert run.returncode == 2 and "No space left" in run.stderr, (command, run.stderr)
    assert not [name for name in os.listdir(FOLDER) if name.endswith(".tmp")], os.listdir(FOLDER)


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


def workgroup_memory_arguments_are_the_kernels_own():
    path = EXAMPLES / "attention_rfc.mlir"
    run = distaff("compile", path, "--target", "sm_80", "--emit", "ptx")
    assert run.returncode == 0, f"exit {run.returncode}: {run.stderr[:400]}"
    asked = re.search(r"launch with (\d+) bytes of dynamic shared memory", run.stdout)
    assert asked and int(asked[1]) >= 65536 and ".param" not in run.stdout, run.stdout[:600]
    for number in range(4):
        says = f"argument {number} is not passed: 18416 bytes of shared memory at attention_rfc__workgroup + {18416 * number}, aligned to 16, element"
        assert says in run.stdout, f"no '{says}' in {run.stdout[:600]}"


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


def numbers_that_loops_count_to_are_small():
    path, out = write("counts.mlir", COUNTS), FOLDER / "counts.npy"
    drawn = set()
    for seed in range(6):
        run = distaff("run", path, "--func", "counts", "--target", "sm_80", "--check", "--output", f"arg2={out}", "--input", f"arg0=random:{seed}", "--input", f"arg1=random:{seed}")
        assert run.returncode == 0, f"exit {run.returncode}: {run.stdout} {run.stderr[:400]}"
        count, step, turns = struct.unpack("<3q", out.read_bytes()[-24:])
        assert 1 <= count <= 16 and 1 <= step <= 16 and turns == -(-count // step), (count, step, turns)
        drawn.add(count)
    assert len(drawn) > 2, drawn
    # What a stage refuses is refused before it is evaluated, however often it would go around.
    for flags in ([], ["--check"], ["--check", "--input", f"arg1={1 << 62}"], ["--device", "ptx", "--check", "--input", f"arg1={1 << 62}"]):
        before = time.monotonic()
        refused(1, "run", path, "--func", "around", "--target", "sm_80", *flags, says=["has a number of iterations that is not known here"])
        assert time.monotonic() - before < 5, flags


CASES = [unknown_names_list_the_known, roads_are_chosen_by_name, specializations_are_known_and_of_a_road_that_has_them, kernels_of_one_file_have_been_as_far, flags_that_do_not_fit, messages_are_one_line_in_our_words, help_leaves_no_file,
         commands_and_kinds_that_do_not_exist,
         what_the_machine_does_not_model_is_not_decided, files_that_cannot_be_read_or_written,
         of_several_outputs_all_are_written_or_none, a_refused_kernel_leaves_no_file, a_file_is_replaced_only_by_a_whole_one, wrong_layouts_are_refused_with_their_values,
         an_op_without_a_rule_is_named, kernels_are_chosen_by_name, without_a_target_a_file_is_parsed_and_printed,
         without_a_name_all_kernels_are_compiled, values_of_flags_are_checked, values_of_integer_inputs_are_checked,
         versions_name_distaff_first, outputs_stay_what_they_are,
         damaged_arrays_are_refused, dynamic_extents_must_be_given, workgroup_memory_arguments_are_the_kernels_own, arrays_of_positions_stay_in_bounds, numbers_that_loops_count_to_are_small]
cases.main(CASES, FOLDER)
