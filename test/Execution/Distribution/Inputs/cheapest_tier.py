"""VX-49: the cheapest legal tier, both ways, on targets of three kinds.

q lanes exchange with q registers, q = 2 .. 32, which lane shuffles can do in every
case: 31 rounds lose against one round trip through shared memory, one round wins. On
sm_80 both are counted by the machine, at the weights of the specification (4.5), and
what is taken costs no more than what is not: shared memory as it is when demanded, and
shuffles by what a network of XOR rounds needs at least, log2(q) times half a shuffle and
a select for each register.
"""
import json
import re

from kernels import Kernel, Layout, runs, suite, vector

SHUFFLE, SELECT, WAVEFRONT, BARRIER = 4, 2, 4, 40
TARGETS = {"sm_80": 32, "gfx942": 64, "gfx1100": 32}
SEEN = {}


def exchange(q, lanes, target, forced=False):
    kernel = Kernel(f"exchange_{q}_{target}" + "_forced" * forced, lanes, lanes)
    kernel.target = target
    rest = lanes // q
    # Other lanes along dim 0, so that every lane has q registers of its own.
    source = Layout(3, T=[rest, q, 1], E=[1, 1, q], ts=[q if rest > 1 else 0, 1, 0])
    to = Layout(3, T=[rest, 1, q], E=[1, q, 1], ts=[q if rest > 1 else 0, 0, 1])
    shape = [rest, q, q]
    kernel.read("%x", shape, "f32", source)
    attribute = " {shared_memory_conversion}" * forced
    kernel.line(f"%y = iree_vector_ext.to_layout %x to layout({to}){attribute} : {vector(shape, 'f32')}")
    kernel.write("%y", shape, "f32")
    return kernel


def counters(chosen, kernel):
    path = chosen.out / f"{kernel.name}.mlir"
    path.write_text(kernel.text())
    done = suite.execute([chosen.distaff, "run", str(path), "--target", kernel.target, "--stop-after=lower", "--counters"])
    assert done.returncode == 0, done.stderr
    return {name: int(re.search(name + r" +(\d+)", done.stdout)[1])
            for name in ("shuffles", "bank conflicts", "shared bytes read", "shared bytes written")}


def through_memory(found):
    bytes_ = found["shared bytes read"] + found["shared bytes written"]
    return WAVEFRONT * (bytes_ / 128 + found["bank conflicts"]) + 2 * BARRIER


def judge(chosen, q, target):
    def says(text):
        tiers = {x["tier"] for x in json.loads(text)["conversions"] if x["tier"] != "T0"}
        if len(tiers) != 1 or not tiers <= {"T2", "T3"}:
            return f"tiers {tiers}"
        tier = SEEN[target, q] = tiers.pop()
        if target != "sm_80":
            return None
        mine, forced = counters(chosen, exchange(q, 32, target)), counters(chosen, exchange(q, 32, target, forced=True))
        least = (SHUFFLE / 2 + SELECT) * q * (q.bit_length() - 1)
        if (tier == "T2") != (mine["shuffles"] > 0):
            return f"{tier} with {mine}"
        if tier == "T2" and SHUFFLE * mine["shuffles"] > through_memory(forced):
            return f"T2 takes {mine}, shared memory {forced}"
        if tier == "T3" and least < through_memory(mine):
            return f"T3 takes {mine}, and shuffles could take {least}"
    return says


chosen = suite.options()
every = []
for target, lanes in TARGETS.items():
    for q in (2, 4, 8, 16, 32):
        kernel = exchange(q, lanes, target)
        for run in runs(kernel, chosen):
            path = chosen.out / f"{kernel.name}.mlir"
            run.before = ([chosen.distaff, "explain", str(path), "--target", target, "--format", "json"], judge(chosen, q, target))
            every.append(run)
try:
    suite.main(every, chosen)
except SystemExit as end:
    wrong = end.code
    for target in TARGETS:
        taken = [SEEN.get((target, q)) for q in (2, 4, 8, 16, 32)]
        print(target, *taken)
        # Few rounds, then memory, and never back.
        if not chosen.only and (taken != sorted(taken, key=str) or set(taken) != {"T2", "T3"}):
            print(f"FAIL {target}: {taken}")
            wrong = 1
    raise SystemExit(wrong)
