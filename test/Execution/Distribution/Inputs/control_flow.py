"""scf.for and scf.if with distributed values (VX-92, VX-93; W28)."""
from kernels import Kernel, Layout, main

L = Layout(1, S=[2], B=[2], T=[8], E=[2], ss=[1], ts=[2])  # 64


def loop(trips):
    kernel = Kernel(f"w28_trips_{trips}", 64)
    n = kernel.argument("index", str(trips))
    kernel.read("%v", [64], "f64", L)
    kernel.read("%x", [64], "f64")
    for text in ["%c1 = arith.constant 1 : index",
                 f"%r = scf.for %k = %c0 to {n} step %c1 iter_args(%s = %v) -> (vector<64xf64>) {{",
                 "%t = arith.addf %s, %x : vector<64xf64>", "scf.yield %t : vector<64xf64>", "}"]:
        kernel.line(text)
    kernel.write("%r", [64], "f64")
    return kernel


def loop_of_two(trips):
    """A vector, its sum and a scalar go around; the vectors change places."""
    kernel = Kernel(f"swapped_in_loop_{trips}", 64)
    n = kernel.argument("index", str(trips))
    kernel.read("%v", [64], "f32", L)
    kernel.read("%w", [64], "f32", L)
    for text in ["%c1 = arith.constant 1 : index", "%zero = arith.constant 0.0 : f32",
                 f"%r:3 = scf.for %k = %c0 to {n} step %c1 iter_args(%a = %v, %s = %zero, %b = %w) -> (vector<64xf32>, f32, vector<64xf32>) {{",
                 "%t = vector.multi_reduction <add>, %a, %s [0] : vector<64xf32> to f32",
                 "scf.yield %b, %t, %a : vector<64xf32>, f32, vector<64xf32>", "}"]:
        kernel.line(text)
    kernel.write("%r#0", [64], "f32")
    kernel.line("%last = arith.addf %r#1, %zero : f32")
    kernel.write_scalar("%last", "f32")
    return kernel


def branch(condition):
    kernel = Kernel(f"w23_uniform_branch_{condition}", 64)
    c = kernel.argument("index", str(condition))
    kernel.read("%v", [64], "f32", L)
    for text in [f"%cond = arith.cmpi ne, {c}, %c0 : index", "%zero = arith.constant 0.0 : f32",
                 "%one = arith.constant dense<1.0> : vector<64xf32>",
                 "%r:2 = scf.if %cond -> (vector<64xf32>, f32) {",
                 "%s = vector.multi_reduction <add>, %v, %zero [0] : vector<64xf32> to f32",
                 "%d = arith.addf %v, %v : vector<64xf32>",
                 "scf.yield %d, %s : vector<64xf32>, f32", "} else {", "scf.yield %one, %zero : vector<64xf32>, f32", "}",
                 "%b = vector.broadcast %r#1 : f32 to vector<64xf32>", "%z = arith.addf %b, %r#0 : vector<64xf32>"]:
        kernel.line(text)
    kernel.write("%z", [64], "f32")
    return kernel


def all_kernels():
    for trips in (0, 1, 2, 5):
        yield loop(trips)
        yield loop_of_two(trips)
    yield branch(0)
    yield branch(1)


main(all_kernels())
