"""The flow graph of a function: basic blocks, dominators, natural loops, reaching
definitions, and how often a loop runs where the code's constants say so.

    graph = FlowGraph(function)
    for loop in graph.loops:          # innermost ones have no children
        print(loop.header, len(loop.blocks), graph.trips(loop))

A place is (block, index): an instruction of `graph.blocks[block]`. A call is not
followed, so the bodies of subroutines, such as the slow path of a division, are
unreachable here and belong to no count.
"""
import re
from dataclasses import dataclass, field

COMPARISONS = {"lt": lambda a, b: a < b, "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b,
               "eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lg": lambda a, b: a != b}
OPPOSITE = {"lt": "ge", "ge": "lt", "gt": "le", "le": "gt", "eq": "ne", "ne": "eq", "lg": "eq"}
MOST_TRIPS = 1 << 20


@dataclass(eq=False)
class Loop:
    header: int
    blocks: set
    latches: set
    children: list = field(default_factory=list)
    parent: object = None


class FlowGraph:
    def __init__(self, function):
        self.function = function
        self.blocks, self.successors = self._split(function)
        self._keep_reachable()
        self.predecessors = [[] for _ in self.blocks]
        for block, following in enumerate(self.successors):
            for successor in following:
                self.predecessors[successor].append(block)
        self.idoms = self._dominators()
        self.loops = self._natural_loops()

    def _split(self, function):
        code = function.instructions
        starts = {0, *(at for at in function.labels.values() if at < len(code))}
        starts |= {at + 1 for at, i in enumerate(code) if (i.target or i.ends) and at + 1 < len(code)}
        order = sorted(starts)
        place = {start: block for block, start in enumerate(order)}
        blocks = [code[start:end] for start, end in zip(order, [*order[1:], len(code)])]
        successors = []
        for number, block in enumerate(blocks):
            last, following = block[-1], []
            if last.target:
                target = function.labels.get(last.target)
                if target is not None and target < len(code):
                    following.append(place[target])
            if not last.ends and number + 1 < len(blocks):
                following.append(number + 1)
            successors.append(list(dict.fromkeys(following)))
        return blocks, successors

    def _keep_reachable(self):
        seen, waiting = {0}, [0]
        while waiting:
            for successor in self.successors[waiting.pop()]:
                if successor not in seen:
                    seen.add(successor)
                    waiting.append(successor)
        self.reachable = sorted(seen)
        for block in range(len(self.blocks)):
            if block not in seen:
                self.successors[block] = []

    def _order(self):
        """Reverse postorder."""
        seen, order, waiting = {0}, [], [(0, iter(self.successors[0]))]
        while waiting:
            block, following = waiting[-1]
            for successor in following:
                if successor not in seen:
                    seen.add(successor)
                    waiting.append((successor, iter(self.successors[successor])))
                    break
            else:
                order.append(block)
                waiting.pop()
        return order[::-1]

    def _dominators(self):
        order = self._order()
        rank = {block: at for at, block in enumerate(order)}
        idoms = {0: 0}

        def common(a, b):
            while a != b:
                while rank[a] > rank[b]:
                    a = idoms[a]
                while rank[b] > rank[a]:
                    b = idoms[b]
            return a

        changed = True
        while changed:
            changed = False
            for block in order[1:]:
                known = [p for p in self.predecessors[block] if p in idoms]
                new = known[0]
                for other in known[1:]:
                    new = common(new, other)
                if idoms.get(block) != new:
                    idoms[block], changed = new, True
        return idoms

    def dominates(self, above, below):
        while below != above and below != 0:
            below = self.idoms[below]
        return below == above

    def _natural_loops(self):
        loops = {}
        for block in self.reachable:
            for header in self.successors[block]:
                if not self.dominates(header, block):
                    continue
                loop = loops.setdefault(header, Loop(header, {header}, set()))
                loop.latches.add(block)
                waiting = [block]
                while waiting:
                    member = waiting.pop()
                    if member not in loop.blocks:
                        loop.blocks.add(member)
                        waiting += self.predecessors[member]
        ordered = sorted(loops.values(), key=lambda loop: len(loop.blocks))
        for at, loop in enumerate(ordered):
            for outer in ordered[at + 1:]:
                if loop.header in outer.blocks:
                    loop.parent = outer
                    outer.children.append(loop)
                    break
        return sorted(ordered, key=lambda loop: loop.header)

    def innermost(self, block):
        """The innermost loop of a block, or None."""
        return min((loop for loop in self.loops if block in loop.blocks), key=lambda loop: len(loop.blocks), default=None)

    # Reaching definitions ----------------------------------------------------

    def definitions(self, register, block, index, within=None):
        """The places whose write of a register can be seen before (block, index);
        "entry" where there may be none. Within a loop the search ends at its
        header, as "start", and does not go around."""
        found, seen, waiting = set(), set(), [(block, index)]
        while waiting:
            block, index = waiting.pop()
            code = self.blocks[block]
            at = next((k for k in range(index - 1, -1, -1) if register in code[k].writes), None)
            if at is not None:
                found.add((block, at))
                # A predicated write may not happen.
                if not code[at].predicate or code[at].target:
                    continue
                waiting.append((block, at))
                continue
            if within is not None and block == within.header:
                found.add("start")
                continue
            if block == 0:
                found.add("entry")
            for before in self.predecessors[block]:
                if before not in seen:
                    seen.add(before)
                    waiting.append((before, len(self.blocks[before])))
        return found

    # Trips -------------------------------------------------------------------

    def trips(self, loop):
        """How often the loop's header runs for one entry of the loop, or None
        where the constants of the code do not say."""
        for block in sorted(loop.blocks):
            last = self.blocks[block][-1]
            leaves = [s for s in self.successors[block] if s not in loop.blocks]
            if not last.target or not last.predicate or len(leaves) != 1 or not all(self.dominates(block, latch) for latch in loop.latches):
                continue
            goes_on_if_taken = self.function.labels[last.target] != self._start(leaves[0])
            count = self._count(loop, block, goes_on_if_taken)
            if count is not None:
                return count
        return None

    def _start(self, block):
        return sum(len(code) for code in self.blocks[:block])

    def _count(self, loop, block, goes_on_if_taken):
        condition = Condition(self, loop).of_branch(block)
        if condition is None:
            return None
        relation, (left, left_at), (right, right_at) = condition
        if not goes_on_if_taken:
            relation = OPPOSITE[relation]
        ends = [self._induction(loop, value, at) for value, at in ((left, left_at), (right, right_at))]
        if None in ends:
            return None
        (a, step_a), (b, step_b) = ends
        if step_a == 0 and step_b == 0:
            return None
        count = 1
        while COMPARISONS[relation](a, b) and count < MOST_TRIPS:
            a, b, count = a + step_a, b + step_b, count + 1
        return count if count < MOST_TRIPS else None

    def _induction(self, loop, value, place):
        """(value at the comparison in the first iteration, step per iteration)."""
        if isinstance(value, int):
            return value, 0
        base = self.affine(value, *place, within=loop)
        if base is None:
            return None
        register, offset = base
        if register is None:
            return offset, 0
        if (initial := self._before(loop, register)) is None:
            return None
        changes = {self._affine_at_end(loop, latch, register) for latch in loop.latches}
        if len(changes) != 1 or None in changes:
            return None
        last, step = changes.pop()
        return (initial + offset, step) if last == register else None

    def _affine_at_end(self, loop, latch, register):
        return self.affine(register, latch, len(self.blocks[latch]), within=loop)

    def _before(self, loop, register):
        """The constant that a register holds when the loop is entered, or None."""
        values = set()
        for entry in self.predecessors[loop.header]:
            if entry not in loop.blocks:
                base = self.affine(register, entry, len(self.blocks[entry]))
                values.add(base[1] if base and base[0] is None else None)
        return values.pop() if len(values) == 1 else None

    def affine(self, register, block, index, within=None, depth=0):
        """A register's value as (register at the start, offset), or (None, constant)."""
        places = self.definitions(register, block, index, within)
        if places == {"start"}:
            return register, 0
        if len(places) != 1 or depth > 64 or "entry" in places:
            return None
        block, index = places.pop()
        terms = summands(self.blocks[block][index], register)
        if terms is None:
            return None
        base, offset = None, 0
        for term in terms:
            if isinstance(term, int):
                offset += term
                continue
            part = self.affine(term, block, index, within, depth + 1)
            if part is None or (part[0] is not None and base is not None):
                return None
            base, offset = base if part[0] is None else part[0], offset + part[1]
        return base, offset


def number(text):
    """The integer that an operand is, or None; RZ and its kind are 0."""
    if text in ("RZ", "URZ", "SRZ"):
        return 0
    if re.fullmatch(r"-?0x[0-9a-f]+|-?\d+", text):
        value = int(text, 0)
        return value - (1 << 32) if 1 << 31 <= value < 1 << 32 else value
    return None


def value_of(text):
    """An operand as a number, as the name of its first register, or None."""
    if (constant := number(text)) is not None:
        return constant
    found = re.fullmatch(r"(U?R\d+)|([vs]\d+)|([vs])\[(\d+):\d+\]|(%[a-z]+\d+)", text)
    if not found:
        return None
    return found[1] or found[2] or found[5] or found[3] + found[4]


COPIES = ("MOV", "UMOV", "s_mov_b", "s_movk_i32", "v_mov_b", "mov.", "R2UR", "v_readfirstlane", "CS2R", "cvt.u64.u32", "cvt.s64.s32", "cvt.u32.u64")
SUMS = ("IADD3", "UIADD3", "IMAD.IADD", "VIADD", "s_add_", "v_add_u32", "v_lshl_add_u64", "add.s", "add.u", "s_addk_i32")


def summands(instruction, register):
    """The terms whose sum an instruction writes to a register, or None. Upper
    words (IADD3.X, s_addc) are not followed: a count of trips fits in 32 bits."""
    opcode, operands = instruction.opcode, instruction.operands
    if instruction.writes[:1] != (register,) and not opcode.startswith(("CS2R", "s_mov_b64")):
        return None
    if opcode.startswith(("IADD3.X", "UIADD3.X", "s_addc")):
        return None
    sources = [operand for operand in operands[1:] if not is_flag(operand)]
    if opcode.startswith(("IMAD.MOV", "IMAD.U32")) and sources[:2] == ["RZ", "RZ"]:
        terms = [value_of(sources[2])]
    elif opcode.startswith("IMAD.IADD") and sources[1] in ("0x1", "1"):
        terms = [value_of(sources[0]), value_of(sources[2])]
    elif opcode.startswith("s_addk"):
        terms = [register, number(sources[0])]
    elif opcode.startswith("v_lshl_add_u64"):
        terms = [value_of(sources[0]), value_of(sources[2])] if sources[1] == "0" else [None]
    elif opcode.startswith(SUMS):
        terms = [value_of(source) for source in sources]
    elif opcode.startswith(COPIES):
        terms = [value_of(sources[0])]
    else:
        return None
    return None if None in terms else terms


def is_flag(operand):
    return re.fullmatch(r"!?U?P(\d|T)|vcc|scc", operand) is not None


class Condition:
    """What a conditional branch at the end of a loop's block compares."""

    def __init__(self, graph, loop):
        self.graph, self.loop = graph, loop

    def of_branch(self, block):
        """(relation that takes the branch, (left, place), (right, place)), or None."""
        last = self.graph.blocks[block][-1]
        at = len(self.graph.blocks[block]) - 1
        if last.opcode.startswith("s_cbranch"):
            flag, wanted = {"scc1": ("scc", True), "scc0": ("scc", False), "vccnz": ("vcc", True), "vccz": ("vcc", False)}.get(last.predicate, (None, None))
        else:
            flag, wanted = last.predicate.lstrip("!"), not last.predicate.startswith("!")
        return self.of_flag(flag, block, at, wanted) if flag else None

    def of_flag(self, flag, block, at, wanted):
        places = self.graph.definitions(flag, block, at, self.loop)
        if len(places) != 1 or not isinstance(place := next(iter(places)), tuple):
            return None
        block, at = place
        instruction = self.graph.blocks[block][at]
        return self.of_definition(instruction, flag, block, at, wanted)

    def of_definition(self, instruction, flag, block, at, wanted):
        opcode, operands = instruction.opcode, instruction.operands
        if found := re.match(r"U?ISETP\.(\w\w)(?:\.U32)?\.AND(\.EX)?$", opcode):
            if operands[0] != flag:
                return None
            if found[2]:  # the comparison of the lower words comes before
                return self.of_flag(operands[-1], block, at, wanted) if re.fullmatch(r"U?P\d", operands[-1]) else None
            return self.made(found[1].lower(), operands[2], operands[3], block, at, wanted)
        if found := re.match(r"(?:s|v)_cmpk?_(\w\w)_[iu](?:32|64|16)", opcode):
            return self.made(found[1], *operands[-2:], block, at, wanted)
        if found := re.match(r"setp\.(\w\w)\.[sub](?:32|64)", opcode):
            return self.made(found[1], operands[1], operands[2], block, at, wanted)
        if opcode.startswith("PLOP3") and len(uniform := [o for o in operands[2:] if re.fullmatch(r"UP\d", o)]) == 1:
            return self.of_flag(uniform[0], block, at, wanted)
        if opcode in ("s_and_b64", "s_andn2_b64", "s_mov_b64", "s_xor_b64"):
            sources = [o for o in operands[1:] if o not in ("exec", "-1")]
            kept = opcode != "s_andn2_b64" and not (opcode == "s_xor_b64" and "-1" in operands)
            return self.of_flag(value_of(sources[0]) or sources[0], block, at, wanted == kept) if len(sources) == 1 else None
        if opcode == "s_cselect_b64" and set(operands[1:]) == {"-1", "0"}:
            return self.of_flag("scc", block, at, wanted == (operands[1] == "-1"))
        return None

    def made(self, relation, left, right, block, at, wanted):
        values = value_of(left), value_of(right)
        if relation not in COMPARISONS or None in values:
            return None
        return relation if wanted else OPPOSITE[relation], (values[0], (block, at)), (values[1], (block, at))
