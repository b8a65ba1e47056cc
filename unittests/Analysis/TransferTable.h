//===- TransferTable.h - Rows of the transfer table, to check ---*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// VX-52: what follows from one known slot of an op, forward and backward.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_ANALYSIS_TRANSFERTABLE_H
#define DISTAFF_UNITTESTS_ANALYSIS_TRANSFERTABLE_H

#include "Parsing.h"
#include "distaff/Analysis/Layout/Notation.h"
#include "gtest/gtest.h"

namespace distaff::transfer_table {

/// Dims of a nested layout: S, B, O, T, E, subgroup stride, thread stride.
using Dims = std::vector<NestedDim>;

inline const NestedDim rows{2, 1, 1, 4, 1, 1, 8};    // 8: S[2]:[1] T[4]:[8]
inline const NestedDim columns{1, 2, 1, 8, 2, 0, 1}; // 32: B[2] T[8]:[1] E[2]
inline const Dims none;

inline VectorLayoutInterface attrOf(MLIRContext *context, const Dims &dims) {
  NestedLayout layout;
  layout.dims.assign(dims.begin(), dims.end());
  return vector_ext::NestedLayoutAttr::get(context, layout);
}

/// Slots are numbered as OpLayouts has them: operands, then results.
struct Row {
  const char *name;
  const char *arguments, *op;
  int known; // `nothing` where the op alone decides
  Dims layout;
  std::vector<std::pair<int, Dims>> follow; // slot, layout; `none`: stays open
  std::vector<std::pair<int, Dims>> alsoKnown = {};
};
inline constexpr int nothing = -1;

/// The row's op, without what is around it or in it.
inline Operation *rowOp(Kernel &kernel) {
  Operation *op = nullptr;
  kernel.function->walk([&](Operation *inner) {
    if (!op && !isa<func::FuncOp, vector::MaskOp, vector::YieldOp,
                    vector_ext::YieldOp, arith::CmpFOp>(inner))
      op = inner;
  });
  return op;
}

inline std::string textOf(const char *arguments, const char *op) {
  return std::string("func.func @f(%i: index, %f: f32, ") + arguments +
         ") {\n" + op + "\nreturn\n}\n";
}

/// The slots of `op`, laid out as the row knows them.
inline OpLayouts knownSlots(const Row &row, Operation *op) {
  OpLayouts slots = OpLayouts::get(op);
  auto lay = [&](int number, const Dims &dims) {
    int operands = slots.operandLayouts.size();
    (number < operands ? slots.operandLayouts[number]
                       : slots.resultLayouts[number - operands]) =
        attrOf(op->getContext(), dims);
  };
  if (row.known != nothing)
    lay(row.known, row.layout);
  for (auto &[number, dims] : row.alsoKnown)
    lay(number, dims);
  return slots;
}

inline std::string notationOf(VectorLayoutInterface layout) {
  return layout ? shortNotation(layout) : "open";
}

inline void check(const Row &row) {
  SCOPED_TRACE(row.name);
  Kernel kernel(textOf(row.arguments, row.op));
  ASSERT_TRUE(kernel.module) << kernel.messages;
  Operation *op = rowOp(kernel);
  // Not every row names it in its text.
  op->getContext()->loadDialect<vector_ext::VectorExtDialect>();
  MLIRContext *context = op->getContext();
  EXPECT_TRUE(hasTransferRule(op));
  OpLayouts slots = knownSlots(row, op);
  auto slot = [&](int number) {
    int operands = slots.operandLayouts.size();
    return number < operands ? slots.operandLayouts[number]
                             : slots.resultLayouts[number - operands];
  };
  std::string why;
  ASSERT_TRUE(succeeded(inferLayouts(op, slots, why))) << why;
  for (auto &[number, dims] : row.follow) {
    VectorLayoutInterface expected =
        dims.empty() ? VectorLayoutInterface() : attrOf(context, dims);
    EXPECT_EQ(notationOf(slot(number)), notationOf(expected))
        << "slot " << number << " " << why;
  }
}

/// The known slot has a layout that the op does not bear.
inline void checkContradiction(const Row &row) {
  SCOPED_TRACE(row.name);
  Kernel kernel(textOf(row.arguments, row.op));
  ASSERT_TRUE(kernel.module) << kernel.messages;
  Operation *op = rowOp(kernel);
  op->getContext()->loadDialect<vector_ext::VectorExtDialect>();
  OpLayouts slots = knownSlots(row, op);
  std::string why;
  EXPECT_TRUE(failed(inferLayouts(op, slots, why)));
  EXPECT_FALSE(why.empty());
}

/// `from -> to` of each tie of the op: an operand of the op or of a terminator
/// in it, and a result or an argument of one of its regions.
inline std::string tiesOf(const char *arguments, const char *text,
                          llvm::StringRef name) {
  Kernel kernel(textOf(arguments, text));
  if (!kernel.module)
    return kernel.messages;
  std::string found;
  for (Tie tie : ties(kernel.op(name))) {
    found += tie.source->getOwner()->getName().getStringRef().str() + " " +
             std::to_string(tie.source->getOperandNumber()) + " -> ";
    if (auto argument = dyn_cast<BlockArgument>(tie.target))
      found += "argument " + std::to_string(argument.getArgNumber()) +
               " of region " +
               std::to_string(argument.getParentRegion()->getRegionNumber());
    else
      found += "result " +
               std::to_string(cast<OpResult>(tie.target).getResultNumber());
    found += "\n";
  }
  return found;
}

} // namespace distaff::transfer_table

#endif // DISTAFF_UNITTESTS_ANALYSIS_TRANSFERTABLE_H
