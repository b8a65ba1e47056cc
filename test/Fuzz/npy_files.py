"""Damaged .npy files, read as the input of a small kernel."""
import struct

TYPES = {"f32": "<f4", "f16": "<f2", "f64": "<f8", "i32": "<i4", "i8": "|i1", "bf16": "<u2", "i1": "|b1"}
NUMBERS = ["0", "1", "-1", "4", "32", "31", "33", "1000000", "4294967296", "9223372036854775807", "9223372036854775808", "99999999999999999999", "", "x", "4L",
           "1e3", "4.0", "None"]
DESCRS = ["<f4", ">f4", "=f4", "<f8", "<f2", "|b1", "|S4", "<U4", "<c8", "<M8[ns]", "|V4", "<i8", "<u2", "", "<", "f4", "<f99999999999", "[('a', '<f4')]"]


def kernel(dtype):
    zero = "0.0" if "f" in dtype else ("false" if dtype == "i1" else "0")
    return ("func.func @f(%%a: memref<4x32x%s>, %%b: memref<4x32x%s>) {\n  %%c0 = arith.constant 0 : index\n  %%z = arith.constant %s%s\n"
            "  %%v = vector.transfer_read %%a[%%c0, %%c0], %%z {in_bounds = [true, true]} : memref<4x32x%s>, vector<4x32x%s>\n"
            "  vector.transfer_write %%v, %%b[%%c0, %%c0] {in_bounds = [true, true]} : vector<4x32x%s>, memref<4x32x%s>\n  return\n}\n"
            % (dtype, dtype, zero, "" if dtype == "i1" else " : " + dtype, dtype, dtype, dtype, dtype))


def prepare(tools):
    for dtype in TYPES:
        (tools.shared / (dtype + ".mlir")).write_text(kernel(dtype))


def number(random, whole):
    return random.choice(NUMBERS) if random.random() < 0.3 else str(whole)


def header(random, descr):
    """The dictionary of a header, often right, often with one value that is not."""
    if random.random() < 0.4:
        descr = random.choice(DESCRS)
    order = random.choice(["False", "False", "False", "True", "0", "false", ""])
    shape = "(%s, %s)" % (number(random, 4), number(random, 32))
    if random.random() < 0.2:
        shape = random.choice(["()", "(4,)", "(128,)", "(4, 32, 1)", "[4, 32]", "(4, 32", "4, 32", "(" * 5000 + ")" * 5000, "(" + "1, " * 5000 + "4, 32)"])
    fields = ["'descr': '%s'" % descr, "'fortran_order': %s" % order, "'shape': %s" % shape]
    if random.random() < 0.2:
        fields.append(random.choice(["'more': 1", "'shape': (4, 32)", "'descr'", ""]))
    if random.random() < 0.2:
        random.shuffle(fields)
    if random.random() < 0.1:
        fields.pop(random.randrange(len(fields)))
    return ("{" + ", ".join(fields) + ", }").encode()


def file(random, descr):
    size = int(descr[2:])
    text = header(random, descr) if random.random() < 0.7 else ("{'descr': '%s', 'fortran_order': False, 'shape': (4, 32), }" % descr).encode()
    version = random.choice([1, 1, 1, 2, 3, 0, 4, 255])
    text = text.ljust((len(text) // 64 + 1) * 64 - 11) + b"\n"
    length = len(text) if random.random() < 0.8 else random.choice([0, 1, 65535, len(text) - 1, len(text) + 1, 0xffffffff])
    prefix = struct.pack("<H", length & 0xffff) if version == 1 else struct.pack("<I", length)
    values = bytes(random.randrange(256) for _ in range(128 * size if random.random() < 0.9 else random.randrange(200)))
    data = bytearray(b"\x93NUMPY" + bytes([version, 0]) + prefix + text + values)
    for _ in range(random.choice([0, 0, 1, 3])):
        data[random.randrange(min(len(data), 160))] = random.randrange(256)
    if random.random() < 0.15:
        del data[random.randrange(len(data)):]
    return bytes(data)


def case(random, folder, tools):
    dtype = random.choice(list(TYPES))
    path = folder / "input.npy"
    path.write_bytes(file(random, TYPES[dtype]))
    output = folder / "output.npy"
    return [tools.bin / "distaff", "run", tools.shared / (dtype + ".mlir"), "--target", "sm_80", "--input", "arg0=%s" % path, "--output",
            "arg1=%s" % output], output, {}
