"""What an instruction is counted as, how many multiply-adds it makes, and how many
bytes per lane it moves."""
import re

CLASSES = ("MMA", "matrix loads", "LDS, STS", "global", "commit, wait", "integer, address", "predicates, branches", "moves", "permutes", "conversions",
           "float", "special function", "shuffles", "barriers", "spills")

# The first pattern that matches the beginning of an opcode says its class.
SASS = [
    ("MMA", r"[HIDB]MMA|HGMMA|IGMMA"),
    ("matrix loads", r"LDSM"),
    ("spills", r"LDL|STL"),
    ("LDS, STS", r"LDS\b|STS|ATOMS"),
    ("commit, wait", r"LDGDEPBAR|DEPBAR|NOP|ARRIVES|YIELD"),
    ("global", r"LDG|STG|RED|ATOM|UTMA|LD\b|ST\b"),
    ("barriers", r"BAR|SYNCS"),
    ("shuffles", r"SHFL|REDUX"),
    ("special function", r"MUFU"),
    ("permutes", r"PRMT|MOVM"),
    ("conversions", r"F2F|F2I|I2F|I2I|FRND|HADD2\.F32|I2FP"),
    ("moves", r"U?MOV|IMAD\.MOV|R2UR|CS2R|HFMA2\.MMA\.constant|IMAD\.U32\.move"),
    ("predicates, branches", r"U?ISETP|U?PLOP3|P2R|R2P|UP2UR|BRA|CALL|BSSY|BSYNC|BREAK|EXIT|RET|VOTE|WARPSYNC|JMP|BRX|R2B"),
    ("float", r"F|H|D(ADD|MUL|FMA|SETP|MNMX)"),
    ("integer, address", r"."),
]
GCN = [
    ("MMA", r"v_s?mfmac?_|v_wmma"),
    ("spills", r"scratch_"),
    ("shuffles", r"ds_bpermute|ds_permute|ds_swizzle|v_permlane|\w+_dpp"),
    ("LDS, STS", r"ds_"),
    ("global", r"global_|buffer_|flat_"),
    ("commit, wait", r"s_wait|s_nop|s_sleep|s_setprio"),
    ("barriers", r"s_barrier"),
    ("special function", r"v_(exp|log|rcp|rsq|sqrt|sin|cos)_"),
    ("conversions", r"v_cvt"),
    ("moves", r"v_mov|v_accvgpr|s_mov|v_readfirstlane|v_readlane|v_writelane|s_cmov"),
    ("permutes", r"v_perm|v_pack|v_align|v_lshl_or|v_bfi"),
    ("float", r"v_(pk_)?(mul|add|sub|subrev|fma|fmac|fmamk|fmaak|mad|max|max3|min|min3|med3|maximum3|minimum3)_(legacy_)?f|v_ldexp|v_div|v_trunc|v_rndne|v_floor|"
              r"v_fract|v_frexp|v_cmpx?_\w+_f|v_dot|v_pk_|v_madmk|v_madak"),
    ("predicates, branches", r"v_cmp|s_cmp|s_bitcmp|s_c?branch|v_cndmask|s_cselect|s_\w+_saveexec|s_(and|andn2|or|xor)_b64|s_endpgm|s_setpc"),
    ("integer, address", r"."),
]
PTX = [
    ("MMA", r"mma\.|wmma\.mma|wgmma"),
    ("matrix loads", r"ldmatrix|wmma\.load"),
    ("LDS, STS", r"(ld|st)\.(volatile\.)?shared"),
    ("commit, wait", r"cp\.async\.(commit|wait)|mbarrier"),
    ("global", r"(ld|st|red|atom)\.(\w+\.)*global|cp\.async"),
    ("spills", r"(ld|st)\.local"),
    ("barriers", r"bar|barrier"),
    ("shuffles", r"shfl|redux"),
    ("special function", r"(ex2|lg2|rcp|rsqrt|sqrt|sin|cos|tanh)\."),
    ("permutes", r"prmt"),
    ("conversions", r"cvt\.\w+\.\w*f|cvt.*\.(f|bf|e)\w+"),
    ("moves", r"mov|cvta"),
    ("predicates, branches", r"setp|bra|selp|ret|exit|(and|or|xor|not)\.pred"),
    ("float", r"\w+\.(\w+\.)*(f16|f32|f64|bf16|f16x2|bf16x2)\b"),
    ("integer, address", r"."),
]
TABLES = {language: [(name, re.compile(pattern)) for name, pattern in table] for language, table in (("sass", SASS), ("gcn", GCN), ("ptx", PTX))}


def special_cases(instruction):
    """SASS spells moves as arithmetic with zeros: IMAD.U32 R1, RZ, RZ, UR4 and HFMA2.MMA R1, -RZ, RZ, 0, 1."""
    opcode, operands = instruction.opcode, instruction.operands
    if opcode.startswith("IMAD.U32") and operands[1:3] == ["RZ", "RZ"]:
        return "IMAD.U32.move"
    if opcode.startswith("HFMA2.MMA") and operands[1:3] == ["-RZ", "RZ"]:
        return "HFMA2.MMA.constant"
    if opcode.startswith("v_") and re.search(r"\b(quad_perm|row_\w+|wave_\w+):", instruction.text):
        return opcode + "_dpp"
    return opcode


def class_of(instruction, language):
    opcode = special_cases(instruction)
    if opcode in ("IMAD.U32.move", "HFMA2.MMA.constant"):
        return "moves"
    return next(name for name, pattern in TABLES[language] if pattern.match(opcode))


def is_mma(instruction):
    return re.match(r"[HID]MMA\.|v_s?mfmac?_|v_wmma|(wmma\.)?mma\.", instruction.opcode) is not None


SASS_SHAPES = {"884": (8, 8, 4), "8816": (8, 8, 16), "1684": (16, 8, 4), "1688": (16, 8, 8), "16816": (16, 8, 16), "16832": (16, 8, 32), "16864": (16, 8, 64)}


def multiply_adds(instruction):
    """Of a subgroup, by one matrix instruction; 0 for others."""
    opcode = instruction.opcode
    if not is_mma(instruction):
        return 0
    if found := re.match(r"[HID]MMA\.(\d+)", opcode):
        m, n, k = SASS_SHAPES[found[1]]
    elif found := re.search(r"\.m(\d+)n(\d+)k(\d+)", opcode):
        m, n, k = map(int, found.groups())
    else:
        found = re.search(r"_(\d+)x(\d+)x(\d+)(?:_(\d+)b_)?", opcode)
        m, n, k = (int(size or 1) for size in found.groups()[:3])
        k *= int(found[4] or 1)  # blocks: as many products side by side
    return m * n * k


# Of a subgroup, where a kernel has no matrix instruction: by lanes.
FUSED = [(r"v_pk_fma_f|v_dot2", 128), (r"v_dot4", 256), (r"v_(fma|fmac|fmamk|fmaak|mad)_(f|u64|i32_i24)", 64), (r"FFMA|DFMA|IMAD$", 32), (r"HFMA2", 64), (r"IDP\.4A", 128),
         (r"fma\.", 32), (r"dp4a", 128), (r"mad\.", 32)]


def lane_multiply_adds(instruction):
    return next((count for pattern, count in FUSED if re.match(pattern, instruction.opcode)), 0)


def is_global_load(instruction):
    return re.match(r"LDG\b|LDGSTS|UTMALDG|global_load|buffer_load|flat_load|ld\.(\w+\.)*global|cp\.async\.(ca|cg|bulk)", instruction.opcode) is not None


def is_global_store(instruction):
    return re.match(r"STG|RED|ATOMG|global_store|global_atomic|buffer_store|flat_store|st\.(\w+\.)*global|red\.global|atom\.global", instruction.opcode) is not None


def is_async_copy(instruction):
    """A load that goes to shared memory without a register."""
    return re.match(r"LDGSTS|UTMALDG|cp\.async\.(ca|cg|bulk)|global_load_lds", instruction.opcode) is not None or \
        instruction.opcode.startswith("buffer_load") and instruction.text.endswith(" lds")


def is_load(instruction):
    """A load of a fragment: from shared or global memory into registers."""
    return re.match(r"LDSM|LDS\b|LDG\b|ds_read|global_load|buffer_load|flat_load|ldmatrix|ld\.(\w+\.)*(shared|global)|LDL|scratch_load", instruction.opcode) is not None


def bytes_per_lane(instruction):
    opcode = instruction.opcode
    if found := re.search(r"dwordx(\d)|_b(\d+)$", opcode):
        return 4 * int(found[1]) if found[1] else int(found[2]) // 8
    if opcode.startswith(("ld.", "st.")):
        count = re.search(r"\.v(\d)\.", opcode)
        return int(re.search(r"\d+$", opcode)[0]) // 8 * int(count[1] if count else 1)
    if opcode.startswith("cp.async"):
        return int(instruction.operands[2], 0)
    if found := re.search(r"\.(128|64|U16|S16|U8|S8)\b", opcode):
        return {"128": 16, "64": 8, "U16": 2, "S16": 2, "U8": 1, "S8": 1}[found[1]]
    return 2 if re.search(r"short|_d16", opcode) else 1 if re.search(r"byte", opcode) else 4


# What changes no value but its place, its order or its type.
REORDERS = re.compile(r"U?MOV|IMAD\.(MOV|U32|SHL)|PRMT|SHF|LOP3|MOVM|F2F|I2F|I2I|F2I|HADD2\.F32|SEL|SGXT|"
                      r"v_mov|v_perm|v_pack|v_accvgpr|v_lshl|v_lshr|v_ashr|v_and|v_or|v_bf|v_cvt|v_align|v_cndmask")


def reorders(instruction):
    """Moves, permutes and conversions."""
    return REORDERS.match(instruction.opcode) is not None
