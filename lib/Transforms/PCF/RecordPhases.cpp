//===- RecordPhases.cpp - Who runs what, for the log ----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// While phases are collective they say who runs them, on which panels, and who
// waits for whom. Once clusters are a switch on a worker's id, nothing does.
//
//===----------------------------------------------------------------------===//
#include "distaff/Transforms/PCF/Passes.h"

#include "distaff/Analysis/AccessWidth.h"
#include "distaff/Analysis/Decisions.h"
#include "distaff/CheckedSize.h"
#include "distaff/Dialect/Compat/Compat.h"
#include "distaff/Dialect/Compat/Kernel.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace distaff;
using namespace distaff::pcf;

static std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// "ws.producer"; what all run is nobody's in particular.
static std::string nameOf(Type handle) {
  auto cluster = dyn_cast<ClusterType>(handle);
  if (!cluster)
    return "all subgroups";
  return llvm::join(
      llvm::map_range(cluster.getId().getPath(),
                      [](StringAttr part) { return part.getValue(); }),
      ".");
}

static std::vector<std::string> payloadOf(Type handle) {
  std::vector<std::string> types;
  for (Type type : getPayload(handle))
    types.push_back(textOf(type));
  return types;
}

/// A bound of a cluster as a number; none where the launch decides it.
static std::optional<int64_t> evaluate(AffineExpr bound, ValueRange ranges,
                                       int64_t workers) {
  MLIRContext *context = bound.getContext();
  SmallVector<AffineExpr> dims;
  for (auto [number, value] : llvm::enumerate(ranges)) {
    std::optional<int64_t> known = getConstantIntValue(value);
    dims.push_back(known ? getAffineConstantExpr(*known, context)
                         : getAffineDimExpr(number, context));
  }
  auto number = dyn_cast<AffineConstantExpr>(bound.replaceDimsAndSymbols(
      dims, {getAffineConstantExpr(workers, context)}));
  return number ? std::optional(number.getValue()) : std::nullopt;
}

namespace {
/// Writes down what one executor's body does, in its order.
class Recorder {
public:
  Recorder(FunctionOpInterface kernel, SharedExecutorOp executor,
           int64_t subgroups, DecisionLog &log)
      : function(kernel.getName().str()), executor(executor),
        subgroups(subgroups), log(log) {}

  void record() {
    for (Value panel : executor.getLeadingArgs())
      recordPanel(panel);
    log.groups.push_back({function, nameOf(executor.getThreadgroup().getType()),
                          /*first=*/0, subgroups});
    executor.getExecute().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<RefOwnerOpInterface>(op))
        return WalkResult::skip();
      if (auto group = dyn_cast<TileGroupOp>(op))
        recordClusters(group);
      else if (auto phase = dyn_cast<RunClusterOp>(op))
        recordPhase(phase, phase.getSources(), phase.getResult());
      else if (auto phase = dyn_cast<RunThreadOp>(op))
        recordPhase(phase, phase.getSources(), phase.getResult());
      else if (auto barrier = dyn_cast<BarrierOp>(op))
        recordBarrier(barrier);
      return WalkResult::advance();
    });
  }

private:
  void recordPanel(Value panel) {
    auto type = dyn_cast<SRefType>(panel.getType());
    if (!type || !type.hasStaticShape())
      return;
    PanelDecision record;
    record.function = function;
    record.type =
        textOf(RankedTensorType::get(type.getShape(), type.getElementType()));
    record.bytes = checkedElements(type.getShape()).value_or(0) *
                   bytesInMemory(type.getElementType());
    panels[panel] = log.panels.size();
    log.panels.push_back(std::move(record));
  }

  void recordClusters(TileGroupOp group) {
    SmallVector<Value> ranges = group.getAllRangeValues();
    for (Value cluster : group.getClusters()) {
      auto type = cast<ClusterType>(cluster.getType());
      GroupDecision record{function, nameOf(type)};
      if (type.getRank() == 1) {
        auto first = evaluate(type.getLowerBound(0), ranges, subgroups);
        auto end = evaluate(type.getUpperBound(0), ranges, subgroups);
        record.first = first.value_or(-1);
        record.subgroups = first && end ? *end - *first : -1;
      }
      log.groups.push_back(std::move(record));
    }
  }

  StepDecision makeStep(Operation *op, StepDecision::Kind kind) {
    StepDecision step;
    step.function = function;
    step.kind = kind;
    step.line = lineOf(op->getLoc());
    step.trips = tripsKnownAround(op);
    return step;
  }

  /// The number of the panel that a ref shows, none for other memory.
  std::optional<int64_t> panelOf(Value ref) {
    auto found = panels.find(getViewedRef(ref));
    return found == panels.end() ? std::nullopt
                                 : std::optional<int64_t>(found->second);
  }

  static void addOnce(std::vector<int64_t> &numbers, int64_t number) {
    if (!llvm::is_contained(numbers, number))
      numbers.push_back(number);
  }

  void recordPhase(Operation *phase, ValueRange sources, Value result) {
    StepDecision step = makeStep(phase, StepDecision::Kind::Phase);
    step.groups.push_back(nameOf(sources.front().getType()));
    for (Value source : sources)
      llvm::append_range(step.takes, payloadOf(source.getType()));
    if (result)
      step.leaves = payloadOf(result.getType());
    phase->walk([&](Operation *op) {
      if (auto read = dyn_cast<ReadSliceOp>(op)) {
        std::optional<int64_t> panel = panelOf(read.getSource());
        panel ? addOnce(step.panelsRead, *panel)
              : void(step.readsGlobal = true);
      } else if (auto write = dyn_cast<WriteSliceOp>(op)) {
        std::optional<int64_t> panel = panelOf(write.getDest());
        panel ? addOnce(step.panelsWritten, *panel)
              : void(step.writesGlobal = true);
      } else if (isa<linalg::LinalgOp>(op)) {
        std::string name = op->getName().getStringRef().str();
        if (!llvm::is_contained(step.operations, name))
          step.operations.push_back(name);
      }
    });
    log.steps.push_back(std::move(step));
  }

  void recordBarrier(BarrierOp barrier) {
    StepDecision step = makeStep(barrier, StepDecision::Kind::Barrier);
    for (Value cluster : barrier.getClusters())
      step.groups.push_back(nameOf(cluster.getType()));
    if (step.groups.empty())
      step.groups.push_back(nameOf(executor.getThreadgroup().getType()));
    for (Value ref : barrier.getRefs())
      if (std::optional<int64_t> panel = panelOf(ref))
        addOnce(step.panelsWritten, *panel);
    log.steps.push_back(std::move(step));
  }

  std::string function;
  SharedExecutorOp executor;
  int64_t subgroups;
  DecisionLog &log;
  llvm::DenseMap<Value, int64_t> panels; // by their places in the log
};

struct RecordPhases final : PassWrapper<RecordPhases, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RecordPhases)

  explicit RecordPhases(DecisionLog &log) : log(&log) {}

  StringRef getName() const final { return "RecordPhases"; }

  void runOnOperation() final {
    for (FunctionOpInterface kernel : findKernels(getOperation())) {
      LaunchSizes sizes = launchSizesOf(kernel);
      int64_t subgroups =
          sizes.subgroup ? llvm::divideCeil(sizes.numLanes(), *sizes.subgroup)
                         : 0;
      kernel->walk([&](SharedExecutorOp executor) {
        if (isa<compat::SubgroupScopeAttr>(executor.getScope()))
          Recorder(kernel, executor, subgroups, *log).record();
      });
    }
    markAllAnalysesPreserved();
  }

private:
  DecisionLog *log;
};
} // namespace

std::unique_ptr<Pass> distaff::createRecordPhases(DecisionLog &log) {
  return std::make_unique<RecordPhases>(log);
}
