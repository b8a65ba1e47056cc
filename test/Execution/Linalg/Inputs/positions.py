"""Ops that read their position, under every walk: a loop over workgroups, a serial
loop over what is reduced, one over results, one that leaves a rest, several of
them, all unrolled in one tile. A walk that drops an offset makes a tile read the positions of the first.

Integers throughout, weighted by position with another weight per loop, so that
every value depends on every position and nothing is rounded."""
import functools
import itertools
import math
import random

from programs import Program, Tensor, affine, indices, main, offsets, tensor, wrapped

WEIGHTS = [3, 101, 1009]
LAUNCH = "workgroup_size = [64, 1, 1]"


def a_target(name):
    """Any of them, but always the same."""
    return [random.Random(name).choice(["sm_80", "gfx942"])]


def config(workgroup, reduction):
    return f"#iree_gpu.lowering_config<{{workgroup = {workgroup}, reduction = {reduction}}}>"


def divisor(extent):
    """The smallest one that makes tiles of several points, if there is one."""
    return next((d for d in range(2, extent) if extent % d == 0), 1)


def walks(extents, reduced, together=True):
    """Configs by name; nothing is cut along a loop that is 1. `together` says
    whether a walk along a result may hold one along what is reduced."""
    zeros = [0] * len(extents)
    cut = [divisor(e) for e in extents]
    kept = [0 if d in reduced else cut[d] for d in range(len(extents))]
    steps = [cut[d] if d in reduced else 0 for d in range(len(extents))]
    ones = [1 if d in reduced else 0 for d in range(len(extents))]
    yield "chosen", "", None
    yield "one_tile", config(zeros, zeros), LAUNCH
    yield "grid", config(kept, zeros), LAUNCH
    yield "along_result", config(zeros, kept), LAUNCH
    longest = max((d for d in range(len(extents)) if d not in reduced), key=lambda d: extents[d], default=None)
    if longest is not None and extents[longest] > 2:
        yield "leaving_a_rest", config(zeros, [e // 2 + 1 if d == longest else 0 for d, e in enumerate(extents)]), LAUNCH
    if reduced:
        yield "along_reduced", config(zeros, steps), LAUNCH
        yield "grid_and_reduced", config(kept, steps), LAUNCH
        yield "grid_and_steps_of_one", config(kept, ones), LAUNCH
        if len(reduced) > 1:
            last = [steps[d] if d == reduced[-1] else 0 for d in range(len(extents))]
            yield "along_last_reduced", config(kept, last), LAUNCH
    if reduced and together:
        yield "along_both", config(zeros, [k or s for k, s in zip(kept, steps)]), LAUNCH


class Positions(Program):
    def loops(self, extents, reduced, inputs, outs, body, function, config=""):
        """A linalg.generic: `inputs` and `outs` are tensors with the loops that
        index them; `body` computes %y0, ... from %x0, ... (inputs), %o0, ...
        (outs) and %p0, ... (positions, i32), as function(position, inputs, outs)
        does in Python."""
        rank, name = len(extents), self.new()
        maps = ", ".join(affine(rank, dims) for _, dims in [*inputs, *outs])
        kinds = ", ".join('"reduction"' if d in reduced else '"parallel"' for d in range(rank))
        ins = f"ins({', '.join(x.name for x, _ in inputs)} : {', '.join(x.type() for x, _ in inputs)}) " if inputs else ""
        types = [x.type() for x, _ in outs]
        results = types[0] if len(outs) == 1 else f"({', '.join(types)})"
        self.line(f"{name}{f':{len(outs)}' if len(outs) > 1 else ''} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} {ins}"
                  f"outs({', '.join(x.name for x, _ in outs)} : {', '.join(types)}) {f'attrs = {{lowering_config = {config}}} ' if config else ''}{{")
        self.line("^bb0(" + ", ".join([f"%x{i}: {x.element}" for i, (x, _) in enumerate(inputs)] + [f"%o{i}: {x.element}" for i, (x, _) in enumerate(outs)]) + "):")
        for d in range(rank):
            self.line(f"  %i{d} = linalg.index {d} : index")
            self.line(f"  %p{d} = arith.index_cast %i{d} : index to i32")
        yields = f"linalg.yield {', '.join(f'%y{i}' for i in range(len(outs)))} : {', '.join(x.element for x, _ in outs)}"
        for text in [*body, yields]:
            self.line("  " + text)
        self.line(f"}} -> {results}")

        @functools.cache
        def values():
            values = [list(x.data) for x, _ in outs]
            reads = zip(*(map(x.data.__getitem__, offsets(extents, x.shape, dims)) for x, dims in inputs)) if inputs else itertools.repeat(())
            writes = zip(*(offsets(extents, x.shape, dims) for x, dims in outs))
            for index, read, places in zip(indices(extents), reads, writes):
                made = function(index, read, [v[place] for v, place in zip(values, places)])
                for v, place, value in zip(values, places, made):
                    v[place] = wrapped(value, "i32")
            return values
        names = [name] if len(outs) == 1 else [f"{name}#{i}" for i in range(len(outs))]
        return [Tensor(n, x.shape, x.element, lambda i=i: values()[i]) for i, (n, (x, _)) in enumerate(zip(names, outs))]

    def nothing(self, shape):
        """A tensor to write to."""
        return Tensor(self.empty(shape, "i32"), shape, "i32", lambda: [0] * math.prod(shape))


def weighted(rank, x="%x0"):
    """Text for %w = x + sum of weight * position."""
    lines, sum_ = [], x
    for d in range(rank):
        lines += [f"%k{d} = arith.constant {WEIGHTS[d]} : i32", f"%m{d} = arith.muli %p{d}, %k{d} : i32",
                  f"%{'w' if d == rank - 1 else f's{d}'} = arith.addi {sum_}, %m{d} : i32"]
        sum_ = f"%s{d}"
    return lines


def weigh(position, x):
    return x + sum(w * p for w, p in zip(WEIGHTS, position))


def label(extents):
    return "x".join(map(str, extents))


def elementwise(program, extents, config):
    x, rank = program.argument(extents, "i32", -99, 99), range(len(extents))
    out = program.nothing(extents[::-1])
    return program.loops(extents, [], [(x, rank)], [(out, rank[::-1])], [*weighted(len(rank)), "%y0 = arith.subi %w, %x0 : i32"],
                         lambda p, xs, _: [weigh(p, 0)], config)


def iota(program, extents, config):
    """No operand to read: the position is all there is."""
    rank = range(len(extents))
    return program.loops(extents, [], [], [(program.nothing(extents), rank)],
                         ["%zero = arith.constant 0 : i32", *weighted(len(rank), "%zero"), "%c = arith.constant 7 : i32", "%y0 = arith.xori %w, %c : i32"],
                         lambda p, *_: [weigh(p, 0) ^ 7], config)


def kept(extents, reduced):
    return [d for d in range(len(extents)) if d not in reduced]


def total(program, extents, reduced, config):
    """A sum of weighted elements on one side of a diagonal."""
    x, dims = program.argument(extents, "i32", -99, 99), kept(extents, reduced)
    start = program.fill([extents[d] for d in dims], "i32", 5)
    body = [*weighted(len(extents)), f"%h = arith.constant {extents[reduced[-1]] // 2} : i32", "%zero = arith.constant 0 : i32",
            f"%c = arith.cmpi ule, %p{reduced[-1]}, %h : i32", "%v = arith.select %c, %w, %zero : i32", "%y0 = arith.addi %v, %o0 : i32"]
    return program.loops(extents, reduced, [(x, range(len(extents)))], [(start, dims)], body,
                         lambda p, xs, os: [os[0] + (weigh(p, xs[0]) if p[reduced[-1]] <= extents[reduced[-1]] // 2 else 0)], config)


def arg_maximum(program, extents, reduced, config):
    """The place of the largest element, the first of equal ones, carried in the
    low bits of the value."""
    x, dims, last = program.argument(extents, "i32", -5, 5), kept(extents, reduced), reduced[-1]
    start = program.fill([extents[d] for d in dims], "i32", -10**6)
    body = ["%k = arith.constant 1024 : i32", "%t = arith.constant 1023 : i32", "%high = arith.muli %x0, %k : i32",
            f"%low = arith.subi %t, %p{last} : i32", "%v = arith.addi %high, %low : i32", "%y0 = arith.maxsi %v, %o0 : i32"]
    return program.loops(extents, reduced, [(x, range(len(extents)))], [(start, dims)], body,
                         lambda p, xs, os: [max(os[0], xs[0] * 1024 + 1023 - p[last])], config)


def two_results(program, extents, reduced, config):
    x, dims = program.argument(extents, "i32", -99, 99), kept(extents, reduced)
    shape = [extents[d] for d in dims]
    sums, most = program.fill(shape, "i32", 0), program.fill(shape, "i32", -10**9)
    body = [*weighted(len(extents)), "%y0 = arith.addi %w, %o0 : i32", f"%q = arith.muli %x0, %p{reduced[-1]} : i32", "%y1 = arith.maxsi %q, %o1 : i32"]
    return program.loops(extents, reduced, [(x, range(len(extents)))], [(sums, dims), (most, dims)], body,
                         lambda p, xs, os: [os[0] + weigh(p, xs[0]), max(os[1], xs[0] * p[reduced[-1]])], config)


def contraction(program, extents, reduced, config):
    """Not one for an MMA instruction, as the products are weighted."""
    m, n, k = extents
    a, b = program.argument([m, k], "i32", -9, 9), program.argument([k, n], "i32", -9, 9)
    start = program.fill([m, n], "i32", 0)
    return program.loops(extents, reduced, [(a, [0, 2]), (b, [2, 1])], [(start, [0, 1])],
                         ["%ab = arith.muli %x0, %x1 : i32", *weighted(3, "%ab"), "%y0 = arith.addi %w, %o0 : i32"],
                         lambda p, xs, os: [os[0] + weigh(p, xs[0] * xs[1])], config)


def chain(program, extents, reduced, config):
    """A producer, the root and a reader; all of them read their positions."""
    x, rank, dims = program.argument(extents, "i32", -99, 99), range(len(extents)), kept(extents, reduced)
    [made] = program.loops(extents, [], [(x, rank)], [(program.nothing(extents), rank)], 
                           [*weighted(len(rank)), "%c = arith.constant 21 : i32", "%y0 = arith.xori %w, %c : i32"],
                           lambda p, xs, _: [weigh(p, xs[0]) ^ 21])
    start = program.fill([extents[d] for d in dims], "i32", 0)
    [sums] = program.loops(extents, reduced, [(made, rank)], [(start, dims)],
                           [f"%v = arith.muli %x0, %p{reduced[0]} : i32", "%y0 = arith.addi %v, %o0 : i32"],
                           lambda p, xs, os: [os[0] + xs[0] * p[reduced[0]]], config)
    return program.loops(extents, [], [(made, rank), (sums, dims)], [(program.nothing(extents), rank)],
                         ["%d = arith.subi %x0, %x1 : i32", *weighted(len(rank), "%d"), "%c = arith.constant 9 : i32", "%y0 = arith.xori %w, %c : i32"],
                         lambda p, xs, _: [weigh(p, xs[0] - xs[1]) ^ 9])


def runs(kind, make, extents, reduced, together=True):
    for walk, text, launch in walks(extents, reduced, together):
        name = "_".join([kind, label(extents), *([label(reduced)] if reduced else []), walk])
        program = Positions(name, a_target(name), launch)
        results = make(program, extents, text) if not reduced else make(program, extents, reduced, text)
        yield program.returns(*results)


def linalg_ops():
    for extents in ([127], [6, 35], [35, 1], [3, 10, 21]):
        yield from runs("elementwise", elementwise, extents, [])
        yield from runs("iota", iota, extents, [])
    for extents, reduced in [([9, 77], [1]), ([77, 9], [0]), ([4, 127], [1]), ([1, 65], [1]), ([15, 33], [0, 1]), ([6, 35, 10], [1]),
                             ([6, 35, 10], [0, 2]), ([1023], [0])]:
        yield from runs("total", total, extents, reduced)
    for extents, reduced in [([9, 77], [1]), ([77, 9], [0]), ([25, 33], [0, 1])]:
        yield from runs("arg_maximum", arg_maximum, extents, reduced)
        yield from runs("two_results", two_results, extents, reduced)
    for extents in ([9, 10, 35], [1, 6, 77]):
        yield from runs("contraction", contraction, extents, [2])
    for extents, reduced in [([10, 77], [1]), ([77, 10], [0]), ([6, 10, 21], [1, 2])]:
        yield from runs("chain", chain, extents, reduced, together=False)


def named_ops():
    """linalg.map and linalg.reduce have a body that may ask too, and softmax is
    taken apart before it is tiled."""
    for walk, text, launch in walks([6, 35], []):
        program = Positions(f"map_{walk}", a_target("map" + walk), launch)
        x, out = program.argument([6, 35], "i32", -99, 99), program.nothing([6, 35])
        name = program.new()
        program.line(f"{name} = linalg.map ins({x.name} : {x.type()}) outs({out.name} : {x.type()}) (%x: i32, %o: i32) {{")
        for line in ["%i = linalg.index 0 : index", "%j = linalg.index 1 : index", "%k = arith.muli %i, %j : index",
                     "%p = arith.index_cast %k : index to i32", "%y = arith.addi %x, %p : i32", "linalg.yield %y : i32"]:
            program.line("  " + line)
        program.line("}")
        mapped = Tensor(name, [6, 35], "i32", lambda x=x: [v + i * j for v, (i, j) in zip(x.data, indices([6, 35]))])
        # The tiles are those of the op that reads it.
        yield program.returns(program.generic([6, 35], "i32", [(mapped, [0, 1])], ["%c = arith.constant 3 : i32", "%y = arith.muli %x0, %c : i32"],
                                              lambda v: 3 * v, text))
    for walk, text, launch in walks([9, 77], [1]):
        program = Positions(f"reduce_{walk}", a_target("reduce" + walk), launch)
        x, start = program.argument([9, 77], "i32", -99, 99), program.fill([9], "i32", 0)
        name, attributes = program.new(), f" {{lowering_config = {text}}}" if text else ""
        program.line(f"{name} = linalg.reduce ins({x.name} : {x.type()}) outs({start.name} : {start.type()}) dimensions = [1]{attributes}")
        program.line("  (%x: i32, %o: i32) {")
        for line in ["%j = linalg.index 1 : index", "%p = arith.index_cast %j : index to i32", "%v = arith.muli %x, %p : i32",
                     "%y = arith.addi %v, %o : i32", "linalg.yield %y : i32"]:
            program.line("    " + line)
        program.line("  }")
        yield program.returns(Tensor(name, [9], "i32", lambda x=x: [sum(j * x.at([i, j]) for j in range(77)) for i in range(9)]))
    for reduction in ("", "[0, 15]", "[0, 1]"):
        program = Program(f"softmax_of_a_triangle_{len(reduction)}", launch=LAUNCH)
        x = program.argument([7, 45], "f32")
        places = iter(list(indices([7, 45])))
        body = ["%i = linalg.index 0 : index", "%j = linalg.index 1 : index", "%k = arith.constant 6 : index", "%e = arith.muli %i, %k : index",
                "%c = arith.cmpi ule, %j, %e : index", "%low = arith.constant -100.0 : f32", "%y = arith.select %c, %x0, %low : f32"]
        masked = program.generic([7, 45], "f32", [(x, [0, 1])], body, lambda v, places=places: v if (p := next(places))[1] <= 6 * p[0] else -100)
        y = program.softmax(masked, 1)
        if reduction:
            program.lines[-1] = program.lines[-1].replace("dimension(1)", f"{{lowering_config = {config('[1, 0]', reduction)}}} dimension(1)")
        yield program.returns(y)


class VectorProgram(Program):
    """Vectors on memory; `lines` are the body, the results are arguments."""

    def text(self):
        arguments = ", ".join(f"%{a.name}: memref<{label(a.shape)}x{a.element}>" for a in [*self.arguments, *self.results])
        info = f"#iree_codegen.translation_info<{LAUNCH}>"
        constants = [f"  %c{number} = arith.constant {number} : index" for number in sorted(self.numbers)]
        return "\n".join([f"func.func @{self.name}({arguments}) attributes {{translation_info = {info}}} {{", *constants, *self.lines, "  return", "}", ""])

    def outputs(self):
        return [f"arg{len(self.arguments) + number}" for number in range(len(self.results))]


def vector_kernel(kind, rows, columns, row_tile, column_tile, grid, serial):
    """Computes from positions made by hand: by vector.step, vector.create_mask
    and constant_mask, a gather at computed columns, a read past the end."""
    name = f"{kind}_{rows}x{columns}_{row_tile}x{column_tile}{'_grid' * grid}{'_serial' * serial}"
    program = VectorProgram(name, a_target(name))
    program.numbers = {0, rows, columns, row_tile, column_tile, columns // 2, columns // 3, rows // 2 + 1}
    x = program.argument([rows, columns], "i32", -99, 99)
    x.name = "x"
    vector, index, bits = (f"vector<{row_tile}x{column_tile}x{e}>" for e in ("i32", "index", "i1"))
    line, memory = program.line, f"memref<{rows}x{columns}xi32>"
    if grid:
        line(f"scf.forall (%g) in ({-(-rows // row_tile)}) {{")
        line(f"%r = arith.muli %g, %c{row_tile} : index")
    else:
        line(f"scf.for %r = %c0 to %c{rows} step %c{row_tile} {{" if row_tile < rows else "%r = arith.constant 0 : index")
    line(f"scf.for %k = %c0 to %c{columns} step %c{column_tile} {{" if serial else "%k = arith.constant 0 : index")
    line("%zero = arith.constant 0 : i32")
    line(f"%zeros = arith.constant dense<0> : {vector}")
    line(f"%s = vector.step : vector<{column_tile}xindex>")
    line(f"%kb = vector.broadcast %k : index to vector<{column_tile}xindex>")
    line(f"%at = arith.addi %s, %kb : vector<{column_tile}xindex>")
    line(f"%whole = vector.transfer_read %x[%r, %k], %zero : {memory}, {vector}")
    if kind == "step":
        line(f"%cast = arith.index_cast %at : vector<{column_tile}xindex> to vector<{column_tile}xi32>")
        line(f"%all = vector.broadcast %cast : vector<{column_tile}xi32> to {vector}")
        line(f"%y = arith.muli %whole, %all : {vector}")
        function = lambda i, j: j * x.at([i, j])
    elif kind == "create_mask":
        line(f"%rest = arith.subi %c{columns // 2}, %k : index")
        line(f"%down = arith.subi %c{rows // 2 + 1}, %r : index")
        line(f"%m = vector.create_mask %down, %rest : {bits}")
        line(f"%y = arith.select %m, %whole, %zeros : {bits}, {vector}")
        function = lambda i, j: x.at([i, j]) if i < rows // 2 + 1 and j < columns // 2 else 0
    elif kind == "constant_mask":
        height, width = max(row_tile // 2, 1), max(2 * column_tile // 3, 1)
        line(f"%m = vector.constant_mask [{height}, {width}] : {bits}")
        line(f"%y = arith.select %m, %whole, %zeros : {bits}, {vector}")
        function = lambda i, j: x.at([i, j]) if i % row_tile < height and j % column_tile < width else 0
    elif kind == "masked_read":
        line(f"%rest = arith.subi %c{columns // 2}, %k : index")
        line(f"%m = vector.create_mask %c{row_tile}, %rest : {bits}")
        line(f"%y = vector.transfer_read %x[%r, %k], %zero, %m : {memory}, {vector}")
        function = lambda i, j: x.at([i, j]) if j < columns // 2 else 0
    else:
        line(f"%end = arith.constant dense<{columns - 1}> : vector<{column_tile}xindex>")
        line(f"%cut = arith.minsi %at, %end : vector<{column_tile}xindex>")
        line(f"%back = arith.subi %end, %cut : vector<{column_tile}xindex>")
        line(f"%y = iree_vector_ext.transfer_gather %x[%r, %c0] [%back : vector<{column_tile}xindex>], %zero "
             f"{{indexing_maps = [affine_map<(d0, d1)[s0] -> (d0, s0)>, affine_map<(d0, d1)[s0] -> (d1)>]}} : {memory}, {vector}")
        function = lambda i, j: x.at([i, columns - 1 - j])
    line(f"vector.transfer_write %y, %y_out[%r, %k] : {vector}, {memory}")
    if serial:
        line("}")
    if grid:
        line("} {mapping = [#gpu.block<x>]}")
    elif row_tile < rows:
        line("}")
    return program.returns(Tensor("y_out", [rows, columns], "i32", lambda: [function(i, j) for i, j in indices([rows, columns])]))


def vector_ops():
    # Tiles that divide and such that leave a part past the end, walked in all
    # ways; extents of 1.
    for kind in ("step", "create_mask", "constant_mask", "masked_read", "gather"):
        for rows, columns, row_tile, column_tile in [(6, 35, 2, 7), (8, 60, 4, 32), (1, 127, 1, 16), (9, 1, 3, 1), (10, 48, 10, 48)]:
            for grid in (True, False):
                yield vector_kernel(kind, rows, columns, row_tile, column_tile, grid, column_tile < columns)


def chosen_and_read():
    """What a comparison picks with its position, and what is read at a computed one."""
    program = Positions("two_results_of_one_choice")
    x, most, place = program.argument([4, 60], "i32"), program.fill([4], "i32", -99), program.fill([4], "i32", 0)
    yield program.returns(*program.loops(
        [4, 60], [1], [(x, [0, 1])], [(most, [0]), (place, [0])],
        ["%c = arith.cmpi sgt, %x0, %o0 : i32", "%y0 = arith.select %c, %x0, %o0 : i32", "%y1 = arith.select %c, %p1, %o1 : i32"],
        lambda p, xs, os: [max(xs[0], os[0]), p[1] if xs[0] > os[0] else os[1]]))
    program = Positions("extract")
    x = program.argument([4, 60], "i32")
    yield program.returns(*program.loops(
        [4, 60], [], [], [(program.nothing([4, 60]), [0, 1])],
        ["%e = arith.constant 59 : index", "%b = arith.subi %e, %i1 : index", f"%y0 = tensor.extract {x.name}[%i0, %b] : {x.type()}"],
        lambda p, *_: [x.at([p[0], 59 - p[1]])]))


if __name__ == "__main__":
    main([*linalg_ops(), *named_ops(), *vector_ops(), *chosen_and_read()], one_in=9)
