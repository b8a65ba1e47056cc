"""Kernels in the syntax of earlier years: the note gives today's spelling (VX-180), and
what is written with it parses; an error about other text has no such note. distaff-opt
gives the notes of all parts of a file behind its errors.

    python3 old_spellings.py OUT_DIR
"""
import pathlib
import re
import sys

TESTS = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(TESTS / "ForkServer"), str(TESTS / "Execution/Inputs")]
import depth
import fork_server

OUT = pathlib.Path(sys.argv[1])
CONTRACT = ("vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], "
            "iterator_types = [\"parallel\", \"parallel\", \"reduction\"], kind = #vector.kind<KIND>} %m, %m, %m : vector<4x4xf32>, vector<4x4xf32> into vector<4x4xf32>")
MFMA = "blgp = none : f32, f32, vector<4xf32>"
LAYOUT = "#iree_vector_ext.nested_layout<%s = [1], %s = [1], %s = [1], %s = [4], %s = [1], subgroup_strides = [0], thread_strides = [1]>"
KEYS = ("subgroup_tile", "batch_tile", "outer_tile", "thread_tile", "element_tile")
SHUFFLE = "%%r, %%ok = gpu.shuffle %s%%x, %%i32, %%i32%s : f32"

# What an earlier version wrote, the spelling that the note gives, and the same written so.
LINES = [
    (f"%r = {CONTRACT.replace('KIND', 'maxf')}", "kind = #vector.kind<maximumf>", f"%r = {CONTRACT.replace('KIND', 'maximumf')}"),
    (f"%r = {CONTRACT.replace(', kind = #vector.kind<KIND>', '').replace(' :', ' <minf> :')}", "kind = #vector.kind<minimumf>", f"%r = {CONTRACT.replace('KIND', 'minimumf')}"),
    ("%r = vector.multi_reduction <minf>, %m, %v [1] : vector<4x4xf32> to vector<4xf32>", "minimumf", "%r = vector.multi_reduction <minimumf>, %m, %v [1] : vector<4x4xf32> to vector<4xf32>"),
    ("%r = vector.reduction <maxf>, %v : vector<4xf32> into f32", "maximumf", "%r = vector.reduction <maximumf>, %v : vector<4xf32> into f32"),
    ("%r = vector.reduction \"add\", %v : vector<4xf32> into f32", "vector.reduction <add>, %v", "%r = vector.reduction <add>, %v : vector<4xf32> into f32"),
    ("%r = vector.multi_reduction <add>, %m [1] : vector<4x4xf32> to vector<4xf32>", "vector.multi_reduction <kind>, %v, %accumulator [dims]", "%r = vector.multi_reduction <add>, %m, %v [1] : vector<4x4xf32> to vector<4xf32>"),
    ("%r = arith.maxf %x, %x : f32", "arith.maximumf", "%r = arith.maximumf %x, %x : f32"),
    ("%r = arith.minf %x, %x : f32", "arith.minimumf", "%r = arith.minimumf %x, %x : f32"),
    ("%r = vector.extractelement %v[%i : index] : vector<4xf32>", "vector.extract %v[%i] : T from vector<NxT>", "%r = vector.extract %v[%i] : f32 from vector<4xf32>"),
    ("%r = vector.insertelement %x, %v[%i : index] : vector<4xf32>", "vector.insert %x, %v[%i] : T into vector<NxT>", "%r = vector.insert %x, %v[%i] : f32 into vector<4xf32>"),
    ("%r = vector.extract %m[1] : vector<4x4xf32>", "vector.extract %v[0] : T from vector<NxT>", "%r = vector.extract %m[1] : vector<4xf32> from vector<4x4xf32>"),
    ("%r = vector.insert %x, %v[1 : i32] : f32 into vector<4xf32>", "vector.insert ... %v[0, %i] ...", "%r = vector.insert %x, %v[1] : f32 into vector<4xf32>"),
    ("%r = vector.extract %v[%i : index] : f32 from vector<4xf32>", "vector.extract ... %v[0, %i] ...", "%r = vector.extract %v[%i] : f32 from vector<4xf32>"),
    ("%r = vector.insert %x, %v[1] : vector<4xf32>", "vector.insert %x, %v[0] : T into vector<NxT>", "%r = vector.insert %x, %v[1] : f32 into vector<4xf32>"),
    ("%r = splat %x : vector<4xf32>", "vector.broadcast %x : T to vector<NxT>", "%r = vector.broadcast %x : f32 to vector<4xf32>"),
    ("%r = tensor.pack %u inner_dims_pos = [0, 1] inner_tiles = [2, 2] into %p : tensor<4x4xf32> -> tensor<2x2x2x2xf32>", "linalg.pack",
     "%r = linalg.pack %u inner_dims_pos = [0, 1] inner_tiles = [2, 2] into %p : tensor<4x4xf32> -> tensor<2x2x2x2xf32>"),
    ("%r = tensor.unpack %p inner_dims_pos = [0, 1] inner_tiles = [2, 2] into %u : tensor<2x2x2x2xf32> -> tensor<4x4xf32>", "linalg.unpack",
     "%r = linalg.unpack %p inner_dims_pos = [0, 1] inner_tiles = [2, 2] into %u : tensor<2x2x2x2xf32> -> tensor<4x4xf32>"),
    ("%r = iree_vector_ext.to_layout %v to #vector.kind<add> : vector<4xf32>", "iree_vector_ext.to_layout %v to layout(#layout) : vector<...>",
     f"%r = iree_vector_ext.to_layout %v to layout({LAYOUT % KEYS}) : vector<4xf32>"),
    ("%r = iree_vector_ext.to_layout %v to layout(#iree_vector_ext.nested_layout<[1], [1], [1], [4], [1], [0], [1]>) : vector<4xf32>",
     "#iree_vector_ext.nested_layout<subgroup_tile = [...], ", f"%r = iree_vector_ext.to_layout %v to layout({LAYOUT % KEYS}) : vector<4xf32>"),
    ("%r = vector.splat %x : vector<4xf32>", "vector.broadcast %x : T to vector<NxT>", "%r = vector.broadcast %x : f32 to vector<4xf32>"),
    ("%r = math.abs %x : f32", "math.absf", "%r = math.absf %x : f32"),
    ("%r = linalg.init_tensor [4] : tensor<4xf32>", "tensor.empty() : tensor<...>", "%r = tensor.empty() : tensor<4xf32>"),
    ("%r = linalg.fill(%x, %t) : f32, tensor<4xf32> -> tensor<4xf32>", "linalg.fill ins(%x : T) outs(%t : tensor<...>)", "%r = linalg.fill ins(%x : f32) outs(%t : tensor<4xf32>) -> tensor<4xf32>"),
    ("%r = subtensor %t[0] [2] [1] : tensor<4xf32> to tensor<2xf32>", "tensor.extract_slice", "%r = tensor.extract_slice %t[0] [2] [1] : tensor<4xf32> to tensor<2xf32>"),
    ("%r = subtensor_insert %t into %t[0] [4] [1] : tensor<4xf32> into tensor<4xf32>", "tensor.insert_slice", "%r = tensor.insert_slice %t into %t[0] [4] [1] : tensor<4xf32> into tensor<4xf32>"),
    ("%r = memref.tensor_load %b : memref<4xf32>", "bufferization.to_tensor", "%r = bufferization.to_tensor %b : memref<4xf32> to tensor<4xf32>"),
    ("%r = bufferization.to_memref %t : memref<4xf32>", "bufferization.to_buffer", "%r = bufferization.to_buffer %t : tensor<4xf32> to memref<4xf32>"),
    ("%r = constant 1.0 : f32", "arith.constant", "%r = arith.constant 1.0 : f32"),
    ("%r = addf %x, %x : f32", "arith.addf", "%r = arith.addf %x, %x : f32"),
    ("%r = alloc() : memref<4xf32>", "memref.alloc", "%r = memref.alloc() : memref<4xf32>"),
    ("%r = load %b[%i] : memref<4xf32>", "memref.load", "%r = memref.load %b[%i] : memref<4xf32>"),
    ("%r = \"gpu.block_id\"() {dimension = \"y\"} : () -> index", "gpu.block_id x", "%r = gpu.block_id y"),
    ("%r = \"gpu.thread_id\"() {dimension = \"x\"} : () -> index", "gpu.thread_id x", "%r = gpu.thread_id x"),
    (SHUFFLE % ("", " xor"), "gpu.shuffle xor %x, %offset, %width : T", SHUFFLE % ("xor ", "")),
    ("%r = scf.foreach_thread (%j) in (4) shared_outs(%o = %t) -> tensor<4xf32> {", "scf.forall", None),
    (f"%r = amdgpu.mfma %x * %x + %v {{blocks = 1 : i32, k = 4 : i32, m = 16 : i32, n = 16 : i32}} {MFMA}", "amdgpu.mfma MxNxK %a * %b + %c", f"%r = amdgpu.mfma 16x16x4 %x * %x + %v {MFMA}"),
    ("%r = amdgpu.wmma %h * %h + %w : vector<16xf16>, vector<16xf16>, vector<8xf32>", "amdgpu.wmma MxNxK %a * %b + %c", "%r = amdgpu.wmma 16x16x16 %h * %h + %w : vector<16xf16>, vector<16xf16>, vector<8xf32>"),
    ("%r = iree_vector_ext.layout_conflict_resolution %v {sourceLayout = 1, desiredLayout = 1} : vector<4xf32> -> vector<4xf32>", "iree_vector_ext.to_layout %v to layout(#layout) : vector<...>", None),
    ("%r = iree_vector_ext.to_layout %v to layout(#iree_vector_ext.layout<[[VECTORX], [4]]>) : vector<4xf32>", "#iree_vector_ext.nested_layout", None),
    ("%r = iree_gpu.multi_mma %v, %v, %v : vector<4xf32>", "iree_codegen.inner_tiled", None),
    ("vector.warp_execute_on_lane_0(%i)[32] {", "gpu.warp_execute_on_lane_0", None),
] + [(f"%r = iree_vector_ext.to_layout %v to layout({LAYOUT % (*KEYS[:i], old, *KEYS[i + 1:])}) : vector<4xf32>", KEYS[i],
      f"%r = iree_vector_ext.to_layout %v to layout({LAYOUT % KEYS}) : vector<4xf32>")
     for i, old in enumerate(("subgroups_per_workgroup", "batches_per_subgroup", "outers_per_batch", "threads_per_outer", "elements_per_thread"))]
ARGUMENTS = ("%x: f32, %i: index, %i32: i32, %v: vector<4xf32>, %m: vector<4x4xf32>, %h: vector<16xf16>, %w: vector<8xf32>, %t: tensor<4xf32>, "
             "%b: memref<4xf32>, %u: tensor<4x4xf32>, %p: tensor<2x2x2x2xf32>")
# Errors that no old spelling explains, though such words are near.
OTHERS = ["%maxf = arith.addf %x, %y : f32", "%r = arith.addf %x, %x : f16 // maxf", "%r = vector.extract %m[1] : vector<3xf32> from vector<4x4xf32>",
          "%r = arith.maximumf %x, %x : f16", "%r = vector.insert %x, %v[1] : f16 into vector<4xf32>", "%r = linalg.pack %u into %p : f32"]


def parse(name, lines, function="func.func"):
    """A module with a function for each line."""
    path = OUT / f"{name}.mlir"
    path.write_text("".join(f"{function} @f{number}({ARGUMENTS}) {{\n  {line}\n  return\n}}\n" for number, line in enumerate(lines)))
    return fork_server.run(["distaff", "compile", str(path)], 60)


def spellings_of_parts():
    """Of a file with a part per old spelling: the lines and words of the notes of distaff-opt."""
    path = OUT / "parts.mlir"
    parts = [f"func.func @f({ARGUMENTS}) {{\n  {old}\n  return\n}}\n" for old, _, _ in LINES if not old.endswith("{")]
    path.write_text("// -----\n".join(parts))
    done = fork_server.run(["distaff-opt", "--split-input-file", str(path)], 60)
    notes = re.findall(r":(\d+):\d+: note: earlier versions wrote `[^`]+`; today that is `(.*)`$", done.stderr, re.M)
    expected = [today for old, today, _ in LINES if not old.endswith("{")]
    assert done.returncode == 1 and len(notes) == len(expected), done.stderr
    for number, ((line, found), today) in enumerate(zip(notes, expected)):
        assert int(line) == 5 * number + 2 and found.startswith(today), (line, found, today)


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    done = parse("today", [new for _, _, new in LINES if new])
    assert done.returncode == 0, done.stderr
    for number, (old, today, _) in enumerate(depth.some(LINES, 4)):
        done = parse(number, [old])
        assert done.returncode == 1 and re.search(r":2:\d+: note: earlier versions wrote `[^`]+`; today that is `" + re.escape(today) + "`", done.stderr), f"{old}\n{done.stderr}"
        assert done.stderr.count("note: ") == 1, done.stderr
    spellings_of_parts()
    done = parse("function", [""], "func")
    assert done.returncode == 1 and "today that is `func.func`" in done.stderr, done.stderr
    for number, (line, passes) in enumerate((("%r = llvm.load %p <alignment = 4> : !llvm.ptr<1> -> f32", "ConvertToNVVMPass, or ConvertToROCDLPass"),
                                            ("%r = rocdl.make.buffer.rsrc %x, %i32, %i32, %i32 : <1>, i32 to <7>", "ConvertToROCDLPass"))):
        done = parse(f"later_{number}", [line])
        assert done.returncode == 1 and f"` so; give the dispatch as it is dumped before `{passes}`" in done.stderr, done.stderr
    for number, line in enumerate(OTHERS):
        done = parse(f"other_{number}", [line])
        assert done.returncode == 1 and "error: " in done.stderr and "earlier versions" not in done.stderr, done.stderr


main()
