"""Prints the manifest of a kernel package, a key per line: manifest.py FILE.package"""
import json
import struct
import sys
import zlib

data = open(sys.argv[1], "rb").read()
magic, version, crc, manifest_bytes, code_bytes = struct.unpack_from("<8sIIQQ", data)
assert magic == b"DISTAFF\n" and version == 1
assert crc == zlib.crc32(data[16:]) and len(data) == 32 + manifest_bytes + code_bytes
for key, value in json.loads(data[32:32 + manifest_bytes]).items():
    print(f"{key}: {json.dumps(value)}")
