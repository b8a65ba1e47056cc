//===- Remarks.h - Decisions as remarks -------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts each decision of a stage to one sentence at the line of the source
// (DG9): each choice among alternatives, with the reason why a contraction has
// no MMA instruction (VX-105), each conversion, each rematerialized chain, each
// reduction and scan.
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

/// Returns the remarks in the order of the log, kind by kind.
std::vector<Remark> remarksOf(const DecisionLog &log);

} // namespace distaff

#endif // DISTAFF_EXPLAIN_REMARKS_H
