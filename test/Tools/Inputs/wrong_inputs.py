"""usage: wrong_inputs.py FOLDER EXAMPLES: the cases of wrong-inputs.test."""
import math
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "ForkServer"))
import cases
import fork_server

FOLDER, EXAMPLES = Path(sys.argv[1]), Path(sys.argv[2])
PIPELINE = ["--target", "sm_80", "--pipeline", "run-cluster"]
DYNAMIC = EXAMPLES / "matmul_dynamic.mlir"


def write(text):
    path = FOLDER / "kernel.mlir"
    path.write_text(text)
    return path


def matmul(config="", attributes="", element="f16", name="mm", rest="", result="%r"):
    """64x64 by 64x64, with `rest` behind the product."""
    config = f" {{lowering_config = #iree_gpu.lowering_config<{{{config}}}>}}" if config else ""
    inputs = f"tensor<64x64x{element}>"
    return f"""func.func @{name}(%a: {inputs}, %b: {inputs}, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {attributes} {{
  %r = linalg.matmul{config} ins(%a, %b : {inputs}, {inputs}) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  {rest}
  return {result} : tensor<64x64xf32>
}}
"""


def npy(name, descr, shape, data=None):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    data = bytes(int(descr[2:]) * math.prod(shape)) if data is None else data
    path = FOLDER / name
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data)
    return path


def refused(code, says, command, kernel, *flags, pipeline=PIPELINE):
    """A fault of the code names its place."""
    before = {path: path.read_bytes() for path in FOLDER.iterdir()}
    run = fork_server.run(["distaff", command, kernel, *pipeline, *flags], 120)
    what = f"{command} {flags}"
    assert run.returncode == code, f"{what}: exit {run.returncode}, not {code}: {run.stderr[:300]}"
    assert "error: " in run.stderr and says in run.stderr, f"{what}: no '{says}' in {run.stderr[:400]}"
    assert "unknown>" not in run.stderr and "PLEASE" not in run.stderr, f"{what}: {run.stderr[:300]}"
    assert not run.stdout, f"{what}: {run.stdout[:100]}"
    after = {path: path.read_bytes() for path in FOLDER.iterdir()}
    assert before == after, f"{what}: files are {sorted(after)}, were {sorted(before)}"


def flags_that_are_misspelt():
    kernel = write(matmul())
    for says, *flags in (("unknown flag '--pipline'", "--pipline", "run-cluster"), ("unknown flag '--specialise'", "--specialise", "ping-pong"),
                         ("unknown specialization 'pingpong', there is none, producer-consumer, ping-pong", "--specialize=pingpong"),
                         ("--specialize is given more than once", "--specialize", "ping-pong", "--specialize", "none"),
                         ("--stop-after needs a value", "--stop-after"), ("unknown stage 'assign-layouts'", "--stop-after=assign-layouts"),
                         ("has no kernel @nope, it has @mm", "--func", "nope"), ("--emit gcn is not for target sm_80", "--emit", "gcn")):
        refused(2, says, "compile", kernel, *flags)
    refused(2, "unknown pipeline 'run_cluster', there is vector-distribute, run-cluster", "compile", kernel, pipeline=["--target=sm_80", "--pipeline=run_cluster"])
    refused(2, "unknown target 'SM_80', known are sm_75, sm_80, sm_86, sm_89, sm_90a, gfx908, gfx90a, gfx942, gfx950, gfx1100, gfx1201", "run", kernel, pipeline=["--target=SM_80"])
    refused(2, "unknown format 'HTML'; there are text, json and html", "explain", kernel, "--format", "HTML")
    refused(2, "unknown flag '--emit'", "explain", kernel, "--emit", "ptx")


def shapes_that_do_not_fit():
    for says, *shapes in (("'arg0' has dynamic extents: give its shape", ), ("'arg0' is given the shape (64), the kernel takes tensor<?x?xf16>", "arg0=64"),
                          ("'64x' is no shape", "arg0=64x"), ("'64x-1' is no shape", "arg0=64x-1"), ("'64x64xf16' is no shape", "arg0=64x64xf16"),
                          ("'64x99999999999999999999' is no shape", "arg0=64x99999999999999999999"), ("has no 'res0', it has arg0, arg1", "res0=64x64"),
                          ("'64x64' is not NAME=VALUE", "64x64"), ("'arg0' is given twice", "arg0=64x64", "arg0=32x32"),
                          ("more than the", "arg0=9223372036854775807x2", "arg1=2x9223372036854775807")):
        refused(2, says, "run", DYNAMIC, *(f"--shape={shape}" for shape in shapes))
    refused(2, "'arg0' is given the shape (32, 64), the kernel takes tensor<64x64xf16>", "run", write(matmul()), "--shape=arg0=32x64")
    refused(1, "are one loop of linalg.matmul, their extents differ", "run", DYNAMIC, "--shape=arg0=64x64", "--shape=arg1=32x64")
    file = npy("rows.npy", "<f2", (8, 4))
    refused(2, "has shape 8x4, the kernel takes 4x8", "run", DYNAMIC, f"--input=arg0={file}", "--shape=arg0=4x8", "--shape=arg1=8x4")
    refused(2, "'arg0' is given the shape (), the kernel takes", "run", DYNAMIC, f"--input=arg0={npy('none.npy', '<f2', ())}", "--shape=arg1=4x4")


def arrays_that_do_not_fit():
    kernel = write(matmul())
    for says, file in (("has shape 64x32, the kernel takes 64x64", npy("shape.npy", "<f2", (64, 32))),
                       ("holds dtype '<f8', the kernel takes f16", npy("wide.npy", "<f8", (64, 64))), ("holds dtype '<i4'", npy("whole.npy", "<i4", (64, 64))),
                       ("needs 8192 bytes of data, it has 3", npy("short.npy", "<f2", (64, 64), b"abc")), ("Is a directory", EXAMPLES),
                       ("No such file", FOLDER / "missing.npy"), ("is no range", "random:1:5:2"), ("is not random:SEED", "random:1:2")):
        refused(2, says, "run", kernel, f"--input=arg0={file}", f"--output=res0={FOLDER}/out.npy")
    refused(2, "the kernel has no 'arg9', it has arg0, arg1, arg2", "run", kernel, "--input=arg9=zeros")
    refused(2, "the kernel has no 'res1', it has arg0, arg1, arg2, res0", "run", kernel, f"--output=res1={FOLDER}/out.npy")
    four_bits = matmul(element="f4E2M1FN")
    refused(1, "kernel.mlir:1:1: error: 'arg0' has elements of type 'f4E2M1FN', which no array file holds; pass their bits as integers", "run", write(four_bits))


def files_that_cannot_be_written():
    kernel = write(matmul())
    for command, flag, *more in (("compile", "-o={}", "--emit=ptx"), ("explain", "-o={}", "--format=html"), ("run", "--output=res0={}")):
        refused(2, "no/folder': No such file", command, kernel, flag.format(FOLDER / "no" / "folder"), *more)
        refused(2, "Is a directory", command, kernel, flag.format(EXAMPLES), *more)
    kept = FOLDER / "kept"
    kept.write_text("kept")
    refused(1, "resident must be a number", "compile", write(matmul("resident = 0")), "--emit=ptx", f"-o={kept}")


def tiles_that_do_not_fit():
    for says, config in (("has 2 `workgroup` tiles for 3 loops", "workgroup = [64, 64]"), ("tile 16 for loop 2, which it reduces", "workgroup = [64, 64, 16]"),
                         ("has no `workgroup` tile for loop 1", "workgroup = [64, 0, 0]"), ("must not be negative", "workgroup = [-64, 64, 0]"),
                         ("which it does not reduce", "reduction = [16, 0, 0]"), ("unknown key `workgrop`, known are workgroup", "workgrop = [64, 64, 0]"),
                         ("must be a list of integers", 'workgroup = "big"'), ("`promote_operands` are 0 or 1", "promote_operands = [2]"),
                         ("which sm_80 does not have; it has NV_MMA_SYNC_F32_16x8x16_F16", "mma_kind = #iree_gpu.mma_layout<MFMA_F32_32x32x8_F16>"),
                         ("not 'f16' and 'f16' into 'f32'", "mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_BF16>"),
                         ("subgroups are split by `subgroup`", "subgroup_basis = [[2, 2, 1], [0, 1, 2]]"),
                         # What is fixed in part is told what nothing else can mend.
                         ("tile 48 of loop 0, which does not divide the `workgroup` tile 64; make it a divisor", "subgroup = [48, 48, 0], workgroup = [64, 64, 0]"),
                         ("has a `subgroup` tile of 35 points, which is not one of whole instructions and not shared evenly by the 32 lanes", "subgroup = [7, 5, 0]"),
                         ("needs 8192 registers per lane for its `subgroup` tile", "subgroup = [512, 512, 0]"),
                         ("is tiled for 64 subgroups, 2048 lanes", "workgroup = [64, 64, 0], subgroup = [8, 8, 0]"),
                         ("has no tiles that fit", "reduction = [0, 0, 1048576]")):
        for special in ("none", "ping-pong"):
            refused(1, says, "compile", write(matmul(config)), "--specialize", special, "-o", FOLDER / "out.mlir")
    info = "attributes {{translation_info = {}}}"
    launch = "#iree_codegen.translation_info<workgroup_size = [{}, 1, 1] subgroup_size = {}>"
    for says, config, attribute in (("takes multiples of 32 up to 1024", "", launch.format(100, 32)), ("asks for subgroups of 64 lanes", "", launch.format(64, 64)),
                                    ("`workgroup_size` is 64, not 128", "workgroup = [64, 64, 0], subgroup = [32, 32, 0]", launch.format(64, 32)),
                                    ("is no #iree_codegen.translation_info: 7", "", "7")):
        refused(1, says, "compile", write(matmul(config, info.format(attribute))))


def kernels_that_are_not_for_this_road():
    for command in ("compile", "run", "explain"):
        refused(1, "cannot take turns: a tile has no loop with a product of matrices", command, EXAMPLES / "softmax.mlir", "--specialize", "ping-pong")
        refused(1, "has no kernel", command, write("// nothing\n"))
    # The other way round: a kernel of phases says by them which pipeline is its own, and is refused on another.
    panels = EXAMPLES / "specialization" / "panels.mlir"
    refused(1, "'pcf.shared_executor' op starts workers, which the pipeline vector-distribute does not; take --pipeline=run-cluster", "compile", panels,
            pipeline=["--target", "sm_80", "--pipeline", "vector-distribute"])
    own, asked = (fork_server.run(["distaff", "compile", panels, "--target", "sm_80", "--emit", "ptx", *pipeline], 120) for pipeline in ([], ["--pipeline", "run-cluster"]))
    assert own.returncode == 0 and ".entry" in own.stdout and own.stdout == asked.stdout, own.stderr[:300]
    two = write(matmul(name="one") + matmul(name="two"))
    refused(2, "has several kernels, name one with --func: @one @two", "run", two)
    refused(1, "is emitted as 'a_b', which is taken", "compile", write(matmul(name="a_b") + matmul(name='"a-b"')), "--emit=ptx", f"-o={FOLDER}/out.ptx")


def ops_that_are_not_for_this_road():
    square = "tensor<64x64xf32>"
    rest = f'%s = "foo.bar"(%r) : ({square}) -> {square}'
    refused(1, "unregistered dialect", "compile", write(matmul(rest=rest, result="%s")))
    refused(1, "'tensor<64x64xcomplex<f32>>'; elements are integers, floats or indices", "compile", write(matmul(element="complex<f32>").replace("xf32>", "xcomplex<f32>>")))


CASES = [flags_that_are_misspelt, shapes_that_do_not_fit, arrays_that_do_not_fit, files_that_cannot_be_written, tiles_that_do_not_fit,
         kernels_that_are_not_for_this_road, ops_that_are_not_for_this_road]
cases.main(CASES, FOLDER)
