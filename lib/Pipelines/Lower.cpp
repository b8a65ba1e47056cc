//===- Lower.cpp - Stage lower, the end of all pipelines ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Pipelines/Lower.h"
#include "StageContracts.h"
#include "distaff/Analysis/Log/Decisions.h"
#include "distaff/Conversion/Passes.h"
#include "distaff/Lower/Passes.h"
#include "distaff/Staging/Passes.h"
#include "distaff/Target/Target.h"
#include "distaff/Tiling/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Transforms/Passes.h"

namespace distaff {

void addLowerStage(OpPassManager &manager, const LowerStageOptions &options) {
  OpPassManager &kernels =
      manager.nest<gpu::GPUModuleOp>().nest<gpu::GPUFuncOp>();
  if (options.strictFp)
    kernels.addPass(createStrictFp());
  // Lowers arg_compare on a lane's own vectors (PCF-163).
  kernels.addPass(createVectorExtLowerArgCompare());
  // Widths of accesses are proved on plain arithmetic.
  kernels.addPass(createLowerIndices());
  // Merges equal index expressions, whose facts are then computed once.
  kernels.addPass(createCSEPass());
  std::string target = options.target.name.str();
  // Precedes the lowering of vectors; indices are sums of few values.
  kernels.addPass(createFormAsyncCopies({.target = target}));
  if (!options.strictFp)
    kernels.addPass(createDeferLaneReductions());
  kernels.addPass(createLowerLaneExchange(
      {.target = target, .strictFp = options.strictFp}));
  kernels.addPass(
      createLowerVectors({.target = target, .strictFp = options.strictFp}));
  kernels.addPass(createLowerAtomics({.target = target}));
  // Precedes the expansion of functions, whose formulas divide exactly.
  if (!options.strictFp)
    kernels.addPass(createApproximateMath());
  kernels.addPass(createLowerMath());
  // Ops are instructions by now, and unrolled code is simplified next.
  kernels.addPass(createUnrollCopies());
  // Removes registers that no op reads, and identities such as x * 1.
  kernels.addPass(createSimplify());
  kernels.addPass(createLowerChecks());
  // Conversions that cancel are gone.
  kernels.addPass(createLowerNarrowFloats({.target = target}));
  kernels.addPass(createCSEPass());
  // Equal loads are merged.
  kernels.addPass(createFormMatrixLoads({.target = target}));
  // Unrolls last, so that the passes above process the code once.
  kernels.addPass(createUnrollRings());
  if (options.log)
    manager.addPass(createRecordCode(options.target, *options.log));
}

const Stage lowerStage = {
    .name = "lower",
    .contract = "registers are scalars; vectors stand only at wide accesses "
                "and at MMA fragments",
    .before = Level::Lane,
    .after = Level::Lane,
    .add =
        [](OpPassManager &manager, const PipelineOptions &options) {
          addLowerStage(manager,
                        {*options.target, options.strictFp, options.log});
        },
    .verify = verifyLowered};

} // namespace distaff
