"""What is demanded of the table, each line met or missed."""

MOST = {  # instructions per 1024 multiply-adds
    "sm_80": {"matmul_f16": 0.95, "matmul_bf16": 0.95, "matmul_f16_kmajor": 0.95, "matmul_bf16_kmajor": 0.95, "matmul_i8": 0.90, "matmul_i8_kmajor": 0.90,
              "attention_64": 2.70, "run_cluster": 0.85},
    "gfx942": {"matmul_f16": 0.60, "matmul_bf16": 0.60, "attention_64": 1.75, "run_cluster": 0.72},
}
PER_ELEMENT = ("softmax", "layernorm")
OF_TRITON = 1.1  # instructions per element
MEMORY = ("global", "LDS, STS")
OF_TIME = {"triton": 0.10, "iree": 0.25}


def compared(what, ours, bound, digits=2):
    """Compares in the digits that the bounds are given with."""
    is_met = round(ours, digits) <= round(bound, digits)
    return f"| {what} | {ours:.{max(digits, 3) if digits else 0}f} | {bound:.{digits}f} | {'met' if is_met else '**missed**'} |"


def counts_of(results):
    for target, bounds in MOST.items():
        for row, most in bounds.items():
            found = results.get((target, row, "distaff"))
            if found and found.figures:
                yield compared(f"{row} {target}: instructions per 1024 multiply-adds", found.figures.instructions / found.unit, most)


def beside_triton(results):
    for (target, row, system), found in results.items():
        triton = results.get((target, row, "triton"))
        if system != "distaff" or row not in PER_ELEMENT or not (triton and triton.figures and found.figures):
            continue
        yield compared(f"{row} {target}: instructions per element", found.figures.instructions / found.unit,
                       OF_TRITON * triton.figures.instructions / triton.unit)
        for what, names in (("memory instructions", MEMORY), ("shuffles", ("shuffles",)), ("barriers", ("barriers",))):
            ours, theirs = (sum(r.figures.by_class[name] for name in names) / r.unit for r in (found, triton))
            yield compared(f"{row} {target}: {what} per element", ours, theirs)


def everywhere(results):
    for (target, row, system), found in results.items():
        if system != "distaff" or not found.figures:
            continue
        yield compared(f"{row} {target}: spills", found.spills, 0, 0)
        if not found.figures.whole:
            yield compared(f"{row} {target}: moves between a fragment load and its MMA", found.figures.moves, 0, 0)
        for peer, most in OF_TIME.items():
            other = results.get((target, row, peer))
            if other and other.figures:
                yield compared(f"{row} {target}: compile time, of {peer}'s", found.seconds / other.whole_seconds, most)


def demands(results):
    """A table of what is missed, and how many are met."""
    lines = [*counts_of(results), *beside_triton(results), *everywhere(results)]
    missed = [line for line in lines if "missed" in line]
    return ["| demand | ours | at most | |", "| --- | --- | --- | --- |", *lines, "", f"{len(lines) - len(missed)} met, {len(missed)} missed."]
