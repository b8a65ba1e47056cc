"""Random transfer_gathers and transfer_scatters of random layouts (VX-80, VX-81;
W6): any number of index values of any rank, masks, addresses outside of the base,
tensors, subgroups of 32 and of 64 lanes.

What comes out is compared with the definition (accesses.py), by every stage with
the source, and for sm_80 the emitted PTX is run as well.

    python3 random_gathers.py OUT_DIR [--seeds A:B] [--only NAME]
"""
import pathlib
import random
import sys

FOLDER = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(FOLDER / "Inputs"), str(FOLDER / "VectorExt" / "Inputs")]
import npy
import suite
from accesses import Case, product, shaped
from random_layouts import RandomLayouts

SHAPES = [[16, 64], [8, 12], [6, 10, 4], [96], [1, 64], [32, 1], [5, 7], [4, 4, 4], [2, 3, 32], [128], [12, 16], [1]]


class DistributedCase(Case):
    def __init__(self, random, number):
        self.subgroup = random.choice([32, 64])
        self.subgroups = random.choice([1, 2, 3, 4])
        info = f"workgroup_size = [{self.subgroup * self.subgroups}, 1, 1] subgroup_size = {self.subgroup}"
        self.attributes = f" attributes {{translation_info = #iree_codegen.translation_info<{info}>}}"
        self.first_shape = random.choice(SHAPES)
        super().__init__(random, number)

    def draw_shape(self):
        # A scatter that no numbers make write once is drawn anew, smaller.
        shape, self.first_shape = self.first_shape, self.random.choice(SHAPES)
        return shape

    def draw_values(self, index):
        super().draw_values(index)
        low, high = self.range_of(index)
        count = len(index.values)
        if self.scatter and index.maker == "read" and high - low + 1 >= count:
            index.values = self.random.sample(range(low, high + 1), count)

    def draw_base(self):
        super().draw_base()
        self.tensor = self.tensor and not (self.scatter and product(self.base_shape) > 512)  # it is read as one vector
        if not self.scatter or self.tensor:
            return
        for j, source in enumerate(self.sources):  # room for every element to have an address of its own
            if source[0] == "s" and self.indices[source[1]].element != "i8":
                self.base_shape[j] += min(100, product(self.shape[dim] for dim in self.indices[source[1]].dims))

    def written_base(self):
        """A tensor that the kernel may change: what it reads it keeps."""
        if not self.tensor:
            return "%arg0"
        zeros = ", ".join(["%c0"] * len(self.base_shape))
        bounds = f"{{in_bounds = [{', '.join(['true'] * len(self.base_shape))}]}}"
        vector, tensor = shaped("vector", self.base_shape, self.element), shaped("tensor", self.base_shape, self.element)
        self.lines += [f"%base = vector.transfer_read %arg0[{zeros}], %vector_pad {bounds} : {tensor}, {vector}",
                       f"%empty = tensor.empty() : {tensor}",
                       f"%filled = vector.transfer_write %base, %empty[{zeros}] {bounds} : {vector}, {tensor}"]
        return "%filled"

    def laid_out(self, value, type_):
        layout = RandomLayouts(self.random, self.subgroups, self.subgroup).layout(self.shape)
        self.lines.append(f"{value}_laid = iree_vector_ext.to_layout {value} to layout({layout}) : {type_}")
        return value + "_laid"


def runs(case, chosen):
    path = chosen.out / f"{case.name}.mlir"
    path.write_text(case.text)
    target = {32: "sm_80", 64: "gfx942"}[case.subgroup]
    expected = npy.to_bytes(case.expected(), case.element)

    def run(name, flags, compares):
        out = chosen.out / f"{case.name}_{name}.npy"

        def wrong():
            data = out.read_bytes()
            found = data[10 + int.from_bytes(data[8:10], "little"):]
            return None if found == expected else f"{npy.from_bytes(found, case.element)} instead of {case.expected()}\n{case.text}"

        command = ["distaff", "run", str(path), "--target", target, *flags, *case.flags(chosen.out), "--output", f"{case.output()}={out}"]
        return suite.Run(f"{case.name}_{name}", command, after=wrong, compares=compares)

    yield run("stages", ["--check", "--every-stage"], True)
    if target == "sm_80":
        yield run("ptx", ["--device", "ptx"], False)
    else:
        yield suite.Run(f"{case.name}_gcn", ["distaff", "compile", str(path), "--target", target, "--emit", "gcn", "-o",
                                             str(path.with_suffix(".s"))], compares=False)


def main():
    seeds = suite.taken("--seeds") or range(0, 24)
    chosen = suite.options()
    cases = [DistributedCase(random.Random(seed), seed) for seed in seeds]
    suite.main([run for case in cases for run in runs(case, chosen)], chosen)


main()
