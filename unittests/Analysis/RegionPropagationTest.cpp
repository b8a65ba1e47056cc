//===- RegionPropagationTest.cpp - Layouts of a part of a kernel ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Around each part there is what propagation would refuse: a vector that no
// layout reaches, and two that contradict each other.
//
//===----------------------------------------------------------------------===//
#include "Parsing.h"
#include "distaff/Analysis/Layout/LayoutPropagation.h"
#include "distaff/Analysis/Layout/Notation.h"
#include "gtest/gtest.h"

using namespace distaff;

static Kernel *parse(const std::string &body) {
  return new Kernel(R"(
#p = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [2],
  outer_tile = [1], thread_tile = [32], element_tile = [1],
  subgroup_strides = [0], thread_strides = [1]>
#q = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1],
  outer_tile = [1], thread_tile = [32], element_tile = [2],
  subgroup_strides = [0], thread_strides = [1]>
func.func @f(%x: memref<64xf32>, %n: index) attributes {p = #p, q = #q} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%c0], %z {in_bounds = [true]}
    : memref<64xf32>, vector<64xf32>
  %u = vector.transfer_read %x[%c0], %z {in_bounds = [true]}
    : memref<64xf32>, vector<64xf32>
  %lp = iree_vector_ext.to_layout %u to layout(#p) : vector<64xf32>
  %lq = iree_vector_ext.to_layout %u to layout(#q) : vector<64xf32>
  %bad = arith.addf %lp, %lq : vector<64xf32>
)" + body + "  return\n}\n");
}

namespace {
/// A kernel with one marked op, the part.
class RegionPropagation : public testing::Test {
protected:
  void use(const std::string &body) {
    kernel.reset(parse(body));
    ASSERT_TRUE(kernel->module) << kernel->messages;
    kernel->function.walk([&](Operation *op) {
      if (op->hasAttr("part"))
        part = op;
    });
  }
  VectorLayoutInterface layout(llvm::StringRef name) {
    return kernel->function->getAttrOfType<VectorLayoutInterface>(name);
  }
  Region &region() { return part->getRegion(0); }
  Operation *inside(llvm::StringRef name) {
    Operation *found = nullptr;
    region().walk([&](Operation *op) {
      if (op->getName().getStringRef() == name)
        found = op;
    });
    return found;
  }
  /// The value that is read first, outside of the part.
  Value outer() {
    return *kernel->function.getOps<vector::TransferReadOp>().begin();
  }

  std::unique_ptr<Kernel> kernel;
  Operation *part = nullptr;
};
} // namespace

TEST_F(RegionPropagation, WhatIsTakenSpreadsForward) {
  use(R"(
  scf.execute_region {
    %e = arith.negf %v : vector<64xf32>
    %f = arith.addf %e, %e : vector<64xf32>
    scf.yield
  } {part}
)");
  RegionBoundary boundary{{{outer(), layout("p")}}, {}};
  auto layouts = propagateLayouts(region(), boundary);
  ASSERT_TRUE(succeeded(layouts)) << kernel->messages;
  EXPECT_EQ(layouts->get(inside("arith.addf")->getResult(0)), layout("p"));
  // Outside nothing has been looked at.
  for (auto outside : kernel->function.getOps<arith::AddFOp>())
    EXPECT_FALSE(layouts->get(outside));
}

TEST_F(RegionPropagation, WhatLeavesSpreadsBackward) {
  use(R"(
  %r:2 = scf.execute_region -> (vector<64xf32>, index) {
    %e = vector.transfer_read %x[%c1], %z : memref<64xf32>, vector<64xf32>
    %f = arith.negf %e : vector<64xf32>
    scf.yield %f, %c1 : vector<64xf32>, index
  } {part}
)");
  RegionBoundary boundary{{}, {layout("q"), nullptr}};
  auto layouts = propagateLayouts(region(), boundary);
  ASSERT_TRUE(succeeded(layouts)) << kernel->messages;
  Operation *read = inside("vector.transfer_read");
  EXPECT_EQ(layouts->get(read->getResult(0)), layout("q"));
}

TEST_F(RegionPropagation, AConstantThatLeavesTakesItsLayout) {
  use(R"(
  %r = scf.execute_region -> vector<64xf32> {
    %k = arith.constant dense<1.0> : vector<64xf32>
    scf.yield %k : vector<64xf32>
  } {part}
)");
  RegionBoundary boundary{{}, {layout("q")}};
  auto layouts = propagateLayouts(region(), boundary);
  ASSERT_TRUE(succeeded(layouts)) << kernel->messages;
  Operation *yield = region().front().getTerminator();
  EXPECT_EQ(layouts->getUse(yield->getOpOperand(0)), layout("q"));
}

// The loop ties its argument to what enters and to its result; the body alone
// is tied to nothing.
TEST_F(RegionPropagation, TheLoopAroundABodyIsOutside) {
  use(R"(
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %v) -> (vector<64xf32>) {
    %l = iree_vector_ext.to_layout %it to layout(#q) : vector<64xf32>
    scf.yield %l : vector<64xf32>
  } {part}
)");
  RegionBoundary boundary{{{region().getArgument(1), layout("p")}},
                          {layout("q")}};
  auto layouts = propagateLayouts(region(), boundary);
  ASSERT_TRUE(succeeded(layouts)) << kernel->messages;
  EXPECT_EQ(layouts->get(region().getArgument(1)), layout("p"));
  EXPECT_FALSE(layouts->get(part->getResult(0)));
  EXPECT_FALSE(layouts->get(outer()));
}

// What is not given is found where the code says it.
TEST_F(RegionPropagation, WhatIsNotGivenIsFound) {
  use(R"(
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %v) -> (vector<64xf32>) {
    %e = arith.negf %it : vector<64xf32>
    %l = iree_vector_ext.to_layout %e to layout(#q) : vector<64xf32>
    scf.yield %l : vector<64xf32>
  } {part}
)");
  LayoutMap layouts = propagateWhatIsKnown(region(), {});
  EXPECT_EQ(layouts.get(region().getArgument(1)), layout("q"));
  Operation *yield = region().front().getTerminator();
  EXPECT_EQ(layouts.getUse(yield->getOpOperand(0)), layout("q"));
}

// A slice determines nothing; a to_layout's operand has its layout only where
// nobody needs another, which is a wish.
TEST_F(RegionPropagation, DemandsAreNoWishes) {
  use(R"(
  scf.execute_region -> vector<64xf32> {
    %e = arith.negf %v : vector<64xf32>
    %l = iree_vector_ext.to_layout %e to layout(#p) : vector<64xf32>
    %f = math.absf %l : vector<64xf32>
    scf.yield %f : vector<64xf32>
  } {part}
)");
  Value wished = inside("arith.negf")->getResult(0);
  EXPECT_EQ(propagateWhatIsKnown(region(), {}).get(wished), layout("p"));
  LayoutMap demands = propagateDemands(region(), {});
  EXPECT_FALSE(demands.get(wished));
  EXPECT_EQ(demands.get(inside("math.absf")->getResult(0)), layout("p"));
}

TEST_F(RegionPropagation, ContradictionsNameTheBoundary) {
  use(R"(
  %r = scf.execute_region -> vector<64xf32> {
    %e = arith.negf %v : vector<64xf32>
    scf.yield %e : vector<64xf32>
  } {part}
)");
  RegionBoundary boundary{{{outer(), layout("p")}}, {layout("q")}};
  EXPECT_TRUE(failed(propagateLayouts(region(), boundary)));
  EXPECT_EQ(kernel->messages,
            "'scf.yield' op hands on a value laid out as ⟨B[2] T[32]:[1]⟩, "
            "which must leave laid out as ⟨T[32]:[1] E[2]⟩ (DG1); convert it "
            "by an 'iree_vector_ext.to_layout' before\n"
            "note: layout ⟨B[2] T[32]:[1]⟩ is given for this value\n");
}

TEST_F(RegionPropagation, AValueThatNothingReachesIsNamed) {
  use(R"(
  scf.execute_region {
    %e = arith.negf %v : vector<64xf32>
    scf.yield
  } {part}
)");
  EXPECT_TRUE(failed(propagateLayouts(region(), {})));
  EXPECT_EQ(kernel->messages, "'arith.negf' op result has no layout: no "
                              "'iree_vector_ext.to_layout' reaches it (DG4); "
                              "lay it out by one, or run "
                              "distaff-assign-layouts, which chooses\n");
}
