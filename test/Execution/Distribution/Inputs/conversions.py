"""to_layout: every tier, and every kind of layout on either side, one of more subgroups
than there are (VX-8) (W11, W12, W29)."""
from kernels import DigitLayout, Kernel, Layout, main

# Layouts of one shape each; every ordered pair is converted.
SHAPES = {
    "16x32": (128, [
        Layout(2, S=[2, 2], B=[1, 2], T=[8, 4], E=[1, 2], ss=[1, 2], ts=[4, 1]),
        Layout(2, S=[4, 1], T=[4, 8], E=[1, 4], ss=[1, 0], ts=[8, 1]),
        Layout(2, B=[2, 1], T=[8, 4], E=[1, 8], ts=[1, 8]),
        Layout(2, T=[4, 2], B=[1, 4], E=[4, 4], ts=[8, 2]),
        Layout(2, S=[1, 4], O=[2, 1], T=[8, 4], E=[1, 2], ss=[0, 1], ts=[4, 1]),
    ]),
    "7x9": (96, [
        Layout(2, S=[1, 3], T=[7, 3], ss=[0, 1], ts=[3, 1]),
        Layout(2, T=[7, 1], E=[1, 9], ts=[4, 0]),
        Layout(2, B=[7, 1], T=[1, 9], ts=[0, 1]),
        Layout(2, S=[1, 3], E=[7, 3], ss=[0, 1]),
    ]),
    "48": (64, [
        Layout(1, S=[2], B=[2], O=[2], T=[3], E=[2], ss=[1], ts=[1]),
        Layout(1, T=[24], E=[2], ts=[1]),
        Layout(1, T=[6], E=[8], ts=[4]),
        Layout(1, S=[2], T=[4], B=[6], ss=[1], ts=[8]),
    ]),
    "8x12_digits": (64, [
        DigitLayout([("reg", 2, 4), ("lane", 2, 1), ("reg", 2, 1)], [("lane", 3, 2), ("reg", 2, 2), ("sg", 2, 1)]),
        DigitLayout([("lane", 8, 1)], [("reg", 3, 1), ("lane", 2, 8), ("reg", 2, 3)]),
        Layout(2, S=[2, 1], T=[4, 6], E=[1, 2], ss=[1, 0], ts=[6, 1]),
    ]),
    "12": (32, [
        Layout(1, T=[6], E=[2], ts=[1]),
        Layout(1, T=[12], ts=[2]),
        Layout(1, E=[12]),
    ]),
    "64_oversubscribed": (64, [
        Layout(1, S=[8], E=[8], ss=[1]),
        Layout(1, S=[4], B=[2], T=[8], ss=[1], ts=[4]),
        Layout(1, T=[64], ts=[1]),
    ]),
}


def conversion(name, threads, source, target, element):
    kernel = Kernel(f"convert_{name}_{element}", threads)
    shape = source.shape()
    kernel.read("%x", shape, element, source)
    type_ = "vector<" + "".join(f"{d}x" for d in shape) + f"{element}>"
    kernel.layout("%y", "%x", target, type_)
    # Used on both sides, so that neither conversion can be left out.
    kernel.layout("%z", "%y", source, type_)
    kernel.line(f"%two = arith.{'addf' if element[0] in 'fb' else 'addi'} %z, %x : {type_}")
    kernel.write("%y", shape, element)
    kernel.write("%two", shape, element)
    return kernel


def in_loop():
    """Two conversions per iteration: the buffers are used again (W29)."""
    threads, layouts = SHAPES["16x32"]
    kernel = Kernel("w29_in_loop", threads)
    a, b = layouts[0], layouts[3]
    kernel.read("%x", a.shape(), "f32", a)
    kernel.line("%c1 = arith.constant 1 : index")
    kernel.line("%c3 = arith.constant 3 : index")
    kernel.line("%r = scf.for %i = %c0 to %c3 step %c1 iter_args(%v = %x) -> (vector<16x32xf32>) {")
    kernel.layout("%p", "%v", b, "vector<16x32xf32>")
    kernel.line("%q = arith.addf %p, %p : vector<16x32xf32>")
    kernel.layout("%s", "%q", a, "vector<16x32xf32>")
    kernel.line("scf.yield %s : vector<16x32xf32>")
    kernel.line("}")
    kernel.write("%r", a.shape(), "f32")
    return kernel


def forced():
    layout = SHAPES["16x32"][1][0]
    kernel = Kernel("forced_through_memory", 128)
    kernel.read("%x", layout.shape(), "f16", layout)
    kernel.line(f"%y = iree_vector_ext.to_layout %x to layout({layout}) {{shared_memory_conversion}} : vector<16x32xf16>")
    kernel.write("%y", layout.shape(), "f16")
    return kernel


def all_kernels():
    for shape, (threads, layouts) in SHAPES.items():
        for i, source in enumerate(layouts):
            for j, target in enumerate(layouts):
                if i != j:
                    yield conversion(f"{shape}_{i}_to_{j}", threads, source, target, "f32")
        for element in ("i1", "i8", "f16", "i64"):
            yield conversion(f"{shape}_1_to_2", threads, layouts[1], layouts[2], element)
    yield in_loop()
    yield forced()


main(all_kernels())
