//===- Rematerialization.h - Values that are computed again -----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value that is wanted in a second layout need not move where it can be
// computed there from what has no layout (specification 5.2, VX-56):
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

  /// What a clone copies, each op once, those before their users. Without any
  /// the value is no cheap chain: it ends in something that has a layout, goes
  /// beyond a block, or is longer than `mostOps`.
  SmallVector<Operation *> ops;
  /// Issue slots of the copies and of what they end in, per register.
  int64_t slots = 0;

  explicit operator bool() const { return !ops.empty(); }

  static Rematerialization of(Value value, const IssueModel &issue);

  /// True if a clone of `value`, the end of a cheap chain, can have `layout`:
  /// not every layout of a shape_cast has a counterpart on its operand.
  static bool takes(Value value, vector_ext::VectorLayoutInterface layout);
};

} // namespace distaff

#endif // DISTAFF_LIB_ANALYSIS_REGISTERS_REMATERIALIZATION_H
