//===- UnknownTarget.h - Look up the target of a pass -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_LEGALITY_UNKNOWNTARGET_H
#define DISTAFF_ANALYSIS_LEGALITY_UNKNOWNTARGET_H

#include "distaff/LLVM.h"
#include "distaff/Target/Target.h"
#include "mlir/IR/Diagnostics.h"

namespace distaff {

/// Returns the target of that name, or null after an error at `loc`: the fault
/// is in an option, not in an op of the module.
inline const Target *requireTarget(Location loc, StringRef name) {
  if (const Target *target = lookupTarget(name))
    return target;
  InFlightDiagnostic diagnostic = emitError(loc);
  if (name.empty())
    diagnostic << "no target given: the option `target` of the pass is one of ";
  else
    diagnostic << "unknown target '" << name << "', known are ";
  llvm::interleaveComma(allTargets(), diagnostic, [&](const Target *known) {
    diagnostic << StringRef(known->name);
  });
  return nullptr;
}

} // namespace distaff

#endif // DISTAFF_ANALYSIS_LEGALITY_UNKNOWNTARGET_H
