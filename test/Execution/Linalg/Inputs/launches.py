"""Functions that become several launches, at every stage, as PTX and from a package.

usage: launches.py OUT_DIR [options of suite.py]
"""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import linalg_kernels
import suite

# (kernel, extents, launches, values between them)
CASES = [("mlp", {"m": 45, "n": 300, "k": 67}, 2, 1), ("softmax_both_ways", {"m": 700, "n": 500}, 2, 1), ("merge_heads", {"m": 7, "h": 3, "d": 13}, 1, 0)]


# The first two have the same columns, the third none of the first's but through what is made between.
SEQUENCE = """func.func @sequence(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>, %u: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %w, %c1 : tensor<?x?xf32>
  %p = tensor.dim %u, %c1 : tensor<?x?xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %h = linalg.matmul ins(%x, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.softmax dimension(1) ins(%h : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %e2 = tensor.empty(%m, %p) : tensor<?x?xf32>
  %f2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %o = linalg.matmul ins(%s, %u : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f2 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %e3 = tensor.empty(%p) : tensor<?xf32>
  %f3 = linalg.fill ins(%z : f32) outs(%e3 : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.reduce ins(%o : tensor<?x?xf32>) outs(%f3 : tensor<?xf32>) dimensions = [0] (%a: f32, %b: f32) {
    %q = arith.addf %a, %b : f32
    linalg.yield %q : f32
  }
  return %o, %r : tensor<?x?xf32>, tensor<?xf32>
}
"""
# (m, k, n, p)
EXTENTS = [(37, 19, 45, 23), (1, 1, 1, 1), (0, 5, 6, 7), (5, 0, 6, 7), (64, 32, 100, 16)]


def sequence_flags(m, k, n, p, more=0):
    return [f"--shape=arg0={m}x{k}", f"--shape=arg1={k}x{n}", f"--shape=arg2={n + more}x{p}"]


def check_sequence(chosen):
    """A package of launches with extents of their own, and what it requires of them."""
    path, package = chosen.out / "sequence.mlir", chosen.out / "sequence.package"
    path.write_text(SEQUENCE)
    done = suite.execute([chosen.distaff, "compile", str(path), "--target", "sm_80", "--emit", "package", "-o", str(package)])
    if done.returncode:
        return [f"sequence: {done.stderr[:500]}"]
    text = package.read_bytes().decode("latin-1")
    manifest, _ = json.JSONDecoder().raw_decode(text[text.index('{"format"'):])
    of = {number: ["extent", number] for number in range(6)}
    bytes = ["multiply", ["multiply", 4, of[0]], of[3]]
    wanted = [{"name": f"workspace{number}", "bytes": bytes} for number in (0, 1)]
    wrong = [] if manifest["workspaces"] == wanted else [f"sequence: workspaces {manifest['workspaces']}"]
    if [r["shape"] for r in manifest["results"]] != [[of[0], of[5]], [of[5]]]:
        wrong.append(f"sequence: results {manifest['results']}")
    if manifest["launches"][0]["extents"] != [of[0], of[1], of[2], of[3]] or manifest["launches"][2]["extents"][:4] != [of[0], of[3], of[4], of[5]]:
        wrong.append(f"sequence: launches {manifest['launches']}")
    if [r["equal"] for r in manifest["requirements"]] != [[of[1], of[2]], [of[3], of[4]]] or "workspace1 and dimension 0 of arg2" not in manifest["requirements"][1]["message"]:
        wrong.append(f"sequence: requirements {manifest['requirements']}")
    done = suite.execute([chosen.distaff, "run", str(path), "--target", "sm_80", "--device", "ptx", *sequence_flags(3, 4, 5, 6, more=1)])
    if done.returncode != 1 or "no launch can have these extents: sequence__2: dimension 1 of workspace1" not in done.stderr:
        wrong.append(f"sequence: extents that do not meet: exit {done.returncode} {done.stderr[:500]}")
    return wrong


def runs(chosen):
    path = chosen.out / "sequence.mlir"
    path.write_text(SEQUENCE)
    for extents in EXTENTS:
        for device in ([], ["--device", "ptx"]):
            yield suite.Run(f"sequence {'x'.join(map(str, extents))} {''.join(device)}", [chosen.distaff, "run", str(path), "--target", "sm_80", "--check", *device, *sequence_flags(*extents)], compares=False)
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
        done = suite.execute([chosen.distaff, "compile", str(path), "--target", "sm_80", "--emit", "package", "-o", str(package)])
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
    if not chosen.only and (wrong := check_packages(chosen) + check_sequence(chosen)):
        sys.exit("\n".join(wrong))
    suite.main(list(runs(chosen)), chosen, one_in=11)
