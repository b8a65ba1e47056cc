//===- Explain.h - Explaining a kernel --------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles a kernel as far as it goes and returns what was chosen, and what was
// emitted for it:
//
//   Explained explained = explain(module, {.target = lookupTarget("sm_80")});
//   explained.explanation.registersOnly();           // Q1
//   printText(explained.explanation, stream);        // for people
//   printJson(explained.explanation, stream);        // for programs
//
// The phases of a kernel are those that it has once it is specialized. A kernel
// that enters with pcf in it and names no pipeline that is there is explained
// by what it says of its phases alone.
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
  bool requireAnchors = false; ///< refuse what no to_layout reaches
  /// Of a pipeline on which kernels are specialized.
  Specialization specialization = Specialization::None;
  const Pipeline *pipeline =
      nullptr;            ///< null: the one that the kernel asks for
  SourceNames names = {}; ///< of the module's text; else values get numbers
};

struct Explained {
  Answer answer = Answer::Yes;
  /// Of a kernel that a stage refused what was decided before; without a
  /// kernel() where distribution did not begin.
  Explanation explanation;
};

/// The module is not changed.
Explained explain(ModuleOp module, const ExplainOptions &options);

/// What a function becomes that is one launch or several.
struct ExplainedLaunches {
  Answer answer = Answer::Yes;
  /// Why several, with the ways that lost: which reductions are done in parts,
  /// and what is fused into which launch. None where it is one.
  std::vector<ChoiceDecision> choices;
  std::vector<Explained> launches; ///< in order
};

ExplainedLaunches explainLaunches(ModuleOp module,
                                  const ExplainOptions &options);

} // namespace distaff

#endif // DISTAFF_DRIVER_EXPLAIN_H
