"""Products in phases that name no instruction: of several types, forms and extents, of all subgroups and of clusters
whose size is a constant or an argument, with operands in panels or held as payload. Configure gives each the
instruction that the case says, or warns that there is none; run by the machine for what is lowered, and as PTX where
the target has it, the results are what is computed here, exactly, for every split. That a product is shared out at all
is seen by its instructions, and by the registers that a lane holds.

    python3 phase_products.py OUT_DIR [--distaff PATH]
"""
import itertools
import random
import re
import sys
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path += [str(ROOT / "test" / "ForkServer"), str(ROOT / "test" / "Execution" / "Inputs")]
import depth
import fork_server
import npy
from pipeline_passes import read_flags

options = read_flags()
STEPS = 3
LANES = {"sm_80": 32, "gfx942": 64}
SUBGROUPS = 4
SG = "#iree_gpu.subgroup_scope"
RUN = "pcf.shared_executor.run_cluster"
BODIES = {("f16", "f32"): "extf", ("bf16", "f32"): "extf", ("i8", "i32"): "extsi"}


def tensor(shape, element):
    return f"tensor<{''.join(f'{extent}x' for extent in shape)}{element}>"


class Case:
    """A product `form`, as einsum has it, of `sizes` per letter, k in each step, of `element` into `sum_element`.
    `instruction` is what its lanes compute it with, None for none."""

    def __init__(self, form, sizes, element, sum_element, instruction, group="p", held=False, twice=False, after="", flags=(), target="sm_80",
                 config=""):
        self.form, self.sizes, self.element, self.sum_element = form, sizes, element, sum_element
        self.instruction, self.group, self.held, self.twice, self.after = instruction, group, held, twice, after
        self.flags, self.target, self.config = flags, target, config
        self.lhs, self.rhs, self.result = re.split(",|->", form)
        self.sums = tensor(self.shape(self.result), sum_element)
        self.name = f"{form} {sizes} {element} {sum_element} {group}{' held' * held}{' twice' * twice}{after and ' ' + after} {' '.join(flags)}{target}"

    def shape(self, letters, whole=False):
        return [self.sizes[letter] * (STEPS if whole and letter == "k" else 1) for letter in letters]

    def slice(self, letters, at):
        """The slice of a step of an operand, and its type."""
        offsets = ", ".join(at if letter == "k" else "0" for letter in letters)
        sizes = ", ".join(map(str, self.shape(letters)))
        return f"[{offsets}] [{sizes}] [{', '.join('1' for _ in letters)}]", tensor(self.shape(letters), self.element)

    def product(self, a, b, x, name):
        """The op; the letters in their order are its loops."""
        loops = sorted(set(self.form) - set(",->"), key=lambda letter: (letter == "k", self.form.index(letter)))
        types = [tensor(self.shape(part), element) for part, element in
                 ((self.lhs, self.element), (self.rhs, self.element), (self.result, self.sum_element))]
        maps = ", ".join(f"affine_map<({', '.join(loops)}) -> ({', '.join(part)})>" for part in (self.lhs, self.rhs, self.result))
        kinds = ", ".join('"reduction"' if loop == "k" else '"parallel"' for loop in loops)
        is_float = self.element[0] != "i"
        lines = []
        for value in "uv":
            if self.element != self.sum_element:
                lines.append(f"%{value}w = arith.{BODIES[self.element, self.sum_element]} %{value} : {self.element} to {self.sum_element}")
        u, v = ("%uw", "%vw") if lines else ("%u", "%v")
        mul, add = ("mulf", "addf") if is_float else ("muli", "addi")
        lines += [f"%z = arith.{mul} {u}, {v} : {self.sum_element}", f"%s = arith.{add} %w, %z : {self.sum_element}"]
        return f"""{name} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]{self.config}}}
            ins({a}, {b} : {types[0]}, {types[1]}) outs({x} : {types[2]}) {{
          ^bb0(%u: {self.element}, %v: {self.element}, %w: {self.sum_element}):
            {(chr(10) + '            ').join(lines)}
            linalg.yield %s : {self.sum_element} }} -> {types[2]}"""

    def groups(self):
        """Types of handles: of who copies, P, of who computes, C, with sums, X, and with operands besides, H; and the text of
        the ranges, of the op that names the groups, and of its end."""
        payload = ", ".join([self.sums] * (1 + self.twice))
        held = ", ".join([payload, self.slice(self.lhs, "%ko")[1], self.slice(self.rhs, "%ko")[1]])
        if self.group == "all":
            of = lambda fields: f"!pcf.threadgroup<{SG}{fields and f', {{{fields}}}'}>"
            return {"P": of(""), "C": of(""), "X": of(payload), "H": of(held)}, "[]", "", ""
        of = lambda fields: f"!pcf.cluster<{SG}, (d0 -> s0){fields and f', shared: {{{fields}}}'}, ws.cons>"
        types = {"P": f"!pcf.cluster<{SG}, (0 -> d0), ws.prod>", "C": of(""), "X": of(payload), "H": of(held)}
        split = "%p" if self.group == "p" else "%split"
        opening = f"pcf.shared_executor.tile_group %tg ns(ws) split [[{split}]] (%prod: {types['P']}, %cons: {types['C']}) {{"
        return types, f"[{split}]", opening, f"pcf.return }} : !pcf.threadgroup<{SG}>"

    def compute(self, types, ranges, panels):
        """The phase with the products, or one that reads and one that multiplies."""
        (a_at, a_type), (b_at, b_type) = self.slice(self.lhs, "0"), self.slice(self.rhs, "0")
        xs, ys = ([f"%{letter}{i}" for i in range(1 + self.twice)] for letter in "xy")
        payload = ", ".join([self.sums] * len(xs))
        arguments = ", ".join(f"{x}: {self.sums}" for x in xs)
        reads = f"%a = pcf.read_slice %la{a_at} : {panels[0]} to {a_type}\n          %b = pcf.read_slice %lb{b_at} : {panels[1]} to {b_type}"
        products = "\n          ".join(self.product("%a", "%b", x, y) for x, y in zip(xs, ys))
        yields = f"pcf.cluster_yield {', '.join(ys)} : {payload}"
        if not self.held:
            return f"""%n = {RUN}(%it){ranges} ({arguments}) {{
          {reads}
          {products}
          {yields} }} : ({types['X']}) -> {types['X']}"""
        return f"""%h = {RUN}(%it){ranges} ({arguments}) {{
          {reads}
          pcf.cluster_yield {', '.join(xs)}, %a, %b : {payload}, {a_type}, {b_type} }} : ({types['X']}) -> {types['H']}
        %n = {RUN}(%h){ranges} ({arguments}, %a: {a_type}, %b: {b_type}) {{
          {products}
          {yields} }} : ({types['H']}) -> {types['X']}"""

    def finish(self, out):
        """What the last phase makes of its payload, and writes."""
        add = "addf" if self.element[0] != "i" else "addi"
        lines, total = [], "%x0"
        if self.twice:
            lines.append(f"%sum = arith.{add} %x0, %x1 : {self.sums}")
            total = "%sum"
        if self.after:
            lines.append(f"%more = arith.{add} {total}, {total} : {self.sums}")
            total = "%more"
        whole = self.shape(self.result)
        at = f"[{', '.join('0' for _ in whole)}] [{', '.join(map(str, whole))}] [{', '.join('1' for _ in whole)}]"
        return "\n          ".join([*lines, f"pcf.write_slice {total} into %O{at} : {self.sums} into {out}"])

    def kernel(self):
        types, ranges, opening, closing = self.groups()
        prod, cons = ("%tg", "%tg") if self.group == "all" else ("%prod", "%cons")
        (a_at, a_type), (b_at, b_type) = self.slice(self.lhs, "%ko"), self.slice(self.rhs, "%ko")
        a_panel, b_panel = self.slice(self.lhs, "0")[0], self.slice(self.rhs, "0")[0]
        pa, pb = f"!pcf.sref<{a_type[7:-1]}, {SG}>", f"!pcf.sref<{b_type[7:-1]}, {SG}>"
        lhs, rhs = (tensor(self.shape(part, True), self.element) for part in (self.lhs, self.rhs))
        ga, gb, gc = f"!pcf.sref<{lhs[7:-1]}, {SG}>", f"!pcf.sref<{rhs[7:-1]}, {SG}>", f"!pcf.sref<{self.sums[7:-1]}, sync({SG})>"
        zero = "0" if self.sum_element[0] == "i" else "0.0"
        count = 1 + self.twice
        return f"""func.func @product(%lhs: {lhs}, %rhs: {rhs}, %out: {self.sums}, %p: index) -> {self.sums}
    attributes {{translation_info = #iree_codegen.translation_info<workgroup_size = [{SUBGROUPS * LANES[self.target]}, 1, 1]>}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %steps = arith.constant {STEPS} : index
  %ck = arith.constant {self.sizes['k']} : index
  %split = arith.constant {self.group if self.group.isdigit() else 1} : index
  %res = pcf.shared_executor scope({SG})
    initialize {{ %a = pcf.alloc() : {pa}   %b = pcf.alloc() : {pb}   pcf.yield %a, %b : {pa}, {pb} }} -> (%la: {pa}, %lb: {pb})
    execute(%A <- %lhs : {lhs}, %B <- %rhs : {rhs}, %O = %out)[%tg: !pcf.threadgroup<{SG}>] : ({ga}, {gb}, {gc}) -> ({self.sums}) {{
    {opening}
      %acc0 = {RUN}({cons}){ranges} () {{
        %z = arith.constant dense<{zero}> : {self.sums}
        pcf.cluster_yield {', '.join(['%z'] * count)} : {', '.join([self.sums] * count)} }} : ({types['C']}) -> {types['X']}
      %acc = scf.for %k = %c0 to %steps step %c1 iter_args(%it = %acc0) -> ({types['X']}) {{
        {RUN}({prod}){ranges} () {{
          %ko = arith.muli %k, %ck : index
          %a = pcf.read_slice %A{a_at} : {ga} to {a_type}
          %b = pcf.read_slice %B{b_at} : {gb} to {b_type}
          pcf.write_slice %a into %la{a_panel} : {a_type} into {pa}
          pcf.write_slice %b into %lb{b_panel} : {b_type} into {pb}
          pcf.cluster_yield }} : ({types['P']})
        pcf.barrier({SG}) fence(%la, %lb) : {pa}, {pb}
        {self.compute(types, ranges, (pa, pb))}
        pcf.barrier({SG}) fence(%la, %lb) : {pa}, {pb}
        scf.yield %n : {types['X']} }}
      {RUN}(%acc){ranges} ({', '.join(f'%x{i}: {self.sums}' for i in range(count))}) {{
          {self.finish(gc)}
          pcf.cluster_yield }} : ({types['X']})
      {closing}
    pcf.return
  }}
  return %res : {self.sums}
}}
"""

    def expected(self, a, b):
        """The numbers that are to come out."""
        strides = {}
        for part in (self.lhs, self.rhs, self.result):
            shape, stride = self.shape(part, True), 1
            strides[part] = {}
            for letter, extent in reversed(list(zip(part, shape))):
                strides[part][letter] = stride
                stride *= extent
        letters = "".join(dict.fromkeys(self.lhs + self.rhs))
        result = [0] * len(list(itertools.product(*map(range, self.shape(self.result)))))
        for at in itertools.product(*(range(extent) for extent in self.shape(letters, True))):
            place = dict(zip(letters, at))
            index = [sum(place[letter] * strides[part][letter] for letter in part) for part in (self.lhs, self.rhs, self.result)]
            result[index[2]] += a[index[0]] * b[index[1]]
        factor = (1 + self.twice) * (2 if self.after else 1)
        return [factor * number for number in result]


SMALL, ROWS = {"m": 32, "n": 32, "k": 16}, {"m": 48, "n": 16, "k": 16}
F16, BF16, I8, F64 = (f"NV_MMA_SYNC_{name}" for name in ("F32_16x8x16_F16", "F32_16x8x16_BF16", "I32_16x8x32_I8", "F64_8x8x4_F64"))
CASES = [
    Case("mk,kn->mn", SMALL, "f16", "f32", F16, "all"),
    Case("mk,kn->mn", SMALL, "f16", "f32", F16),
    Case("mk,kn->mn", ROWS, "f16", "f32", F16, held=True),
    Case("mk,kn->mn", SMALL, "f16", "f32", F16, "1"),
    Case("mk,kn->mn", SMALL, "f16", "f32", F16, "2", held=True),
    Case("mk,nk->mn", SMALL, "f16", "f32", F16),
    Case("km,kn->mn", SMALL, "f16", "f32", F16),
    Case("km,nk->nm", SMALL, "f16", "f32", F16),
    Case("bmk,bkn->bmn", {**SMALL, "m": 16, "b": 3}, "f16", "f32", F16),
    Case("imk,kn->imn", {**SMALL, "m": 16, "n": 16, "i": 5}, "f16", "f32", F16),
    Case("mk,kn->mn", SMALL, "bf16", "f32", BF16),
    Case("mk,kn->mn", {**SMALL, "k": 32}, "i8", "i32", I8),
    Case("mk,kn->mn", {**SMALL, "m": 16}, "f64", "f64", F64),
    Case("mk,kn->mn", {**SMALL, "m": 8}, "f16", "f32", F16 + " transposed"),
    Case("mk,kn->mn", SMALL, "f16", "f32", F16, twice=True),
    Case("mk,kn->mn", SMALL, "f16", "f32", F16, after="doubled"),
    # No instruction: by types, by extents, by form.
    Case("mk,kn->mn", SMALL, "f32", "f32", None),
    Case("mk,kn->mn", SMALL, "f32", "f32", None, "all"),
    Case("mk,kn->mn", {**SMALL, "m": 1}, "f16", "f32", None),
    Case("mk,kn->mn", {**SMALL, "m": 30, "n": 12}, "f16", "f32", None),
    Case("mk,k->m", SMALL, "f16", "f32", None),
    Case("mk,kn->mn", SMALL, "f32", "f32", "NV_MMA_SYNC_F32_16x8x8_TF32", flags=("--allow-tf32",)),
    # Subgroups of 64 lanes.
    Case("mk,kn->mn", SMALL, "f16", "f32", "MFMA_F32_32x32x8_F16", target="gfx942"),
    Case("mk,kn->mn", ROWS, "f16", "f32", "MFMA_F32_16x16x16_F16", held=True, target="gfx942"),
    Case("mk,kn->mn", SMALL, "f32", "f32", "MFMA_F32_16x16x4_F32", "all", target="gfx942"),
]


def command(*parts):
    return fork_server.run([options.distaff, *map(str, parts)])


def say(is_right, *what):
    print("ok" if is_right else "FAIL", *what)
    return 0 if is_right else 1


def check_choice(case, path):
    """What is chosen, and what is said where nothing is."""
    done = command("compile", path, "--target", case.target, "--stop-after=specialize", *case.flags)
    kinds = {name + (" transposed" if flag else "") for name, flag in re.findall(r"mma_layout<(\w+)(, col_major)?>", done.stdout)}
    warns = "is computed without a matrix instruction" in done.stderr
    wanted = {case.instruction} - {None}
    return say(done.returncode == 0 and kinds == wanted and warns == (not wanted), case.name, "chooses", *kinds, done.stderr.strip()[:200] if kinds != wanted else "")


def check_values(case, path, rng):
    a, b = ([rng.randint(-4, 4) for _ in itertools.product(*map(range, case.shape(part, True)))] for part in (case.lhs, case.rhs))
    inputs = [npy.write(options.out / f"{name}.npy", element, case.shape(part, True), numbers) for name, element, part, numbers in
              (("a", case.element, case.lhs, a), ("b", case.element, case.rhs, b))]
    inputs.append(npy.write(options.out / "c.npy", case.sum_element, case.shape(case.result), [7] * len(case.expected(a, b))))
    expected, failures = case.expected(a, b), 0
    devices = ["simt", "ptx"] if case.target.startswith("sm") else ["simt"]
    splits = range(1, SUBGROUPS) if case.group == "p" else [1]
    for device, split in itertools.product(devices, splits):
        result = options.out / "result.npy"
        result.unlink(missing_ok=True)
        stage = ["--stop-after=convert"] if device == "simt" else []
        done = command("run", path, "--target", case.target, "--device", device, *stage, *case.flags, "--output", f"res0={result}",
                       "--schedule", rng.randint(1, 1 << 20), *(part for i, value in enumerate([*inputs, split]) for part in ("--input", f"arg{i}={value}")))
        found = npy.read(result, case.sum_element) if done.returncode == 0 else None
        failures += say(found == expected, case.name, device, "split", split, "" if found == expected else done.stderr.strip()[:300] or "another product")
    return failures


def main():
    rng, failures = random.Random(11), 0
    for case in depth.some(CASES, 3):
        path = options.out / "product.mlir"
        path.write_text(case.kernel())
        failures += check_choice(case, path) + check_values(case, path, rng)
    print(failures, "failures")
    sys.exit(failures > 0)


main()
