//===- Compile.h - From a module to code ------------------------*- C++ -*-===//
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
// Nothing but ptxas and ld.lld, which cubins and AMD's code objects need, works
// on files; those are temporary.
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

/// MLIR as it is after a stage.
struct AsMlir {
  std::string last = {}; ///< the stage; empty: after all of them
};

/// Code of all kernels, of a kind that the target's backend has: "ptx".
struct AsCode {
  std::string kind;
};

/// A header of C that declares what code for a CPU defines.
struct AsHeader {};

/// A file for the Runtime, of one kernel.
struct AsPackage {
  /// Whether to add a cubin where ptxas is found; without one the driver
  /// compiles the PTX when it loads the package.
  bool assembled = true;
  unsigned threads = 0; ///< of code generation; 0: as many as there are cores
};

struct CompileOptions {
  const Target *target = nullptr;
  std::string function =
      {}; ///< empty: the only kernel, or where it can be, all
  std::variant<AsMlir, AsPackage, AsCode, AsHeader> product = AsMlir();
  bool strictFp = false;
  bool requireAnchors = false; ///< refuse what no to_layout reaches
  /// Of a pipeline on which kernels are specialized.
  Specialization specialization = Specialization::None;
  const Pipeline *pipeline =
      nullptr; ///< null: the one that each kernel asks for
  /// Whether each decision is reported as a remark (Explain/Remarks.h).
  bool remarks = false;
  unsigned threads = 0; ///< of code generation; 0: as many as there are cores
};

struct Compiled {
  Answer answer = Answer::Yes;
  std::string content; ///< empty unless the answer is yes
};

/// Compiles all kernels of a module, or the one that is named. The module is
/// not changed.
Compiled compile(ModuleOp module, const CompileOptions &options);

} // namespace distaff

#endif // DISTAFF_DRIVER_COMPILE_H
