"""Runs the peers' kernels for sm_80 on the PTX machine: that they compute what the row says.

usage: values.py DISTAFF FOLDER

FOLDER holds a folder per row and peer, ROW.PEER, with the kernel's PTX and a launch.json
that table.py wrote. Of each kernel the first two workgroups run, into a result full of
NaN (or of the least integer), and what they write is compared with float64. Prints a line
per kernel that is wrong or writes nothing, and how many are right; exit status 1 when one
is not. What IREE makes several kernels of is left out. Runs where NumPy is.
"""
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "test" / "ThirdParty" / "Inputs"))
from third_party_case import ACCUMULATE, APPROXIMATE, F16, accumulated, softmax  # noqa: E402

SIZES = {"matmul_f16_512": (512, 384, 256)}
LEAST = np.iinfo(np.int32).min


def bf16(values):
    """Bit patterns, rounded to nearest even."""
    bits = np.asarray(values, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def as_float64(array):
    return (array.astype(np.uint32) << 16).view(np.float32).astype(np.float64) if array.dtype == np.uint16 else array.astype(np.float64)


class Matmul:
    def __init__(self, row, random):
        kind = row.split("_")[1]
        m, n, k = SIZES.get(row, (4096,) * 3)
        self.is_k_major = row.endswith("kmajor")
        shapes = (m, k), ((n, k) if self.is_k_major else (k, n))
        if kind == "i8":
            self.inputs = [random.integers(-128, 128, shape, dtype=np.int8) for shape in shapes]
        else:
            self.inputs = [(bf16 if kind == "bf16" else np.float16)(random.uniform(-1, 1, shape).astype(np.float32)) for shape in shapes]
        self.result = np.full((m, n), LEAST, np.int32) if kind == "i8" else np.full((m, n), np.nan, np.float32)

    def expected(self, rows, columns):
        a, b = self.inputs[0][rows], self.inputs[1][columns].T if self.is_k_major else self.inputs[1][:, columns]
        a, b = as_float64(a), as_float64(b)
        return a @ b, accumulated(a, b, a.shape[1]) if self.result.dtype == np.float32 else np.zeros((len(a), b.shape[1]))

    def compare(self, found):
        written = found != LEAST if found.dtype == np.int32 else ~np.isnan(found)
        rows, columns = np.flatnonzero(written.any(1)), np.flatnonzero(written.any(0))
        value, bound = self.expected(rows, columns)
        error = np.where(written[np.ix_(rows, columns)], np.abs(found[np.ix_(rows, columns)] - value), 0)
        return int(written.sum()), float((error / np.maximum(bound, 0.5 if found.dtype == np.int32 else 1e-30)).max(initial=0))


class Rows:
    """Kernels whose rows, or matrices, stand for themselves: expected(rows) gives values and bounds."""

    def __init__(self, inputs, shape, expected):
        self.inputs, self.result, self.expected = inputs, np.full(shape, np.nan, np.float32), expected

    def compare(self, found):
        whole = ~np.isnan(found)
        rows = np.flatnonzero(whole.reshape(len(found), -1).all(1))
        value, bound = self.expected(rows)
        partly = int(whole.sum()) - found[rows].size
        return int(whole.sum()), np.inf if partly else float((np.abs(found[rows] - value) / bound).max(initial=0))


class Attention:
    def __init__(self, row, random, has_mask):
        self.width, self.is_causal = int(row.split("_")[-1]), "causal" in row
        self.inputs = [random.uniform(-1, 1, (16, 1024, self.width)).astype(np.float16) for _ in range(3)]
        if has_mask:
            self.inputs.append(np.tril(np.ones((1024, 1024), np.int8)))
        self.result = np.full((16, 1024, self.width), np.nan, np.float32)

    def compare(self, found):
        written = ~np.isnan(found)
        worst = 0.0
        for head in np.flatnonzero(written.any((1, 2))):
            rows = np.flatnonzero(written[head].any(1))
            q, k, v = (array[head].astype(np.float64) for array in self.inputs[:3])
            scores = q[rows] @ k.T * self.width**-0.5
            if self.is_causal:
                scores = np.where(np.arange(1024)[None, :] <= rows[:, None], scores, -np.inf)
            weights, relative = softmax(scores)
            # Powers are rounded to f16, and so may be the scale.
            bound = (weights * (relative + 2 * F16 + 64 * ACCUMULATE + F16 * np.abs(np.where(np.isfinite(scores), scores, 0)).max())) @ np.abs(v)
            error = np.abs(found[head][rows] - weights @ v) / (bound + 1024 * 2.0**-25)
            worst = max(worst, float(error[written[head][rows]].max()))
        return int(written.sum()), worst


def elementwise(row, random):
    if row == "batched_small":
        a, b = (random.uniform(-1, 1, (65536, 4, 4)).astype(np.float32) for _ in range(2))
        return Rows([a, b], a.shape, lambda r: (as_float64(a[r]) @ as_float64(b[r]), 8 * ACCUMULATE * (np.abs(a[r]) @ np.abs(b[r]))))
    if row == "softmax":
        x = random.uniform(-8, 8, (1024, 768)).astype(np.float32)
        return Rows([x], x.shape, lambda r: [part * (softmax(as_float64(x[r]))[0] if at else 1) for at, part in enumerate(softmax(as_float64(x[r])))])
    if row == "row_sum":
        x = random.uniform(-2, 2, (64, 4096)).astype(np.float32)
        return Rows([x], (64,), lambda r: ((as_float64(x[r]) ** 2).sum(1), 4096 * ACCUMULATE * (as_float64(x[r]) ** 2).sum(1)))
    x = random.uniform(-2, 3, (1024, 768)).astype(np.float32)
    w, b = (random.uniform(-1, 1, 768).astype(np.float32) for _ in range(2))

    def expected(rows):
        v = as_float64(x[rows])
        d = v - v.mean(1, keepdims=True)
        scaled = d / np.sqrt((d * d).mean(1, keepdims=True) + 1e-5) * w
        return scaled + b, (1600 * ACCUMULATE + APPROXIMATE) * (np.abs(scaled) + np.abs(w) + np.abs(b))

    return Rows([x, w, b], x.shape, expected)


def problem(row, peer):
    random = np.random.default_rng(42)
    if row.startswith("matmul"):
        return Matmul(row, random)
    return Attention(row, random, peer == "iree" and "causal" in row) if row.startswith("attention") else elementwise(row, random)


def run(distaff, folder, task, launch):
    """Runs two workgroups; returns the result, or raises with what the tool said."""
    ptx = (folder / "kernel.ptx").read_text()
    entry, head = re.search(r"\.entry (\w+)\((.*?)\)", ptx, re.S).groups()
    lanes = re.search(r"\.(?:maxntid|reqntid) (\d+)(?:, (\d+))?", ptx)
    block = f"{lanes[1]},{lanes[2] or 1},1"
    flags = ["--target", "sm_80", "--entry", entry, "--grid", "2,1,1", "--block", block, *(["--shared", str(launch["shared"])] if launch["shared"] else [])]
    arrays = [*task.inputs, task.result]
    order = launch.get("order", range(len(arrays)))
    for number, place in enumerate(order):
        np.save(folder / f"arg{number}.npy", arrays[place])
        flags += ["--input", f"arg{number}={folder / f'arg{number}.npy'}"]
    for hidden in range(len(arrays), head.count(".param")):
        flags += ["--input", f"arg{hidden}=null"]
    flags += ["--output", f"arg{list(order).index(len(task.inputs))}={folder / 'out.npy'}"]
    done = subprocess.run([distaff, "run", folder / "kernel.ptx", *flags], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError("; ".join(done.stderr.strip().splitlines()[:2]))
    return np.load(folder / "out.npy")


def verdict(distaff, folder):
    """What is wrong with a kernel, or nothing."""
    task = problem(*folder.name.rsplit(".", 1))
    try:
        written, worst = task.compare(run(distaff, folder, task, json.loads((folder / "launch.json").read_text())))
    except RuntimeError as error:
        return str(error)
    if not written:
        return "writes nothing"
    return "" if worst <= 1 else f"errs by {worst:.3g} times its bound, of {written} elements"


def main():
    distaff, root = sys.argv[1:]
    folders = [folder for folder in sorted(Path(root).iterdir()) if (folder / "kernel.ptx").read_text().count(".visible .entry") == 1]
    wrong = {folder.name: found for folder in folders if (found := verdict(distaff, folder))}
    for name, found in wrong.items():
        print(f"{name}: {found}")
    print(f"{len(folders) - len(wrong)} kernels of peers are right on the PTX machine, {len(wrong)} are not.")
    return bool(wrong)


sys.exit(main())
