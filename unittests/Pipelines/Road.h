//===- Road.h - Takes kernels down the road and runs them -------*- C++ -*-===//
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
//   Road road;
//   auto source = road.parse(text), compiled = road.parse(text);
//   ASSERT_TRUE(road.take(*compiled, target)) << road.messages;
//   EXPECT_EQ(road.compare(*source, *compiled, target), "");
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_PIPELINES_ROAD_H
#define DISTAFF_UNITTESTS_PIPELINES_ROAD_H

#include "distaff/Target/Target.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include <string>

namespace distaff::road_test {

class Road {
public:
  Road();

  /// The module, or null with the reason in `messages`.
  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &text);

  /// Runs the stages from `first` to `last` on a module of one kernel.
  bool take(mlir::ModuleOp module, const Target &target,
            llvm::StringRef last = "lower",
            llvm::StringRef first = "configure");

  /// Runs the kernel of `compiled` on inputs in [-1, 1] and says the first
  /// element that is farther from what `source` computes than rounding allows;
  /// empty where there is none.
  std::string compare(mlir::ModuleOp source, mlir::ModuleOp compiled,
                      const Target &target);

  mlir::MLIRContext context;
  std::string messages;      // of every diagnostic
  int64_t bankConflicts = 0; // of the last run
};

} // namespace distaff::road_test

#endif // DISTAFF_UNITTESTS_PIPELINES_ROAD_H
