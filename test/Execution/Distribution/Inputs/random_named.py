"""Ops of random programs that take a form of their own: logarithms of sums, and masks
around what writes. Mixed into the Generator of random_kernels.py, whose members these use.
"""
from kernels import vector


class NamedOps:
    def log_sum_exp(self):
        """Into memory at once: later ops could not tell what is near."""
        m, n, k = (self.random.choice([1, 3, 8, 16]) for _ in range(3))
        values = [self.clamped(self.pick(shape, "f32"), 3) for shape in ([m, k], [k, n], [m, n])]
        for value in values:
            value.used = True
        lhs, rhs, acc = values
        maps = ", ".join(f"affine_map<(d0, d1, d2) -> ({dims})>" for dims in ("d0, d2", "d2, d1", "d0, d1"))
        text = (f"distaff.contract <logsumexp, add> {{indexing_maps = [{maps}], iterator_types = [\"parallel\", \"parallel\", \"reduction\"]}} "
                f"{lhs.name}, {rhs.name}, {acc.name} : {lhs.type}, {rhs.type} into {acc.type}")
        before = len(self.values)
        self.write(self.define([m, n], "f32", self.masked([m, n, k], text, acc.type), 0))
        del self.values[before:]

    def masked_write(self):
        """vector.mask around a write."""
        value = self.storable()
        value.used = True
        shape = value.shape or [1]
        if not value.shape:
            value = self.define(shape, value.element, f"vector.broadcast {value.name} : {value.type} to {vector(shape, value.element)}", value.bound)
            value.used = True
        order = list(range(len(shape)))
        self.random.shuffle(order)
        base, type_ = self.memory([shape[d] for d in order], value.element)
        mask = self.pick([shape[d] for d in order], "i1")
        dims = ", ".join(f"d{i}" for i in range(len(order)))
        results = ", ".join(f"d{order.index(d)}" for d in range(len(order)))
        self.emit(f"vector.mask {mask.name} {{ vector.transfer_write {value.name}, {base}[{', '.join(['%c0'] * len(order))}] "
                  f"{{in_bounds = [{', '.join(['true'] * len(order))}], permutation_map = affine_map<({dims}) -> ({results})>}} : "
                  f"{value.type}, {type_} }} : {mask.type}")
