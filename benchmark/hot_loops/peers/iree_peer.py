"""What IREE is handed for a row of the table, and what it says about the launches.

Its programs are those of Distaff, ops of linalg on tensors, but for attention, for
which it has an op of its own (and the causal one a mask as an argument). Times are
those of iree-compile, which for AMD links a binary too.
"""
import re
import subprocess
from pathlib import Path

DEVICES = {"sm_80": ["--iree-hal-target-device=cuda", "--iree-cuda-target=sm_80"],
           "gfx942": ["--iree-hal-target-device=hip", "--iree-rocm-target=gfx942"]}


def attention(width, is_causal):
    rows, scores = f"tensor<16x1024x{width}xf16>", "tensor<1024x1024xi1>"
    domain = "affine_map<(h, s, t, d, e) -> ({})>".format
    maps = [domain(dims) for dims in ("h, s, d", "h, t, d", "h, t, e", "", *["s, t"] * is_causal, "h, s, e")]
    mask = f", %m: {scores}" if is_causal else ""
    operands = f"%q, %k, %v, %scale{', %m' if is_causal else ''} : {rows}, {rows}, {rows}, f16{', ' + scores if is_causal else ''}"
    result = rows.replace("f16", "f32")
    return f"""func.func @attention(%q: {rows}, %k: {rows}, %v: {rows}{mask}) -> {result} {{
  %scale = arith.constant {width**-0.5:.6f} : f16
  %e = tensor.empty() : {result}
  %r = iree_linalg_ext.attention <{{indexing_maps = [{", ".join(maps)}]}}> ins({operands}) outs(%e : {result}) {{
  ^bb0(%s: f32):
    iree_linalg_ext.yield %s : f32
  }} -> {result}
  return %r : {result}
}}
"""


def program(row, text):
    return attention(int(row.split("_")[-1]), "causal" in row) if row.startswith("attention") else text


def command(environment, target, source, folder):
    return [environment / "bin" / "iree-compile", *DEVICES[target], f"--iree-hal-dump-executable-binaries-to={folder}",
            f"--iree-hal-dump-executable-intermediates-to={folder}", source, "-o", folder / "program.vmfb"]


def outcome(environment, target, source, folder):
    """The code of the only executable, the workgroups of its kernels in order, and the largest shared memory."""
    code, = [*Path(folder).glob("*.ptx"), *Path(folder).glob("*.rocmasm")]
    compiler = [environment / "bin" / "iree-compile", *DEVICES[target], source]
    host, kernels = (subprocess.run([*compiler, f"--compile-to={phase}"], capture_output=True, text=True).stdout for phase in ("hal", "executable-targets"))
    workgroups = []
    for sizes in re.findall(r"workgroups\(\[(.*?)\]\)", host):
        product = 1
        for size in re.findall(r"%c(\d+)\b", sizes):
            product *= int(size)
        workgroups.append(product)
    shared = max(map(int, re.findall(r"workgroup_local_memory = (\d+)", kernels)), default=0)
    return {"code": str(code), "workgroups": workgroups, "shared": shared}
