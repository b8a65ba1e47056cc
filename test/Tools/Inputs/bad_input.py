"""usage: bad_input.py FOLDER EXAMPLES: the cases of bad-input.test.

Text that a fuzzer or a tired person writes. Every command ends in under 20 s and 4 GiB with an exit code from 0 to 3, by
no signal; where the code is not 0 there is a line with "error:" and no output file."""
import math
import os
import re
import resource
import subprocess
import sys
from pathlib import Path

sys.path += [str(Path(__file__).resolve().parents[2] / folder) for folder in ("ForkServer", "Execution/Inputs")]
import cases
import depth
import fork_server

FOLDER, EXAMPLES = Path(sys.argv[1]), Path(sys.argv[2])
SANITIZED = "DISTAFF_SANITIZED" in os.environ
SM80 = ["--target", "sm_80"]
PTX = [*SM80, "--emit", "ptx"]


# What is started has the same.
if not SANITIZED:
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(tool, *arguments, seconds=20):
    try:
        result = fork_server.run([tool, *arguments], seconds * (5 if SANITIZED else 1))
    except subprocess.TimeoutExpired:
        assert False, f"{arguments}: no answer in {seconds} s"
    assert result.returncode in (0, 1, 2, 3), f"{arguments}: ended with {result.returncode}: {result.stderr[:200]}"
    assert result.returncode == 0 or "error:" in result.stderr, f"{arguments}: {result.stderr[:200]}"
    return result


def write(text):
    path = FOLDER / "kernel.mlir"
    path.write_text(text)
    return path


def refused(text, *says, command="compile", flags=PTX):
    out = FOLDER / "out"
    out.unlink(missing_ok=True)
    result = run("distaff", command, write(text), *flags, *([] if command == "run" else ["-o", out]))
    assert result.returncode != 0, "was taken: " + text
    assert not out.exists(), "left an output file"
    for part in says:
        assert part in result.stderr, f"no '{part}' in {result.stderr[:300]}"


def taken(text, *flags, command="compile"):
    result = run("distaff", command, write(text), *flags)
    assert result.returncode == 0, result.stderr[:400]
    return result.stdout


def elementwise(extents, op="math.exp", element="f32"):
    type = f"tensor<{extents}x{element}>"
    return f"func.func @t(%a: {type}) -> {type} {{\n  %e = {op} %a : {type}\n  return %e : {type}\n}}\n"


def arrays_that_no_machine_holds():
    huge, wraps = 1 << 62, f"{1 << 32}x{1 << 32}"
    for extents in (huge, wraps, f"2x{huge}", f"0x{huge}x4", (1 << 63) - 1, f"3x{(1 << 63) - 1}"):
        for command, flags in (("compile", PTX), ("compile", ["--target", "gfx942"]), ("explain", SM80), ("run", [*SM80, "--check"])):
            refused(elementwise(extents), "more than the memory of any machine", command=command, flags=flags)
    for type in (f"memref<{huge}xf32>", f"memref<?x{huge}xf32>", f"memref<4xf32, strided<[{huge}]>>", f"memref<4xf32, strided<[1], offset: {huge}>>"):
        refused(f"func.func @f(%m: {type}) {{ return }}", "any machine", command="run", flags=["--target", "gfx942"])


def arrays_that_this_machine_does_not_hold():
    refused(elementwise("524288x524288"), "arg0", "524288x524288", command="run", flags=[*SM80, "--check"])
    taken(elementwise("524288x524288"), *PTX)


def vectors_that_no_workgroup_holds():
    refused("""func.func @f(%m: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%c0], %z : memref<64xf32>, vector<4294967296xf32>
  vector.transfer_write %0, %m[%c0] : vector<4294967296xf32>, memref<64xf32>
  return
}""", "vector<4294967296xf32>")


LAYOUT = """func.func @f(%m: memref<64xf32>) attributes {{translation_info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>}} {{
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%c0], %z : memref<64xf32>, vector<64xf32>
  %1 = iree_vector_ext.to_layout %0 to layout({}) : vector<64xf32>
  vector.transfer_write %1, %m[%c0] : vector<64xf32>, memref<64xf32>
  return
}}"""


def layouts_whose_products_wrap():
    nested = ("#iree_vector_ext.nested_layout<subgroup_tile = [{}], batch_tile = [{}], outer_tile = [{}], thread_tile = [32], "
              "element_tile = [1], subgroup_strides = [{}], thread_strides = [{}]>")
    for values in ((1, 1 << 27, 1, 0, 1), (1, 1 << 32, 1 << 32, 0, 1), (2, 1, 1, 1 << 62, 1), (1, 2, 1, 0, 1 << 58), (1 << 40, 1, 1, 1, 1)):
        for command in ("compile", "explain"):
            refused(LAYOUT.format(nested.format(*values)), "layout too large", command=command, flags=SM80)
    for digits in (f"[[reg({1 << 40}, 1), lane(32, 1)]]", f"[[sg(2, {1 << 62}), lane(32, 1)]]", f"[[reg({1 << 32}, 1), reg({1 << 32}, {1 << 32})]]"):
        refused(LAYOUT.format(f"#iree_vector_ext.digit_layout<{digits}>"), "layout too large", flags=SM80)


def attributes_whose_products_wrap():
    for size in ("[4294967296, 4294967296, 4294967296]", "[9223372036854775807]", "[0]", "[-1]", "[1, 1, 1, 1]"):
        refused(f"func.func @f(%m: memref<4xf32>) attributes {{translation_info = #iree_codegen.translation_info<workgroup_size = {size} "
                "subgroup_size = 32>} { return }", "workgroup_size")
    tiles = """func.func @t(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {{
  %e = tensor.empty() : tensor<64x64xf32>
  %r = linalg.exp {{lowering_config = #iree_gpu.lowering_config<{{{}}}>}} ins(%a : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}}"""
    for key in ("workgroup = [4611686018427387904, 4]", "workgroup = [-1]", "subgroup_basis = [[4294967296, 4294967296], [0, 1]]",
                "reduction = [170141183460469231731687303715884105727 : i128]"):
        refused(tiles.format(key), key.split()[0])


def workgroups_that_no_target_has():
    """2^29 lanes are ids that can be counted, and no workgroup: nothing is run with them, the input neither."""
    text = """gpu.module @kernels {
  gpu.func @f(%v: f64, %m: memref<1024xf64>) kernel attributes {known_block_size = array<i32: SIZE>,
      translation_info = #iree_codegen.translation_info<subgroup_size = 32>} {
    %x = gpu.thread_id x
    %y = gpu.thread_id y
    %at = affine.linearize_index [%y, %x] by (32, 32) : index
    %r = gpu.subgroup_reduce mul %v cluster(size = 2) : (f64) -> f64
    memref.store %r, %m[%at] : memref<1024xf64>
    gpu.return
  }
}"""
    for size in ("32, 4096, 4096", "1056, 1, 1", "32, 33, 1"):
        lanes = math.prod(map(int, size.split(", ")))
        for flags in ([], ["--check"], ["--every-stage"], ["--check", "--every-stage"]):
            refused(text.replace("SIZE", size), f"has workgroups of {lanes} lanes, sm_80 has up to 1024", command="run", flags=[*SM80, *flags])
        refused(text.replace("SIZE", size), f"{lanes} lanes")
    taken(text.replace("SIZE", "32, 32, 1"), *SM80, command="run")


def loops_that_do_not_go_forward():
    grid = """func.func @f(%m: memref<4x64xf32>, %v: f32) {
  scf.forall (%i, %j) = (LOW, 3) to (HIGH, 64) step (STEP, 1) {
    memref.store %v, %m[%i, %j] : memref<4x64xf32>
  } {mapping = [#gpu.block<y>, #gpu.block<x>]}
  return
}"""
    serial = """func.func @f(%m: memref<64xf32>, %v: f32) {
  %low = arith.constant LOW : index
  %high = arith.constant HIGH : index
  %step = arith.constant STEP : index
  scf.for %i = %low to %high step %step {
    memref.store %v, %m[%i] : memref<64xf32>
  }
  return
}"""
    for text in (grid, serial):
        loop = lambda low, high, step: text.replace("LOW", str(low)).replace("HIGH", str(high)).replace("STEP", str(step))
        for command, flags in (("compile", PTX), ("compile", ["--target", "gfx942"]), ("explain", SM80), ("run", [*SM80, "--check"])):
            for step in (0, -1, -(1 << 62)):
                refused(loop(0, 4, step), "loops go forward" if step > -2 else "beyond any array", command=command, flags=flags)
            for low, high, step in ((0, 1 << 62, 1), (-(1 << 62), 4, 1), (0, 4, 1 << 62), (-(1 << 62), 1 << 62, 1 << 62)):
                refused(loop(low, high, step), "beyond any array", command=command, flags=flags)


def lanes_that_hold_too_much():
    """A prime length leaves all of a vector to one lane, where it is computed as a whole."""
    read = """func.func @f(%m: memref<SIZExf32>, %o: memref<SIZExf32>) attributes {distaff.native_vector = array<i64: SIZE>} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<SIZExf32>, vector<SIZExf32>
  %1 = math.exp %0 : vector<SIZExf32>
  vector.transfer_write %1, %o[%c0] {in_bounds = [true]} : vector<SIZExf32>, memref<SIZExf32>
  return
}"""
    for size in (65537, 1048583, 16777213):
        refused(read.replace("SIZE", str(size)), "registers per lane hold vectors here, more than the 65536")


def types_that_no_register_holds():
    refused("func.func @d(%x: tensor<64xi128>) -> tensor<64xf32> {\n  %r = arith.sitofp %x : tensor<64xi128> to tensor<64xf32>\n"
            "  return %r : tensor<64xf32>\n}", "i128")
    refused(elementwise(64, element="f128"), "f128")
    refused(elementwise("64x64", "linalg.softmax dimension(1) ins", "i32").replace(
        "linalg.softmax dimension(1) ins %a : tensor<64x64xi32>", "linalg.softmax dimension(1) ins(%a : tensor<64x64xi32>) "
        "outs(%a : tensor<64x64xi32>) -> tensor<64x64xi32>"), "linalg.softmax", "i32")


def arguments_that_no_array_fills():
    """Every path refuses them in the same words, before it runs anything."""
    kernel = """func.func @of_workers(%from: memref<8xi32>, %to: TYPE) -> i32 {
  %c3 = arith.constant 3 : index
  %x = memref.load %from[%c3] : memref<8xi32>
  return %x : i32
}"""
    says = "; a kernel takes tensors, memrefs, vectors and scalars"
    for type in ("!pcf.sref<8xi32, #pcf.sequential>", "!pcf.sref<2x?xf16, #iree_gpu.subgroup_scope>", "!llvm.ptr", "none", "tuple<i32, f32>"):
        text = kernel.replace("TYPE", type)
        for command, flags in (("run", []), ("run", ["--check"]), ("run", ["--every-stage"]), ("run", ["--stop-after=input", "--check"]), ("run", ["--device", "ptx"]),
                               ("run", ["--device", "ptx", "--check"]), ("compile", ["--emit", "ptx"])):
            refused(text, f"op has an argument or a result of type '{type}'{says}", command=command, flags=[*SM80, *flags])
        refused(text, says, command="run", flags=["--target", "host", "--device", "host", "--check"])
    refused(kernel.replace("TYPE", "memref<4xcomplex<f32>>"), "; elements are integers, floats or indices, so pass what has parts as an array of them", command="run", flags=[*SM80, "--check"])


def ops_without_code():
    """No pattern of upstream's may crash on them, or leave it to LLVM to complain."""
    text = """func.func @k(%in: memref<64xf32>, %out: memref<64xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %v = vector.transfer_read %in[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  vector.transfer_write %v, %out[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  OP
  return
}"""
    assertion = '%less = arith.cmpf olt, %x, %z : f32\n  cf.assert %less, "x"'
    ops = {"gpu.dynamic_shared_memory": "%d = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>\n  %i = arith.constant 3 : i8\n"
                                        "  memref.store %i, %d[%c0] : memref<?xi8, #gpu.address_space<workgroup>>",
           "memref.alloca_scope": "%q = memref.alloca_scope -> f32 {\n  %a = memref.alloca() : memref<4xf32>\n  memref.store %x, %a[%c0] : memref<4xf32>\n"
                                  "  %l = memref.load %a[%c0] : memref<4xf32>\n  memref.alloca_scope.return %l : f32\n}\n"
                                  "  memref.store %q, %out[%c0] : memref<64xf32>",
           "memref.dma_start": "%m = memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>\n  %tag = memref.alloca() : memref<1xi32>\n"
                               "  memref.dma_start %in[%c0], %m[%c0], %c0, %tag[%c0] : memref<64xf32>, memref<64xf32, #gpu.address_space<workgroup>>, memref<1xi32>"}
    for name, op in ops.items():
        for target, kinds in (("sm_80", ("ptx", "llvm", "package")), ("gfx942", ("gcn", "hsaco"))):
            for kind in kinds:
                # What distribution has no rule for does not get that far.
                why = "has no distribution rule" if name.startswith("memref") else f"has no code for {target}: "
                refused(text.replace("OP", op), f"'{name}' op {why}", flags=["--target", target, "--emit", kind])
    for target, kind in (("sm_80", "ptx"), ("sm_80", "llvm"), ("gfx942", "gcn"), ("host", "asm")):
        taken(text.replace("OP", assertion), "--target", target, "--emit", kind)
    taken(text.replace("OP", assertion), *SM80, "--input", "arg2=-1", "--check", command="run")
    refused(text.replace("OP", assertion), "assertion", command="run", flags=[*SM80, "--input", "arg2=1"])


def lane(body, attributes="known_block_size = array<i32: 32, 1, 1>", arguments="%v: i32, %m: memref<i32>", subgroup=True):
    """One lane's program."""
    if subgroup:
        attributes += ", translation_info = #iree_codegen.translation_info<subgroup_size = 32>"
    return f"gpu.module @kernels {{\n  gpu.func @k({arguments}) kernel attributes {{{attributes}}} {{\n    {body}\n    gpu.return\n  }}\n}}\n"


def lane_level_code_without_what_its_stage_needs():
    reduce = "%r = gpu.subgroup_reduce minsi %v : (i32) -> i32\n    memref.store %r, %m[] : memref<i32>"
    refused(lane(reduce, subgroup=False), "translation_info", command="explain", flags=SM80)
    refused(lane(reduce, subgroup=False), "translation_info")
    for op in ("%r = gpu.global_id x\n  %s = arith.index_cast %r : index to i32", "%s, %valid = gpu.rotate %v, 1, 16 : i32",
               "%s = gpu.all_reduce add %v {} : (i32) -> i32", "%s = gpu.subgroup_broadcast %v, first_active_lane : i32"):
        stored = f"{op}\n  memref.store %s, %m[] : memref<i32>"
        # What has code is explained, though it does not say its subgroup size.
        ends = [run("distaff", command, write(lane(stored, subgroup=False)), *SM80, *flags, "-o", "/dev/null").returncode
                for command, flags in (("explain", []), ("compile", ["--emit", "ptx"]))]
        assert ends[0] <= ends[1], f"{op}: explain ends in {ends[0]}, compile in {ends[1]}"
        name = re.search(r"gpu\.\w+", op).group()
        for command, flags in (("compile", ["--emit", "ptx"]), ("compile", ["--stop-after=distribute"]), ("run", []), ("explain", [])):
            refused(f"func.func @k(%v: i32, %m: memref<i32>) {{\n  {stored}\n  return\n}}", f"'{name}' op is run by one lane", command=command,
                    flags=[*SM80, *flags])
    refused(lane(reduce), "64", flags=["--target", "gfx942", "--emit", "gcn"])
    refused(lane(reduce, "known_block_size = array<i32: 2048, 1, 1>"), "1024")
    refused(lane(reduce, "known_block_size = array<i32: 32, 0, 1>"), "needed positive numbers")
    refused(lane(reduce, "known_grid_size = array<i32: 32, 1, 1>"), "has no known_block_size")
    refused(lane(reduce).replace(" kernel ", " workgroup(%w : memref<4xi32, #gpu.address_space<workgroup>>) kernel "), "declares buffers")
    refused(lane(reduce).replace("<subgroup_size", "<workgroup_size = [32, 1, 1] subgroup_size"), "has it as known_block_size")
    refused(lane("scf.forall (%i) in (4) {} {mapping = [#gpu.block<x>]}"), "is a loop over workgroups")
    grid = "\nfunc.func {}@k__grid({}) -> {}"
    for what in (grid.format("private ", "", "(index, index, index) attributes {host}"), grid.format("", "%a: index", "index attributes {host} {\n  return %a : index\n}")):
        refused(lane(reduce) + what, "@k", flags=[*SM80, "--emit", "package"])


def functions_named_as_grid_functions():
    """The attribute makes one of the host's, not the name."""
    alone = elementwise("64").replace("@t", "@add__grid")
    assert "add__grid__grid" in taken(alone, *SM80, "--stop-after=tile")
    assert ".entry add__grid" in taken(alone, *PTX)
    both = elementwise("64").replace("@t", "@k") + elementwise("64").replace("@t", "@k__grid")
    for command, flags in (("compile", ["--stop-after=tile", "--func", "k"]), ("compile", ["--emit", "ptx", "--func", "k"]), ("run", ["--func", "k"])):
        refused(both, "has the name of the grid function of @k", "'host'", command=command, flags=[*SM80, *flags])
    # Who writes one by hand says what the loop says, or nothing is silently left undone.
    by_hand = elementwise("64").replace("@t", "@k") + ("func.func @k__grid() -> (index, index, index) attributes {host} {\n"
                                                         "  %two = arith.constant 2 : index\n  return %two, %two, %two : index, index, index\n}")
    for flags in (["--stop-after=tile"], ["--stop-after=vectorize"], ["--emit", "ptx"]):
        refused(by_hand, "has a loop over 1, 1, 1 workgroups, and a grid function that returns 2, 2, 2", flags=[*SM80, *flags])
    refused(by_hand.replace(" attributes {host}", ""), "has the name of the grid function of @k")
    refused(lane("memref.store %v, %m[] : memref<i32>") + by_hand[by_hand.index("func.func @k__grid"):].replace(" attributes {host}", ""),
            "has the name of the grid function of @k")


def functions_named_as_launches():
    """A kernel that becomes several launches is named in them; --func leaves the other function out."""
    row = "tensor<64x64xf32>"
    both = f"""func.func @k(%x: {row}) -> {row} {{
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : {row}
  %f = linalg.fill ins(%z : f32) outs(%e : {row}) -> {row}
  %a = linalg.matmul ins(%x, %x : {row}, {row}) outs(%f : {row}) -> {row}
  %b = linalg.matmul ins(%a, %a : {row}, {row}) outs(%f : {row}) -> {row}
  return %b : {row}
}}
""" + elementwise("64").replace("@t", "@k__1")
    refused(both, "'func.func' op has the name of a launch of another kernel, @k__1; rename it, or give one of both by --func", "this kernel is several launches", flags=[*PTX])
    refused(both.replace("k__1", "k__0"), "has the name of a launch of another kernel, @k__0", flags=[*SM80])
    assert ".entry k__1" in taken(both, *PTX, "--func", "k") and ".entry k__1" in taken(both, *PTX, "--func", "k__1")
    assert ".entry k__2" in taken(both.replace("@k__1", "@k__2"), *PTX)


def lane_kernels_whose_launch_makes_no_sense():
    reduce = "%r = gpu.subgroup_reduce minsi %v : (i32) -> i32\n    memref.store %r, %m[] : memref<i32>"
    for sizes in ("1824726041, 105305443, 96", "1048576, 1048576, 16777216"):  # products that wrap
        for command, flags in (("compile", ["--emit", "ptx"]), ("run", []), ("explain", [])):
            refused(lane(reduce, f"known_block_size = array<i32: {sizes}>"), "which is more than 2147483648 lanes", command=command, flags=[*SM80, *flags])
    block = "known_block_size = array<i32: 32, 1, 1>"
    for sizes in ("-3, 1, 1", "-1, -1, 1", "2147483647, 2147483647, 4194304"):
        for command, flags in (("compile", ["--emit", "ptx"]), ("run", []), ("run", ["--check"]), ("run", ["--device", "ptx"])):
            refused(lane(reduce, f"{block}, known_grid_size = array<i32: {sizes}>"), "which is no number of workgroups", command=command, flags=[*SM80, *flags])
    refused(lane(reduce, f"{block}, known_cluster_size = array<i32: 2, 1, 1>"), "has a known_cluster_size")
    # Nothing runs that is not the program of its level: a machine with lanes of its own choice has other faults to tell.
    for wrong, says in ((lane(reduce, "known_grid_size = array<i32: 2, 1, 1>"), "has no known_block_size"),
                        (lane("scf.forall (%i) in (4) {} {mapping = [#gpu.block<x>]}"), "is a loop over workgroups"),
                        (lane(reduce).replace("%m: memref<i32>", "%m: memref<i32>, %t: tensor<4xf32>"), "has tensors")):
        for flags in ([], ["--check"], ["--every-stage"], ["--device", "ptx"]):
            refused(wrong, says, command="run", flags=[*SM80, *flags])
    refused("func.func @k(%a: memref<16xf16>) {\n  %c = arith.constant 0.0 : f16\n"
            "  %m = gpu.subgroup_mma_constant_matrix %c : !gpu.mma_matrix<16x16xf16, \"COp\">\n  return\n}", "is run by one lane")
    twice = lane(reduce) + lane(reduce).replace("@kernels", "@others")
    for command in ("compile", "run", "explain"):
        refused(twice, "has a name that another kernel has", command=command, flags=[*SM80, "--func", "k"])
    inside = lane(reduce).replace("gpu.module @kernels {", "gpu.module @kernels {\n  func.func @k__grid() -> (index, index, index) attributes {host} {\n"
                                  "    %two = arith.constant 2 : index\n    return %two, %two, %two : index, index, index\n  }")
    refused(inside, "is a grid function inside a gpu.module", command="run", flags=SM80)
    outside = lane(reduce, f"{block}, known_grid_size = array<i32: 3, 1, 1>") + (
        "\nfunc.func @k__grid() -> (index, index, index) attributes {host} {\n  %two = arith.constant 2 : index\n  return %two, %two, %two : index, index, index\n}")
    refused(outside, "may return something else", command="run", flags=SM80)
    refused(outside.replace("array<i32: 3, 1, 1>", "array<i32: 2, 2, 1>"), "may return something else", command="run", flags=SM80)
    assert run("distaff", "run", write(outside.replace("array<i32: 3, 1, 1>", "array<i32: 2, 2, 2>")), *SM80, "--no-checks").returncode == 0


def barriers_of_a_workgroups_program():
    """They belong to one lane's; a program that has them is not taken for one."""
    text = """func.func @k(%a: memref<64xf32>, %o: memref<64xf32>) INFO {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %v = vector.transfer_read %a[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  OP
  vector.transfer_write %v, %o[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return
}"""
    info = "attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>}"
    for op in ("gpu.barrier", "%t = gpu.thread_id x", "%l = gpu.lane_id", "%s = gpu.subgroup_id : index"):
        for attributes in ("", info):
            for flags in (["--stop-after=distribute"], ["--emit", "ptx"], ["--emit", "package"]):
                refused(text.replace("OP", op).replace("INFO", attributes), "write one lane's program as a gpu.func kernel", flags=[*SM80, *flags])


GATHER = """func.func @unit_slice_dim(%base: memref<4x512xf32>, %rows: memref<1x16xindex>, %out: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %pad = arith.constant 0.0 : f32
  %at = vector.transfer_read %rows[%c0, %c0], %c0 {in_bounds = [true, true]} : memref<1x16xindex>, vector<1x16xindex>
  %g = iree_vector_ext.transfer_gather %base[%c2, %c0] [None, %at : vector<1x16xindex>], %pad {
    indexed_maps = [affine_map<(i, j) -> (i, j)>], in_bounds = [true]
  } : memref<4x512xf32>, vector<16xf32>
  vector.transfer_write %g, %out[%c0] {in_bounds = [true]} : vector<16xf32>, memref<16xf32>
  return
}"""


def gathers_through_unit_dims_compute():
    for target in ("sm_80", "gfx942"):
        assert "ok" in taken(GATHER, "--target", target, "--check", "--every-stage", command="run")
    # A broadcast of one index that may lie outside.
    text = """func.func @f(%m: memref<64x8xf16>, %row: index, %base: index, %o: memref<1xf16>) {
  %c0 = arith.constant 4 : index
  %z = arith.constant 0.0 : f16
  %rows = vector.broadcast %row : index to vector<1xindex>
  %g = iree_vector_ext.transfer_gather %m[%base, %c0] [%rows : vector<1xindex>], %z {
    indexing_maps = [affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0, d1)[s0] -> (d0)>], in_bounds = [false, true]
  } : memref<64x8xf16>, vector<1x1xf16>
  %s = vector.shape_cast %g : vector<1x1xf16> to vector<1xf16>
  vector.transfer_write %s, %o[%c0] : vector<1xf16>, memref<1xf16>
  return
}"""
    assert run("distaff-opt", "--canonicalize", write(text)).returncode == 0
    run("distaff-opt", "--canonicalize", write(text.replace("constant 4 :", "constant 4294967296 :")))


def texts_that_nest_too_deep():
    """Parsers recurse, and are not given what nests deeper than they are known to take; these are not much deeper."""
    nested = lambda depth: "func.func @f(%c: i1) {\n" + "scf.if %c {\n" * depth + "}\n" * depth + "return\n}\n"
    for text in (nested(300), "// a comment ((((\n" + "(" * 300, "func.func @f() { return }\n" + "#a = " + "[" * 300,
                 "!t = " + "tuple<" * 300, 'module attributes {test.a = "' + '((((' * 100 + '"} {}\n' + "{" * 300):
        refused(text, "nested deeper than 256 levels", flags=[])
        assert run("distaff-opt", write(text)).returncode == 1
    # What is deep but not too deep is parsed, printed and compiled; brackets in strings and comments do not count.
    assert "scf.if" in taken(nested(200))
    taken('module attributes {test.a = "' + "<" * 5000 + '\\"' + "(" * 500 + '"} {} // ' + "(" * 1000 + "\n")


def passes_that_meet_other_stages():
    """Every pass on kernels at every stage, and on code that no stage makes."""
    stages = ["form-launches", "configure", "tile", "vectorize", "assign-layouts", "distribute", "lower"]
    strange = ["func.func private @f()", "func.func @f() { return }", "func.func @f(%t: tensor<4xf32>) -> tensor<4xf32> { return %t : tensor<4xf32> }",
               "func.func @f(%a: f32) -> f32 { return %a : f32 }", elementwise("64"), elementwise("?"), elementwise("4x0"),
               elementwise("64x64", "linalg.softmax dimension(1) ins", "i32").replace(
                   "linalg.softmax dimension(1) ins %a : tensor<64x64xi32>",
                   "linalg.softmax dimension(1) ins(%a : tensor<64x64xi32>) outs(%a : tensor<64x64xi32>) -> tensor<64x64xi32>"),
               "func.func @f(%c: i1) -> tensor<4xf32> {\n  %e = tensor.empty() : tensor<4xf32>\n  cf.cond_br %c, ^a, ^b\n^a:\n"
               "  return %e : tensor<4xf32>\n^b:\n  %z = math.exp %e : tensor<4xf32>\n  return %z : tensor<4xf32>\n}",
               "func.func @f(%t: tensor<4xf32>) -> (f32, tensor<4xf32>) {\n  %c = arith.constant 0.0 : f32\n  return %c, %t : f32, tensor<4xf32>\n}",
               "func.func @f(%t: tensor<*xf32>) -> tensor<*xf32> { return %t : tensor<*xf32> }",
               "module {\n  module {\n    func.func @f() { return }\n  }\n}", LAYOUT.format("#iree_vector_ext.digit_layout<[[reg(2, 1), lane(32, 1)]]>")]
    for name in ("softmax", "row_sum", "flash_attention"):
        # Flash attention with a head of 16: lower-vectors unrolls what a whole workgroup computes.
        text = re.sub("64(?=x)", "16", (EXAMPLES / f"{name}.mlir").read_text())
        strange.append(text)
        for stage in stages:
            strange.append(taken(text, *SM80, f"--stop-after={stage}"))
    path = write("\n// -----\n".join(strange))
    sm80, gfx942 = "{target=sm_80}", "{target=gfx942}"
    passes = ["distaff-form-launches" + sm80, "distaff-form-launches", "distaff-normalize-for-phases" + sm80, "distaff-configure" + sm80, "distaff-configure" + gfx942, "distaff-configure", "distaff-tile" + sm80, "distaff-tile", "distaff-vectorize",
              "distaff-bufferize", "distaff-assign-layouts" + sm80, "distaff-assign-layouts", "distaff-distribute" + sm80,
              "distaff-distribute", "distaff-map-forall", "distaff-write-lane-kernels", "distaff-lower-indices",
              "distaff-lower-lane-exchange" + sm80, "distaff-lower-lane-exchange", "distaff-lower-vectors" + sm80, "distaff-lower-vectors",
              "distaff-lower-math", "distaff-lower-narrow-floats" + gfx942, "distaff-convert-gpu-to-nvvm" + sm80,
              "distaff-convert-gpu-to-rocdl" + gfx942, "distaff-verify-sizes", *("distaff-verify-" + stage for stage in stages)]
    for name in depth.some(passes, 5):
        takes = 0
        for anchor in ("{}", "func.func({})", "gpu.module(gpu.func({}))"):
            # Some 30 modules.
            result = run("distaff-opt", f"--pass-pipeline=builtin.module({anchor.format(name)})", "--split-input-file", path, "-o", "/dev/null", seconds=60)
            takes += "unable to schedule" not in result.stderr and "did you intend to nest" not in result.stderr
        assert takes, f"{name} has run on nothing: {result.stderr}"


def refusals_are_in_our_words():
    reduce = """func.func @f(%a: tensor<64x4096xf32>) -> tensor<64xf32> {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %z = linalg.fill ins(%c : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
    ins(%a : tensor<64x4096xf32>) outs(%z : tensor<64xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %h = arith.mulf %acc, %acc : f32
    %s = arith.addf %h, %x : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}"""
    written = """func.func @f(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (63 - i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%a : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%p: f32, %q: f32):
    %m = math.exp %p : f32
    linalg.yield %m : f32
  } -> tensor<64x64xf32>
  return %x : tensor<64x64xf32>
}"""
    for text, says in ((reduce, "more or less than one op"), (reduce.replace("%acc, %acc", "%x, %x").replace("%s = arith.addf %h, %x", "%s = arith.subf %acc, %h"), "no known combiner"),
                       (written, "a result has an element per point of different loops")):
        refused(text, "linalg.generic", says)
        result = run("distaff", "compile", write(text), *PTX)
        assert result.stderr.count("error:") == 1, result.stderr
        for words in ("anaysis", "unhandled", "inferred input/output"):
            assert words not in result.stderr, result.stderr


CASES = [arrays_that_no_machine_holds, arrays_that_this_machine_does_not_hold, vectors_that_no_workgroup_holds, layouts_whose_products_wrap,
         attributes_whose_products_wrap, workgroups_that_no_target_has, loops_that_do_not_go_forward,
         lanes_that_hold_too_much, types_that_no_register_holds, arguments_that_no_array_fills, ops_without_code, lane_level_code_without_what_its_stage_needs,
         functions_named_as_grid_functions, functions_named_as_launches, lane_kernels_whose_launch_makes_no_sense, barriers_of_a_workgroups_program,
         gathers_through_unit_dims_compute, texts_that_nest_too_deep, passes_that_meet_other_stages, refusals_are_in_our_words]
cases.main(CASES, FOLDER)
