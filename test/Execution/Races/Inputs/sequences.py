"""Random sequences of accesses and of what orders them, and whether they race.

A sequence is a list of steps in the order of the text. Every thread executes those steps
that name it, in that order, whenever the machine lets it. A race is a pair of accesses of
one byte by different threads, one of them a write, not both strong, of which neither
happened before the other. `races` finds it by the definition: the set of accesses that each
thread knows, and what each step adds to it; no clocks and no epochs, and nothing forgotten.

    write by 0          known to 0
    barrier of {0, 32}  known to 0 and 32
    read by 64          not known to 64: a race
"""
import dataclasses
import pathlib
import random
import sys
import typing

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import depth
import suite

WORDS = 2  # of a sequence, each of 4 bytes


@dataclasses.dataclass
class Access:
    thread: int
    kind: str  # read, write, update
    word: int
    first: int = 0  # byte of the word
    bytes: int = 4  # up to 8: both words
    strong: bool = False

    def span(self):
        at = 4 * self.word + self.first
        return range(at, at + self.bytes)


@dataclasses.dataclass
class Barrier:
    """All of `waits` wait for each other, and for those that only arrive; None: all threads of the workgroup."""
    waits: tuple  # of subgroups
    arrives: tuple = ()
    is_all: bool = False


@dataclasses.dataclass
class LaneBarrier:
    subgroup: int
    lanes: tuple


@dataclasses.dataclass
class Fence:
    """Of all threads of a subgroup; a barrier that only makes threads wait carries what was released."""
    subgroup: int
    kind: str  # release, acquire
    reach: str = "workgroup"


@dataclasses.dataclass
class WaitingBarrier:
    """Makes all threads wait and orders no memory."""


@dataclasses.dataclass
class LaneWaitingBarrier:
    subgroup: int


@dataclasses.dataclass
class Copy:
    """An asynchronous write of a word, under way until the thread's next Landed."""
    thread: int
    word: int
    bytes: int = 4

    def span(self):
        return range(4 * self.word, 4 * self.word + self.bytes)


@dataclasses.dataclass
class Landed:
    thread: int


class HappensBefore:
    """What each thread knows to have happened, by the numbers of steps."""

    def __init__(self, threads, lanes):
        self.threads, self.lanes = threads, lanes
        self.known = {t: set() for t in range(threads)}
        # By reach: what a thread has released, and found where it waited.
        self.released = {(t, r): set() for t in range(threads) for r in ("subgroup", "workgroup")}
        self.found = {(t, r): set() for t in range(threads) for r in ("subgroup", "workgroup")}

    def members(self, subgroups):
        return [t for t in range(self.threads) if t // self.lanes in subgroups]

    def join(self, tell, learn):
        everything = set().union(*(self.known[t] for t in tell))
        for t in learn:
            self.known[t] |= everything

    def pass_on(self, members, reach):
        everything = set().union(*(self.released[t, reach] for t in members))
        for t in members:
            self.found[t, reach] |= everything

    def step(self, step):
        if isinstance(step, Barrier):
            self.join(self.members(step.waits + step.arrives), self.members(step.waits))
        elif isinstance(step, LaneBarrier):
            members = [step.subgroup * self.lanes + lane for lane in step.lanes]
            self.join(members, members)
        elif isinstance(step, Fence):
            reaches = ("subgroup", "workgroup") if step.reach == "workgroup" else ("subgroup",)
            for t in self.members((step.subgroup,)):
                for reach in reaches:
                    if step.kind == "release":
                        self.released[t, reach] |= self.known[t]
                    else:
                        self.known[t] |= self.found[t, reach]
        elif isinstance(step, WaitingBarrier):
            self.pass_on(range(self.threads), "workgroup")
        elif isinstance(step, LaneWaitingBarrier):
            self.pass_on(self.members((step.subgroup,)), "subgroup")


def meet(a, b):
    """Whether two accesses are of one byte, and one changes what the other sees."""
    is_read = [isinstance(x, Access) and x.kind == "read" for x in (a, b)]
    both_strong = all(isinstance(x, Access) and x.strong for x in (a, b))
    return set(a.span()) & set(b.span()) and not all(is_read) and not both_strong


def races(steps, threads, lanes):
    """The pairs of steps that race, by their numbers."""
    order, found, past, landed = HappensBefore(threads, lanes), [], [], {}
    for number, step in enumerate(steps):
        if isinstance(step, Landed):
            for n, other in past:
                if isinstance(other, Copy) and other.thread == step.thread:
                    landed.setdefault(n, number)
            order.known[step.thread].add(number)
        elif isinstance(step, (Access, Copy)):
            known = order.known[step.thread]
            for n, other in past:
                # A copy is over for those who know that it was waited for.
                is_over = (n in landed and landed[n] in known) if isinstance(other, Copy) else n in known or other.thread == step.thread
                if meet(step, other) and not is_over:
                    found.append((n, number))
            past.append((number, step))
            known.add(number)
        else:
            order.step(step)
    return found


class Draw:
    """Draws sequences of three to five accesses with orders of some kinds between."""

    def __init__(self, seed, subgroups, lanes, orders, strong=False, bytes=False, copies=False, wide=False):
        self.random = random.Random(seed)
        self.subgroups, self.lanes, self.orders = subgroups, lanes, orders
        self.strong, self.bytes, self.copies, self.wide = strong, bytes, copies, wide

    def access(self, threads):
        r = self.random
        thread, kind = r.choice(threads), r.choice(["read", "read", "write", "write"])
        word = 0 if r.random() < 0.8 else 1
        if self.strong and r.random() < 0.35:
            return Access(thread, r.choice(["read", "write", "update"]), word, strong=True)
        if self.bytes and r.random() < 0.25:
            return Access(thread, kind, word, *r.choice([(0, 1), (1, 1), (3, 1), (2, 2)]))
        if self.wide and r.random() < 0.2:
            return Access(thread, kind, 0, bytes=8)
        return Access(thread, kind, word)

    def order(self):
        r, kind = self.random, self.random.choice(self.orders)
        some = tuple(sorted(r.sample(range(self.subgroups), min(2, self.subgroups))))
        if kind == "all":
            return [Barrier(tuple(range(self.subgroups)), is_all=True)]
        if kind == "some":
            return [Barrier(some)]
        if kind == "arrive":
            one, other = r.sample(some, 2)
            return [Barrier((one,), (other,))]
        if kind == "lanes":
            members = range(self.lanes) if r.random() < 0.4 else sorted(r.sample(self.places(), r.randint(1, 3)))
            return [LaneBarrier(r.randrange(self.subgroups), tuple(members))]
        if kind == "all lanes":
            return [LaneBarrier(r.randrange(self.subgroups), tuple(range(self.lanes)))]
        # Fences around a barrier that only waits, some of them missing or too near.
        one, other = r.sample(range(self.subgroups), 2)
        reach = lambda: "subgroup" if r.random() < 0.2 else "workgroup"
        steps = [Fence(one, "release", reach())] if r.random() < 0.8 else []
        steps.append(WaitingBarrier() if r.random() < 0.7 else LaneWaitingBarrier(one))
        return steps + ([Fence(r.choice([one, other, other]), "acquire", reach())] if r.random() < 0.8 else [])

    def places(self):
        return [0, 1, 5, self.lanes - 1]

    def sequence(self):
        r = self.random
        groups = range(self.subgroups) if r.random() < 0.6 else [r.randrange(self.subgroups)]
        threads = [g * self.lanes + lane for g in groups for lane in self.places()]
        threads = r.sample(threads, r.randint(2, 4))
        steps, copying = [], []
        for number in range(r.randint(3, 5)):
            for _ in range(r.choice([0, 1, 1, 2]) if number else 0):
                steps += self.order()
            if copying and r.random() < 0.4:
                steps.append(Landed(copying.pop()))
                if r.random() < 0.5:
                    steps += self.order()
            if self.copies and not copying and r.random() < 0.3:
                copying.append(r.choice(threads))
                steps.append(Copy(copying[-1], 0))
            else:
                steps.append(self.access(threads))
        return steps + [Landed(thread) for thread in copying]


class Case(typing.NamedTuple):
    path: pathlib.Path
    text: str
    command: list
    judge: typing.Callable  # of what has run: what is wrong, or nothing
    sequences: int


def main(cases, chosen, one_in):
    """Runs all, or as many as depth.py says, and shows each that fails with its command."""
    cases = [case for case in cases if not chosen.only or chosen.only in case.path.stem]
    failed, sequences = 0, 0
    cases = depth.some(cases, 1 if chosen.only else one_in)
    for case in cases:
        case.path.write_text(case.text)
        sequences += case.sequences
        if wrong := case.judge(suite.execute(case.command)):
            failed += 1
            print(f"FAIL {case.path.stem}: {wrong}\n  {' '.join(case.command)}")
    print(f"{failed} of {len(cases)} kernels are judged wrong, of {sequences} sequences")
    sys.exit(failed > 0 or not cases)
