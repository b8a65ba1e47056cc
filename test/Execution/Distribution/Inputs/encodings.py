"""Kernels whose tensor types have layouts (VX-142, VX-182): what the types say is what the
vectors have behind assign-layouts, and each stage computes what the source does.

    python3 encodings.py OUT_DIR [--only NAME]
"""
import collections
import re

from kernels import DigitLayout, Layout, suite

Case = collections.namedtuple("Case", "name text kept flags target refused")
MAPS = "indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]"
CONSTANTS = ["%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index", "%c4 = arith.constant 4 : index", "%z = arith.constant 0.0 : f32"]


def rows(lanes, elements, subgroups=2):
    """Rows over subgroups and lanes."""
    return Layout(2, S=[subgroups, 1], T=lanes, E=elements, ss=[1, 0], ts=[lanes[1], 1])


def columns(lanes, elements, subgroups=2):
    return Layout(2, S=[1, subgroups], T=lanes, E=elements, ss=[0, 1], ts=[1, lanes[0]])


def case(name, types, signature, lines, kept, flags=(), target="sm_80", before="", refused=None):
    """`types` are the aliases of the encoded tensors, with the extents and the layout of each; `kept` those layouts that a vector must have."""
    aliases = "".join(f"#{alias} = {layout}\n!{alias} = tensor<{shape}, #{alias}>\n" for alias, (shape, layout) in types.items())
    body = "\n".join("  " + line for line in [*CONSTANTS, *lines])
    return Case(name, f"{aliases}{before}func.func @{name}{signature} {{\n{body}\n}}\n", [str(types[alias][1]) for alias in kept], list(flags), target, refused)


A, B = ("16x16xf32", rows([4, 8], [2, 2])), ("16x16xf32", columns([8, 4], [2, 2]))
PLAIN = "tensor<16x16xf32>"


def reduce_rows(source, type_, result, extent=16, init="%f"):
    """`result` = the sum of each row of `source`, which has its own type."""
    return [f"%e_{result} = tensor.empty() : tensor<{extent}xf32>", f"%f_{result} = linalg.fill ins(%z : f32) outs(%e_{result} : tensor<{extent}xf32>) -> tensor<{extent}xf32>",
            f"%{result} = linalg.reduce ins({source} : {type_}) outs(%f_{result} : tensor<{extent}xf32>) dimensions = [1]", "  (%in: f32, %acc: f32) {",
            "  %n = arith.addf %in, %acc : f32", "  linalg.yield %n : f32", "}"]


def ops():
    yield case("arguments", {"a": A}, f"(%x: !a, %y: !a) -> {PLAIN}",
               ["%e = tensor.empty() : " + PLAIN, f"%p = tensor.cast %x : !a to {PLAIN}", f"%q = tensor.cast %y : !a to {PLAIN}",
                f"%s = linalg.sub ins(%p, %q : {PLAIN}, {PLAIN}) outs(%e : {PLAIN}) -> {PLAIN}", f"return %s : {PLAIN}"], "a")
    yield case("result", {"b": B}, f"(%x: {PLAIN}) -> !b", [f"%s = arith.mulf %x, %x : {PLAIN}", f"%r = tensor.cast %s : {PLAIN} to !b", "return %r : !b"], "b")
    yield case("linalg_op", {"a": A}, "(%x: !a, %y: !a) -> !a",
               ["%e = tensor.empty() : !a", "%s = linalg.add ins(%x, %y : !a, !a) outs(%e : !a) -> !a", "return %s : !a"], "a")
    yield case("elementwise_op", {"a": A}, "(%x: !a, %y: !a) -> !a", ["%s = arith.addf %x, %y : !a", "%t = math.absf %s : !a", "return %t : !a"], "a")
    yield case("cast", {"a": A, "b": B}, "(%x: !a) -> !b", ["%s = arith.mulf %x, %x : !a", "%t = tensor.cast %s : !a to !b", "return %t : !b"], "ab")
    yield case("there_and_back", {"a": A, "b": B}, "(%x: !a) -> !a",
               ["%s = arith.mulf %x, %x : !a", "%t = tensor.cast %s : !a to !b", "%u = arith.subf %t, %t : !b", "%w = arith.addf %u, %t : !b",
                "%v = tensor.cast %w : !b to !a", "%r = arith.addf %v, %x : !a", "return %r : !a"], "ab")
    yield case("constant", {"a": A}, "(%x: !a) -> !a", ["%s = arith.constant dense<2.5> : !a", "%r = arith.mulf %x, %s : !a", "return %r : !a"], "a")
    small = ("2x4xf32", Layout(2, S=[2, 1], T=[1, 4], ss=[1, 0], ts=[0, 1]))
    yield case("constant_of_several", {"s": small}, "(%x: !s) -> !s", ["%s = arith.constant dense<[[1.0, 2.0, 3.0, 4.0], [-1.0, 0.5, 8.0, 0.25]]> : !s", "%r = arith.mulf %x, %s : !s", "return %r : !s"], "s")
    yield case("reduced", {"a": A}, "(%x: !a) -> tensor<16xf32>", [*reduce_rows("%x", "!a", "r"), "return %r : tensor<16xf32>"], "a")
    vector = ("16xf32", Layout(1, S=[2], T=[4], E=[2], ss=[1], ts=[8]))
    yield case("reduced_into", {"a": A, "v": vector}, "(%x: !a) -> !v", [*reduce_rows("%x", "!a", "r"), "%w = tensor.cast %r : tensor<16xf32> to !v", "return %w : !v"], "av")
    yield case("broadcast", {"a": A, "v": vector}, "(%x: !v) -> !a", ["%e = tensor.empty() : !a", "%r = linalg.broadcast ins(%x : !v) outs(%e : !a) dimensions = [1]", "return %r : !a"], "av")
    yield case("transposed", {"a": A, "b": B}, "(%x: !a) -> !b", ["%e = tensor.empty() : !b", "%r = linalg.transpose ins(%x : !a) outs(%e : !b) permutation = [1, 0]", "return %r : !b"], "ab")
    yield case("softmax", {"a": ("16x32xf32", rows([4, 8], [2, 4]))}, "(%x: !a) -> !a",
               ["%e = tensor.empty() : !a", "%r = linalg.softmax dimension(1) ins(%x : !a) outs(%e : !a) -> !a", "return %r : !a"], "a")
    digits = ("16x16xf32", DigitLayout([("sg", 2, 1), ("reg", 2, 4), ("lane", 4, 1)], [("reg", 2, 1), ("lane", 4, 4), ("reg", 2, 2)]))
    yield case("digits", {"d": digits, "a": A}, "(%x: !d) -> !a", ["%s = arith.mulf %x, %x : !d", "%r = tensor.cast %s : !d to !a", "return %r : !a"], "da")


def products():
    acc = ("32x8xf32", Layout(2, S=[2, 1], O=[2, 1], T=[8, 4], E=[1, 2], ss=[1, 0], ts=[4, 1]))
    left = ("32x32xf16", Layout(2, S=[2, 1], B=[1, 2], O=[2, 2], T=[8, 4], E=[1, 2], ss=[1, 0], ts=[4, 1]))
    right = ("8x32xf16", Layout(2, B=[1, 2], O=[1, 2], T=[8, 4], E=[1, 2], ts=[4, 1]))
    body = ["^bb0(%i: f16, %j: f16, %o: f32):", "  %p = arith.extf %i : f16 to f32", "  %q = arith.extf %j : f16 to f32", "  %s = arith.mulf %p, %q : f32",
            "  %n = arith.addf %o, %s : f32", "  linalg.yield %n : f32", "} -> !c"]
    yield case("product", {"l": left, "r": right, "c": acc}, "(%a: !l, %b: !r) -> !c",
               ["%e = tensor.empty() : !c", "%f = linalg.fill ins(%z : f32) outs(%e : !c) -> !c",
                f"%r = linalg.generic {{{MAPS}, iterator_types = [\"parallel\", \"parallel\", \"reduction\"]}} ins(%a, %b : !l, !r) outs(%f : !c) {{", *body, "return %r : !c"], "lrc")


def control_flow():
    step = ["  %s = arith.addf %i, %y : !a", "  scf.yield %s : !a", "}"]
    yield case("loop", {"a": A}, "(%x: !a, %y: !a) -> !a", ["%r = scf.for %k = %c0 to %c4 step %c1 iter_args(%i = %x) -> !a {", *step, "return %r : !a"], "a")
    yield case("loop_of_unknown_trips", {"a": A}, "(%x: !a, %y: !a, %n: index) -> !a",
               ["%r = scf.for %k = %c0 to %n step %c1 iter_args(%i = %x) -> !a {", *step, "return %r : !a"], "a", ["--input", "arg2=3"])
    yield case("loop_without_trips", {"a": A}, "(%x: !a, %y: !a) -> !a", ["%r = scf.for %k = %c4 to %c0 step %c1 iter_args(%i = %x) -> !a {", *step, "return %r : !a"], "a")
    yield case("loop_of_linalg", {"a": A, "b": B}, "(%x: !a, %y: !b) -> !b",
               ["%r = scf.for %k = %c0 to %c4 step %c1 iter_args(%i = %x) -> !a {", "  %t = tensor.cast %i : !a to !b", "  %e = tensor.empty() : !b",
                "  %s = linalg.add ins(%t, %y : !b, !b) outs(%e : !b) -> !b", "  %u = tensor.cast %s : !b to !a", "  scf.yield %u : !a", "}",
                "%v = tensor.cast %r : !a to !b", "return %v : !b"], "ab")
    yield case("loop_of_two", {"a": A, "b": B}, "(%x: !a, %y: !b) -> (!a, !b)",
               ["%r:2 = scf.for %k = %c0 to %c4 step %c1 iter_args(%i = %x, %j = %y) -> (!a, !b) {", "  %t = tensor.cast %i : !a to !b", "  %s = arith.addf %t, %j : !b",
                "  %u = tensor.cast %j : !b to !a", "  %v = arith.subf %i, %u : !a", "  scf.yield %v, %s : !a, !b", "}", "return %r#0, %r#1 : !a, !b"], "ab")
    yield case("loop_that_swaps", {"a": A}, "(%x: !a, %y: !a) -> (!a, !a)",
               ["%r:2 = scf.for %k = %c0 to %c4 step %c1 iter_args(%i = %x, %j = %y) -> (!a, !a) {", "  %s = arith.addf %i, %j : !a", "  scf.yield %j, %s : !a, !a", "}",
                "return %r#0, %r#1 : !a, !a"], "a")
    yield case("loop_that_yields_one_twice", {"a": A}, "(%x: !a, %y: !a) -> (!a, !a)",
               ["%r:2 = scf.for %k = %c0 to %c4 step %c1 iter_args(%i = %x, %j = %y) -> (!a, !a) {", "  %s = arith.addf %i, %j : !a", "  scf.yield %s, %s : !a, !a", "}",
                "return %r#0, %r#1 : !a, !a"], "a")
    yield case("loop_in_a_loop", {"a": A, "b": B}, "(%x: !a, %y: !b) -> !a",
               ["%r = scf.for %k = %c0 to %c4 step %c1 iter_args(%i = %x) -> !a {", "  %t = tensor.cast %i : !a to !b",
                "  %u = scf.for %l = %c0 to %k step %c1 iter_args(%j = %t) -> !b {", "    %s = arith.addf %j, %y : !b", "    scf.yield %s : !b", "  }",
                "  %v = tensor.cast %u : !b to !a", "  scf.yield %v : !a", "}", "return %r : !a"], "ab")
    yield case("branch", {"a": A}, "(%x: !a, %y: !a, %n: index) -> !a",
               ["%c = arith.cmpi eq, %n, %c4 : index", "%r = scf.if %c -> !a {", "  %s = arith.addf %x, %y : !a", "  scf.yield %s : !a", "} else {",
                "  %t = arith.subf %x, %y : !a", "  scf.yield %t : !a", "}", "return %r : !a"], "a", ["--input", "arg2=4"])


def extents():
    """Tensors that their layout exceeds, of extent 1 and of dynamic extents."""
    exceeded = ("13x11xf32", rows([4, 8], [2, 2]))
    yield case("exceeded", {"a": exceeded}, "(%x: !a) -> !a", ["%s = arith.mulf %x, %x : !a", "return %s : !a"], "a")
    yield case("exceeded_and_reduced", {"a": exceeded}, "(%x: !a) -> tensor<13xf32>", ["%s = arith.mulf %x, %x : !a", *reduce_rows("%s", "!a", "r", 13), "return %r : tensor<13xf32>"], "a")
    yield case("exceeded_in_a_loop", {"a": exceeded}, "(%x: !a, %y: !a) -> !a",
               ["%r = scf.for %k = %c0 to %c4 step %c1 iter_args(%i = %x) -> !a {", "  %s = arith.addf %i, %y : !a", "  scf.yield %s : !a", "}", "return %r : !a"], "a")
    dynamic = ("?x16xf32", rows([4, 8], [2, 2]))
    shape = ["--shape", "arg0=11x16"]
    yield case("dynamic", {"a": dynamic}, "(%x: !a) -> !a", ["%d = tensor.dim %x, %c0 : !a", "%e = tensor.empty(%d) : !a", "%s = linalg.exp ins(%x : !a) outs(%e : !a) -> !a", "return %s : !a"], "a", shape,
               refused="has a dynamic extent, and lanes hold vectors of static ones; pad its operands to a static extent, by a tensor.pad of the arguments")
    one = ("1x1xf32", Layout(2))
    yield case("one_element", {"o": one}, "(%x: !o) -> !o", ["%s = arith.addf %x, %x : !o", "return %s : !o"], "o")
    scalar = ("f32", Layout(0))
    yield case("rank_0", {"o": scalar}, "(%x: !o) -> !o", ["%s = arith.addf %x, %x : !o", "return %s : !o"], "o")
    empty = ("0x16xf32", rows([4, 8], [2, 2]))
    yield case("no_elements", {"e": empty}, "(%x: !e) -> !e", ["%s = arith.addf %x, %x : !e", "return %s : !e"], "")


H = ("8x16xf32", Layout(2, T=[4, 8], E=[2, 2], ts=[8, 1]))
LINE = ("256xf32", Layout(1, S=[1], T=[32], E=[8], ss=[0], ts=[1]))
SPLIT = ("16x2x8xf32", Layout(3, T=[4, 2, 4], E=[4, 1, 2], ts=[8, 4, 1]))
BLOCKS = ("2x2x8x8xf32", Layout(4, T=[2, 2, 8, 1], E=[1, 1, 1, 8], ts=[16, 8, 1, 0]))


def movements():
    """Ops that move elements (VX-182): of arguments, which they read in memory, and of what lanes hold, which goes through workgroup memory."""
    pad = ["  ^bb0(%i: index, %j: index):", "  tensor.yield %z : f32"]
    yield case("pad", {"a": A}, "(%x: tensor<13x11xf32>) -> !a", ["%p = tensor.pad %x low[1, 2] high[2, 3] {", *pad, "} : tensor<13x11xf32> to !a", "return %p : !a"], "a")
    yield case("pad_of_lanes", {"a": A, "h": H}, "(%x: !h) -> !a",
               ["%s = arith.addf %x, %x : !h", "%p = tensor.pad %s low[3, 0] high[5, 0] {", *pad, "} : !h to !a", "%t = math.absf %p : !a", "return %t : !a"], "ah")
    yield case("pad_of_dynamic_extents", {"a": A}, "(%x: tensor<?x16xf32>) -> !a",
               ["%n = tensor.dim %x, %c0 : tensor<?x16xf32>", "%c16 = arith.constant 16 : index", "%h = arith.subi %c16, %n : index",
                "%p = tensor.pad %x low[0, 0] high[%h, 0] {", *pad, "} : tensor<?x16xf32> to !a", "%s = arith.addf %p, %p : !a", "return %s : !a"], "a",
               ["--shape", "arg0=11x16"])
    yield case("concat", {"a": A, "h": H}, "(%x: !h, %y: !h) -> !a",
               ["%u = arith.subf %x, %y : !h", "%s = tensor.concat dim(0) %u, %y : (!h, !h) -> !a", "%t = arith.addf %s, %s : !a", "return %t : !a"], "ah")
    yield case("gather", {"a": A}, "(%x: tensor<20x16xf32>, %i: tensor<16x1xindex>) -> !a",
               [f"%g = tensor.gather %x[%i] gather_dims([0]) : (tensor<20x16xf32>, tensor<16x1xindex>) -> {PLAIN}", f"%l = tensor.cast %g : {PLAIN} to !a",
                "%t = arith.addf %l, %l : !a", "return %t : !a"], "a")
    yield case("gather_of_lanes", {"a": A}, "(%x: !a, %i: tensor<16x1xindex>) -> !a",
               ["%s = arith.addf %x, %x : !a", f"%p = tensor.cast %s : !a to {PLAIN}", f"%g = tensor.gather %p[%i] gather_dims([0]) : ({PLAIN}, tensor<16x1xindex>) -> {PLAIN}",
                f"%t = tensor.cast %g : {PLAIN} to !a", "return %t : !a"], "a")
    yield case("pack", {"a": A, "k": BLOCKS}, "(%x: !a) -> !k",
               ["%s = arith.addf %x, %x : !a", "%e = tensor.empty() : !k", "%g = linalg.pack %s inner_dims_pos = [0, 1] inner_tiles = [8, 8] into %e : !a -> !k", "return %g : !k"], "ak")
    yield case("unpack", {"a": A, "k": BLOCKS}, "(%x: !k) -> !a",
               ["%e = tensor.empty() : !a", "%g = linalg.unpack %x inner_dims_pos = [0, 1] inner_tiles = [8, 8] into %e : !k -> !a", "%t = arith.addf %g, %g : !a", "return %t : !a"], "a")
    yield case("generate", {"a": A}, "() -> !a",
               ["%g = tensor.generate {", "  ^bb0(%i: index, %j: index):", "  %s = arith.muli %i, %j : index", "  %n = arith.index_cast %s : index to i32",
                "  %f = arith.sitofp %n : i32 to f32", "  tensor.yield %f : f32", "} : !a", "return %g : !a"], "a")
    yield case("splat", {"a": A}, "(%x: f32, %y: !a) -> !a", ["%g = tensor.splat %x : !a", "%t = arith.mulf %g, %y : !a", "return %t : !a"], "a")
    yield case("insert_slice", {"a": A, "h": H}, "(%x: !h, %y: !a) -> !a",
               ["%u = arith.mulf %x, %x : !h", "%w = arith.addf %y, %y : !a", "%g = tensor.insert_slice %u into %w[4, 0] [8, 16] [1, 1] : !h into !a", "return %g : !a"], "ah")
    yield case("extract_slice", {"a": A, "h": H}, "(%y: !a, %n: index) -> !h",
               ["%s = arith.addf %y, %y : !a", "%g = tensor.extract_slice %s[%n, 0] [8, 16] [1, 1] : !a to !h", "%t = arith.mulf %g, %g : !h", "return %t : !h"], "ah",
               ["--input", "arg1=5"])
    yield case("strided_slice", {"h": H, "a": A}, "(%y: !a) -> !h", ["%g = tensor.extract_slice %y[1, 0] [8, 16] [2, 1] : !a to !h", "%t = arith.mulf %g, %g : !h", "return %t : !h"], "h")
    yield case("reshapes", {"a": A, "v": LINE, "f": SPLIT}, "(%y: !a) -> !f",
               ["%s = arith.addf %y, %y : !a", "%v = tensor.collapse_shape %s [[0, 1]] : !a into !v", "%w = arith.mulf %v, %v : !v",
                "%g = tensor.expand_shape %w [[0, 1, 2]] output_shape [16, 2, 8] : !v into !f", "%t = math.absf %g : !f", "return %t : !f"], "avf")
    yield case("movement_in_a_loop", {"a": A, "h": H}, "(%x: !a) -> !a",
               ["%r = scf.for %k = %c0 to %c4 step %c1 iter_args(%s = %x) -> !a {", "  %h = tensor.extract_slice %s[8, 0] [8, 16] [1, 1] : !a to !h",
                "  %l = tensor.extract_slice %s[0, 0] [8, 16] [1, 1] : !a to !h", "  %u = arith.addf %h, %l : !h", "  %t = tensor.concat dim(0) %h, %u : (!h, !h) -> !a",
                "  scf.yield %t : !a", "}", "return %r : !a"], "ah")


def others():
    yield case("vectors", {"a": A}, "(%x: !a) -> !a",
               ["%v = vector.transfer_read %x[%c0, %c0], %z {in_bounds = [true, true]} : !a, vector<16x16xf32>", "%w = arith.mulf %v, %v : vector<16x16xf32>",
                "%e = tensor.empty() : !a", "%r = vector.transfer_write %w, %e[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, !a", "return %r : !a"], "a")
    yield case("called", {"a": A, "b": B}, "(%x: !a) -> !b", ["%s = call @helper(%x) : (!a) -> !b", "%t = arith.addf %s, %s : !b", "return %t : !b"], "ab",
               before="func.func private @helper(%p: !a) -> !b {\n  %q = arith.mulf %p, %p : !a\n  %r = tensor.cast %q : !a to !b\n  return %r : !b\n}\n")
    tile = ("16x16xf32", rows([4, 8], [2, 2]))
    yield case("tiles_of_workgroups", {"a": tile}, "(%x: tensor<64x16xf32>) -> tensor<64x16xf32>",
               ["%o = tensor.empty() : tensor<64x16xf32>", "%r = scf.forall (%i) in (4) shared_outs(%p = %o) -> (tensor<64x16xf32>) {", "  %f = affine.apply affine_map<(d0) -> (d0 * 16)>(%i)",
                "  %s = tensor.extract_slice %x[%f, 0] [16, 16] [1, 1] : tensor<64x16xf32> to tensor<16x16xf32>", "  %t = tensor.cast %s : tensor<16x16xf32> to !a",
                "  %v = vector.transfer_read %t[%c0, %c0], %z {in_bounds = [true, true]} : !a, vector<16x16xf32>", "  %w = arith.mulf %v, %v : vector<16x16xf32>",
                "  %e = tensor.empty() : !a", "  %u = vector.transfer_write %w, %e[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, !a", f"  %q = tensor.cast %u : !a to {PLAIN}",
                f"  scf.forall.in_parallel {{ tensor.parallel_insert_slice %q into %p[%f, 0] [16, 16] [1, 1] : {PLAIN} into tensor<64x16xf32> }}",
                "} {mapping = [#gpu.block<x>]}", "return %r : tensor<64x16xf32>"], "a")
    wave = ("16x32xf32", rows([8, 8], [1, 4]))
    yield case("of_64_lanes", {"a": wave}, "(%x: !a) -> tensor<16xf32>", [*reduce_rows("%x", "!a", "r"), "return %r : tensor<16xf32>"], "a", target="gfx942")


def keeps(kept):
    """Behind assign-layouts a to_layout has each of the layouts, whichever name the printer gives it."""
    def says(text):
        names = {layout: name for name, layout in re.findall(r"^(#\w+) = (#iree_vector_ext\..*)$", text, re.M)}
        missing = [layout for layout in kept if layout not in names or f"layout({names[layout]})" not in text]
        return f"no to_layout to {missing[0]}" if missing else None

    return says


def main():
    chosen = suite.options()
    runs = []
    for each in [*ops(), *products(), *control_flow(), *extents(), *movements(), *others()]:
        path = chosen.out / f"{each.name}.mlir"
        path.write_text(each.text)
        command = [chosen.distaff, "run", str(path), "--func", each.name, *each.flags, "--check"]
        assign = [chosen.distaff, "compile", str(path), "--func", each.name, "--target", each.target, "--stop-after=assign-layouts"]
        if each.refused:
            runs.append(suite.Run(each.name, [*command, "--target", each.target], expected=("refused", each.refused)))
            continue
        runs.append(suite.Run(each.name, [*command, "--target", each.target, "--every-stage"], before=(assign, keeps(each.kept))))
        if each.target == "sm_80":
            runs.append(suite.Run(each.name + "_ptx", [*command, "--target", each.target, "--device", "ptx"], compares=False))
        runs.append(suite.Run(each.name + "_host", [*command, "--target", "host"]))
    suite.main(runs, chosen, one_in=3)


main()
