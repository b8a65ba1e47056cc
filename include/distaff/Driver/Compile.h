//===- Compile.h - Compiling a module to code -------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles kernels to text or bytes in memory:
//
//   Compiled ptx = compile(module, {.target = lookupTarget("sm_80"),
//                                   .product = AsCode{"ptx"}});
//   if (ptx.answer == Answer::Yes)
//     use(ptx.content);                       // ".version 7.8 ..."
//
//   Compiled package = compile(module, {.target = lookupTarget("sm_80"),
//                                       .product = AsPackage()});
//   runtime::parsePackage(package.content, ...);
//
// Only ptxas and ld.lld, which cubins and AMD's code objects need, work on
// files; those are temporary.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DRIVER_COMPILE_H
#define DISTAFF_DRIVER_COMPILE_H

#include "distaff/Driver/Answer.h"
#include "distaff/LLVM.h"
#include "distaff/Pipelines/Pipeline.h"
#include "mlir/IR/BuiltinOps.h"
#include <string>
#include <variant>

namespace distaff {

struct Target;

/// Requests the MLIR after a stage.
struct AsMlir {
  std::string last = {}; ///< name of the stage; empty: the last one
};

/// Requests the code of all kernels, of a kind that the target's backend has:
/// "ptx".
struct AsCode {
  std::string kind;
};

/// Requests a C header that declares what code for a CPU defines.
struct AsHeader {};

/// Requests a package of one kernel for the Runtime.
struct AsPackage {
  /// Whether to add a cubin if ptxas is found; without one the driver compiles
  /// the PTX when it loads the package.
  bool assembled = true;
  unsigned threads = 0; ///< threads of code generation; 0: one per core
};

struct CompileOptions {
  const Target *target = nullptr;
  std::string function = {}; ///< empty: the only kernel, or all where possible
  std::variant<AsMlir, AsPackage, AsCode, AsHeader> product = AsMlir();
  bool strictFp = false;
  bool requireAnchors = false; ///< refuse values that no to_layout reaches
  /// The kind of specialization, if the pipeline specializes kernels.
  Specialization specialization = Specialization::None;
  const Pipeline *pipeline = nullptr; ///< null: each kernel's own pipeline
  /// Whether each decision is reported as a remark (Explain/Remarks.h).
  bool remarks = false;
  unsigned threads = 0; ///< threads of code generation; 0: one per core
};

struct Compiled {
  Answer answer = Answer::Yes;
  std::string content; ///< empty unless the answer is yes
};

/// Compiles all kernels of a module, or the one that `options.function` names.
/// The module is not changed.
Compiled compile(ModuleOp module, const CompileOptions &options);

} // namespace distaff

#endif // DISTAFF_DRIVER_COMPILE_H
