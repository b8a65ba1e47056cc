"""Random pairs of layouts, each as a kernel that converts from one to the other.

    python3 random_conversions.py OUT_DIR [--seeds A:B] [--only NAME] [--force TIER]

Shapes, replicas, gaps, element types, 32 and 64 lanes, one subgroup or several,
layouts that need more subgroups than there are. Of each pair

- every stage computes what the source says, on the SIMT machine, and so does the
  emitted PTX on its machine;
- what the plan says is in the code: shuffled words, selects, stores and loads of
  workgroup memory, barriers;
- what the machine counts when it runs the lowered kernel is what the plan says:
  shuffles, shared requests, bank conflicts;
- the tier is the cheapest of those that were costed; and where elements go by
  shuffles or selects, the same kernel with shared memory demanded, which is run
  too, counts what costs more by the weights of the specification.

At the end a histogram of tiers is printed; in the suite every tier has to occur.
"""
import json
import random
import re
import sys

from kernels import DigitLayout, Kernel, Layout, runs, vector
from random_layouts import RandomLayouts, primes, product
import suite

ELEMENTS = ["i1", "i8", "i16", "i32", "i64", "index", "f16", "bf16", "f32", "f64", "f8E4M3FN"]
BITS = {"i1": 1, "i8": 8, "f8E4M3FN": 8, "i16": 16, "f16": 16, "bf16": 16, "i32": 32, "f32": 32}
TIERS = ["T0", "T1", "T1s", "T2", "T3"]
tiers = {}


class Pairs(RandomLayouts):
    """A layout, and one that often keeps what each subgroup has."""

    def shape(self):
        limit = self.random.choice([8, 64, 256, 1024])
        shape, extents = [], [1, 2, 2, 3, 4, 4, 5, 6, 7, 8, 8, 12, 16, 32]
        for _ in range(self.random.choice([1, 2, 2, 2, 3])):
            shape.append(self.random.choice([e for e in extents if e * product(shape) <= limit]))
        return shape

    def relative(self, source):
        """The same subgroups; lanes and registers drawn anew, or swapped."""
        rank = len(source.S)
        levels = {level: [1] * rank for level in "BOTE"}
        lanes = self.random.choice([self.lanes, self.lanes, 8, 4])
        if self.chance(0.15):
            # Registers in another order.
            return Layout(rank, S=source.S, B=source.O, O=source.B, T=source.T, E=source.E, ss=source.ss, ts=source.ts)
        if self.chance(0.3):
            # Lane digits in another order, registers where they were.
            levels = {"B": list(source.B), "O": list(source.O), "E": list(source.E), "T": list(source.T)}
            lanes = self.lanes // product(source.T)
        elif self.chance(0.3):
            # Lanes and elements change places.
            levels = {"B": list(source.B), "O": list(source.O), "E": list(source.T), "T": list(source.E)}
            if product(source.E) > self.lanes:
                levels["T"], levels["E"] = levels["E"], levels["T"]
            lanes = self.lanes // product(levels["T"])
        else:
            for dim, extent in enumerate(source.shape()):
                for p in primes(extent // source.S[dim]):
                    level = self.random.choice("TTTBOE")
                    if level == "T" and p > lanes:
                        level = "E"
                    if level == "T":
                        lanes //= p
                    levels[level][dim] *= p
        return Layout(rank, S=source.S, ss=source.ss, ts=self.chain(levels["T"], lanes), **levels)

    def pair(self):
        shape = self.shape()
        source = self.layout(shape)
        if isinstance(source, Layout) and self.chance(0.7):
            return source, self.relative(source)
        return source, self.layout(shape)


def copy(kernel, value, element):
    """`value` as memory has it: indices are integers there."""
    if element == "index":
        shape = kernel.shape
        kernel.line(f"{value}_i64 = arith.index_cast {value} : {vector(shape, 'index')} to {vector(shape, 'i64')}")
        return f"{value}_i64", "i64"
    return value, element


def convert(seed):
    draw = random.Random(seed)
    subgroup = draw.choice([32, 32, 64])
    subgroups = draw.choice([1, 1, 2, 3, 4])
    kernel = Kernel(f"pair_{seed}", subgroup * subgroups, subgroup)
    source, target = Pairs(draw, subgroups, subgroup).pair()
    element = draw.choice(ELEMENTS)
    if element == "f8E4M3FN" and subgroup == 64:
        element = "i8"
    kernel.element, kernel.shape = element, source.shape()
    shape = kernel.shape
    if element == "index":
        kernel.read("%x_i64", shape, "i64", source)
        kernel.line(f"%x = arith.index_cast %x_i64 : {vector(shape, 'i64')} to {vector(shape, 'index')}")
    else:
        kernel.read("%x", shape, element, source)
    attribute = " {shared_memory_conversion}" if draw.random() < 0.1 else ""
    kernel.line(f"%y = iree_vector_ext.to_layout %x to layout({target}){attribute} : {vector(shape, element)}")
    name, stored = copy(kernel, "%y", element)
    kernel.write(name, shape, stored)
    kernel.forced = bool(attribute)
    return kernel


def emitted(code, plan, kind):
    return sum(record["count"] for record in code if record["kind"] == kind and record["source"] == plan["source"])


def wrong_in(plan, code, forced):
    """What one conversion promises and does not keep, or None."""
    if forced and plan["demanded"] and plan["tier"] != "T3":
        return f"VX-43: {plan['tier']} where shared memory is demanded"
    if plan["shuffles"] != (count := emitted(code, plan, "shuffle")):
        return f"VX-50: {count} shuffles in the code instead of {plan['shuffles']}"
    if plan["tier"] != "T3" and emitted(code, plan, "barrier"):
        return "VX-50: a barrier where nothing is shared"
    if plan["tier"] == "T0" and any(plan[key] for key in ("moves", "selects", "shuffles", "bytePermutes", "cost")):
        return "VX-36: an identity costs something"
    for loser in plan["losers"]:
        if loser["reason"].startswith("costs more") and loser["cost"] < plan["cost"]:
            return f"VX-49: {loser} is cheaper than {plan['tier']} at {plan['cost']}"
    return None


# Issue slots, of the specification (4.5).
SHUFFLE, SELECT, WAVEFRONT, BARRIER, ADDRESS = 4, 2, 4, 40, 2


def counters_in(stdout):
    return {name.strip(): int(value) for name, value in re.findall(r"^(\D+?) +(\d+)$", stdout, re.M)}


def wavefronts_in(counters):
    """At least how many there were: an access runs in phases of 128 bytes (spec 4.4)."""
    phases = -(-(counters["shared bytes read"] + counters["shared bytes written"]) // 128)
    return max(counters["shared requests"], phases) + counters["bank conflicts"]


class Counted:
    """Judges the counters of one kernel by its plan."""

    def __init__(self, kernel, chosen):
        self.kernel, self.chosen = kernel, chosen
        path = chosen.out / f"{kernel.name}.mlir"
        self.flags = [str(path), "--target", kernel.target or {32: "sm_80", 64: "gfx942"}[kernel.subgroup]]

    def shared_instead(self):
        """What a subgroup spends where shared memory is demanded, as it is counted; and
        its address operations, which are not."""
        kernel = self.kernel
        path = self.chosen.out / f"{kernel.name}_shared.mlir"
        text, places = re.subn(r"(%y = iree_vector_ext.to_layout .*>\)) : ", r"\1 {shared_memory_conversion} : ", kernel.text())
        assert places == 1
        path.write_text(text)
        flags = [str(path), *self.flags[1:]]
        done = suite.execute([self.chosen.distaff, "run", *flags, "--counters"])
        plans, wrong = self.plans(flags)
        if done.returncode or wrong:
            return None, f"shared memory demanded: exit {done.returncode}\n{done.stderr[:800]}{wrong}"
        counters, addresses = counters_in(done.stdout), sum(plan["addressOps"] for plan in plans["conversions"])
        # One barrier before the loads, and one where the bytes are used again.
        return WAVEFRONT * wavefronts_in(counters) / (kernel.threads // kernel.subgroup) + 2 * BARRIER + ADDRESS * addresses, None

    def dearer(self, plans, counters):
        """Whether the machine has spent more than by another tier (VX-49)."""
        kernel, subgroups = self.kernel, self.kernel.threads // self.kernel.subgroup
        plan = max(plans, key=lambda plan: plan["cost"])
        if len([plan for plan in plans if plan["cost"]]) != 1 or kernel.forced:
            return None
        if plan["tier"] == "T3":
            spent = WAVEFRONT * wavefronts_in(counters) / subgroups + 2 * BARRIER
            least = min((loser["cost"] for loser in plan["losers"] if loser["reason"].startswith("costs more")), default=spent)
            return f"VX-49: T3 takes {spent}, another tier {least}" if spent > least else None
        spent = SHUFFLE * counters["shuffles"] / subgroups + SELECT * (self.selects() if plan["selects"] else 0)
        other, wrong = self.shared_instead()
        return wrong or (f"VX-49: {plan['tier']} takes {spent}, shared memory {other}" if spent > other else None)

    def command(self):
        return [self.chosen.distaff, "run", *self.flags, "--counters"]

    def plans(self, flags=None):
        explained = suite.execute([self.chosen.distaff, "explain", *(flags or self.flags), "--format", "json"])
        if explained.returncode:
            return None, f"explain: exit {explained.returncode}\n{explained.stderr[:800]}"
        return json.loads(explained.stdout), None

    def selects(self):
        """Selects between elements in the distributed kernel, in words."""
        done = suite.execute([self.chosen.distaff, "compile", *self.flags, "--stop-after=distribute"])
        words = 0
        for type_ in re.findall(r"= arith\.select .* : (?!index)(.*)", done.stdout):
            inner = re.fullmatch(r"vector<(\d+)x(\w+)>", type_)
            count, element = (int(inner[1]), inner[2]) if inner else (1, type_)
            words += -(-count * BITS.get(element, 64) // 32)
        return words

    def says(self, stdout):
        explained, wrong = self.plans()
        if wrong:
            return wrong
        # Layouts of what is read and written may be further conversions.
        plans = explained["conversions"]
        for plan in plans:
            if wrong := wrong_in(plan, explained["code"], self.kernel.forced):
                return f"{wrong}: {plan['tier']} {plan['from']} to {plan['to']}"
        tier = max((plan["tier"] for plan in plans), key=TIERS.index)
        tiers[tier] = tiers.get(tier, 0) + 1

        def total(*path):
            values = plans
            for key in path:
                values = [value[key] for value in values]
            return sum(values)

        counters = counters_in(stdout)
        subgroups = self.kernel.threads // self.kernel.subgroup
        pairs = [("shuffles", total("shuffles") * subgroups, counters["shuffles"]),
                 ("selects", total("selects"), self.selects() if total("selects") else 0)]
        if not any(plan["byElement"] or plan["pieces"] > 1 for plan in plans):
            pairs += [("shared requests", total("store", "requests") + total("load", "requests"), counters["shared requests"]),
                      ("bank conflicts", total("store", "wavefronts") + total("load", "wavefronts")
                       - total("store", "ideal") - total("load", "ideal"), counters["bank conflicts"])]
        for what, predicted, counted in pairs:
            if predicted != counted:
                return f"VX-50: {what}: {counted} instead of {predicted}, {[(p['tier'], p['from'], p['to']) for p in plans]}"
        return self.dearer(plans, counters)


def all_runs(kernels, chosen):
    for kernel in kernels:
        for run in runs(kernel, chosen):
            counted = Counted(kernel, chosen)
            run.before = counted.command(), counted.says
            yield run
            if kernel.subgroup == 32:
                command = [chosen.distaff, "run", *counted.flags, "--device", "ptx", "--check"]
                yield suite.Run(run.name + "_ptx", command, after=lambda: None, compares=False)


SUITE = [*range(58), 67, 111]  # the last two move registers alone

if __name__ == "__main__":
    seeds = suite.taken("--seeds") or SUITE
    chosen = suite.options()
    try:
        suite.main(list(all_runs(map(convert, seeds), chosen)), chosen, one_in=3)
    except SystemExit as end:
        print("tiers: " + ", ".join(f"{tier} {count}" for tier, count in sorted(tiers.items())))
        if missing := [tier for tier in TIERS if tier not in tiers and seeds is SUITE and not chosen.only]:
            sys.exit(f"FAIL no conversion by {', '.join(missing)}")
        raise end
