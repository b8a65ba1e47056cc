"""Random transfer_gathers in the classic form, in all its spellings, with what
they must compute: an ordinary read of the slice that the index vectors and the
offsets choose (VX-14, VX-17)."""
from accesses import Case, number_of, positions, product, shaped


class ClassicCase(Case):
    def __init__(self, random, number):
        self.random, self.name = random, f"classic_{number}"
        self.tensor = self.scatter = False
        self.element = random.choice(["f32", "i32", "i8"])
        rank = random.choice([1, 2, 3, 3])
        self.draw_slice(rank)
        self.all_inside = self.chance(0.5)
        self.gathered = [dim for dim in range(rank) if self.chance(0.6)]
        self.maps = {dim: random.sample(range(rank), random.randint(1, rank)) for dim in self.gathered}
        self.offsets, self.base_shape, self.index = [], [], {}
        for dim in range(rank):
            self.draw_base_dim(dim)
        self.used = [dim for dim in range(rank) if dim in self.sends]
        self.mask = [random.randint(0, 1) for _ in range(product(self.slice[dim] for dim in self.used))] if self.used and self.chance(0.4) else None
        self.base = [random.randint(-100, 100) for _ in range(product(self.base_shape))]
        self.padding = random.randint(-100, 100)
        self.spelling = random.choice(["brackets", "published", "generic"]) if self.gathered else "brackets"
        self.text = self.make_text()

    def draw_slice(self, rank):
        """The base dim of each vector dim, or None where it is broadcast."""
        self.sends = self.random.sample(range(rank), self.random.randint(0, rank))
        if self.chance(0.2):
            self.sends.insert(self.random.randint(0, len(self.sends)), None)
        self.shape = [self.random.choice([1, 2, 3, 5]) for _ in self.sends]
        self.slice = [1] * rank
        for dim, extent in zip(self.sends, self.shape):
            if dim is not None:
                self.slice[dim] = extent

    def draw_base_dim(self, dim):
        random = self.random
        feeding = self.maps[dim] if dim in self.gathered else [dim]
        checked = not self.all_inside and any(other in self.sends for other in feeding)
        need = 1 if dim in self.gathered else self.slice[dim]
        offset = random.randint(-2, 3) if checked else random.randint(0, 2)
        extent = random.randint(1, need + 3) if checked else offset + need + random.randint(0, 3)
        self.offsets.append(offset)
        self.base_shape.append(extent)
        if dim in self.gathered:
            low, high = (-offset - 2, extent - offset + 1) if checked else (-offset, extent - 1 - offset)
            shape = [self.slice[other] for other in self.maps[dim]]
            self.index[dim] = shape, [random.randint(low, high) for _ in range(product(shape))]

    def expected(self):
        result = []
        for at in positions(self.shape):
            m = [0] * len(self.slice)
            for dim, i in zip(self.sends, at):
                if dim is not None:
                    m[dim] = i
            address, inside = [], True
            for dim, (offset, extent) in enumerate(zip(self.offsets, self.base_shape)):
                step = m[dim]
                if dim in self.gathered:
                    shape, values = self.index[dim]
                    step = values[number_of(shape, [m[other] for other in self.maps[dim]])]
                address.append(offset + step)
                inside &= 0 <= offset + step < extent
            active = self.mask is None or self.mask[number_of([self.slice[dim] for dim in self.used], [m[dim] for dim in self.used])]
            assert inside or not active or not self.all_inside, self.name
            result.append(self.base[number_of(self.base_shape, address)] if inside and active else self.padding)
        return result

    def arrays(self):
        arrays = [(self.base_shape, self.element, self.base)]
        arrays += [(self.index[dim][0], "index", self.index[dim][1]) for dim in self.gathered]
        if self.mask is not None:
            arrays.append(([self.slice[dim] for dim in self.used], "i8", self.mask))
        return arrays + [(self.shape, self.element, [0] * product(self.shape))]

    def slice_map(self, results):
        return f"affine_map<({', '.join(f'd{i}' for i in range(len(self.slice)))}) -> ({', '.join(results)})>"

    def make_text(self):
        arrays = self.arrays()
        names = ", ".join(f"%arg{i}: {self.argument_type(shape, element)}" for i, (shape, element, _) in enumerate(arrays))
        self.lines, self.next = ["%c0 = arith.constant 0 : index"], 1
        for dim in self.gathered:
            self.read(f"%i{dim}", self.index[dim][0], "index", 0)
        mask_shape = [self.slice[dim] for dim in self.used]
        if self.mask is not None:
            self.read("%bytes", mask_shape, "i8", 0)
            self.lines.append(f"%mask = arith.trunci %bytes : {shaped('vector', mask_shape, 'i8')} to {shaped('vector', mask_shape, 'i1')}")
        self.lines += [f"%o{j} = arith.constant {offset} : index" for j, offset in enumerate(self.offsets)]
        self.lines.append(f"%padding = arith.constant {self.constant(self.padding)} : {self.element}")
        self.lines.append(getattr(self, self.spelling)())
        zeros, bounds = ", ".join(["%c0"] * len(self.shape)), ", ".join(["true"] * len(self.shape))
        self.lines.append(f"vector.transfer_write %g, %arg{self.next}[{zeros}]{f' {{in_bounds = [{bounds}]}}' if bounds else ''} : "
                          f"{shaped('vector', self.shape, self.element)}, {shaped('memref', self.shape, self.element)}")
        body = "".join(f"  {line}\n" for line in self.lines)
        return f"func.func @{self.name}({names}) {{\n{body}  return\n}}\n"

    def attributes_text(self, maps_name):
        maps = ", ".join(self.slice_map([f"d{other}" for other in self.maps[dim]]) for dim in self.gathered)
        permutation = self.slice_map(["0" if dim is None else f"d{dim}" for dim in self.sends])
        text = f"{maps_name} = [{maps}], permutation_map = {permutation}"
        return text + f", in_bounds = [{', '.join([str(self.all_inside).lower()] * len(self.shape))}]"

    def types(self):
        base, vector = shaped("memref", self.base_shape, self.element), shaped("vector", self.shape, self.element)
        mask = shaped("vector", [self.slice[dim] for dim in self.used], "i1")
        return base, vector, mask

    def brackets(self):
        base, vector, mask = self.types()
        offsets = ", ".join(f"%o{j}" for j in range(len(self.offsets)))
        entries = [f"%i{dim} : {shaped('vector', self.index[dim][0], 'index')}" if dim in self.gathered else "None" for dim in range(len(self.slice))]
        masked, mask_type = (", %mask", f", {mask}") if self.mask is not None else ("", "")
        return (f"%g = iree_vector_ext.transfer_gather %arg0[{offsets}][{', '.join(entries)}], %padding{masked} "
                f"{{{self.attributes_text('indexed_maps')}}} : {base}, {vector}{mask_type}")

    def published(self):
        base, vector, mask = self.types()
        offsets = ", ".join(f"%o{j}" for j in range(len(self.offsets)))
        operands = ", ".join(f"%i{dim}" for dim in self.gathered)
        masked, mask_type = (", %mask", f", {mask}") if self.mask is not None else ("", "")
        return (f"%g = iree_vector_ext.transfer_gather %arg0[{offsets}]({operands}), %padding{masked} "
                f"{{gather_dims = {self.gathered}, {self.attributes_text('index_maps')}}} : {base} -> {vector}{mask_type}")

    def generic(self):
        base, vector, mask = self.types()
        operands = ["%arg0", *[f"%o{j}" for j in range(len(self.offsets))], *[f"%i{dim}" for dim in self.gathered], "%padding"]
        types = [base, *["index"] * len(self.offsets), *[shaped("vector", self.index[dim][0], "index") for dim in self.gathered], self.element]
        if self.mask is not None:
            operands.append("%mask")
            types.append(mask)
        segments = f"array<i32: 1, {len(self.offsets)}, {len(self.gathered)}, 1, {int(self.mask is not None)}>"
        indexed = [str(dim in self.gathered).lower() for dim in range(len(self.slice))]
        return (f"%g = \"iree_vector_ext.transfer_gather\"({', '.join(operands)}) {{indexed = [{', '.join(indexed)}], "
                f"{self.attributes_text('indexed_maps')}, operandSegmentSizes = {segments}}} : ({', '.join(types)}) -> {vector}")
