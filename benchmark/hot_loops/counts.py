"""The hot loop of a kernel and what it counts.

The hot loop is the innermost loop with matrix instructions and global loads: one
step along K. It is the one with matrix instructions alone where other subgroups
copy, and the whole kernel where there is no such loop. Instructions of nested loops
are multiplied by their trips. Of several versions of the loop (for whole tiles and
for edges) the one of the interior counts: the one with the most multiply-adds per
trip, and among these the shortest. Where subgroups have roles, the loops of all
roles are added, each weighted by its subgroups.
"""
from collections import Counter
from dataclasses import dataclass, field

import classes
from dataflow import exposed_trips, moves_before_mma
from flow import FlowGraph


@dataclass
class Figures:
    """Of one trip of the hot loop, of one subgroup, or of a whole kernel."""
    by_class: Counter
    multiply_adds: float
    instructions: float = 0
    consumers: float = 0  # instructions of the consumers' loop alone
    whole: bool = False  # no loop over steps: the kernel, or one tile of it, is counted whole
    versions: int = 1
    unknown_trips: int = 0
    moves: int = 0  # between a fragment load and its MMA
    exposed: int = 0  # trips to global memory that nothing hides
    barriers: float = 0
    loads: Counter = field(default_factory=Counter)  # bytes per lane -> global loads
    stores: Counter = field(default_factory=Counter)

    def per(self, unit):
        return {name: count / unit for name, count in self.by_class.items()}


class Weighted:
    """Sums over a loop's blocks, with nested loops multiplied by their trips."""

    def __init__(self, graph, language):
        self.graph, self.language, self.unknown = graph, language, 0

    def weights(self, loop):
        """block -> how often it runs in one trip of the loop; of a whole function where it is None."""
        blocks = set(loop.blocks) if loop else set(self.graph.reachable)
        weights = dict.fromkeys(blocks, 1)
        inner = loop.children if loop else [outer for outer in self.graph.loops if outer.parent is None]
        for child in inner:
            trips = self.graph.trips(child)
            if trips is None and not self.is_over_tiles(child):
                self.unknown += 1
            for block, weight in self.weights(child).items():
                weights[block] = weight * (trips or 1)
        return weights

    def is_over_tiles(self, loop):
        """A loop with all global stores of the kernel does one tile per trip."""
        stores = {block for block in self.graph.reachable if any(map(classes.is_global_store, self.graph.blocks[block]))}
        return bool(stores) and stores <= loop.blocks

    def of(self, loop, measure):
        return sum(weight * sum(map(measure, self.graph.blocks[block])) for block, weight in self.weights(loop).items())

    def has(self, loop, measure):
        return any(measure(i) for block in loop.blocks for i in self.graph.blocks[block])


def innermost(loops):
    """Those of the loops that contain no other of them."""
    return [loop for loop in loops if not any(other is not loop and other.blocks < loop.blocks for other in loops)]


def hot_loops(graph, language, has_roles):
    """All versions, or roles, of the hot loop; none where the kernel has none."""
    counter = Weighted(graph, language)
    products = [loop for loop in graph.loops if counter.has(loop, classes.is_mma)]
    if not products and counter.of(None, classes.multiply_adds) == 0:
        products = [loop for loop in graph.loops if counter.has(loop, classes.lane_multiply_adds)]
    steps = innermost(products)
    if has_roles:
        return steps
    loads = [loop for loop in products if counter.has(loop, classes.is_global_load)]
    # A loop over parts of a step lies within the step's loop, which loads.
    return innermost(loads) or steps


def figures_of(graph, language, loop):
    counter = Weighted(graph, language)
    weights = counter.weights(loop)
    by_class, loads, stores = Counter(), Counter(), Counter()
    products = lanes = 0
    for block, weight in weights.items():
        for instruction in graph.blocks[block]:
            by_class[classes.class_of(instruction, language)] += weight
            products += weight * classes.multiply_adds(instruction)
            lanes += weight * classes.lane_multiply_adds(instruction)
            if classes.is_global_load(instruction):
                loads[classes.bytes_per_lane(instruction)] += weight
            if classes.is_global_store(instruction):
                stores[classes.bytes_per_lane(instruction)] += weight
    total = sum(by_class.values())
    has_mma = any(classes.is_mma(i) for block in graph.reachable for i in graph.blocks[block])
    is_whole = loop is None or counter.is_over_tiles(loop)
    figures = Figures(by_class, products if has_mma else lanes, total, total, is_whole, unknown_trips=counter.unknown, barriers=by_class["barriers"], loads=loads,
                      stores=stores)
    if language != "ptx":
        figures.moves = moves_before_mma(graph, loop)
        figures.exposed = exposed_trips(graph, language, loop) if loop else 0
    return figures


def producers(graph, language, consumers):
    """Loops that copy and compute nothing, beside the consumers' loops."""
    counter = Weighted(graph, language)
    copies = [loop for loop in graph.loops if counter.has(loop, classes.is_global_load) and not counter.has(loop, classes.is_mma)
              and not any(loop.blocks <= other.blocks for other in consumers)]
    outermost = [loop for loop in copies if not any(other is not loop and loop.blocks < other.blocks for other in copies)]
    return sorted(outermost, key=lambda loop: -counter.of(loop, lambda i: 1) * (graph.trips(loop) or 1))[:1]


def with_roles(graph, language, loops, shares):
    """Adds the loops of all roles, per step: trips and subgroups weigh them."""
    first, second = shares
    if len(loops) > 1:  # each role computes, and copies for both
        parts = [(figures_of(graph, language, loop), loop, share) for loop, share in zip(loops, shares)]
    else:
        parts = [(figures_of(graph, language, loop), loop, share)
                 for loop, share in [(loops[0], second), *((loop, first) for loop in producers(graph, language, loops))]]
    trips = [graph.trips(loop) or 1 for _, loop, _ in parts]
    most = max(trips)
    total = Figures(Counter(), 0)
    for (part, _, share), count in zip(parts, trips):
        weight = share * count / most
        for name, value in part.by_class.items():
            total.by_class[name] += weight * value
        for width, value in part.loads.items():
            total.loads[width] += weight * value
        total.multiply_adds += weight * part.multiply_adds
        total.moves += part.moves
        total.exposed = max(total.exposed, part.exposed)
        total.unknown_trips += part.unknown_trips
    consuming = [(part, share * count / most) for (part, _, share), count in zip(parts, trips) if part.multiply_adds]
    subgroups = sum(share for part, _, share in parts if part.multiply_adds)
    # Per consuming subgroup, as where there are no roles.
    total.by_class = Counter({name: value / subgroups for name, value in total.by_class.items()})
    total.loads = Counter({width: value / subgroups for width, value in total.loads.items()})
    total.multiply_adds /= subgroups
    total.instructions = sum(total.by_class.values())
    total.consumers = sum(part.instructions * weight for part, weight in consuming) / subgroups
    total.barriers = max(part.barriers for part, _, _ in parts)
    return total


def figures(function, language, roles=None):
    """Of a kernel; `roles` is how many subgroups the first and the second role have."""
    graph = FlowGraph(function)
    loops = hot_loops(graph, language, roles is not None)
    if not loops:
        return figures_of(graph, language, None)
    if roles:
        return with_roles(graph, language, loops, roles)
    candidates = [figures_of(graph, language, loop) for loop in loops]
    best = min(candidates, key=lambda f: (-f.multiply_adds, f.instructions))
    best.versions = len(candidates)
    return best


def whole(function, language):
    """Of a kernel without a hot loop, whatever loops it has."""
    return figures_of(FlowGraph(function), language, None)
