//===- Journey.h - Takes kernels down a pipeline and runs them --*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A test gives the text of a kernel and a target, takes a copy through the
// stages, runs what came out lane by lane on random inputs, and compares with
// what the text computes exactly:
//
//   Journey journey;
//   auto source = journey.parse(text), compiled = journey.parse(text);
//   ASSERT_TRUE(journey.take(*compiled, target)) << journey.messages;
//   EXPECT_EQ(journey.compare(*source, *compiled, target), "");
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_PIPELINES_JOURNEY_H
#define DISTAFF_UNITTESTS_PIPELINES_JOURNEY_H

#include "distaff/Target/Target.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include <string>

namespace distaff::journey_test {

class Journey {
public:
  Journey();

  /// The module, or null with the reason in `messages`.
  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &text);

  /// Takes a module of one kernel along its pipeline from the stage `first`,
  /// where it is if empty, through the stage `last`, all if empty.
  bool take(mlir::ModuleOp module, const Target &target,
            llvm::StringRef last = "", llvm::StringRef first = "");

  /// Runs the kernel of `compiled` on inputs in [-1, 1], or integers of any
  /// bits, and says the first element that is farther from what `source`
  /// computes than rounding allows; empty where there is none.
  std::string compare(mlir::ModuleOp source, mlir::ModuleOp compiled,
                      const Target &target);

  mlir::MLIRContext context;
  std::string messages;      // of every diagnostic
  int64_t bankConflicts = 0; // of the last run
};

} // namespace distaff::journey_test

#endif // DISTAFF_UNITTESTS_PIPELINES_JOURNEY_H
