//===- Emit.h - Code emission from lowered MLIR -----------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The output of `lower` becomes text or bytes of one of the kinds that the
// backend of the target's family has (Backend.h).
//
// All output is made in memory and returned whole: a failure leaves no partial
// output, and a diagnostic gives the reason.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_PIPELINES_EMIT_H
#define DISTAFF_PIPELINES_EMIT_H

#include "distaff/Analysis/Registers/Resources.h"
#include "distaff/LLVM.h"
#include "distaff/Runtime/Package.h"
#include "mlir/IR/BuiltinOps.h"
#include <string>
#include <vector>

namespace distaff {

struct Target;

/// Returns the code of every kernel of a lowered module, which is not changed.
/// Kernels that share no symbols go through LLVM in parallel, on up to
/// `threads` threads, 0 for one per core; the code and the errors do not depend
/// on that number.
FailureOr<std::string> emitCode(ModuleOp module, const Target &target,
                                StringRef kind, unsigned threads = 0);

/// Returns the same in several kinds, each made once. If `constants` is given,
/// the data of large constants are put there instead of into the code, provided
/// that the backend's loader can fill the code's variables.
FailureOr<std::vector<std::string>>
emitCode(ModuleOp module, const Target &target, ArrayRef<StringRef> kinds,
         std::vector<runtime::Constant> *constants = nullptr,
         unsigned threads = 0);

/// Returns the message of the assertion that ends in the trap on a line of
/// emitted assembly text, counted from 1; empty if there is none.
std::string assertionBefore(StringRef text, unsigned line,
                            const Target &target);

/// Returns the resources that each kernel of a lowered module takes, as
/// forecast and as reported by the assembler; if there is no report, it has the
/// reason. The module is not changed.
FailureOr<std::vector<KernelResources>> measureKernels(ModuleOp module,
                                                       const Target &target);

} // namespace distaff

#endif // DISTAFF_PIPELINES_EMIT_H
