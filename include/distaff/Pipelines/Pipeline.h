//===- Pipeline.h - Stages of a compilation pipeline ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pipeline is a sequence of stages, from a kernel as its author wrote it to
// the input of a backend. A stage is a record: how its passes are added, what
// holds after them (its contract, which `buildPipeline` checks in the IR), and
// at which level a kernel is before and after it. So the choices and the names
// that --stop-after takes are read off these records:
//
//   vector-distribute:
//     configure > tile > vectorize > assign-layouts > distribute > lower
//     `-------------------- grid --------------------'`---- lane ----'
//
//   run-cluster:
//     configure > tile > wrap-in-executor > form-matmul-phases >
//     promote-to-shared-memory > specialize > distribute-subgroups >
//     distribute-lanes > vectorize > concretize > lower
//     (the grid's program before concretize, a lane's after it)
//
//   host:
//     configure > tile > vectorize > bufferize > lower
//     `-------------------- grid -------------------'
//
// A kernel takes the pipeline that --pipeline names, else the one of its
// translation_info, else vector-distribute; for a CPU there is one, and it
// takes kernels that were written for the first. The IR shows which stages
// remain (`remainingStages`), so that it can be changed by hand between two of
// them. Pipelines share stages that do the same.
//
// To add a pipeline, write its records (VectorDistribute.cpp) and list it in
// Pipeline.cpp; a program that uses Distaff as a library registers its own:
//
//   const Stage *stages[] = {tile, mine, lower};
//   Pipeline mine = {.name = "mine", .attribute = "Mine", .stages = stages};
//   PipelineRegistration known(mine);   // --pipeline mine, pipeline = Mine
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_PIPELINES_PIPELINE_H
#define DISTAFF_PIPELINES_PIPELINE_H

#include "distaff/Analysis/Ranking/Ranking.h"
#include "distaff/Kernel/Kernel.h"
#include "distaff/LLVM.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include <optional>
#include <string>

namespace distaff {

class DecisionLog;
struct Target;

/// The assignment of a kernel's phases to the subgroups of a workgroup.
enum class Specialization {
  None,             ///< all run all phases
  ProducerConsumer, ///< producers copy what consumers compute with
  PingPong          ///< two halves alternate between copying and computing
};

/// Returns the value that --specialize takes under a name; none for another
/// word.
std::optional<Specialization> lookupSpecialization(StringRef name);
StringRef stringOf(Specialization specialization);

/// Returns the names, for a message.
std::string listSpecializations();

/// The options that a kernel is compiled with. A stage reads those that its own
/// options struct has.
struct PipelineOptions {
  const Target *target = nullptr;
  /// Receives what was decided; may be null.
  DecisionLog *log = nullptr;
  /// Whether float additions and multiplications keep the source's order.
  bool strictFp = false;
  Specialization specialization = Specialization::None;
  /// Whether values that no anchor of the kernel reaches are refused.
  bool requireAnchors = false;
  /// Predicts what launches cost, and keeps rankings between the stages that
  /// need the same ones. Null: each pipeline that is built makes its own.
  RankerSource rankers;
};

struct Stage {
  StringLiteral name;     ///< the name that --stop-after takes
  StringLiteral contract; ///< what holds after it
  Level before, after;    ///< the level of the kernel's program
  void (*add)(OpPassManager &, const PipelineOptions &);
  /// Checks the contract; a diagnostic reports the violation.
  LogicalResult (*verify)(ModuleOp);
  /// Returns whether a kernel's IR shows that it has passed this stage; null if
  /// no IR does.
  bool (*isBehind)(FunctionOpInterface) = nullptr;
  /// Whether it implements `PipelineOptions::specialization`.
  bool specializes = false;
  /// Whether it runs only if it, or all stages, are requested.
  bool isOnRequest = false;
  /// Returns why a kernel cannot pass it though the kernel is valid; null if it
  /// takes all kernels.
  std::optional<std::string> (*whyNot)(FunctionOpInterface) = nullptr;
};

struct Pipeline {
  StringLiteral name;      ///< the name that --pipeline takes
  StringLiteral attribute; ///< its name in translation_info
  ArrayRef<const Stage *> stages;
  /// Whether it leads to code for CPUs; the others lead to that for GPUs.
  bool isOfHost = false;

  /// Returns the stage of that name, or null.
  const Stage *findStage(StringRef stage) const;

  /// Returns the last stage that runs without being requested.
  const Stage *lastDefaultStage() const;

  /// Returns the names of the stages, in order.
  std::string listStages() const;
};

/// Returns the pipeline of that name, as --pipeline or as translation_info has
/// it, or null.
const Pipeline *lookupPipeline(StringRef name);

/// Returns every pipeline; the first is the default of kernels that name none.
ArrayRef<const Pipeline *> allPipelines();

/// Returns the names of all pipelines.
std::string listPipelines();

/// Registers a pipeline of the caller under its names for as long as the object
/// lives.
/// \pre no pipeline has either name, and no lookup runs while a registration
///      begins or ends
class PipelineRegistration {
public:
  explicit PipelineRegistration(const Pipeline &pipeline);
  ~PipelineRegistration();
  PipelineRegistration(const PipelineRegistration &) = delete;
  PipelineRegistration &operator=(const PipelineRegistration &) = delete;

private:
  const Pipeline *pipeline;
};

/// Returns the pipeline that a kernel's translation_info names, the first of
/// all if it names none; null if the name is unknown. For a CPU it is the one
/// that leads to code for CPUs.
const Pipeline *ownPipelineOf(FunctionOpInterface kernel, const Target &target);

/// Returns the pipeline of a kernel: `asked`, if it is not null, else the
/// kernel's own. If they differ, `asked` is written into the translation_info,
/// so that later stages continue on that pipeline. Fails if no pipeline has the
/// name of the kernel's, or if it does not lead to the target.
FailureOr<const Pipeline *> choosePipeline(FunctionOpInterface kernel,
                                           const Target &target,
                                           const Pipeline *asked = nullptr);

/// Returns the stages of a pipeline that a kernel has not passed: those after
/// the last that its IR shows to be done. On vector-distribute a kernel that is
/// a lane's program, a gpu.func, starts at `lower`, one with a grid function at
/// the first stage from `vectorize` on whose contract it does not satisfy; any
/// other at `configure`. On run-cluster its ops of pcf decide, from
/// `wrap-in-executor` on.
ArrayRef<const Stage *> remainingStages(const Pipeline &pipeline,
                                        FunctionOpInterface kernel);

/// A kernel's pipeline, and the stages of it that remain.
struct RemainingStages {
  const Pipeline *pipeline;
  ArrayRef<const Stage *> ahead;
};
FailureOr<RemainingStages> findRemainingStages(FunctionOpInterface kernel,
                                               const Target &target,
                                               const Pipeline *asked = nullptr);

/// Returns whether the stages of a pipeline take a kernel that has ops of pcf:
/// the ops show that it is on the pipeline (`asked` or its own), and either
/// `asked` is given or the kernel's grid function defines the launch.
bool isTakenByPipeline(FunctionOpInterface kernel, const Target &target,
                       const Pipeline *asked = nullptr);

/// Finds the stage at which to end, null for an empty name; if the pipeline has
/// no stage of that name, the error lists its stages.
LogicalResult findLastStage(Location loc, const Pipeline &pipeline,
                            StringRef name, const Stage *&last);

} // namespace distaff

#endif // DISTAFF_PIPELINES_PIPELINE_H
