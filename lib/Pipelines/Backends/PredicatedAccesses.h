//===- PredicatedAccesses.h - Predication of guarded accesses ---*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lane's elements at the edge of a tensor are guarded one by one. Each guard
// is a branch in LLVM IR, and LLVM's code generator takes time for every block:
// 60 % of the time to compile a product of dynamic extents. NVIDIA's
// instructions take a predicate, which LLVM IR cannot express; so an access
// under a guard becomes inline assembly (VX-276):
//
//     br i1 %c, %in, %out                 ; @%c st.global.b32 [%p+256], %v;
//   in:
//     store float %v, %p+256         =>
//     br %out
//   out:
//
// A load first sets its registers to the other branch's value. The arithmetic
// of `in` is executed whether the guard holds or not, so only few ops that
// cannot fail are moved; other values that the branches define are selected.
// ptxas itself predicates a branch around one access, so its code is the same.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PIPELINES_BACKENDS_PREDICATEDACCESSES_H
#define DISTAFF_LIB_PIPELINES_BACKENDS_PREDICATEDACCESSES_H

#include "llvm/IR/Module.h"

namespace distaff {

/// Replaces every branch around one load or one store by a predicated
/// instruction.
void predicateAccesses(llvm::Module &module);

} // namespace distaff

#endif // DISTAFF_LIB_PIPELINES_BACKENDS_PREDICATEDACCESSES_H
