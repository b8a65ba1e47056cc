//===- Pipeline.cpp - Lookup of pipelines and remaining stages ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Pipelines/Pipeline.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/PCF/Transforms.h"
#include "distaff/Pipelines/HostPipeline.h"
#include "distaff/Pipelines/RunCluster.h"
#include "distaff/Pipelines/VectorDistribute.h"
#include "distaff/Target/Target.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace distaff {

using iree::TranslationInfoAttr;

/// Returns the built-in pipelines, then those that were registered.
static SmallVectorImpl<const Pipeline *> &pipelines() {
  static SmallVector<const Pipeline *> list = {&vectorDistribute, &runCluster,
                                               &hostPipeline};
  return list;
}

const Stage *Pipeline::lastDefaultStage() const {
  ArrayRef<const Stage *> unasked = stages;
  while (unasked.size() > 1 && unasked.back()->isOnRequest)
    unasked = unasked.drop_back();
  return unasked.back();
}

/// Returns the current name of a stage that was renamed.
static StringRef currentNameOf(StringRef stage) {
  return llvm::StringSwitch<StringRef>(stage)
      .Case("wrap", "wrap-in-executor")
      .Case("form-flow", "form-matmul-phases")
      .Case("copies", "promote-to-shared-memory")
      .Default(stage);
}

const Stage *Pipeline::findStage(StringRef stage) const {
  for (StringRef name : {stage, currentNameOf(stage)})
    for (const Stage *each : stages)
      if (each->name == name)
        return each;
  return nullptr;
}

namespace {
struct SpecializationName {
  Specialization specialization;
  StringLiteral name;
};
} // namespace

static constexpr SpecializationName specializations[] = {
    {Specialization::None, "none"},
    {Specialization::ProducerConsumer, "producer-consumer"},
    {Specialization::PingPong, "ping-pong"}};

std::optional<Specialization> lookupSpecialization(StringRef name) {
  for (const SpecializationName &row : specializations)
    if (row.name == name)
      return row.specialization;
  return std::nullopt;
}

StringRef stringOf(Specialization specialization) {
  for (const SpecializationName &row : specializations)
    if (row.specialization == specialization)
      return row.name;
  llvm_unreachable("every specialization has a row");
}

std::string listSpecializations() {
  return llvm::join(
      llvm::map_range(specializations,
                      [](const SpecializationName &row) { return row.name; }),
      ", ");
}

template <typename Rows> static std::string listNames(const Rows &rows) {
  return llvm::join(
      llvm::map_range(rows, [](const auto *row) { return row->name; }), ", ");
}

std::string Pipeline::listStages() const { return listNames(stages); }

const Pipeline *lookupPipeline(StringRef name) {
  auto found = llvm::find_if(pipelines(), [&](const Pipeline *pipeline) {
    return pipeline->name == name || pipeline->attribute == name;
  });
  return found == pipelines().end() ? nullptr : *found;
}

ArrayRef<const Pipeline *> allPipelines() { return pipelines(); }

std::string listPipelines() { return listNames(pipelines()); }

PipelineRegistration::PipelineRegistration(const Pipeline &pipeline)
    : pipeline(&pipeline) {
  assert(!lookupPipeline(pipeline.name) &&
         !lookupPipeline(pipeline.attribute) && "a name means one pipeline");
  assert(!pipeline.stages.empty() && "a pipeline has stages");
  pipelines().push_back(&pipeline);
}

PipelineRegistration::~PipelineRegistration() {
  llvm::erase(pipelines(), pipeline);
}

/// Writes a pipeline into a kernel's translation_info.
static void setPipeline(FunctionOpInterface kernel, const Pipeline &pipeline) {
  Attribute written = kernel->getAttr(TranslationInfoAttr::attributeName);
  auto info = dyn_cast_or_null<TranslationInfoAttr>(written);
  if (written && !info) // it is refused where it is read
    return;
  MLIRContext *context = kernel.getContext();
  context->getOrLoadDialect<iree::IREECodegenDialect>();
  auto attribute = StringAttr::get(context, pipeline.attribute);
  kernel->setAttr(TranslationInfoAttr::attributeName,
                  info ? TranslationInfoAttr::get(
                             context, attribute, info.getWorkgroupSize(),
                             info.getSubgroupSize(), info.getConfiguration())
                       : TranslationInfoAttr::get(context, attribute,
                                                  /*workgroupSize=*/{},
                                                  /*subgroupSize=*/0,
                                                  /*configuration=*/nullptr));
}

/// Returns the pipeline that a kernel's translation_info names; null if none.
static StringAttr pipelineOf(FunctionOpInterface kernel) {
  auto info = kernel->getAttrOfType<TranslationInfoAttr>(
      TranslationInfoAttr::attributeName);
  return info ? info.getPipeline() : nullptr;
}

const Pipeline *ownPipelineOf(FunctionOpInterface kernel,
                              const Target &target) {
  if (target.isHost())
    return *llvm::find_if(pipelines(), [](const Pipeline *pipeline) {
      return pipeline->isOfHost;
    });
  if (StringAttr named = pipelineOf(kernel))
    return lookupPipeline(named.getValue());
  // Code of a group, or of its workers, has passed a stage of the pipeline that
  // has groups.
  if (startsWorkers(kernel))
    for (const Pipeline *pipeline : pipelines())
      if (remainingStages(*pipeline, kernel).size() < pipeline->stages.size())
        return pipeline;
  return pipelines().front();
}

/// Fails if a kernel's pipeline does not lead to the target.
static LogicalResult checkLeadsTo(FunctionOpInterface kernel,
                                  const Pipeline &pipeline,
                                  const Target &target) {
  if (pipeline.isOfHost && !target.isHost())
    return kernel.emitOpError("pipeline '")
           << pipeline.name << "' does not support target " << target.name
           << ": it compiles for CPUs";
  if (!target.isHost())
    return success();
  if (!pipeline.isOfHost)
    return kernel.emitOpError("pipeline '")
           << pipeline.name << "' does not support target " << target.name
           << ": it shares work among the subgroups and lanes of a workgroup, "
              "of which a CPU's has one; leave out --pipeline";
  if (startsWorkers(kernel) || levelOf(kernel) == Level::Lane)
    return kernel.emitOpError("says which subgroups or lanes run what, and a "
                              "workgroup of ")
           << target.name
           << " has one of each; give it the kernel as linalg or as a "
              "workgroup's vectors";
  return success();
}

FailureOr<const Pipeline *> choosePipeline(FunctionOpInterface kernel,
                                           const Target &target,
                                           const Pipeline *asked) {
  const Pipeline *own = ownPipelineOf(kernel, target), *pipeline = asked;
  if (!asked)
    pipeline = own;
  if (pipeline) {
    if (failed(checkLeadsTo(kernel, *pipeline, target)))
      return failure();
    if (pipeline != own)
      setPipeline(kernel, *pipeline);
    return pipeline;
  }
  InFlightDiagnostic diagnostic = kernel->emitOpError("asks for the pipeline `")
                                  << pipelineOf(kernel).getValue()
                                  << "`; there is ";
  llvm::interleaveComma(pipelines(), diagnostic, [&](const Pipeline *known) {
    diagnostic << known->attribute;
  });
  return diagnostic << ", or choose with --pipeline";
}

ArrayRef<const Stage *> remainingStages(const Pipeline &pipeline,
                                        FunctionOpInterface kernel) {
  ArrayRef<const Stage *> behind = pipeline.stages;
  while (!behind.empty() &&
         !(behind.back()->isBehind && behind.back()->isBehind(kernel)))
    behind = behind.drop_back();
  return pipeline.stages.drop_front(behind.size());
}

FailureOr<RemainingStages> findRemainingStages(FunctionOpInterface kernel,
                                               const Target &target,
                                               const Pipeline *asked) {
  FailureOr<const Pipeline *> pipeline = choosePipeline(kernel, target, asked);
  if (failed(pipeline))
    return failure();
  return RemainingStages{*pipeline, remainingStages(**pipeline, kernel)};
}

bool isTakenByPipeline(FunctionOpInterface kernel, const Target &target,
                       const Pipeline *asked) {
  const Pipeline *pipeline = asked ? asked : ownPipelineOf(kernel, target);
  // The launch of a loop over workgroups follows from tile.
  auto source = dyn_cast<func::FuncOp>(*kernel);
  if (pipeline && !pipeline->isOfHost && source && pcf::isRaisable(source))
    return true;
  return pipeline &&
         remainingStages(*pipeline, kernel).size() < pipeline->stages.size() &&
         (asked || findGridFunction(kernel));
}

LogicalResult findLastStage(Location loc, const Pipeline &pipeline,
                            StringRef name, const Stage *&last) {
  last = pipeline.findStage(name);
  if (last || name.empty())
    return success();
  return emitError(loc, "there is no stage '")
         << name << "' on the pipeline " << pipeline.name << ", which is "
         << pipeline.listStages();
}

} // namespace distaff
