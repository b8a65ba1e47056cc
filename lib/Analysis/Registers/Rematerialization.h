//===- Rematerialization.h - Cheap chains to recompute ----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value that is needed in a second layout need not be converted if it can be
// recomputed there from layout-free values (specification 5.2, VX-56):
//
//   %m = vector.create_mask %n : vector<64xi1>            layout-free
//   %k = arith.xori %m, %ones : vector<64xi1>             1 op
//   %t = vector.broadcast %k : vector<64xi1> to ...       2 ops
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_ANALYSIS_REGISTERS_REMATERIALIZATION_H
#define DISTAFF_LIB_ANALYSIS_REGISTERS_REMATERIALIZATION_H

#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "distaff/Target/Target.h"

namespace distaff {

struct Rematerialization {
  static constexpr unsigned mostOps = 8;

  /// The ops that a clone copies, each once, operands before users. Empty if
  /// the value is not a cheap chain: it depends on a value with a layout, spans
  /// several blocks, or is longer than `mostOps`.
  SmallVector<Operation *> ops;
  /// Issue slots of the copies and of the ops at their leaves, per register.
  int64_t slots = 0;

  explicit operator bool() const { return !ops.empty(); }

  static Rematerialization of(Value value, const IssueModel &issue);

  /// Returns whether a clone of `value`, the end of a cheap chain, can have
  /// `layout`: not every layout of a shape_cast has a counterpart on its
  /// operand.
  static bool takes(Value value, vector_ext::VectorLayoutInterface layout);
};

} // namespace distaff

#endif // DISTAFF_LIB_ANALYSIS_REGISTERS_REMATERIALIZATION_H
