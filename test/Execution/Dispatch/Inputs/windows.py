"""iree_linalg_ext.im2col (VX-237) on every machine: strides, dilations, offsets, windows that are split or not, paddings of the
input and of the output, dynamic extents. Values are from plain Python, of whole numbers, and equal.

usage: windows.py OUT_DIR
"""
import itertools
import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Inputs"))
import depth
import npy
import suite

MACHINES = [("sm_80", "simt"), ("sm_80", "ptx"), ("gfx942", "simt"), ("host", "host")]
PAD = -77


class Case:
    """One im2col of an input N x H x W x C, or of one with channels first."""

    def __init__(self, name, shape, sizes, strides=(1, 1), dilations=(1, 1), kernel=(3, 3), offsets=None, places=((0,), (1, 2), (3,)),
                 low=None, high=None, out_low=None, out_high=None, dynamic=False):
        self.name, self.shape, self.sizes, self.dynamic = name, shape, sizes, dynamic
        self.strides, self.dilations, self.kernel, self.places = strides, dilations, kernel, places
        self.offsets = offsets or [0] * len(sizes)
        self.low, self.high, self.out_low, self.out_high = low, high, out_low, out_high
        self.extents = [math.prod(size) + a + b - offset for size, offset, a, b in
                        zip(sizes, self.offsets, out_low or [0] * len(sizes), out_high or [0] * len(sizes))]

    def pads(self):
        return any((self.low, self.high, self.out_low, self.out_high))

    def text(self):
        kind = lambda shape: "tensor<" + "".join(f"{'?' if self.dynamic else extent}x" for extent in shape) + "i32>"
        numbers = lambda list_: "[" + ", ".join(map(str, list_)) + "]"
        pads = [(name, list_) for name, list_ in (("input_pad_low", self.low), ("input_pad_high", self.high),
                ("output_pad_low", self.out_low), ("output_pad_high", self.out_high)) if list_]
        batch, windows, channels = map(list, self.places)
        keys = [("strides", self.strides), ("dilations", self.dilations), ("kernel_size", self.kernel), ("offsets", self.offsets)]
        lists = " ".join(f"{name} = {numbers(list_)}" for name, list_ in keys)
        lists += " output_sizes = " + numbers(map(numbers, self.sizes))
        lists += f" batch_pos = {batch} m_pos = {windows} k_pos = {channels}"
        lists += "".join(f" {name} = {numbers(list_)}" for name, list_ in pads) + (" pad_value(%p : i32)" if pads else "")
        x, y = kind(self.shape), kind(self.extents)
        return f"""func.func @windows(%x: {x}, %y: {y}) -> {y} {{
  %p = arith.constant {PAD} : i32
  %r = iree_linalg_ext.im2col {lists} ins(%x : {x}) outs(%y : {y}) -> {y}
  return %r : {y}
}}
"""

    def element(self, values, index):
        """What the output holds at an index."""
        digits = []
        for dim, (at, size) in enumerate(zip(index, self.sizes)):
            low, high = (pad[dim] if pad else 0 for pad in (self.out_low, self.out_high))
            if not low <= at < self.extents[dim] - high:
                return PAD
            at += self.offsets[dim] - low
            for extent in reversed(size[1:]):
                at, digit = divmod(at, extent)
                digits.append(digit)
            digits[len(digits) - len(size[1:]):] = [at, *reversed(digits[len(digits) - len(size[1:]):])]
        batch, windows, channels = self.places
        at = dict(zip(batch, digits))
        digits = digits[len(batch):]
        for number, dim in enumerate(windows):
            at[dim] = digits[number] * self.strides[number] + digits[len(windows) + number] * self.dilations[number]
        at.update(zip(channels, digits[2 * len(windows):]))
        place = 0
        for dim, extent in enumerate(self.shape):
            own = at[dim] - (self.low[dim] if self.low else 0)
            if not 0 <= own < extent:
                return PAD
            place = place * extent + own
        return values[place]


def cases():
    nhwc = [2, 6, 7, 5]
    yield Case("plain", nhwc, [[2], [4], [5], [3, 3, 5]])
    yield Case("rows", nhwc, [[2], [4, 5], [3, 3, 5]])
    yield Case("one", [1, 1, 1, 1], [[1], [1], [1], [1, 1, 1]], kernel=(1, 1))
    yield Case("strided", nhwc, [[2], [2], [3], [3, 3, 5]], strides=(3, 2))
    yield Case("dilated", nhwc, [[2], [2], [1], [3, 2, 5]], dilations=(2, 6), kernel=(3, 2))
    yield Case("offsets", nhwc, [[2], [4], [5], [3, 3, 5]], offsets=[1, 2, 0, 7])
    yield Case("channels_first", [2, 3, 6, 5], [[2], [4, 3], [3, 3, 3]], places=((0,), (2, 3), (1,)))
    yield Case("no_batch", [2, 6, 7, 5], [[2], [4], [5], [1, 3, 3, 5]], strides=(1, 1, 1), dilations=(1, 1, 1), kernel=(1, 3, 3),
               places=((), (0, 1, 2), (3,)))
    padding = dict(low=[0, 1, 2, 0], high=[0, 1, 1, 0])
    yield Case("padded", nhwc, [[2], [6], [8], [3, 3, 5]], **padding)
    yield Case("padded_twice", nhwc, [[2], [6, 8], [3, 3, 5]], out_low=[0, 1, 0], out_high=[1, 3, 2], **padding)
    yield Case("dynamic", nhwc, [[2], [6], [8], [3, 3, 5]], out_high=[0, 0, 3, 3], dynamic=True, **padding)


def run_of(case, target, device, chosen):
    folder = chosen.out / f"{case.name}.{target}.{device}"
    values = [(7 * place) % 101 - 50 for place in range(math.prod(case.shape))]
    command = [chosen.distaff, "run", folder / "kernel.mlir", "--target", target, "--device", device,
               "--input", f"arg0={folder / 'arg0.npy'}", "--input", f"arg1={folder / 'arg1.npy'}", "--output", f"res0={folder / 'res0.npy'}"]

    def prepare():
        folder.mkdir(exist_ok=True)
        (folder / "kernel.mlir").write_text(case.text())
        npy.write(folder / "arg0.npy", "i32", case.shape, values)
        npy.write(folder / "arg1.npy", "i32", case.extents, [99] * math.prod(case.extents))

    def wrong():
        given = npy.read(folder / "res0.npy", "i32")
        indices = itertools.product(*map(range, case.extents))
        return next((f"{index} is {x}, wanted {wanted}" for index, x in zip(indices, given) if x != (wanted := case.element(values, index))), None)
    return suite.Run(f"{case.name} {target} {device}", command, prepare=prepare, after=wrong, compares=False)


def main():
    chosen = suite.options()
    pairs = list(itertools.product(cases(), MACHINES))
    taken = pairs[::3] if depth.IS_QUICK else pairs
    depth.record(len(taken), len(pairs))
    suite.main([run_of(case, *machine, chosen) for case, machine in taken], chosen)


if __name__ == "__main__":
    main()
