"""Random programs of two or three clusters that hand panels to each other through a
ring, sheared. What `pcf-skew-cluster` says is compared with a count of every two
accesses, done here for loops of up to 11 panels; what it makes must return, under
many schedules, what the program returned, which is computed here too. What it
refuses is sheared here by hand, and must be a race, or wrong. Random programs of
one group are split, sheared and peeled, and return the same.

    python3 sheared.py OUT_DIR [--programs N] [--run-every N] [--seeds N] [--first SEED] [--distaff PATH] [--distaff-opt PATH]

Every verdict is checked; of the programs, and of what is made of them, every N-th is run.
"""
import itertools
import pathlib
import random
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path += [str(ROOT / "test" / "ForkServer"), str(ROOT / "test" / "Execution" / "Inputs")]
import depth
import fork_server
import npy
from pipeline_passes import read_flags

ROWS, COLUMNS, TAKEN, PANELS, MORE = 8, 4, 4, (0, 1, 2, 3, 8, 9), 12
NAMES = ("even", "odd", "rest")
LAUNCH = "#iree_codegen.translation_info<workgroup_size = [192, 1, 1] subgroup_size = 32>"
options = read_flags(programs=40, run_every=1, seeds=3, first=0)


class Phase:
    """writes: (ahead, first row, rows, where: in all iterations, in even ones, or where the panel is there);
    read: (ahead, first row) or None, and whether what is read is the first field; adds: what was read is added."""

    def __init__(self, cluster, interval, writes=(), read=None, adds=False, first=False):
        self.cluster, self.interval, self.writes, self.read, self.adds, self.first = cluster, interval, list(writes), read, adds, first

    def accesses(self, k, panels, ring):
        """(slot, rows, is a write, panel) of iteration k."""
        for ahead, first, rows, where in self.writes:
            if where == "all" or where == "even" and k % 2 == 0 or where == "there" and k + ahead < panels:
                yield (k + ahead) % ring, range(first, first + rows), True, k + ahead
        if self.read:
            yield (k + self.read[0]) % ring, range(self.read[1], self.read[1] + TAKEN), False, None


class Program:
    def __init__(self, rng, collective=False):
        self.collective = collective
        self.clusters, self.ring, self.barriers = rng.choice((2, 2, 3)), rng.choice((2, 3, 3, 4, 5)), rng.choice((1, 2, 2, 3, 4))
        if collective:
            self.clusters = 1
        self.phases = []
        for cluster in range(self.clusters):
            places = sorted(rng.randrange(self.barriers) for _ in range(3))
            writes = [(rng.randrange(self.ring + 1), rng.choice((0, 2, 4)), rng.choice((2, 4)), rng.choice(("all", "even", "there", "there", "there"))) for _ in range(rng.choice((0, 1, 1)))]
            read = (rng.randrange(self.ring), rng.choice((0, 2, 4)))
            together = rng.random() < 0.6
            if writes:
                self.phases.append(Phase(cluster, places[0], writes, read if together else None, first=rng.random() < 0.5))
            if not (writes and together):
                self.phases.append(Phase(cluster, places[1], (), read, first=rng.random() < 0.5))
            self.phases.append(Phase(cluster, places[2], adds=True))
        self.start, self.stride = rng.choice((0, 0, 0, 1, 3)), rng.choice((1, 1, 1, 2, 3))
        self.target = rng.randrange(self.clusters)
        self.steps = rng.choice((1, 1, 1, 1, 2, 2, 3))
        # Whether phases see panels through views of them.
        self.views = rng.random() < 0.5

    def instances(self, panels):
        """(phase, k, time, accesses) in program order."""
        for i, k in enumerate(range(self.start, panels, self.stride)):
            for interval in range(self.barriers):
                for phase in self.phases:
                    if phase.interval == interval:
                        yield phase, k, i * self.barriers + interval, list(phase.accesses(k, panels, self.ring))

    def is_race_free(self):
        for panels in range(12):
            for (a, k, t, ones), (b, l, u, others) in itertools.combinations(self.instances(panels), 2):
                if t == u and any(meet(x, y) for x in ones for y in others):
                    return False
            for *_, accesses in self.instances(panels):
                if any(meet(x, y) for x, y in itertools.combinations(accesses, 2)):
                    return False
        return True

    def is_early(self, phase):
        return phase.cluster == self.target and phase.interval < self.steps

    def broken(self, strict):
        """Whether the shear changes the order of two accesses, or has them at one time; without `strict` only
        of those that show: not of writes, and not of reads whose values nobody uses."""
        for panels in range(12):
            instances = list(self.instances(panels))
            own = [(t, accesses, False) for phase, _, t, accesses in instances if phase.cluster == self.target]
            count = len(range(self.start, panels, self.stride))
            end = self.start + count * self.stride
            own += [(count * self.barriers + phase.interval, [a for a in phase.accesses(end, panels, self.ring) if not a[2]], True)
                    for phase in self.phases if self.is_early(phase)]
            for t, accesses, extra in own:
                for phase, _, u, others in instances:
                    if phase.cluster == self.target or not any(meet(x, y) and (strict or not (x[2] and y[2])) for x in accesses for y in others):
                        continue
                    before, after = t - u, t - u - self.steps
                    if after == 0 or (before > 0) != (after > 0) and (strict or not extra):
                        return True
        return False

    def changes_payload_early(self):
        return any(phase.adds for phase in self.phases if self.is_early(phase))

    def reference(self, panels, data):
        """What each cluster has in the end, and what is in the ring."""
        ring = [panel(data, slot) for slot in range(self.ring)]
        sums = [[0.0] * (TAKEN * COLUMNS) for _ in range(self.clusters)]
        taken = [None] * self.clusters
        for phase, _, _, accesses in self.instances(panels):
            for slot, rows, is_write, source in accesses:
                span = slice(rows.start * COLUMNS, rows.stop * COLUMNS)
                if is_write:
                    ring[slot][span] = panel(data, source)[span]
                else:
                    taken[phase.cluster] = ring[slot][span]
            if phase.adds:
                sums[phase.cluster] = [x + y for x, y in zip(sums[phase.cluster], taken[phase.cluster])]
        return [x for values in sums + ring for x in values]


def meet(a, b):
    return a[0] == b[0] and (a[2] or b[2]) and a[1].start < b[1].stop and b[1].start < a[1].stop


def panel(data, number):
    return data[number * ROWS * COLUMNS:(number + 1) * ROWS * COLUMNS]


class Text:
    """The program as IR; with `sheared`, its target is ahead by hand."""

    def __init__(self, program, sheared=False):
        self.program, self.sheared, self.count = program, sheared, 0
        steps, barriers = program.steps, program.barriers
        self.heads = {c: f"%h{c}" for c in range(program.clusters)}
        body, ahead = [], []
        self.lines = ahead
        if sheared:
            for interval in range(steps):
                self.phases([p for p in program.phases if p.cluster == program.target and p.interval == interval], "%start", True)
                self.barrier()
        self.starts = dict(self.heads)
        self.fields = {c: self.loaded(c) for c in range(program.clusters)}
        self.heads = {c: f"%it{c}" for c in range(program.clusters)}
        self.lines = body
        for interval in range(barriers):
            for cluster in range(program.clusters):
                moved = sheared and cluster == program.target
                source = interval + steps if moved else interval
                phases = [p for p in program.phases if p.cluster == cluster and p.interval == source % barriers]
                self.phases(phases, "%k" if source < barriers else "%kn", source >= barriers)
            self.barrier()
        self.body, self.ahead = body, ahead

    def loaded(self, cluster):
        """Whether what was read is carried beside the sum, at the loop's start."""
        early = [p for p in self.program.phases if self.program.is_early(p)]
        return self.sheared and cluster == self.program.target and any(p.read for p in early) and not any(p.adds for p in early)

    def view(self, slot, row, access):
        """Lines of an access to the ring, or to a view of a panel from row 2 on where that has the row."""
        if not self.program.views:
            return [access("%ring", "!R", f"[{slot}, {row}, 0]")]
        first, ref = min(row, 2), self.fresh("view")
        return [f"{ref} = pcf.subview %ring[{slot}, {first}, 0] [1, {ROWS - first}, {COLUMNS}] [1, 1, 1] : !R to !pcf.sref<1x{ROWS - first}x{COLUMNS}xf32, #sg>",
                access(ref, f"!pcf.sref<1x{ROWS - first}x{COLUMNS}xf32, #sg>", f"[0, {row - first}, 0]")]

    def barrier(self):
        self.lines.append("pcf.barrier(#sg) fence(%ring) : !R")

    def type(self, cluster, loaded):
        name = f"!C{cluster}"
        return name + ("L" if loaded else "S")

    def fresh(self, name):
        self.count += 1
        return f"%{name}{self.count}"

    def phases(self, phases, k, past):
        for phase in phases:
            self.phase(phase, k, past)

    def phase(self, phase, k, past):
        cluster, program = phase.cluster, self.program
        lines, ranges = self.lines, ", ".join(f"%p{i}" for i in range(min(cluster + 1, program.clusters - 1)))
        head = self.heads[cluster]
        if phase.adds:
            result = self.fresh("h")
            lines.append(f"{result} = pcf.shared_executor.run_cluster({head})[{ranges}] (%x: !T, %y: !T) {{")
            lines.append("%z = linalg.add ins(%x, %y : !T, !T) outs(%x : !T) -> !T")
            lines.append(f"pcf.cluster_yield %z : !T }} : ({self.type(cluster, True)}) -> {self.type(cluster, False)}")
            self.heads[cluster] = result
            return
        positions = []
        for ahead, first, rows, where in phase.writes:
            at, slot, more = self.fresh("at"), self.fresh("slot"), self.fresh("more")
            lines += [f"%ahead{self.count} = arith.constant {ahead} : index", f"{at} = arith.addi {k}, %ahead{self.count} : index",
                      f"{slot} = arith.remui {at}, %depth : index", f"{more} = arith.cmpi ult, {at}, %nk : index"]
            if where == "even":
                parity, more = self.fresh("parity"), self.fresh("more")
                lines += [f"{parity} = arith.remui {k}, %two : index", f"{more} = arith.cmpi eq, {parity}, %zero : index"]
            if past and self.sheared:
                there, both = self.fresh("there"), self.fresh("both")
                lines += [f"{there} = arith.cmpi ult, {k}, %nk : index", f"{both} = arith.andi {more}, {there} : i1"]
                more = there if where == "all" else both
            elif where == "all":
                more = None
            positions.append((at, slot, more, first, rows))
        if phase.read:
            ahead, row = phase.read
            at, taken = self.fresh("at"), self.fresh("slot")
            lines += [f"%ahead{self.count} = arith.constant {ahead} : index", f"{at} = arith.addi {k}, %ahead{self.count} : index", f"{taken} = arith.remui {at}, %depth : index"]
            result = self.fresh("h")
            lines.append(f"{result} = pcf.shared_executor.run_cluster({head})[{ranges}] (%x: !T) {{")
        else:
            lines.append(f"pcf.shared_executor.run_cluster(%bare{cluster})[{ranges}] () {{")
        for at, slot, more, first, rows in positions:
            copy = [f"%a = pcf.read_slice %A[{at}, {first}, 0] [1, {rows}, {COLUMNS}] [1, 1, 1] : !A to tensor<1x{rows}x{COLUMNS}xf32>",
                    *self.view(slot, first, lambda ref, type, place: f"pcf.write_slice %a into {ref}{place} [1, {rows}, {COLUMNS}] [1, 1, 1] : tensor<1x{rows}x{COLUMNS}xf32> into {type}")]
            lines += [f"scf.if {more} {{", *copy, "}"] if more else copy
        if phase.read:
            lines += self.view(taken, row, lambda ref, type, place: f"%y = pcf.read_slice {ref}{place} [1, {TAKEN}, {COLUMNS}] [1, 1, 1] : {type} to !T")
            lines.append(f"pcf.cluster_yield {'%y, %x' if phase.first else '%x, %y'} : !T, !T }} : ({self.type(cluster, False)}) -> {self.type(cluster, True)}")
            self.heads[cluster] = result
        else:
            lines.append(f"pcf.cluster_yield }} : (!C{cluster})")

    def __str__(self):
        n, ring = self.program.clusters, self.program.ring
        size = n + ring * ROWS // TAKEN
        bounds = ["(0 -> d0)", *(f"(d{i - 1} -> d{i})" for i in range(1, n - 1)), f"(d{n - 2} -> s0)"]
        aliases = ["#sg = #iree_gpu.subgroup_scope", f"!T = tensor<1x{TAKEN}x{COLUMNS}xf32>", f"!A = !pcf.sref<?x{ROWS}x{COLUMNS}xf32, #sg>",
                   f"!R = !pcf.sref<{ring}x{ROWS}x{COLUMNS}xf32, #sg>", f"!O = !pcf.sref<{size}x{TAKEN}x{COLUMNS}xf32, sync(#sg)>"]
        for c in range(n):
            for name, payload in (("", ""), ("S", ", shared: {!T}"), ("L", ", shared: {!T, !T}")):
                if n == 1:
                    aliases.append(f"!C{c}{name} = !pcf.threadgroup<#sg{payload}>")
                    continue
                aliases.append(f"!C{c}{name} = !pcf.cluster<#sg, {bounds[c]}{payload}, pp.{NAMES[c]}>")
        ranges = [", ".join(f"%p{i}" for i in range(min(c + 1, n - 1))) for c in range(n)]
        types = [self.type(c, self.fields[c]) for c in range(n)]
        tg = "%tg" if n > 1 else "%bare0"
        lines = [*aliases, f"func.func @program(%in: tensor<?x{ROWS}x{COLUMNS}xf32>, %out: tensor<{size}x{TAKEN}x{COLUMNS}xf32>, %nk: index) -> tensor<{size}x{TAKEN}x{COLUMNS}xf32>",
                 f"attributes {{translation_info = {LAUNCH}}} {{", "%zero = arith.constant 0 : index", "%two = arith.constant 2 : index", f"%start = arith.constant {self.program.start} : index", f"%stride = arith.constant {self.program.stride} : index", f"%depth = arith.constant {ring} : index"]
        lines += [f"%p{i} = arith.constant {(i + 1) * 6 // n} : index" for i in range(n - 1)]
        lines += ["%res = pcf.shared_executor scope(#sg) initialize { %r = pcf.alloc() : !R pcf.yield %r : !R } -> (%ring: !R)",
                  f"execute(%A <- %in : tensor<?x{ROWS}x{COLUMNS}xf32>, %O = %out)[{tg}: !pcf.threadgroup<#sg>] : (!A, !O) -> (tensor<{size}x{TAKEN}x{COLUMNS}xf32>) {{",]
        points, clusters = ", ".join(f"%p{i}" for i in range(n - 1)), ", ".join(f"%bare{c}: !C{c}" for c in range(n))
        group = f"pcf.shared_executor.tile_group %tg ns(pp) split [[{points}]] ({clusters}) {{"
        lines += ["" if n == 1 else group,
                  f"pcf.shared_executor.run_cluster(%bare0)[{ranges[0]}] () {{",
                  f"%all = pcf.read_slice %A[0, 0, 0] [{ring}, {ROWS}, {COLUMNS}] [1, 1, 1] : !A to tensor<{ring}x{ROWS}x{COLUMNS}xf32>",
                  f"pcf.write_slice %all into %ring[0, 0, 0] [{ring}, {ROWS}, {COLUMNS}] [1, 1, 1] : tensor<{ring}x{ROWS}x{COLUMNS}xf32> into !R", "pcf.cluster_yield } : (!C0)"]
        for c in range(n):
            lines += [f"%h{c} = pcf.shared_executor.run_cluster(%bare{c})[{ranges[c]}] () {{", "%z = arith.constant dense<0.0> : !T", f"pcf.cluster_yield %z : !T }} : (!C{c}) -> !C{c}S"]
        lines += ["pcf.barrier(#sg) fence(%ring) : !R", *self.ahead]
        lines.append(f"%r:{n} = scf.for %k = %start to %nk step %stride iter_args(" + ", ".join(f"%it{c} = {self.starts[c]}" for c in range(n)) + ") -> (" + ", ".join(types) + ") {")
        lines += ["%kn = arith.addi %k, %stride : index", *self.body, "scf.yield " + ", ".join(self.heads[c] for c in range(n)) + " : " + ", ".join(types), "}"]
        for c in range(n):
            fields = "%x: !T"
            if self.fields[c]:
                swapped = any(phase.first for phase in self.program.phases if phase.read and phase.cluster == c)
                fields = "%w: !T, %x: !T" if swapped else "%x: !T, %w: !T"
            lines += [f"pcf.shared_executor.run_cluster(%r#{c})[{ranges[c]}] ({fields}) {{", f"pcf.write_slice %x into %O[{c}, 0, 0] [1, {TAKEN}, {COLUMNS}] [1, 1, 1] : !T into !O",
                      f"pcf.cluster_yield }} : ({types[c]})"]
        lines.append(f"pcf.shared_executor.run_cluster(%bare0)[{ranges[0]}] () {{")
        for part in range(size - n):
            lines += [f"%v{part} = pcf.read_slice %ring[{part * TAKEN // ROWS}, {part * TAKEN % ROWS}, 0] [1, {TAKEN}, {COLUMNS}] [1, 1, 1] : !R to !T",
                      f"pcf.write_slice %v{part} into %O[{n + part}, 0, 0] [1, {TAKEN}, {COLUMNS}] [1, 1, 1] : !T into !O"]
        lines.append("pcf.cluster_yield } : (!C0)")
        return "\n".join([*lines, *(["pcf.return", "} : !pcf.threadgroup<#sg>"] if n > 1 else []), "pcf.return", "}", f"return %res : tensor<{size}x{TAKEN}x{COLUMNS}xf32>", "}"]) + "\n"


def data_of(panels, rng):
    return [float(rng.randint(-50, 50)) for _ in range((panels + MORE) * ROWS * COLUMNS)]


def run(path, panels, data, seed):
    result = options.out / "result.npy"
    result.unlink(missing_ok=True)
    done = fork_server.run([options.distaff, "run", path, "--target", "sm_80", "--schedule", str(seed), "--input",
                            f"arg0={npy.write(options.out / 'in.npy', 'f32', (len(data) // (ROWS * COLUMNS), ROWS, COLUMNS), data)}", "--input", f"arg2={panels}", "--output", f"res0={result}"])
    if done.returncode:
        return None, done.stderr.strip().splitlines()[0]
    return npy.read(result, "f32"), ""


def first_difference(path, program, rng, seeds):
    """What a form does that the program does not; nothing if it is right."""
    for panels in PANELS:
        data = data_of(panels, rng)
        expected = program.reference(panels, data)
        for seed in range(seeds):
            found, fault = run(path, panels, data, seed)
            if found != expected:
                return f"panels {panels} seed {seed}: {fault or 'other numbers'}"
    return ""


def transform(path, flags, target):
    done = fork_server.run([options.distaff_opt, path, *flags, "-o", target])
    return done.stderr.strip()


def is_run(counts):
    counts["programs"] += 1
    return counts["programs"] % options.run_every == 0


def check(seed, program, counts):
    """One program; what is wrong with what the pass does."""
    rng = random.Random(seed)
    path, after = options.out / f"{seed}.mlir", options.out / f"{seed}-sheared.mlir"
    path.write_text(str(Text(program)))
    runs = is_run(counts)
    if runs and (said := first_difference(path, program, rng, 1)):
        return f"the program itself: {said}"
    flag = f"--pcf-skew-cluster=cluster=pp.{NAMES[program.target]} steps={program.steps}"
    said = transform(path, [flag], after)
    strict, broken = program.broken(True), program.broken(False)
    if "breaks the order" in said:
        counts["refused"] += 1
        if not strict:
            return "refused, but no two accesses change their order"
        if not runs or not broken or program.steps > program.barriers or program.changes_payload_early():
            return ""
        forced = options.out / f"{seed}-forced.mlir"
        forced.write_text(str(Text(program, sheared=True)))
        counts["forced"] += 1
        return "" if first_difference(forced, program, rng, 2) else "refused, but right when sheared by hand"
    if said:
        counts["other reasons"] += 1
        known = "move whole iterations" in said and program.steps >= program.barriers or "do not pass on" in said and program.changes_payload_early()
        return "" if known else said.splitlines()[0]
    if strict:
        return "sheared, but two accesses change their order"
    counts["sheared"] += 1
    if not runs:
        return ""
    if said := first_difference(after, program, rng, options.seeds):
        return f"sheared: {said}"
    resolved = options.out / f"{seed}-resolved.mlir"
    if said := transform(after, ["--pcf-distribute", "--pcf-resolve-clusters", "--pcf-verify-barriers"], resolved):
        return said.splitlines()[0]
    return first_difference(resolved, program, rng, 1)


def check_split(seed, program, counts):
    """One program of a whole group, split, and then sheared and peeled at random."""
    if not is_run(counts):
        return ""
    rng = random.Random(seed)
    path = options.out / f"{seed}-group.mlir"
    path.write_text(str(Text(program)))
    if said := first_difference(path, program, rng, 1):
        return f"the program itself: {said}"
    names = rng.choice((("a", "b"), ("a", "b"), ("a", "b", "c", "d")))
    passes = [f"--pcf-split-threadgroup=names={','.join(names)}", f"--pcf-skew-cluster=cluster=pp.{rng.choice(names)} steps={rng.choice((1, 1, 2))}",
              f"--pcf-peel=front={rng.choice((0, 1, 2))} back={rng.choice((1, 2))}", "--pcf-distribute", "--pcf-resolve-clusters", "--pcf-verify-barriers"]
    for flag in passes:
        after = options.out / f"{seed}{flag.split('=')[0]}.mlir"
        if said := transform(path, [flag], after):
            if "skew" not in flag:
                return f"{flag}: {said.splitlines()[0]}"
            continue
        counts[flag[2:].split("=")[0]] = counts.get(flag[2:].split("=")[0], 0) + 1
        path = after
        if ("peel" in flag or "resolve" in flag) and (said := first_difference(path, program, rng, 1)):
            return f"{flag}: {said}"
    return ""


def main():
    counts, failures, seed = {"programs": 0, "sheared": 0, "refused": 0, "forced": 0, "other reasons": 0}, 0, options.first
    done, wanted = 0, len(depth.some(range(options.programs), 9))
    while done < wanted:
        for way, collective in ((check, False), (check_split, True)):
            program = Program(random.Random(seed), collective)
            if program.is_race_free():
                done += not collective
                if said := way(seed, program, counts):
                    failures += 1
                    print("FAIL", seed, said)
        seed += 1
    print(", ".join(f"{count} {name}" for name, count in counts.items()))
    print(failures, "failures")
    sys.exit(failures > 0)


main()
