"""transfer_read and transfer_write: permuted, broadcast, masked, out of bounds, rank
0, single writers, and what one thread writes and another reads (VX-75 .. VX-77,
VX-94; W4, W5, W12, W13)."""
from kernels import DigitLayout, Kernel, Layout, main, vector

A = Layout(2, B=[2, 2], T=[4, 4], E=[1, 2], ts=[4, 1])                        # 8x16, replicas
G = Layout(2, S=[2, 1], T=[2, 4], E=[2, 4], ss=[2, 0], ts=[16, 2])            # 8x16, gaps
D = DigitLayout([("reg", 2, 4), ("lane", 2, 1), ("reg", 2, 1)], [("lane", 4, 2), ("reg", 2, 2), ("sg", 2, 1)])  # 8x16
W = Layout(2, S=[1, 3], T=[7, 3], ss=[0, 1], ts=[3, 1])                       # 7x9
F = DigitLayout([("lane", 2, 1), ("reg", 2, 2), ("reg", 2, 1)], [("lane", 4, 2), ("reg", 2, 8), ("reg", 2, 4)])  # 8x16
MINOR = "affine_map<(d0, d1) -> (d0, d1)>"
SWAP = "affine_map<(d0, d1) -> (d1, d0)>"
ROW = "affine_map<(d0, d1) -> (0, d1)>"
COLUMN = "affine_map<(d0, d1) -> (d0, 0)>"


def read(name, layout, memory, map_, start=("0", "0"), in_bounds=True, mask=None, threads=96):
    kernel = Kernel(name, threads)
    dims = "x".join(map(str, memory))
    base = kernel.argument(f"memref<{dims}xf32>")
    starts = [kernel.argument("index", s) for s in start]
    type_ = vector(layout.shape(), "f32")
    masked = ""
    if mask:
        kernel.read("%m", mask, "i1")
        masked = ", %m"
    kernel.line("%pad = arith.constant 7.0 : f32")
    b = "true" if in_bounds else "false"
    kernel.line(f"%x = vector.transfer_read {base}[{', '.join(starts)}], %pad{masked} "
                f"{{in_bounds = [{b}, {b}], permutation_map = {map_}}} : memref<{dims}xf32>, {type_}")
    kernel.layout("%r", "%x", layout, type_)
    kernel.write("%r", layout.shape(), "f32")
    return kernel


def write(name, layout, memory, map_, start=("0", "0"), in_bounds=True, mask=None, threads=96):
    kernel = Kernel(name, threads)
    dims = "x".join(map(str, memory))
    base = kernel.argument(f"memref<{dims}xf32>")
    starts = [kernel.argument("index", s) for s in start]
    type_ = vector(layout.shape(), "f32")
    kernel.read("%x", layout.shape(), "f32", layout)
    masked = ""
    if mask:
        kernel.read("%m", mask, "i1")
        masked = ", %m"
    b = "true" if in_bounds else "false"
    kernel.line(f"vector.transfer_write %x, {base}[{', '.join(starts)}]{masked} "
                f"{{in_bounds = [{b}, {b}], permutation_map = {map_}}} : {type_}, memref<{dims}xf32>")
    return kernel


def at_known_positions(name, layout, memory, masked):
    """Starts at 0, where accesses may be wide: behind a mask whose bits differ
    within a lane's run, or over an edge in the middle of one."""
    kernel = Kernel(name, 64)
    shape, dims = layout.shape(), "x".join(map(str, memory))
    base, to = (kernel.argument(f"memref<{dims}xf32>") for _ in range(2))
    zeros, inside = ", ".join(["%c0"] * len(shape)), ", ".join(["true" if masked else "false"] * len(shape))
    mask = ""
    if masked:
        kernel.read("%m", shape, "i1")
        mask = ", %m"
    kernel.line("%pad = arith.constant 7.0 : f32")
    kernel.line(f"%x = vector.transfer_read {base}[{zeros}], %pad{mask} {{in_bounds = [{inside}]}} : memref<{dims}xf32>, {vector(shape, 'f32')}")
    kernel.layout("%r", "%x", layout, vector(shape, "f32"))
    kernel.write("%r", shape, "f32")
    kernel.line(f"vector.transfer_write %r, {to}[{zeros}]{mask} {{in_bounds = [{inside}]}} : {vector(shape, 'f32')}, memref<{dims}xf32>")
    return kernel


def accumulate(name, threads):
    """W13: one thread reads, adds and writes back."""
    kernel = Kernel(name, threads)
    layout = Layout(1, T=[32], ts=[1])
    memory = kernel.argument("memref<f32>")
    kernel.line("%pad = arith.constant 0.0 : f32")
    kernel.line(f"%0 = vector.transfer_read {memory}[], %pad : memref<f32>, vector<f32>")
    kernel.line("%1 = vector.extract %0[] : f32 from vector<f32>")
    kernel.read("%x", [32], "f32", layout)
    kernel.line("%2 = vector.multi_reduction <add>, %x, %1 [0] : vector<32xf32> to f32")
    kernel.line("%3 = vector.broadcast %2 : f32 to vector<f32>")
    kernel.line(f"vector.transfer_write %3, {memory}[] : vector<f32>, memref<f32>")
    # Everybody reads what one thread wrote.
    kernel.line(f"%4 = vector.transfer_read {memory}[], %pad : memref<f32>, vector<f32>")
    kernel.line("%5 = vector.extract %4[] : f32 from vector<f32>")
    kernel.line("%6 = vector.broadcast %5 : f32 to vector<32xf32>")
    kernel.line("%7 = arith.addf %6, %x : vector<32xf32>")
    kernel.write("%7", [32], "f32")
    return kernel


def written_then_read():
    """What one layout writes another reads, and writes again, in a loop."""
    kernel = Kernel("vx94_through_memory", 64)
    memory = kernel.argument("memref<8x16xf32>")
    type_ = vector([8, 16], "f32")
    for text in ["%pad = arith.constant 0.0 : f32", "%c1 = arith.constant 1 : index", "%c3 = arith.constant 3 : index",
                 "scf.for %i = %c0 to %c3 step %c1 {",
                 f"%a = vector.transfer_read {memory}[%c0, %c0], %pad {{in_bounds = [true, true]}} : memref<8x16xf32>, {type_}"]:
        kernel.line(text)
    kernel.layout("%b", "%a", A, type_)
    kernel.line(f"%s = arith.addf %b, %b : {type_}")
    kernel.line(f"vector.transfer_write %s, {memory}[%c0, %c0] {{in_bounds = [true, true]}} : {type_}, memref<8x16xf32>")
    kernel.line(f"%d = vector.transfer_read {memory}[%c0, %c0], %pad {{in_bounds = [true, true]}} : memref<8x16xf32>, {type_}")
    kernel.layout("%e", "%d", G, type_)
    kernel.line(f"%f = arith.mulf %e, %e : {type_}")
    kernel.line(f"vector.transfer_write %f, {memory}[%c0, %c0] {{in_bounds = [true, true]}} : {type_}, memref<8x16xf32>")
    kernel.line("}")
    return kernel


def written_then_read_elsewhere(start):
    """Boxes of one array that overlap by 32 elements, by 1, or not at all."""
    kernel = Kernel(f"vx94_boxes_{start}_apart", 64)
    row, turned = Layout(1, S=[2], T=[32], ss=[1], ts=[1]), Layout(1, B=[2], T=[32], ts=[1])
    memory = kernel.argument("memref<160xf32>")
    kernel.read("%x", [64], "f32", row)
    kernel.line(f"%start = arith.constant {start} : index")
    kernel.line("%pad = arith.constant 0.0 : f32")
    kernel.line(f"vector.transfer_write %x, {memory}[%c0] {{in_bounds = [true]}} : vector<64xf32>, memref<160xf32>")
    kernel.line(f"%a = vector.transfer_read {memory}[%start], %pad {{in_bounds = [true]}} : memref<160xf32>, vector<64xf32>")
    kernel.layout("%b", "%a", turned, "vector<64xf32>")
    kernel.write("%b", [64], "f32")
    kernel.line(f"vector.transfer_write %b, {memory}[%c0] {{in_bounds = [true]}} : vector<64xf32>, memref<160xf32>")
    return kernel


def scalars():
    kernel = Kernel("scalar_load_and_store", 64)
    memory = kernel.argument("memref<4xf32>")
    for text in ["%c1 = arith.constant 1 : index", f"%v = memref.load {memory}[%c0] : memref<4xf32>",
                 "%w = arith.addf %v, %v : f32", f"memref.store %w, {memory}[%c1] : memref<4xf32>",
                 f"%u = memref.load {memory}[%c1] : memref<4xf32>", "%b = vector.broadcast %u : f32 to vector<32xf32>"]:
        kernel.line(text)
    kernel.read("%x", [32], "f32", Layout(1, T=[32], ts=[1]))
    kernel.line("%r = arith.addf %b, %x : vector<32xf32>")
    kernel.write("%r", [32], "f32")
    return kernel


def lying_apart(width):
    """Integers after each of which memory has a gap, through memory and an exchange."""
    kernel = Kernel(f"lying_apart_i{width}", 64)
    wide, one = Layout(1, S=[2], T=[32], E=[4], ss=[1], ts=[1]), Layout(1, S=[2], B=[4], T=[32], ss=[1], ts=[1])
    memory, type_ = f"memref<256xi{width}, #gpu.address_space<workgroup>>", f"vector<256xi{width}>"
    kernel.read("%x", [256], "i64", wide)
    kernel.read("%y", [256], "i64", wide)
    for text in [f"%a = arith.trunci %x : vector<256xi64> to {type_}", f"%b = arith.trunci %y : vector<256xi64> to {type_}",
                 f"%m = memref.alloc() : {memory}", f"%zero = arith.constant 0 : i{width}",
                 f"vector.transfer_write %a, %m[%c0] {{in_bounds = [true]}} : {type_}, {memory}",
                 f"%c = vector.transfer_read %m[%c0], %zero {{in_bounds = [true]}} : {memory}, {type_}"]:
        kernel.line(text)
    kernel.layout("%d", "%c", one, type_)
    kernel.layout("%e", "%b", one, type_)
    kernel.line(f"%three = arith.constant dense<3> : {type_}")
    for op, operand in (("muli", "%e"), ("subi", "%e"), ("minsi", "%e"), ("shrui", "%three")):
        kernel.line(f"%{op} = arith.{op} %d, {operand} : {type_}")
        extension = "extsi" if op == "minsi" else "extui"
        kernel.line(f"%{op}_wide = arith.{extension} %{op} : {type_} to vector<256xi64>")
        kernel.write(f"%{op}_wide", [256], "i64")
    return kernel


def all_kernels():
    for width in (4, 12, 24, 40, 48, 56):
        yield lying_apart(width)
    for name, layout in (("replicas", A), ("gaps", G), ("digits", D)):
        yield read(f"read_minor_{name}", layout, [12, 20], MINOR, ("3", "2"))
        yield read(f"read_transposed_{name}", layout, [20, 12], SWAP, ("1", "4"))
        yield read(f"read_row_{name}", layout, [5, 20], ROW, ("2", "4"))
        yield read(f"read_column_{name}", layout, [9, 5], COLUMN, ("1", "4"))
        yield read(f"read_outside_{name}", layout, [5, 9], MINOR, ("0", "0"), in_bounds=False)
        yield read(f"read_far_outside_{name}", layout, [5, 9], MINOR, ("4", "8"), in_bounds=False)
        yield read(f"read_outside_transposed_{name}", layout, [9, 5], SWAP, ("2", "1"), in_bounds=False)
        yield read(f"read_masked_{name}", layout, [8, 16], MINOR, mask=[8, 16])
        yield read(f"w4_masked_transposed_{name}", layout, [16, 8], SWAP, mask=[16, 8])
        yield read(f"w5_masked_row_{name}", layout, [3, 16], ROW, mask=[16])
        yield read(f"w5_masked_column_{name}", layout, [8, 3], COLUMN, mask=[8])
        yield write(f"write_minor_{name}", layout, [12, 20], MINOR, ("3", "2"))
        yield write(f"write_transposed_{name}", layout, [20, 12], SWAP, ("1", "4"))
        yield write(f"write_outside_{name}", layout, [5, 9], MINOR, ("0", "1"), in_bounds=False)
        yield write(f"write_masked_{name}", layout, [8, 16], MINOR, mask=[8, 16])
        yield write(f"write_masked_transposed_{name}", layout, [16, 8], SWAP, mask=[16, 8])
    wide, rows = Layout(1, S=[2], T=[16], E=[4], ss=[1], ts=[1]), Layout(2, S=[2, 1], T=[4, 4], E=[1, 4], ss=[1, 0], ts=[4, 1])
    for extent in (1, 2, 7, 30, 63, 65, 126):
        yield at_known_positions(f"over_the_edge_at_{extent}", wide, [extent], False)
    yield at_known_positions("over_the_edge_of_rows", rows, [5, 12], False)
    yield at_known_positions("known_and_masked", wide, [128], True)
    yield at_known_positions("known_and_masked_rows", rows, [8, 16], True)
    # The mask's registers are fewer, larger digits than the vector's.
    yield read("w4_mask_of_larger_tiles", F, [16, 8], SWAP, mask=[16, 8])
    yield write("w4_write_mask_of_larger_tiles", F, [16, 8], SWAP, mask=[16, 8])
    yield write("mask_of_larger_tiles", F, [8, 16], MINOR, mask=[8, 16])
    yield read("w5_mask_of_larger_tiles", F, [3, 16], ROW, mask=[16])
    yield read("read_7x9", W, [7, 9], MINOR)
    yield write("write_7x9_transposed", W, [9, 7], SWAP)
    yield accumulate("w13_one_subgroup", 32)
    yield accumulate("w13_three_subgroups", 96)
    yield written_then_read()
    for start in (1, 32, 63, 64, 96):
        yield written_then_read_elsewhere(start)
    yield scalars()


main(all_kernels())
