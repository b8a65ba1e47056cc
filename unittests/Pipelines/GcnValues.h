//===- GcnValues.h - What an instruction of one lane computes ---*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Intrinsics of AMD's targets, and general ones, that LLVM does not fold: from
// the operands of one lane its result.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_PIPELINES_GCNVALUES_H
#define DISTAFF_UNITTESTS_PIPELINES_GCNVALUES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/IntrinsicInst.h"

namespace distaff::gcn {

/// The result of a call on constants; null where it is not modelled here.
llvm::Constant *laneValue(const llvm::IntrinsicInst &call,
                          llvm::ArrayRef<llvm::Constant *> operands);

} // namespace distaff::gcn

#endif // DISTAFF_UNITTESTS_PIPELINES_GCNVALUES_H
