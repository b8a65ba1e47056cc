//===- KernelInput.h - Parsing text to a module -----------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every request to the Driver begins with a module that was parsed:
//
//   KernelInput input;
//   ScopedDiagnosticHandler handler(input.getContext(), receive);
//   if (failed(input.parse("func.func @f(%m: memref<4xf32>) { return }")))
//     ...                                   // receive got the reason
//   compile(input.getModule(), options);    // Compile.h; Run.h, Explain.h
//
// The Driver prints nothing and opens no file. It reports through MLIR
// diagnostics of the context; those that no line of the kernel caused have an
// unknown location. If no handler is registered, MLIR prints them.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DRIVER_KERNELINPUT_H
#define DISTAFF_DRIVER_KERNELINPUT_H

#include "distaff/Driver/OldSpellings.h"
#include "distaff/LLVM.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace distaff {

/// Returns the error message for a text that is not parsed, or that crashes the
/// parser. `text` may have parts between `marker`, which are kernels of their
/// own. `note` receives the old spellings that errors of the parser are about.
std::optional<std::string>
findUnparsable(StringRef text, const DialectRegistry &registry,
               StringRef marker,
               function_ref<void(const OldSpellingNote &)> note = nullptr);

/// Registers the dialects that kernels and the stages use, with the external
/// models that the stages need.
void registerKernelDialects(DialectRegistry &registry);

/// Owns a context with those dialects loaded, and the module parsed into it.
class KernelInput {
public:
  KernelInput();
  ~KernelInput();

  /// Parses and verifies a text, and checks its size
  /// (Analysis/Legality/SizeLimits.h). Diagnostics call the text `name`.
  LogicalResult parse(StringRef text, StringRef name = "kernel");

  /// Returns null after the parser has crashed: the context is then leaked, and
  /// a handler registered with it must not be touched either.
  MLIRContext *getContext() { return context.get(); }
  ModuleOp getModule() { return *module; }

private:
  std::unique_ptr<MLIRContext> context;
  OwningOpRef<ModuleOp> module;
};

} // namespace distaff

#endif // DISTAFF_DRIVER_KERNELINPUT_H
