//===- Run.h - Running a kernel on arrays in memory -------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles a kernel, runs it and says what came of it. With @f, y = 2 * x on
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
// `describeKernel` says which arrays there are, for who does not know.
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

/// What stands for a stage before the first one.
inline constexpr StringLiteral inputStage = "input";

struct RunOptions {
  const Target *target = nullptr;
  std::string function = {}; ///< empty: the only kernel
  /// The GPU that runs the compiled kernel; none: the SIMT machine does.
  std::optional<int> cudaDevice = std::nullopt;
  /// The compiled kernel's PTX is run, on the PTX machine.
  bool onPtxMachine = false;
  /// This CPU runs the compiled kernel.
  bool onHost = false;
  /// Paths of shared libraries with the functions that it calls and that have
  /// no body.
  std::vector<std::string> libraries = {};
  /// The stage whose IR is run; empty: the last one; `input`: the kernel as it
  /// is, on whatever pipeline. Emitted code is of the last.
  std::string last = {};
  bool check = false;
  /// Run and check after each stage, the kernel as written first. The machine
  /// runs the stages, and a device what is compiled in the end.
  bool everyStage = false;
  /// The same after these stages only, and not after the others; of names as
  /// `last` takes them.
  std::vector<std::string> stages = {};
  /// Report each decision of the stages as a remark.
  bool remarks = false;
  /// Look for races and reads of what nobody wrote.
  bool faultChecks = true;
  uint64_t schedule = 0;
  unsigned threads = 0;
  /// Instructions per workgroup after which a kernel counts as endless.
  int64_t maxSteps = simt::Options().maxSteps;
  bool strictFp = false;
  bool requireAnchors = false; ///< refuse what no to_layout reaches
  /// Of a pipeline on which kernels are specialized.
  Specialization specialization = Specialization::None;
  const Pipeline *pipeline =
      nullptr; ///< null: the one that the kernel asks for
  /// Called with each stage's check as soon as there is one; may be empty.
  std::function<void(const StageCheck &)> onCheck = {};
};

/// What the machine found a kernel to do at a stage. The op that does it is
/// gone with the stage; this is where it was.
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
  /// results. Those that a failed run leaves mean nothing.
  std::vector<runtime::HostArray> arrays;
  /// The last stage that the machine ran, or the device, as --device has it.
  std::string ran;
  /// How long that took, without compiling.
  double seconds = 0;
  /// In the order of the stages, up to the first that does not agree.
  std::vector<StageCheck> checks;
  /// Of the last stage that was run, with an answer of `Fault`, `NotModelled`
  /// or `Refused`; diagnostics say the same.
  std::vector<RunFault> faults;
  /// Of the last stage that was run; zeros of emitted code.
  simt::Counters counters;
  /// What the PTX machine says, if it ran: its own faults, of lines of the
  /// text, and counters.
  std::optional<ptx::Outcome> ptx;
};

/// What a kernel of a module takes and gives, so that arrays can be made for
/// it. Without an answer of yes it is empty.
struct KernelDescription {
  Answer answer = Answer::Yes;
  FunctionOpInterface kernel;
  SmallVector<ParameterShape> parameters; ///< arguments, then results
  size_t numArguments = 0;
};

/// Finds the kernel that `options` name, and whether their target can launch it
/// and array files hold what it takes.
KernelDescription describeKernel(ModuleOp module, const RunOptions &options);

/// Compiles the kernel that `options` name, and runs it. `inputs` has an array
/// per argument, of its type and of a shape that fits. With `check` the kernel
/// as its author wrote it is evaluated in float64, with an error bound per
/// element, and compared with. The module is not changed.
RunOutcome run(ModuleOp module, const RunOptions &options,
               std::vector<runtime::HostArray> inputs);

} // namespace distaff

#endif // DISTAFF_DRIVER_RUN_H
