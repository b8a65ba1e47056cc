"""Random legal layouts: gaps, replicas, digits that are no powers of two, more
subgroups than there are."""
from kernels import DigitLayout, Layout


def primes(n):
    found, p = [], 2
    while n > 1:
        while n % p == 0:
            found.append(p)
            n //= p
        p += 1
    return found


def product(numbers):
    result = 1
    for n in numbers:
        result *= n
    return result


class RandomLayouts:
    def __init__(self, random, subgroups, lanes):
        self.random, self.subgroups, self.lanes = random, subgroups, lanes

    def chance(self, p):
        return self.random.random() < p

    def assignment(self, shape):
        """An axis for every prime of every dim, within what the threads can hold."""
        lanes = self.random.choice([self.lanes, self.lanes, self.lanes // 2, 4, 1])
        subgroups = self.subgroups
        digits = []
        for dim, extent in enumerate(shape):
            factors = primes(extent)
            self.random.shuffle(factors)
            for p in factors:
                axis = self.random.choice(["lane", "lane", "lane", "sg", "reg"])
                if axis == "lane" and p <= lanes:
                    lanes //= p
                elif axis == "sg" and p <= subgroups:
                    subgroups //= p
                else:
                    axis = "reg"
                digits.append((dim, axis, p))
        return digits, lanes, subgroups

    def chain(self, sizes, slack):
        """Strides in a random order, with gaps while `slack` allows."""
        order = list(range(len(sizes)))
        self.random.shuffle(order)
        strides, next_ = [0] * len(sizes), 1
        for at in order:
            if sizes[at] == 1:
                continue
            if slack >= 2 and self.chance(0.3):
                next_ *= 2
                slack //= 2
            strides[at] = next_
            next_ *= sizes[at]
        return strides

    def layout(self, shape):
        digits, lanes, subgroups = self.assignment(shape)
        if self.chance(0.2):
            return self.digit_layout(shape, digits, lanes, subgroups)
        rank = len(shape)
        levels = {level: [1] * rank for level in "SBOTE"}
        for dim, axis, p in digits:
            level = {"lane": "T", "sg": "S"}.get(axis) or self.random.choice("BOE")
            levels[level][dim] *= p
        if self.subgroups in (2, 4) and subgroups == self.subgroups and self.chance(0.3):
            # Twice the subgroups there are, on one dim.
            for dim in range(rank):
                wanted = 2 * self.subgroups
                if levels["B"][dim] % wanted == 0:
                    levels["B"][dim] //= wanted
                    levels["S"][dim] = wanted
                    break
            return Layout(rank, **levels, ss=[int(s > 1) for s in levels["S"]], ts=self.chain(levels["T"], lanes))
        return Layout(rank, **levels, ss=self.chain(levels["S"], subgroups), ts=self.chain(levels["T"], lanes))

    def digit_layout(self, shape, digits, lanes, subgroups):
        self.random.shuffle(digits)
        strides = {}
        for axis, slack in (("lane", lanes), ("sg", subgroups), ("reg", 1)):
            own = [i for i, digit in enumerate(digits) if digit[1] == axis]
            strides.update(zip(own, self.chain([digits[i][2] for i in own], slack)))
        return DigitLayout(*[[(axis, p, strides[i]) for i, (of, axis, p) in enumerate(digits) if of == dim]
                             for dim in range(len(shape))])
