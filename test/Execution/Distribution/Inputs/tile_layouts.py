"""Layouts whose registers matrix loads and stores move, and others of a shape."""
from kernels import Layout

BITS = {"f16": 16, "bf16": 16, "i16": 16, "i8": 8, "f8E4M3FN": 8, "f32": 32, "i32": 32}


class Tiles:
    """A layout whose words are those of tiles: `eight` and `four` are the dims of
    the lanes."""

    def __init__(self, r, element, subgroups, rank=2):
        four = r.randrange(rank)
        eight = (four + 1 + r.randrange(rank - 1)) % rank
        one = [1] * rank
        self.four, self.eight, self.rank = four, eight, rank
        T, ts, E = one[:], [0] * rank, one[:]
        T[four], ts[four], E[four] = 4, 1, 32 // BITS[element]
        T[eight], ts[eight] = 8, 4
        S, ss = one[:], [0] * rank
        split = r.randrange(rank)
        if subgroups > 1 and r.random() < 0.7:
            S[split], ss[split] = subgroups, 1
        B = [r.choice([1, 2, 3]) if rank == 2 else r.choice([1, 2]) for _ in one]
        O = [r.choice([1, 1, 2]) for _ in one]
        self.layout = Layout(rank, S=S, B=B, O=O, T=T, E=E, ss=ss, ts=ts)


def copy_layout(r, shape, element, subgroups):
    """Wide along some dim, the lanes over the rest."""
    rank, inner, rest = len(shape), r.randrange(len(shape)), list(shape)
    E, T, S, ts, ss = [1] * rank, [1] * rank, [1] * rank, [0] * rank, [0] * rank
    width = r.choice([1, 2, 4, 8]) * 16 // BITS[element] or 1
    while rest[inner] % width:
        width //= 2
    E[inner], rest[inner] = width, rest[inner] // width
    stride = 1
    for n in range(rank):
        dim = (inner + n) % rank
        while stride < 32 and rest[dim] % 2 == 0:
            T[dim], ts[dim] = T[dim] * 2, ts[dim] or stride
            rest[dim], stride = rest[dim] // 2, stride * 2
    for dim in range(rank):
        if subgroups > 1 and rest[dim] % subgroups == 0 and 1 not in ss:
            S[dim], ss[dim], rest[dim] = subgroups, 1, rest[dim] // subgroups
    return Layout(rank, S=S, B=rest, T=T, E=E, ss=ss, ts=ts)
