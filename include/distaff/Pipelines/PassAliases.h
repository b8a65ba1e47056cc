//===- PassAliases.h - Pass names of other documents ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The PCF proposal and the walkthrough of vector distribution name passes by
// their class (`GPUWrapWorkgroupBodyPass`) or their flag
// (`iree-llvmgpu-vector-distribute`). Each such name is an alias of the passes
// that do the same step here, so that a command line of those documents can be
// typed as it stands:
//
//   distaff-opt --GPUWrapWorkgroupBodyPass k.mlir    is
//   distaff-opt --distaff-wrap-in-executor k.mlir
//
// An alias identifies a step; the IR around the step may differ from that of
// the document.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_PIPELINES_PASSALIASES_H
#define DISTAFF_PIPELINES_PASSALIASES_H

#include "distaff/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace distaff {

/// A PassAlias is one step of another document. The flags that `distaff-opt`
/// takes for it are the class with and without `Pass` at its end, and the flag.
struct PassAlias {
  /// The class without `Pass`.
  llvm::StringLiteral className;
  llvm::StringLiteral flag;
  /// The passes as `--pass-pipeline` has them, on a module.
  llvm::StringLiteral passes;

  /// Returns whether options of the alias are those of a pass.
  bool takesOptions() const;
};

/// Returns all aliases, those of the proposal first.
llvm::ArrayRef<PassAlias> allPassAliases();

/// Registers the aliases for distaff-opt.
void registerPassAliases();

} // namespace distaff

#endif // DISTAFF_PIPELINES_PASSALIASES_H
