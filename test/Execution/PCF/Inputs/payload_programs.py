"""Programs of phases whose payload is laid out, for layouts.py. A family draws one program for a machine."""
from drawn_layouts import POISON, Program, flat, kernel, matrix, random_layout, shape_of


def chain(rng, machine):
    """PCF-74, PCF-69: a phase lays out what a loop carries; slices have strides, and are smaller than their vectors."""
    rows, columns = shape_of(rng)
    strides = rng.choice([1, 2, 3]), rng.choice([1, 1, 2])
    used = [rng.choice([0, 1, rows - 1, rows]), rng.choice([1, max(1, columns - 3), columns])]
    offset = rng.randint(0, 3), rng.randint(0, 3)
    source = matrix(rng, offset[0] + rows * strides[0], offset[1] + columns * strides[1])
    turns, written = rng.choice([0, 1, 3]), (rng.randint(0, rows), rng.randint(1, columns))
    anchor = rng.choice(["read", "turn", "write"])
    layout = machine.layout(rng, (rows, columns))
    dynamic = rng.random() < 0.7
    vector = f"vector<{rows}x{columns}xi32>"

    def laid_out(where, value):
        if where != anchor:
            return value, ""
        return f"{value}_l", f"      {value}_l = iree_vector_ext.to_layout {value} to layout({layout}) : {vector}\n"

    def body(refs):
        sizes = "[%m, %n]" if dynamic else str(used)
        ends = "[%k, %l]" if dynamic else str(list(written))
        x, at_read = laid_out("read", "%x")
        y, at_turn = laid_out("turn", "%y")
        w, at_write = laid_out("write", "%w")
        return f"""    %t0 = pcf.shared_executor.run_cluster(%tg)[] () {{
      %x = pcf.read_slice %in{list(offset)} {sizes} {list(strides)} : {refs['in']} to {vector}
{at_read}      pcf.cluster_yield {x} : {vector}
    }} : (!G) -> !T
    %t1 = scf.for %i = %c0 to %turns step %c1 iter_args(%it = %t0) -> (!T) {{
      %nx = pcf.shared_executor.run_cluster(%it)[] (%p: {vector}) {{
      %three = arith.constant dense<3> : {vector}
      %q = arith.muli %p, %three : {vector}
      %ii = arith.index_cast %i : index to i32
      %ib = vector.broadcast %ii : i32 to {vector}
      %y = arith.addi %q, %ib : {vector}
{at_turn}      pcf.cluster_yield {y} : {vector}
      }} : (!T) -> !T
      scf.yield %nx : !T
    }}
    pcf.shared_executor.run_cluster(%t1)[] (%w: {vector}) {{
{at_write}      pcf.write_slice {w} into %out[1, 2] {ends} [1, 1] : {vector} into {refs['out']}
      pcf.cluster_yield
    }} : (!T)
"""
    arguments = {"in": (len(source), len(source[0])), "out": (rows + 2, columns + 3)}
    scalars = {"turns": turns, "m": used[0], "n": used[1], "k": written[0], "l": written[1]}
    text = kernel(machine, arguments, scalars, body, f"!T = !pcf.threadgroup<#s, {{{vector}}}>\n")
    result = [[POISON] * (columns + 3) for _ in range(rows + 2)]
    for r in range(written[0]):
        for c in range(written[1]):
            inside = r < used[0] and c < used[1]
            x = source[offset[0] + r * strides[0]][offset[1] + c * strides[1]] if inside else 0
            for i in range(turns):
                x = 3 * x + i
            result[r + 1][c + 2] = x
    return Program(text, [arguments["in"], flat(source), arguments["out"], scalars], flat(result))


def classes(rng, machine):
    """PCF-71: two classes of one type, in one loop and through branches; a phase adds the one to the other's transpose."""
    n = rng.choice([4, 8, 12, 32])
    layout, vector = machine.layout(rng, (n, n)), f"vector<{n}x{n}xi32>"
    a, b, turns, swapped = matrix(rng, n, n), matrix(rng, n, n), rng.choice([1, 2, 3]), rng.randint(0, 1)

    def body(refs):
        def read(name):
            return f"""    %{name}0 = pcf.shared_executor.run_cluster(%tg)[] () {{
      %x = pcf.read_slice %{name}[0, 0] [{n}, {n}] [1, 1] : {refs[name]} to {vector}
      pcf.cluster_yield %x : {vector}
    }} : (!G) -> !T
"""
        return read("a") + read("b") + f"""    %l:2 = scf.for %i = %c0 to %turns step %c1 iter_args(%x = %a0, %y = %b0) -> (!T, !T) {{
      %z = pcf.shared_executor.run_cluster(%x, %y)[] (%p: {vector}, %q: {vector}) {{
        %t = vector.transpose %q, [1, 0] : {vector} to {vector}
        %s = arith.addi %p, %t : {vector}
        %l = iree_vector_ext.to_layout %s to layout({layout}) : {vector}
        pcf.cluster_yield %l : {vector}
      }} : (!T, !T) -> !T
      %flag = arith.cmpi eq, %i, %swapped : index
      %u = scf.if %flag -> (!T) {{
        %v = pcf.shared_executor.run_cluster(%z)[] (%p: {vector}) {{
          %s = arith.addi %p, %p : {vector}
          pcf.cluster_yield %s : {vector}
        }} : (!T) -> !T
        scf.yield %v : !T
      }} else {{
        scf.yield %z : !T
      }}
      scf.yield %u, %y : !T, !T
    }}
    pcf.shared_executor.run_cluster(%l#0, %l#1)[] (%p: {vector}, %q: {vector}) {{
      pcf.write_slice %p into %out[0, 0] [{n}, {n}] [1, 1] : {vector} into {refs['out']}
      pcf.write_slice %q into %out[{n}, 0] [{n}, {n}] [1, 1] : {vector} into {refs['out']}
      pcf.cluster_yield
    }} : (!T, !T)
"""
    arguments = {"a": (n, n), "b": (n, n), "out": (2 * n, n)}
    scalars = {"turns": turns, "swapped": swapped}
    text = kernel(machine, arguments, scalars, body, f"!T = !pcf.threadgroup<#s, {{{vector}}}>\n")
    x = a
    for i in range(turns):
        x = [[x[r][c] + b[c][r] for c in range(n)] for r in range(n)]
        x = [[2 * v for v in row] for row in x] if i == swapped else x
    return Program(text, [(n, n), flat(a), (n, n), flat(b), (2 * n, n), scalars], flat(x) + flat(b))


def sums(rng, machine):
    """PCF-72: numbers among the payload, and rows' sums that several members hold: each is written once."""
    rows, columns = rng.choice([(8, 16), (4, 32), (3, 10), (1, 64), (12, 20), (5, 1)])
    layout, vector, row = machine.layout(rng, (rows, columns)), f"vector<{rows}x{columns}xi32>", f"vector<{rows}xi32>"
    a, turns = matrix(rng, rows, columns), rng.choice([1, 2])

    def body(refs):
        return f"""    %t0 = pcf.shared_executor.run_cluster(%tg)[] () {{
      %z = arith.constant dense<0> : {row}
      %n = arith.constant 5 : i32
      %i = arith.constant 7 : index
      pcf.cluster_yield %z, %n, %i : {row}, i32, index
    }} : (!G) -> !T
    %t1 = scf.for %i = %c0 to %turns step %c1 iter_args(%it = %t0) -> (!T) {{
      %nx = pcf.shared_executor.run_cluster(%it)[] (%s: {row}, %n: i32, %k: index) {{
        %x = pcf.read_slice %a[0, 0] [{rows}, {columns}] [1, 1] : {refs['a']} to {vector}
        %l = iree_vector_ext.to_layout %x to layout({layout}) : {vector}
        %m = vector.broadcast %n : i32 to {vector}
        %y = arith.muli %l, %m : {vector}
        %r = vector.multi_reduction <add>, %y, %s [1] : {vector} to {row}
        %all = vector.multi_reduction <maxsi>, %y, %n [0, 1] : {vector} to i32
        %k1 = arith.addi %k, %k : index
        pcf.cluster_yield %r, %all, %k1 : {row}, i32, index
      }} : (!T) -> !T
      scf.yield %nx : !T
    }}
    pcf.shared_executor.run_cluster(%t1)[] (%s: {row}, %n: i32, %k: index) {{
      pcf.write_slice %s into %out[0] [{rows}] [1] : {row} into {refs['out']}
      %ki = arith.index_cast %k : index to i32
      %o = arith.addi %n, %ki : i32
      %v = vector.broadcast %o : i32 to vector<1xi32>
      %one = iree_vector_ext.to_layout %v to layout({machine.layout(rng, (1,))}) : vector<1xi32>
      pcf.write_slice %one into %out[{rows + 1}] [1] [1] : vector<1xi32> into {refs['out']}
      pcf.cluster_yield
    }} : (!T)
"""
    arguments = {"a": (rows, columns), "out": (rows + 3,)}
    scalars = {"turns": turns}
    text = kernel(machine, arguments, scalars, body, f"!T = !pcf.threadgroup<#s, {{{row}, i32, index}}>\n")
    s, n, k = [0] * rows, 5, 7
    for _ in range(turns):
        y = [[v * n for v in r] for r in a]
        s, n, k = [t + sum(r) for t, r in zip(s, y)], max([n] + flat(y)), 2 * k
    return Program(text, [(rows, columns), flat(a), arguments["out"], scalars], s + [POISON, n + k, POISON])


def relayout(rng, machine):
    """Two phases demand one class in two ways; values move between them, in a loop too (insert-relayout)."""
    n, m = rng.choice([(8, 16), (12, 20), (32, 4), (3, 10)])
    first, second = machine.layout(rng, (n, m)), machine.layout(rng, (n, m))
    vector, a, turns = f"vector<{n}x{m}xi32>", matrix(rng, n, m), rng.choice([1, 3])

    def body(refs):
        return f"""    %t0 = pcf.shared_executor.run_cluster(%tg)[] () {{
      %x = pcf.read_slice %a[0, 0] [{n}, {m}] [1, 1] : {refs['a']} to {vector}
      %l = iree_vector_ext.to_layout %x to layout({first}) : {vector}
      %k = arith.constant 2 : i32
      pcf.cluster_yield %l, %k : {vector}, i32
    }} : (!G) -> !T
    %t1 = scf.for %i = %c0 to %turns step %c1 iter_args(%it = %t0) -> (!T) {{
      %nx = pcf.shared_executor.run_cluster(%it)[] (%p: {vector}, %k: i32) {{
        %b = vector.broadcast %k : i32 to {vector}
        %l = iree_vector_ext.to_layout %b to layout({second}) : {vector}
        %y = arith.muli %p, %l : {vector}
        %k1 = arith.addi %k, %k : i32
        pcf.cluster_yield %y, %k1 : {vector}, i32
      }} : (!T) -> !T
      scf.yield %nx : !T
    }}
    pcf.shared_executor.run_cluster(%t1)[] (%w: {vector}, %k: i32) {{
      pcf.write_slice %w into %out[0, 0] [{n}, {m}] [1, 1] : {vector} into {refs['out']}
      pcf.cluster_yield
    }} : (!T)
"""
    arguments = {"a": (n, m), "out": (n, m)}
    text = kernel(machine, arguments, {"turns": turns}, body, f"!T = !pcf.threadgroup<#s, {{{vector}, i32}}>\n")
    factor, k = 1, 2
    for _ in range(turns):
        factor, k = factor * k, 2 * k
    return Program(text, [(n, m), flat(a), (n, m), {"turns": turns}], [factor * v for v in flat(a)], " insert-relayout")


def renamed(rng, machine):
    """Phases whose layouts differ in batches and outers alone need no relayout: registers are renamed, of what comes in and what goes out."""
    n, m = rng.choice([(16, 16), (24, 8), (32, 32)])
    first = machine.layout(rng, (n, m))
    vector, a, turns = f"vector<{n}x{m}xi32>", matrix(rng, n, m), rng.choice([1, 2])

    def body(refs):
        return f"""    %t0 = pcf.shared_executor.run_cluster(%tg)[] () {{
      %x = pcf.read_slice %a[0, 0] [{n}, {m}] [1, 1] : {refs['a']} to {vector}
      %l = iree_vector_ext.to_layout %x to layout({first}) : {vector}
      pcf.cluster_yield %l : {vector}
    }} : (!G) -> !T
    %t1 = scf.for %i = %c0 to %turns step %c1 iter_args(%it = %t0) -> (!T) {{
      %nx = pcf.shared_executor.run_cluster(%it)[] (%p: {vector}) {{
        %b = pcf.read_slice %a[0, 0] [{n}, {m}] [1, 1] : {refs['a']} to {vector}
        %l = iree_vector_ext.to_layout %b to layout({first.renamed()}) : {vector}
        %y = arith.muli %p, %l : {vector}
        pcf.cluster_yield %y : {vector}
      }} : (!T) -> !T
      scf.yield %nx : !T
    }}
    pcf.shared_executor.run_cluster(%t1)[] (%w: {vector}) {{
      pcf.write_slice %w into %out[0, 0] [{n}, {m}] [1, 1] : {vector} into {refs['out']}
      pcf.cluster_yield
    }} : (!T)
"""
    arguments = {"a": (n, m), "out": (n, m)}
    text = kernel(machine, arguments, {"turns": turns}, body, f"!T = !pcf.threadgroup<#s, {{{vector}}}>\n")
    return Program(text, [(n, m), flat(a), (n, m), {"turns": turns}], [v ** (turns + 1) for v in flat(a)])


def exchanges(rng, machine):
    """A phase converts between layouts itself, twice in a loop: members write what others read."""
    n, m = rng.choice([(8, 16), (12, 20), (16, 16), (32, 4)])
    first, second = machine.layout(rng, (n, m)), machine.layout(rng, (n, m))
    vector, a, turns = f"vector<{n}x{m}xi32>", matrix(rng, n, m), rng.choice([1, 3])

    def body(refs):
        return f"""    %t0 = pcf.shared_executor.run_cluster(%tg)[] () {{
      %x = pcf.read_slice %a[0, 0] [{n}, {m}] [1, 1] : {refs['a']} to {vector}
      pcf.cluster_yield %x : {vector}
    }} : (!G) -> !T
    %t1 = scf.for %i = %c0 to %turns step %c1 iter_args(%it = %t0) -> (!T) {{
      %nx = pcf.shared_executor.run_cluster(%it)[] (%p: {vector}) {{
        %l = iree_vector_ext.to_layout %p to layout({first}) : {vector}
        %q = arith.addi %l, %l : {vector}
        %j = iree_vector_ext.to_layout %q to layout({second}) : {vector}
        %k = arith.constant dense<[{', '.join(str([c * c - r for c in range(m)]) for r in range(n))}]> : {vector}
        %y = arith.addi %j, %k : {vector}
        pcf.cluster_yield %y : {vector}
      }} : (!T) -> !T
      scf.yield %nx : !T
    }}
    pcf.shared_executor.run_cluster(%t1)[] (%w: {vector}) {{
      pcf.write_slice %w into %out[0, 0] [{n}, {m}] [1, 1] : {vector} into {refs['out']}
      pcf.cluster_yield
    }} : (!T)
"""
    arguments = {"a": (n, m), "out": (n, m)}
    text = kernel(machine, arguments, {"turns": turns}, body, f"!T = !pcf.threadgroup<#s, {{{vector}}}>\n")
    x = a
    for _ in range(turns):
        x = [[2 * v + c * c - r for c, v in enumerate(row)] for r, row in enumerate(x)]
    return Program(text, [(n, m), flat(a), (n, m), {"turns": turns}], flat(x))


def defaults(rng, machine):
    """No phase says anything: vectors of its shape take the layout that is the way to distribute; a phase reads what its members wrote, there and one row on, and writes it again."""
    n, m = rng.choice([(8, 16), (12, 20), (32, 4), (3, 10)])
    vector, a = f"vector<{n}x{m}xi32>", matrix(rng, n, m)

    def body(refs):
        return f"""    pcf.shared_executor.run_cluster(%tg)[] () {{
      %x = pcf.read_slice %a[0, 0] [{n}, {m}] [1, 1] : {refs['a']} to {vector}
      %y = arith.addi %x, %x : {vector}
      %c = arith.constant dense<9> : {vector}
      pcf.write_slice %c into %out[{n}, 0] [{n}, {m}] [1, 1] : {vector} into {refs['out']}
      pcf.write_slice %y into %out[0, 0] [{n}, {m}] [1, 1] : {vector} into {refs['out']}
      %same = pcf.read_slice %out[0, 0] [{n}, {m}] [1, 1] : {refs['out']} to {vector}
      %below = pcf.read_slice %out[1, 0] [{n}, {m}] [1, 1] : {refs['out']} to {vector}
      %w = arith.addi %same, %below : {vector}
      pcf.write_slice %w into %out[0, 0] [{n}, {m}] [1, 1] : {vector} into {refs['out']}
      pcf.cluster_yield
    }} : (!G)
"""
    arguments = {"a": (n, m), "out": (2 * n, m)}
    text = kernel(machine, arguments, {}, body)
    below = [[2 * v for v in row] for row in a[1:]] + [[9] * m]
    shifted = [x + 2 * v for x, v in zip(flat(below), flat(a))]
    return Program(text, [(n, m), flat(a), (2 * n, m), {}], shifted + [9] * (n * m), default=machine.layout(rng, (n, m)))


def boxes(rng, machine):
    """PCF-73: the sample of 6.4, on tensors, by layouts and by boxes."""
    n, m, turns, start = rng.choice([64, 32, 12, 1]), rng.choice([64, 5, 1]), rng.choice([0, 2, 3]), rng.randint(-4, 4)
    tensor = f"tensor<{n}x{m}xi32>"

    def body(refs):
        return f"""    %t0 = pcf.shared_executor.run_cluster(%tg)[] () {{
      %cst = arith.constant {start} : i32
      %e = tensor.empty() : {tensor}
      %z = linalg.fill ins(%cst : i32) outs(%e : {tensor}) -> {tensor}
      pcf.cluster_yield %z : {tensor}
    }} : (!G) -> !T
    %t1 = scf.for %i = %c0 to %turns step %c1 iter_args(%it = %t0) -> (!T) {{
      %nx = pcf.shared_executor.run_cluster(%it)[] (%x: {tensor}) {{
        %y = linalg.mul ins(%x, %x : {tensor}, {tensor}) outs(%x : {tensor}) -> {tensor}
        pcf.cluster_yield %y : {tensor}
      }} : (!T) -> !T
      scf.yield %nx : !T
    }}
    pcf.shared_executor.run_cluster(%t1)[] (%x: {tensor}) {{
      pcf.write_slice %x into %out[0, 0] [{n}, {m}] [1, 1] : {tensor} into {refs['out']}
      pcf.cluster_yield
    }} : (!T)
"""
    arguments = {"out": (n, m)}
    text = kernel(machine, arguments, {"turns": turns}, body, f"!T = !pcf.threadgroup<#s, {{{tensor}}}>\n")
    value = start
    for _ in range(turns):
        value *= value
    return Program(text, [(n, m), {"turns": turns}], [value] * (n * m), default=machine.layout(rng, (n, m)), by_boxes="resolve")


def turned(rng, machine):
    """A loop carries what it transposes: its phase gets its argument in one way and hands it on in another (insert-relayout)."""
    n, turns = rng.choice([4, 8, 12, 32]), rng.choice([1, 2, 3])
    tensor, a = f"tensor<{n}x{n}xi32>", matrix(rng, n, n)

    def body(refs):
        return f"""    %t0 = pcf.shared_executor.run_cluster(%tg)[] () {{
      %x = pcf.read_slice %a[0, 0] [{n}, {n}] [1, 1] : {refs['a']} to {tensor}
      pcf.cluster_yield %x, %c2 : {tensor}, index
    }} : (!G) -> !T
    %t1 = scf.for %i = %c0 to %turns step %c1 iter_args(%it = %t0) -> (!T) {{
      %nx = pcf.shared_executor.run_cluster(%it)[] (%x: {tensor}, %k: index) {{
        %e = tensor.empty() : {tensor}
        %y = linalg.transpose ins(%x : {tensor}) outs(%e : {tensor}) permutation = [1, 0]
        %c = arith.constant dense<1> : {tensor}
        %z = linalg.add ins(%y, %c : {tensor}, {tensor}) outs(%e : {tensor}) -> {tensor}
        %isFirst = arith.cmpi eq, %k, %c2 : index
        %w = arith.select %isFirst, %z, %y : {tensor}
        %k1 = arith.addi %k, %k : index
        pcf.cluster_yield %w, %k1 : {tensor}, index
      }} : (!T) -> !T
      scf.yield %nx : !T
    }}
    pcf.shared_executor.run_cluster(%t1)[] (%x: {tensor}, %k: index) {{
      pcf.write_slice %x into %out[0, 0] [{n}, {n}] [1, 1] : {tensor} into {refs['out']}
      pcf.cluster_yield
    }} : (!T)
"""
    arguments = {"a": (n, n), "out": (n, n)}
    text = kernel(machine, arguments, {"turns": turns}, body, f"!T = !pcf.threadgroup<#s, {{{tensor}, index}}>\n")
    x = a
    for turn in range(turns):
        x = [[x[c][r] + (turn == 0) for c in range(n)] for r in range(n)]
    default = machine.layout(rng, (n, n))
    return Program(text, [(n, n), flat(a), (n, n), {"turns": turns}], flat(x), " insert-relayout", default, by_boxes="telescope" if machine.subgroups > 1 else None)


def clusters(rng, machine):
    """Two clusters, one of which may be empty, each in its own layout; a class of one changes its layout between barriers of its members."""
    split = rng.randint(0, machine.subgroups if machine.subgroups > 1 else machine.lanes)
    members = machine.subgroups if machine.subgroups > 1 else machine.lanes
    n, m = rng.choice([(8, 16), (12, 20), (32, 4)])
    a, turns, vector = matrix(rng, n, m), rng.choice([1, 2]), f"vector<{n}x{m}xi32>"

    def layout(count):
        # Nobody runs an empty cluster; its code is what that of any other would be.
        count = count or 2
        return random_layout(rng, (n, m), machine.lanes, count) if machine.subgroups > 1 else random_layout(rng, (n, m), count)

    def body(refs):
        text = f"""    %k = arith.constant {split} : index
    pcf.shared_executor.tile_group %tg ns(w) split [[%k]] (%x: !X, %y: !Y) {{
"""
        for part, (name, handle, payload, count) in enumerate([("x", "!X", "!XT", split), ("y", "!Y", "!YT", members - split)]):
            relays = machine.subgroups > 1
            first = layout(count)
            second = layout(count) if relays else first
            text += f"""      %{name}0 = pcf.shared_executor.run_cluster(%{name})[%k] () {{
        %v = pcf.read_slice %a[0, 0] [{n}, {m}] [1, 1] : {refs['a']} to {vector}
        %l = iree_vector_ext.to_layout %v to layout({first}) : {vector}
        pcf.cluster_yield %l : {vector}
      }} : ({handle}) -> {payload}
      %{name}1 = scf.for %i = %c0 to %turns step %c1 iter_args(%it = %{name}0) -> ({payload}) {{
        %nx = pcf.shared_executor.run_cluster(%it)[%k] (%p: {vector}) {{
          %c = arith.constant dense<{part + 2}> : {vector}
          %l = iree_vector_ext.to_layout %c to layout({second}) : {vector}
          %s = arith.muli %p, %l : {vector}
          pcf.cluster_yield %s : {vector}
        }} : ({payload}) -> {payload}
        scf.yield %nx : {payload}
      }}
      pcf.shared_executor.run_cluster(%{name}1)[%k] (%p: {vector}) {{
        pcf.write_slice %p into %out[{part * n}, 0] [{n}, {m}] [1, 1] : {vector} into {refs['out']}
        pcf.cluster_yield
      }} : ({payload})
"""
        return text + "      pcf.return\n    } : !G\n"

    aliases = "".join(f"!{name.upper()} = !pcf.cluster<#s, {bounds}, w.{name}>\n!{name.upper()}T = !pcf.cluster<#s, {bounds}, shared: {{{vector}}}, w.{name}>\n"
                      for name, bounds in (("x", "(0 -> d0)"), ("y", "(d0 -> s0)")))
    arguments = {"a": (n, m), "out": (2 * n, m)}
    text = kernel(machine, arguments, {"turns": turns}, body, aliases)
    result = [v * f ** turns if count else POISON for f, count in ((2, split), (3, members - split)) for v in flat(a)]
    return Program(text, [(n, m), flat(a), (2 * n, m), {"turns": turns}], result, " insert-relayout")


def waits(rng, machine):
    """One exchange per turn of a loop: members write where others have read in the turn before."""
    n, turns = rng.choice([8, 12, 32]), rng.choice([2, 3])
    layout, vector, a = machine.layout(rng, (n, n)), f"vector<{n}x{n}xi32>", matrix(rng, n, n)

    def body(refs):
        return f"""    %t0 = pcf.shared_executor.run_cluster(%tg)[] () {{
      %x = pcf.read_slice %a[0, 0] [{n}, {n}] [1, 1] : {refs['a']} to {vector}
      pcf.cluster_yield %x : {vector}
    }} : (!G) -> !T
    %t1 = scf.for %i = %c0 to %turns step %c1 iter_args(%it = %t0) -> (!T) {{
      %nx = pcf.shared_executor.run_cluster(%it)[] (%p: {vector}) {{
        %t = vector.transpose %p, [1, 0] : {vector} to {vector}
        %c = arith.constant dense<1> : {vector}
        %s = arith.addi %t, %c : {vector}
        %y = iree_vector_ext.to_layout %s to layout({layout}) : {vector}
        pcf.cluster_yield %y : {vector}
      }} : (!T) -> !T
      scf.yield %nx : !T
    }}
    pcf.shared_executor.run_cluster(%t1)[] (%w: {vector}) {{
      pcf.write_slice %w into %out[0, 0] [{n}, {n}] [1, 1] : {vector} into {refs['out']}
      pcf.cluster_yield
    }} : (!T)
"""
    arguments = {"a": (n, n), "out": (n, n)}
    text = kernel(machine, arguments, {"turns": turns}, body, f"!T = !pcf.threadgroup<#s, {{{vector}}}>\n")
    x = a
    for _ in range(turns):
        x = [[x[c][r] + 1 for c in range(n)] for r in range(n)]
    return Program(text, [(n, n), flat(a), (n, n), {"turns": turns}], flat(x))


def bits(rng, machine):
    """Payload of bits and of bytes, which a relayout moves between members (insert-relayout)."""
    n, m, turns = rng.choice([(8, 16), (12, 20), (32, 4)]) + (rng.choice([1, 2]),)
    first, second, a = machine.layout(rng, (n, m)), machine.layout(rng, (n, m)), matrix(rng, n, m)
    numbers, flags, small = f"vector<{n}x{m}xi32>", f"vector<{n}x{m}xi1>", f"vector<{n}x{m}xi8>"

    def body(refs):
        return f"""    %t0 = pcf.shared_executor.run_cluster(%tg)[] () {{
      %x = pcf.read_slice %a[0, 0] [{n}, {m}] [1, 1] : {refs['a']} to {numbers}
      %z = arith.constant dense<0> : {numbers}
      %c = arith.cmpi sgt, %x, %z : {numbers}
      %l = iree_vector_ext.to_layout %c to layout({first}) : {flags}
      %s = arith.trunci %x : {numbers} to {small}
      pcf.cluster_yield %l, %s : {flags}, {small}
    }} : (!G) -> !T
    %t1 = scf.for %i = %c0 to %turns step %c1 iter_args(%it = %t0) -> (!T) {{
      %nx = pcf.shared_executor.run_cluster(%it)[] (%p: {flags}, %s: {small}) {{
        %one = arith.constant dense<true> : {flags}
        %l = iree_vector_ext.to_layout %one to layout({second}) : {flags}
        %y = arith.xori %p, %l : {flags}
        %s1 = arith.addi %s, %s : {small}
        pcf.cluster_yield %y, %s1 : {flags}, {small}
      }} : (!T) -> !T
      scf.yield %nx : !T
    }}
    pcf.shared_executor.run_cluster(%t1)[] (%p: {flags}, %s: {small}) {{
      %e = arith.extsi %s : {small} to {numbers}
      %z = arith.constant dense<1000> : {numbers}
      %v = arith.select %p, %e, %z : {flags}, {numbers}
      pcf.write_slice %v into %out[0, 0] [{n}, {m}] [1, 1] : {numbers} into {refs['out']}
      pcf.cluster_yield
    }} : (!T)
"""
    arguments = {"a": (n, m), "out": (n, m)}
    text = kernel(machine, arguments, {"turns": turns}, body, f"!T = !pcf.threadgroup<#s, {{{flags}, {small}}}>\n")
    result = [v * 2 ** turns if (v > 0) == (turns % 2 == 0) else 1000 for v in flat(a)]
    return Program(text, [(n, m), flat(a), (n, m), {"turns": turns}], result, " insert-relayout")


def bodies(rng, machine):
    """A phase with a loop, a branch and memrefs in it: slices and memory move with the loop, in which members wait for each other."""
    n, m, turns = rng.choice([(8, 16), (12, 20), (32, 4)]) + (rng.choice([1, 3]),)
    a, vector = matrix(rng, n + 3, m), f"vector<{n}x{m}xi32>"
    layout, other = machine.layout(rng, (n, m)), machine.layout(rng, (n, m))
    memref = f"memref<{n}x{m}xi32, strided<[?, ?], offset: ?>>"

    def body(refs):
        return f"""    pcf.shared_executor.run_cluster(%tg)[] () {{
      %memory = pcf.get_memref %out[0, 0] [{n}, {m}] [1, 1] : {refs['out']} to {memref}
      %z = arith.constant dense<0> : {vector}
      %pad = arith.constant 0 : i32
      %sum = scf.for %i = %c0 to %turns step %c1 iter_args(%acc = %z) -> ({vector}) {{
        %x = pcf.read_slice %a[%i, 0] [{n}, {m}] [1, 1] : {refs['a']} to {vector}
        %l = iree_vector_ext.to_layout %x to layout({layout}) : {vector}
        vector.transfer_write %l, %memory[%c0, %c0] {{in_bounds = [true, true]}} : {vector}, {memref}
        %again = vector.transfer_read %memory[%c0, %c0], %pad {{in_bounds = [true, true]}} : {memref}, {vector}
        %o = iree_vector_ext.to_layout %again to layout({other}) : {vector}
        %flag = arith.cmpi eq, %i, %c1 : index
        %y = scf.if %flag -> ({vector}) {{
          %d = arith.addi %o, %o : {vector}
          scf.yield %d : {vector}
        }} else {{
          scf.yield %o : {vector}
        }}
        %s = arith.addi %acc, %y : {vector}
        scf.yield %s : {vector}
      }}
      vector.transfer_write %sum, %memory[%c0, %c0] {{in_bounds = [true, true]}} : {vector}, {memref}
      %seven = arith.constant 7 : i32
      memref.store %seven, %memory[%c1, %c0] : {memref}
      %first = memref.load %memory[%c0, %c0] : {memref}
      memref.store %first, %memory[%c2, %c1] : {memref}
      pcf.cluster_yield
    }} : (!G)
"""
    arguments = {"a": (n + 3, m), "out": (n, m)}
    text = kernel(machine, arguments, {"turns": turns}, body)
    result = [[sum((2 if i == 1 else 1) * a[r + i][c] for i in range(turns)) for c in range(m)] for r in range(n)]
    result[1][0], result[2][1] = 7, result[0][0]
    return Program(text, [(n + 3, m), flat(a), (n, m), {"turns": turns}], flat(result))


FAMILIES = (chain, classes, sums, relayout, renamed, exchanges, defaults, boxes, turned, clusters, bits, bodies, waits)
