//===- Emit.h - From lowered MLIR to code -----------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `lower` leaves becomes text or bytes of one of these kinds:
//
//   llvm    LLVM IR, optimised for the target
//   ptx     NVIDIA's assembly text          NVIDIA targets
//   cubin   PTX assembled by ptxas          NVIDIA targets, needs ptxas
//   gcn     AMD's assembly text             AMD targets
//   hsaco   a linked AMD code object        AMD targets, needs ld.lld
//
// Everything is made in memory and returned whole: what fails leaves nothing
// behind, and says why in a diagnostic.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_PIPELINES_EMIT_H
#define DISTAFF_PIPELINES_EMIT_H

#include "distaff/LLVM.h"
#include "mlir/IR/BuiltinOps.h"
#include <optional>
#include <string>

namespace distaff {

struct Target;

enum class EmitKind { LLVM, PTX, Cubin, GCN, HSACO };

/// The kind a flag's value names, or none.
std::optional<EmitKind> parseEmitKind(StringRef name);

/// Whether the target's vendor has code of that kind.
bool isKindOf(const Target &target, EmitKind kind);

/// Returns the code of every kernel of a lowered module, which is not changed.
FailureOr<std::string> emitText(ModuleOp module, const Target &target,
                                EmitKind kind);

/// Where ptxas is: on PATH, or in the CUDA toolkit at its usual places. None
/// when it is not installed.
std::optional<std::string> findPtxas();

/// Assembles PTX text for a target. \pre findPtxas()
FailureOr<std::string> assemblePtx(Location loc, StringRef ptx,
                                   const Target &target);

} // namespace distaff

#endif // DISTAFF_PIPELINES_EMIT_H
