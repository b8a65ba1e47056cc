"""Elementwise ops, transpose, broadcast, shape_cast, constants, step, masks,
extract and insert (VX-67 .. VX-74; W2, W7, W18, W24)."""
from kernels import DigitLayout, Kernel, Layout, main, vector

A = Layout(2, S=[2, 1], B=[1, 2], T=[4, 4], E=[2, 2], ss=[1, 0], ts=[8, 2])   # 16x16, gaps
W = Layout(2, S=[1, 3], T=[7, 3], ss=[0, 1], ts=[3, 1])                       # 7x9


def unary(name, layout, lines, result, element="f32", threads=96, more=()):
    kernel = Kernel(name, threads)
    kernel.read("%x", layout.shape(), element, layout)
    for value, shape, type_ in more:
        kernel.read(value, shape, type_)
    for text in lines:
        kernel.line(text)
    kernel.write("%r", result, element)
    return kernel


def constants(name, layout, element, values, threads=96):
    kernel = Kernel(name, threads)
    shape = layout.shape()
    type_ = vector(shape, element)
    kernel.read("%x", shape, element, layout)

    def dense(dims, at):
        if not dims:
            return str(values(at))
        return "[" + ", ".join(dense(dims[1:], at + (i,)) for i in range(dims[0])) + "]"
    kernel.line(f"%c = arith.constant dense<{dense(shape, ())}> : {type_}")
    kernel.line(f"%r = arith.add{'f' if element[0] == 'f' else 'i'} %x, %c : {type_}")
    kernel.write("%r", shape, element)
    return kernel


def mask(name, layout, bounds, threads=96):
    kernel = Kernel(name, threads)
    shape = layout.shape()
    numbers = [kernel.argument("index", str(bound)) for bound in bounds]
    kernel.read("%x", shape, "i32", layout)
    kernel.line(f"%m = vector.create_mask {', '.join(numbers)} : {vector(shape, 'i1')}")
    kernel.line(f"%one = arith.constant dense<1> : {vector(shape, 'i32')}")
    kernel.line(f"%r = arith.select %m, %x, %one : {vector(shape, 'i1')}, {vector(shape, 'i32')}")
    kernel.write("%r", shape, "i32")
    return kernel


def broadcasts():
    rows = Layout(1, S=[2], T=[4], E=[2], ss=[1], ts=[8])
    kernel = Kernel("broadcast_new_dims", 64)
    kernel.read("%x", [16, 16], "f32", A)
    kernel.read("%v", [16], "f32")
    kernel.line("%b = vector.broadcast %v : vector<16xf32> to vector<16x16xf32>")
    kernel.line("%r = arith.addf %x, %b : vector<16x16xf32>")
    kernel.write("%r", [16, 16], "f32")
    yield kernel
    kernel = Kernel("broadcast_then_transpose", 64)
    kernel.read("%x", [16, 16], "f32", A)
    kernel.read("%v", [16], "f32", rows)
    kernel.line("%b = vector.broadcast %v : vector<16xf32> to vector<16x16xf32>")
    kernel.line("%t = vector.transpose %b, [1, 0] : vector<16x16xf32> to vector<16x16xf32>")
    kernel.line("%r = arith.addf %x, %t : vector<16x16xf32>")
    kernel.write("%r", [16, 16], "f32")
    yield kernel
    kernel = Kernel("broadcast_stretches_unit_dims", 64)
    kernel.read("%x", [16, 16], "f32", A)
    kernel.read("%v", [16, 1], "f32", Layout(2, S=[2, 1], T=[4, 1], E=[2, 1], ss=[1, 0], ts=[8, 0]))
    kernel.line("%b = vector.broadcast %v : vector<16x1xf32> to vector<16x16xf32>")
    kernel.line("%r = arith.addf %x, %b : vector<16x16xf32>")
    kernel.write("%r", [16, 16], "f32")
    yield kernel
    kernel = Kernel("broadcast_scalar", 64)
    kernel.read("%x", [16, 16], "f32", A)
    scalar = kernel.argument("f32")
    kernel.line(f"%b = vector.broadcast {scalar} : f32 to vector<16x16xf32>")
    kernel.line("%r = arith.addf %x, %b : vector<16x16xf32>")
    kernel.write("%r", [16, 16], "f32")
    yield kernel


def shape_casts():
    # name, source layout, result shape
    for name, layout, shape in [
            ("split", Layout(1, B=[2], T=[8], E=[4], ts=[1]), [16, 4]),
            ("split_between_lanes", Layout(1, B=[2], T=[8], E=[4], ts=[1]), [8, 8]),
            ("merge", Layout(2, T=[4, 8], E=[1, 2], ts=[8, 1]), [64]),
            ("w7_merge", Layout(2, T=[1, 2], E=[2, 1], ts=[0, 1]), [4]),
            ("w24_lanes", Layout(2, S=[2, 1], T=[2, 4], E=[1, 2], ss=[1, 0], ts=[4, 1]), [2, 2, 4, 2]),
            ("unit_dims", W, [1, 7, 1, 9]),
            ("merge_registers", Layout(2, E=[3, 2]), [6])]:
        source, target = vector(layout.shape(), "f32"), vector(shape, "f32")
        yield unary("shape_cast_" + name, layout, [f"%r = vector.shape_cast %x : {source} to {target}"], shape)


def extracts():
    plane = vector([16, 16], "f32")
    for name, layout in [("lanes_and_subgroups", A),
                         ("registers", Layout(2, B=[4, 4], E=[4, 4])),
                         ("replicas", Layout(2, T=[2, 4], E=[8, 4], ts=[1, 8]))]:
        for at in ([0], [5], [15], [9, 6]):
            shape = [16, 16][len(at):]
            type_ = vector(shape, "f32") if shape else "f32"
            kernel = Kernel(f"extract_{name}_{'_'.join(map(str, at))}", 64)
            kernel.read("%x", [16, 16], "f32", layout)
            kernel.line(f"%r = vector.extract %x{at} : {type_} from {plane}")
            if shape:
                kernel.write("%r", shape, "f32")
            else:
                kernel.write_scalar("%r", "f32")
            yield kernel
            kernel = Kernel(f"insert_{name}_{'_'.join(map(str, at))}", 64)
            kernel.read("%x", [16, 16], "f32", layout)
            kernel.read("%v", shape, "f32")
            value = "%v"
            if not shape:
                kernel.line("%s = vector.extract %v[] : f32 from vector<f32>")
                value = "%s"
            kernel.line(f"%r = vector.insert {value}, %x{at} : {type_} into {plane}")
            kernel.write("%r", [16, 16], "f32")
            yield kernel


def all_kernels():
    plane = vector([16, 16], "f32")
    yield unary("elementwise_fma", A, [f"%r = math.fma %x, %y, %x : {plane}"], [16, 16],
                more=[("%y", [16, 16], "f32")])
    yield unary("elementwise_compare", A, [f"%c = arith.cmpf ogt, %x, %y : {plane}",
                                           f"%r = arith.select %c, %x, %y : {vector([16, 16], 'i1')}, {plane}"],
                [16, 16], more=[("%y", [16, 16], "f32")])
    yield unary("elementwise_scalar_condition", A,
                ["%k = arith.constant true", f"%r = arith.select %k, %x, %y : {plane}"],
                [16, 16], more=[("%y", [16, 16], "f32")])
    yield unary("transpose", A, [f"%r = vector.transpose %x, [1, 0] : {plane} to {plane}"], [16, 16])
    yield unary("transpose_7x9", W, [f"%r = vector.transpose %x, [1, 0] : {vector([7, 9], 'f32')} to {vector([9, 7], 'f32')}"], [9, 7])
    three = Layout(3, S=[1, 2, 1], B=[2, 1, 1], T=[1, 3, 4], E=[2, 1, 3], ss=[0, 1, 0], ts=[0, 4, 1])
    for p in ([0, 2, 1], [1, 2, 0], [2, 1, 0]):
        shape = [three.shape()[i] for i in p]
        yield unary("transpose_" + "".join(map(str, p)), three,
                    [f"%r = vector.transpose %x, {p} : {vector(three.shape(), 'f32')} to {vector(shape, 'f32')}"], shape, threads=64)
    digits = DigitLayout([("reg", 2, 4), ("lane", 2, 1), ("reg", 2, 1)], [("lane", 3, 2), ("reg", 2, 2), ("sg", 2, 1)])
    yield unary("transpose_digits", digits, [f"%r = vector.transpose %x, [1, 0] : {vector([8, 12], 'f32')} to {vector([12, 8], 'f32')}"], [12, 8])
    yield unary("shape_cast_digits", digits, [f"%r = vector.shape_cast %x : {vector([8, 12], 'f32')} to {vector([96], 'f32')}"], [96])
    yield mask("mask_digits", digits, [5, 7])
    yield constants("w18_constant_digits", digits, "f32", lambda at: (at[0] * 7 + at[1] * at[0]) % 13 + 0.5)
    yield from broadcasts()
    yield from shape_casts()
    yield constants("w18_constant_few_lanes", Layout(1, T=[4], E=[2], ts=[2]), "i32",
                    lambda at: [3, 1, 4, 1, 5, 9, 2, 6][at[0]])
    yield constants("w18_constant_many_lanes", W, "f32", lambda at: (at[0] * 31 + at[1] * at[1] * 7) % 23 + 0.5)
    yield constants("constant_affine", W, "i16", lambda at: at[0] * 100 - at[1] * 3 + 7)
    yield constants("constant_subgroups", Layout(1, S=[3], E=[4], ss=[1]), "i8", lambda at: at[0] * at[0] % 11)
    for layout, name in [(Layout(1, S=[2], B=[2], O=[2], T=[3], E=[2], ss=[1], ts=[1]), "48"), (Layout(1, T=[6], E=[2], ts=[1]), "12")]:
        n = layout.shape()[0]
        yield unary("step_" + name, layout,
                    [f"%s = vector.step : vector<{n}xindex>", f"%c = arith.index_cast %s : vector<{n}xindex> to vector<{n}xi32>",
                     f"%r = arith.addi %x, %c : vector<{n}xi32>"], [n], "i32")
    w2 = Layout(1, B=[2], T=[4], E=[2], ts=[1])
    for bound in (-1, 0, 1, 9, 15, 16, 99):
        yield mask(f"w2_mask_{bound}".replace("-", "minus"), w2, [bound])
    for bounds in ([0, 5], [7, 9], [3, 4], [7, 1]):
        yield mask(f"mask_{bounds[0]}_{bounds[1]}", W, bounds)
    yield from extracts()


main(all_kernels())
