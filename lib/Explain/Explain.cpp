//===- Explain.cpp - Collecting what was chosen ---------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Explain/Explain.h"
#include "distaff/Analysis/AccessWidth.h"
#include "distaff/Analysis/Decisions.h"
#include "distaff/Analysis/LayoutPropagation.h"
#include "distaff/Analysis/LiveRegisters.h"
#include "distaff/Analysis/Notation.h"
#include "distaff/Analysis/WorkgroupMemory.h"
#include "distaff/Dialect/Compat/Compat.h"
#include "distaff/Dialect/Compat/Kernel.h"
#include "distaff/Dialect/VectorExt/LayoutOf.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/AsmState.h"
#include "llvm/Support/MathExtras.h"

namespace distaff {

int64_t Explanation::conversionBytes() const {
  int64_t bytes = 0;
  for (const ConversionRecord &conversion : conversions)
    if (conversion.plan.tier == Tier::SharedMemory)
      bytes += conversion.plan.counts.sharedBytes;
  return bytes;
}

int64_t Explanation::reductionBytes() const {
  int64_t bytes = 0;
  for (const ReductionRecord &reduction : reductions)
    bytes += reduction.sharedBytes;
  return bytes;
}

bool Explanation::registersOnly() const {
  return conversionBytes() == 0 && reductionBytes() == 0;
}

namespace {

/// Where the trip count of a loop is not known it counts as this (spec 4.5).
constexpr int64_t unknownTrips = 16;

int64_t elementBits(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
}

class Collector {
public:
  Collector(FunctionOpInterface kernel, const Target &target,
            const LayoutMap &layouts)
      : kernel(kernel), target(target), layouts(layouts), names(kernel) {}

  Explanation collect() {
    LaunchSizes sizes = launchSizesOf(kernel);
    result.kernel = kernel.getName().str();
    result.target = target.name.str();
    result.workgroupSize = sizes.numLanes();
    result.subgroupSize = *sizes.subgroup;
    result.subgroups = result.workgroupSize / result.subgroupSize;
    kernel->walk<WalkOrder::PreOrder>([&](Operation *op) { visit(op); });
    result.liveRegisters =
        mostLiveRegisters(kernel, layouts, hardware()).vectors;
    return std::move(result);
  }

private:
  HardwareShape hardware() const {
    return {result.subgroups, result.subgroupSize};
  }

  /// As the hardware executes it: oversubscribed subgroups are folded, lanes
  /// beyond the subgroup are subgroups.
  Layout placed(vector_ext::VectorLayoutInterface layout) const {
    Layout digits = layout.getLayout();
    return digits.forTarget(result.workgroupSize, result.subgroupSize)
        .value_or(digits);
  }

  std::string nameOf(Value value) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    value.printAsOperand(stream, names);
    return text;
  }

  int64_t replicasOf(vector_ext::VectorLayoutInterface layout) const {
    return layout.getReplication(result.workgroupSize, result.subgroupSize)
        .value_or(1);
  }

  void visit(Operation *op) {
    for (Value value : op->getResults())
      recordValue(op, value);
    if (auto toLayout = dyn_cast<vector_ext::ToLayoutOp>(op))
      recordConversion(toLayout);
    else if (auto reduction = dyn_cast<vector::MultiDimReductionOp>(op))
      recordReduction(op, reduction.getSource(), reduction.getReductionDims(),
                      vector::stringifyCombiningKind(reduction.getKind()));
    else if (auto read = dyn_cast<vector::TransferReadOp>(op))
      recordAccess(read, read.getVector(), layouts.get(read.getVector()));
    else if (auto write = dyn_cast<vector::TransferWriteOp>(op))
      recordAccess(write, write.getVector(),
                   layouts.getUse(write.getValueToStoreMutable()));
  }

  void recordValue(Operation *op, Value value) {
    vector_ext::VectorLayoutInterface layout = layouts.get(value);
    if (!layout)
      return;
    std::string type;
    llvm::raw_string_ostream(type) << value.getType();
    result.values.push_back({nameOf(value), op->getName().getStringRef().str(),
                             type, shortNotation(layout),
                             registersOf(value, layout, hardware()),
                             replicasOf(layout)});
  }

  /// Depth of and iterations through the loops around an op inside one
  /// workgroup; the loop over workgroups is none of them.
  std::pair<int64_t, int64_t> loopsAround(Operation *op) const {
    int64_t depth = 0, trips = 1;
    for (auto loop = op->getParentOfType<scf::ForOp>(); loop;
         loop = loop->getParentOfType<scf::ForOp>()) {
      ++depth;
      std::optional<APInt> count = loop.getStaticTripCount();
      trips *= count ? count->getSExtValue() : unknownTrips;
    }
    return {depth, trips};
  }

  int64_t sharedBytesFor(Operation *op) const {
    return workgroupMemoryLeft(op->getParentOfType<FunctionOpInterface>(),
                               target.dynamicSharedMemoryBytes,
                               target.workgroupAlignment());
  }

  void recordConversion(vector_ext::ToLayoutOp op) {
    vector_ext::VectorLayoutInterface source =
        layouts.getUse(op.getInputMutable());
    vector_ext::VectorLayoutInterface to = op.getLayout();
    bool forced = static_cast<bool>(op.getSharedMemoryConversionAttr());
    if (!source || (source == to && !forced))
      return;
    ConversionRecord record;
    record.name = nameOf(op.getInput());
    record.source = shortNotation(source);
    record.result = shortNotation(to);
    record.forced = forced;
    std::tie(record.loopDepth, record.trips) = loopsAround(op);
    record.plan = planConversion(
        placed(source), placed(to), hardware(), elementBits(op.getType()),
        target.costs, target.banks,
        {.forceShared = forced, .sharedBytes = sharedBytesFor(op)});
    result.conversions.push_back(std::move(record));
  }

  void recordReduction(Operation *op, Value source, ArrayRef<int64_t> dims,
                       StringRef kind) {
    vector_ext::VectorLayoutInterface attribute =
        layouts.getUse(op->getOpOperand(0));
    if (!attribute)
      return;
    Layout layout = placed(attribute);
    ReductionRecord record;
    record.name = nameOf(op->getResult(0));
    record.kind = kind.str();
    record.dims.assign(dims.begin(), dims.end());
    for (int64_t dim : dims)
      for (const Digit &digit : layout.digits(dim))
        countDigit(digit, record);
    record.resultsPerLane = layout.numRegisters() / record.elementsPerLane;
    int64_t words =
        llvm::divideCeil(elementBits(op->getResult(0).getType()), 32);
    record.shuffles = record.rounds * record.resultsPerLane * words;
    int64_t elements = 1;
    if (auto type = dyn_cast<VectorType>(op->getResult(0).getType()))
      elements = type.getNumElements();
    if (record.subgroupsPerResult > 1)
      record.sharedBytes =
          elements * record.subgroupsPerResult *
          bytesInMemory(getElementTypeOrSelf(op->getResult(0).getType()));
    record.replicas = replicasOf(attribute) * record.lanesPerResult *
                      record.subgroupsPerResult;
    result.reductions.push_back(std::move(record));
  }

  static void countDigit(const Digit &digit, ReductionRecord &record) {
    switch (digit.axis) {
    case Axis::Register:
      record.elementsPerLane *= digit.size;
      return;
    case Axis::Subgroup:
      record.subgroupsPerResult *= digit.size;
      return;
    case Axis::Lane:
      record.lanesPerResult *= digit.size;
      record.stride =
          record.stride ? std::min(record.stride, digit.stride) : digit.stride;
      // A butterfly where the digit is a power of two; else a tree and one
      // more round in which all read its root.
      record.rounds +=
          llvm::Log2_64_Ceil(digit.size) + !llvm::isPowerOf2_64(digit.size);
    }
  }

  void recordAccess(VectorTransferOpInterface op, Value vector,
                    vector_ext::VectorLayoutInterface layout) {
    auto type = dyn_cast<MemRefType>(op.getShapedType());
    if (!type || !layout)
      return;
    AccessRecord record;
    record.name = nameOf(vector);
    record.op = op->getName().getStringRef().str();
    record.space = gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type)
                       ? "workgroup"
                       : "global";
    // Both are powers of two: pieces of what a lane has side by side.
    int64_t run = contiguousElements(placed(layout), op.getPermutationMap());
    int64_t elements = std::min(run & -run, widestAccess(op, facts, target));
    record.bytesPerAccess = bytesInMemory(type.getElementType()) * elements;
    result.accesses.push_back(std::move(record));
  }

  /// Elements along the innermost dim of the memory that one lane holds side by
  /// side.
  static int64_t contiguousElements(const Layout &layout, AffineMap map) {
    if (map.getNumDims() == 0)
      return 1;
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      auto memoryDim = dyn_cast<AffineDimExpr>(expr);
      if (!memoryDim || memoryDim.getPosition() + 1 != map.getNumDims() ||
          layout.digits(dim).empty())
        continue;
      const Digit &innermost = layout.digits(dim).back();
      return innermost.axis == Axis::Register ? innermost.size : 1;
    }
    return 1;
  }

  FunctionOpInterface kernel;
  const Target &target;
  const LayoutMap &layouts;
  AsmState names;
  IndexFacts facts;
  Explanation result;
};

/// "contraction: m16n8k16 f16, subgroups 2x1 (cost 64) over ... (cost 130)"
std::string describe(const ChoiceDecision &choice) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << choice.subject;
  if (auto location = dyn_cast<FileLineColLoc>(choice.location))
    stream << " (line " << location.getLine() << ")";
  stream << ": " << choice.chosen.what << " (cost " << choice.chosen.cost
         << ")";
  StringRef separator = " over ";
  for (const Alternative &loser : choice.losers) {
    stream << separator << loser.what;
    if (loser.reason.empty())
      stream << " (cost " << loser.cost << ")";
    else
      stream << " (" << loser.reason << ")";
    separator = ", ";
  }
  return text;
}

} // namespace

FailureOr<Explanation> explainKernel(FunctionOpInterface kernel,
                                     const Target &target,
                                     const DecisionLog *log) {
  LaunchSizes sizes = launchSizesOf(kernel);
  if (!sizes.workgroup || !sizes.subgroup)
    return kernel.emitOpError("has no translation_info with workgroup_size and "
                              "subgroup_size, by which layouts are explained");
  FailureOr<LayoutMap> layouts = propagateLayouts(kernel);
  if (failed(layouts))
    return failure();
  Explanation result = Collector(kernel, target, *layouts).collect();
  if (log)
    for (const ChoiceDecision &choice : log->choices)
      if (choice.function == kernel.getName())
        result.choices.push_back(describe(choice));
  return result;
}

} // namespace distaff
