//===- MatmulPhases.cpp - Plan of a tiled contraction's phases ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "MatmulPhases.h"

#include "distaff/Dialect/IREE/IREE.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace distaff;
using namespace distaff::pcf;

static bool isContraction(linalg::LinalgOp op) {
  return linalg::isaContractionOpInterface(op) && op.hasPureTensorSemantics();
}

static iree::LoweringConfigAttr configOf(linalg::LinalgOp op) {
  return op->getAttrOfType<iree::LoweringConfigAttr>(
      iree::LoweringConfigAttr::attributeName);
}

bool pcf::hasConfiguredContraction(SharedExecutorOp executor) {
  return llvm::any_of(executor.getBody()->getOps<linalg::LinalgOp>(),
                      [](linalg::LinalgOp op) {
                        iree::LoweringConfigAttr config =
                            isContraction(op) ? configOf(op) : nullptr;
                        return config && !config.getWorkgroupTiles().empty();
                      });
}

/// Returns the only contraction of the body.
/// \pre there is one
static FailureOr<linalg::LinalgOp> findContraction(SharedExecutorOp executor) {
  linalg::LinalgOp found;
  for (auto op : executor.getBody()->getOps<linalg::LinalgOp>()) {
    if (!isContraction(op))
      continue;
    if (found)
      return op.emitOpError("is a second contraction in one workgroup's work; "
                            "phases are formed for one");
    found = op;
  }
  return found;
}

/// Reads the tiles of the loops from the contraction's configuration.
static LogicalResult readTiles(MatmulPhases &flow) {
  linalg::LinalgOp op = flow.contraction;
  iree::LoweringConfigAttr config = configOf(op);
  SmallVector<int64_t> workgroup = config.getWorkgroupTiles();
  SmallVector<int64_t> reduction = config.getReductionTiles();
  size_t numLoops = op.getNumLoops();
  if (workgroup.size() != numLoops || reduction.size() != numLoops)
    return op.emitOpError("needs a workgroup and a reduction tile for each of ")
           << numLoops << " loops in its lowering_config";
  for (auto [i, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    FlowLoop &loop = flow.loops.emplace_back();
    loop.isReduction = iterator == utils::IteratorType::reduction;
    loop.tile = loop.isReduction ? reduction[i] : workgroup[i];
    if (loop.tile <= 0)
      return op.emitOpError("has no ")
             << (loop.isReduction ? "reduction" : "workgroup")
             << " tile for loop " << i << " in its lowering_config";
  }
  return success();
}

bool pcf::isReadTensor(OpOperand &operand) {
  auto op = cast<linalg::LinalgOp>(operand.getOwner());
  return isa<RankedTensorType>(operand.get().getType()) &&
         (!op.isDpsInit(&operand) || op.payloadUsesValueFromOperand(&operand));
}

namespace {
/// Records the ops that compute a value, back to slices that are read and to
/// known values.
struct Tracer {
  /// The loops of the dimensions of values that need not be computed.
  DenseMap<Value, SmallVector<unsigned>> known;
  /// Location of the value that cannot be computed that way.
  std::optional<Location> culprit;

  LogicalResult trace(Value value, ArrayRef<unsigned> dims,
                      FlowOperand &operand);

private:
  LogicalResult refuse(Value value) {
    culprit = value.getLoc();
    return failure();
  }
};
} // namespace

/// Returns whether an op is elementwise, and its operands are indexed by
/// projected permutations of its loops.
static bool isPermutedElementwise(linalg::LinalgOp op) {
  return op && op.getNumParallelLoops() == op.getNumLoops() &&
         op->getNumResults() == 1 &&
         op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isPermutation() &&
         llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
           return map.isProjectedPermutation();
         });
}

static SmallVector<unsigned> pick(AffineMap map, ArrayRef<unsigned> loops) {
  return llvm::map_to_vector(map.getResults(), [&](AffineExpr dim) {
    return loops[cast<AffineDimExpr>(dim).getPosition()];
  });
}

/// Adds a value's definition to the chain, after its operands. `dims` are the
/// loops of the contraction for each dimension of the value.
LogicalResult Tracer::trace(Value value, ArrayRef<unsigned> dims,
                            FlowOperand &operand) {
  if (auto it = known.find(value); it != known.end())
    return ArrayRef(it->second) == dims ? success() : refuse(value);
  Operation *op = value.getDefiningOp();
  if (!op)
    return refuse(value);
  FlowStep step{op, llvm::to_vector(dims)};
  if (llvm::is_contained(operand.chain, step))
    return success();
  auto elementwise = dyn_cast<linalg::LinalgOp>(op);
  if (isPermutedElementwise(elementwise)) {
    SmallVector<unsigned> loops(elementwise.getNumLoops());
    AffineMap result =
        elementwise.getIndexingMapMatchingResult(cast<OpResult>(value));
    for (auto [dim, loop] : llvm::zip_equal(result.getResults(), dims))
      loops[cast<AffineDimExpr>(dim).getPosition()] = loop;
    for (OpOperand &input : op->getOpOperands())
      if (isReadTensor(input) &&
          failed(trace(input.get(),
                       pick(elementwise.getMatchingIndexingMap(&input), loops),
                       operand)))
        return failure();
  } else if (!isa<ReadSliceOp>(op)) {
    return refuse(value);
  }
  operand.chain.push_back(std::move(step));
  return success();
}

/// Traces an operand of the contraction; reports an error if that fails.
static LogicalResult traceOperand(Value value, ArrayRef<unsigned> dims,
                                  FlowOperand &operand) {
  Tracer tracer;
  if (succeeded(tracer.trace(value, dims, operand)))
    return success();
  return emitError(*tracer.culprit)
         << "an operand of the contraction is neither a slice that is read nor "
            "made of such, element by element";
}

SmallVector<unsigned> pcf::getLoops(AffineMap map) {
  return llvm::map_to_vector(map.getResults(), [](AffineExpr dim) {
    return cast<AffineDimExpr>(dim).getPosition();
  });
}

/// Returns the sizes of the result of an op of a chain, as far as they are
/// known: those of the slice, or of the empty tensor that the op writes to.
static SmallVector<OpFoldResult> getSizes(Operation *op) {
  if (auto read = dyn_cast<ReadSliceOp>(op))
    return read.getMixedSizes();
  OpOperand *init = cast<linalg::LinalgOp>(op).getDpsInitOperand(0);
  auto empty = init->get().getDefiningOp<tensor::EmptyOp>();
  return empty ? empty.getMixedSizes() : SmallVector<OpFoldResult>();
}

/// Reads the operands of the contraction, and the sizes of its loops.
static LogicalResult readInputs(MatmulPhases &flow) {
  linalg::LinalgOp op = flow.contraction;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (!map.isProjectedPermutation())
      return op.emitOpError("is indexed by more than its loops");
    FlowOperand &operand = flow.inputs.emplace_back();
    if (failed(traceOperand(input->get(), getLoops(map), operand)))
      return failure();
    for (const FlowStep &step : operand.chain)
      for (auto [loop, size] : llvm::zip(step.dims, getSizes(step.op)))
        if (!flow.loops[loop].size)
          flow.loops[loop].size = size;
  }
  for (auto [i, loop] : llvm::enumerate(flow.loops))
    if (!loop.size)
      return op.emitOpError("has no slice and no tensor.empty that says how "
                            "long loop ")
             << i << " is";
  return success();
}

/// Reads the initial value of the accumulator.
static LogicalResult readStart(MatmulPhases &flow) {
  OpOperand &init = flow.contraction.getDpsInitsMutable()[0];
  if (auto fill = init.get().getDefiningOp<linalg::FillOp>()) {
    flow.initial = fill.getInputs().front();
    return success();
  }
  return traceOperand(init.get(),
                      getLoops(flow.contraction.getMatchingIndexingMap(&init)),
                      flow.start);
}

/// Returns whether an op computes numbers from numbers.
static bool isNumber(Operation *op) {
  auto isNumeric = [](Type type) { return type.isIntOrIndexOrFloat(); };
  return isPure(op) && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperandTypes(), isNumeric) &&
         llvm::all_of(op->getResultTypes(), isNumeric);
}

/// Returns the loops of an elementwise op on `known` values; none if these do
/// not determine all of them.
static std::optional<SmallVector<unsigned>>
loopsBehind(linalg::LinalgOp op,
            const DenseMap<Value, SmallVector<unsigned>> &known) {
  SmallVector<std::optional<unsigned>> loops(op.getNumLoops());
  for (OpOperand &input : op->getOpOperands()) {
    auto it = known.find(input.get());
    if (it == known.end() || !isReadTensor(input))
      continue;
    for (auto [dim, loop] : llvm::zip_equal(
             op.getMatchingIndexingMap(&input).getResults(), it->second)) {
      auto &place = loops[cast<AffineDimExpr>(dim).getPosition()];
      if (place && *place != loop)
        return std::nullopt;
      place = loop;
    }
  }
  SmallVector<unsigned> all;
  for (std::optional<unsigned> loop : loops) {
    if (!loop)
      return std::nullopt;
    all.push_back(*loop);
  }
  return all;
}

/// Describes the epilogue by its writes, if it has no other effects.
static void readOutputs(MatmulPhases &flow) {
  Value product = flow.contraction->getResult(0);
  // Maps values that depend on the product to the loops of their dimensions.
  DenseMap<Value, SmallVector<unsigned>> behind;
  behind[product] = getLoops(
      flow.contraction.getIndexingMapMatchingResult(cast<OpResult>(product)));
  Tracer tracer;
  tracer.known[product] = behind[product];
  SmallVector<FlowOutput> outputs;
  llvm::SmallPtrSet<Operation *, 16> covered;
  for (Operation *op : flow.epilogue) {
    if (auto write = dyn_cast<WriteSliceOp>(op)) {
      auto it = behind.find(write.getSource());
      FlowOutput output{{}, write};
      if (it == behind.end() ||
          failed(tracer.trace(write.getSource(), it->second, output.made)))
        return;
      covered.insert(op);
      covered.insert_range(output.made.getOps());
      outputs.push_back(std::move(output));
      continue;
    }
    auto elementwise = dyn_cast<linalg::LinalgOp>(op);
    if (!isPermutedElementwise(elementwise))
      continue;
    auto loops = loopsBehind(elementwise, behind);
    if (loops)
      behind[op->getResult(0)] = pick(elementwise.getIndexingMapMatchingResult(
                                          cast<OpResult>(op->getResult(0))),
                                      *loops);
  }
  if (llvm::all_of(flow.epilogue, [&](Operation *op) {
        return covered.contains(op) || (isPure(op) && op->use_empty());
      }))
    flow.outputs = std::move(outputs);
}

FailureOr<MatmulPhases> pcf::planMatmulPhases(SharedExecutorOp executor) {
  MatmulPhases flow;
  FailureOr<linalg::LinalgOp> contraction = findContraction(executor);
  if (failed(contraction))
    return failure();
  flow.contraction = *contraction;
  if (failed(readTiles(flow)) || failed(readInputs(flow)))
    return failure();
  if (failed(readStart(flow)))
    return failure();
  // Collect the users of the result, and the other ops that they need.
  llvm::SmallPtrSet<Operation *, 16> before = {
      flow.contraction, flow.contraction.getDpsInits().front().getDefiningOp()};
  for (const FlowOperand &operand : flow.inputs)
    before.insert_range(operand.getOps());
  before.insert_range(flow.start.getOps());
  llvm::SmallPtrSet<Operation *, 16> after;
  for (Operation &op : executor.getBody()->without_terminator()) {
    bool depends = llvm::any_of(op.getOperands(), [&](Value operand) {
      return after.contains(operand.getDefiningOp());
    });
    // Numbers stay before the phases, which may all use them.
    bool isOfInputs = before.contains(&op) || isa<tensor::EmptyOp>(op) ||
                      (isNumber(&op) && !depends);
    if (isOfInputs)
      continue;
    flow.epilogue.push_back(&op);
    after.insert(&op);
  }
  readOutputs(flow);
  return flow;
}
