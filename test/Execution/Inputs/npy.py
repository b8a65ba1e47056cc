"""Files of numbers, for tests that run where NumPy is not. Elements are named as
MLIR names them; bf16 is kept as its bits,
and so are floats of 8 bits, which are given as such.
"""
import struct

# Element -> NumPy's descriptor, and the code of struct.
DESCRIPTORS = {"f16": ("<f2", "e"), "bf16": ("<u2", "H"), "f32": ("<f4", "f"), "f64": ("<f8", "d"),
               "f8E4M3FN": ("|u1", "B"), "f8E5M2": ("|u1", "B"), "f8E4M3FNUZ": ("|u1", "B"), "f8E5M2FNUZ": ("|u1", "B"),
               "i1": ("|b1", "b"), "i8": ("|i1", "b"), "i16": ("<i2", "h"), "i32": ("<i4", "i"), "i64": ("<i8", "q")}


def to_bf16_bits(value):
    """Those of float32, the lower half rounded off, to even where in the middle."""
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16) & 0xFFFF


def size_of(element):
    return struct.calcsize(DESCRIPTORS[element][1])


def to_bytes(values, element):
    if element == "bf16":
        values = [to_bf16_bits(value) for value in values]
    return struct.pack(f"<{len(values)}{DESCRIPTORS[element][1]}", *values)


def from_bytes(data, element):
    if element == "bf16":
        return [struct.unpack("<f", b"\0\0" + data[i:i + 2])[0] for i in range(0, len(data), 2)]
    code = DESCRIPTORS[element][1]
    return list(struct.unpack(f"<{len(data) // struct.calcsize(code)}{code}", data))


def write_bytes(path, element, shape, data):
    """Writes an array, row-major, whose bytes are there already."""
    dims = "".join(f"{extent}, " for extent in shape)
    header = f"{{'descr': '{DESCRIPTORS[element][0]}', 'fortran_order': False, 'shape': ({dims}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)
    return path


def write(path, element, shape, values):
    return write_bytes(path, element, shape, to_bytes(values, element))


def read(path, element):
    data = path.read_bytes()
    return from_bytes(data[10 + struct.unpack("<H", data[8:10])[0]:], element)
