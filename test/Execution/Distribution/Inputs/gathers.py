"""transfer_gather and transfer_scatter (VX-80, VX-81; W6)."""
from kernels import Kernel, Layout, main, vector


def gather(name, layout, masked=False, scalar=False):
    kernel = Kernel(name, 64)
    base = kernel.argument("memref<99x64xf16>")
    rows, columns = layout.shape()
    maps = ["affine_map<(d0, d1)[s0] -> (s0, d1)>"]
    if scalar:
        index = kernel.argument("index", "17")
        operand = f"{index} : index"
        maps.append("affine_map<(d0, d1)[s0] -> ()>")
    else:
        kernel.read("%rows", [rows], "index", None, "random:1:0:98")
        operand = f"%rows : vector<{rows}xindex>"
        maps.append("affine_map<(d0, d1)[s0] -> (d0)>")
    mask = ""
    types = f"memref<99x64xf16>, {vector([rows, columns], 'f16')}"
    if masked:
        kernel.read("%m", [rows, columns], "i1")
        mask = ", %m"
        maps.append("affine_map<(d0, d1)[s0] -> (d0, d1)>")
        types += f", {vector([rows, columns], 'i1')}"
    kernel.line("%pad = arith.constant 5.0 : f16")
    kernel.line(f"%g = iree_vector_ext.transfer_gather {base}[%c0, %c0] [{operand}], %pad{mask} "
                f"{{indexing_maps = [{', '.join(maps)}]}} : {types}")
    kernel.layout("%r", "%g", layout, vector([rows, columns], "f16"))
    kernel.write("%r", [rows, columns], "f16")
    return kernel


def scatter(name, layout):
    kernel = Kernel(name, 64)
    base = kernel.argument("memref<40x64xf32>")
    rows, columns = layout.shape()
    kernel.read("%x", [rows, columns], "f32", layout)
    # Each row once, in another order.
    for text in [f"%s = vector.step : vector<{rows}xindex>", f"%k = arith.constant dense<7> : vector<{rows}xindex>",
                 f"%n = arith.constant dense<{rows}> : vector<{rows}xindex>", f"%t = arith.muli %s, %k : vector<{rows}xindex>",
                 f"%rows = arith.remui %t, %n : vector<{rows}xindex>",
                 f"iree_vector_ext.transfer_scatter %x into {base}[%c0, %c0] [%rows : vector<{rows}xindex>] {{indexing_maps = "
                 "[affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0, d1)[s0] -> (d0)>]} : "
                 f"{vector([rows, columns], 'f32')}, memref<40x64xf32>"]:
        kernel.line(text)
    return kernel


def drawn(name, layout, start, writes):
    """Positions that the command line draws: they stay within what is left from
    the start on, and those that are written to differ."""
    kernel = Kernel(name, 64)
    rows, columns = layout.shape()
    extent = rows + start
    base = kernel.argument(f"memref<{extent}x{columns}xf32>")
    kernel.read("%rows", [rows], "index")
    kernel.line(f"%start = arith.constant {start} : index")
    maps = "indexing_maps = [affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0, d1)[s0] -> (d0)>], in_bounds = [true, true]"
    types = f"memref<{extent}x{columns}xf32>"
    if writes:
        kernel.read("%x", [rows, columns], "f32", layout)
        kernel.line(f"iree_vector_ext.transfer_scatter %x into {base}[%start, %c0] [%rows : vector<{rows}xindex>] {{{maps}}} : "
                    f"{vector([rows, columns], 'f32')}, {types}")
        return kernel
    kernel.line("%pad = arith.constant 5.0 : f32")
    kernel.line(f"%g = iree_vector_ext.transfer_gather {base}[%start, %c0] [%rows : vector<{rows}xindex>], %pad {{{maps}}} : "
                f"{types}, {vector([rows, columns], 'f32')}")
    kernel.layout("%r", "%g", layout, vector([rows, columns], "f32"))
    kernel.write("%r", [rows, columns], "f32")
    return kernel


def all_kernels():
    narrow = Layout(2, B=[2, 4], T=[4, 4], E=[2, 4], ts=[1, 4])  # 16x64
    split = Layout(2, S=[2, 1], T=[4, 8], E=[2, 8], ss=[1, 0], ts=[8, 1])
    yield gather("w6_gather_batches", narrow)
    yield gather("gather_subgroups", split)
    yield gather("gather_masked", narrow, masked=True)
    yield gather("w6_gather_scalar", narrow, scalar=True)
    yield scatter("scatter_batches", narrow)
    yield scatter("scatter_subgroups", split)
    for start in (0, 3, 40):
        yield drawn(f"drawn_gather_from_{start}", narrow, start, False)
        yield drawn(f"drawn_scatter_from_{start}", narrow, start, True)


main(all_kernels())
