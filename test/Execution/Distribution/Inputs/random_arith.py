"""Ops of random programs: arithmetic beyond sums and products, semirings, and the
masked forms of writes. Mixed into the Generator of random_kernels.py, whose members
these use.
"""
from kernels import FLOATS, vector
from random_layouts import product
from random_named import NamedOps


class ArithOps:
    def integer(self):
        """Of a width that arithmetic is common on; the value may be any."""
        a = self.any()
        return a if not a.is_float and a.element not in ("i1", "index") else self.convert(a, self.random.choice(["i8", "i16", "i32", "i64", "i24"]))

    def shift(self):
        """By less than the width, and by the same or by another number at every place."""
        a = self.integer()
        width = int(a.element[1:])
        by = self.splat(a.shape, a.element, str(self.random.choice([0, 1, width // 2, width - 1])))
        if self.chance(0.5):
            other, limit = self.pick(a.shape, a.element), self.splat(a.shape, a.element, str(1 if width < 8 else 3))
            by = self.define(a.shape, a.element, f"arith.andi {other.name}, {limit} : {a.type}", 3).name
        a.used = True
        return self.define(a.shape, a.element, f"arith.{self.random.choice(['shli', 'shrsi', 'shrui'])} {a.name}, {by} : {a.type}")

    def divide(self):
        """By a power of two, another number, or one that is not the same everywhere; never by 0 or -1."""
        a = self.integer()
        if int(a.element[1:]) < 8:
            a = self.convert(a, "i32")
        a.used = True
        by = self.splat(a.shape, a.element, self.random.choice(["1", "4", "7", "100"]))
        if self.chance(0.4):
            other = self.pick(a.shape, a.element)
            low, one = (self.splat(a.shape, a.element, n) for n in ("6", "1"))
            masked = self.define(a.shape, a.element, f"arith.andi {other.name}, {low} : {a.type}")
            masked.used = True
            by = self.define(a.shape, a.element, f"arith.ori {masked.name}, {one} : {a.type}", 7).name
        op = self.random.choice(["divsi", "divui", "remsi", "remui", "ceildivsi", "ceildivui", "floordivsi"])
        return self.define(a.shape, a.element, f"arith.{op} {a.name}, {by} : {a.type}")

    def float_unary(self):
        a = self.any()
        if not a.is_float or a.element.startswith("f8"):
            a = self.convert(a, self.random.choice(["f16", "bf16", "f32", "f64"]))
        a.used = True
        op = self.random.choice(["arith.negf", "math.absf", "math.floor", "math.ceil", "math.trunc", "math.roundeven"])
        return self.define(a.shape, a.element, f"{op} {a.name} : {a.type}", a.bound)

    def integer_unary(self):
        a = self.integer()
        if a.element not in ("i32", "i64", "i16"):
            a = self.convert(a, "i32")
        a.used = True
        op = self.random.choice(["absi", "ctpop", "ctlz", "cttz"])
        return self.define(a.shape, a.element, f"math.{op} {a.name} : {a.type}")

    def curve(self):
        """Of numbers from -3 to 3, into memory at once: later ops could not tell what is near."""
        a = self.any()
        a = self.convert(a, "f32") if a.element != "f32" else a
        a = self.clamped(a, 3)
        a.used = True
        op = self.random.choice(["math.exp", "math.exp2", "math.tanh", "math.sin", "math.cos", "math.erf"])
        before = len(self.values)
        self.write(self.define(a.shape, "f32", f"{op} {a.name} : {a.type}", 0))
        del self.values[before:]

    def compare(self):
        a = self.any()
        b = self.pick(a.shape, a.element)
        op, kinds = ("cmpf", ["oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uno", "une"]) if a.is_float else \
                    ("cmpi", ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"])
        return self.define(a.shape, "i1", f"arith.{op} {self.random.choice(kinds)}, {a.name}, {b.name} : {a.type}", 1)

    def by_scalar(self):
        """A choice between whole vectors."""
        a = self.any()
        b = self.pick(a.shape, a.element)
        condition = self.name()
        self.emit(f"{condition} = arith.cmpi {self.random.choice(['eq', 'ne'])}, {self.index(self.random.choice([0, 1]))}, %c0 : index")
        return self.define(a.shape, a.element, f"arith.select {condition}, {a.name}, {b.name} : {a.type}", max(a.bound, b.bound) if a.is_float else 0)


class SemiringOps:
    def semiring(self):
        element, combine, multiply = self.random.choice(
            [("f32", "minimumf", "add"), ("f16", "maximumf", "add"), ("f64", "maxnumf", "mul"), ("f32", "maxnumf", "minnumf"),
             ("i32", "add", "mul"), ("i16", "or", "and"), ("i32", "xor", "and"), ("i64", "minsi", "add"), ("i8", "maxui", "minui")])
        roles = self.random.choice(["mk", "mnk", "mnk", "bmnk", "mnkl"])
        sizes = {d: self.random.choice([1, 2, 3, 5, 8, 16]) for d in roles}
        if product(sizes.values()) > 4096:
            return self.semiring()
        operands = [[d for d in roles if d in "bmkl"], [d for d in roles if d in "bnkl"], [d for d in roles if d in "bmn"]]
        for operand in operands:
            self.random.shuffle(operand)
        shapes = [[sizes[d] for d in operand] for operand in operands]
        dims = ", ".join(f"d{i}" for i in range(len(roles)))
        maps = ", ".join(f"affine_map<({dims}) -> ({', '.join(f'd{roles.index(d)}' for d in operand)})>" for operand in operands)
        iterators = ", ".join('"reduction"' if d in "kl" else '"parallel"' for d in roles)
        lhs, rhs, acc = self.pick(shapes[0], element), self.pick(shapes[1], element), self.pick(shapes[2], element)
        bound = 0
        if element in FLOATS:
            term = lhs.bound * rhs.bound if multiply == "mul" else lhs.bound + rhs.bound if multiply == "add" else max(lhs.bound, rhs.bound)
            bound = max(term, acc.bound)
            if bound > self.exact(element):
                return self.elementwise()
        mask, type_, own = "", "", self.chance(0.3)
        if own:
            value = self.pick([sizes[d] for d in roles], "i1")
            mask, type_ = f" mask {value.name}", f", {value.type}"
        text = (f"distaff.contract <{combine}, {multiply}> {{indexing_maps = [{maps}], iterator_types = [{iterators}]}} "
                f"{lhs.name}, {rhs.name}, {acc.name}{mask} : {lhs.type}, {rhs.type}{type_} into {acc.type}")
        return self.define(shapes[2], element, text if own else self.masked([sizes[d] for d in roles], text, acc.type), bound)

    def best(self):
        """arg_compare with positions of its own, or with a base; the later of equal ones too."""
        a = self.any(rank_at_least=1)
        if a.element in ("i1", "index") or a.element.startswith("f8"):
            a = self.convert(a, "i32")
        a.used = True
        dim, (x, y, t, name) = self.random.randrange(len(a.shape)), (self.name() for _ in range(4))
        kept = a.shape[:dim] + a.shape[dim + 1:]
        numbers = self.random.choice(["i32", "i64", "index"])
        best, at = self.pick(kept, a.element), self.pick(kept, numbers)
        given, base = self.pick(a.shape, numbers) if self.chance(0.5) else None, ""
        if not given:
            base = f" index_base({self.index(self.random.choice([0, 7]))} : index)"
        inputs = f"{a.name}, {given.name} : {a.type}, {given.type}" if given else f"{a.name} : {a.type}"
        op = f"arith.cmpf {self.random.choice(['olt', 'oge', 'ole'])}" if a.is_float else f"arith.cmpi {self.random.choice(['slt', 'sge', 'ule', 'ugt'])}"
        self.emit(f"{name}:2 = iree_vector_ext.arg_compare dimension({dim}) ins({inputs}) inits({best.name}, {at.name} : {best.type}, {at.type}){base} {{")
        self.emit(f"^bb0({x}: {a.element}, {y}: {a.element}):")
        self.emit(f"  {t} = {op}, {x}, {y} : {a.element}")
        self.emit(f"  iree_vector_ext.yield {t} : i1")
        self.emit(f"}} -> {best.type}, {at.type}")
        self.values += [self.value(f"{name}#0", kept, a.element, max(a.bound, best.bound)), self.value(f"{name}#1", kept, numbers, 0)]


class RareOps(ArithOps, SemiringOps, NamedOps):
    def rare(self):
        """An op of this file, all about as often."""
        self.random.choice([self.shift, self.divide, self.float_unary, self.integer_unary, self.curve, self.compare, self.by_scalar,
                            self.semiring, self.semiring, self.best, self.log_sum_exp, self.masked_write])()
