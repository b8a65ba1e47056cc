"""Instructions of assembled code: SASS as nvdisasm prints it, GCN and PTX as
LLVM, ptxas' callers and the peers' compilers write them.

`functions(text, language)` returns the functions of a text, each a list of
Instructions. An instruction carries what a count, a flow graph and def-use chains
need: its opcode, the registers that it writes and reads (one name per 32 bits),
and where it branches to. An opcode that is not in a table here is an ordinary one:
its first operand is written, the others are read.
"""
import re
from dataclasses import dataclass, field


@dataclass(eq=False)
class Instruction:
    text: str
    opcode: str
    operands: list
    predicate: str = ""  # "P0", "!P0"
    writes: tuple = ()
    reads: tuple = ()
    reads_of: list = field(default_factory=list)  # per operand
    target: str = ""  # label of a branch
    ends: bool = False  # control does not go on to the next instruction


@dataclass
class Function:
    name: str
    instructions: list
    labels: dict  # label -> index of the instruction that follows it


def split_operands(text):
    """Splits at the commas that no bracket encloses."""
    parts, depth, start = [], 0, 0
    for at, character in enumerate(text):
        depth += character in "[{("
        depth -= character in "]})"
        if character == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    parts.append(text[start:].strip())
    return [part for part in parts if part]


# SASS ------------------------------------------------------------------------

SASS_REGISTER = re.compile(r"\b(U?R|U?P)(\d+)(\.64)?\b")
WRITES_NOTHING = ("ST", "BRA", "BAR", "EXIT", "DEPBAR", "LDGSTS", "LDGDEPBAR", "RED", "CALL", "RET", "BSSY", "BSYNC", "WARPSYNC", "NOP",
                  "MEMBAR", "ERRBAR", "CCTL", "KILL", "BREAK", "YIELD", "NANOSLEEP", "UTMA", "SYNCS", "ARRIVES", "R2P")
# Registers of A, B and C of a matrix product, by shape and, where it matters, by type.
SASS_FRAGMENTS = {"HMMA.16816": (4, 2), "HMMA.1688": (2, 1), "HMMA.1688.F32.TF32": (4, 2), "HMMA.1684.F32.TF32": (2, 1), "HMMA.884": (2, 1),
                  "IMMA.16832": (4, 2), "IMMA.16816": (2, 1), "IMMA.8816": (1, 1), "DMMA.884": (2, 2)}


def sass_width(opcode):
    """How many registers the result has."""
    parts = opcode.split(".")
    if parts[0] == "LDSM":
        return int(parts[-1])
    if parts[0] in ("HMMA", "IMMA", "DMMA"):
        return 2 if "F16" in parts[2:3] or parts[1] == "8816" else 4
    if parts[0] in ("DADD", "DMUL", "DFMA", "CS2R") or "WIDE" in parts:
        return 1 if "32" in parts else 2
    if "128" in parts:
        return 4
    return 2 if "64" in parts and parts[0].startswith(("LD", "ULDC", "MOV", "ATOM")) or opcode.startswith(("F2F.F64", "I2F.F64")) else 1


def sass_fragments(opcode):
    found = [widths for name, widths in SASS_FRAGMENTS.items() if opcode.startswith(name) and ("TF32" in name) == ("TF32" in opcode)]
    return found[0] if found else (4, 2)


def sass_registers(operand, width=1):
    """Register names of an operand; the first one of a plain operand is `width` registers wide."""
    names = []
    for kind, number, wide in SASS_REGISTER.findall(operand):
        count = 2 if wide else width if not names and "[" not in operand else 1
        names += [f"{kind}{int(number) + k}" for k in range(count if kind in ("R", "UR") else 1)]
    return names


def is_predicate(operand):
    return re.fullmatch(r"U?P(\d+|T)", operand) is not None


def sass_results(opcode, operands):
    """How many of the leading operands are written."""
    base = opcode.split(".")[0]
    if not operands or base.startswith(WRITES_NOTHING):
        return 0
    if is_predicate(operands[0]):
        return min(2, len(operands)) if len(operands) > 1 and (is_predicate(operands[1]) or base in ("SHFL", "LOP3", "ULOP3")) else 1
    count = 1
    while base not in ("VOTE", "SEL", "FSEL") and count < len(operands) - 1 and is_predicate(operands[count]):
        count += 1
    return count


def sass_source_widths(opcode, count, results):
    """Registers of each source operand."""
    base, widths = opcode.split(".")[0], [1] * (count - results)
    if base in ("HMMA", "IMMA", "DMMA"):
        widths[:3] = [*sass_fragments(opcode), sass_width(opcode)][:len(widths)]
    elif base.startswith("ST"):
        widths[-1:] = [4 if ".128" in opcode else 2 if ".64" in opcode else 1]
    elif "WIDE" in opcode and len(widths) > 2:
        widths[2] = 2
    return widths


def sass_instruction(text):
    predicate, rest = "", text
    if text.startswith("@"):
        guard, rest = text.split(None, 1)
        predicate = guard[1:]
    opcode, _, tail = rest.partition(" ")
    operands = split_operands(re.sub(r"\.(reuse|ROW|COL)\b", "", tail))
    results = sass_results(opcode, operands)
    writes = [name for operand in operands[:results] for name in sass_registers(operand, sass_width(opcode))]
    widths = sass_source_widths(opcode, len(operands), results)
    reads_of = [sass_registers(operand, width) for operand, width in zip(operands[results:], widths)]
    reads = [name for names in reads_of for name in names] + sass_registers(predicate)
    # ptxas also leaves a loop by a "call" of a label within the function, which does not come back; a subroutine has a name.
    jumps = opcode.startswith(("BRA", "CALL")) and not opcode.startswith("BRA.DIV")
    found = re.search(r"`\((\.L_x_\d+)\)", tail) if jumps else None
    # A branch on another uniform predicate: BRA.U UP0, or BRA P0, label.
    condition = [operand for operand in operands[:-1] if re.fullmatch(r"!?U?P\d", operand)] if found else []
    if condition and not predicate:
        predicate = condition[0]
    ends = (found or opcode.startswith(("EXIT", "RET", "BRX", "JMP", "KILL"))) and not predicate
    return Instruction(text, opcode, operands, predicate, tuple(writes), tuple(reads), reads_of, found[1] if found else "", bool(ends))


def sass_functions(text):
    """One per `.text` section; nvdisasm ends it with padding that no branch reaches."""
    for section in re.split(r"(?m)^\.text\.", text)[1:]:
        function = Function(section.partition(":")[0], [], {})
        for line in section.splitlines()[1:]:
            if re.match(r"\s*\.section", line):
                break
            if label := re.match(r"\s*(\.L_x_\d+):", line):
                function.labels[label[1]] = len(function.instructions)
            elif found := re.match(r"\s*/\*[0-9a-f]+\*/\s+(.*?)\s*;", line):
                function.instructions.append(sass_instruction(found[1]))
        yield function


# GCN -------------------------------------------------------------------------

GCN_REGISTER = re.compile(r"(?<![\w.])([vas])(?:(\d+)|\[(\d+):(\d+)\])(?![\w])|\b(vcc|exec|m0|scc)(?:_lo|_hi)?\b")
GCN_NO_RESULT = ("s_waitcnt", "s_barrier", "s_branch", "s_cbranch", "s_endpgm", "s_nop", "s_sleep", "s_setprio", "s_cmp", "s_bitcmp", "s_sethalt",
                 "s_setreg", "s_dcache", "s_icache", "s_code_end", "s_trap", "buffer_wbl2", "buffer_inv", "s_setvskip", "s_sendmsg")
GCN_KEEPS_SCC = ("s_mov", "s_mul_", "s_cselect", "s_load", "s_buffer", "s_pack", "s_getpc", "s_movk", "s_cmov", "s_sext", "s_getreg", "s_bitset",
                 "s_bfm", "s_brev", "s_ff", "s_flbit")


def gcn_registers(operand):
    names = []
    for kind, one, first, last, special in GCN_REGISTER.findall(operand):
        if special:
            names.append(special)
        else:
            names += [f"{kind}{k}" for k in (range(int(first), int(last) + 1) if not one else [int(one)])]
    return names


def gcn_results(opcode):
    if opcode.startswith(GCN_NO_RESULT) or "_store" in opcode or opcode.startswith(("ds_write", "global_load_lds", "global_atomic", "flat_atomic")):
        return 0
    return 2 if opcode.startswith(("v_add_co", "v_sub_co", "v_subrev_co", "v_addc_co", "v_subb_co", "v_div_scale", "v_mad_u64", "v_mad_i64", "v_swap")) else 1


def gcn_instruction(line):
    opcode, _, tail = line.partition(" ")
    operands = split_operands(tail)
    results = 0 if " lds" in tail and opcode.startswith("buffer_load") else gcn_results(opcode)
    reads_of = [gcn_registers(operand) for operand in operands[results:]]
    writes = [name for operand in operands[:results] for name in gcn_registers(operand)]
    reads = [name for names in reads_of for name in names]
    if opcode.startswith(("v_fmac", "v_dot", "v_pk_fmac")) and "v_dot" not in opcode or "_d16" in opcode or "dst_unused:UNUSED_PRESERVE" in tail:
        reads += writes
    if opcode.startswith(("s_cmp", "s_bitcmp")) or opcode.startswith("s_") and results and not opcode.startswith(GCN_KEEPS_SCC):
        writes.append("scc")
    if opcode.startswith(("s_cselect", "s_addc", "s_subb", "s_cmov", "s_cbranch_scc")):
        reads.append("scc")
    if "saveexec" in opcode:
        reads.append("exec")
        writes.append("exec")
    if opcode.startswith(("v_cmp", "v_cndmask", "v_addc", "v_subb", "v_div_fmas")) and opcode.endswith("_e32") and "vcc" not in tail:
        (writes if opcode.startswith("v_cmp") else reads).append("vcc")
    branch = opcode.startswith(("s_branch", "s_cbranch"))
    if branch:
        reads += [name for name in ("vcc", "exec") if name in opcode]
    return Instruction(line, opcode, operands, opcode[len("s_cbranch_"):] if opcode.startswith("s_cbranch") else "", tuple(writes), tuple(reads), reads_of,
                       operands[0] if branch else "", opcode in ("s_branch", "s_endpgm", "s_setpc_b64"))


def gcn_functions(text):
    function = None
    for line in text.splitlines():
        line = re.split(r"\s*(?:;|//)", line)[0].rstrip()
        if found := re.match(r"\s*\.type\s+([\w.$]+),@function", line):
            function = Function(found[1], [], {})
        elif function is None:
            continue
        elif re.match(r"\.Lfunc_end|\s+\.section", line) and function.instructions:
            yield function
            function = None
        elif label := re.match(r"(\.?L\w+):", line):
            function.labels[label[1]] = len(function.instructions)
        elif found := re.match(r"\s+([a-z]\w+\b.*)", line):
            function.instructions.append(gcn_instruction(re.sub(r"\s+", " ", found[1])))
    if function and function.instructions:
        yield function


# PTX -------------------------------------------------------------------------

PTX_REGISTER = re.compile(r"%[a-z]+\d+\b")
PTX_NO_RESULT = ("st.", "bra", "bar.", "barrier.", "ret", "exit", "cp.async", "red.", "membar", "fence", "prefetch", "mbarrier.init")


def ptx_instruction(text):
    predicate = ""
    if text.startswith("@"):
        guard, text = text.split(None, 1)
        predicate = guard[1:]
    opcode, _, tail = text.replace("\t", " ").partition(" ")
    operands = split_operands(tail)
    results = 0 if opcode.startswith(PTX_NO_RESULT) else min(1, len(operands))
    reads_of = [PTX_REGISTER.findall(operand) for operand in operands[results:]]
    writes = tuple(name for operand in operands[:results] for name in PTX_REGISTER.findall(operand))
    reads = tuple(name for names in reads_of for name in names) + tuple(PTX_REGISTER.findall(predicate))
    branch = opcode.startswith("bra")
    return Instruction(text, opcode, operands, predicate, writes, reads, reads_of, operands[-1] if branch else "",
                       opcode in ("ret", "exit") and not predicate or branch and not predicate)


def ptx_functions(text):
    for found in re.finditer(r"\.(?:entry|func)\s[^;{]*?([\w$]+)\s*\([^{;]*\{\n(.*?)\n\}", re.sub(r"//.*", "", text), re.S):
        function = Function(found[1], [], {})
        # A statement may lie on several lines and in a nested block, as inline assembly does.
        for statement in re.split(r";|(?<=:)\n|[\n\t ]\{\s*\n|\n\s*\}\s*\n", found[2]):
            statement = " ".join(statement.split())
            while label := re.match(r"(\$?[\w$]+):\s*", statement):
                function.labels[label[1]] = len(function.instructions)
                statement = statement[label.end():]
            if statement and not statement.startswith((".", "{", "}")):
                function.instructions.append(ptx_instruction(statement))
        yield function


LANGUAGES = {"sass": sass_functions, "gcn": gcn_functions, "ptx": ptx_functions}


def functions(text, language):
    return [function for function in LANGUAGES[language](text) if function.instructions]
