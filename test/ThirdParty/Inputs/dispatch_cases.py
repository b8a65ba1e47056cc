"""What kernels of the linalg table compute, in NumPy.

A case is a kernel's name, what it computes of its inputs in float64 or integers, and a
bound on the error of each element, which is sums of worst cases over its operations as in
third_party_case.py. Inputs are drawn by the type that the kernel says; `positions` gives
the extent that an integer input indexes.
"""
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from third_party_case import ACCUMULATE, APPROXIMATE, F16, F32, softmax


@dataclass
class Reference:
    compute: Any  # inputs, as float64 or integers -> results
    bound: Any = lambda results, *inputs: [0.0] * len(results)
    positions: dict = field(default_factory=dict)  # of an input, by number
    numbers: Any = lambda *inputs: []  # of the launch, where extents are dynamic and flattened


def product(subscripts, rounded=0.0):
    """A contraction, and its bound: one rounding per step of each magnitude."""
    def compute(*inputs):
        return [np.einsum(subscripts, *inputs)]

    def bound(results, *inputs):
        magnitude = np.einsum(subscripts, *map(np.abs, inputs))
        steps = np.einsum(subscripts, *map(np.ones_like, inputs)).max()
        return [magnitude * (steps + 1) * ACCUMULATE + rounded * np.abs(results[0])]
    return Reference(compute, bound)


def exactly(compute, **options):
    return Reference(lambda *inputs: [compute(*inputs)], **options)


def nearly(compute, relative, absolute=0.0):
    return Reference(lambda *inputs: [compute(*inputs)], lambda results, *_: [relative * np.abs(results[0]) + absolute])


def summed(axis):
    return Reference(lambda x: [x.sum(axis=axis)],
                     lambda results, x: [np.abs(x).sum(axis=axis) * (x.size // results[0].size + 1) * ACCUMULATE])


def windows(x, height, width, stride, dilation, rows, columns):
    """Of an array [b, h, w, c]: [b, rows, columns, height, width, c]."""
    return np.stack([np.stack([x[:, p * dilation:p * dilation + stride * rows:stride, q * dilation:q * dilation + stride * columns:stride]
                               for q in range(width)], axis=3) for p in range(height)], axis=3)


def convolution(stride, dilation):
    def extents(x, w):
        reach = lambda size, extent: (extent - (size - 1) * dilation - 1) // stride + 1
        return w.shape[0], w.shape[1], stride, dilation, reach(w.shape[0], x.shape[1]), reach(w.shape[1], x.shape[2])

    def compute(x, w):
        return [np.einsum("bhwpqc,pqcf->bhwf", windows(x, *extents(x, w)), w)]
    return Reference(compute, lambda results, x, w: [compute(np.abs(x), np.abs(w))[0] * (w[..., 0].size + 1) * ACCUMULATE])


def depthwise(x, w):
    return np.einsum("bhwpqc,pqc->bhwc", windows(x, 3, 3, 1, 1, x.shape[1] - 2, x.shape[2] - 2), w)


def softmax_along(axis):
    def compute(x):
        return [np.moveaxis(softmax(np.moveaxis(x, axis, -1))[0], -1, axis)]

    def bound(results, x):
        _, relative = softmax(np.moveaxis(x, axis, -1))
        return [(np.moveaxis(relative, -1, axis) + 40 * ACCUMULATE) * results[0]]
    return Reference(compute, bound)


def gelu(x):
    return 0.5 * x * (1 + np.tanh(0.79788456 * (x + 0.044715 * x**3)))


def silu_times(x, y):
    return x / (1 + np.exp(-x)) * y


REFERENCES = {
    "matmul_f16": product("mk,kn->mn"),
    "matmul_bf16_nt": product("mk,nk->mn"),
    "matmul_tn_f16": product("km,kn->mn"),
    "matmul_tt_f32": product("km,nk->mn"),
    "matmul_transposed_result": product("mk,kn->nm"),
    "matmul_i8": exactly(lambda a, b: a.astype(np.int32) @ b.astype(np.int32)),
    "batch_matmul": product("bmk,bkn->bmn"),
    "matvec": product("mk,k->m"),
    "vecmat": product("k,kn->n"),
    "outer_product": product("m,n->mn"),
    "matmul_bias_relu": Reference(lambda a, b, c: [np.maximum(a @ b + c, 0)],
                                  lambda results, a, b, c: [(np.abs(a) @ np.abs(b) + np.abs(c)) * (a.shape[1] + 2) * ACCUMULATE]),
    "row_sum": summed(1),
    "column_sum": summed(0),
    "row_max_kept": exactly(lambda x: x.max(axis=1, keepdims=True)),
    "middle_min": exactly(lambda x: x.min(axis=1)),
    "argmax": Reference(lambda x: [x.max(axis=1), x.argmax(axis=1).astype(np.int32)]),
    "softmax": softmax_along(1),
    "softmax_of_columns": softmax_along(0),
    "gelu_tanh": nearly(gelu, 2.0**-18, 2.0**-20),
    "silu_times": nearly(silu_times, F16 + 2.0**-18, 2.0**-24),
    "bias_broadcast": nearly(lambda x, y: x + y, 2 * F32),
    "select_where": exactly(lambda x, y, c: np.where(c, x, y)),
    "causal_mask": exactly(lambda x: np.where(np.arange(x.shape[1]) <= np.arange(x.shape[0])[:, None], x, -np.inf), numbers=lambda x: [x.shape[1]]),
    "quantize_i8": exactly(lambda x: np.clip(np.rint((x.astype(np.float32) * np.float32(100))), -128, 127).astype(np.int8)),
    "transpose": exactly(lambda x: 2 * x.T),
    "transpose_102": exactly(lambda x: x.transpose(1, 0, 2)),
    "broadcast_row": nearly(lambda x, y: np.outer(y, x), 2 * F32),
    "batchnorm_inference": Reference(lambda x, mean, scale: [(x - mean[None, :, None, None]) * scale[None, :, None, None]],
                                     lambda results, x, mean, scale: [(np.abs(x) + np.abs(mean)[None, :, None, None]) * 4 * F32]),
    "conv_2d_nhwc_hwcf": convolution(1, 1),
    "conv_2d_strided_dilated": convolution(2, 2),
    "depthwise_conv_2d_nhwc": Reference(lambda x, w: [depthwise(x, w)], lambda results, x, w: [depthwise(np.abs(x), np.abs(w)) * 10 * ACCUMULATE]),
    "pooling_nhwc_max": exactly(lambda x: x.reshape(x.shape[0], x.shape[1] // 2, 2, x.shape[2] // 2, 2, x.shape[3]).max(axis=(2, 4))),
    "embedding": exactly(lambda table, rows: table[rows], positions={1: lambda table: table.shape[0]}),
    "take_along_rows": exactly(lambda x, at: np.take_along_axis(x, at, axis=1), positions={1: lambda x: x.shape[1]}),
}
