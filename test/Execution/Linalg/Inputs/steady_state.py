"""The loop along K of 1000x1000x1000 and 1009x1009x1009 against that of 1024x1024x1024, as PTX.

usage: steady_state.py OUT_DIR [options of suite.py]

Masks are peeled off: 1000 has at most 5 % more instructions than 1024 in a step of whole tiles, with the same tiles and lanes. 1009, whose rows are 2018 bytes long, has as many matrix instructions per point, and
loads of 2 bytes, the widest that its rows allow. Tiles are 64x64 or larger.
"""
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import linalg_kernels
import suite


def loops(ptx):
    """Instructions of every loop that has matrix instructions: from a label to the branch back to it."""
    lines = [line.strip() for line in ptx.splitlines()]
    labels = {line[:-1]: at for at, line in enumerate(lines) if re.fullmatch(r"\$L\w+:", line)}
    found = []
    for at, line in enumerate(lines):
        branch = re.search(r"bra(?:\.uni)?\s+(\$L\w+);", line)
        if branch and labels.get(branch[1], at) < at:
            body = [each for each in lines[labels[branch[1]]:at + 1] if re.match(r"@?[%a-z]", each) and each.endswith((";", "{")) or "mma.sync" in each]
            if any("mma.sync" in each for each in body):
                found.append(body)
    return found


def steady(chosen, extent, target, *config_flags):
    """Instructions of one step of K in the loop without masks, of a lane and by point of the product."""
    kernel = next(k for k in linalg_kernels.KERNELS if k.name == "matmul_f16")
    path = chosen.out / f"matmul_{extent}.mlir"
    path.write_text(kernel.text({"m": extent, "n": extent, "k": extent}))
    run = lambda *flags: subprocess.run([chosen.distaff, "compile", str(path), "--target", target, *config_flags, *flags], check=True, capture_output=True, text=True).stdout
    config = run("--stop-after=configure")
    m, n, _ = map(int, re.search(r"workgroup = \[(\d+), (\d+), (\d+)\]", config).groups())
    step = int(re.search(r"reduction = \[0, 0, (\d+)\]", config)[1])
    subgroups = int(re.search(r"workgroup_size = \[(\d+), 1, 1\]", config)[1]) // 32
    body = min(loops(run("--emit", "ptx")), key=len)
    widths = sorted(re.findall(r"(?:ld\.global\S*|cp\.async\S*)", " ".join(body)))
    return {"tile": (m, n), "choice": [f"workgroup={m}x{n}x0", f"reduction=0x0x{step}", f"workgroup_size={32 * subgroups}"], "per point": len(body) * subgroups / (m * n * step), "instructions": len(body), "mma": sum("mma.sync" in each for each in body), "loads": widths,
            "mma per point": sum("mma.sync" in each for each in body) * subgroups / (m * n * step)}


def main():
    chosen = suite.options()
    failed = 0
    for target in suite.depth.Turns(2).of(("sm_80", "sm_90a")):
        ragged, odd = (steady(chosen, extent, target) for extent in (1000, 1009))
        whole = steady(chosen, 1024, target, *(f"--config={each}" for each in ragged["choice"]))
        wrong = []
        if min(*ragged["tile"], *odd["tile"]) < 64:
            wrong.append("a tile is smaller than 64x64")
        if ragged["tile"] == whole["tile"] and ragged["instructions"] > 1.05 * whole["instructions"]:
            wrong.append("1000 takes more than 5 % more instructions than 1024")
        if ragged["per point"] > 1.05 * whole["per point"]:
            wrong.append("1000 takes more than 5 % more instructions per point than 1024")
        if abs(odd["mma per point"] - whole["mma per point"]) > 1e-9:
            wrong.append("1009 has another number of matrix instructions")
        print(f"{target}: 1024 {whole['instructions']} of which {whole['mma']} mma, tile {whole['tile']}; 1000 {ragged['instructions']}, {ragged['mma']}, "
              f"{ragged['tile']}; 1009 {odd['instructions']}, {odd['mma']}, {odd['tile']}, loads {sorted(set(odd['loads']))}")
        for each in wrong:
            print(f"FAIL {target}: {each}")
        failed += len(wrong)
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
