//===- Pipeline.h - The stages that a kernel goes through -------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pipeline is a row of stages, from a kernel as its author wrote it to what a
// backend converts. A stage is a row too: how its passes are added, what holds
// when they are done (its contract, which `buildPipeline` checks in the IR),
// and whose program a kernel is before and after it. So what there is to choose
// from and what was printed by --stop-after are read off the rows:
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
// To add a pipeline, write its rows (VectorDistribute.cpp) and list it in
// Pipeline.cpp; a program that uses Distaff as a library registers its own:
//
//   const Stage *stages[] = {tile, mine, lower};
//   Pipeline mine = {.name = "mine", .attribute = "Mine", .stages = stages};
//   PipelineRegistration known(mine);   // --pipeline mine, pipeline = Mine
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_PIPELINES_PIPELINE_H
#define DISTAFF_PIPELINES_PIPELINE_H

#include "distaff/Kernel/Kernel.h"
#include "distaff/LLVM.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include <optional>
#include <string>

namespace distaff {

class DecisionLog;
struct Target;

/// How a workgroup's subgroups share out the phases of a kernel.
enum class Specialization {
  None,             ///< all run all
  ProducerConsumer, ///< some copy what the others compute with
  PingPong          ///< two halves compute and copy in turn
};

/// What --specialize takes; none for another word.
std::optional<Specialization> lookupSpecialization(StringRef name);
StringRef stringOf(Specialization specialization);

/// The words, for a message.
std::string listSpecializations();

/// What a kernel is compiled with. A stage takes of it what its own options
/// struct has.
struct PipelineOptions {
  const Target *target = nullptr;
  /// Receives what was decided; may be null.
  DecisionLog *log = nullptr;
  /// Float additions and multiplications keep the source's order.
  bool strictFp = false;
  Specialization specialization = Specialization::None;
  /// Layouts are the kernel's own: what none of its anchors reaches is refused.
  bool requireAnchors = false;
};

struct Stage {
  StringLiteral name;     ///< what --stop-after takes
  StringLiteral contract; ///< what holds after it
  Level before, after;    ///< whose program a kernel is
  void (*add)(OpPassManager &, const PipelineOptions &);
  /// Checks the contract; says in a diagnostic what breaks it.
  LogicalResult (*verify)(ModuleOp);
  /// Whether a kernel's IR shows that it has been through this stage; null
  /// where nothing does.
  bool (*isBehind)(FunctionOpInterface) = nullptr;
  /// Whether it does what `PipelineOptions::specialization` asks for.
  bool specializes = false;
  /// Whether it is gone through only where someone asks for it, or for all.
  bool isOnRequest = false;
  /// Why a kernel cannot go through it, where that is no mistake of the
  /// kernel's; null where it takes all.
  std::optional<std::string> (*whyNot)(FunctionOpInterface) = nullptr;
};

struct Pipeline {
  StringLiteral name;      ///< what --pipeline takes
  StringLiteral attribute; ///< its name in translation_info
  ArrayRef<const Stage *> stages;
  /// It leads to code for CPUs, the others to that for GPUs.
  bool isOfHost = false;

  /// The stage of that name, or null.
  const Stage *findStage(StringRef stage) const;

  /// The last stage that nobody need ask for.
  const Stage *lastDefaultStage() const;

  /// The names of the stages, in order.
  std::string listStages() const;
};

/// The pipeline of that name, as --pipeline or as translation_info has it, or
/// null.
const Pipeline *lookupPipeline(StringRef name);

/// Every pipeline, the first the one that kernels take that ask for none.
ArrayRef<const Pipeline *> allPipelines();

/// The names of all pipelines.
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

/// The pipeline that a kernel's translation_info names, the first of all where
/// it names none; null where there is none of that name. For a CPU it is the
/// one that leads there.
const Pipeline *ownPipelineOf(FunctionOpInterface kernel, const Target &target);

/// The pipeline of a kernel: the one that is asked for, if any, else its own.
/// What is asked for is written into the translation_info where the kernel
/// would go another pipeline, so that what a stage leaves goes on along it.
/// Fails where there is none of that name, or none to the target.
FailureOr<const Pipeline *> choosePipeline(FunctionOpInterface kernel,
                                           const Target &target,
                                           const Pipeline *asked = nullptr);

/// The stages of a pipeline that a kernel has not been through: those behind
/// the last that its IR shows to be behind it. On vector-distribute a kernel
/// that is a lane's program, a gpu.func, starts at `lower`, one with its grid
/// function beside it at the first stage from `vectorize` on whose contract it
/// does not meet; any other at `configure`. On run-cluster the ops of pcf in it
/// tell, from `wrap-in-executor` on.
ArrayRef<const Stage *> remainingStages(const Pipeline &pipeline,
                                        FunctionOpInterface kernel);

/// A kernel's pipeline, and the part of it that lies ahead.
struct RemainingStages {
  const Pipeline *pipeline;
  ArrayRef<const Stage *> ahead;
};
FailureOr<RemainingStages> findRemainingStages(FunctionOpInterface kernel,
                                               const Target &target,
                                               const Pipeline *asked = nullptr);

/// Whether stages take a kernel that has ops of pcf in it: they show that it is
/// on the pipeline, the one that is asked for or its own, and it is asked for
/// or the kernel's grid function says how it is launched.
bool isTakenByPipeline(FunctionOpInterface kernel, const Target &target,
                       const Pipeline *asked = nullptr);

/// Finds the stage at which to end, null for an empty name; says what stages
/// there are where the pipeline has none of that name.
LogicalResult findLastStage(Location loc, const Pipeline &pipeline,
                            StringRef name, const Stage *&last);

} // namespace distaff

#endif // DISTAFF_PIPELINES_PIPELINE_H
