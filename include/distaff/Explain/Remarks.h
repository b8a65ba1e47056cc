//===- Remarks.h - Decisions as remarks -------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What stages decided, one sentence per decision at the line it is about (DG9):
// each choice among alternatives, which says why a contraction has no
// instruction (VX-105), each conversion, each chain that was computed again,
// each reduction and scan.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_EXPLAIN_REMARKS_H
#define DISTAFF_EXPLAIN_REMARKS_H

#include "distaff/Analysis/Log/Decisions.h"
#include "distaff/LLVM.h"

namespace distaff {

struct Remark {
  int64_t line = 0; // 0: not known
  std::string text;
};

/// In the order of the log, kind by kind.
std::vector<Remark> remarksOf(const DecisionLog &log);

} // namespace distaff

#endif // DISTAFF_EXPLAIN_REMARKS_H
