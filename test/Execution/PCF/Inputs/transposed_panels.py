"""Products by run-cluster whose operands lie with the wrong dim innermost, on targets whose shared memory has no loads that
transpose: panels hold the transposed operands (PCF-208), and copies are wide on both sides (PCF-209). Values are compared
with Python's, exactly, and with the input program in float64; the code of a large product says what it loads by, and that
nothing stands between a read of a panel and the matrix instruction.

    python3 transposed_panels.py OUT_DIR [--only NAME] [--distaff PATH]
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Linalg" / "Inputs"))
import packed_operands_code as code
import programs
import suite

TARGETS = ("gfx908", "gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "sm_80")
RUN_CLUSTER = ["--pipeline", "run-cluster"]
MODES = ([], ["--specialize", "producer-consumer"], ["--specialize", "ping-pong"])
# Of the loop of 4096x4096x4096 on gfx942: what it has of each.
LOOPS = {
    "f16": {"global_load_dwordx4": 8, "ds_read_u16": 0, "v_perm_b32": 16, "v_mfma": 64},
    "bf16": {"global_load_dwordx4": 8, "ds_read_u16": 0, "v_perm_b32": 16, "v_mfma": 64},
}


def product(name, shape, element, transposed, batch=False):
    m, n, k = shape
    program = programs.Program(f"{name}_{element}_{transposed or 'plain'}")
    lead = [2] if batch else []
    # An i8 takes its full range: a byte that is put into the wrong place shows.
    low, high = (-128, 127) if element == "i8" else (-3, 3)
    a = program.argument([*lead, *((k, m) if "a" in transposed else (m, k))], element, low, high)
    b = program.argument([*lead, *((n, k) if "b" in transposed else (k, n))], element, low, high)
    return program.returns(program.matmul(a, b, "i32" if element == "i8" else "f32", transposed, batch=batch))


def orientations():
    """Each target has each type, and each orientation in some mode."""
    for place, element in enumerate(("f16", "bf16", "i8")):
        for turn, transposed in enumerate(("", "a", "b", "ab")):
            for number, target in enumerate(TARGETS):
                if (number + place) % 4 == turn or target == "gfx942":
                    yield product("whole", (64, 128, 96), element, transposed), target, MODES[(place + turn + number) % 3]


def extents():
    for turn, shape in enumerate([(72, 40, 88), (33, 65, 47), (16, 1, 64), (1, 64, 32), (64, 48, 1), (128, 8, 40), (64, 192, 256)]):
        for number, (element, transposed) in enumerate([("f16", ""), ("i8", "a"), ("bf16", "ab")]):
            yield product(f"ragged_{'x'.join(map(str, shape))}", shape, element, transposed), "gfx942", MODES[(turn + number) % 3]
    yield product("batched", (32, 64, 32), "f16", "", batch=True), "gfx942", MODES[0]
    for seed in (3, 11):
        yield product(f"schedule{seed}", (128, 128, 128), "f16", "a"), "gfx942", [*MODES[seed % 2], "--schedule", str(seed)]


def runs(chosen):
    for program, target, flags in [*orientations(), *extents()]:
        run = programs.run(program, target, chosen.out, chosen.distaff)
        run.command[run.command.index("--every-stage")] = "--stages=promote-to-shared-memory,distribute-lanes,lower,convert"
        run.command += [*RUN_CLUSTER, *flags]
        yield run


def check_code(chosen):
    failures = 0
    for element, counts in LOOPS.items():
        path = chosen.out / f"{element}.mlir"
        path.write_text(code.MATMUL.format(element))
        done = suite.distaff(chosen, "compile", path, "--target", "gfx942", *RUN_CLUSTER, "--emit", "gcn")
        for what in [done.stderr[:400]] if done.returncode else code.wrong_in(done.stdout, counts):
            failures += 1
            print(f"FAIL: {element}: {what}")
    return failures


if __name__ == "__main__":
    chosen = suite.options()
    if check_code(chosen):
        sys.exit(1)
    suite.main(list(runs(chosen)), chosen, 5)
