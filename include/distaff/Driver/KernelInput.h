//===- KernelInput.h - Reading kernels --------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What every subcommand does first: know the target, read the file, parse it,
// find the kernel.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DRIVER_KERNELINPUT_H
#define DISTAFF_DRIVER_KERNELINPUT_H

#include "distaff/Driver/ExitCode.h"
#include "distaff/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

namespace distaff {

struct Stage;
struct Target;

/// A text that is not parsed, or that the parser does not survive: what to say.
/// `text` may have parts between `marker`, which are kernels of their own.
std::optional<std::string> findUnparsable(StringRef text,
                                          const DialectRegistry &registry,
                                          StringRef marker);

/// Registers the dialects that kernels and the stages use, with the external
/// models that the stages need.
void registerKernelDialects(DialectRegistry &registry);

/// Flags that every subcommand takes.
struct InputOptions {
  std::string path; ///< "-" reads standard input.
  std::string target;
  std::string function; ///< empty: the only kernel, or where it can be, all.
};

/// A context, a parsed file, and a handler that prints diagnostics with source
/// lines to stderr for as long as the object lives.
class KernelInput {
public:
  KernelInput();
  ~KernelInput();

  /// Reads, parses and verifies the file; on failure everything has been said.
  ExitCode load(const InputOptions &options);

  MLIRContext *getContext() { return context.get(); }
  ModuleOp getModule() { return *module; }
  /// The module of its own that a pipeline may change.
  OwningOpRef<ModuleOp> cloneModule() {
    return OwningOpRef<ModuleOp>(module->clone());
  }

private:
  ExitCode parse(StringRef path);

  std::unique_ptr<MLIRContext> context;
  llvm::SourceMgr sourceManager;
  // Not by its base, whose destructor is not virtual.
  std::unique_ptr<SourceMgrDiagnosticHandler> diagnostics;
  OwningOpRef<ModuleOp> module;
};

/// Prints "distaff: error: MESSAGE" to stderr.
void printError(const Twine &message);

/// Returns the target, or null after an error that lists the known ones.
const Target *findTarget(StringRef name);

/// Returns the stage, or null after an error that lists the stages.
const Stage *findStage(StringRef name);

/// Reduces a module to one kernel (and what it refers to): other kernels of the
/// file are not compiled. Without a name it is the only one. Where there is no
/// such kernel, a diagnostic says so.
ExitCode selectKernel(ModuleOp module, StringRef name, func::FuncOp &kernel);

/// All kernels of a module, in order; functions that none needs are removed.
ExitCode allKernels(ModuleOp module, SmallVectorImpl<func::FuncOp> &kernels);

} // namespace distaff

#endif // DISTAFF_DRIVER_KERNELINPUT_H
