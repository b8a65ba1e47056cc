"""Flags as mistyped, with values of every kind, for every tool."""
FLAGS = {
    "compile": ["--target", "--emit", "--stop-after", "--func", "--strict-fp", "--shape", "-o", "--help", "--version"],
    "run": ["--target", "--device", "--threads", "--input", "--output", "--check", "--every-stage", "--counters", "--schedule", "--no-checks", "--max-steps",
            "--func", "--stop-after", "--shape", "--strict-fp"],
    "explain": ["--target", "--func", "--format"],
    "targets": [],
    "verify": ["--target"],
}
VALUES = ["", "sm_80", "sm_90a", "gfx942", "sm_1", "SM_80", "0", "1", "-1", "4", "99999999999999999999", "1e9", "nan", "ptx", "gcn", "hsaco", "llvm", "mlir",
          "package", "lower", "distribute", "nothing", "f", "main", "simt", "cuda:0", "cuda:-1", "cuda:99999999999", "cuda:", "host", "arg0=random:1", "arg0=",
          "arg0", "=", "arg0=random", "arg0=random:", "arg0=random:1:2", "arg0=random:1:2:1", "arg0=random:1:-1e308:1e308", "arg0=whole:1:0:9",
          "arg0=whole:1:0:1e300", "arg0=iota", "arg0=zeros", "arg0=3", "arg0=nan", "arg0=no-such.npy", "arg0=/dev/null", "arg0=/dev/zero", "arg0=.",
          "arg1=arg1.npy", "arg9=x.npy", "res0=/no/such/folder/x.npy", "res0=/dev/full", "arg0=33x17", "arg0=-1x4", "arg0=x", "arg0=9999999999999x9999999999",
          "out", "/dev/full", "/dev/null", "/no/such/folder/out", ".", "\u00e9", "%s%n", "a" * 5000]


def prepare(tools):
    (tools.shared / "k.mlir").write_text(
        "func.func @f(%a: memref<4x32xf32>, %b: memref<4x32xf32>) {\n  %c0 = arith.constant 0 : index\n  %z = arith.constant 0.0 : f32\n"
        "  %v = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<4x32xf32>, vector<4x32xf32>\n"
        "  vector.transfer_write %v, %b[%c0, %c0] {in_bounds = [true, true]} : vector<4x32xf32>, memref<4x32xf32>\n  return\n}\n")


def case(random, folder, tools):
    tool = random.choice(["distaff"] * 6 + ["distaff-opt", "distaff-launch"])
    subcommand = random.choice(list(FLAGS))
    words = [tools.bin / tool]
    if tool == "distaff" and random.random() < 0.97:
        words.append(subcommand)
    if random.random() < 0.9:
        words.append(tools.shared / "k.mlir")
    if random.random() < 0.7 and tool == "distaff" and subcommand != "targets":
        words += ["--target", random.choice(["sm_80", "gfx942"])]
    for _ in range(random.choice([0, 1, 1, 2, 3])):
        flag = random.choice(FLAGS[subcommand] or ["--x"]) if random.random() < 0.85 else random.choice(["-", "--", "---", "--no-such", "-x", "extra", "--target"])
        value = random.choice(VALUES)
        words += random.choice([[flag], [flag, value], [flag + "=" + value]])
    return words, None, {}
