"""Functions that become several launches, at every stage, as PTX and from a package.

usage: launches.py OUT_DIR [options of suite.py]
"""
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import linalg_kernels
import suite

# (kernel, extents, launches, values between them)
CASES = [("mlp", {"m": 45, "n": 300, "k": 67}, 2, 1), ("softmax_both_ways", {"m": 700, "n": 500}, 2, 1), ("merge_heads", {"m": 7, "h": 3, "d": 13}, 1, 0)]


def runs(chosen):
    for name, extents, launches, between in CASES:
        kernel = next(k for k in linalg_kernels.KERNELS if k.name == name)
        path = chosen.out / f"{name}.mlir"
        path.write_text(kernel.text(extents))
        for target in ("sm_80", "gfx942"):
            yield suite.Run(f"{name} {target}", [chosen.distaff, "run", str(path), "--target", target, "--check", "--every-stage"])
        yield suite.Run(f"{name} ptx", [chosen.distaff, "run", str(path), "--target", "sm_80", "--device", "ptx", "--check"], compares=False)
    kernel = next(k for k in linalg_kernels.KERNELS if k.name == "log_softmax")
    path = chosen.out / "dynamic.mlir"
    path.write_text(kernel.text({"m": 5, "n": 9}, True))
    for shape in ("5x9", "0x3", "64x129"):
        yield suite.Run(f"dynamic {shape}", [chosen.distaff, "run", str(path), "--target", "sm_80", "--check", "--shape", f"arg0={shape}"], compares=False)


def check_packages(chosen):
    wrong = []
    for name, extents, launches, between in CASES:
        kernel = next(k for k in linalg_kernels.KERNELS if k.name == name)
        path, package = chosen.out / f"{name}.mlir", chosen.out / f"{name}.package"
        path.write_text(kernel.text(extents))
        done = subprocess.run([chosen.distaff, "compile", str(path), "--target", "sm_80", "--emit", "package", "-o", str(package)], capture_output=True, text=True)
        if done.returncode:
            wrong.append(f"{name}: {done.stderr[:500]}")
            continue
        text = package.read_bytes().decode("latin-1")
        manifest, _ = json.JSONDecoder().raw_decode(text[text.index('{"format"'):])
        seen = len(manifest["launches"]), len(manifest["workspaces"])
        if seen != (launches, between):
            wrong.append(f"{name}: {seen[0]} launches and {seen[1]} workspaces, expected {launches} and {between}")
    return wrong


if __name__ == "__main__":
    chosen = suite.options()
    if not chosen.only and (wrong := check_packages(chosen)):
        sys.exit("\n".join(wrong))
    suite.main(list(runs(chosen)), chosen)
