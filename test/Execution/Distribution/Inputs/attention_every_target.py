"""Attentions whose tiles lie in workgroup memory, without a launch shape, on every target.

    python3 attention_every_target.py OUT_DIR [--only NAME]

`all` and `example` take the 64 KB that most AMD targets have, so that nothing is left for
exchanges between subgroups; `most` leaves 128 bytes, through which an exchange takes many
turns: subgroups that need one are the slower choice there.
"""
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import suite

INPUTS = pathlib.Path(__file__).resolve().parent
EXAMPLES = INPUTS.parents[3] / "examples"


def programs(out):
    text = (INPUTS / "attention_example_d.mlir").read_text()
    whole = out / "all.mlir"
    whole.write_text(text)
    most = out / "most.mlir"
    queries = "%alloc: memref<1x{}x64xf16", "vector.transfer_read %alloc[", "memref<1x{}x64xf16"
    lines = [line.replace(queries[2].format(128), queries[2].format(127), 1) if queries[0].format(128) in line or queries[1] in line else line
             for line in text.splitlines(keepends=True)]
    most.write_text("".join(lines))
    assert most.read_text() != text, "the queries are not where this script seeks them"
    example = EXAMPLES / "attention_rfc.mlir"
    assert "workgroup_size" not in example.read_text(), "the example fixes its launch"
    return {"all": (whole, ["--input", "arg4=32"]), "most": (most, ["--input", "arg4=64"]), "example": (example, [])}


def stays_in_registers(output):
    """What explain says of a kernel that has no memory for exchanges."""
    head = output.splitlines()[0]
    found = re.search(r"shared for conversions (\d+) B, for reductions (\d+) B", head)
    return None if found and found.groups() == ("0", "0") else f"exchanges data through workgroup memory: {head}"


def runs(target, chosen):
    for name, (path, flags) in programs(chosen.out).items():
        before = None
        if target != "host":
            before = ([chosen.distaff, "explain", str(path), "--target", target], stays_in_registers)
        stages = [] if target == "host" else ["--every-stage"]
        yield suite.Run(f"{name}_{target}", [chosen.distaff, "run", str(path), "--target", target, "--check", *stages, *flags], before=before)


def main():
    chosen = suite.options()
    listed = subprocess.run([chosen.distaff, "targets"], capture_output=True, text=True, check=True).stdout
    targets = [line.split()[0] for line in listed.splitlines() if not line.startswith("host:")]
    assert len(targets) >= 12, listed
    suite.main([run for target in targets for run in runs(target, chosen)], chosen, one_in=5)


main()
