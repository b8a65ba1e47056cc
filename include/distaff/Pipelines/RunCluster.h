//===- RunCluster.h - Pipeline run-cluster: phases, clusters ----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the stages of the pipeline run-cluster: each one function, one
// options struct with what it needs, one heading in docs/Pipeline.md. A
// workgroup's work becomes phases of its subgroups, those become phases of
// lanes. At both levels, each member first gets its part, and then clusters
// become a switch on its id:
//
//   tile                      pcf.loop over workgroups, tensors in it
//   wrap-in-executor,
//   form-matmul-phases        what all subgroups do, as phases with a payload
//   promote-to-shared-memory,
//   specialize                panels; which workers copy, and which compute
//   distribute-subgroups      each subgroup's part; one executor of lanes
//   distribute-lanes          each lane's part; no cluster is left
//   vectorize                 a lane's tensors are vectors
//   concretize                memrefs, ids and barriers; a gpu.func
//   lower                     as on every pipeline
//
// A stage leaves code alone that is already in its output form, so that a
// kernel may enter with ops of pcf that its author wrote (PCF-86).
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_PIPELINES_RUNCLUSTER_H
#define DISTAFF_PIPELINES_RUNCLUSTER_H

#include "distaff/Pipelines/Pipeline.h"

namespace distaff {

struct ConfigureClustersStageOptions {
  const Target &target;
  RankerSource rankers;  ///< predicts what launches cost
  bool strictFp = false; ///< float sums and products keep their order
  /// Panels hold more than one step at a time if a specialization is set.
  Specialization specialization = Specialization::None;
  DecisionLog *log = nullptr; ///< receives what was decided; may be null
};
/// Normalizes kernels that are one product, and forms launches of others.
void addFormClusterLaunchesStage(OpPassManager &manager,
                                 const ConfigureClustersStageOptions &options);
/// Picks workgroup, subgroups, tiles, and the operands that go through panels.
void addConfigureClustersStage(OpPassManager &manager,
                               const ConfigureClustersStageOptions &options);

struct TileToLoopStageOptions {
  const Target &target;
  bool strictFp = false;
  bool requireAnchors = false; ///< layouts are the kernel's own
  /// Whether workgroups iterate over steps whose data is copied ahead.
  Specialization specialization = Specialization::None;
  DecisionLog *log = nullptr;
};
/// Tiles a kernel to one pcf.loop over workgroups, and makes its grid function:
/// of tensors around one product, else of vectors with layouts.
void addTileToLoopStage(OpPassManager &manager,
                        const TileToLoopStageOptions &options);

/// Wraps what a workgroup does with tensors in an executor of its subgroups.
void addWrapInExecutorStage(OpPassManager &manager);

struct FormMatmulPhasesStageOptions {
  /// Whether steps of loops end where a product of matrices begins and ends.
  Specialization specialization = Specialization::None;
};
/// Splits a contraction into phases that pass the accumulator on.
void addFormMatmulPhasesStage(OpPassManager &manager,
                              const FormMatmulPhasesStageOptions &options);

struct PromoteToSharedMemoryStageOptions {
  const Target &target;
  /// Whether phases of loops read only what other subgroups can copy ahead.
  Specialization specialization = Specialization::None;
};
/// Copies promoted operands to panels, in phases of their own.
void addPromoteToSharedMemoryStage(
    OpPassManager &manager, const PromoteToSharedMemoryStageOptions &options);

struct SpecializeStageOptions {
  const Target &target;
  bool strictFp = false;
  Specialization specialization = Specialization::None;
  DecisionLog *log = nullptr;
};
/// Assigns phases to clusters of subgroups; without a specialization all run
/// all phases. Then chooses how products in phases are computed.
void addSpecializeStage(OpPassManager &manager,
                        const SpecializeStageOptions &options);

struct DistributeSubgroupsStageOptions {
  const Target &target;
};
/// Replaces what subgroups do together by the part of each: an executor of
/// lanes.
void addDistributeSubgroupsStage(
    OpPassManager &manager, const DistributeSubgroupsStageOptions &options);

struct DistributeLanesStageOptions {
  const Target &target;
  bool strictFp = false;
  DecisionLog *log = nullptr;
};
/// Replaces what lanes do together by the part of each. The lanes of a subgroup
/// share the tensor ops of the subgroup's own code.
void addDistributeLanesStage(OpPassManager &manager,
                             const DistributeLanesStageOptions &options);

/// Vectorizes a lane's tensors.
void addVectorizeLanesStage(OpPassManager &manager);

struct ConcretizeStageOptions {
  const Target &target;
  DecisionLog *log = nullptr;
};
/// Lowers pcf: memory gets spaces and layouts, workers get ids, a kernel
/// becomes a gpu.func.
void addConcretizeStage(OpPassManager &manager,
                        const ConcretizeStageOptions &options);

extern const Pipeline runCluster;

} // namespace distaff

#endif // DISTAFF_PIPELINES_RUNCLUSTER_H
