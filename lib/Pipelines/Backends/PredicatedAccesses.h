//===- PredicatedAccesses.h - Guarded accesses without branches -*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lane's elements at the edge of a tensor are guarded one by one. Each guard
// is a branch in LLVM IR, and LLVM's code generator takes time for every block:
// 60 % of what it took to compile a product of dynamic extents. NVIDIA's
// instructions take a predicate, which LLVM has no form for; so an access under
// a guard becomes text (VX-276):
//
//     br i1 %c, %in, %out                 ; @%c st.global.b32 [%p+256], %v;
//   in:
//     store float %v, %p+256         =>
//     br %out
//   out:
//
// A load first gives its registers what the other branch has instead of it.
// The arithmetic of `in` is done whether the guard holds or not, so it is only
// what cannot fail, and little; other values that the branches have are
// selected. ptxas makes the same of a branch around one access, so its code is
// as before.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PIPELINES_BACKENDS_PREDICATEDACCESSES_H
#define DISTAFF_LIB_PIPELINES_BACKENDS_PREDICATEDACCESSES_H

#include "llvm/IR/Module.h"

namespace distaff {

/// Replaces every branch around one load or one store by the instruction with a
/// predicate.
void predicateAccesses(llvm::Module &module);

} // namespace distaff

#endif // DISTAFF_LIB_PIPELINES_BACKENDS_PREDICATEDACCESSES_H
