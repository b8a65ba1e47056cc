//===- Records.cpp - What distribution writes into the log ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops are numbered where distribution begins. What a rule emits has the op's
// location, and so the number.
//
//===----------------------------------------------------------------------===//
#include "Records.h"
#include "distaff/Analysis/Access/WorkgroupMemory.h"
#include "distaff/Analysis/Layout/LayoutChoice.h"
#include "distaff/Analysis/Layout/Notation.h"
#include "distaff/Analysis/Registers/LiveRegisters.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AsmState.h"

using namespace distaff;
using vector_ext::ToLayoutOp;
using vector_ext::TransferGatherOp;
using vector_ext::TransferScatterOp;
using vector_ext::VectorLayoutInterface;

static std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

//===----------------------------------------------------------------------===//
// Before anything is emitted
//===----------------------------------------------------------------------===//

namespace {
class KernelRecorder {
public:
  KernelRecorder(FunctionOpInterface function, const LayoutMap &layouts,
                 const DistributionOptions &options)
      : function(function), layouts(layouts), options(options),
        log(*options.log), names(function) {}

  void run() {
    recordHead();
    function->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op != function)
        record(op);
    });
  }

private:
  int64_t workgroupSize() const {
    return options.numSubgroups * options.subgroupSize;
  }
  HardwareShape hardware() const {
    return {options.numSubgroups, options.subgroupSize};
  }
  std::string nameOf(Value value) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    value.printAsOperand(stream, names);
    return text;
  }

  void recordHead();
  std::string originOf(Value value);
  void record(Operation *op);
  void recordLayouts(Operation *op);
  void recordConversion(ToLayoutOp op, int64_t source);
  void recordAccess(Operation *op, int64_t source);
  Value subjectOf(Operation *op);

  FunctionOpInterface function;
  const LayoutMap &layouts;
  const DistributionOptions &options;
  DecisionLog &log;
  AsmState names;
  llvm::DenseSet<int64_t> numbered;
};
} // namespace

void KernelRecorder::recordHead() {
  KernelDecision kernel;
  kernel.function = function.getName().str();
  kernel.target = options.targetName;
  kernel.workgroupSize = workgroupSize();
  kernel.subgroupSize = options.subgroupSize;
  kernel.subgroups = options.numSubgroups;
  kernel.liveRegisters =
      mostLiveRegisters(function, layouts, hardware()).vectors;
  kernel.ownBytes = workgroupMemoryOf(function, options.workgroupAlignment);
  log.kernels.push_back(std::move(kernel));
}

/// The value by which people know an op.
Value KernelRecorder::subjectOf(Operation *op) {
  if (auto toLayout = dyn_cast<ToLayoutOp>(op))
    return toLayout.getInput();
  if (op->getNumResults() != 0)
    return op->getResult(0);
  for (Value operand : op->getOperands())
    if (isa<VectorType>(operand.getType()))
      return operand;
  return nullptr;
}

/// "chosen for an MMA instruction, line 7"; nothing where no op says.
std::string KernelRecorder::originOf(Value value) {
  auto op = dyn_cast_or_null<ToLayoutOp>(layouts.originOf(value));
  if (!op)
    return "";
  int64_t number = provenanceOf(op.getLoc()).source;
  bool isChosen = number >= 0 && log.ops[number].isChosen;
  std::string origin = isChosen ? "chosen" : "to_layout";
  if (isChosen && op.getMmaKindAttr())
    origin += " for an MMA instruction";
  return origin + ", line " + std::to_string(lineOf(op.getLoc()));
}

void KernelRecorder::record(Operation *op) {
  // A to_layout may have its number from the stage that chose it.
  int64_t number = provenanceOf(op->getLoc()).source;
  if (number < 0 || !numbered.insert(number).second) {
    number = log.addOp({});
    numbered.insert(number);
    op->setLoc(withProvenance(op->getLoc(), {number, {}}));
  }
  SourceOp &source = log.ops[number];
  source.function = function.getName().str();
  if (Value subject = subjectOf(op))
    source.name = nameOf(subject);
  source.operation = op->getName().getStringRef().str();
  source.line = lineOf(op->getLoc());
  source.trips = tripsKnownAround(op);
  recordLayouts(op);
  if (auto toLayout = dyn_cast<ToLayoutOp>(op))
    recordConversion(toLayout, number);
  else if (isa<VectorTransferOpInterface, TransferGatherOp, TransferScatterOp>(
               op))
    recordAccess(op, number);
}

void KernelRecorder::recordLayouts(Operation *op) {
  for (Value value : op->getResults()) {
    VectorLayoutInterface layout = layouts.get(value);
    if (!layout)
      continue;
    LayoutDecision decision;
    decision.function = function.getName().str();
    decision.name = nameOf(value);
    decision.operation = op->getName().getStringRef().str();
    decision.type = textOf(value.getType());
    decision.layout = shortNotation(layout);
    decision.origin = originOf(value);
    decision.registers = registersOf(value, layout, hardware());
    decision.replicas =
        layout.getReplication(workgroupSize(), options.subgroupSize)
            .value_or(1);
    log.layouts.push_back(std::move(decision));
  }
}

/// Completes the record of what assign-layouts has chosen, or makes one.
static ConversionDecision &conversionOf(int64_t source, DecisionLog &log) {
  for (ConversionDecision &known : log.conversions)
    if (known.source == source)
      return known;
  log.conversions.emplace_back().source = source;
  return log.conversions.back();
}

void KernelRecorder::recordConversion(ToLayoutOp op, int64_t source) {
  VectorLayoutInterface from = layouts.getUse(op.getInputMutable());
  if (!from)
    return;
  bool isKnown = llvm::any_of(log.conversions, [&](const auto &known) {
    return known.source == source;
  });
  ConversionDecision &decision = conversionOf(source, log);
  decision.from = shortNotation(from);
  decision.to = shortNotation(op.getLayout());
  decision.changes = from != op.getLayout();
  // Who else would have marked it?
  if (!isKnown)
    decision.demanded = bool(op.getSharedMemoryConversionAttr());
}

void KernelRecorder::recordAccess(Operation *op, int64_t source) {
  Value base;
  if (auto transfer = dyn_cast<VectorTransferOpInterface>(op))
    base = transfer.getBase();
  else if (auto gather = dyn_cast<TransferGatherOp>(op))
    base = gather.getBase();
  else
    base = cast<TransferScatterOp>(op).getBase();
  auto type = dyn_cast<MemRefType>(base.getType());
  if (!type)
    return;
  bool isWorkgroup = gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type);
  log.accesses.push_back({source, isWorkgroup ? "workgroup" : "global"});
}

LogicalResult distaff::recordKernel(FunctionOpInterface function,
                                    const DistributionOptions &options) {
  if (!options.log)
    return success();
  FailureOr<LayoutMap> layouts = propagateLayouts(function);
  if (succeeded(layouts))
    KernelRecorder(function, *layouts, options).run();
  return layouts;
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

static SharedSide sideOf(const SharedAccess &access, int64_t elementBytes) {
  return {access.requests, access.width * elementBytes, access.wavefronts,
          access.ideal,
          /*instruction=*/""};
}

/// "T2 costs more than T3: 24 against 18"
static std::string reasonFor(const ConversionPlan &plan,
                             const ConversionDecision &decision) {
  if (decision.demanded)
    return "shared_memory_conversion demands it";
  if (plan.tier == plan.classified)
    return decision.changes ? "no lesser tier moves what has to move"
                            : "both layouts are one";
  StringRef lesser = stringifyTier(plan.classified);
  for (const Alternative &loser : decision.losers)
    if (loser.what == lesser)
      return (lesser + " " + loser.reason).str();
  return "an operand that was read is promoted";
}

void distaff::recordConversion(ToLayoutOp op, const ConversionPlan &plan,
                               const Distributor &out) {
  DecisionLog *log = out.options.log;
  if (!log)
    return;
  ConversionDecision &decision =
      conversionOf(provenanceOf(op->getLoc()).source, *log);
  // What assign-layouts knows of the others it knows before it marks the op; of
  // another tier than it expected it knows nothing.
  if (decision.losers.empty() || decision.tier != stringifyTier(plan.tier))
    decision.losers = losersOf(plan);
  decision.tier = stringifyTier(plan.tier).str();
  decision.mechanism = describeTier(plan.tier).str();
  decision.cost = plan.cost;
  decision.moves = plan.counts.moves;
  decision.bytePermutes = plan.counts.bytePermutes;
  decision.selects = plan.counts.selects;
  decision.shuffles = plan.counts.shuffleWords;
  decision.rounds = plan.counts.rounds;
  decision.packing = plan.counts.packing;
  decision.addressOps = plan.counts.addressOps;
  decision.barriers = plan.counts.barriers;
  decision.registerSource.assign(plan.registerSource.begin(),
                                 plan.registerSource.end());
  decision.reason = reasonFor(plan, decision);
  decision.byElement = plan.byElement;
  decision.bytes = 0;
  if (plan.tier != Tier::SharedMemory)
    return;
  decision.bytes = plan.counts.sharedBytes;
  decision.pieces = plan.shared->pieces();
  decision.store = sideOf(plan.shared->store, plan.shared->elementBytes);
  decision.load = sideOf(plan.shared->load, plan.shared->elementBytes);
  if (plan.shared->storeTiles)
    decision.store.instruction = describeMatrixStore(*plan.shared->storeTiles);
  if (plan.shared->loadTiles)
    decision.load.instruction = describeMatrixLoad(*plan.shared->loadTiles);
  decision.memory = toString(plan.shared->memory);
}

void distaff::recordConversion(ToLayoutOp op, const TargetOp &row,
                               int64_t issues, const Distributor &out) {
  DecisionLog *log = out.options.log;
  if (!log)
    return;
  ConversionDecision &decision =
      conversionOf(provenanceOf(op->getLoc()).source, *log);
  decision.tier = stringifyTier(Tier::LaneShuffle).str();
  decision.mechanism = "by " + row.name.str();
  // Of the target's own row, if it is known.
  const Target *target = lookupTarget(out.options.targetName);
  const TargetOp *own = target ? target->findOp(row.name) : nullptr;
  decision.cost = issues * (own ? *own : row).issueCost;
  decision.reason = "no lesser tier moves what has to move";
}

void distaff::recordMatrixRead(Operation *op, const MatrixTiles &tiles,
                               ArrayRef<int64_t> strides,
                               const Distributor &out) {
  DecisionLog *log = out.options.log;
  if (!log)
    return;
  auto decision = llvm::find_if(log->accesses, [&](const AccessDecision &x) {
    return x.source == provenanceOf(op->getLoc()).source;
  });
  if (decision == log->accesses.end())
    return;
  if (tiles.load.isGlobal) { // of which there are no banks
    decision->instruction = describeMatrixLoad(tiles);
    return;
  }
  // Wherever memory and a register's rows begin, on a multiple of what a lane
  // names, banks are only rotated: one instruction stands for all.
  int64_t wavefronts = 0, phases = 0;
  int64_t bytes = tiles.spokenBytes() / tiles.perRow;
  int64_t speakers = tiles.speakers(out.hardware());
  int64_t together = out.options.banks.lanesPerPhase(tiles.spokenBytes());
  for (int64_t first = 0; first < speakers; first += together, ++phases) {
    SmallVector<int64_t> rows;
    for (int64_t lane = first; lane < first + together; ++lane) {
      int64_t offset = 0;
      for (auto [i, stride] :
           llvm::zip_equal(tiles.rows.indexOf({0, lane, 0}), strides))
        offset += i * stride;
      rows.push_back(offset * bytes);
    }
    wavefronts += out.options.banks.wavefronts(rows, tiles.spokenBytes());
  }
  int64_t count = tiles.instructions() * out.options.numSubgroups;
  decision->instruction = describeMatrixLoad(tiles);
  decision->wavefronts = count * wavefronts;
  decision->ideal = count * phases;
}

void distaff::recordReduction(Operation *op, StringRef kind,
                              ArrayRef<int64_t> dims, int64_t elementsPerLane,
                              const Reach &reach, std::optional<int64_t> rounds,
                              const Distributor &out) {
  DecisionLog *log = out.options.log;
  if (!log)
    return;
  ReductionDecision decision;
  decision.source = provenanceOf(op->getLoc()).source;
  decision.kind = kind.str();
  decision.dims.assign(dims.begin(), dims.end());
  decision.elementsPerLane = elementsPerLane;
  decision.lanesPerResult = productOf(reach.reducedLanes);
  for (const Digit &digit : reach.reducedLanes)
    decision.stride = decision.stride ? std::min(decision.stride, digit.stride)
                                      : digit.stride;
  decision.subgroupsPerResult = productOf(reach.reducedSubgroups);
  decision.resultsPerLane = reach.result ? reach.result->numRegisters() : 1;
  decision.rounds = rounds.value_or(0);
  decision.inOrder = !rounds;
  int64_t holders = productOf(reach.lanes) * productOf(reach.subgroups) /
                    (decision.lanesPerResult * decision.subgroupsPerResult);
  decision.replicas =
      out.options.numSubgroups * out.options.subgroupSize / holders;
  log->reductions.push_back(std::move(decision));
}

void distaff::recordScan(vector::ScanOp op, const Reach &reach, bool inOrder,
                         const Distributor &out) {
  if (DecisionLog *log = out.options.log)
    log->scans.push_back({provenanceOf(op->getLoc()).source,
                          stringifyCombiningKind(op.getKind()).str(),
                          int64_t(op.getReductionDim()), op.getInclusive(),
                          inOrder, productOf(reach.reducedLanes),
                          productOf(reach.reducedSubgroups)});
}

//===----------------------------------------------------------------------===//
// At the end
//===----------------------------------------------------------------------===//

/// The op whose exchange goes through a buffer.
static int64_t ownerOf(memref::AllocOp alloc) {
  for (Operation *user : alloc->getUsers())
    if (int64_t source = provenanceOf(user->getLoc()).source; source >= 0)
      return source;
  return -1;
}

void distaff::recordExchanges(FunctionOpInterface function,
                              const BufferPlan &plan,
                              ArrayRef<WorkgroupBuffer> buffers,
                              DecisionLog *log) {
  if (!log)
    return;
  for (const WorkgroupBuffer &buffer : buffers) {
    memref::AllocOp alloc = buffer.alloc;
    auto place = plan.places.find(alloc.getResult());
    log->buffers.push_back(
        {function.getName().str(), ownerOf(alloc),
         workgroupBytesOf(alloc.getType()),
         place == plan.places.end() ? -1 : place->second.offset});
  }
  for (auto &[op, reason] : plan.syncs)
    log->barriers.push_back({function.getName().str(),
                             provenanceOf(op->getLoc()).source,
                             describe(reason).str()});
}

/// True if an op in a branch is done by all who take the branch: no part of it
/// depends on a mask or on where memory ends.
static bool isDoneByAll(Operation *op) {
  if (op->getNumRegions() != 0)
    return false;
  if (auto transfer = dyn_cast<VectorTransferOpInterface>(op))
    return !transfer.getMask() && !transfer.hasOutOfBoundsDim();
  auto isInside = [](auto indexed) {
    return !indexed.getMask() &&
           llvm::all_of(indexed.getInBoundsArray(), [](bool in) { return in; });
  };
  if (auto gather = dyn_cast<TransferGatherOp>(op))
    return isInside(gather);
  if (auto scatter = dyn_cast<TransferScatterOp>(op))
    return isInside(scatter);
  return !isa<vector::MaskedLoadOp, vector::MaskedStoreOp, vector::GatherOp,
              vector::ScatterOp>(op);
}

void distaff::recordDistributed(FunctionOpInterface function,
                                const HardwareIds &ids,
                                const DistributionOptions &options) {
  if (!options.log)
    return;
  function->walk([&](scf::IfOp branch) {
    std::optional<Population> holders = ids.holdersIf(branch.getCondition());
    if (!holders || branch.elseBlock() ||
        !llvm::all_of(*branch.thenBlock(),
                      [](Operation &op) { return isDoneByAll(&op); }))
      return;
    int64_t source = provenanceOf(branch.getLoc()).source;
    branch->setLoc(withProvenance(branch.getLoc(), {source, *holders}));
  });
  for (KernelDecision &kernel : options.log->kernels)
    if (kernel.function == function.getName())
      kernel.allocatedBytes =
          workgroupMemoryOf(function, options.workgroupAlignment);
}
