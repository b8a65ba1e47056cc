"""Random transfer_gathers and transfer_scatters, with what they must compute.

A case knows its arrays and computes the result itself, element by element, from
the definition (VX-13 to VX-18): nothing here is shared with the compiler.
"""
import itertools

import npy

ELEMENTS = ["f32", "f16", "i32", "i8", "i64"]


def strides_of(shape):
    strides = [1] * len(shape)
    for dim in reversed(range(len(shape) - 1)):
        strides[dim] = strides[dim + 1] * shape[dim + 1]
    return strides


def product(numbers):
    result = 1
    for number in numbers:
        result *= number
    return result


def positions(shape):
    return itertools.product(*[range(extent) for extent in shape])


def number_of(shape, at):
    return sum(stride * i for stride, i in zip(strides_of(shape), at))


def shaped(kind, shape, element):
    return f"{kind}<" + "".join(f"{extent}x" for extent in shape) + f"{element}>"


def affine_map(rank, symbols, results):
    dims = ", ".join(f"d{i}" for i in range(rank))
    names = f"[{', '.join(f's{i}' for i in range(symbols))}]" if symbols else ""
    return f"affine_map<({dims}){names} -> ({', '.join(results)})>"


class Index:
    """An index value: what each vector position says, and how it is made."""

    def __init__(self, dims, element, maker):
        self.dims, self.element, self.maker = dims, element, maker
        self.values = []  # over the shape of its dims
        self.of = None  # the number of the index value that this one repeats


class Case:
    attributes = ""  # of the function

    def __init__(self, random, number):
        self.random, self.name = random, f"case_{number}"
        self.scatter = random.random() < 0.4
        self.tensor = random.random() < 0.3
        self.element = random.choice(ELEMENTS)
        while not self.draw():
            pass
        self.text = self.make_text()

    def chance(self, p):
        return self.random.random() < p

    # What is drawn: shapes, then where each base dim's address comes from, then
    # numbers that stay inside where in_bounds promises it.

    def draw(self):
        random = self.random
        self.shape = self.draw_shape()
        self.in_bounds = [self.chance(0.6) for _ in self.shape]
        self.draw_sources(random.choice([1, 2, 2, 3]))
        self.draw_base()
        self.draw_mask()
        for index in self.indices:
            self.draw_values(index)
        self.hide_positions()
        self.base = [random.randint(-100, 100) for _ in range(product(self.base_shape))]
        self.vector = [random.randint(-100, 100) for _ in range(product(self.shape))]
        self.padding = random.randint(-100, 100)
        return self.is_valid() and (not self.scatter or self.writes_once())

    def draw_shape(self):
        return [self.random.choice([1, 2, 3, 4, 5]) for _ in range(self.random.choice([0, 1, 1, 2, 2, 2, 3]))]

    def draw_sources(self, base_rank):
        """Per base dim: ("d", vector dim), ("s", index value) or ("0",)."""
        random, rank = self.random, len(self.shape)
        self.sources, self.indices = [], []
        free = list(range(rank))
        random.shuffle(free)
        for _ in range(base_rank):
            kind = random.choice("ddssss0")
            if kind == "d" and free:
                self.sources.append(("d", free.pop() if self.chance(0.9) else random.randrange(rank)))
            elif kind == "s" and self.indices and self.chance(0.15):
                self.sources.append(("s", random.randrange(len(self.indices))))
            elif kind == "s":
                self.sources.append(("s", len(self.indices)))
                self.indices.append(self.draw_index())
            else:
                self.sources.append(("0",))

    def draw_index(self):
        random, rank = self.random, len(self.shape)
        if self.indices and self.chance(0.15):  # G9
            of = random.randrange(len(self.indices))
            of = of if self.indices[of].of is None else self.indices[of].of
            if self.indices[of].maker != "scalar":
                twin = Index(self.indices[of].dims, self.indices[of].element, "twin")
                twin.of = of
                return twin
        dims = random.sample(range(rank), random.randint(0, rank))
        if not dims:
            return Index([], "index", "scalar")
        makers = ["read"] * 3 + ["splat", "sum", "spread"] + ["transposed"] * (len(dims) > 1) + ["step"] * (len(dims) == 1)
        maker = random.choice(makers)
        element = "index" if maker == "step" else random.choice(["index", "index", "i32", "i64", "i8"])
        return Index(dims, element, maker)

    def is_checked(self, source):
        if source[0] == "d":
            return not self.in_bounds[source[1]]
        return source[0] == "s" and any(not self.in_bounds[dim] for dim in self.indices[source[1]].dims)

    def draw_base(self):
        random = self.random
        self.offsets, self.base_shape = [], []
        for source in self.sources:
            checked = self.is_checked(source)
            need = 1
            if source[0] == "d":
                need = self.shape[source[1]]
            elif source[0] == "s" and self.root(source[1]).maker == "step":
                need = self.shape[self.root(source[1]).dims[0]]
            if checked:
                extent = random.randint(1, need + 4)
                self.offsets.append(random.randint(-2, extent + 1))
            else:
                offset = random.randint(0, 2)
                extent = offset + need + random.randint(0, 6 if self.scatter else 3)
                self.offsets.append(offset)
            self.base_shape.append(extent)

    def root(self, number):
        index = self.indices[number]
        return self.indices[index.of] if index.of is not None else index

    def draw_mask(self):
        self.mask_dims, self.mask, self.mask_maker = None, [], "read"
        if not self.chance(0.4) or not self.shape:
            return
        self.mask_dims = self.random.sample(range(len(self.shape)), self.random.randint(1, len(self.shape)))
        count = product(self.shape[dim] for dim in self.mask_dims)
        self.mask_maker = self.random.choice(["read", "read", "read", "true", "false"])
        fixed = {"true": 1, "false": 0}
        self.mask = [fixed.get(self.mask_maker, self.random.randint(0, 1)) for _ in range(count)]

    def range_of(self, index):
        """Values that an index may have for the sake of all that repeat it."""
        low, high = -120, 120
        for source, offset, extent in zip(self.sources, self.offsets, self.base_shape):
            if source[0] != "s" or self.root(source[1]) is not index:
                continue
            if self.is_checked(source):
                low, high = max(low, -offset - 2), min(high, extent - offset + 2)
            else:
                low, high = max(low, -offset), min(high, extent - 1 - offset)
        return (low, high) if low <= high else (0, 0)

    def draw_values(self, index):
        random = self.random
        if index.of is not None:
            index.values = self.indices[index.of].values
            return
        low, high = self.range_of(index)
        count = product(self.shape[dim] for dim in index.dims)
        if index.maker == "step":
            index.values = list(range(count))
        elif index.maker == "splat":
            index.values = [random.randint(low, high)] * count
        elif index.maker == "spread":  # the same along the first dims
            index.kept = random.randint(0, len(index.dims) - 1)  # of its dims, counted from the back
            kept = product(self.shape[dim] for dim in index.dims[len(index.dims) - index.kept:])
            source = [random.randint(low, high) for _ in range(kept)]
            index.values = source * (count // kept)
        else:
            index.values = [random.randint(low, high) for _ in range(count)]

    def hide_positions(self):
        """Where no active element looks, an index may be anything."""
        if self.mask_dims is None or not self.chance(0.5):
            return
        for index in self.indices:
            if index.maker != "read" or index.element == "i8" or any(other.of is not None for other in self.indices):
                continue
            used = {self.position_in(index.dims, at) for at in positions(self.shape) if self.is_active(at)}
            index.values = [value if i in used else 1000000 for i, value in enumerate(index.values)]

    # What must come out.

    def position_in(self, dims, at):
        return number_of([self.shape[dim] for dim in dims], [at[dim] for dim in dims])

    def is_active(self, at):
        return self.mask_dims is None or self.mask[self.position_in(self.mask_dims, at)]

    def address(self, at):
        """Where an element lies in the base; None where it lies outside."""
        address = []
        for source, offset, extent in zip(self.sources, self.offsets, self.base_shape):
            value = offset
            if source[0] == "d":
                value += at[source[1]]
            elif source[0] == "s":
                index = self.indices[source[1]]
                value += index.values[self.position_in(index.dims, at)]
            if not 0 <= value < extent:
                return None
            address.append(value)
        return number_of(self.base_shape, address)

    def is_valid(self):
        """Nothing outside that in_bounds promises to be inside."""
        for at in positions(self.shape):
            if not self.is_active(at):
                continue
            for source, offset, extent in zip(self.sources, self.offsets, self.base_shape):
                if self.is_checked(source):
                    continue
                value = offset
                if source[0] == "d":
                    value += at[source[1]]
                elif source[0] == "s":
                    index = self.indices[source[1]]
                    value += index.values[self.position_in(index.dims, at)]
                if not 0 <= value < extent:
                    return False
        return True

    def writes_once(self):
        used = {source[1] for source in self.sources if source[0] == "d"}
        for index in self.indices:
            used.update(index.dims)
        if any(extent > 1 and dim not in used for dim, extent in enumerate(self.shape)):
            return False
        active = [self.address(at) for at in positions(self.shape) if self.is_active(at)]
        inside = [address for address in active if address is not None]
        return len(inside) == len(set(inside))

    def expected(self):
        if not self.scatter:
            result = []
            for at in positions(self.shape):
                address = self.address(at) if self.is_active(at) else None
                result.append(self.padding if address is None else self.base[address])
            return result
        result = list(self.base)
        for at, value in zip(positions(self.shape), self.vector):
            address = self.address(at) if self.is_active(at) else None
            if address is not None:
                result[address] = value
        return result

    # Its text.

    def constant(self, value):
        return f"{value}.0" if self.element[0] == "f" else str(value)

    def arrays(self):
        """(shape, element, values) per argument, scalars with shape None."""
        arrays = [(self.base_shape, self.element, self.base)]
        for index in self.indices:
            shape = [self.shape[dim] for dim in index.dims]
            if index.maker == "scalar":
                arrays.append((None, "index", index.values[0]))
            elif index.maker in ("read", "sum"):
                less = 3 if index.maker == "sum" else 0
                arrays.append((shape, index.element, [value - less for value in index.values]))
            elif index.maker == "spread" and index.kept:
                kept = shape[len(shape) - index.kept:]
                arrays.append((kept, index.element, index.values[:product(kept)]))
            elif index.maker == "transposed":
                turned = shape[::-1]
                values = [index.values[number_of(shape, at[::-1])] for at in positions(turned)]
                arrays.append((turned, index.element, values))
        if self.mask_dims is not None and self.mask_maker == "read":
            arrays.append(([self.shape[dim] for dim in self.mask_dims], "i8", self.mask))
        if self.scatter:
            arrays.append((self.shape, self.element, self.vector))
        elif not self.tensor:
            arrays.append((self.shape, self.element, [0] * product(self.shape)))
        return arrays

    def result_shape(self):
        return self.base_shape if self.scatter else self.shape

    def kind(self):
        return "tensor" if self.tensor else "memref"

    def argument_type(self, shape, element):
        return element if shape is None else shaped(self.kind(), shape, element)

    def make_text(self):
        arrays = self.arrays()
        self.lines, self.next = ["%c0 = arith.constant 0 : index"], 1
        indices = [self.make(number, index) for number, index in enumerate(self.indices)]
        mask = self.make_mask()
        names = ", ".join(f"%arg{i}: {self.argument_type(shape, element)}" for i, (shape, element, _) in enumerate(arrays))
        offsets = []
        for number, offset in enumerate(self.offsets):
            self.lines.append(f"%o{number} = arith.constant {offset} : index")
            offsets.append(f"%o{number}")
        result = self.access(", ".join(offsets), indices, mask)
        body = "".join(f"  {line}\n" for line in self.lines)
        type_ = self.argument_type(self.result_shape(), self.element)
        returns = f" -> {type_}" if self.tensor else ""
        return f"func.func @{self.name}({names}){returns}{self.attributes} {{\n{body}  return{f' {result} : {type_}' if self.tensor else ''}\n}}\n"

    def read(self, name, shape, element, pad):
        """The next argument, as a vector."""
        zeros = ", ".join(["%c0"] * len(shape))
        bounds = f" {{in_bounds = [{', '.join(['true'] * len(shape))}]}}" if shape else ""
        self.lines.append(f"{name}_pad = arith.constant {pad} : {element}")
        self.lines.append(f"{name} = vector.transfer_read %arg{self.next}[{zeros}], {name}_pad{bounds} : "
                          f"{shaped(self.kind(), shape, element)}, {shaped('vector', shape, element)}")
        self.next += 1
        return name

    def make(self, number, index):
        """The operand `%value : type`."""
        name, shape = f"%i{number}", [self.shape[dim] for dim in index.dims]
        type_ = shaped("vector", shape, index.element)
        if index.maker == "twin":
            name = f"%i{index.of}"
        elif index.maker == "scalar":
            name, type_ = f"%arg{self.next}", "index"
            self.next += 1
        elif index.maker == "read":
            self.read(name, shape, index.element, 0)
        elif index.maker == "step":
            self.lines.append(f"{name} = vector.step : {type_}")
        elif index.maker == "splat":
            self.lines.append(f"{name} = arith.constant dense<{index.values[0]}> : {type_}")
        elif index.maker == "sum":
            self.read(name + "_x", shape, index.element, 0)
            self.lines.append(f"{name}_s = arith.constant 3 : {index.element}")
            self.lines.append(f"{name}_c = vector.broadcast {name}_s : {index.element} to {type_}")
            sides = [name + "_x", name + "_c"]
            self.random.shuffle(sides)
            self.lines.append(f"{name} = arith.addi {', '.join(sides)} : {type_}")
        elif index.maker == "spread" and not index.kept:
            self.lines.append(f"{name}_s = arith.constant {index.values[0]} : {index.element}")
            self.lines.append(f"{name} = vector.broadcast {name}_s : {index.element} to {type_}")
        elif index.maker == "spread":
            kept = shape[len(shape) - index.kept:]
            self.read(name + "_s", kept, index.element, 0)
            self.lines.append(f"{name} = vector.broadcast {name}_s : {shaped('vector', kept, index.element)} to {type_}")
        elif index.maker == "transposed":
            self.read(name + "_t", shape[::-1], index.element, 0)
            order = ", ".join(str(i) for i in reversed(range(len(shape))))
            self.lines.append(f"{name} = vector.transpose {name}_t, [{order}] : {shaped('vector', shape[::-1], index.element)} to {type_}")
        return f"{name} : {type_}"

    def make_mask(self):
        if self.mask_dims is None:
            return None
        shape = [self.shape[dim] for dim in self.mask_dims]
        type_ = shaped("vector", shape, "i1")
        if self.mask_maker == "read":
            self.read("%mask_bytes", shape, "i8", 0)
            self.lines.append(f"%mask = arith.trunci %mask_bytes : {shaped('vector', shape, 'i8')} to {type_}")
        else:
            self.lines.append(f"%mask = arith.constant dense<{self.mask_maker}> : {type_}")
        return type_

    def access(self, offsets, indices, mask):
        rank, symbols = len(self.shape), len(indices)
        source = {"d": lambda s: f"d{s[1]}", "s": lambda s: f"s{s[1]}", "0": lambda s: "0"}
        maps = [affine_map(rank, symbols, [source[s[0]](s) for s in self.sources])]
        maps += [affine_map(rank, symbols, [f"d{dim}" for dim in index.dims]) for index in self.indices]
        if mask:
            maps.append(affine_map(rank, symbols, [f"d{dim}" for dim in self.mask_dims]))
        attributes = f"indexing_maps = [{', '.join(maps)}]"
        if not all(self.in_bounds) or self.chance(0.3):
            attributes += f", in_bounds = [{', '.join(str(b).lower() for b in self.in_bounds)}]"
        base = self.argument_type(self.base_shape, self.element)
        vector = shaped("vector", self.shape, self.element)
        index_text = f" [{', '.join(indices)}]" if indices else ""
        masked, mask_type = (", %mask", f", {mask}") if mask else ("", "")
        if self.scatter:
            self.read("%vector", self.shape, self.element, self.constant(0))
            written, into = self.laid_out("%vector", vector), self.written_base()
            result, type_ = ("%result = ", f" -> {base}") if self.tensor else ("", "")
            self.lines.append(f"{result}iree_vector_ext.transfer_scatter {written} into {into}[{offsets}]{index_text}{masked} "
                              f"{{{attributes}}} : {vector}, {base}{mask_type}{type_}")
            return "%result"
        self.lines.append(f"%padding = arith.constant {self.constant(self.padding)} : {self.element}")
        self.lines.append(f"%vector = iree_vector_ext.transfer_gather %arg0[{offsets}]{index_text}, %padding{masked} "
                          f"{{{attributes}}} : {base}, {vector}{mask_type}")
        zeros = ", ".join(["%c0"] * rank)
        bounds = f" {{in_bounds = [{', '.join(['true'] * rank)}]}}" if rank else ""
        out = self.argument_type(self.shape, self.element)
        read = self.laid_out("%vector", vector)
        if self.tensor:
            self.lines.append(f"%empty = tensor.empty() : {out}")
            self.lines.append(f"%result = vector.transfer_write {read}, %empty[{zeros}]{bounds} : {vector}, {out}")
        else:
            self.lines.append(f"vector.transfer_write {read}, %arg{self.next}[{zeros}]{bounds} : {vector}, {out}")
        return "%result"

    def laid_out(self, value, type_):
        """The value with a layout; here there is none."""
        return value

    def written_base(self):
        return "%arg0"

    # Who takes part in a run: files for `distaff run`, and what a main passes.

    def flags(self, folder):
        flags = []
        for number, (shape, element, values) in enumerate(self.arrays()):
            if shape is None:
                flags += ["--input", f"arg{number}={values}"]
                continue
            path = folder / f"{self.name}_{number}.npy"
            npy.write(path, "i64" if element == "index" else element, shape, values)
            flags += ["--input", f"arg{number}={path}"]
        return flags

    def output(self):
        if self.tensor:
            return "res0"
        return "arg0" if self.scatter else f"arg{len(self.arrays()) - 1}"

    def call(self):
        """Lines of a main that prints the bits of the result."""
        arrays, lines, names, types = self.arrays(), [], [], []
        for number, (shape, element, values) in enumerate(arrays):
            name, type_ = f"%{self.name}_{number}", self.argument_type(shape, element)
            names.append(name)
            types.append(type_)
            if shape is None:
                lines.append(f"{name} = arith.constant {values} : index")
                continue
            lines += self.literal(name, shape, element, values, in_memory=not self.tensor)
        result = f"%{self.name}_result"
        type_ = self.argument_type(self.result_shape(), self.element)
        call = f"call @{self.name}({', '.join(names)}) : ({', '.join(types)}) -> "
        lines.append(f"{result} = {call}{type_}" if self.tensor else f"{call}()")
        if not self.tensor:
            result = names[0] if self.scatter else names[-1]
        return lines + self.print_bits(result, type_)

    def literal(self, name, shape, element, values, in_memory):
        texts = [f"{value}.0" if element[0] == "f" else str(value) for value in values]
        flat = shaped("vector", [len(values)], element)
        lines = [f"{name}_flat = arith.constant dense<[{', '.join(texts)}]> : {flat}"]
        vector = shaped("vector", shape, element)
        type_ = shaped("memref" if in_memory else "tensor", shape, element)
        lines.append(f"{name}_vector = vector.shape_cast {name}_flat : {flat} to {vector}")
        zeros = ", ".join(["%c0"] * len(shape))
        write = f"vector.transfer_write {name}_vector, {{}}[{zeros}] : {vector}, {type_}"
        if in_memory:
            return lines + [f"{name} = memref.alloc() : {type_}", write.format(name)]
        return lines + [f"{name}_empty = tensor.empty() : {type_}", f"{name} = " + write.format(name + "_empty")]

    def print_bits(self, result, type_):
        name, shape, element = f"%{self.name}_out", self.result_shape(), self.element
        zeros = ", ".join(["%c0"] * len(shape))
        vector, flat = shaped("vector", shape, element), shaped("vector", [product(shape)], element)
        lines = [f"{name}_pad = arith.constant {self.constant(0)} : {element}",
                 f"{name}_v = vector.transfer_read {result}[{zeros}], {name}_pad : {type_}, {vector}",
                 f"{name}_f = vector.shape_cast {name}_v : {vector} to {flat}"]
        last = f"{name}_f"
        bits = f"i{8 * npy.size_of(element)}"
        if element[0] == "f":
            lines.append(f"{name}_b = arith.bitcast {last} : {flat} to {shaped('vector', [product(shape)], bits)}")
            last = f"{name}_b"
        wide = shaped("vector", [product(shape)], "i64")
        if bits != "i64":
            lines.append(f"{name}_w = arith.extsi {last} : {shaped('vector', [product(shape)], bits)} to {wide}")
            last = f"{name}_w"
        memory = shaped("memref", [product(shape)], "i64")
        lines += [f"{name} = memref.alloc() : {memory}", f"vector.transfer_write {last}, {name}[%c0] : {wide}, {memory}",
                  f"{name}_u = memref.cast {name} : {memory} to memref<*xi64>",
                  f"call @printMemrefI64({name}_u) : (memref<*xi64>) -> ()"]
        return lines
