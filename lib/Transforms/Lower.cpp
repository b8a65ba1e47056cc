//===- Lower.cpp - The lower stage, in order ------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the code of one lane on n-D vectors to scalars, shuffles and wide
// accesses.
//
//===----------------------------------------------------------------------===//
#include "distaff/Target/Target.h"
#include "distaff/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace distaff;

void distaff::addLowerPasses(OpPassManager &pipeline, const Target &target,
                             bool strictFp) {
  OpPassManager &kernels = pipeline.nest<func::FuncOp>();
  if (strictFp)
    kernels.addPass(createStrictFp());
  kernels.addPass(createMapForall());
  // Widths of accesses are proved on plain arithmetic.
  kernels.addPass(createLowerIndices());
  // Equal index expressions become one value, whose facts are found once.
  kernels.addPass(createCSEPass());
  kernels.addPass(createLowerSubgroupReduce({.strictFp = strictFp}));
  kernels.addPass(createLowerVectors({.strictFp = strictFp}));
  kernels.addPass(createLowerMath());
  // Registers that nobody reads, and identities such as x * 1.
  kernels.addPass(createSimplify());
  // Conversions that cancel are gone.
  kernels.addPass(createLowerNarrowFloats({.target = target.name.str()}));
  kernels.addPass(createCSEPass());
}
