"""Matrix products whose accumulators are payload, in fragments of instructions, for layouts.py."""
from drawn_layouts import Layout, Program, flat, kernel, matrix

# Instruction, its shape (M, N, K), and per operand and dimension (O, T, E, stride of T).
INSTRUCTIONS = {
    "sm_80": ("NV_MMA_SYNC_F32_16x8x16_F16", (16, 8, 16), {"a": [(2, 8, 1, 4), (2, 4, 2, 1)], "b": [(2, 4, 2, 1), (1, 8, 1, 4)], "c": [(2, 8, 1, 4), (1, 4, 2, 1)]}),
    "gfx942": ("MFMA_F32_16x16x16_F16", (16, 16, 16), {"a": [(1, 16, 1, 1), (1, 4, 4, 16)], "b": [(1, 4, 4, 16), (1, 16, 1, 1)], "c": [(1, 4, 4, 16), (1, 16, 1, 1)]}),
}


def fragments_layout(fragment, subgroups, subgroup_strides, batch):
    """Batches of an operand's fragments, per dimension."""
    dims = [(s, b, o, t, e) for s, b, (o, t, e, _) in zip(subgroups, batch, fragment)]
    return Layout(dims, [x if s > 1 else 0 for s, x in zip(subgroups, subgroup_strides)], [f[3] for f in fragment])


def read_vector(into, ref, offsets, sizes, type):
    """A slice that may be smaller than its vector."""
    return f"        %{into} = pcf.read_slice %{into[-1]}[{offsets}] [{', '.join(sizes)}] [1, 1] : {ref} to {type}\n"


def read_padded(into, ref, offsets, sizes, type):
    """The same as a tensor that is padded."""
    extents = type.split("<")[1].split("x")[:2]
    dynamic = "x".join("?" if s.startswith("%") else s for s in sizes)
    text = f"        %{into}t = pcf.read_slice %{into[-1]}[{offsets}] [{', '.join(sizes)}] [1, 1] : {ref} to tensor<{dynamic}xf16>\n"
    for dim, (size, extent) in enumerate(zip(sizes, extents)):
        text += f"        %{into}e{dim} = arith.constant {extent} : index\n"
        if not size.startswith("%"):
            text += f"        %{into}s{dim} = arith.constant {size} : index\n"
            size = f"%{into}s{dim}"
        text += f"        %{into}h{dim} = arith.subi %{into}e{dim}, {size} : index\n"
    return text + f"""        %{into}z = arith.constant 0.0 : f16
        %{into} = tensor.pad %{into}t low[0, 0] high[%{into}h0, %{into}h1] {{
        ^bb0(%i0: index, %i1: index):
          tensor.yield %{into}z : f16
        }} : tensor<{dynamic}xf16> to {type}
"""


def write_corner(ref, rows, columns, type):
    """A part of a vector, or of a tensor."""
    part = f"tensor<{rows}x{columns}xf32>"
    if type.startswith("vector"):
        return f"      pcf.write_slice %v into %out[0, 0] [{rows}, {columns}] [1, 1] : {type} into {ref}\n"
    return (f"      %part = tensor.extract_slice %v[0, 0] [{rows}, {columns}] [1, 1] : {type} to {part}\n"
            f"      pcf.write_slice %part into %out[0, 0] [{rows}, {columns}] [1, 1] : {part} into {ref}\n")


def multiply(A, B, C):
    if A.startswith("tensor"):
        return f"linalg.matmul ins(%la, %lb : {A}, {B}) outs(%lc : {C}) -> {C}"
    maps = "affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>"
    return (f'vector.contract {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel", "reduction"], '
            f"kind = #vector.kind<add>}} %la, %lb, %lc : {A}, {B} into {C}")


def product(rng, machine):
    """A product whose accumulators are payload of a K loop, in fragments of instructions; extents are around the tile."""
    name, (m, n, k), fragments = INSTRUCTIONS[machine.target]
    grid = {1: (1, 1)}.get(machine.subgroups) or rng.choice([(2, 2), (4, 1), (1, 4)])
    batches = rng.choice([1, 2]), rng.choice([1, 2]), rng.choice([1, 2])
    strides = rng.choice([(grid[1], 1), (1, grid[0])])
    a = fragments_layout(fragments["a"], (grid[0], 1), (strides[0], 0), (batches[0], batches[2]))
    b = fragments_layout(fragments["b"], (1, grid[1]), (0, strides[1]), (batches[2], batches[1]))
    c = fragments_layout(fragments["c"], grid, strides, batches[:2])
    tile = [g * x * y for g, x, y in zip((*grid, 1), batches, (m, n, k))]
    rows, columns = (rng.choice([t, max(1, t - 3), 1]) for t in tile[:2])
    depth = rng.choice([0, 1, tile[2], 2 * tile[2] + 3])
    left, right = matrix(rng, rows, max(1, depth), 4), matrix(rng, max(1, depth), columns, 4)
    kind, read = rng.choice([("tensor", read_padded), ("vector", read_vector)])
    A, B, C = f"{kind}<{tile[0]}x{tile[2]}xf16>", f"{kind}<{tile[2]}x{tile[1]}xf16>", f"{kind}<{tile[0]}x{tile[1]}xf32>"

    def laid_out(value, layout, type):
        return f"        %l{value[-1]} = iree_vector_ext.to_layout %{value} to layout({layout}) {{mma_kind = #iree_gpu.mma_layout<{name}>}} : {type}\n"

    body = f"""    %t0 = pcf.shared_executor.run_cluster(%tg)[] () {{
      %z = arith.constant dense<0.0> : {C}
      pcf.cluster_yield %z : {C}
    }} : (!G) -> !T
    %step = arith.constant {tile[2]} : index
    %t1 = scf.for %i = %c0 to %depth step %step iter_args(%it = %t0) -> (!T) {{
      %rest = arith.subi %depth, %i : index
      %left = arith.minsi %rest, %step : index
      %nx = pcf.shared_executor.run_cluster(%it)[] (%acc: {C}) {{
{read("va", "!R_a", "0, %i", (str(rows), "%left"), A)}{read("vb", "!R_b", "%i, 0", ("%left", str(columns)), B)}{laid_out("va", a, A)}{laid_out("vb", b, B)}{laid_out("acc", c, C)}        %d = {multiply(A, B, C)}
        pcf.cluster_yield %d : {C}
      }} : (!T) -> !T
      scf.yield %nx : !T
    }}
    pcf.shared_executor.run_cluster(%t1)[] (%v: {C}) {{
{write_corner("!R_out", rows, columns, C)}      pcf.cluster_yield
    }} : (!T)
"""

    arguments = {"a": (rows, max(1, depth)), "b": (max(1, depth), columns), "out": (rows, columns)}
    elements = {"a": "f16", "b": "f16", "out": "f32"}
    text = kernel(machine, arguments, {"depth": depth}, body, f"!T = !pcf.threadgroup<#s, {{{C}}}>\n", elements)
    result = [sum(left[r][i] * right[i][q] for i in range(depth)) for r in range(rows) for q in range(columns)]
    return Program(text, [arguments["a"], flat(left), arguments["b"], flat(right), arguments["out"], {"depth": depth}], result, elements=elements,
                   computes="inner_tiled" if depth else None)


FAMILIES = (product,)
