//===- NoCode.h - Ops that no target supports -------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most unsupported ops are found when code is generated. Some are known in
// advance, and a kernel with them is rejected at the op in the source:
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

/// Returns why no target supports the op, and a replacement; nullopt if some
/// target may.
std::optional<std::string> whyNoCode(Operation *op);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_LEGALITY_NOCODE_H
