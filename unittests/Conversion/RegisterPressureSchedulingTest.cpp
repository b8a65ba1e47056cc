//===- RegisterPressureSchedulingTest.cpp - Fewer registers by order ------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../../lib/Conversion/ConvertToLLVM.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace distaff;

namespace {

/// All loads, all sums, all stores of `count` floats each, out of `from`.
std::string vectorwise(int64_t count, const std::string &from) {
  std::string text = "llvm.func @k(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) {\n";
  auto at = [](const std::string &name, int64_t i) {
    return "%" + name + std::to_string(i);
  };
  for (int64_t i = 0; i < count; ++i)
    text += at("p", i) + " = llvm.getelementptr %" + from + "[" +
            std::to_string(i) + "] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32\n" +
            at("v", i) + " = llvm.load " + at("p", i) +
            " : !llvm.ptr<1> -> f32\n";
  for (int64_t i = 0; i < count; ++i)
    text += at("s", i) + " = llvm.fadd " + at("v", i) + ", " + at("v", i) +
            " : f32\n";
  for (int64_t i = 0; i < count; ++i)
    text += at("q", i) + " = llvm.getelementptr %y[" +
            std::to_string(count - 1 - i) +
            "] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32\nllvm.store " +
            at("s", i) + ", " + at("q", i) + " : f32, !llvm.ptr<1>\n";
  return text + "llvm.return\n}\n";
}

struct Ordered {
  int64_t registers = 0;
  std::string text;      // of the module afterwards
  std::vector<char> ops; // l and s, in order
  std::vector<int> sums; // numbers of the elements stored, in order
};

Ordered order(const std::string &source, int64_t available) {
  MLIRContext context;
  context.loadDialect<LLVM::LLVMDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, &context);
  EXPECT_TRUE(module);
  auto kernel = *module->getOps<LLVM::LLVMFuncOp>().begin();
  Ordered result;
  result.registers = orderForRegisters(kernel, available).inOrder;
  EXPECT_TRUE(succeeded(verify(*module)));
  kernel.walk([&](Operation *op) {
    if (isa<LLVM::LoadOp>(op))
      result.ops.push_back('l');
    if (auto store = dyn_cast<LLVM::StoreOp>(op)) {
      result.ops.push_back('s');
      if (auto address = store.getAddr().getDefiningOp<LLVM::GEPOp>())
        result.sums.push_back(address.getRawConstantIndices().front());
    }
  });
  return result;
}

TEST(Ordering, LoadsAndSumsComeWhenTheyAreStored) {
  Ordered late = order(vectorwise(100, "x"), /*available=*/32);
  EXPECT_LE(late.registers, 8);
  for (size_t i = 0; i < late.ops.size(); ++i)
    EXPECT_EQ(late.ops[i], i % 2 ? 's' : 'l');
  // What is written keeps its order.
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(late.sums[i], 99 - i);
}

TEST(Ordering, WhatFitsStays) {
  Ordered early = order(vectorwise(100, "x"), /*available=*/1000);
  EXPECT_GE(early.registers, 100);
  EXPECT_EQ(std::count(early.ops.begin(), early.ops.begin() + 100, 'l'), 100);
}

TEST(Ordering, MemoryThatIsWrittenIsLoadedWhereItWas) {
  Ordered early = order(vectorwise(100, "y"), /*available=*/32);
  EXPECT_GE(early.registers, 100);
  EXPECT_EQ(std::count(early.ops.begin(), early.ops.begin() + 100, 'l'), 100);
}

/// `rows` sums over `count` products of a row with one column, both in
/// workgroup memory: all loads, then one sum after the other. A store to it may
/// follow the loads.
std::string sums(int64_t rows, int64_t count, bool storesBetween) {
  std::string text = "llvm.func @k(%x: !llvm.ptr<3>, %o: !llvm.ptr<1>, %s: f32";
  auto at = [](const std::string &name, int64_t i, int64_t j = 0) {
    return "%" + name + std::to_string(i) + "_" + std::to_string(j);
  };
  for (int64_t i = 0; i < rows; ++i)
    text += ", " + at("c", i) + ": f32";
  text += ") {\n";
  auto load = [&](const std::string &name, int64_t i, int64_t j) {
    text += at("p" + name, i, j) + " = llvm.getelementptr %x[" +
            std::to_string(i * count + j) +
            "] : (!llvm.ptr<3>) -> !llvm.ptr<3>, f32\n" + at(name, i, j) +
            " = llvm.load " + at("p" + name, i, j) + " : !llvm.ptr<3> -> f32\n";
  };
  for (int64_t j = 0; j < count; ++j)
    load("b", rows, j);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < count; ++j)
      load("a", i, j);
  if (storesBetween)
    text += "llvm.store %s, %x : f32, !llvm.ptr<3>\n";
  for (int64_t i = 0; i < rows; ++i) {
    std::string sum = at("c", i);
    for (int64_t j = 0; j < count; ++j) {
      text += at("d", i, j) + " = llvm.intr.fma(" + at("a", i, j) + ", " +
              at("b", rows, j) + ", " + sum + ") : (f32, f32, f32) -> f32\n";
      sum = at("d", i, j);
    }
    text += "llvm.store " + sum + ", %o : f32, !llvm.ptr<1>\n";
  }
  return text + "llvm.return\n}\n";
}

int64_t scheduledRegisters(const std::string &source) {
  MLIRContext context;
  context.loadDialect<LLVM::LLVMDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, &context);
  EXPECT_TRUE(module);
  auto kernel = *module->getOps<LLVM::LLVMFuncOp>().begin();
  eraseUnused(kernel);
  return orderForRegisters(kernel, /*available=*/10000).scheduled;
}

// 16 columns, 8 sums; pointers, and few of the 128 elements of rows.
TEST(Ordering, WorkgroupMemoryIsLoadedWhenItIsNeeded) {
  EXPECT_LE(scheduledRegisters(sums(8, 16, /*storesBetween=*/false)), 36);
}

TEST(Ordering, NoLoadOfWorkgroupMemoryPassesAStoreToIt) {
  EXPECT_GE(scheduledRegisters(sums(8, 16, /*storesBetween=*/true)), 8 * 16);
}

// In no loop the code itself is ordered so: rows are stored as they are done.
TEST(Ordering, CodeInNoLoopLoadsLate) {
  std::string source = sums(8, 16, /*storesBetween=*/false);
  auto loadsBeforeAll = [](const Ordered &code) {
    return std::find(code.ops.begin(), code.ops.end(), 's') - code.ops.begin();
  };
  Ordered late = order(source, /*available=*/32);
  EXPECT_EQ(loadsBeforeAll(late), 16 + 16); // columns, and one row
  EXPECT_EQ(loadsBeforeAll(order(source, /*available=*/1000)), 9 * 16);
}

/// `rows` sums over `count` products of numbers of 64 bits out of workgroup
/// memory, one after the other.
std::string wideSums(int64_t rows, int64_t count) {
  std::string text = "llvm.func @k(%x: !llvm.ptr<3>, %o: !llvm.ptr<1>) {\n"
                     "%z = llvm.mlir.constant(0 : i64) : i64\n";
  std::string stores;
  for (int64_t i = 0; i < rows; ++i) {
    std::string sum = "%z";
    for (int64_t j = 0; j < count; ++j) {
      std::string n = std::to_string(i) + "_" + std::to_string(j);
      text += "%p" + n + " = llvm.getelementptr %x[" +
              std::to_string(i * count + j) +
              "] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64\n%v" + n +
              " = llvm.load %p" + n + " : !llvm.ptr<3> -> i64\n%m" + n +
              " = llvm.mul %v" + n + ", %v" + n + " : i64\n%s" + n +
              " = llvm.add " + sum + ", %m" + n + " : i64\n";
      sum = "%s" + n;
    }
    stores += "llvm.store " + sum + ", %o : i64, !llvm.ptr<1>\n";
  }
  return text + stores + "llvm.return\n}\n";
}

// Of each sum one number is kept, not its 16 products, as of an address.
TEST(Ordering, SumsOfWhatIsLoadedAreNoAddresses) {
  EXPECT_LE(scheduledRegisters(wideSums(8, 16)), 2 * 8 + 12);
}

/// Parts of a vector that nobody uses do not keep it.
TEST(Ordering, UnusedPartsKeepNothing) {
  std::string text = "llvm.func @k(%x: !llvm.ptr<3>, %o: !llvm.ptr<1>) {\n"
                     "%c = llvm.mlir.constant(0 : i32) : i32\n";
  for (int i = 0; i < 50; ++i) {
    std::string n = std::to_string(i);
    text += "%p" + n + " = llvm.getelementptr %x[" + n +
            "] : (!llvm.ptr<3>) -> !llvm.ptr<3>, vector<2xf16>\n%v" + n +
            " = llvm.load %p" + n + " : !llvm.ptr<3> -> vector<2xf16>\n%s" + n +
            " = llvm.fadd %v" + n + ", %v" + n +
            " : vector<2xf16>\nllvm.store %s" + n +
            ", %o : vector<2xf16>, !llvm.ptr<1>\n";
  }
  for (int i = 0; i < 50; ++i)
    text += "%u" + std::to_string(i) + " = llvm.extractelement %v" +
            std::to_string(i) + "[%c : i32] : vector<2xf16>\n";
  EXPECT_LE(scheduledRegisters(text + "llvm.return\n}\n"), 8);
}

// What ptxas may fill are the registers that a lane is to have: 255 of one
// workgroup of 128 lanes, 168 of three.
TEST(Forecast, EarlyLoadsMayTakeAllRegisters) {
  const Target &target = *lookupTarget("sm_80");
  auto mayBeFull = [&](int64_t early, int64_t scheduled,
                       std::optional<int64_t> resident) {
    LaneRegisters lane;
    lane.early = lane.inOrder = early;
    lane.scheduled = scheduled;
    return forecastOf(lane, target, /*lanes=*/128, resident).mayBeFull;
  };
  EXPECT_TRUE(mayBeFull(434, 170, 1));
  EXPECT_TRUE(mayBeFull(186, 170, 1));  // a quarter more, and 24, are 256
  EXPECT_FALSE(mayBeFull(185, 170, 1)); // are 255
  EXPECT_TRUE(mayBeFull(434, 153, 1));  // three fifths of 255
  EXPECT_FALSE(mayBeFull(434, 152, 1));
  EXPECT_TRUE(mayBeFull(116, 101, 3)); // 169
  EXPECT_FALSE(mayBeFull(115, 101, 3));
  EXPECT_FALSE(mayBeFull(116, 100, 3));
  // Told nothing it may make room for a fourth workgroup, in 128 registers.
  EXPECT_TRUE(mayBeFull(400, 118, std::nullopt)); // with a quarter 147
  EXPECT_FALSE(mayBeFull(400, 118, 1));
  EXPECT_TRUE(mayBeFull(400, 128, std::nullopt));  // 160
  EXPECT_FALSE(mayBeFull(400, 129, std::nullopt)); // 161
  EXPECT_TRUE(mayBeFull(148, 132, std::nullopt));  // no more than 148
}

/// In a loop, sums of squares out of a row of workgroup memory whose number is
/// loaded and computed with: all loads, then one sum after the other.
std::string gatheredSums(int64_t rows, int64_t count) {
  auto list = [&](const std::string &name, const std::string &type) {
    std::string text;
    for (int64_t i = 0; i < rows; ++i)
      text += (i ? ", " : "") + name + std::to_string(i) + type;
    return text;
  };
  std::string types, zeros;
  for (int64_t i = 0; i < rows; ++i) {
    types += i ? ", i64" : "i64";
    zeros += i ? ", %z" : "%z";
  }
  std::string text =
      "llvm.func @k(%x: !llvm.ptr<3>, %y: !llvm.ptr<1>, %s: i64, %c: i1) {\n"
      "%z = llvm.mlir.constant(0 : i64) : i64\nllvm.br ^loop(" +
      zeros + " : " + types + ")\n^loop(" + list("%t", ": i64") +
      "):\n%i = llvm.load %y : !llvm.ptr<1> -> i64\n"
      "%a = llvm.add %i, %s : i64\n%r = llvm.mul %a, %s : i64\n";
  auto name = [](const char *kind, int64_t i, int64_t j) {
    return kind + std::to_string(i) + "_" + std::to_string(j);
  };
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < count; ++j)
      text +=
          name("%k", i, j) + " = llvm.mlir.constant(" +
          std::to_string(i * count + j) + " : i64) : i64\n" + name("%q", i, j) +
          " = llvm.add %r, " + name("%k", i, j) + " : i64\n" +
          name("%p", i, j) + " = llvm.getelementptr %x[" + name("%q", i, j) +
          "] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64\n" + name("%v", i, j) +
          " = llvm.load " + name("%p", i, j) + " : !llvm.ptr<3> -> i64\n";
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < count; ++j)
      text += name("%m", i, j) + " = llvm.mul " + name("%v", i, j) + ", " +
              name("%v", i, j) + " : i64\n" + name("%s", i, j) +
              " = llvm.add " +
              (j ? name("%s", i, j - 1) : "%t" + std::to_string(i)) + ", " +
              name("%m", i, j) + " : i64\n";
  std::string last = "_" + std::to_string(count - 1);
  text += "llvm.cond_br %c, ^loop(" + list("%s", last) + " : " + types +
          "), ^end\n^end:\n";
  for (int64_t i = 0; i < rows; ++i)
    text += "llvm.store %s" + std::to_string(i) + last +
            ", %y : i64, !llvm.ptr<1>\n";
  return text + "llvm.return\n}\n";
}

// The row is known before the first sum, though it is a sum of more steps.
TEST(Ordering, GatheredSumsComeBehindTheirIndices) {
  Ordered sums = order(gatheredSums(8, 16), /*available=*/64);
  EXPECT_EQ(sums.ops.size(), 1 + 8 * 16 + 8u);
}

/// A loop in which `count` sums of a product each take a turn per column; then
/// all are stored.
TEST(Ordering, SumsTakeTurnsSoThatColumnsAreNeededOnce) {
  std::string text = "llvm.func @k(%x: !llvm.ptr<3>, %o: !llvm.ptr<1>) {\n"
                     "%z = llvm.mlir.constant(0.0 : f32) : f32\n"
                     "%c = llvm.mlir.constant(true) : i1\nllvm.br ^loop(";
  auto list = [](const std::string &name, const std::string &type) {
    std::string names, types;
    for (int i = 0; i < 8; ++i) {
      names += (i ? ", " : "") + name +
               (name == "%z" ? "" : std::to_string(i)) + type;
      types += i ? ", f32" : "f32";
    }
    return std::pair(names, types);
  };
  auto [zeros, types] = list("%z", "");
  text +=
      zeros + " : " + types + ")\n^loop(" + list("%s", ": f32").first + "):\n";
  auto load = [&](const std::string &name, int at) {
    std::string p = "%p" + std::to_string(at);
    text += p + " = llvm.getelementptr %x[" + std::to_string(at) +
            "] : (!llvm.ptr<3>) -> !llvm.ptr<3>, f32\n" + name +
            " = llvm.load " + p + " : !llvm.ptr<3> -> f32\n";
  };
  for (int j = 0; j < 64; ++j)
    load("%b" + std::to_string(j), j);
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 64; ++j) {
      std::string n = std::to_string(i) + "_" + std::to_string(j);
      load("%a" + n, 64 + i * 64 + j);
      text += "%d" + n + " = llvm.intr.fma(%a" + n + ", %b" +
              std::to_string(j) + ", " +
              (j ? "%d" + std::to_string(i) + "_" + std::to_string(j - 1)
                 : "%s" + std::to_string(i)) +
              ") : (f32, f32, f32) -> f32\n";
    }
  std::string last;
  for (int i = 0; i < 8; ++i)
    last += (i ? ", %d" : "%d") + std::to_string(i) + "_63";
  text += "llvm.cond_br %c, ^loop(" + last + " : " + types + "), ^end\n^end:\n";
  for (int i = 0; i < 8; ++i)
    text +=
        "llvm.store %d" + std::to_string(i) + "_63, %o : f32, !llvm.ptr<1>\n";
  // As written, 64 columns are held for all sums.
  EXPECT_LE(scheduledRegisters(text + "llvm.return\n}\n"), 24);
}

} // namespace
