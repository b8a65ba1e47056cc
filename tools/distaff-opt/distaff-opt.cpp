//===- distaff-opt.cpp - Runs passes on a file ----------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mlir-opt with Distaff's dialects and passes: for tests, and to look at one
// pass at a time. Kernels are compiled with `distaff`.
//
//===----------------------------------------------------------------------===//
#include "distaff/Conversion/Passes.h"
#include "distaff/Distribution/Passes.h"
#include "distaff/Driver/KernelInput.h"
#include "distaff/Pipelines/Pipelines.h"
#include "distaff/Transforms/Passes.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  distaff::registerKernelDialects(registry);
  mlir::registerTransformsPasses();
  distaff::registerDistaffConversion();
  distaff::registerDistributionPasses();
  distaff::registerDistaffTransforms();
  distaff::registerDistaffPipelines();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Distaff optimizer driver\n", registry));
}
