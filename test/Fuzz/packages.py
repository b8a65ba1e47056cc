"""Damaged packages whose sizes and checksum are right: data from a stranger, for the launcher with a driver that records."""
import copy
import json
import struct
import subprocess
import zlib

KERNEL = """
func.func @f(%a: tensor<12x32xf32>, %b: tensor<12x32xf32>) -> tensor<12x32xf32> {
  %e = tensor.empty() : tensor<12x32xf32>
  %r = linalg.add ins(%a, %b : tensor<12x32xf32>, tensor<12x32xf32>) outs(%e : tensor<12x32xf32>) -> tensor<12x32xf32>
  return %r : tensor<12x32xf32>
}
"""
VALUES = [0, 1, -1, 2, 3, 64, 65535, 65536, 2**31 - 1, 2**31, 2**32, 2**33, 2**62, 2**63 - 1, 2**63, 2**64, -2**63, 1e300, 0.5, True, None, "", "arg0", "res0",
          "f", "sm_80", "gfx942", "ptx", "hsaco", "\u0000", "\u00e9", "a" * 5000, [], {}, [[]], ["extent", 0], ["extent", 2**63 - 1],
          ["multiply", 2**62, 4], ["ceildiv", 1, 0], ["add", ["extent", 0], 1], ["maximum", 1]]


def prepare(tools):
    (tools.shared / "f.mlir").write_text(KERNEL)
    subprocess.run([tools.bin / "distaff", "compile", tools.shared / "f.mlir", "--target", "sm_80", "--emit", "package", "-o",
                    tools.shared / "f.package"], check=True)


def places(value, path=()):
    """Every place in a JSON value, as the keys that lead to it."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield path + (key,)
        yield from places(item, path + (key,))


def damage(random, manifest):
    path = random.choice(list(places(manifest)))
    holder = manifest
    for key in path[:-1]:
        holder = holder[key]
    key, kind = path[-1], random.randrange(6)
    if kind == 0:
        del holder[key]
    elif kind == 1 and isinstance(holder, list):
        holder.insert(key, copy.deepcopy(holder[key]))
    elif kind == 2 and isinstance(holder, dict):
        holder[key + random.choice(["", "x", " "])] = holder.pop(key)
    elif kind == 3 and isinstance(holder[key], list):
        random.shuffle(holder[key])
    elif kind == 4 and isinstance(holder[key], (int, float)):
        holder[key] += random.choice([-1, 1, 64, -64])
    else:
        holder[key] = copy.deepcopy(random.choice(VALUES))  # later damage is to this one


def case(random, folder, tools):
    data = (tools.shared / "f.package").read_bytes()
    size, = struct.unpack("<Q", data[16:24])
    manifest, code = json.loads(data[32:32 + size]), data[32 + size:]
    for _ in range(random.choice([1, 1, 2, 4])):
        damage(random, manifest)
        if not manifest:
            break
    text = bytearray(json.dumps(manifest).encode())
    if random.random() < 0.2:
        for _ in range(random.choice([1, 3])):
            text[random.randrange(len(text))] = random.randrange(256)
    if random.random() < 0.02:
        text = b'{"format": ' + b"[" * 100000 + b"]" * 100000 + b"}"
    if random.random() < 0.2:
        code = bytearray(code)
        for _ in range(random.choice([1, 10])):
            code[random.randrange(len(code))] = random.randrange(256)
    body = struct.pack("<QQ", len(text), len(code)) + bytes(text) + bytes(code)
    version = 1 if random.random() < 0.95 else random.randrange(4)
    package, output = folder / "f.package", folder / "output.npy"
    package.write_bytes(b"DISTAFF\n" + struct.pack("<II", version, zlib.crc32(body)) + body)
    more = random.choice([[], ["--input", "arg0=iota"], ["--shape", "arg0=12x32"], ["--shape", "arg0=4x4"], ["--time", "3"]])
    return ([tools.bin / "distaff-launch", package, "--output", "res0=%s" % output, *more], output,
            {"DISTAFF_CUDA_DRIVER": str(tools.driver), "FAKE_CUDA_CAPABILITY": random.choice(["8.0", "9.0"])})
