"""Attention whose last step has fewer keys than a step takes, by clusters: two that take turns, producers and consumers.

usage: masked_attention.py OUT_DIR [options of suite.py]

The mask of the keys is needed in the layout of the scores and in that of the second product's operand. Both are
computed from the same numbers, and stay two where passes merge equal ops (VX-284). Keys, queries and both have dynamic
extents, or odd ones; --check compares with the program in float64.
"""
import pathlib
import sys

sys.path += [str(pathlib.Path(__file__).resolve().parents[2] / folder / "Inputs") for folder in ("", "Linalg")]
import attention
import suite

SHORT = {"h": 2, "g": 2, "s": 5, "t": 130, "d": 32}
CASES = [
    ("dynamic_keys", SHORT, {"dynamic": "t"}),
    ("odd_keys", {**SHORT, "t": 33}, {"element": "bf16"}),
    ("dynamic_causal", {**SHORT, "s": 33, "t": 33}, {"dynamic": "st", "mask": "causal"}),
    ("one_key", {**SHORT, "t": 1}, {"dynamic": "t", "decomposed": True}),
    ("masks", {**SHORT, "s": 17, "t": 65, "d": 16}, {"dynamic": "t", "mask": "tensor"}),
    ("grouped", {**SHORT, "t": 45}, {"dynamic": "st", "grouped": True, "element": "bf16"}),
    ("wide_heads", {**SHORT, "t": 100, "d": 128}, {"dynamic": "t"}),
    ("heads_of_80", {**SHORT, "h": 3, "s": 7, "t": 32, "d": 80}, {"dynamic": "st", "mask": "others", "decomposed": True}),
]
TARGETS = {"sm_80": ("simt", "ptx"), "gfx942": ("simt",), "gfx950": ("simt",), "gfx1100": ("simt",)}


def shapes(extents, dynamic=(), mask=None, grouped=False, **_):
    """The flags that give the arguments with dynamic dims their extents."""
    arguments = [("h g s d" if grouped else "h s d"), "h t d", "h t d", *(["s t"] if mask == "tensor" else [])]
    return [flag for at, dims in enumerate(arguments) if set(dims) & set(dynamic)
            for flag in ("--shape", f"arg{at}={'x'.join(str(extents[dim]) for dim in dims.split())}")]


def runs(chosen):
    for specialization in ("ping-pong", "producer-consumer"):
        for name, extents, how in CASES:
            path = chosen.out / f"{name}.mlir"
            path.write_text(attention.kernel(name, extents, **how))
            for target, devices in TARGETS.items():
                # A tile of causal attention walks as many keys as its last row has, so clusters cannot take turns.
                turns = how.get("mask") == "causal" and specialization == "ping-pong"
                # Phases read the values by loads that transpose matrices.
                reads = [chosen.distaff, "compile", str(path), "--target", target, "--pipeline", "run-cluster", "--specialize", specialization, "--emit", "gcn"]
                says = lambda text: None if "ds_read_b64_tr_b16" in text else "no load that transposes"
                before = (reads, says) if (name, target, specialization) == ("heads_of_80", "gfx950", "producer-consumer") else None
                for device in devices:
                    yield suite.Run(f"{name} {target} {specialization} {device}",
                                    [chosen.distaff, "run", str(path), "--target", target, "--device", device, "--pipeline", "run-cluster", "--specialize", specialization,
                                     "--check", *shapes(extents, **how)],
                                    expected=("refused", "cannot take turns: a loop runs as often as its tile says") if turns else None, before=before, compares=False)
    # A tile of a dynamic extent of heads is as wide as any head.
    path = chosen.out / "dynamic_heads.mlir"
    path.write_text(attention.kernel("dynamic_heads", {**SHORT, "s": 16, "t": 45, "d": 1}, mask="causal", grouped=True, dynamic="sd"))
    yield suite.Run("dynamic_heads", [chosen.distaff, "compile", str(path), "--target", "sm_80", "--pipeline", "run-cluster"],
                    expected=("refused", "more than the memory of any machine"), compares=False)


if __name__ == "__main__":
    chosen = suite.options()
    suite.main(list(runs(chosen)), chosen, one_in=13)
