"""Who runs what after a loop has become worker code: every iteration, exactly
once, for fewer and more workers than iterations, dividing them or not (PCF-42,
PCF-43, PCF-44).

usage: coverage.py [DISTAFF_OPT]
"""
import itertools
import pathlib
import subprocess
import sys

sys.path += [str(pathlib.Path(__file__).resolve().parents[3] / folder) for folder in ("PCF/Inputs", "Execution/Inputs")]
import depth
from evaluate import Int, Machine, Tensor, tensor

LOOPS = """
func.func @one(%n: index, %m: index, %a: index) {
  scf.forall (%i) in (%n) {
    "test.use"(%i) : (index) -> ()
  }
  return
}
func.func @two(%n: index, %m: index, %a: index) {
  scf.forall (%i, %j) in (%n, %m) {
    "test.use"(%i, %j) : (index, index) -> ()
  }
  return
}
func.func @bounds(%n: index, %m: index, %a: index) {
  scf.forall (%i, %j, %k) = (%a, 3, %m) to (%n, 10, %n) step (2, 3, %m) {
    "test.use"(%i, %j, %k) : (index, index, index) -> ()
  }
  return
}
func.func @mapped(%n: index, %m: index, %a: index) {
  scf.forall (%i, %j, %k) in (%n, 2, %m) {
    "test.use"(%i, %j, %k) : (index, index, index) -> ()
  } {mapping = [#iree_codegen.local_mapping<2>, #iree_codegen.local_mapping<4>, #iree_codegen.local_mapping<3>]}
  return
}
"""
FOLDED = """
func.func @split(%s0: index, %n: index, %init: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = scf.forall (%s) in (%s0) shared_outs(%o = %init) -> (tensor<?x?xf32>) {
    %e = tensor.extract_slice %o[%s, 1] [1, %n] [1, 2] : tensor<?x?xf32> to tensor<?xf32>
    %p = pcf.loop scope(#pcf.sequential) count(%n) execute(%q = %e)[%i: index]
      : (!pcf.sref<?xf32, sync(#pcf.sequential)>) -> (tensor<?xf32>) {
      "test.use"(%s, %i) : (index, index) -> ()
      %v = "test.make"(%s, %i) : (index, index) -> tensor<1xf32>
      pcf.write_slice %v into %q[%i] [1] [1] : tensor<1xf32> into !pcf.sref<?xf32, sync(#pcf.sequential)>
      pcf.return
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %o[%s, 1] [1, %n] [1, 2] : tensor<?xf32> into tensor<?x?xf32>
    }
  }
  return %r : tensor<?x?xf32>
}
"""
SEQ, SG, LN = "#pcf.sequential", "#iree_gpu.subgroup_scope", "#iree_gpu.lane_scope"


def transform(text, *flags):
    ran = subprocess.run([OPT, "-", "-allow-unregistered-dialect", *flags], input=text, capture_output=True, text=True)
    if ran.returncode:
        sys.exit(ran.stderr)
    return ran.stdout


def expect_same_uses(before, after, name, arguments, workers, seed):
    machines = [Machine(text, workers, seed) for text in (before, after)]
    results = [machine.call(name, *[a.copy() if isinstance(a, Tensor) else a for a in arguments]) for machine in machines]
    what = f"{name}{[str(a) for a in arguments if not isinstance(a, Tensor)]} on {workers}"
    assert machines[0].uses == machines[1].uses, f"{what}: {machines[0].uses} became {machines[1].uses}"
    assert all(count == 1 for count in machines[1].uses.values()), f"{what}: {machines[1].uses}"
    for left, right in zip(*results):
        assert left.values == right.values, f"{what}: other values"
    return sum(machines[1].uses.values())


def loops(before):
    ran = 0
    flavours = [(("--pcf-convert-forall-to-loops",), {})]
    flavours += [((f"--pcf-convert-forall-to-loops=num-ids={ids}",), {}) for ids in (1, 2, 3)]
    for workers in (1, 2, 3, 4, 7, 30):
        flavours.append((("--pcf-convert-forall-to-generic-nest",), {SEQ: workers}))
    for outer, inner in ((1, 1), (1, 4), (3, 2), (2, 3), (4, 4), (5, 7)):
        flavours.append(((f"--pcf-convert-forall-to-generic-nest=scopes={SG},{LN}",), {SG: outer, LN: inner}))
    flavours.append(((f"--pcf-convert-forall-to-generic-nest=scopes={SG},{SEQ},{LN}",), {SG: 2, SEQ: 3, LN: 2}))
    texts, turn = {}, depth.Turns(5)
    for flags, workers in flavours:
        if flags not in texts:
            texts[flags] = transform(before, *flags)
        for name, n, m, a in turn.of(itertools.product(("one", "two", "bounds", "mapped"), (-2, 0, 1, 4, 6, 13), (1, 3), (-1, 5))):
            ran += expect_same_uses(before, texts[flags], name, [Int(n), Int(m), Int(a)], workers, n)
    return ran


def folds(before):
    after, ran = transform(before, "--pcf-fold-forall-into-loop"), 0
    assert "pcf.loop" not in after and "pcf.generic" in after, "nothing was folded"
    for outer, inner, workers in depth.some(itertools.product((0, 1, 2, 3, 5), (0, 1, 2, 4, 5), (1, 2, 3, 4, 5, 7, 8, 10, 11, 26)), 7):
        init = tensor("init", outer, 2 * inner + 2)
        ran += expect_same_uses(before, after, "split", [Int(outer), Int(inner), init], {SEQ: workers}, workers)
    return ran


if __name__ == "__main__":
    OPT = sys.argv[1] if len(sys.argv) > 1 else "distaff-opt"
    print(f"{loops(transform(LOOPS))} and {folds(transform(FOLDED))} iterations, each ran once")
