"""A kernel compiled with `--emit obj`, called with arrays that protected pages enclose.

    guarded.results(distaff, KERNEL.mlir, FUNCTION, BASE, ARGUMENTS, SIZES, NUMBERS)

calls it in a process of its own, `guarded.py LIBRARY FUNCTION CALL.json`. Arrays are bytes
of elements, in the order of the kernel ABI, and the scalars and extents follow them, all
as integers of 64 bits. Every array ends where a page begins that nothing may access, then begins where
one ends; results are of bytes 0xFF before the call, a NaN in every type of float, and
are written to their files after it. An access beyond an array ends this process.
"""
import ctypes
import json
import mmap
import pathlib
import subprocess
import sys

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.mmap.restype = ctypes.c_void_p
LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
LIBC.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
PAGE = mmap.PAGESIZE


def place(size, ends_at_page):
    """The address of an array between two protected pages."""
    room = -(-max(size, 1) // PAGE) * PAGE
    pages = LIBC.mmap(None, room + 2 * PAGE, 0, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
    assert pages and not LIBC.mprotect(pages + PAGE, room, mmap.PROT_READ | mmap.PROT_WRITE), "no memory"
    ctypes.memset(pages + PAGE, 0xFF, room)
    return pages + PAGE + (room - size if ends_at_page else 0)


def call(function, arrays, numbers, ends_at_page):
    """The bytes of the results."""
    addresses = [place(array["bytes"], ends_at_page) for array in arrays]
    for array, address in zip(arrays, addresses):
        if not array["result"]:
            ctypes.memmove(address, pathlib.Path(array["file"]).read_bytes(), array["bytes"])
    status = function(*map(ctypes.c_void_p, addresses), *map(ctypes.c_int64, numbers), None)
    assert status == 0, f"the function returned {status}"
    return [ctypes.string_at(address, array["bytes"]) for array, address in zip(arrays, addresses) if array["result"]]


def results(distaff, kernel, function, base, arguments, sizes, numbers):
    """(bytes of each result, None) or (None, what is wrong). `base` begins the names of files."""
    file = lambda end: f"{base}.{end}"
    arrays = [{"file": file(f"arg{at}"), "bytes": len(data), "result": False} for at, data in enumerate(arguments)]
    for array, data in zip(arrays, arguments):
        pathlib.Path(array["file"]).write_bytes(data)
    arrays += [{"file": file(f"res{at}"), "bytes": size, "result": True} for at, size in enumerate(sizes)]
    pathlib.Path(file("json")).write_text(json.dumps({"arrays": arrays, "numbers": numbers}))
    for command in ([distaff, "compile", str(kernel), "--target", "host", "--emit", "obj", "-o", file("o")],
                    ["cc", "-shared", "-o", file("so"), file("o"), "-lm"], [sys.executable, __file__, file("so"), function, file("json")]):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            return None, f"{' '.join(command)}: exit {done.returncode}\n{done.stderr[-800:]}"
    return [pathlib.Path(array["file"]).read_bytes() for array in arrays if array["result"]], None


def main():
    library, name, described = sys.argv[1:]
    described = json.loads(pathlib.Path(described).read_text())
    function, arrays = getattr(ctypes.CDLL(library), name), described["arrays"]
    at_end, at_begin = (call(function, arrays, described["numbers"], ends) for ends in (True, False))
    assert at_end == at_begin, "the values depend on where the arrays are"
    for array, data in zip([array for array in arrays if array["result"]], at_end):
        pathlib.Path(array["file"]).write_bytes(data)


if __name__ == "__main__":
    main()
