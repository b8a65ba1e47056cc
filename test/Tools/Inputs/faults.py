"""usage: faults.py FOLDER EXAMPLES: the cases of faults.test."""
import re
import sys
from pathlib import Path

import cases

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "ForkServer"))
import fork_server

FOLDER, EXAMPLES = Path(sys.argv[1]), Path(sys.argv[2])


def distaff(*arguments):
    return fork_server.run(["distaff", *arguments], 300)


def compiled(kernel, target, stage):
    run = distaff("compile", EXAMPLES / f"{kernel}.mlir", "--target", target, f"--stop-after={stage}")
    assert run.returncode == 0, run.stderr
    return run.stdout


def expect(name, text, target, faults, *flags):
    """The run of `text` ends with exit code 1 and an error that names one of the faults."""
    path = FOLDER / f"{name}.mlir"
    path.write_text(text)
    run = distaff("run", path, "--target", target, *flags)
    assert run.returncode == 1, f"{name}: exit {run.returncode}: {run.stderr[:300]}"
    assert any(f" {fault}: " in run.stderr for fault in faults), f"{name}: {run.stderr[:400]}"


def without(text, part, number):
    """The text without the given occurrence of a part."""
    starts = [match.start() for match in re.finditer(re.escape(part), text)]
    start = starts[number]
    return text[:start] + text[start + len(part):]


def changed(text, old, new):
    assert old in text, f"no '{old}' in the IR"
    return text.replace(old, new, 1)


def unchanged_code_runs_and_agrees():
    for stage in ("distribute", "lower"):
        path = FOLDER / f"matmul_f16.{stage}.mlir"
        path.write_text(compiled("matmul_f16", "sm_80", stage))
        run = distaff("run", path, "--target", "sm_80", "--check")
        # That of lanes is compared with itself, for nothing says what it was made from.
        assert run.returncode == 0 and " ok" in run.stdout and "a float64 evaluation of this code" in run.stderr, f"{stage}: {run.stdout} {run.stderr[:300]}"


def any_missing_barrier():
    for stage in ("distribute", "lower"):
        text = compiled("matmul_f16", "sm_80", stage)
        for number in range(text.count("gpu.barrier")):
            expect(f"barrier-{stage}-{number}", without(text, "gpu.barrier", number), "sm_80", ["race", "unwritten"])


def a_missing_write_guard():
    text = compiled("reduce_8x64", "gfx942", "distribute")
    text = re.sub(r"scf\.if %\S+ {\n(\s*vector\.transfer_write[^\n]*)\n\s*}", r"\1", text)
    assert "scf.if" not in text, text
    expect("guard", text, "gfx942", ["race"])


def a_barrier_that_not_all_lanes_reach():
    text = compiled("reduce_8x64", "gfx942", "distribute")
    expect("divergent", re.sub(r"(scf\.if %\S+ {\n)", r"\1gpu.barrier\n", text), "gfx942", ["divergent barrier"])


def a_barrier_that_one_subgroup_misses():
    text = compiled("matmul_f16", "sm_80", "distribute")
    head = re.search(r"%(thread_id_x\S*) = gpu.thread_id +x\n", text)
    early = f"{head.group()}%c32_ = arith.constant 32 : index\n%first_ = arith.cmpi ult, %{head.group(1)}, %c32_ : index\n"
    early += "scf.if %first_ {\ngpu.barrier\n}\n"
    expect("deadlock", changed(text, head.group(), early), "sm_80", ["deadlock", "divergent barrier"])


def a_read_outside_of_its_array():
    text = compiled("reduce_8x64", "gfx942", "distribute")
    expect("outside", changed(text, "[%block_id_x, %thread_id_x]", "[%thread_id_x, %block_id_x]"), "gfx942", ["out of bounds"])


def accesses_that_claim_more_than_is_promised():
    """Arrays and workgroup memory begin on a multiple of 16 bytes and of no more."""
    text = compiled("matmul_f16", "sm_80", "lower")
    for number, old in enumerate(sorted(set(re.findall(r"[^\n]*vector\.(?:load|store)[^\n]*{alignment = 16 : i64}[^\n]*\n", text)))[:6]):
        expect(f"aligned-{number}", changed(text, old, old.replace("= 16 :", "= 256 :")), "sm_80", ["misaligned"], "--stop-after=distribute")


def memory_that_is_not_written():
    text = compiled("matmul_f16", "sm_80", "distribute")
    stores = re.findall(r"\n\s*vector\.store [^\n]*workgroup[^\n]*", text)
    expect("unwritten", changed(text, stores[0], ""), "sm_80", ["unwritten"])


def a_loop_without_end():
    text = compiled("reduce_8x64", "gfx942", "distribute")
    loop = "%go_ = arith.constant true\nscf.while : () -> () {\nscf.condition(%go_)\n} do {\nscf.yield\n}\ngpu.return\n"
    expect("endless", changed(text, "gpu.return\n", loop), "gfx942", ["endless"], "--max-steps", 10000, "--stop-after=distribute")


def a_reduction_over_half_the_lanes_is_another_number():
    text = compiled("reduce_8x64", "gfx942", "distribute")
    path = FOLDER / "rows.mlir"
    path.write_text(changed(text, "cluster(size = 64)", "cluster(size = 32)"))
    output = [FOLDER / "right.npy", FOLDER / "wrong.npy"]
    for kernel, array in zip((EXAMPLES / "reduce_8x64.mlir", path), output):
        run = distaff("run", kernel, "--target", "gfx942", "--output", f"arg1={array}")
        assert run.returncode == 0, run.stderr
    assert output[0].read_bytes() != output[1].read_bytes()


CASES = [unchanged_code_runs_and_agrees, any_missing_barrier, a_missing_write_guard, a_barrier_that_not_all_lanes_reach,
         a_barrier_that_one_subgroup_misses, a_read_outside_of_its_array, accesses_that_claim_more_than_is_promised, memory_that_is_not_written, a_loop_without_end,
         a_reduction_over_half_the_lanes_is_another_number]
cases.main(CASES, FOLDER)
