//===- MatmulFlow.cpp - The parts of a tiled contraction ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "MatmulFlow.h"

#include "distaff/Dialect/Compat/Compat.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace distaff;
using namespace distaff::pcf;

/// The only contraction of the body with a configuration.
static FailureOr<linalg::LinalgOp> findContraction(SharedExecutorOp executor) {
  linalg::LinalgOp found;
  for (auto op : executor.getBody()->getOps<linalg::LinalgOp>()) {
    if (!linalg::isaContractionOpInterface(op) || !op.hasPureTensorSemantics())
      continue;
    if (found)
      return op.emitOpError("is a second contraction in one workgroup's work; "
                            "phases are formed for one");
    found = op;
  }
  if (!found)
    return executor.emitOpError(
        "has no contraction; phases are formed for matrix products");
  return found;
}

/// Tiles of the loops, from the contraction's configuration.
static LogicalResult readTiles(MatmulFlow &flow) {
  linalg::LinalgOp op = flow.contraction;
  auto config = op->getAttrOfType<compat::LoweringConfigAttr>(
      compat::LoweringConfigAttr::attributeName);
  if (!config)
    return op.emitOpError("has no lowering_config; configure gives it one");
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

/// Puts a value's definition into the chain, behind what it needs. `dims` says
/// which loop of the contraction each dimension of the value is.
static LogicalResult traceOperand(Value value, ArrayRef<unsigned> dims,
                                  FlowOperand &operand) {
  Operation *op = value.getDefiningOp();
  auto refuse = [&] {
    Location loc = op ? op->getLoc() : value.getLoc();
    return emitError(loc) << "an operand of the contraction is neither a slice "
                             "that is read nor made of such, element by "
                             "element";
  };
  if (!op)
    return refuse();
  // What is used twice is made once, so both uses want the same of it.
  if (auto it = operand.dims.find(op); it != operand.dims.end())
    return ArrayRef(it->second) == dims ? success() : refuse();
  if (isa<ReadSliceOp>(op)) {
    operand.chain.push_back(op);
    operand.dims[op] = llvm::to_vector(dims);
    return success();
  }
  auto elementwise = dyn_cast<linalg::LinalgOp>(op);
  if (!elementwise ||
      elementwise.getNumParallelLoops() != elementwise.getNumLoops() ||
      op->getNumResults() != 1 ||
      !elementwise.getMatchingIndexingMap(elementwise.getDpsInitOperand(0))
           .isPermutation() ||
      !llvm::all_of(elementwise.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return refuse();
  SmallVector<unsigned> loops(elementwise.getNumLoops());
  AffineMap result = elementwise.getIndexingMapMatchingResult(
      cast<OpResult>(op->getResult(0)));
  for (auto [dim, loop] : llvm::zip_equal(result.getResults(), dims))
    loops[cast<AffineDimExpr>(dim).getPosition()] = loop;
  for (OpOperand &input : op->getOpOperands()) {
    if (!isReadTensor(input))
      continue;
    SmallVector<unsigned> inputDims;
    for (AffineExpr dim :
         elementwise.getMatchingIndexingMap(&input).getResults())
      inputDims.push_back(loops[cast<AffineDimExpr>(dim).getPosition()]);
    if (failed(traceOperand(input.get(), inputDims, operand)))
      return failure();
  }
  operand.chain.push_back(op);
  operand.dims[op] = llvm::to_vector(dims);
  return success();
}

static SmallVector<unsigned> getLoops(AffineMap map) {
  return llvm::map_to_vector(map.getResults(), [](AffineExpr dim) {
    return cast<AffineDimExpr>(dim).getPosition();
  });
}

/// Operands of the contraction, and the sizes of its loops, which are those of
/// the slices.
static LogicalResult readInputs(MatmulFlow &flow) {
  linalg::LinalgOp op = flow.contraction;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (!map.isProjectedPermutation())
      return op.emitOpError("is indexed by more than its loops");
    FlowOperand &operand = flow.inputs.emplace_back();
    if (failed(traceOperand(input->get(), getLoops(map), operand)))
      return failure();
    for (auto &[inner, dims] : operand.dims)
      if (auto read = dyn_cast<ReadSliceOp>(inner))
        for (auto [loop, size] : llvm::zip_equal(dims, read.getMixedSizes()))
          if (!flow.loops[loop].size)
            flow.loops[loop].size = size;
  }
  for (auto [i, loop] : llvm::enumerate(flow.loops))
    if (!loop.size)
      return op.emitOpError("has no slice that says how long loop ")
             << i << " is";
  return success();
}

/// What the accumulator begins with.
static LogicalResult readStart(MatmulFlow &flow) {
  OpOperand &init = flow.contraction.getDpsInitsMutable()[0];
  if (auto fill = init.get().getDefiningOp<linalg::FillOp>()) {
    flow.initial = fill.getInputs().front();
    return success();
  }
  return traceOperand(init.get(),
                      getLoops(flow.contraction.getMatchingIndexingMap(&init)),
                      flow.start);
}

/// Whether an op computes numbers from numbers.
static bool isNumber(Operation *op) {
  auto isNumeric = [](Type type) { return type.isIntOrIndexOrFloat(); };
  return isPure(op) && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperandTypes(), isNumeric) &&
         llvm::all_of(op->getResultTypes(), isNumeric);
}

FailureOr<MatmulFlow> pcf::planMatmulFlow(SharedExecutorOp executor) {
  MatmulFlow flow;
  FailureOr<linalg::LinalgOp> contraction = findContraction(executor);
  if (failed(contraction))
    return failure();
  flow.contraction = *contraction;
  if (failed(readTiles(flow)) || failed(readInputs(flow)))
    return failure();
  if (failed(readStart(flow)))
    return failure();
  // All that uses the result, and what that needs besides.
  llvm::SmallPtrSet<Operation *, 16> before = {
      flow.contraction, flow.contraction.getDpsInits().front().getDefiningOp()};
  for (const FlowOperand &operand : flow.inputs)
    before.insert_range(operand.chain);
  before.insert_range(flow.start.chain);
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
  return flow;
}
