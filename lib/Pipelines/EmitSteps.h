//===- EmitSteps.h - The steps of emission ----------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the steps in their order: MLIR in LLVM's dialect, LLVM IR, machine
// code, external tools.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PIPELINES_EMITSTEPS_H
#define DISTAFF_LIB_PIPELINES_EMITSTEPS_H

#include "distaff/Analysis/Registers/Resources.h"
#include "distaff/LLVM.h"
#include "distaff/Runtime/Package.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>
#include <optional>
#include <string>

namespace distaff {

struct Backend;
struct Target;

/// Returns LLVM's code generator for a target.
FailureOr<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(Location loc, const Target &target, const Backend &backend);

/// Runs LLVM's optimisations on a module of kernels.
void optimize(llvm::Module &module, llvm::TargetMachine &machine,
              const Target &target, const Backend &backend);

/// Runs the code generator.
FailureOr<std::string> generateCode(Location loc, llvm::Module &module,
                                    llvm::TargetMachine &machine,
                                    const Backend &backend,
                                    llvm::CodeGenFileType type);

/// Returns the path of ptxas: on PATH, or in the CUDA toolkit at its usual
/// places. None if it is not installed.
std::optional<std::string> findPtxas();

/// Returns why ptxas cannot run; none if it is installed.
std::optional<std::string> whyNoPtxas();

/// Assembles PTX text for a target.
FailureOr<std::string> assemblePtx(Location loc, StringRef ptx,
                                   const Target &target);

/// Adds the resource usage that ptxas reports for the kernels in PTX text.
LogicalResult measureWithPtxas(Location loc, StringRef ptx,
                               const Target &target,
                               MutableArrayRef<KernelResources> kernels);

/// Adds the resource usage that LLVM's assembly text for AMD lists for the
/// kernels.
LogicalResult readCodeMetadata(Location loc, StringRef assembly,
                               const Target &target,
                               MutableArrayRef<KernelResources> kernels);

/// Links one relocatable AMD object into a code object that can be loaded.
FailureOr<std::string> linkCodeObject(Location loc, StringRef object,
                                      const Target &target);

/// Returns a copy of a module, converted to LLVM's dialect (Convert.cpp).
FailureOr<OwningOpRef<ModuleOp>>
convertCopy(ModuleOp module, const Target &target, const Backend &backend);

/// Takes the data of large constants out of a converted module: each becomes a
/// variable that the loader of the code initializes. They are appended to
/// `constants` unless that is null.
void detachConstants(ModuleOp converted,
                     std::vector<runtime::Constant> *constants);

} // namespace distaff

#endif // DISTAFF_LIB_PIPELINES_EMITSTEPS_H
