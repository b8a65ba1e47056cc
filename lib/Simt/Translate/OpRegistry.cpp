//===- OpRegistry.cpp - Table of all modelled operations ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "OpRegistry.h"

using namespace distaff::simt;

const OpRegistry &OpRegistry::get() {
  static const OpRegistry registry = [] {
    OpRegistry all;
    registerAmx(all);
    registerArith(all);
    registerArmNeon(all);
    registerCf(all);
    registerScf(all);
    registerMath(all);
    registerIndex(all);
    registerAffine(all);
    registerMemRef(all);
    registerMemRefAccess(all);
    registerAtomics(all);
    registerGpu(all);
    registerBarriers(all);
    registerMBarriers(all);
    registerAsyncCopies(all);
    registerVectorMovement(all);
    registerVectorReduction(all);
    registerVectorMemory(all);
    registerVectorExt(all);
    registerDistaff(all);
    registerInnerTiled(all);
    registerLaneMma(all);
    registerMatrixLoads(all);
    registerTargetOps(all);
    registerTransposedLoads(all);
    registerPackedDots(all);
    registerTensor(all);
    registerTensorIndexed(all);
    registerTensorPack(all);
    registerLinalg(all);
    registerBufferization(all);
    registerPcfMemory(all);
    registerPcfOwners(all);
    registerPcfSync(all);
    registerPcfCollective(all);
    registerPcfCopies(all);
    registerLlvmArith(all);
    registerLlvmControlFlow(all);
    registerLlvmIntrinsics(all);
    registerLlvmAtomics(all);
    registerPowers(all);
    registerLlvmPredicated(all);
    registerLlvmMatrix(all);
    registerLlvmMemory(all);
    registerLlvmValues(all);
    registerNarrowFloats(all);
    registerNvvm(all);
    registerNvvmCopies(all);
    registerNvvmMma(all);
    registerRocdl(all);
    registerApproximateMath(all);
    registerRocdlMma(all);
    return all;
  }();
  return registry;
}

llvm::StringRef OpRegistry::whyUnknown(Operation *op) {
  llvm::StringRef dialect = op->getName().getDialectNamespace();
  if (dialect == "x86vector")
    return "it is an instruction of a CPU, which --device host runs, without "
           "--check";
  if (llvm::isa<mlir::CallOpInterface>(op))
    return "it calls code that is not here, which --device host with --library "
           "runs";
  return "the machine does not know this operation";
}
