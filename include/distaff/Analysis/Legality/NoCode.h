//===- NoCode.h - Ops that no target has code for ---------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most ops without code are found where code is made. Of some it is known from
// the start, and a kernel is refused where its author wrote them:
//
//   vector.print %v                      no launch prints
//   arith.extf %x : f4E2M1FN to f32      nothing converts f4E2M1FN
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_LEGALITY_NOCODE_H
#define DISTAFF_ANALYSIS_LEGALITY_NOCODE_H

#include "distaff/LLVM.h"
#include "mlir/IR/Operation.h"
#include <optional>
#include <string>

namespace distaff {

/// Why no target has code for the op, and what to do instead. None: some target
/// may have.
std::optional<std::string> whyNoCode(Operation *op);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_LEGALITY_NOCODE_H
