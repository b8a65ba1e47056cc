//===- Run.h - Running a kernel on arrays in memory -------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles a kernel, runs it and returns the outcome. With @f, y = 2 * x on
// tensors of 4 numbers:
//
//   RunOptions options{.target = lookupTarget("sm_80"), .check = true};
//   std::vector<HostArray> inputs = {{ScalarType::F32, {4}, bytesOf(1, 2, 3)}};
//   RunOutcome outcome = run(module, options, std::move(inputs));
//   outcome.answer;             // Answer::Yes
//   outcome.arrays[1].bytes;    // res0, after arg0: 2, 4, 6, 8
//   outcome.checks[0];          // stage "lower", largest error 0, bound 0
//   outcome.counters.sectors;   // what the SIMT machine counted
//   outcome.faults;             // none; else their kinds and places
//
// `describeKernel` returns the arrays that a kernel takes.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DRIVER_RUN_H
#define DISTAFF_DRIVER_RUN_H

#include "distaff/Driver/Answer.h"
#include "distaff/Driver/Comparison.h"
#include "distaff/Driver/Parameters.h"
#include "distaff/Pipelines/Pipeline.h"
#include "distaff/Ptx/Ptx.h"
#include "distaff/Runtime/Npy.h"
#include "distaff/Simt/Simt.h"
#include <functional>
#include <string>
#include <vector>

namespace distaff {

struct Target;

/// The name of the kernel as written, where a stage's name is expected.
inline constexpr StringLiteral inputStage = "input";

struct RunOptions {
  const Target *target = nullptr;
  std::string function = {}; ///< empty: the only kernel
  /// The GPU that runs the compiled kernel; if none, the SIMT machine does.
  std::optional<int> cudaDevice = std::nullopt;
  /// Whether the PTX machine runs the compiled kernel's PTX.
  bool onPtxMachine = false;
  /// Whether this CPU runs the compiled kernel.
  bool onHost = false;
  /// Paths of shared libraries that define the functions that it calls and that
  /// have no body.
  std::vector<std::string> libraries = {};
  /// The stage whose IR is run; empty: the last one; `input`: the kernel as
  /// written, on any pipeline. Emitted code is that of the last stage.
  std::string last = {};
  bool check = false;
  /// Whether to run and check after each stage, the kernel as written first.
  /// The machine runs the stages, and a device the compiled kernel.
  bool everyStage = false;
  /// The stages after which alone to run and check; names as `last` takes them.
  std::vector<std::string> stages = {};
  /// Whether to report each decision of the stages as a remark.
  bool remarks = false;
  /// Whether to detect races and reads of uninitialized memory.
  bool faultChecks = true;
  uint64_t schedule = 0;
  unsigned threads = 0;
  /// Instructions per workgroup after which a kernel counts as endless.
  int64_t maxSteps = simt::Options().maxSteps;
  bool strictFp = false;
  bool requireAnchors = false; ///< refuse values that no to_layout reaches
  /// The kind of specialization, if the pipeline specializes kernels.
  Specialization specialization = Specialization::None;
  const Pipeline *pipeline = nullptr; ///< null: the kernel's own pipeline
  /// Called with each stage's check as soon as there is one; may be empty.
  std::function<void(const StageCheck &)> onCheck = {};
};

/// Describes a fault that the machine found at a stage. The op that caused it
/// no longer exists; `location` is where it was.
struct RunFault {
  std::string stage; ///< as in StageCheck
  simt::FaultKind kind;
  std::string message;
  Location location;
  simt::Place place;
};

struct RunOutcome {
  Answer answer = Answer::Yes;
  /// Every parameter's array after the last stage that was run: arguments, then
  /// results. After a failed run the contents mean nothing.
  std::vector<runtime::HostArray> arrays;
  /// The last stage that the machine ran, or the device, as --device names it.
  std::string ran;
  /// The seconds of the run, without compiling.
  double seconds = 0;
  /// The checks in the order of the stages, up to the first that does not
  /// agree.
  std::vector<StageCheck> checks;
  /// Faults of the last stage that was run, with an answer of `Fault`,
  /// `NotModelled` or `Refused`; diagnostics report them too.
  std::vector<RunFault> faults;
  /// Counters of the last stage that was run; zeros for emitted code.
  simt::Counters counters;
  /// The outcome of the PTX machine, if it ran: its own faults, with lines of
  /// the text, and counters.
  std::optional<ptx::Outcome> ptx;
};

/// Describes the parameters of a kernel, so that arrays can be made for it.
/// Unless the answer is yes it is empty.
struct KernelDescription {
  Answer answer = Answer::Yes;
  FunctionOpInterface kernel;
  SmallVector<ParameterShape> parameters; ///< arguments, then results
  size_t numArguments = 0;
};

/// Finds the kernel that `options` name, and checks that its target can launch
/// it and that array files can hold its parameters.
KernelDescription describeKernel(ModuleOp module, const RunOptions &options);

/// Compiles the kernel that `options` name, and runs it. `inputs` has an array
/// per argument, of its type and of a shape that fits. With `check` the kernel
/// as its author wrote it is evaluated in float64, with an error bound per
/// element, and the outputs are compared with it. The module is not changed.
RunOutcome run(ModuleOp module, const RunOptions &options,
               std::vector<runtime::HostArray> inputs);

} // namespace distaff

#endif // DISTAFF_DRIVER_RUN_H
