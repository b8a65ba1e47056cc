"""Random chains of elementwise ops, reductions, softmaxes and matrix products,
with shared operands, several results and extents that nothing divides. Seeds are
fixed; to look for more, give a range:

    python3 random_programs.py OUT_DIR --seeds 1000:3000
"""
import math
import random

from programs import Program, main, suite

EXTENTS = [1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 24, 31, 32, 33, 48, 64, 100, 128]
LONG_EXTENTS = [256, 511, 512, 1000, 2048]


class Generator:
    def __init__(self, seed):
        self.program = Program(f"random_{seed}")
        self.random = random.Random(self.program.name)
        self.program.targets = [self.random.choice(["sm_80", "gfx942"])]
        self.extents = [self.random.choice(EXTENTS) for _ in range(4)]
        if self.random.random() < 0.3:
            self.extents[0] = self.random.choice(LONG_EXTENTS)
        self.values, self.made = [], []

    def argument(self, shape):
        while math.prod(shape) > 1 << 14:
            shape[shape.index(max(shape))] = self.random.choice([1, 3, 4, 8])
        self.values.append(self.program.argument(shape, "f32"))
        return self.values[-1]

    def make(self, value):
        # From here on sums and half precision would round.
        if max(map(abs, value.data)) > 2000:
            self.program.reference = False
        self.values.append(value)
        self.made.append(value)

    def pick(self, rank=None):
        candidates = [v for v in self.values if rank is None or len(v.shape) == rank]
        return self.random.choice(candidates) if candidates else None

    def loops_of(self, value, shape):
        """Distinct loops of `shape` that may index `value`, or None."""
        loops = []
        for extent in value.shape:
            fitting = [d for d in range(len(shape)) if shape[d] == extent and d not in loops]
            if not fitting:
                return None
            loops.append(self.random.choice(fitting))
        return loops

    def elementwise(self):
        first = self.pick()
        shape = list(first.shape)
        inputs, body, ops, current = [(first, list(range(len(shape))))], [], [], "%x0"
        for _ in range(self.random.randint(0, 2)):
            other = self.pick()
            if (loops := self.loops_of(other, shape)) is not None:
                inputs.append((other, loops))
        binary = {"addf": lambda x, y: x + y, "subf": lambda x, y: x - y, "mulf": lambda x, y: x * y, "maximumf": max}
        for i in range(1, len(inputs)):
            op = self.random.choice(list(binary))
            ops.append(binary[op])
            body.append(f"%t{i} = arith.{op} {current}, %x{i} : f32")
            current = f"%t{i}"
        last, lines = self.random.choice([(lambda x: -x, ["%y = arith.negf {} : f32"]), (abs, ["%y = math.absf {} : f32"]),
                                          (lambda x: x, ["%h = arith.truncf {} : f32 to f16", "%y = arith.extf %h : f16 to f32"])])
        body += [line.format(current) for line in lines]

        def function(x, *others):
            for op, other in zip(ops, others):
                x = op(x, other)
            return last(x)

        result = list(range(len(shape)))
        if self.random.random() < 0.15:
            self.random.shuffle(result)
        self.make(self.program.generic(shape, "f32", inputs, body, function, result=result))

    def reduce(self):
        x = self.pick()
        if x.shape:
            dims = sorted(self.random.sample(range(len(x.shape)), self.random.randint(1, min(2, len(x.shape)))))
            self.make(self.program.reduce(x, dims, self.random.choice(["addf", "addf", "maximumf", "minimumf"])))

    def softmax(self):
        x = self.pick()
        if x.shape and max(map(abs, x.data)) < 80:
            self.make(self.program.softmax(x, self.random.randrange(len(x.shape))))
            self.program.reference = False

    def matmul(self):
        a = self.pick(rank=2)
        if not a:
            return
        k, n = a.shape[1], self.random.choice(self.extents)
        fitting = [v for v in self.values if len(v.shape) == 2 and k in v.shape and v is not a]
        b = self.random.choice(fitting) if fitting and self.random.random() < 0.5 else None
        transposed = b.shape[0] != k if b else self.random.random() < 0.5
        n = b.shape[0 if transposed else 1] if b else n
        if a.shape[0] * n * k > 1 << 18:
            return
        b = b or self.argument([n, k] if transposed else [k, n])
        if b.shape != ([n, k] if transposed else [k, n]):
            return
        if self.random.random() < 0.6:
            a, b = (self.program.unary("arith.truncf", x, lambda v: v, "f16") for x in (a, b))
        self.make(self.program.matmul(a, b, "f32", "b" if transposed else ""))

    def generate(self):
        for _ in range(self.random.randint(1, 2)):
            self.argument([self.random.choice(self.extents) for _ in range(self.random.choice([1, 2, 2, 2, 3]))])
        steps = [self.elementwise, self.elementwise, self.reduce, self.reduce, self.softmax, self.matmul]
        for _ in range(self.random.randint(1, 4)):
            self.random.choice(steps)()
        if not self.made:
            return None
        extra = [v for v in self.made[:-1] if self.random.random() < 0.25]
        return self.program.returns(self.made[-1], *extra)


def programs():
    made = (Generator(seed).generate() for seed in suite.taken("--seeds") or range(130))
    return [program for program in made if program]


if __name__ == "__main__":
    main(programs(), one_in=4)
