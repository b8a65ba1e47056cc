"""Attentions on this CPU, whose scores are in memory of a workgroup, rows by keys at a time.

    python3 attentions.py OUT_DIR [--seeds FIRST:LAST] [--only NAME] [--distaff PATH]

Random ones: rows and keys around what a workgroup takes, constant or known to a launch alone, and then none too; features of
keys and of values of any number; masks by position or added, of which some leave a row no key; f32, f16 and bf16; heads that
share keys.
"""
import pathlib
import random
import sys

TESTS = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TESTS / "Inputs"), str(TESTS / "Linalg/Inputs")]
import attention
import suite

SEEDS = range(30)


def random_attention(seed):
    """The text, the shapes of the arguments, and which of them are dynamic."""
    rng = random.Random(seed)
    around = lambda *sizes: max(1, rng.choice(sizes) + rng.choice((0, 0, -1, 1, 5)))
    dynamic = rng.choice(("", "", "s", "t", "st", "hst"))
    extents = {"h": rng.choice((1, 2, 3)), "g": rng.choice((1, 2)), "s": around(1, 6, 47, 48, 96, 130), "t": around(1, 8, 30, 64, 128, 200),
               "d": rng.choice((64, 64, 32, 80, 128, 16, 40, 7, 1, 3, 61)), "e": rng.choice((64, 64, 32, 80, 128, 16, 40, 7, 1, 5, 37, 67))}
    if rng.random() < 0.03:
        extents["d"] = rng.choice((256, 700, 1100))
    if "t" in dynamic and rng.random() < 0.1:
        extents["t"] = 0
    if "s" in dynamic and rng.random() < 0.1:
        extents["s"] = 0
    grouped = rng.random() < 0.25
    mask = rng.choice((None, None, "tensor", "late", *attention.COMPARED))
    element = rng.choice(("f32", "f32", "f32", "f16", "bf16"))
    text = attention.kernel(f"k{seed}", extents, element, mask, decomposed=rng.random() < 0.3, grouped=grouped, dynamic=dynamic)
    shapes = ["hgsd" if grouped else "hsd", "htd", "hte"] + (["st"] if mask == "tensor" else [])
    return text, ["x".join(str(extents[d]) for d in shape) for shape in shapes], [any(d in dynamic for d in shape) for shape in shapes]


def main():
    seeds = suite.taken("--seeds") or SEEDS
    chosen = suite.options()
    runs = []
    for seed in seeds:
        text, shapes, dynamic = random_attention(seed)
        path = chosen.out / f"{seed}.mlir"
        path.write_text(text)
        flags = [f"--shape=arg{i}={shape}" for i, (shape, isDynamic) in enumerate(zip(shapes, dynamic)) if isDynamic]
        # Of many features the bound of a sum grows with what is summed up.
        most = 2 if max(int(shapes[i].split("x")[-1]) for i in (0, 2)) < 500 else 0.2
        flags += [f"--input=arg{i}=random:{seed + i}:-{most}:{most}" for i in range(len(shapes))]
        strict = ["--strict-fp"] if seed % 5 == 0 else []
        command = [chosen.distaff, "run", str(path), "--target", "host", "--device", "host", "--check", "--threads", ("1", "2", "5")[seed % 3], *strict, *flags]
        runs.append(suite.Run(f"{seed}_{'_'.join(shapes)}", command, compares=False))
    suite.main(runs, chosen, one_in=7)


main()
