"""Kernels of vectors that no registers hold, on this CPU and at every stage, compared with
the reference: what shares a loop, what has to be kept, and what control flow carries (VX-119).

    python3 large_vectors.py OUT_DIR [--only NAME] [--distaff PATH] [--strict-fp]
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import suite


def read(name, array, memref, vector, at="%c0, %c0", more=""):
    return f"%{name} = vector.transfer_read {array}[{at}], %z{more} {{in_bounds = [{', '.join(['true'] * vector.count('x'))}]}} : memref<{memref}>, vector<{vector}>"


def write(value, array, memref, vector, at="%c0, %c0"):
    return f"vector.transfer_write {value}, {array}[{at}] {{in_bounds = [{', '.join(['true'] * vector.count('x'))}]}} : vector<{vector}>, memref<{memref}>"


V, R = "64x48xf32", "64xf32"
MATMUL = ('{indexing_maps = [affine_map<(m,n,k)->(m,k)>, affine_map<(m,n,k)->(k,n)>, affine_map<(m,n,k)->(m,n)>], '
          'iterator_types = ["parallel","parallel","reduction"], kind = #vector.kind<add>}')
MATMUL_NT = MATMUL.replace("(k,n)", "(n,k)")
A, B = read("a", "%A", V, V), read("b", "%B", V, V)
KERNELS = {
    # name: (arguments, body)
    "two_results": ([V, V, V, V], [A, B, f"%s = arith.addf %a, %b : vector<{V}>", f"%d = arith.subf %a, %b : vector<{V}>", write("%s", "%C", V, V), write("%d", "%D", V, V)]),
    "in_place": ([V, V], [A, B, f"%s = arith.addf %a, %b : vector<{V}>", write("%s", "%A", V, V)]),
    "swap": ([V, V], [A, B, write("%b", "%A", V, V), write("%a", "%B", V, V)]),
    "read_before_write": ([V, V, V], [A, B, write("%b", "%A", V, V), f"%s = arith.addf %a, %b : vector<{V}>", write("%s", "%C", V, V)]),
    "read_after_write": ([V, V, V], [B, write("%b", "%A", V, V), A, f"%s = arith.addf %a, %b : vector<{V}>", write("%s", "%C", V, V)]),
    "shifted_in_place": (["64x49xf32"], [
        read("a", "%A", "64x49xf32", "64x49xf32"),
        "%s = vector.extract_strided_slice %a {offsets = [0, 1], sizes = [64, 48], strides = [1, 1]} : vector<64x49xf32> to vector<64x48xf32>",
        write("%s", "%A", "64x49xf32", V)]),
    "rows_moved_down": (["65x48xf32"], [read("a", "%A", "65x48xf32", V), write("%a", "%A", "65x48xf32", V, "%c1, %c0")]),
    "transposed_in_place": (["64x64xf32"], [
        read("a", "%A", "64x64xf32", "64x64xf32"), "%t = vector.transpose %a, [1, 0] : vector<64x64xf32> to vector<64x64xf32>", write("%t", "%A", "64x64xf32", "64x64xf32")]),
    "softmax": ([V, V], [
        A, f"%low = arith.constant dense<0xFF800000> : vector<{R}>", f"%none = arith.constant dense<0.0> : vector<{R}>",
        f"%m = vector.multi_reduction <maximumf>, %a, %low [1] : vector<{V}> to vector<{R}>", f"%mb = vector.broadcast %m : vector<{R}> to vector<48x64xf32>",
        f"%mt = vector.transpose %mb, [1, 0] : vector<48x64xf32> to vector<{V}>", f"%d = arith.subf %a, %mt : vector<{V}>", f"%e = math.exp %d : vector<{V}>",
        f"%s = vector.multi_reduction <add>, %e, %none [1] : vector<{V}> to vector<{R}>", f"%sb = vector.broadcast %s : vector<{R}> to vector<48x64xf32>",
        f"%st = vector.transpose %sb, [1, 0] : vector<48x64xf32> to vector<{V}>", f"%r = arith.divf %e, %st : vector<{V}>", write("%r", "%B", V, V)]),
    "sums_both_ways": ([V, R, "48xf32"], [
        A, f"%n = arith.constant dense<0.0> : vector<{R}>", "%n2 = arith.constant dense<1.0> : vector<48xf32>",
        f"%rows = vector.multi_reduction <add>, %a, %n [1] : vector<{V}> to vector<{R}>", f"%columns = vector.multi_reduction <add>, %a, %n2 [0] : vector<{V}> to vector<48xf32>",
        write("%rows", "%B", R, R, "%c0"), write("%columns", "%C", "48xf32", "48xf32", "%c0")]),
    "centred": ([V, V], [
        A, "%n = arith.constant 0.0 : f32", f"%s = vector.multi_reduction <add>, %a, %n [0, 1] : vector<{V}> to f32", "%h = arith.constant 0.0003 : f32", "%m = arith.mulf %s, %h : f32",
        f"%mb = vector.broadcast %m : f32 to vector<{V}>", f"%r = arith.subf %a, %mb : vector<{V}>", write("%r", "%B", V, V)]),
    "matmul": (["64x64xf32"] * 3, [
        read("a", "%A", "64x64xf32", "64x64xf32"), read("b", "%B", "64x64xf32", "64x64xf32"), read("c", "%C", "64x64xf32", "64x64xf32"),
        f"%r = vector.contract {MATMUL} %a, %b, %c : vector<64x64xf32>, vector<64x64xf32> into vector<64x64xf32>", write("%r", "%C", "64x64xf32", "64x64xf32")]),
    "matmul_ragged": (["50x37xf32", "37x45xf32", "50x45xf32"], [
        read("a", "%A", "50x37xf32", "50x37xf32"), read("b", "%B", "37x45xf32", "37x45xf32"), read("c", "%C", "50x45xf32", "50x45xf32"),
        f"%r = vector.contract {MATMUL} %a, %b, %c : vector<50x37xf32>, vector<37x45xf32> into vector<50x45xf32>", write("%r", "%C", "50x45xf32", "50x45xf32")]),
    "matmul_nt": (["64x64xf32"] * 3, [
        read("a", "%A", "64x64xf32", "64x64xf32"), read("b", "%B", "64x64xf32", "64x64xf32"), read("c", "%C", "64x64xf32", "64x64xf32"),
        f"%r = vector.contract {MATMUL_NT} %a, %b, %c : vector<64x64xf32>, vector<64x64xf32> into vector<64x64xf32>", write("%r", "%C", "64x64xf32", "64x64xf32")]),
    "shortest_paths": (["40x50xf32", "50x48xf32", "40x48xf32", "index"], [
        read("a", "%A", "40x50xf32", "40x50xf32"), read("b", "%B", "50x48xf32", "50x48xf32"), read("c", "%C", "40x48xf32", "40x48xf32"),
        "%c30 = arith.constant 30 : index", "%k = vector.create_mask %c30, %D, %D : vector<40x48x50xi1>",
        f"%r = distaff.contract <minimumf, add> {MATMUL.rpartition(', kind')[0]}}} %a, %b, %c mask %k : vector<40x50xf32>, vector<50x48xf32>, vector<40x48x50xi1> into vector<40x48xf32>",
        write("%r", "%C", "40x48xf32", "40x48xf32")]),
    "short_rows": (["700x3xf32", "700x3xf32"], [read("a", "%A", "700x3xf32", "700x3xf32"), "%s = arith.mulf %a, %a : vector<700x3xf32>", write("%s", "%B", "700x3xf32", "700x3xf32")]),
    "two_products": (["48x48xf32"] * 4, [
        *[read(n, f"%{n.upper()}", "48x48xf32", "48x48xf32") for n in "abc"], "%n = arith.constant dense<0.0> : vector<48x48xf32>",
        f"%p = vector.contract {MATMUL} %a, %b, %n : vector<48x48xf32>, vector<48x48xf32> into vector<48x48xf32>", "%q = arith.maximumf %p, %n : vector<48x48xf32>",
        f"%r = vector.contract {MATMUL} %q, %c, %p : vector<48x48xf32>, vector<48x48xf32> into vector<48x48xf32>", write("%r", "%D", "48x48xf32", "48x48xf32")]),
    "attention": (["32x32xf32", "48x32xf32", "48x32xf32", "32x32xf32"], [
        read("q", "%A", "32x32xf32", "32x32xf32"), read("k", "%B", "48x32xf32", "48x32xf32"), read("v", "%C", "48x32xf32", "48x32xf32"),
        "%n = arith.constant dense<0.0> : vector<32x48xf32>", "%o = arith.constant dense<0.0> : vector<32x32xf32>", "%low = arith.constant dense<0xFF800000> : vector<32xf32>",
        "%none = arith.constant dense<0.0> : vector<32xf32>",
        f"%s = vector.contract {MATMUL_NT} %q, %k, %n : vector<32x32xf32>, vector<48x32xf32> into vector<32x48xf32>",
        "%m = vector.multi_reduction <maximumf>, %s, %low [1] : vector<32x48xf32> to vector<32xf32>", "%mb = vector.broadcast %m : vector<32xf32> to vector<48x32xf32>",
        "%mt = vector.transpose %mb, [1, 0] : vector<48x32xf32> to vector<32x48xf32>", "%d = arith.subf %s, %mt : vector<32x48xf32>", "%e = math.exp %d : vector<32x48xf32>",
        "%l = vector.multi_reduction <add>, %e, %none [1] : vector<32x48xf32> to vector<32xf32>", "%lb = vector.broadcast %l : vector<32xf32> to vector<48x32xf32>",
        "%lt = vector.transpose %lb, [1, 0] : vector<48x32xf32> to vector<32x48xf32>", "%p = arith.divf %e, %lt : vector<32x48xf32>",
        f"%r = vector.contract {MATMUL} %p, %v, %o : vector<32x48xf32>, vector<48x32xf32> into vector<32x32xf32>", write("%r", "%D", "32x32xf32", "32x32xf32")]),
    "carried_product": (["64x96xf32", "96x64xf32", "64x64xf32"], [
        "%n = arith.constant dense<0.0> : vector<64x64xf32>", "%c96 = arith.constant 96 : index", "%c32 = arith.constant 32 : index",
        "%r = scf.for %i = %c0 to %c96 step %c32 iter_args(%acc = %n) -> (vector<64x64xf32>) {",
        read("a", "%A", "64x96xf32", "64x32xf32", "%c0, %i"), read("b", "%B", "96x64xf32", "32x64xf32", "%i, %c0"),
        f"%p = vector.contract {MATMUL} %a, %b, %acc : vector<64x32xf32>, vector<32x64xf32> into vector<64x64xf32>", "scf.yield %p : vector<64x64xf32>", "}",
        write("%r", "%C", "64x64xf32", "64x64xf32")]),
    "carried_swap": ([V, V, V, V, "index"], [
        A, B, f"%r:2 = scf.for %i = %c0 to %E step %c1 iter_args(%x = %a, %y = %b) -> (vector<{V}>, vector<{V}>) {{", f"%s = arith.addf %x, %y : vector<{V}>",
        f"scf.yield %y, %s : vector<{V}>, vector<{V}>", "}", write("%r#0", "%C", V, V), write("%r#1", "%D", V, V)]),
    "chosen": ([V, V, V, "index"], [
        A, B, "%t = arith.cmpi eq, %D, %c1 : index", f"%r = scf.if %t -> (vector<{V}>) {{", f"%s = arith.addf %a, %b : vector<{V}>", f"scf.yield %s : vector<{V}>", "} else {",
        f"scf.yield %a : vector<{V}>", "}", write("%r", "%C", V, V)]),
    "switched": ([V, V, V, "index"], [
        A, B, f"%r:2 = scf.index_switch %D -> vector<{V}>, index", "case 0 {", f"scf.yield %a, %c0 : vector<{V}>, index", "}", "case 1 {", f"%s = arith.mulf %a, %b : vector<{V}>",
        f"scf.yield %s, %c1 : vector<{V}>, index", "}", "default {", f"scf.yield %b, %c0 : vector<{V}>, index", "}", write("%r#0", "%C", V, V)]),
    "while": ([V, V, V, "index"], [
        A, B, f"%r:2 = scf.while (%x = %a, %i = %c0) : (vector<{V}>, index) -> (vector<{V}>, index) {{", "%t = arith.cmpi slt, %i, %D : index", f"%s = arith.addf %x, %b : vector<{V}>",
        f"scf.condition(%t) %s, %i : vector<{V}>, index", "} do {", f"^bb0(%y: vector<{V}>, %j: index):", f"%u = arith.subf %y, %a : vector<{V}>", "%n = arith.addi %j, %c1 : index",
        f"scf.yield %u, %n : vector<{V}>, index", "}", write("%r#0", "%C", V, V)]),
    "gathered": (["4096xf32", "64x48xindex", V, V], [
        "%ind = vector.transfer_read %B[%c0, %c0], %c0 {in_bounds = [true, true]} : memref<64x48xindex>, vector<64x48xindex>", read("p", "%C", V, V),
        f"%t = arith.constant dense<0.1> : vector<{V}>", f"%m = arith.cmpf ogt, %p, %t : vector<{V}>",
        f"%g = vector.gather %A[%c0] [%ind], %m, %p : memref<4096xf32>, vector<64x48xindex>, vector<64x48xi1>, vector<{V}> into vector<{V}>", write("%g", "%D", V, V)]),
    # VX-209: rows that an index vector names, under a mask of columns; and elements that a turned matrix of places names.
    "gathered_rows": (["200x70xf32", "64xindex", "48xf32", V], [
        "%ind = vector.transfer_read %B[%c0], %c0 {in_bounds = [true]} : memref<64xindex>, vector<64xindex>", read("p", "%C", "48xf32", "48xf32", "%c0"),
        "%t = arith.constant dense<0.1> : vector<48xf32>", "%m = arith.cmpf ogt, %p, %t : vector<48xf32>", "%pad = arith.constant 0.75 : f32", "%c5 = arith.constant 5 : index",
        "%g = iree_vector_ext.transfer_gather %A[%c0, %c5] [%ind : vector<64xindex>], %pad, %m {indexing_maps = [affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0, d1)[s0] -> (d0)>, "
        f"affine_map<(d0, d1)[s0] -> (d1)>]}} : memref<200x70xf32>, vector<{V}>, vector<48xi1>", write("%g", "%D", V, V)]),
    "gathered_turned": (["60x150xf32", "48x64xindex", V, V], [
        "%ind = vector.transfer_read %B[%c0, %c0], %c0 {in_bounds = [true, true]} : memref<48x64xindex>, vector<48x64xindex>", "%pad = arith.constant 0.75 : f32", "%c20 = arith.constant 20 : index",
        "%g = iree_vector_ext.transfer_gather %A[%c20, %c0] [%ind : vector<48x64xindex>], %pad {indexing_maps = [affine_map<(d0, d1)[s0] -> (d1, s0)>, affine_map<(d0, d1)[s0] -> (d1, d0)>], "
        f"in_bounds = [true, false]}} : memref<60x150xf32>, vector<{V}>", read("p", "%C", V, V), f"%r = arith.addf %g, %p : vector<{V}>", write("%r", "%D", V, V)]),
    # VX-247: neighbours along three dims and four, in registers and at places of their own.
    "turned_boxes": (["9x20x17xf32", "17x9x20xf32", "20x17x9xf32"], [
        *(read(name, f"%{name.upper()}", shape, shape, "%c0, %c0, %c0") for name, shape in (("a", "9x20x17xf32"), ("b", "17x9x20xf32"))),
        "%t = vector.transpose %a, [1, 2, 0] : vector<9x20x17xf32> to vector<20x17x9xf32>", "%u = vector.transpose %b, [2, 0, 1] : vector<17x9x20xf32> to vector<20x17x9xf32>",
        "%s = arith.subf %t, %u : vector<20x17x9xf32>", write("%s", "%C", "20x17x9xf32", "20x17x9xf32", "%c0, %c0, %c0")]),
    "turned_four": (["3x20x9x17xf32", "17x3x20x9xf32", "20x9x17x3xf32"], [
        *(read(name, f"%{name.upper()}", shape, shape, "%c0, %c0, %c0, %c0") for name, shape in (("a", "3x20x9x17xf32"), ("b", "17x3x20x9xf32"))),
        "%t = vector.transpose %a, [1, 2, 3, 0] : vector<3x20x9x17xf32> to vector<20x9x17x3xf32>", "%u = vector.transpose %b, [2, 3, 0, 1] : vector<17x3x20x9xf32> to vector<20x9x17x3xf32>",
        "%s = arith.subf %t, %u : vector<20x9x17x3xf32>", write("%s", "%C", "20x9x17x3xf32", "20x9x17x3xf32", "%c0, %c0, %c0, %c0")]),
    "gathered_boxes": (["40x30xf32", "17x9x20xindex", "20x17x9xindex", "9x20x17xf32"], [
        *(f"%{name} = vector.transfer_read %{name.upper()}[%c0, %c0, %c0], %c0 {{in_bounds = [true, true, true]}} : memref<{shape}>, vector<{shape}>"
          for name, shape in (("b", "17x9x20xindex"), ("c", "20x17x9xindex"))), "%pad = arith.constant 0.75 : f32",
        "%g = iree_vector_ext.transfer_gather %A[%c0, %c0] [%b, %c : vector<17x9x20xindex>, vector<20x17x9xindex>], %pad {indexing_maps = [affine_map<(d0, d1, d2)[s0, s1] -> (s0, s1)>, "
        "affine_map<(d0, d1, d2)[s0, s1] -> (d2, d0, d1)>, affine_map<(d0, d1, d2)[s0, s1] -> (d1, d2, d0)>]} : memref<40x30xf32>, vector<9x20x17xf32>",
        write("%g", "%D", "9x20x17xf32", "9x20x17xf32", "%c0, %c0, %c0")]),
    "scattered": (["3000xf32", "1200xindex", "1200xf32"], [
        "%ind = vector.transfer_read %B[%c0], %c0 {in_bounds = [true]} : memref<1200xindex>, vector<1200xindex>", read("p", "%C", "1200xf32", "1200xf32", "%c0"),
        "%t = arith.constant dense<0.1> : vector<1200xf32>", "%m = arith.cmpf ogt, %p, %t : vector<1200xf32>", "%q = arith.mulf %p, %p : vector<1200xf32>",
        "vector.scatter %A[%c0] [%ind], %m, %q : memref<3000xf32>, vector<1200xindex>, vector<1200xi1>, vector<1200xf32>"]),
    "dynamic_masked": (["?x?xf32", "?x?xf32"], [
        "%m = memref.dim %A, %c0 : memref<?x?xf32>", "%n = memref.dim %A, %c1 : memref<?x?xf32>", f"%k = vector.create_mask %m, %n : vector<64x48xi1>",
        f"%a = vector.transfer_read %A[%c0, %c0], %z, %k {{in_bounds = [true, true]}} : memref<?x?xf32>, vector<{V}>", f"%e = math.exp %a : vector<{V}>",
        f"vector.transfer_write %e, %B[%c0, %c0], %k {{in_bounds = [true, true]}} : vector<{V}>, memref<?x?xf32>"]),
    "padded": (["?x?xf32", V], [
        f"%a = vector.transfer_read %A[%c0, %c0], %z {{in_bounds = [false, false]}} : memref<?x?xf32>, vector<{V}>", f"%e = arith.addf %a, %a : vector<{V}>", write("%e", "%B", V, V)]),
    "mask_kept": ([V, V], [
        A, B, f"%t = arith.constant dense<0.0> : vector<{V}>", f"%m = arith.cmpf ogt, %a, %t : vector<{V}>", write("%b", "%A", V, V),
        f"%s = arith.select %m, %b, %t : vector<{V}xi1>, vector<{V}>".replace("xf32xi1", "xi1"), write("%s", "%B", V, V)]),
    "carried_mask": ([V, V, "index"], [
        A, f"%t = arith.constant dense<0.0> : vector<{V}>", f"%m = arith.cmpf ogt, %a, %t : vector<{V}>",
        "%r = scf.for %i = %c0 to %C step %c1 iter_args(%x = %m) -> (vector<64x48xi1>) {", "%y = arith.xori %x, %m : vector<64x48xi1>", "scf.yield %y : vector<64x48xi1>", "}",
        f"%s = arith.select %r, %a, %t : vector<64x48xi1>, vector<{V}>", write("%s", "%B", V, V)]),
    "table": ([V, V], [
        A, f"%t = arith.constant dense<[{', '.join('[' + ', '.join(f'{(7 * i + 3 * j) % 11}.0' for j in range(48)) + ']' for i in range(64))}]> : vector<{V}>",
        f"%s = arith.mulf %a, %t : vector<{V}>", write("%s", "%B", V, V)]),
    "inserted": ([V, "16x8xf32", "48xf32", V], [
        A, read("b", "%B", "16x8xf32", "16x8xf32"), read("c", "%C", "48xf32", "48xf32", "%c0"),
        f"%i = vector.insert_strided_slice %b, %a {{offsets = [3, 5], strides = [1, 1]}} : vector<16x8xf32> into vector<{V}>",
        f"%j = vector.insert %c, %i [7] : vector<48xf32> into vector<{V}>", f"%k = vector.insert %z, %j [63, 47] : f32 into vector<{V}>", write("%k", "%D", V, V)]),
    "inserted_in_a_loop": ([V, "48xf32", f"4x{V}"], [  # into the vector as it was before the loop, each time
        A, read("b", "%B", "48xf32", "48xf32", "%c0"), "%c4 = arith.constant 4 : index", f"%i = vector.insert %b, %a [7] : vector<48xf32> into vector<{V}>",
        "scf.for %n = %c0 to %c4 step %c1 {", f"%j = vector.insert %b, %i [%n] : vector<48xf32> into vector<{V}>", write("%j", "%C", f"4x{V}", V, "%n, %c0, %c0"), "}"]),
    "masked_sums": ([V, R, R, "index"], [  # and maxima, where whole rows may be masked
        A, "%c30 = arith.constant 30 : index", "%m = vector.create_mask %D, %c30 : vector<64x48xi1>", read("b", "%B", R, R, "%c0"),
        f"%s = vector.mask %m {{ vector.multi_reduction <add>, %a, %b [1] : vector<{V}> to vector<{R}> }} : vector<64x48xi1> -> vector<{R}>",
        f"%x = vector.mask %m {{ vector.multi_reduction <maxnumf>, %a, %s [1] : vector<{V}> to vector<{R}> }} : vector<64x48xi1> -> vector<{R}>",
        write("%x", "%C", R, R, "%c0")]),
    "cast": ([V, "96x32xf32"], [A, f"%s = arith.addf %a, %a : vector<{V}>", f"%k = vector.shape_cast %s : vector<{V}> to vector<96x32xf32>", write("%k", "%B", "96x32xf32", "96x32xf32")]),
    "scanned": ([V, R, V, R], [
        A, read("b", "%B", R, R, "%c0"), f"%s:2 = vector.scan <add>, %a, %b {{inclusive = false, reduction_dim = 1 : i64}} : vector<{V}>, vector<{R}>", write("%s#0", "%C", V, V),
        write("%s#1", "%D", R, R, "%c0")]),
    "interleaved": ([V, V, "64x96xf32"], [
        A, B, f"%e = math.exp %a : vector<{V}>", f"%i = vector.interleave %e, %b : vector<{V}> -> vector<64x96xf32>", write("%i", "%C", "64x96xf32", "64x96xf32")]),
    "interleaved_odd": ([V, V, "64x91xf32"], [  # which begins and ends within a pair
        A, B, f"%i = vector.interleave %a, %b : vector<{V}> -> vector<64x96xf32>",
        "%s = vector.extract_strided_slice %i {offsets = [0, 3], sizes = [64, 91], strides = [1, 1]} : vector<64x96xf32> to vector<64x91xf32>", write("%s", "%C", "64x91xf32", "64x91xf32")]),
    "interleaved_element": (["1200xf32", "1200xf32", "index", "2xf32"], [  # of a pair that nobody knows
        read("a", "%A", "1200xf32", "1200xf32", "%c0"), read("b", "%B", "1200xf32", "1200xf32", "%c0"), "%i = vector.interleave %a, %b : vector<1200xf32> -> vector<2400xf32>",
        "%e = vector.extract %i[%C] : f32 from vector<2400xf32>", "memref.store %e, %D[%c1] : memref<2xf32>", "memref.store %z, %D[%c0] : memref<2xf32>"]),
    "deinterleaved": ([V, "64x24xf32", "64x24xf32"], [
        A, f"%e, %o = vector.deinterleave %a : vector<{V}> -> vector<64x24xf32>", "%s = arith.subf %o, %e : vector<64x24xf32>", write("%e", "%B", "64x24xf32", "64x24xf32"),
        write("%s", "%C", "64x24xf32", "64x24xf32")]),
    "deinterleaved_in_place": ([V], [  # the halves one behind the other, where both were
        A, f"%e, %o = vector.deinterleave %a : vector<{V}> -> vector<64x24xf32>", write("%e", "%A", V, "64x24xf32"), "%c24 = arith.constant 24 : index",
        write("%o", "%A", V, "64x24xf32", "%c0, %c24")]),
    "deinterleaved_rows": ([V, R, R], [
        A, f"%e, %o = vector.deinterleave %a : vector<{V}> -> vector<64x24xf32>", f"%n = arith.constant dense<0.0> : vector<{R}>",
        f"%s = vector.multi_reduction <add>, %e, %n [1] : vector<64x24xf32> to vector<{R}>", f"%m = vector.multi_reduction <maximumf>, %o, %n [1] : vector<64x24xf32> to vector<{R}>",
        write("%s", "%B", R, R, "%c0"), write("%m", "%C", R, R, "%c0")]),
    "bits": ([V, "64x192xi8"], [A, f"%b = vector.bitcast %a : vector<{V}> to vector<64x192xi8>", write("%b", "%B", "64x192xi8", "64x192xi8")]),
    "bits_odd": ([V, "64x75xi16"], [
        A, f"%b = vector.bitcast %a : vector<{V}> to vector<64x96xi16>",
        "%s = vector.extract_strided_slice %b {offsets = [0, 7], sizes = [64, 75], strides = [1, 1]} : vector<64x96xi16> to vector<64x75xi16>", write("%s", "%B", "64x75xi16", "64x75xi16")]),
    "bits_together": (["64x192xi8", V], [
        "%zero = arith.constant 0 : i8", "%a = vector.transfer_read %A[%c0, %c0], %zero {in_bounds = [true, true]} : memref<64x192xi8>, vector<64x192xi8>",
        f"%b = vector.bitcast %a : vector<64x192xi8> to vector<{V}>", write("%b", "%B", V, V)]),
    "bits_of_three_bytes": (["900xi32", "900xi32"], [
        "%a = vector.transfer_read %A[%c0], %i0 {in_bounds = [true]} : memref<900xi32>, vector<900xi32>", "%b = vector.bitcast %a : vector<900xi32> to vector<1200xi24>",
        "%s = arith.addi %b, %b : vector<1200xi24>", "%r = vector.bitcast %s : vector<1200xi24> to vector<900xi32>",
        "vector.transfer_write %r, %B[%c0] {in_bounds = [true]} : vector<900xi32>, memref<900xi32>"]),
    "interleaved_scalars": (["f32", "f32", "700x2xf32"], [
        "%x = vector.transfer_read %A[], %z : memref<f32>, vector<f32>", "%y = vector.transfer_read %B[], %z : memref<f32>, vector<f32>",
        "%i = vector.interleave %x, %y : vector<f32> -> vector<2xf32>", "%r = vector.broadcast %i : vector<2xf32> to vector<700x2xf32>", write("%r", "%C", "700x2xf32", "700x2xf32")]),
    "scanned_row": (["6001xf32", "f32", "6001xf32", "f32", "6001xf32"], [
        read("a", "%A", "6001xf32", "6001xf32", "%c0"), "%b = vector.transfer_read %B[], %z : memref<f32>, vector<f32>",
        "%s:2 = vector.scan <add>, %a, %b {inclusive = false, reduction_dim = 0 : i64} : vector<6001xf32>, vector<f32>", write("%s#0", "%C", "6001xf32", "6001xf32", "%c0"),
        "%m:2 = vector.scan <maximumf>, %a, %b {inclusive = true, reduction_dim = 0 : i64} : vector<6001xf32>, vector<f32>", write("%m#0", "%E", "6001xf32", "6001xf32", "%c0"),
        "vector.transfer_write %s#1, %D[] : vector<f32>, memref<f32>"]),
    "outer_maximum": (["90xf32", "88xf32", "90x88xf32"], [
        read("a", "%A", "90xf32", "90xf32", "%c0"), read("b", "%B", "88xf32", "88xf32", "%c0"), read("c", "%C", "90x88xf32", "90x88xf32"),
        "%r = vector.outerproduct %a, %b, %c {kind = #vector.kind<maximumf>} : vector<90xf32>, vector<88xf32>", write("%r", "%C", "90x88xf32", "90x88xf32")]),
    "carries": (["64x48xi32", "64x48xi32", "64x48xi32"], [  # two results of an elementwise op
        *(f"%{n} = vector.transfer_read %{n.upper()}[%c0, %c0], %i0 {{in_bounds = [true, true]}} : memref<64x48xi32>, vector<64x48xi32>" for n in "ab"),
        "%l, %h = arith.mulsi_extended %a, %b : vector<64x48xi32>", "%x = arith.xori %l, %h : vector<64x48xi32>", write("%x", "%C", "64x48xi32", "64x48xi32")]),
    "scanned_on_heap": (["400x400xf32"] * 2, [  # 640000 bytes, more than the stack has
        read("a", "%A", "400x400xf32", "400x400xf32"), "%e = math.exp %a : vector<400x400xf32>", "%n = arith.constant dense<0.0> : vector<400xf32>",
        "%s:2 = vector.scan <add>, %e, %n {inclusive = true, reduction_dim = 0 : i64} : vector<400x400xf32>, vector<400xf32>", write("%s#0", "%B", "400x400xf32", "400x400xf32")]),
    "compressed": (["1203xf32", "1203xf32", "1300xf32"], [  # the rest of the array stays what it is
        read("a", "%A", "1203xf32", "1203xf32", "%c0"), read("b", "%B", "1203xf32", "1203xf32", "%c0"), "%t = arith.constant dense<0.3> : vector<1203xf32>",
        "%m = arith.cmpf ogt, %a, %t : vector<1203xf32>", "vector.compressstore %C[%c1], %m, %b : memref<1300xf32>, vector<1203xi1>, vector<1203xf32>"]),
    "compressed_in_place": (["2000xf32"], [
        read("a", "%A", "2000xf32", "2000xf32", "%c0"), "%t = arith.constant dense<0.3> : vector<2000xf32>", "%m = arith.cmpf olt, %a, %t : vector<2000xf32>",
        "%s = arith.addf %a, %a : vector<2000xf32>", "vector.compressstore %A[%c0], %m, %s : memref<2000xf32>, vector<2000xi1>, vector<2000xf32>"]),
    "expanded": (["1203xf32", "1300xf32", "1203xf32"], [
        read("a", "%A", "1203xf32", "1203xf32", "%c0"), "%t = arith.constant dense<0.3> : vector<1203xf32>", "%m = arith.cmpf ogt, %a, %t : vector<1203xf32>",
        "%e = vector.expandload %B[%c1], %m, %a : memref<1300xf32>, vector<1203xi1>, vector<1203xf32> into vector<1203xf32>", "%s = arith.addf %e, %t : vector<1203xf32>",
        write("%s", "%C", "1203xf32", "1203xf32", "%c0")]),
    "in_a_loop": ([f"4x{V}", f"4x{V}"], [
        "%c4 = arith.constant 4 : index", "scf.for %i = %c0 to %c4 step %c1 {", read("a", "%A", f"4x{V}", V, "%i, %c0, %c0"), f"%e = arith.mulf %a, %a : vector<{V}>",
        write("%e", "%B", f"4x{V}", V, "%i, %c0, %c0"), "}"]),
    "row_before_row": (["65x1200xf32"], [
        "%c64 = arith.constant 64 : index", "scf.for %i = %c0 to %c64 step %c1 {", read("a", "%A", "65x1200xf32", "1200xf32", "%i, %c0"), "%n = arith.addi %i, %c1 : index",
        read("b", "%A", "65x1200xf32", "1200xf32", "%n, %c0"), "%e = arith.addf %a, %b : vector<1200xf32>", "%f = math.tanh %e : vector<1200xf32>",
        write("%f", "%A", "65x1200xf32", "1200xf32", "%n, %c0"), "}"]),
}
# Values of arguments that are no arrays of floats, and extents.
FLAGS = {"shortest_paths": [["--input=arg3=45"], ["--input=arg3=0"]], "carried_swap": [["--input=arg4=0"], ["--input=arg4=5"]], "chosen": [["--input=arg3=0"], ["--input=arg3=1"]], "switched": [[f"--input=arg3={i}"] for i in range(3)],
         "while": [["--input=arg3=0"], ["--input=arg3=3"]], "gathered": [["--input=arg1=random:1:0:4095"]], "gathered_rows": [["--input=arg1=random:1:0:199"]], "gathered_turned": [["--input=arg1=random:1:0:170"]],
         "gathered_boxes": [["--input=arg1=random:1:0:39", "--input=arg2=random:2:0:29"]], "scattered": [["--input=arg1=iota"]],
         "dynamic_masked": [["--shape=arg0=64x48", "--shape=arg1=64x48"], ["--shape=arg0=33x17", "--shape=arg1=33x17"], ["--shape=arg0=1x1", "--shape=arg1=1x1"]],
         "padded": [["--shape=arg0=64x48"], ["--shape=arg0=63x1"], ["--shape=arg0=9x50"]], "scanned_row": [["--input=arg0=whole:1:1:9", "--input=arg1=whole:2:1:9"]], "masked_sums": [["--input=arg3=0"], ["--input=arg3=41"], ["--input=arg3=64"]], "interleaved_element": [["--input=arg2=0"], ["--input=arg2=1171"], ["--input=arg2=2399"]],
         "carried_mask": [["--input=arg2=0"], ["--input=arg2=3"]]}
# By tiles that divide the vectors and do not, too.
NATIVE = (None, "3x20", "8x16")


def text(types, body):
    names = "ABCDE"
    arguments = ", ".join(f"%{name}: {kind if kind == 'index' else f'memref<{kind}>'}" for name, kind in zip(names, types))
    lines = "".join(f"  {line}\n" for line in body)
    return f"func.func @k({arguments}) {{\n  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %z = arith.constant 0.0 : f32\n  %i0 = arith.constant 0 : i32\n{lines}  return\n}}\n"


def main():
    chosen = suite.options()
    strict = ["--strict-fp"] if chosen.strict_fp else []
    runs = []
    for name, (types, body) in KERNELS.items():
        path = chosen.out / f"{name}.mlir"
        path.write_text(text(types, body))
        for i, flags in enumerate(FLAGS.get(name, [[]])):
            for native in NATIVE:
                config = ["--config", f"native_vector={native}"] if native else []
                command = [chosen.distaff, "run", str(path), "--target", "host", "--device", "host", "--check", "--every-stage", *strict, *config, *flags]
                runs.append(suite.Run(f"{name}_{i}_{native}", command, compares=False))
    suite.main(runs, chosen, one_in=3)


if __name__ == "__main__":
    main()
