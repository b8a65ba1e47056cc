"""scf.for and scf.if over tensors, which become straight code: every way of a branch, every count of a loop.

usage: control_flow.py OUT_DIR [options of suite.py]
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import suite

# A recurrent cell over the steps of a sequence, all states kept.
CELL = """func.func @k(%x: tensor<4x17x33xf32>, %w: tensor<33x33xf32>, %h0: tensor<17x33xf32>) -> (tensor<17x33xf32>, tensor<4x17x33xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<4x17x33xf32>
  %r:2 = scf.for %t = %c0 to %c4 step %c1 iter_args(%h = %h0, %o = %e) -> (tensor<17x33xf32>, tensor<4x17x33xf32>) {
    %xt = tensor.extract_slice %x[%t, 0, 0] [1, 17, 33] [1, 1, 1] : tensor<4x17x33xf32> to tensor<17x33xf32>
    %s = linalg.matmul ins(%h, %w : tensor<17x33xf32>, tensor<33x33xf32>) outs(%xt : tensor<17x33xf32>) -> tensor<17x33xf32>
    %n = math.tanh %s : tensor<17x33xf32>
    %p = tensor.insert_slice %n into %o[%t, 0, 0] [1, 17, 33] [1, 1, 1] : tensor<17x33xf32> into tensor<4x17x33xf32>
    scf.yield %n, %p : tensor<17x33xf32>, tensor<4x17x33xf32>
  }
  return %r#0, %r#1 : tensor<17x33xf32>, tensor<4x17x33xf32>
}"""


def loop(first, end, step):
    """x + the sum of the loop's positions, times their product's parity."""
    return f"""func.func @k(%x: tensor<37xi32>) -> tensor<37xi32> {{
  %first = arith.constant {first} : index
  %end = arith.constant {end} : index
  %step = arith.constant {step} : index
  %r = scf.for %i = %first to %end step %step iter_args(%s = %x) -> (tensor<37xi32>) {{
    %n = arith.index_cast %i : index to i32
    %e = tensor.empty() : tensor<37xi32>
    %f = linalg.fill ins(%n : i32) outs(%e : tensor<37xi32>) -> tensor<37xi32>
    %t = arith.muli %s, %f : tensor<37xi32>
    %u = arith.addi %t, %x : tensor<37xi32>
    scf.yield %u : tensor<37xi32>
  }}
  return %r : tensor<37xi32>
}}"""


# A branch in a loop, in a branch; a scalar and a tensor are chosen together.
NESTED = """func.func @k(%x: tensor<?x9xf32>, %a: i1, %b: i32, %s: f32) -> tensor<?x9xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %d = tensor.dim %x, %c0 : tensor<?x9xf32>
  %r = scf.if %a -> (tensor<?x9xf32>) {
    %l = scf.for %i = %c0 to %c3 step %c1 iter_args(%y = %x) -> (tensor<?x9xf32>) {
      %n = arith.index_cast %i : index to i32
      %is = arith.cmpi slt, %n, %b : i32
      %v:2 = scf.if %is -> (tensor<?x9xf32>, f32) {
        %p = arith.mulf %y, %y : tensor<?x9xf32>
        scf.yield %p, %s : tensor<?x9xf32>, f32
      } else {
        %q = arith.addf %s, %s : f32
        scf.yield %y, %q : tensor<?x9xf32>, f32
      }
      %e = tensor.empty(%d) : tensor<?x9xf32>
      %f = linalg.fill ins(%v#1 : f32) outs(%e : tensor<?x9xf32>) -> tensor<?x9xf32>
      %w = arith.subf %v#0, %f : tensor<?x9xf32>
      scf.yield %w : tensor<?x9xf32>
    }
    scf.yield %l : tensor<?x9xf32>
  } else {
    %m = math.absf %x : tensor<?x9xf32>
    scf.yield %m : tensor<?x9xf32>
  }
  return %r : tensor<?x9xf32>
}"""
# Of a branch that is not taken, what divides by zero is computed and left.
GUARDED = """func.func @k(%x: tensor<70xf32>, %s: f32) -> tensor<70xf32> {
  %z = arith.constant 0.0 : f32
  %is = arith.cmpf une, %s, %z : f32
  %e = tensor.empty() : tensor<70xf32>
  %r = scf.if %is -> (tensor<70xf32>) {
    %f = linalg.fill ins(%s : f32) outs(%e : tensor<70xf32>) -> tensor<70xf32>
    %q = arith.divf %x, %f : tensor<70xf32>
    scf.yield %q : tensor<70xf32>
  } else {
    scf.yield %x : tensor<70xf32>
  }
  return %r : tensor<70xf32>
}"""
# More iterations than its own type counts.
BYTES = """func.func @k(%x: tensor<37xf32>) -> tensor<37xf32> {
  %first = arith.constant -100 : i8
  %end = arith.constant 100 : i8
  %step = arith.constant 1 : i8
  %r = scf.for %i = %first to %end step %step iter_args(%s = %x) -> (tensor<37xf32>) : i8 {
    %n = arith.sitofp %i : i8 to f32
    %e = tensor.empty() : tensor<37xf32>
    %f = linalg.fill ins(%n : f32) outs(%e : tensor<37xf32>) -> tensor<37xf32>
    %t = arith.subf %f, %s : tensor<37xf32>
    scf.yield %t : tensor<37xf32>
  }
  return %r : tensor<37xf32>
}"""
# The inner loop's end is counted by the outer one; a part of the branch is a number only.
TRIANGLE = """func.func @k(%x: tensor<21x5xi32>, %a: i1) -> tensor<21x5xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %two = arith.constant 2 : i32
  %three = arith.constant dense<3> : tensor<21x5xi32>
  %factor = scf.if %a -> (i32) {
    scf.yield %two : i32
  } else {
    %four = arith.addi %two, %two : i32
    scf.yield %four : i32
  }
  %e = tensor.empty() : tensor<21x5xi32>
  %f = linalg.fill ins(%factor : i32) outs(%e : tensor<21x5xi32>) -> tensor<21x5xi32>
  %r = scf.for %j = %c0 to %c5 step %c1 iter_args(%s = %x) -> (tensor<21x5xi32>) {
    %end = arith.addi %j, %c1 : index
    %q = scf.for %i = %c1 to %end step %c1 iter_args(%u = %s) -> (tensor<21x5xi32>) {
      %v = arith.muli %u, %f : tensor<21x5xi32>
      scf.yield %v : tensor<21x5xi32>
    }
    %w = scf.if %a -> (tensor<21x5xi32>) {
      %d = arith.divsi %q, %three : tensor<21x5xi32>
      scf.yield %d : tensor<21x5xi32>
    } else {
      scf.yield %q : tensor<21x5xi32>
    }
    scf.yield %w : tensor<21x5xi32>
  }
  return %r : tensor<21x5xi32>
}"""
CASES = [("bytes", BYTES, [[]]), ("triangle", TRIANGLE, [["--input", f"arg1={a}", "--input", "arg0=random:5:-1000:1000"] for a in (0, 1)]),
         ("cell", CELL, [[]]), ("nested", NESTED, [["--shape", f"arg0={rows}x9", "--input", f"arg1={a}", "--input", f"arg2={b}", "--input", "arg3=0.375"]
                                                     for rows, a, b in ((5, 1, 0), (5, 1, 2), (5, 1, 7), (70, 0, 2), (0, 1, 1))]),
         ("guarded", GUARDED, [["--input", "arg1=0"], ["--input", "arg1=3.5"]]),
         *((f"loop_{n}", loop(*bounds), [[]]) for n, bounds in enumerate(((0, 5, 1), (3, 17, 4), (2, 3, 1), (4, 4, 1), (9, 2, 3))))]


def runs(chosen):
    for name, text, inputs in CASES:
        path = chosen.out / f"{name}.mlir"
        path.write_text(text)
        for number, given in enumerate(inputs):
            for target in ("sm_80", "gfx942"):
                yield suite.Run(f"{name} {number} {target}", [chosen.distaff, "run", str(path), "--target", target, "--check", "--every-stage", *given])


if __name__ == "__main__":
    chosen = suite.options()
    suite.main(list(runs(chosen)), chosen)
