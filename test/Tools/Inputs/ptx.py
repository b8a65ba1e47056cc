"""usage: ptx.py FOLDER EXAMPLES: the cases of ptx.test."""
import random
import re
import struct
import sys
from pathlib import Path

import cases
import ptx_files as files

sys.path += [str(Path(__file__).resolve().parents[2] / folder) for folder in ("ForkServer", "Execution/Inputs")]
import depth
import fork_server

FOLDER, EXAMPLES = Path(sys.argv[1]), Path(sys.argv[2])
ONE = ["--grid", "1", "--block", "32"]
# Scalars between the arrays, which the kernel takes after them; two results.
SCALARS = """
#id = affine_map<(i, j) -> (i, j)>
func.func @scale(%x: tensor<60x96xf16>, %by: f32, %y: tensor<60x96xi8>, %n: i32) -> (tensor<60x96xf32>, tensor<60x96xi32>) {
  %e = tensor.empty() : tensor<60x96xf32>
  %f = tensor.empty() : tensor<60x96xi32>
  %r:2 = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<60x96xf16>, tensor<60x96xi8>) outs(%e, %f : tensor<60x96xf32>, tensor<60x96xi32>) {
  ^bb0(%a: f16, %b: i8, %o: f32, %p: i32):
    %w = arith.extf %a : f16 to f32
    %m = arith.mulf %w, %by : f32
    %v = arith.extsi %b : i8 to i32
    %k = arith.addi %v, %n : i32
    linalg.yield %m, %k : f32, i32
  } -> (tensor<60x96xf32>, tensor<60x96xi32>)
  return %r#0, %r#1 : tensor<60x96xf32>, tensor<60x96xi32>
}
"""
OUT = ["--shape", "arg0=64xi32", "--input", "arg0=zeros"]


def distaff(*arguments):
    return fork_server.run(["distaff", *arguments], 300)


def write(name, text):
    path = FOLDER / name
    path.write_text(text) if isinstance(text, str) else path.write_bytes(text)
    return path


def run(name, text, *flags, target="sm_80"):
    return distaff("run", write(f"{name}.ptx", text), "--target", target, *flags)


def right(name, text, *flags):
    done = run(name, text, *flags)
    assert done.returncode == 0 and not done.stderr, f"{name}: exit {done.returncode}: {done.stderr[:300]}"
    return done.stdout


def refused(code, name, text, *flags, says=(), target="sm_80"):
    done = run(name, text, *flags, target=target)
    assert done.returncode == code, f"{name} {flags}: exit {done.returncode}, not {code}: {done.stderr[:300]}"
    assert "distaff: error: " in done.stderr and not done.stdout, f"{name}: {done.stdout[:100]} {done.stderr[:100]}"
    for part in says:
        assert part in done.stderr, f"{name}: no '{part}' in {done.stderr[:400]}"


def adding(**changed):
    """The flags that add 2 i to i for 100 elements, but for those that are changed."""
    flags = {"--entry": "add", "--grid": "2", "--block": "64", "arg0": "iota", "arg1": "iota", "arg2": "zeros", "arg3": "100",
             "shape0": "100xf32", "shape1": "10x10xf32", "shape2": "100xf32"} | changed
    result = []
    for name, value in flags.items():
        if value is None:
            continue
        number = name[-1]
        result += [name, value] if name.startswith("--") else ["--shape", f"arg{number}={value}"] if name.startswith("shape") \
            else ["--input", f"arg{number}={value}"]
    return result


def arrays_go_in_and_come_back():
    out = FOLDER / "sum.npy"
    right("add", files.ADD, *adding(), "--output", f"arg2={out}")
    assert files.read_npy(out) == ("<f4", (100,), [2.0 * i for i in range(100)]), files.read_npy(out)
    left = files.write_npy(FOLDER / "left.npy", "<f4", (5, 20), [0.5 * i for i in range(100)])
    right("add", files.ADD, *adding(arg0=str(left), shape0=None, arg1="3", arg2=None), "--output", f"arg2={out}", "--device", "ptx")
    assert files.read_npy(out)[2] == [0.5 * i + 3 for i in range(100)], files.read_npy(out)
    # What is not written stays.
    right("add", files.ADD, *adding(arg3="40", arg2="-1"), "--output", f"arg2={out}")
    assert files.read_npy(out)[2] == [2.0 * i if i < 40 else -1.0 for i in range(100)], files.read_npy(out)


def bits_of_a_file_are_kept():
    for descr, values in (("<u2", [1, 65535]), ("|u1", [0, 255, 3, 4]), ("<f2", [1.5, -2.0]), ("<i8", [-1]), ("<f8", [0.1])):
        array = files.write_npy(FOLDER / "bits.npy", descr, (len(values),), values)
        out = FOLDER / "bits-out.npy"
        right("nothing", files.module("", [".u64 x"]), *ONE, "--input", f"arg0={array}", "--output", f"arg0={out}")
        assert files.read_npy(out) == (descr, (len(values),), values), files.read_npy(out)


def numbers_take_the_bits_of_their_parameter():
    out = FOLDER / "scalars.npy"
    pair = files.write_npy(FOLDER / "pair.npy", "<i4", (2,), [5, 77])
    given = ["arg0=zeros", "arg1=4294967295", "arg2=-5", "arg3=0.1", "arg4=1.5", "arg5=3", "arg6=3.0", "arg7=0xFFFFFFFF00000001",
             "arg8=-1e-300", f"arg9={pair}"]
    right("scalars", files.SCALARS, *ONE[:2], "--block", 1, "--shape", "arg0=9xi64", *sum((["--input", flag] for flag in given), []),
          "--output", f"arg0={out}")
    found = [value & (2**64 - 1) for value in files.read_npy(out)[2]]
    bits = lambda code, value: int.from_bytes(struct.pack(code, value), "little")
    expected = [0xFFFFFFFF, 0xFFFFFFFB, bits("<f", 0.1), bits("<e", 1.5), 3, bits("<f", 3.0), 0xFFFFFFFF00000001, bits("<d", -1e-300), 77]
    assert found == expected, [hex(value) for value in found]


def numbers_that_do_not_fit_are_refused():
    flags = ["--grid", 1, "--block", 1, "--shape", "arg0=9xi64"]
    good = {1: "1", 2: "1", 3: "1", 4: "1", 5: "1", 6: "1", 7: "1", 8: "1", 9: "1"}
    for number, value in ((1, "4294967296"), (1, "-2147483649"), (1, "1.5"), (1, "x.npz"), (2, "nan"), (3, "one"), (4, "65536"), (5, "1.5.2"),
                          (7, "18446744073709551616"), (7, "0xg"), (9, "1")):
        given = sum((["--input", f"arg{i}={v}"] for i, v in (good | {number: value}).items()), [])
        refused(2, "scalars", files.SCALARS, *flags, *given, says=[f"arg{number} ("])


VIEW = {"arg0@0": "x.npy", "arg0@8": "60:i32", "arg0@12": "0.5:f32", "arg0@16": "zeros", "arg1": "0"}


def viewing(*more, **changed):
    """The flags that scale 60 of 64 elements through the fields of a struct, but for those that are changed."""
    given = VIEW | {name.replace("_", "@"): value for name, value in changed.items()}
    files.write_npy(FOLDER / "x.npy", "<f4", (64,), [float(i) for i in range(64)])
    shape = [] if given["arg0@16"] is None else ["--shape", "arg0@16=8x8xf32"]
    flags = sum((["--input", f"{name}={FOLDER / value if value == 'x.npy' else value}"] for name, value in given.items() if value is not None), [])
    return ["--grid", 2, "--block", 32, *shape, *flags, *more]


def fields_of_a_struct_are_given_one_by_one():
    out = FOLDER / "view.npy"
    expected = [0.5 * i if i < 60 else 0.0 for i in range(64)]
    right("view", files.VIEW, *viewing("--output", f"arg0@16={out}"))
    assert files.read_npy(out) == ("<f4", (8, 8), expected), files.read_npy(out)
    # Offsets may be hexadecimal, and the array of the whole gives the bytes that no field does.
    rest = files.write_npy(FOLDER / "rest.npy", "<i4", (6,), [77, 77, 60, 0x3F000000, 77, 77])
    right("view", files.VIEW, *viewing("--input", f"arg0={rest}", "--output", f"arg0@0x10={out}", arg0_8=None, arg0_12=None))
    assert files.read_npy(out)[2] == expected, files.read_npy(out)
    # Null is a pointer to nothing, and what is not given is 0.
    right("view", files.VIEW, *viewing(arg0_8="0:i32", arg0_0="null"))
    right("view", files.VIEW, *viewing(arg0_8=None, arg0_0=None, arg0_16=None))
    refused(1, "view", files.VIEW, *viewing(arg0_0="null"), says=["out of bounds"])
    short = files.write_npy(FOLDER / "short.npy", "<f4", (50,), [0.0] * 50)
    refused(1, "view", files.VIEW, *viewing(arg0_0=str(short)), says=["out of bounds", "at 200 of argument 0@0, which has 200"])


def fields_that_do_not_fit_are_refused():
    for name, value, says in (
            ("arg0@24", "1:i8", ["arg0@24 has 1 bytes", "beyond the 24", "arg0 (.b8 view[24])"]), ("arg0@20", "null", ["arg0@20", "beyond the 24"]),
            ("arg0@18446744073709551615", "1:i32", ["beyond the 24"]), ("arg0@10", "1:i32", ["arg0@10", "at a multiple of 4"]),
            ("arg0@4", "null", ["arg0@4", "at a multiple of 8"]), ("arg0@14", "1:i16", ["arg0@12 and arg0@14 overlap", "4 bytes"]),
            ("arg0@8", "null", ["arg0@8", "twice"]), ("arg0@0x8", "1:i32", ["'arg0@8' is given twice"]),
            ("arg0@", "1:i32", ["'arg0@' is no argN@BYTES"]), ("arg0@x", "1:i32", ["is no argN@BYTES"]), ("arg0@-8", "1:i32", ["is no argN@BYTES"]),
            ("arg2@0", "1:i32", ["'arg2'", "arg0, arg1"]), ("arg1@0", "1:i32", ["arg1 (.u32 other)", "no aggregate"])):
        refused(2, "view", files.VIEW, *viewing("--input", f"{name}={value}"), says=says)
    for value, says in (("60", "100:i32"), ("1.5:i32", "'1.5' is no i32"), ("4294967296:i32", "is no i32"), ("x:f32", "'x' is no f32"),
                        ("60:i31", "100:i32"), ("iota", "--shape arg0@8="), ("", "arg0@8")):
        refused(2, "view", files.VIEW, *viewing(arg0_8=value), says=[says])
    refused(2, "view", files.VIEW, *viewing("--shape", "arg0@0=4xf32", arg0_0="null"), says=["--shape arg0@0", "null has no shape"])
    refused(2, "view", files.VIEW, *viewing("--output", f"arg0@8={FOLDER}/n.npy"), says=["--output", "arg0@8"])
    refused(2, "view", files.VIEW, *viewing("--output", f"arg0@4={FOLDER}/n.npy"), says=["--output", "arg0@4"])
    refused(2, "view", files.VIEW, *viewing("--output", f"arg0={FOLDER}/n.npy"), says=["--output", "arg0@BYTES"])
    refused(2, "view", files.VIEW, *viewing("--input", "arg0=7"), says=["arg0 (.b8 view[24])", "24 bytes"])
    refused(2, "view", files.VIEW, *viewing("--shape", "arg0=5xi32"), says=["arg0 (.b8 view[24])", "20"])
    refused(2, "view", files.VIEW, "--grid", 1, "--block", 1, "--input", "arg1=1", says=["no --input gives arg0 (.b8 view[24])"])


def a_product_becomes_part_of_a_sum_where_the_flag_lets_it():
    out = FOLDER / "square.npy"
    flags = ["--grid", 1, "--block", 1, "--input", f"arg0={1 + 2**-12}", "--input", f"arg1={1 + 2**-11}", "--shape", "arg2=1xf32", "--output", f"arg2={out}"]
    for chosen, expected in (([], 2.0**-24), (["--contract", "on"], 2.0**-24), (["--contract=off"], 0.0)):
        right("square", files.SQUARE, *flags, *chosen)
        assert files.read_npy(out)[2] == [expected], f"{chosen}: {files.read_npy(out)}"
    refused(2, "square", files.SQUARE, *flags, "--contract", "maybe", says=["--contract", "on or off", "maybe"])
    done = distaff("run", EXAMPLES / "softmax.mlir", "--target", "sm_80", "--contract=off")
    assert done.returncode == 2 and "--contract" in done.stderr and ".ptx" in done.stderr, done.stderr


def what_is_not_reached_ends_no_run():
    out = FOLDER / "later.npy"
    flags = ["--grid", 1, "--block", 32, "--shape", "arg0=32xi32", "--input", "arg0=zeros"]
    right("later", files.LATER, *flags, "--input", "arg1=1", "--output", f"arg0={out}")
    assert files.read_npy(out)[2] == [3] * 32, files.read_npy(out)
    line = files.LATER[:files.LATER.index("cp.async")].count("\n") + 1
    refused(3, "later", files.LATER, *flags, "--input", "arg1=0", says=[f"line {line}: ", "not modelled: cp.async.bulk.tensor"])
    refused(2, "broken", files.LATER.replace("{%r5, %r5}]", "{%r5, %r5]"), *flags, "--input", "arg1=1", says=[f"line {line}: ", "'}' expected"])


def stored(name, values, *flags):
    """Runs a text of test/ThirdParty under several schedules; `values` maps outputs to what they must hold."""
    text = (Path(__file__).resolve().parents[2] / "ThirdParty" / "Kernels" / f"{name}.ptx").read_bytes()
    for seed in (0, 1, 5):
        files_of = {slot: FOLDER / f"{name}-{number}.npy" for number, slot in enumerate(values)}
        right(name, text, *flags, "--schedule", seed, *sum((["--output", f"{slot}={path}"] for slot, path in files_of.items()), []))
        for slot, path in files_of.items():
            assert files.read_npy(path)[2] == values[slot], f"{name}: {slot} is {files.read_npy(path)[2][:9]}"


def kernels_of_other_compilers_are_right():
    """What runs elsewhere by many lanes and through shared memory, here by loops."""
    draw = random.Random(40)

    def array(slot, descr, shape, values):
        return ["--input", f"{slot}={files.write_npy(FOLDER / f'stored-{slot}.npy', descr, shape, values)}"]

    def zeros(slot, shape):
        return ["--shape", f"{slot}={shape}", "--input", f"{slot}=zeros"]

    x = [draw.randrange(-1000, 1000) for _ in range(6 * 4096)]
    stored("tinygrad_row_max", {"arg0": [max(x[4096 * row:4096 * row + 4096]) for row in range(6)]}, "--grid", 6, "--block", 16,
           *zeros("arg0", "6xi32"), *array("arg1", "<i4", (6, 4096), x))
    image = [draw.randrange(256) for _ in range(26 * 66)]
    window = lambda row, column: sum(image[66 * (row + i) + column + j] for i in range(3) for j in range(3)) // 9
    stored("halide_blur", {"arg0": [window(row, column) for row in range(24) for column in range(64)]}, "--grid", "2,3", "--block", "32,10",
           "--shared", 640, *array("arg0", "|u1", (24, 64), [0] * 1536), *array("arg1", "|u1", (26, 66), image))
    # a b + a is exact in Python's doubles; two roundings of it would be another number for half of these.
    a, b = ([1 + draw.randrange(1 << 12) / (1 << 23) for _ in range(1024)] for _ in range(2))
    once = [struct.unpack("<f", struct.pack("<f", x * y + x))[0] for x, y in zip(a, b)]
    stored("pyptx_multiply_add", {"arg2": once}, "--grid", 16, "--block", 64, *array("arg0", "<f4", (1024,), a), *array("arg1", "<f4", (1024,), b),
           *zeros("arg2", "1024xf32"))
    matrix = [draw.randrange(-1000, 1000) for _ in range(37 * 50)]
    extents = lambda slot, rows, columns: ["--input", f"{slot}@8={rows}:i32", "--input", f"{slot}@12={columns}:i32", "--input", f"{slot}@16={columns}:i64"]
    stored("cutlass_transposed", {"arg1@0": [matrix[50 * row + column] for column in range(50) for row in range(37)]}, "--grid", "4,5", "--block", "16,8",
           *array("arg0@0", "<i4", (37, 50), matrix), *extents("arg0", 37, 50), *zeros("arg1@0", "50x37xi32"), *extents("arg1", 50, 37))


def null_is_a_pointer_to_nothing():
    out = FOLDER / "null.npy"
    for value, shape, expected in (("null", [], 1), ("zeros", ["--shape", "arg1=4xi8"], 2)):
        right("null", files.NULL, "--grid", 1, "--block", 1, "--shape", "arg0=1xi32", "--input", f"arg1={value}", *shape, "--output", f"arg0={out}")
        assert files.read_npy(out)[2] == [expected]
    refused(2, "null", files.NULL, "--grid", 1, "--block", 1, "--shape", "arg0=1xi32", "--shape", "arg1=4xi8", "--input", "arg1=null",
            says=["--shape arg1", "null has no shape"])
    refused(1, "null", files.NULL, "--grid", 1, "--block", 1, "--input", "arg0=null", "--input", "arg1=null", says=["out of bounds"])


def shared_memory_is_sized_by_the_launch():
    out = FOLDER / "reversed.npy"
    flags = ["--grid", 2, "--block", 64, "--shape", "arg0=128xi32", "--input", "arg0=iota", "--shape", "arg1=128xi32"]
    for seed in (0, 1, 2, 99):
        right("reverse", files.REVERSE, *flags, "--shared", 256, "--schedule", seed, "--output", f"arg1={out}")
        assert files.read_npy(out)[2] == [*range(63, -1, -1), *range(127, 63, -1)], files.read_npy(out)
    refused(1, "reverse", files.REVERSE, *flags, "--shared", 252, says=["out of bounds"])
    refused(1, "reverse", files.REVERSE, *flags, says=["out of bounds"])
    refused(1, "reverse", files.REVERSE.replace("bar.sync 0;", ""), *flags, "--shared", 256, says=["race"])
    refused(2, "reverse", files.REVERSE, *flags, "--shared", 400000, says=["--shared", "sm_80"])
    refused(2, "reverse", files.REVERSE, *flags, "--shared=-1", says=["--shared"])
    refused(2, "reverse", files.REVERSE, *flags, "--shared", "1k", says=["--shared", "1k"])


def faults_are_named_with_their_line():
    flags = [*ONE, *OUT]
    for name, text, fault, part, extra in (
            ("race", files.RACE, "race", "st.global.b32", []), ("divergent", files.DIVERGENT, "divergent barrier", "bar.sync", []),
            ("unwritten", files.UNWRITTEN, "unwritten", "st.global.b32", ["--shared", 64]),
            ("misaligned", files.MISALIGNED, "misaligned", "st.global.b32", []), ("trap", files.TRAP, "trap", "@%p1 trap", [])):
        out = FOLDER / "never.npy"
        refused(1, name, text, *flags, *extra, "--output", f"arg0={out}",
                says=[f"line {text[:text.index(part)].count(chr(10)) + 1}: workgroup (0, 0, 0), thread ", f": {fault}: "])
        assert not out.exists()
    refused(1, "endless", files.ENDLESS, *flags, "--max-steps", 1000, says=["endless"])
    refused(1, "outside", files.ADD, *adding(shape2="99xf32"), says=["out of bounds", "396"])
    refused(3, "unknown", files.UNKNOWN, *flags, says=["line 12: ", "not modelled: frobnicate"])


def the_same_value_twice_is_counted():
    assert re.search(r"same-value writes +[1-9]", right("same", files.SAME, *ONE, *OUT, "--counters"))
    text = right("guarded", files.GUARDED, *ONE, *OUT, "--counters")
    assert re.search(r"same-value writes +0", text) and re.search(r"global requests +1\n", text), text


def entries_are_chosen_by_name():
    refused(2, "two", files.TWO, *adding(**{"--entry": None}), says=["two.ptx", "--entry", "add, second"])
    refused(2, "two", files.TWO, *adding(**{"--entry": "third"}), says=["third", "add, second"])
    right("two", files.TWO, *adding(**{"--entry": "second"}))
    right("add", files.ADD, *adding(**{"--entry": None}))
    refused(2, "none", files.HEAD.format(target="sm_80", globals=""), *ONE, says=["no .entry"])


def arguments_fit_the_parameters():
    refused(2, "add", files.ADD, *adding(arg3=None), says=["4 arguments", "arg3 (.u32 n)"])
    refused(2, "add", files.ADD, *adding(), "--input", "arg4=1", says=["--input", "arg4", "arg0, arg1, arg2, arg3"])
    refused(2, "add", files.ADD, *adding(), "--input", "arg0=zeros", says=["arg0", "twice"])
    refused(2, "add", files.ADD, *adding(shape3="1xi64"), says=["arg3 (.u32 n)", "4 bytes"])
    refused(2, "add", files.ADD, *adding(arg3="null"), says=["arg3 (.u32 n)", "null"])
    refused(2, "add", files.ADD, *adding(shape1=None, arg1="5"), says=["arg1 (.u64 right)", "pointer"])
    refused(2, "add", files.ADD, *adding(shape0=None), says=["arg0=iota", "--shape arg0="])
    refused(2, "add", files.ADD, *adding(arg0="random:x"), says=["arg0", "random:SEED"])
    for shape in ("100", "f32x100", "axf32", "-1xf32", "100xf31", "100x", "xf32"):
        refused(2, "add", files.ADD, *adding(shape0=shape), says=["--shape", shape])
    refused(2, "add", files.ADD, *adding(shape0="4294967296x4294967296xf32"), says=["--shape", "memory"])


def outputs_are_arrays_in_files_of_their_own():
    refused(2, "add", files.ADD, *adding(), "--output", f"arg3={FOLDER}/n.npy", says=["--output", "arg3 (.u32 n)"])
    refused(2, "add", files.ADD, *adding(), "--output", f"arg1={FOLDER}/o.npy", "--output", f"arg2={FOLDER}/./o.npy", says=["both written"])
    refused(2, "add", files.ADD, *adding(), "--output", f"arg2={FOLDER}/no/folder.npy", says=["folder.npy"])


def files_that_cannot_be_read():
    done = distaff("run", FOLDER / "absent.ptx", "--target", "sm_80", *ONE)
    assert done.returncode == 2 and "absent.ptx" in done.stderr and "No such file" in done.stderr, done.stderr
    garbage = write("garbage.npy", b"not an array at all")
    refused(2, "add", files.ADD, *adding(arg0=str(garbage), shape0=None), says=["garbage.npy", "magic"])
    refused(2, "add", files.ADD, *adding(arg0=f"{FOLDER}/absent.npy", shape0=None), says=["absent.npy"])
    small = files.write_npy(FOLDER / "small.npy", "<f4", (4,), [0, 1, 2, 3])
    refused(2, "add", files.ADD, *adding(arg0=str(small)), says=["small.npy", "shape"])
    for name, text in (("empty", ""), ("prose", "this is no PTX"), ("binary", "\x00\x01\x02"), ("cut", files.ADD[:len(files.ADD) // 2])):
        refused(2, name, text, *ONE, says=[f"{name}.ptx"])


def launches_fit_the_target():
    for flag, value in (("--grid", "0"), ("--grid", "1,2,3,4"), ("--grid", "x"), ("--block", "1,,1"), ("--block", "1025"), ("--block", "32,33"),
                        ("--grid", "1,65536"), ("--block", "-1"), ("--grid", None), ("--block", None)):
        refused(2, "add", files.ADD, *adding(**{flag: value}), says=[flag])
    refused(2, "new", files.ADD.replace("sm_80", "sm_90a"), *adding(), says=[".target", "sm_90a", "sm_80"])
    refused(2, "add", files.ADD, *adding(), target="gfx942", says=["gfx942", "PTX"])
    refused(2, "add", files.ADD, *adding(), target="sm_12345", says=["sm_12345", "sm_80"])
    assert run("old", files.ADD.replace("sm_80", "sm_70"), *adding(), target="sm_90a").returncode == 0


def flags_that_are_for_the_other_kind_of_file():
    for flag in ("--check", "--every-stage", "--remarks", "--strict-fp", "--allow-tf32", "--no-checks", "--func=add", "--stop-after=lower", "--device=simt"):
        refused(2, "add", files.ADD, *adding(), flag, says=[flag.split("=")[0]])
    for flag in ("--entry=add", "--grid=1", "--block=32", "--shared=0"):
        done = distaff("run", EXAMPLES / "softmax.mlir", "--target", "sm_80", flag)
        assert done.returncode == 2 and ".ptx" in done.stderr, done.stderr


# Emitted text.


def the_examples_are_right_as_emitted():
    # Of random numbers the bound of this much attention decides nothing.
    given = {"matmul_dynamic": ["--shape", "arg0=33x17", "--shape", "arg1=17x70"],
             "transformer_block": ["--input", "arg0=random:0:-2:2", "--input", "arg1=random:1:0.5:1", "--input", "arg6=random:6:0.5:1",
                                   *(flag for number in (2, 3, 4, 5, 7, 8) for flag in ("--input", f"arg{number}=random:{number}:-0.1:0.1"))],
             "flash_attention_f32_128": [flag for number in range(3) for flag in ("--input", f"arg{number}=whole:{number}:-2:2")]}
    names = sorted(path.stem for path in EXAMPLES.glob("*.mlir"))
    ran, turn = 0, depth.Turns(7)
    for name in names:
        for target in ("sm_80", "sm_90a"):
            if not turn():
                continue
            path = EXAMPLES / f"{name}.mlir"
            if distaff("compile", path, "--target", target, "--emit", "ptx").returncode:
                continue
            done = distaff("run", path, "--target", target, "--device", "ptx", "--check", *given.get(name, []))
            assert done.returncode == 0 and re.match(r"ptx +max error .* ok\n", done.stdout), f"{name} {target}: {done.stdout} {done.stderr[:400]}"
            ran += 1
    assert ran >= (4 if depth.IS_QUICK else 10), f"{ran} of {names}"


def both_machines_compute_the_same_sums():
    """Whole numbers have exact sums, so that every order gives the same bits."""
    arrays = []
    for device in ("simt", "ptx"):
        out = FOLDER / f"sums-{device}.npy"
        done = distaff("run", EXAMPLES / "matmul_f16.mlir", "--target", "sm_80", "--device", device, "--input", "arg0=whole:1:-3:3", "--input",
                       "arg1=whole:2:-3:3", "--output", f"res0={out}", "--counters")
        assert done.returncode == 0, done.stderr
        arrays.append((out.read_bytes(), re.search(r"^mma +(\d+)$", done.stdout, re.MULTILINE).group(1)))
    assert arrays[0] == arrays[1]


def every_stage_may_end_with_the_emitted_code():
    """The stages on the SIMT machine, then the text; a kernel that has been through some of them goes through the rest."""
    stages = ["input", "form-launches", "configure", "tile", "vectorize", "assign-layouts", "distribute", "lower", "convert", "ptx"]
    softmax = EXAMPLES / "softmax.mlir"
    lowered = write("lowered.mlir", distaff("compile", softmax, "--target", "sm_80", "--stop-after=lower").stdout)
    written = []
    for number, (path, ran) in enumerate(((softmax, stages), (lowered, ["input", "lower", "convert", "ptx"]))):
        out = FOLDER / f"stages-{number}.npy"
        result = ["--output", f"res0={out}"]
        flags = ["--check", "--remarks"] if path == softmax else []
        done = distaff("run", path, "--target", "sm_80", "--device", "ptx", "--every-stage", *flags, *result)
        assert path == lowered or done.returncode == 0, done.stderr[:400]
        found = [line.split()[0] for line in done.stdout.splitlines() if " max error " in line]
        assert found == ran, f"{found}: {done.stderr[:400]}"
        assert ("remark: maxnumf of 24 elements per lane" in done.stderr) == (path == softmax), done.stderr[:400]
        written.append(out)
    only = FOLDER / "stages-only.npy"
    assert distaff("run", softmax, "--target", "sm_80", "--device", "ptx", "--output", f"res0={only}").returncode == 0
    assert written[0].read_bytes() == only.read_bytes()


def scalars_and_results_are_passed_in_the_order_of_the_kernel():
    path = write("scale.mlir", SCALARS)
    arrays = {}
    for device in ("simt", "ptx"):
        out = [FOLDER / f"{device}-{number}.npy" for number in range(2)]
        done = distaff("run", path, "--target", "sm_80", "--device", device, "--check", "--input", "arg1=0.375", "--input", "arg3=-7",
                       "--output", f"res0={out[0]}", "--output", f"res1={out[1]}")
        assert done.returncode == 0, f"{done.stdout} {done.stderr[:300]}"
        arrays[device] = [file.read_bytes() for file in out]
    assert arrays["simt"] == arrays["ptx"]


def faults_of_emitted_code_are_found():
    text = distaff("compile", EXAMPLES / "matmul_f16.mlir", "--target", "sm_80", "--stop-after=lower").stdout
    barriers = [match.start() for match in re.finditer("gpu.barrier", text)]
    assert barriers
    for number, start in enumerate(barriers):
        path = write(f"barrier-{number}.mlir", text[:start] + text[start + len("gpu.barrier"):])
        done = distaff("run", path, "--target", "sm_80", "--device", "ptx")
        assert done.returncode == 1 and re.search(r"in the emitted PTX: line \d+: .*(race|unwritten): ", done.stderr), done.stderr[:400]


def what_the_ptx_machine_does_not_run():
    softmax = EXAMPLES / "softmax.mlir"
    for flags, says in ((["--target", "gfx942"], "gfx942"), (["--target", "gfx942", "--every-stage"], "gfx942"),
                        (["--target", "sm_80", "--stop-after=tile"], "--stop-after"), (["--target", "sm_80", "--no-checks"], "--no-checks")):
        done = distaff("run", softmax, "--device", "ptx", *flags)
        assert done.returncode == 2 and says in done.stderr and not done.stdout, done.stderr
    done = distaff("run", softmax, "--device", "ptx", "--target", "sm_80", "--max-steps", 100)
    assert done.returncode == 1 and "endless" in done.stderr, done.stderr


CASES = [arrays_go_in_and_come_back, bits_of_a_file_are_kept, numbers_take_the_bits_of_their_parameter, numbers_that_do_not_fit_are_refused,
         fields_of_a_struct_are_given_one_by_one, fields_that_do_not_fit_are_refused, a_product_becomes_part_of_a_sum_where_the_flag_lets_it,
         what_is_not_reached_ends_no_run, kernels_of_other_compilers_are_right,
         null_is_a_pointer_to_nothing, shared_memory_is_sized_by_the_launch, faults_are_named_with_their_line,
         the_same_value_twice_is_counted, entries_are_chosen_by_name, arguments_fit_the_parameters, outputs_are_arrays_in_files_of_their_own,
         files_that_cannot_be_read, launches_fit_the_target, flags_that_are_for_the_other_kind_of_file, the_examples_are_right_as_emitted,
         both_machines_compute_the_same_sums, every_stage_may_end_with_the_emitted_code, scalars_and_results_are_passed_in_the_order_of_the_kernel,
         faults_of_emitted_code_are_found, what_the_ptx_machine_does_not_run]
cases.main(CASES, FOLDER)
