"""usage: config.py FOLDER: the cases of config.test."""
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "ForkServer"))
import cases
import fork_server

FOLDER = Path(sys.argv[1])
# Not square, so that tiles of the wrong loop are seen.
MATMUL = """func.func @mm(%a: tensor<96x160xf16>, %b: tensor<160x224xf16>, %bias: tensor<224xf32>) -> tensor<96x224xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<96x224xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<96x224xf32>) -> tensor<96x224xf32>
  %d = linalg.matmul ins(%a, %b : tensor<96x160xf16>, tensor<160x224xf16>) outs(%c : tensor<96x224xf32>) -> tensor<96x224xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%d, %bias : tensor<96x224xf32>, tensor<224xf32>) outs(%e : tensor<96x224xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<96x224xf32>
  return %r : tensor<96x224xf32>
}
"""
# Two launches: the parts of the rows, and their sums.
ROWS = """func.func @rows(%x: tensor<4x1048576xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<4x1048576xf32>) outs(%i : tensor<4xf32>) dimensions = [1]
  return %r : tensor<4xf32>
}
"""
TWO = """func.func @one(%x: tensor<64x96xf32>) -> tensor<64x96xf32> {
  %r = math.exp %x : tensor<64x96xf32>
  return %r : tensor<64x96xf32>
}
func.func @other(%x: tensor<64x96xf32>) -> tensor<64x96xf32> {
  %r = math.absf %x : tensor<64x96xf32>
  return %r : tensor<64x96xf32>
}
"""
VECTORS = """func.func @v(%m: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %x = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %y = arith.addf %x, %x : vector<64xf32>
  vector.transfer_write %y, %m[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return
}
"""


def distaff(command, text, *flags, target="sm_80", **config):
    """What a command says of a kernel; underscores before a key are a dot behind the kernel."""
    path = FOLDER / "kernel.mlir"
    path.write_text(text)
    for key, value in config.items():
        flags += ("--config", f"{key}={value}")
    return fork_server.run(["distaff", command, path, "--target", target, *flags])


def configured(text, *flags, **config):
    done = distaff("compile", text, "--stop-after=configure", *flags, **config)
    assert done.returncode == 0, done.stderr
    return done.stdout


def refused(code, says, text, *flags, command="compile", **config):
    done = distaff(command, text, *flags, **config)
    assert done.returncode == code and not done.stdout, f"{flags} {config}: exit {done.returncode}\n{done.stderr}"
    for word in says:
        assert word in done.stderr, f"{flags} {config}: no `{word}`:\n{done.stderr}"


def right(text, *flags, **config):
    done = distaff("run", text, "--check", *flags, **config)
    assert done.returncode == 0 and " ok" in done.stdout, f"{flags} {config}: exit {done.returncode}\n{done.stdout}{done.stderr}"


def every_key_is_obeyed():
    said = configured(MATMUL, workgroup="32x112x0", reduction="0,0,16", promote_operands="1", mma_kind="NV_MMA_SYNC_F32_16x8x8_F16",
                      subgroup_basis="[[2,1,1],[0,1,2]]", workgroup_size="64")
    for word in ("workgroup = [32, 112, 0]", "reduction = [0, 0, 16]", "promote_operands = [1]", "NV_MMA_SYNC_F32_16x8x8_F16",
                 "subgroup_basis = [[2, 1, 1], [0, 1, 2]]", "workgroup_size = [64, 1, 1]"):
        assert word in said, f"{word}\n{said}"
    assert "lowering_config" not in re.search("func.func @mm.*", said).group(), said
    assert "workgroup_size = [16, 4, 1]" in configured(MATMUL, workgroup_size="16x4")
    clusters = configured(MATMUL, "--pipeline=run-cluster", workgroup="32x32x0", subgroup="16x32x0", resident="3")
    for word in ("workgroup = [32, 32, 0]", "subgroup = [16, 32, 0]", "resident = 3"):
        assert word in clusters, f"{word}\n{clusters}"


def the_rest_is_chosen_to_agree():
    for target in ("sm_80", "gfx942"):
        for config in ({"workgroup": "32x224x0"}, {"reduction": "0x0x32"}, {"promote_operands": "0x1"}, {"workgroup_size": "128"}):
            right(MATMUL, target=target, **config)
    right(MATMUL, "--pipeline=run-cluster", workgroup="32x32x0", subgroup="32x16x0")


def over_what_the_kernel_has_of_its_own():
    own = MATMUL.replace("linalg.matmul ins", "linalg.matmul {lowering_config = #iree_gpu.lowering_config<{workgroup = [16, 32, 0], reduction = [0, 0, 32]}>} ins")
    own = own.replace("-> tensor<96x224xf32> {", "-> tensor<96x224xf32> attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>} {")
    said = configured(own, reduction="0x0x16", workgroup_size="64")
    for word in ("workgroup = [16, 32, 0]", "reduction = [0, 0, 16]", "workgroup_size = [64, 1, 1] subgroup_size = 32"):
        assert word in said, f"{word}\n{said}"
    right(own, reduction="0x0x16", workgroup_size="64")


def launches_are_named():
    said = configured(ROWS, "--config=rows__0.workgroup=1x4x0", "--config=rows__0.workgroup_size=128", "--config", "rows__1.workgroup_size=64")
    assert "workgroup = [1, 4, 0]" in said and "workgroup_size = [128, 1, 1]" in said and "workgroup_size = [64, 1, 1]" in said, said
    assert "launch_configs" not in said, said
    # Neither of which is chosen for these tiles unasked.
    for name, size in ("rows__0", 256), ("rows__1", 32):
        flags = ["--config=rows__0.workgroup=1x4x0", f"--config={name}.workgroup_size={size}"]
        assert f"workgroup_size = [{size}, 1, 1]" in configured(ROWS, *flags), flags
        assert f"workgroup_size = [{size}, 1, 1]" not in configured(ROWS, flags[0])
    right(ROWS.replace("1048576", "65536"), "--config=rows__0.workgroup=2x4x0", "--input=arg0=whole:0:-2:2")
    # Tiles of the whole are for one launch.
    assert "rows__1" not in configured(ROWS, workgroup="1x0")
    refused(1, ["no launch rows__2", "there are rows__0, rows__1"], ROWS, "--config=rows__2.workgroup=1x4x0")
    refused(1, ["no launch mm__0", "there is one, mm"], MATMUL, "--config=mm__0.workgroup=1x4x0")
    refused(1, ["no launch v__0", "there is one, v"], VECTORS, "--config=v__0.workgroup=1")
    refused(1, ["launch_configs", "its own `lowering_config`"], MATMUL, "--pipeline=run-cluster", "--config=mm__0.workgroup=1x4x0")


def of_several_kernels_one_is_meant():
    said = configured(TWO, "--config=other.workgroup=1x96")
    one, other = said.split("@other")
    assert said.count("workgroup = [1, 96]") == 1 and "#lowering_config1}" in other and "#lowering_config}" in one, said
    assert said.index("workgroup = [1, 96]") > said.index("#lowering_config ="), said
    assert configured(TWO, workgroup="1x96").count("workgroup = [1, 96]") == 1
    assert "workgroup = [1, 96]" in configured(TWO, "--func=other", workgroup="1x96")
    refused(2, ["no kernel 'third'"], TWO, "--config=third.workgroup=1x96")
    refused(2, ["no kernel 'othe__0'"], TWO, "--config=othe__0.workgroup=1x96")
    refused(2, ["it is for 'one'", "--func takes 'other'"], TWO, "--func=other", "--config=one.workgroup=1x96")
    # Of two kernels that a launch could be of, the one with the longer name.
    longer = TWO.replace("@other", "@one__0")
    refused(1, ["no launch one__0__1", "there is one, one__0"], longer, "--config=one__0__1.workgroup=1x96")
    assert configured(longer, "--config=one__0.workgroup=1x96").count("workgroup = [1, 96]") == 1


def flags_that_mean_nothing():
    for flag, says in (("workgroup", "KEY=VALUE"), ("=3", "KEY=VALUE"), ("mm.=3", "KEY=VALUE"), ("workgroup=", "KEY=VALUE"), ("tile=3", "unknown key 'tile'"),
                       ("workgroup=64xx0", "64xx0"), ("workgroup=-1x2", "-1x2"), ("workgroup=99999999999999999999", "9999"), ("workgroup=true", "integers"),
                       ("mma_kind=NV_X", "NV_MMA_SYNC"), ("mma_kind=3", "mma_kind"), ("workgroup_size=0", "workgroup_size"), ("workgroup_size=1x1x1x32", "x, y and z"),
                       ("subgroup_size=32x1", "number of lanes"), ("resident=0", "resident"), ("subgroup_basis=2x2", "subgroup_basis")):
        for command in ("compile", "explain", "run"):
            refused(2, ["--config " + flag, says], MATMUL, "--config", flag, command=command)


def what_does_not_fit_the_kernel_is_refused_at_its_op():
    refused(1, ["'linalg.matmul' op has 2 `workgroup` tiles for 3 loops"], MATMUL, workgroup="32x32")
    refused(1, ["asks for subgroups of 64 lanes"], MATMUL, subgroup_size="64")
    refused(1, ["multiples of 32 up to 1024"], MATMUL, workgroup_size="48")
    refused(1, ["`resident`, which is not supported"], MATMUL, resident="2")
    refused(1, ["MFMA_F32_16x16x16_F16", "sm_80"], MATMUL, mma_kind="MFMA_F32_16x16x16_F16")
    refused(1, ["multiples of 32 up to 1024"], ROWS, "--config=rows__1.workgroup_size=48")
    refused(1, ["by --config, and no tensors that could be tiled"], VECTORS, workgroup="32")
    refused(1, ["no op whose tiles"], "func.func @k(%x: tensor<0x4xf32>) -> tensor<0x4xf32> {\n  return %x : tensor<0x4xf32>\n}\n", workgroup="1x1")


def vectors_take_a_launch_shape():
    assert "workgroup_size = [64, 1, 1]" in configured(VECTORS, workgroup_size="64")
    right(VECTORS, workgroup_size="64")
    # One key leaves what another says as it is.
    refused(1, ["asks for subgroups of 64 lanes"], VECTORS, subgroup_size="64", workgroup_size="128")


CASES = [every_key_is_obeyed, the_rest_is_chosen_to_agree, over_what_the_kernel_has_of_its_own, launches_are_named, of_several_kernels_one_is_meant,
         flags_that_mean_nothing, what_does_not_fit_the_kernel_is_refused_at_its_op, vectors_take_a_launch_shape]
cases.main(CASES, FOLDER)
