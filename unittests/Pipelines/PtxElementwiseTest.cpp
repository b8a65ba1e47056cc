//===- PtxElementwiseTest.cpp - Scalar operations in PTX ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every arith operation on every element type it has, and every conversion
// between two element types, from linalg to PTX.
//
//===----------------------------------------------------------------------===//
#include "PtxKernel.h"
#include "gtest/gtest.h"

using namespace distaff::ptx_test;

namespace {

/// A kernel that maps tensors of 70 elements of `in` to one of `out`.
void expectRight(const std::string &body, const std::string &in,
                 const std::string &out, int operands,
                 std::vector<std::string> inputs = {}) {
  std::string maps = "#id", block = "%a: " + in, names = "%x0",
              types = "tensor<70x" + in + ">", arguments = "%x0: " + types;
  if (operands == 2) {
    maps += ", #id";
    block += ", %b: " + in;
    names += ", %x1";
    arguments += ", %x1: " + types;
    types += ", " + types;
  }
  std::string result = "tensor<70x" + out + ">";
  std::string kernel =
      "#id = affine_map<(i) -> (i)>\nfunc.func @k(" + arguments + ") -> " +
      result + " {\n  %e = tensor.empty() : " + result +
      "\n  %r = linalg.generic {indexing_maps = [" + maps +
      ", #id], iterator_types = [\"parallel\"]} ins(" + names + " : " + types +
      ") outs(%e : " + result + ") {\n  ^bb0(" + block + ", %o: " + out +
      "):\n    " + body + "\n    linalg.yield %v : " + out + "\n  } -> " +
      result + "\n  return %r : " + result + "\n}\n";
  EXPECT_EQ(checkKernel(kernel, {.inputs = inputs, .mayBeUndecided = true}), "")
      << kernel;
}

const std::vector<std::string> floats = {"f16", "bf16", "f32", "f64"};
const std::vector<std::string> integers = {"i8", "i16", "i32", "i64"};

TEST(PtxElementwise, FloatOperations) {
  for (const std::string &type : floats) {
    for (std::string op : {"addf", "subf", "mulf", "divf", "maximumf",
                           "minimumf", "maxnumf", "minnumf"})
      expectRight("%v = arith." + op + " %a, %b : " + type, type, type, 2,
                  {"arg1=random:5:0.5:2"});
    expectRight("%v = arith.negf %a : " + type, type, type, 1);
    for (std::string predicate : {"olt", "uge", "oeq", "une"})
      expectRight("%c = arith.cmpf " + predicate + ", %a, %b : " + type +
                      "\n    %v = arith.select %c, %a, %b : " + type,
                  type, type, 2);
  }
}

TEST(PtxElementwise, IntegerOperations) {
  for (const std::string &type : integers) {
    for (std::string op : {"addi", "subi", "muli", "andi", "ori", "xori",
                           "maxsi", "minsi", "maxui", "minui"})
      expectRight("%v = arith." + op + " %a, %b : " + type, type, type, 2);
    for (std::string op : {"divsi", "divui", "remsi", "remui", "ceildivsi",
                           "floordivsi", "shli", "shrsi", "shrui"})
      expectRight("%v = arith." + op + " %a, %b : " + type, type, type, 2,
                  {"arg1=random:5:1:7"});
    for (std::string predicate : {"slt", "uge", "eq"})
      expectRight("%c = arith.cmpi " + predicate + ", %a, %b : " + type +
                      "\n    %v = arith.select %c, %a, %b : " + type,
                  type, type, 2);
  }
}

TEST(PtxElementwise, NativeMath) {
  for (const std::string &type : floats) {
    for (std::string op :
         {"absf", "floor", "ceil", "trunc", "round", "roundeven", "sqrt"})
      expectRight(
          "%v = math." + op + " %a : " + type, type, type, 1,
          {op == "sqrt" ? "arg0=random:1:0.5:2" : "arg0=random:1:-5:5"});
    expectRight("%v = math.copysign %a, %b : " + type, type, type, 2);
    if (type != "f64") // the float64 reference rounds its fma twice
      expectRight("%v = math.fma %a, %b, %a : " + type, type, type, 2);
    expectRight("%c = math.isnan %a : " + type +
                    "\n    %v = arith.select %c, %b, %a : " + type,
                type, type, 2);
  }
  for (const std::string &type : integers)
    for (std::string op : {"absi", "ctpop", "ctlz", "cttz"})
      expectRight("%v = math." + op + " %a : " + type, type, type, 1);
}

TEST(PtxElementwise, Conversions) {
  auto convert = [](std::string op, const std::string &from,
                    const std::string &to, std::vector<std::string> inputs) {
    expectRight("%v = arith." + op + " %a : " + from + " to " + to, from, to, 1,
                std::move(inputs));
  };
  auto bits = [](const std::string &type) {
    return std::stoi(type.substr(type.find_first_of("0123456789")));
  };
  for (const std::string &from : floats) {
    for (const std::string &to : floats)
      if (bits(from) != bits(to))
        convert(bits(from) < bits(to) ? "extf" : "truncf", from, to, {});
    for (const std::string &to : integers) {
      convert("fptosi", from, to, {"arg0=random:1:-120:120"});
      convert("fptoui", from, to, {"arg0=random:1:0:250"});
      convert("sitofp", to, from, {"arg0=random:1:-120:120"});
      convert("uitofp", to, from, {"arg0=random:1:0:120"});
      if (bits(from) == bits(to))
        convert("bitcast", from, to, {});
    }
  }
  for (const std::string &from : integers)
    for (const std::string &to : integers) {
      if (bits(from) > bits(to))
        convert("trunci", from, to, {});
      if (bits(from) < bits(to)) {
        convert("extsi", from, to, {});
        convert("extui", from, to, {});
      }
    }
}

} // namespace
