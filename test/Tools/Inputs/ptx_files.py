"""PTX written by hand for ptx.py, and arrays in files without NumPy."""
import struct

HEAD = ".version 8.0\n.target {target}\n.address_size 64\n{globals}\n"
CODES = {"<f4": "f", "<f2": "e", "<f8": "d", "<i4": "i", "<u4": "I", "<u2": "H", "|u1": "B", "<i8": "q"}


def module(body, parameters, name="k", target="sm_80", registers="", globals=""):
    """A module of one kernel with the usual registers: %p, %h, %r, %f, %d."""
    text = ", ".join(f".param {parameter}" for parameter in parameters)
    return (HEAD.format(target=target, globals=globals) + f".visible .entry {name}({text})\n{{\n"
            ".reg .pred %p<8>;\n.reg .b16 %h<8>;\n.reg .b32 %r<32>;\n.reg .f32 %f<8>;\n.reg .b64 %d<16>;\n" + registers + body + "\nret;\n}\n")


# Every lane has its number in the grid in %r1, and 4 times that in %d1.
PLACE = """
mov.u32 %r2, %ctaid.x;
mov.u32 %r3, %ntid.x;
mov.u32 %r4, %tid.x;
mad.lo.s32 %r1, %r2, %r3, %r4;
mul.wide.s32 %d1, %r1, 4;
"""
ADD = module(PLACE + """
ld.param.u64 %d2, [left];
ld.param.u64 %d3, [right];
ld.param.u64 %d4, [out];
ld.param.u32 %r5, [n];
setp.ge.s32 %p1, %r1, %r5;
@%p1 bra DONE;
add.s64 %d5, %d2, %d1;
add.s64 %d6, %d3, %d1;
add.s64 %d7, %d4, %d1;
ld.global.f32 %f1, [%d5];
ld.global.f32 %f2, [%d6];
add.rn.f32 %f3, %f1, %f2;
st.global.f32 [%d7], %f3;
DONE:
""", [".u64 left", ".u64 .ptr .global .align 4 right", ".u64 out", ".u32 n"], "add")

SHARED = ".extern .shared .align 16 .b8 memory[];"
# out[i] = in[last - i] within a workgroup, through shared memory.
REVERSE = module(PLACE + """
ld.param.u64 %d2, [in];
ld.param.u64 %d3, [out];
add.s64 %d2, %d2, %d1;
add.s64 %d3, %d3, %d1;
ld.global.b32 %r6, [%d2];
mov.u32 %r7, memory;
shl.b32 %r8, %r4, 2;
add.s32 %r9, %r7, %r8;
st.shared.b32 [%r9], %r6;
bar.sync 0;
sub.s32 %r10, %r3, %r4;
shl.b32 %r10, %r10, 2;
add.s32 %r10, %r7, %r10;
ld.shared.b32 %r11, [%r10+-4];
st.global.b32 [%d3], %r11;
""", [".u64 .ptr in", ".u64 .ptr out"], "reverse", globals=SHARED)

# The parameters, one after the other in steps of 8 bytes.
SCALARS = module("""
ld.param.u64 %d1, [out];
ld.param.u32 %r1, [a];
st.global.b32 [%d1], %r1;
ld.param.s32 %r2, [b];
st.global.b32 [%d1+8], %r2;
ld.param.f32 %f1, [c];
st.global.f32 [%d1+16], %f1;
ld.param.b16 %h1, [d];
st.global.b16 [%d1+24], %h1;
ld.param.b32 %r3, [e];
st.global.b32 [%d1+32], %r3;
ld.param.b32 %r4, [f];
st.global.b32 [%d1+40], %r4;
ld.param.u64 %d2, [g];
st.global.b64 [%d1+48], %d2;
ld.param.f64 %x, [h];
st.global.f64 [%d1+56], %x;
ld.param.b32 %r5, [i+4];
st.global.b32 [%d1+64], %r5;
""", [".u64 out", ".u32 a", ".s32 b", ".f32 c", ".b16 d", ".b32 e", ".b32 f", ".u64 g", ".f64 h", ".align 4 .b8 i[8]"], "scalars",
    registers=".reg .f64 %x;\n")

# Writes 1 where the other pointer is null.
NULL = module("""
ld.param.u64 %d1, [out];
ld.param.u64 %d2, [other];
setp.eq.s64 %p1, %d2, 0;
selp.b32 %r1, 1, 2, %p1;
st.global.b32 [%d1], %r1;
""", [".u64 .ptr out", ".u64 .ptr other"], "null")

# y[i] = by x[i] for i < n, of a struct: x, n, by and y from 0, 8, 12 and 16 on. Two products of one sum.
VIEW = module(PLACE + """
ld.param.u64 %d2, [view];
ld.param.u32 %r5, [view+8];
ld.param.f32 %f2, [view+12];
ld.param.u64 %d3, [view+16];
setp.ge.u32 %p1, %r1, %r5;
@%p1 bra DONE;
add.s64 %d2, %d2, %d1;
add.s64 %d3, %d3, %d1;
ld.global.f32 %f1, [%d2];
mul.rn.f32 %f3, %f1, %f2;
st.global.f32 [%d3], %f3;
DONE:
""", [".align 8 .b8 view[24]", ".u32 other"], "scale")

# out[0] = a a - b, in one rounding or in two.
SQUARE = module("""
ld.param.f32 %f1, [a];
ld.param.f32 %f2, [b];
ld.param.u64 %d1, [out];
mul.f32 %f3, %f1, %f1;
sub.f32 %f4, %f3, %f2;
st.global.f32 [%d1], %f4;
""", [".f32 a", ".f32 b", ".u64 out"], "square")

# 3 in every place, of elements of an array; a copy of a later GPU only where n is 0.
LATER = module("""
ld.param.u64 %d2, [out];
ld.param.u32 %r5, [n];
mov.u32 %r4, %tid.x;
mul.wide.u32 %d1, %r4, 4;
add.s64 %d2, %d2, %d1;
st.shared.u32 words[%r4], %r4;
bar.sync 0;
setp.ne.u32 %p1, %r5, 0;
@%p1 bra DONE;
cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%d1, {%r5, %r5}], [%r2];
DONE:
mov.u32 %r6, words[1];
ld.shared.u32 %r7, [%r6];
ld.shared.u32 %r8, words[2];
add.u32 %r7, %r7, %r8;
st.global.u32 [%d2], %r7;
""", [".u64 out", ".u32 n"], "later", globals=".shared .align 16 .b32 words[32];") + "\0"

STORE = PLACE + "ld.param.u64 %d2, [out];\n{}st.global.b32 [%d2], {};\n"
RACE = module(STORE.format("", "%r1"), [".u64 out"])
SAME = module(STORE.format("", "7"), [".u64 out"])
GUARDED = module(STORE.format("setp.ne.s32 %p1, %r1, 0;\n@%p1 bra END;\n", "%r1") + "END:\n", [".u64 out"])
DIVERGENT = module(PLACE + "setp.lt.s32 %p1, %r4, 5;\n@%p1 bra END;\nbar.sync 0;\nEND:\n", [".u64 out"])
UNWRITTEN = module(PLACE + "ld.param.u64 %d2, [out];\nadd.s64 %d2, %d2, %d1;\nmov.u32 %r7, memory;\nld.shared.b32 %r8, [%r7];\n"
                   "st.global.b32 [%d2], %r8;\n", [".u64 out"], globals=SHARED)
MISALIGNED = module("ld.param.u64 %d2, [out];\nst.global.b32 [%d2+2], 0;\n", [".u64 out"])
TRAP = module(PLACE + "setp.lt.s32 %p1, %r4, 5;\n@%p1 trap;\n", [".u64 out"])
ENDLESS = module("AGAIN:\nbra AGAIN;\n", [".u64 out"])
UNKNOWN = module("frobnicate.sync.b32 %r1, %r2;\n", [".u64 out"])
TWO = ADD + ADD[ADD.index(".visible"):].replace("add(", "second(")


def write_npy(path, descr, shape, values):
    shape_text = "(" + "".join(f"{extent}, " for extent in shape) + ")"
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape_text}, }}\n".encode()
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + struct.pack(f"<{len(values)}{CODES[descr]}", *values))
    return path


def read_npy(path):
    """(descr, shape, values)"""
    data = path.read_bytes()
    length = struct.unpack("<H", data[8:10])[0]
    header = eval(data[10:10 + length])
    code = CODES[header["descr"]]
    bytes_ = data[10 + length:]
    return header["descr"], header["shape"], list(struct.unpack(f"<{len(bytes_) // struct.calcsize(code)}{code}", bytes_))
