"""Programs of phases whose payload is laid out, for layouts.py. A family draws one program for a machine."""
from drawn_layouts import POISON, Program, flat, kernel, matrix, random_layout, shape_of


def whole(ref, type):
    """All of an argument, as slices name it."""
    sizes = type[type.index("<") + 1:-1].split("x")[:-1]
    return f"%{ref}[{', '.join('0' * len(sizes))}] [{', '.join(sizes)}] [{', '.join('1' * len(sizes))}]"


def read(into, ref, type):
    return f"%{into} = pcf.read_slice {whole(ref, type)} : !R_{ref} to {type}"


def write(value, ref, type):
    return f"pcf.write_slice %{value} into {whole(ref, type)} : {type} into !R_{ref}"


def laid_out(into, value, layout, type):
    return f"%{into} = iree_vector_ext.to_layout %{value} to layout({layout}) : {type}"


def looped(machine, arguments, scalars, fields, start, turn, end):
    """A kernel whose payload, of fields (name -> type), one phase makes, another changes in every turn of a loop, and a
    last one takes: what each does, and what the first two yield."""
    types, values = ", ".join(fields.values()), ", ".join(f"%{name}: {type}" for name, type in fields.items())
    body = f"""    %t0 = pcf.shared_executor.run_cluster(%tg)[] () {{
      {start[0]}
      pcf.cluster_yield {start[1]} : {types}
    }} : (!G) -> !T
    %t1 = scf.for %i = %c0 to %turns step %c1 iter_args(%it = %t0) -> (!T) {{
      %nx = pcf.shared_executor.run_cluster(%it)[] ({values}) {{
        {turn[0]}
        pcf.cluster_yield {turn[1]} : {types}
      }} : (!T) -> !T
      scf.yield %nx : !T
    }}
    pcf.shared_executor.run_cluster(%t1)[] ({values}) {{
      {end}
      pcf.cluster_yield
    }} : (!T)
"""
    return kernel(machine, arguments, scalars, body, f"!T = !pcf.threadgroup<#s, {{{types}}}>\n")


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

    def at(where, value):
        return (f"{value}l", laid_out(f"{value}l", value, layout, vector)) if where == anchor else (value, "")

    (x, at_read), (y, at_turn), (w, at_write) = at("read", "x"), at("turn", "y"), at("write", "p")
    sizes, ends = ("[%m, %n]", "[%k, %l]") if dynamic else (used, list(written))
    start = f"""%x = pcf.read_slice %in{list(offset)} {sizes} {list(strides)} : !R_in to {vector}
      {at_read}"""
    turn = f"""%three = arith.constant dense<3> : {vector}
        %q = arith.muli %p, %three : {vector}
        %ii = arith.index_cast %i : index to i32
        %ib = vector.broadcast %ii : i32 to {vector}
        %y = arith.addi %q, %ib : {vector}
        {at_turn}"""
    end = f"""{at_write}
      pcf.write_slice %{w} into %out[1, 2] {ends} [1, 1] : {vector} into !R_out"""
    arguments = {"in": (len(source), len(source[0])), "out": (rows + 2, columns + 3)}
    scalars = {"turns": turns, "m": used[0], "n": used[1], "k": written[0], "l": written[1]}
    text = looped(machine, arguments, scalars, {"p": vector}, (start, f"%{x}"), (turn, f"%{y}"), end)
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

    def begin(name):
        return f"""    %{name}0 = pcf.shared_executor.run_cluster(%tg)[] () {{
      {read("x", name, vector)}
      pcf.cluster_yield %x : {vector}
    }} : (!G) -> !T
"""
    body = begin("a") + begin("b") + f"""    %l:2 = scf.for %i = %c0 to %turns step %c1 iter_args(%x = %a0, %y = %b0) -> (!T, !T) {{
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
      pcf.write_slice %p into %out[0, 0] [{n}, {n}] [1, 1] : {vector} into !R_out
      pcf.write_slice %q into %out[{n}, 0] [{n}, {n}] [1, 1] : {vector} into !R_out
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
    start = f"""%z = arith.constant dense<0> : {row}
      %n = arith.constant 5 : i32
      %i = arith.constant 7 : index"""
    turn = f"""{read("x", "a", vector)}
        {laid_out("l", "x", layout, vector)}
        %m = vector.broadcast %n : i32 to {vector}
        %y = arith.muli %l, %m : {vector}
        %r = vector.multi_reduction <add>, %y, %s [1] : {vector} to {row}
        %all = vector.multi_reduction <maxsi>, %y, %n [0, 1] : {vector} to i32
        %k1 = arith.addi %k, %k : index"""
    end = f"""{write("s", "out", row)}
      %ki = arith.index_cast %k : index to i32
      %o = arith.addi %n, %ki : i32
      %v = vector.broadcast %o : i32 to vector<1xi32>
      {laid_out("one", "v", machine.layout(rng, (1,)), "vector<1xi32>")}
      pcf.write_slice %one into %out[{rows + 1}] [1] [1] : vector<1xi32> into !R_out"""
    arguments = {"a": (rows, columns), "out": (rows + 3,)}
    scalars = {"turns": turns}
    text = looped(machine, arguments, scalars, {"s": row, "n": "i32", "k": "index"}, (start, "%z, %n, %i"), (turn, "%r, %all, %k1"), end)
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
    start = f"""{read("x", "a", vector)}
      {laid_out("l", "x", first, vector)}
      %k = arith.constant 2 : i32"""
    turn = f"""%b = vector.broadcast %k : i32 to {vector}
        {laid_out("l", "b", second, vector)}
        %y = arith.muli %p, %l : {vector}
        %k1 = arith.addi %k, %k : i32"""
    arguments = {"a": (n, m), "out": (n, m)}
    text = looped(machine, arguments, {"turns": turns}, {"p": vector, "k": "i32"}, (start, "%l, %k"), (turn, "%y, %k1"), write("p", "out", vector))
    factor, k = 1, 2
    for _ in range(turns):
        factor, k = factor * k, 2 * k
    return Program(text, [(n, m), flat(a), (n, m), {"turns": turns}], [factor * v for v in flat(a)], " insert-relayout")


def renamed(rng, machine):
    """Phases whose layouts differ in batches and outers alone need no relayout: registers are renamed, of what comes in and what goes out."""
    n, m = rng.choice([(16, 16), (24, 8), (32, 32)])
    first = machine.layout(rng, (n, m))
    vector, a, turns = f"vector<{n}x{m}xi32>", matrix(rng, n, m), rng.choice([1, 2])
    start = f"""{read("x", "a", vector)}
      {laid_out("l", "x", first, vector)}"""
    turn = f"""{read("b", "a", vector)}
        {laid_out("l", "b", first.renamed(), vector)}
        %y = arith.muli %p, %l : {vector}"""
    arguments = {"a": (n, m), "out": (n, m)}
    text = looped(machine, arguments, {"turns": turns}, {"p": vector}, (start, "%l"), (turn, "%y"), write("p", "out", vector))
    return Program(text, [(n, m), flat(a), (n, m), {"turns": turns}], [v ** (turns + 1) for v in flat(a)])


def exchanges(rng, machine):
    """A phase converts between layouts itself, twice in a loop: members write what others read."""
    n, m = rng.choice([(8, 16), (12, 20), (16, 16), (32, 4)])
    first, second = machine.layout(rng, (n, m)), machine.layout(rng, (n, m))
    vector, a, turns = f"vector<{n}x{m}xi32>", matrix(rng, n, m), rng.choice([1, 3])
    turn = f"""{laid_out("l", "p", first, vector)}
        %q = arith.addi %l, %l : {vector}
        {laid_out("j", "q", second, vector)}
        %k = arith.constant dense<[{', '.join(str([c * c - r for c in range(m)]) for r in range(n))}]> : {vector}
        %y = arith.addi %j, %k : {vector}"""
    arguments = {"a": (n, m), "out": (n, m)}
    text = looped(machine, arguments, {"turns": turns}, {"p": vector}, (read("x", "a", vector), "%x"), (turn, "%y"), write("p", "out", vector))
    x = a
    for _ in range(turns):
        x = [[2 * v + c * c - r for c, v in enumerate(row)] for r, row in enumerate(x)]
    return Program(text, [(n, m), flat(a), (n, m), {"turns": turns}], flat(x))


def defaults(rng, machine):
    """No phase says anything: vectors of its shape take the layout that is the way to distribute; a phase reads what its members wrote, there and one row on, and writes it again."""
    n, m = rng.choice([(8, 16), (12, 20), (32, 4), (3, 10)])
    vector, a = f"vector<{n}x{m}xi32>", matrix(rng, n, m)
    body = f"""    pcf.shared_executor.run_cluster(%tg)[] () {{
      %x = pcf.read_slice %a[0, 0] [{n}, {m}] [1, 1] : !R_a to {vector}
      %y = arith.addi %x, %x : {vector}
      %c = arith.constant dense<9> : {vector}
      pcf.write_slice %c into %out[{n}, 0] [{n}, {m}] [1, 1] : {vector} into !R_out
      pcf.write_slice %y into %out[0, 0] [{n}, {m}] [1, 1] : {vector} into !R_out
      %same = pcf.read_slice %out[0, 0] [{n}, {m}] [1, 1] : !R_out to {vector}
      %below = pcf.read_slice %out[1, 0] [{n}, {m}] [1, 1] : !R_out to {vector}
      %w = arith.addi %same, %below : {vector}
      pcf.write_slice %w into %out[0, 0] [{n}, {m}] [1, 1] : {vector} into !R_out
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
    n, m, turns, value = rng.choice([64, 32, 12, 1]), rng.choice([64, 5, 1]), rng.choice([0, 2, 3]), rng.randint(-4, 4)
    tensor = f"tensor<{n}x{m}xi32>"
    start = f"""%cst = arith.constant {value} : i32
      %e = tensor.empty() : {tensor}
      %z = linalg.fill ins(%cst : i32) outs(%e : {tensor}) -> {tensor}"""
    turn = f"%y = linalg.mul ins(%x, %x : {tensor}, {tensor}) outs(%x : {tensor}) -> {tensor}"
    arguments = {"out": (n, m)}
    text = looped(machine, arguments, {"turns": turns}, {"x": tensor}, (start, "%z"), (turn, "%y"), write("x", "out", tensor))
    for _ in range(turns):
        value *= value
    return Program(text, [(n, m), {"turns": turns}], [value] * (n * m), default=machine.layout(rng, (n, m)), by_boxes="resolve")


def turned(rng, machine):
    """A loop carries what it transposes: its phase gets its argument in one way and hands it on in another (insert-relayout)."""
    n, turns = rng.choice([4, 8, 12, 32]), rng.choice([1, 2, 3])
    tensor, a = f"tensor<{n}x{n}xi32>", matrix(rng, n, n)
    turn = f"""%e = tensor.empty() : {tensor}
        %y = linalg.transpose ins(%x : {tensor}) outs(%e : {tensor}) permutation = [1, 0]
        %c = arith.constant dense<1> : {tensor}
        %z = linalg.add ins(%y, %c : {tensor}, {tensor}) outs(%e : {tensor}) -> {tensor}
        %isFirst = arith.cmpi eq, %k, %c2 : index
        %w = arith.select %isFirst, %z, %y : {tensor}
        %k1 = arith.addi %k, %k : index"""
    arguments = {"a": (n, n), "out": (n, n)}
    text = looped(machine, arguments, {"turns": turns}, {"x": tensor, "k": "index"}, (read("x", "a", tensor), "%x, %c2"), (turn, "%w, %k1"), write("x", "out", tensor))
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

    def body():
        text = f"""    %k = arith.constant {split} : index
    pcf.shared_executor.tile_group %tg ns(w) split [[%k]] (%x: !X, %y: !Y) {{
"""
        for part, (name, handle, payload, count) in enumerate([("x", "!X", "!XT", split), ("y", "!Y", "!YT", members - split)]):
            relays = machine.subgroups > 1
            first = layout(count)
            second = layout(count) if relays else first
            text += f"""      %{name}0 = pcf.shared_executor.run_cluster(%{name})[%k] () {{
        %v = pcf.read_slice %a[0, 0] [{n}, {m}] [1, 1] : !R_a to {vector}
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
        pcf.write_slice %p into %out[{part * n}, 0] [{n}, {m}] [1, 1] : {vector} into !R_out
        pcf.cluster_yield
      }} : ({payload})
"""
        return text + "      pcf.return\n    } : !G\n"

    aliases = "".join(f"!{name.upper()} = !pcf.cluster<#s, {bounds}, w.{name}>\n!{name.upper()}T = !pcf.cluster<#s, {bounds}, shared: {{{vector}}}, w.{name}>\n"
                      for name, bounds in (("x", "(0 -> d0)"), ("y", "(d0 -> s0)")))
    arguments = {"a": (n, m), "out": (2 * n, m)}
    text = kernel(machine, arguments, {"turns": turns}, body(), aliases)
    result = [v * f ** turns if count else POISON for f, count in ((2, split), (3, members - split)) for v in flat(a)]
    return Program(text, [(n, m), flat(a), (2 * n, m), {"turns": turns}], result, " insert-relayout")


def waits(rng, machine):
    """One exchange per turn of a loop: members write where others have read in the turn before."""
    n, turns = rng.choice([8, 12, 32]), rng.choice([2, 3])
    layout, vector, a = machine.layout(rng, (n, n)), f"vector<{n}x{n}xi32>", matrix(rng, n, n)
    turn = f"""%t = vector.transpose %p, [1, 0] : {vector} to {vector}
        %c = arith.constant dense<1> : {vector}
        %s = arith.addi %t, %c : {vector}
        {laid_out("y", "s", layout, vector)}"""
    arguments = {"a": (n, n), "out": (n, n)}
    text = looped(machine, arguments, {"turns": turns}, {"p": vector}, (read("x", "a", vector), "%x"), (turn, "%y"), write("p", "out", vector))
    x = a
    for _ in range(turns):
        x = [[x[c][r] + 1 for c in range(n)] for r in range(n)]
    return Program(text, [(n, n), flat(a), (n, n), {"turns": turns}], flat(x))


def bits(rng, machine):
    """Payload of bits and of bytes, which a relayout moves between members (insert-relayout)."""
    n, m, turns = rng.choice([(8, 16), (12, 20), (32, 4)]) + (rng.choice([1, 2]),)
    first, second, a = machine.layout(rng, (n, m)), machine.layout(rng, (n, m)), matrix(rng, n, m)
    numbers, flags, small = f"vector<{n}x{m}xi32>", f"vector<{n}x{m}xi1>", f"vector<{n}x{m}xi8>"
    start = f"""{read("x", "a", numbers)}
      %z = arith.constant dense<0> : {numbers}
      %c = arith.cmpi sgt, %x, %z : {numbers}
      {laid_out("l", "c", first, flags)}
      %s = arith.trunci %x : {numbers} to {small}"""
    turn = f"""%one = arith.constant dense<true> : {flags}
        {laid_out("l", "one", second, flags)}
        %y = arith.xori %p, %l : {flags}
        %s1 = arith.addi %s, %s : {small}"""
    end = f"""%e = arith.extsi %s : {small} to {numbers}
      %z = arith.constant dense<1000> : {numbers}
      %v = arith.select %p, %e, %z : {flags}, {numbers}
      {write("v", "out", numbers)}"""
    arguments = {"a": (n, m), "out": (n, m)}
    text = looped(machine, arguments, {"turns": turns}, {"p": flags, "s": small}, (start, "%l, %s"), (turn, "%y, %s1"), end)
    result = [v * 2 ** turns if (v > 0) == (turns % 2 == 0) else 1000 for v in flat(a)]
    return Program(text, [(n, m), flat(a), (n, m), {"turns": turns}], result, " insert-relayout")


def bodies(rng, machine):
    """A phase with a loop, a branch and memrefs in it: slices and memory move with the loop, in which members wait for each other."""
    n, m, turns = rng.choice([(8, 16), (12, 20), (32, 4)]) + (rng.choice([1, 3]),)
    a, vector = matrix(rng, n + 3, m), f"vector<{n}x{m}xi32>"
    layout, other = machine.layout(rng, (n, m)), machine.layout(rng, (n, m))
    memref = f"memref<{n}x{m}xi32, strided<[?, ?], offset: ?>>"
    body = f"""    pcf.shared_executor.run_cluster(%tg)[] () {{
      %memory = pcf.get_memref %out[0, 0] [{n}, {m}] [1, 1] : !R_out to {memref}
      %z = arith.constant dense<0> : {vector}
      %pad = arith.constant 0 : i32
      %sum = scf.for %i = %c0 to %turns step %c1 iter_args(%acc = %z) -> ({vector}) {{
        %x = pcf.read_slice %a[%i, 0] [{n}, {m}] [1, 1] : !R_a to {vector}
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
