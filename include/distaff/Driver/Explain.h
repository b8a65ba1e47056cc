//===- Explain.h - Explaining a kernel's decisions --------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles a kernel as far as possible and returns the decisions and the code
// that was emitted for it:
//
//   Explained explained = explain(module, {.target = lookupTarget("sm_80")});
//   explained.explanation.registersOnly();           // Q1
//   printText(explained.explanation, stream);        // for people
//   printJson(explained.explanation, stream);        // for programs
//
// The phases of a kernel are those that it has after specialization. A kernel
// that enters with ops of pcf and names no known pipeline is explained by its
// own phases alone.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DRIVER_EXPLAIN_H
#define DISTAFF_DRIVER_EXPLAIN_H

#include "distaff/Driver/Answer.h"
#include "distaff/Explain/Explain.h"
#include "distaff/Pipelines/Pipeline.h"
#include "mlir/IR/BuiltinOps.h"

namespace distaff {

struct Target;

struct ExplainOptions {
  const Target *target = nullptr;
  std::string function = {}; ///< empty: the only kernel
  bool strictFp = false;
  bool requireAnchors = false; ///< refuse values that no to_layout reaches
  /// The kind of specialization, if the pipeline specializes kernels.
  Specialization specialization = Specialization::None;
  const Pipeline *pipeline = nullptr; ///< null: the kernel's own pipeline
  SourceNames names = {}; ///< names in the text; else values get numbers
};

struct Explained {
  Answer answer = Answer::Yes;
  /// If a stage refused the kernel, this holds the decisions before it; there
  /// is no kernel() if distribution did not begin.
  Explanation explanation;
};

/// Explains one kernel; the module is not changed.
Explained explain(ModuleOp module, const ExplainOptions &options);

/// Explains a function that becomes one launch or several.
struct ExplainedLaunches {
  Answer answer = Answer::Yes;
  /// The choices that formed several launches, with the rejected candidates:
  /// which reductions are split, and what is fused into which launch. Empty for
  /// one launch.
  std::vector<ChoiceDecision> choices;
  std::vector<Explained> launches; ///< in order
};

ExplainedLaunches explainLaunches(ModuleOp module,
                                  const ExplainOptions &options);

} // namespace distaff

#endif // DISTAFF_DRIVER_EXPLAIN_H
