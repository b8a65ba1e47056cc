"""What a count of instructions does not show, from def-use chains in assembled code.

moves_before_mma: moves, permutes and conversions between the load of a fragment and
the matrix instruction that takes it.

exposed_trips: trips to global memory per step that no matrix instruction hides. A
trip is a wait for global loads, or for asynchronous copies, of this very step with
less than a quarter of the step's matrix instructions issued between load and wait.
All loads issued before one wait make one trip.
"""
import re

import classes

HIDDEN_BY = 4  # a quarter of a step's matrix instructions hides a trip
MOST_TURNS = 64  # of a nested loop
STEPS = 8  # after as many steps even a deep ring of buffers is in its steady state


def moves_before_mma(graph, loop):
    """How many instructions of the loop (or the function) move a loaded fragment."""
    blocks = loop.blocks if loop else graph.reachable
    found, known = set(), {}

    def from_load(register, block, index):
        """True where the register comes from a load through moves alone; notes the moves."""
        result = False
        for place in graph.definitions(register, block, index):
            if isinstance(place, tuple) and place[0] in blocks:
                result |= known[place] if place in known else visit(place)
        return result

    def visit(place):
        known[place] = False  # a chain that comes back to itself adds nothing
        instruction = graph.blocks[place[0]][place[1]]
        if classes.is_load(instruction):
            known[place] = True
        elif classes.reorders(instruction):
            known[place] = any([from_load(register, *place) for register in dict.fromkeys(instruction.reads) if is_data(register)])
            if known[place]:
                found.add(place)
        return known[place]

    for block in blocks:
        for index, instruction in enumerate(graph.blocks[block]):
            if classes.is_mma(instruction):
                for register in dict.fromkeys(name for names in instruction.reads_of[:2] for name in names):
                    from_load(register, block, index)
    return len(found)


def is_data(register):
    return re.match(r"R\d|[va]\d|%", register) is not None


def linear(graph, loop):
    """The instructions of one trip in the order of the text, nested loops as often as they run."""
    inner = {block: child for child in loop.children for block in child.blocks}
    code, done = [], set()
    for block in sorted(loop.blocks):
        child = inner.get(block)
        if child is None:
            code += graph.blocks[block]
        elif child.header not in done:
            done.add(child.header)
            code += linear(graph, child) * min(graph.trips(child) or 1, MOST_TURNS)
    return code


def exposed_trips(graph, language, loop):
    trips = {"sass": sass_trips, "gcn": gcn_trips}[language]
    code = linear(graph, loop)
    return trips(code, max(1, sum(map(classes.is_mma, code))))


class Clock:
    """Counts matrix instructions; a wait is exposed for what was issued too recently."""

    def __init__(self, step):
        self.now, self.step, self.exposed = 0, step, 0

    def is_late(self, issued):
        return (self.now - issued) * HIDDEN_BY < self.step

    def wait(self, issued):
        """Waits for what was issued at these times."""
        if any(self.is_late(time) for time in issued):
            self.exposed += 1
            return True
        return False


def sass_trips(code, step):
    """A load is waited for at the first use of its result; an asynchronous copy by
    DEPBAR.LE SB0, N, which leaves the N last groups under way."""
    clock, loads, groups, open_group = Clock(step), {}, [], []
    for _ in range(STEPS):
        clock.exposed = 0
        for instruction in code:
            used = [loads[name] for name in instruction.reads if name in loads]
            if used:
                clock.wait(used)
                # What was issued before has been under way as long.
                loads = {name: time for name, time in loads.items() if time > max(used)} if clock.is_late(max(used)) is False else {}
            loads = {name: time for name, time in loads.items() if name not in instruction.writes}
            if classes.is_async_copy(instruction):
                open_group.append(clock.now)
            elif instruction.opcode.startswith("LDGDEPBAR"):
                groups.append(open_group)
                open_group = []
            elif found := re.match(r"DEPBAR\.LE SB0, (\w+)", instruction.text):
                left = int(found[1], 0)
                done, groups = (groups[:-left], groups[-left:]) if left else (groups, [])
                clock.wait([time for group in done for time in group])
            elif classes.is_global_load(instruction):
                loads.update(dict.fromkeys(instruction.writes, clock.now))
            clock.now += classes.is_mma(instruction)
    return clock.exposed


def gcn_trips(code, step):
    """s_waitcnt vmcnt(N) leaves the N last accesses to global memory under way."""
    clock, queue = Clock(step), []
    for _ in range(STEPS):
        clock.exposed = 0
        for instruction in code:
            if classes.is_global_load(instruction):
                queue.append(clock.now)
            elif classes.is_global_store(instruction):
                queue.append(float("-inf"))
            elif found := re.search(r"vmcnt\((\d+)\)", instruction.text):
                left = int(found[1])
                done, queue = (queue[:-left], queue[-left:]) if left else (queue, [])
                if clock.wait(done):
                    # The others were issued no later than these waits began.
                    queue = [float("-inf")] * len(queue)
            clock.now += classes.is_mma(instruction)
    return clock.exposed
