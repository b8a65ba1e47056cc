//===- PropagationTest.cpp - The transfer table and propagation -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parsing.h"
#include "distaff/Analysis/Layout/LayoutPropagation.h"
#include "distaff/Analysis/Layout/Notation.h"
#include "gtest/gtest.h"

using namespace distaff;

/// `#NAME = nested_layout` of the tiles and strides.
static std::string layout(llvm::StringRef name, llvm::StringRef subgroup,
                          llvm::StringRef batch, llvm::StringRef thread,
                          llvm::StringRef element,
                          llvm::StringRef subgroupStrides,
                          llvm::StringRef threadStrides,
                          llvm::StringRef outer) {
  auto list = [](llvm::StringRef values) { return ("[" + values + "]").str(); };
  return ("#" + name + " = #iree_vector_ext.nested_layout<subgroup_tile = " +
          list(subgroup) + ", batch_tile = " + list(batch) +
          ", outer_tile = " + list(outer) + ", thread_tile = " + list(thread) +
          ", element_tile = " + list(element) +
          ", subgroup_strides = " + list(subgroupStrides) +
          ", thread_strides = " + list(threadStrides) + ">\n")
      .str();
}

/// ⟨S[2,1]:[1,0] B[1,2] T[4,8]:[8,1] E[1,2]⟩ of 8x32.
static std::string matrix() {
  return layout("m", "2, 1", "1, 2", "4, 8", "1, 2", "1, 0", "8, 1", "1, 1");
}

static std::string kernel(llvm::StringRef aliases, llvm::StringRef arguments,
                          llvm::StringRef body) {
  return (aliases + "func.func @f(" + arguments + ") {\n" +
          "%c0 = arith.constant 0 : index\n%z = arith.constant 0.0 : f32\n" +
          body + "return\n}\n")
      .str();
}

static std::string readMatrix() {
  return "%r = vector.transfer_read %x[%c0, %c0], %z {in_bounds = [true, "
         "true]} : memref<8x32xf32>, vector<8x32xf32>\n"
         "%l = iree_vector_ext.to_layout %r to layout(#m) : vector<8x32xf32>\n";
}

static std::string found(Kernel &kernel, llvm::StringRef op) {
  auto layouts = propagateLayouts(kernel.function);
  EXPECT_TRUE(succeeded(layouts)) << kernel.messages;
  return failed(layouts)
             ? kernel.messages
             : shortNotation(layouts->get(kernel.op(op)->getResult(0)));
}

TEST(Propagation, ForwardThroughTransposeAndShapeCast) {
  Kernel k(kernel(matrix(), "%x: memref<8x32xf32>, %y: memref<256xf32>",
                  readMatrix() +
                      "%t = vector.transpose %l, [1, 0] : vector<8x32xf32> to "
                      "vector<32x8xf32>\n"
                      "%s = vector.shape_cast %l : vector<8x32xf32> to "
                      "vector<8x2x16xf32>\n"));
  EXPECT_EQ(found(k, "vector.transpose"),
            "⟨S[1,2]:[0,1] B[2,1] T[8,4]:[1,8] E[2,1]⟩");
  EXPECT_EQ(found(k, "vector.shape_cast"),
            "⟨S[2,1,1]:[1,0,0] T[4,1,8]:[8,0,1] E[1,2,2]⟩");
}

TEST(Propagation, BackwardThroughATransposeThatIsNotItsInverse) {
  std::string cube = layout("c", "1, 1, 1", "2, 1, 1", "1, 4, 1", "1, 1, 8",
                            "0, 0, 0", "0, 1, 0", "1, 1, 1");
  Kernel k(kernel(
      cube, "%x: memref<4x8x2xf32>",
      "%r = vector.transfer_read %x[%c0, %c0, %c0], %z {in_bounds = [true, "
      "true, true]} : memref<4x8x2xf32>, vector<4x8x2xf32>\n"
      "%t = vector.transpose %r, [2, 0, 1] : vector<4x8x2xf32> to "
      "vector<2x4x8xf32>\n"
      "%l = iree_vector_ext.to_layout %t to layout(#c) : "
      "vector<2x4x8xf32>\n"));
  EXPECT_EQ(found(k, "vector.transfer_read"),
            "⟨B[1,1,2] T[4,1,1]:[1,0,0] E[1,8,1]⟩");
}

TEST(Propagation, ReductionProjectsAndAccumulatorFollows) {
  Kernel k(kernel(matrix(), "%x: memref<8x32xf32>, %y: memref<8xf32>",
                  readMatrix() +
                      "%a = vector.transfer_read %y[%c0], %z {in_bounds = "
                      "[true]} : memref<8xf32>, vector<8xf32>\n"
                      "%s = vector.multi_reduction <add>, %l, %a [1] : "
                      "vector<8x32xf32> to vector<8xf32>\n"));
  EXPECT_EQ(found(k, "vector.multi_reduction"), "⟨S[2]:[1] T[4]:[8]⟩");
  auto layouts = propagateLayouts(k.function);
  Operation *reduction = k.op("vector.multi_reduction");
  EXPECT_EQ(shortNotation(layouts->get(reduction->getOperand(1))),
            "⟨S[2]:[1] T[4]:[8]⟩");
}

// The total of a scan is laid out like the start, and a mask like what it
// masks.
TEST(Propagation, ScanTotalAndReductionMaskFollow) {
  Kernel k(kernel(matrix(), "%x: memref<8x32xf32>",
                  readMatrix() +
                      "%s = arith.constant dense<0.0> : vector<8xf32>\n"
                      "%p:2 = vector.scan <add>, %l, %s {inclusive = true, "
                      "reduction_dim = 1 : i64} : vector<8x32xf32>, "
                      "vector<8xf32>\n"));
  auto layouts = propagateLayouts(k.function);
  ASSERT_TRUE(succeeded(layouts)) << k.messages;
  EXPECT_EQ(shortNotation(layouts->get(k.op("vector.scan")->getResult(1))),
            "⟨S[2]:[1] T[4]:[8]⟩");

  Kernel masked(kernel(
      matrix(), "%x: memref<8x32xf32>, %n: index",
      readMatrix() +
          "%m = vector.create_mask %n, %n : vector<8x32xi1>\n"
          "%s = arith.constant dense<0.0> : vector<8xf32>\n"
          "%r2 = vector.mask %m { vector.multi_reduction <add>, %l, %s [1] : "
          "vector<8x32xf32> to vector<8xf32> } : vector<8x32xi1> -> "
          "vector<8xf32>\n"));
  auto ofMasked = propagateLayouts(masked.function);
  ASSERT_TRUE(succeeded(ofMasked)) << masked.messages;
  EXPECT_EQ(shortNotation(
                ofMasked->getUse(masked.op("vector.mask")->getOpOperand(0))),
            "⟨S[2,1]:[1,0] B[1,2] T[4,8]:[8,1] E[1,2]⟩");
}

TEST(Propagation, AContractionIsAnMmaWhenBothOperandsSaySo) {
  auto isMma = [](const char *first, const char *second) {
    auto operand = [](llvm::StringRef name, llvm::StringRef kind) {
      return ("%l" + name + " = iree_vector_ext.to_layout %" + name +
              " to layout(#" + name + ")" +
              (kind.empty()
                   ? llvm::Twine("")
                   : " {mma_kind = #iree_gpu.mma_layout<" + kind + ">}") +
              " : vector<16x16xf16>\n")
          .str();
    };
    Kernel k(
        layout("a", "1, 1", "1, 1", "8, 4", "1, 2", "0, 0", "4, 1", "2, 2") +
        layout("b", "1, 1", "2, 1", "8, 4", "1, 2", "0, 0", "4, 1", "1, 2") +
        "func.func @f(%a: vector<16x16xf16>, %b: vector<16x16xf16>, %c: "
        "vector<16x16xf32>) {\n" +
        operand("a", first) + operand("b", second) +
        "%d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> "
        "(m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) "
        "-> (m, n)>], iterator_types = [\"parallel\", \"parallel\", "
        "\"reduction\"], kind = #vector.kind<add>} %la, %lb, %c : "
        "vector<16x16xf16>, vector<16x16xf16> into vector<16x16xf32>\n"
        "return\n}\n");
    EXPECT_TRUE(k.module) << k.messages;
    return isMmaContraction(
        cast<vector::ContractionOp>(k.op("vector.contract")));
  };
  const char *wide = "NV_MMA_SYNC_F32_16x8x16_F16",
             *narrow = "NV_MMA_SYNC_F32_16x8x8_F16";
  EXPECT_TRUE(isMma(wide, wide));
  EXPECT_FALSE(isMma(wide, narrow));
  EXPECT_FALSE(isMma(wide, ""));
  EXPECT_FALSE(isMma("", narrow));
}

TEST(Propagation, BroadcastIsDeterminedBackward) {
  Kernel k(kernel(
      matrix(), "%x: memref<8x32xf32>, %y: memref<32xf32>",
      readMatrix() +
          "%v = vector.transfer_read %y[%c0], %z {in_bounds = [true]} : "
          "memref<32xf32>, vector<32xf32>\n"
          "%b = vector.broadcast %v : vector<32xf32> to vector<8x32xf32>\n"
          "%s = arith.addf %l, %b : vector<8x32xf32>\n"));
  EXPECT_EQ(found(k, "vector.broadcast"),
            "⟨S[2,1]:[1,0] B[1,2] T[4,8]:[8,1] E[1,2]⟩");
  auto layouts = propagateLayouts(k.function);
  EXPECT_EQ(
      shortNotation(layouts->get(k.op("vector.broadcast")->getOperand(0))),
      "⟨B[2] T[8]:[1] E[2]⟩");
}

// VX-61
TEST(Propagation, StretchedUnitDimHasAllTilesOne) {
  Kernel k(kernel(
      matrix(), "%x: memref<8x32xf32>, %y: memref<8x1xf32>",
      readMatrix() +
          "%v = vector.transfer_read %y[%c0, %c0], %z {in_bounds = [true, "
          "true]} : memref<8x1xf32>, vector<8x1xf32>\n"
          "%b = vector.broadcast %v : vector<8x1xf32> to vector<8x32xf32>\n"
          "%s = arith.addf %l, %b : vector<8x32xf32>\n"));
  auto layouts = propagateLayouts(k.function);
  ASSERT_TRUE(succeeded(layouts)) << k.messages;
  EXPECT_EQ(
      shortNotation(layouts->get(k.op("vector.broadcast")->getOperand(0))),
      "⟨S[2,1]:[1,0] T[4,1]:[8,0]⟩");
}

TEST(Propagation, EachUseOfAConstantHasItsOwnLayout) {
  Kernel k(kernel(
      matrix() +
          layout("n", "1, 1", "8, 1", "1, 32", "1, 1", "0, 0", "0, 1", "1, 1"),
      "%x: memref<8x32xf32>",
      readMatrix() +
          "%c = arith.constant dense<1.0> : vector<8x32xf32>\n"
          "%s = arith.addf %l, %c : vector<8x32xf32>\n"
          "%o = iree_vector_ext.to_layout %s to layout(#n) : vector<8x32xf32>\n"
          "%p = arith.mulf %o, %c : vector<8x32xf32>\n"));
  auto layouts = propagateLayouts(k.function);
  ASSERT_TRUE(succeeded(layouts)) << k.messages;
  EXPECT_EQ(shortNotation(layouts->getUse(k.op("arith.addf")->getOpOperand(1))),
            "⟨S[2,1]:[1,0] B[1,2] T[4,8]:[8,1] E[1,2]⟩");
  EXPECT_EQ(shortNotation(layouts->getUse(k.op("arith.mulf")->getOpOperand(1))),
            "⟨B[8,1] T[1,32]:[0,1]⟩");
}

// VX-57
TEST(Propagation, LoopVariablesAreOne) {
  Kernel k(kernel(matrix(), "%x: memref<8x32xf32>",
                  "%c1 = arith.constant 1 : index\n"
                  "%i = arith.constant dense<0.0> : vector<8x32xf32>\n"
                  "%o = scf.for %k = %c0 to %c1 step %c1 iter_args(%a = %i) -> "
                  "(vector<8x32xf32>) {\n" +
                      readMatrix() +
                      "%s = arith.addf %l, %a : vector<8x32xf32>\n"
                      "scf.yield %s : vector<8x32xf32>\n}\n"
                      "%e = math.exp2 %o : vector<8x32xf32>\n"));
  EXPECT_EQ(found(k, "math.exp2"), "⟨S[2,1]:[1,0] B[1,2] T[4,8]:[8,1] E[1,2]⟩");
}

// VX-58
TEST(Propagation, BranchesYieldTheirResultsLayout) {
  Kernel k(kernel(matrix(), "%x: memref<8x32xf32>, %c: i1",
                  readMatrix() +
                      "%i = arith.constant dense<0.0> : vector<8x32xf32>\n"
                      "%o = scf.if %c -> (vector<8x32xf32>) {\n"
                      "scf.yield %i : vector<8x32xf32>\n} else {\n"
                      "scf.yield %l : vector<8x32xf32>\n}\n"));
  EXPECT_EQ(found(k, "scf.if"), "⟨S[2,1]:[1,0] B[1,2] T[4,8]:[8,1] E[1,2]⟩");
}

// VX-60: mask dims are base dims, in the base's order.
TEST(Propagation, MaskOfATransposedRead) {
  Kernel k(kernel(
      matrix(), "%x: memref<32x8xf32>, %n: index",
      "%m = vector.create_mask %n, %n : vector<32x8xi1>\n"
      "%r = vector.transfer_read %x[%c0, %c0], %z, %m {permutation_map = "
      "affine_map<(d0, d1) -> (d1, d0)>, in_bounds = [true, true]} : "
      "memref<32x8xf32>, vector<8x32xf32>\n"
      "%l = iree_vector_ext.to_layout %r to layout(#m) : vector<8x32xf32>\n"));
  auto layouts = propagateLayouts(k.function);
  ASSERT_TRUE(succeeded(layouts)) << k.messages;
  EXPECT_EQ(shortNotation(
                layouts->getUse(k.op("vector.transfer_read")->getOpOperand(4))),
            "⟨S[1,2]:[0,1] B[2,1] T[8,4]:[1,8] E[2,1]⟩");
}

TEST(Propagation, ContractRecombinesAndCompletes) {
  std::string mk =
      layout("mk", "1, 1", "1, 1", "4, 1", "1, 8", "0, 0", "8, 0", "1, 1");
  std::string nk =
      layout("nk", "1, 1", "1, 1", "8, 1", "1, 8", "0, 0", "1, 0", "1, 1");
  Kernel k(kernel(
      mk + nk, "%x: memref<4x8xf32>, %y: memref<8x8xf32>",
      "%a = vector.transfer_read %x[%c0, %c0], %z {in_bounds = [true, true]} : "
      "memref<4x8xf32>, vector<4x8xf32>\n"
      "%b = vector.transfer_read %y[%c0, %c0], %z {in_bounds = [true, true]} : "
      "memref<8x8xf32>, vector<8x8xf32>\n"
      "%la = iree_vector_ext.to_layout %a to layout(#mk) : vector<4x8xf32>\n"
      "%lb = iree_vector_ext.to_layout %b to layout(#nk) : vector<8x8xf32>\n"
      "%c = arith.constant dense<0.0> : vector<4x8xf32>\n"
      "%d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, "
      "affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], "
      "iterator_types = [\"parallel\", \"parallel\", \"reduction\"], kind = "
      "#vector.kind<add>} %la, %lb, %c : vector<4x8xf32>, vector<8x8xf32> into "
      "vector<4x8xf32>\n"));
  EXPECT_EQ(found(k, "vector.contract"), "⟨T[4,8]:[8,1]⟩");
}

//===----------------------------------------------------------------------===//
// Diagnostics: op, layouts, reason, notes (VX-63)
//===----------------------------------------------------------------------===//

static void expectError(llvm::StringRef text, llvm::StringRef message) {
  Kernel k(text);
  ASSERT_TRUE(k.module) << k.messages;
  EXPECT_TRUE(failed(propagateLayouts(k.function)));
  EXPECT_NE(k.messages.find(message.str()), std::string::npos) << k.messages;
}

TEST(PropagationErrors, TwoLayoutsMeet) {
  std::string other =
      layout("n", "1, 1", "8, 1", "1, 32", "1, 1", "0, 0", "0, 1", "1, 1");
  std::string body =
      readMatrix() +
      "%o = iree_vector_ext.to_layout %r to layout(#n) : vector<8x32xf32>\n"
      "%s = arith.addf %l, %o : vector<8x32xf32>\n";
  std::string text = kernel(matrix() + other, "%x: memref<8x32xf32>", body);
  expectError(text, "'arith.addf' op operand #1 is laid out as ⟨B[8,1] "
                    "T[1,32]:[0,1]⟩, operand #0 demands ⟨S[2,1]:[1,0] B[1,2] "
                    "T[4,8]:[8,1] E[1,2]⟩ (DG1); convert operand #1 by an "
                    "'iree_vector_ext.to_layout'");
  expectError(text, "comes from this 'iree_vector_ext.to_layout'");
}

/// A product of 32x32 and 16x32 by m16n8k16; each operand's subgroup tile,
/// batch tile and subgroup strides.
struct Split {
  const char *subgroups, *batches, *strides;
};

static std::string mmaProduct(Split lhs, Split rhs, Split acc) {
  auto tile = [](llvm::StringRef name, Split split, llvm::StringRef outer) {
    return layout(name, split.subgroups, split.batches, "8, 4", "1, 2",
                  split.strides, "4, 1", outer);
  };
  auto laid = [](llvm::StringRef value, llvm::StringRef type) {
    return ("%l" + value + " = iree_vector_ext.to_layout %" + value +
            " to layout(#" + value +
            ") {mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>} "
            ": " +
            type + "\n")
        .str();
  };
  return tile("a", lhs, "2, 2") + tile("b", rhs, "1, 2") +
         tile("c", acc, "2, 1") +
         "func.func @f(%a: vector<32x32xf16>, %b: vector<16x32xf16>, %c: "
         "vector<32x16xf32>) {\n" +
         laid("a", "vector<32x32xf16>") + laid("b", "vector<16x32xf16>") +
         laid("c", "vector<32x16xf32>") +
         "%d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, "
         "k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, "
         "n)>], iterator_types = [\"parallel\", \"parallel\", \"reduction\"], "
         "kind = #vector.kind<add>} %la, %lb, %lc : vector<32x32xf16>, "
         "vector<16x32xf16> into vector<32x16xf32>\nreturn\n}\n";
}

// An MMA's fragments may differ, but not what subgroups and batches they are
// repeated over, along M, N and K.
TEST(PropagationErrors, MmaOperandsAreSplitAlike) {
  Split lhs = {"2, 1", "1, 2", "1, 0"}, rhs = {"2, 1", "1, 2", "2, 0"},
        acc = {"2, 2", "1, 1", "1, 2"};
  Kernel right(mmaProduct(lhs, rhs, acc));
  EXPECT_TRUE(succeeded(propagateLayouts(right.function))) << right.messages;
  llvm::StringRef differently =
      "split a dim over subgroups or batches differently (DG3); give both the "
      "same subgroup_tile, subgroup_strides and batch_tile there";
  for (Split other : {Split{"1, 1", "2, 2", "0, 0"}, {"2, 1", "1, 2", "2, 0"}})
    expectError(mmaProduct(other, rhs, acc), differently);
  for (Split other : {Split{"1, 1", "2, 2", "0, 0"}, {"2, 1", "1, 2", "1, 0"}})
    expectError(mmaProduct(lhs, other, acc), differently);
  Kernel k(mmaProduct(lhs, {"2, 2", "1, 1", "2, 4"}, acc)); // K on subgroups
  EXPECT_TRUE(failed(propagateLayouts(k.function)));
}

TEST(PropagationErrors, ReshapeHasNoLayout) {
  std::string six = layout("m", "1", "1", "2", "3", "0", "1", "1");
  expectError(
      kernel(six, "%x: memref<6xf32>",
             "%r = vector.transfer_read %x[%c0], %z {in_bounds = [true]} : "
             "memref<6xf32>, vector<6xf32>\n"
             "%l = iree_vector_ext.to_layout %r to layout(#m) : vector<6xf32>\n"
             "%s = vector.shape_cast %l : vector<6xf32> to vector<3x2xf32>\n"),
      "'vector.shape_cast' op operand #0 laid out as ⟨T[2]:[1] E[3]⟩ has no "
      "counterpart on result (DG2); convert operand #0 by an "
      "'iree_vector_ext.to_layout' to one that has");
}

TEST(PropagationErrors, NothingReachesAValue) {
  expectError(kernel("", "%x: memref<8xf32>, %y: memref<8xf32>",
                     "%r = vector.transfer_read %x[%c0], %z {in_bounds = "
                     "[true]} : memref<8xf32>, vector<8xf32>\n"
                     "vector.transfer_write %r, %y[%c0] {in_bounds = [true]} : "
                     "vector<8xf32>, memref<8xf32>\n"),
              "'vector.transfer_read' op result has no layout: no "
              "'iree_vector_ext.to_layout' reaches it (DG4)");
}

TEST(PropagationErrors, AUseOfAConstantIsOpen) {
  expectError(kernel("", "%y: memref<8xf32>",
                     "%r = arith.constant dense<0.0> : vector<8xf32>\n"
                     "vector.transfer_write %r, %y[%c0] {in_bounds = [true]} : "
                     "vector<8xf32>, memref<8xf32>\n"),
              "reaches this use of a layout-free value (DG4); lay it out by "
              "one, or run distaff-assign-layouts, which chooses");
}

TEST(PropagationErrors, OpWithoutARule) {
  expectError(kernel("", "%x: memref<8xf32>",
                     "%r = arith.constant dense<0.0> : vector<8xf32>\n"
                     "vector.print %r : vector<8xf32>\n"),
              "'vector.print' op operand #0, 'vector<8xf32>', is a vector, and "
              "there is no rule for its layout (DG5)");
}

//===----------------------------------------------------------------------===//
// Slices and single elements
//===----------------------------------------------------------------------===//

/// A read of 64 as B[4] T[8] E[2] and what `body` makes of it.
static std::string line(llvm::StringRef body) {
  return kernel(layout("l", "1", "4", "8", "2", "0", "1", "1") +
                    layout("w", "1", "1", "1", "64", "0", "0", "1"),
                "%x: memref<64xf32>, %y: memref<64xf32>",
                ("%r = vector.transfer_read %x[%c0], %z {in_bounds = [true]} : "
                 "memref<64xf32>, vector<64xf32>\n" +
                 body)
                    .str());
}

static const char *const lanes =
    "%l = iree_vector_ext.to_layout %r to layout(#l) : vector<64xf32>\n";
static const char *const whole =
    "%l = iree_vector_ext.to_layout %r to layout(#w) : vector<64xf32>\n";

static std::string slice(int64_t offset) {
  return "%s = vector.extract_strided_slice %l {offsets = [" +
         std::to_string(offset) +
         "], sizes = [32], strides = [1]} : vector<64xf32> to "
         "vector<32xf32>\n";
}

static std::string refused(Kernel &kernel) {
  EXPECT_TRUE(failed(propagateLayouts(kernel.function)));
  return kernel.messages;
}

TEST(Propagation, SliceOfWholeRoundsKeepsTheLanes) {
  Kernel k(line(lanes + slice(16)));
  EXPECT_EQ(found(k, "vector.extract_strided_slice"), "⟨B[2] T[8]:[1] E[2]⟩");
}

TEST(Propagation, SliceThatCutsARoundHasNoLayout) {
  Kernel k(line(lanes + slice(3)));
  EXPECT_NE(refused(k).find("(DG2)"), std::string::npos);
}

TEST(Propagation, SliceOfRegistersMayStartAnywhere) {
  Kernel k(line(whole + slice(3)));
  EXPECT_EQ(found(k, "vector.extract_strided_slice"), "⟨E[32]⟩");
}

TEST(Propagation, SliceDeterminesWhatItIsTakenFrom) {
  Kernel k(kernel(
      layout("p", "1", "2", "8", "2", "0", "1", "1"), "%x: memref<64xf32>",
      "%r = vector.transfer_read %x[%c0], %z {in_bounds = [true]} : "
      "memref<64xf32>, vector<64xf32>\n"
      "%s = vector.extract_strided_slice %r {offsets = [16], sizes = [32], "
      "strides = [1]} : vector<64xf32> to vector<32xf32>\n"
      "%l = iree_vector_ext.to_layout %s to layout(#p) : vector<32xf32>\n"));
  EXPECT_EQ(found(k, "vector.transfer_read"), "⟨B[4] T[8]:[1] E[2]⟩");
}

TEST(Propagation, InsertedSliceFollowsItsDestination) {
  Kernel k(line(std::string(lanes) +
                "%p = vector.transfer_read %y[%c0], %z {in_bounds = [true]} : "
                "memref<64xf32>, vector<16xf32>\n"
                "%i = vector.insert_strided_slice %p, %l {offsets = [48], "
                "strides = [1]} : vector<16xf32> into vector<64xf32>\n"));
  auto layouts = propagateLayouts(k.function);
  ASSERT_TRUE(succeeded(layouts)) << k.messages;
  Operation *insert = k.op("vector.insert_strided_slice");
  EXPECT_EQ(shortNotation(layouts->get(insert->getOperand(0))),
            "⟨T[8]:[1] E[2]⟩");
  EXPECT_EQ(shortNotation(layouts->get(insert->getResult(0))),
            "⟨B[4] T[8]:[1] E[2]⟩");
}

TEST(Propagation, NamedElementsLieInEveryLane) {
  Kernel k(line(whole + std::string("%s = vector.shuffle %l, %l [0, 64, 1] : "
                                    "vector<64xf32>, vector<64xf32>\n")));
  EXPECT_EQ(found(k, "vector.shuffle"), "⟨E[3]⟩");
  Kernel conflict(
      line(lanes + std::string("%s = vector.shuffle %l, %l [0, 64, 1] : "
                               "vector<64xf32>, vector<64xf32>\n")));
  EXPECT_NE(refused(conflict).find("(DG1)"), std::string::npos);
}
