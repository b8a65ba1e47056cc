//===- SharedDims.cpp - Dimensions that can be distributed ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SharedDims.h"

#include "TiledBody.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace distaff;
using namespace distaff::pcf;

static RankedTensorType getTiedType(Value value) {
  return isRemade(value) ? RankedTensorType()
                         : dyn_cast<RankedTensorType>(value.getType());
}

bool pcf::isMatrixProduct(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || !linalg::isaContractionOpInterface(linalgOp))
    return false;
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(linalgOp);
  return succeeded(dims) && !dims->m.empty() && !dims->n.empty();
}

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

unsigned SharedDims::getNode(void *key, unsigned number) {
  auto [it, isNew] =
      numbers.insert({{key, number}, static_cast<unsigned>(nodes.size())});
  if (isNew) {
    parents.push_back(nodes.size());
    nodes.push_back({key, number});
  }
  return it->second;
}

unsigned SharedDims::find(unsigned node) const {
  while (parents[node] != node)
    node = parents[node];
  return node;
}

void SharedDims::tie(Value a, Value b) {
  RankedTensorType from = getTiedType(a), to = getTiedType(b);
  if (!from || !to || from.getRank() != to.getRank())
    return;
  for (unsigned dim : llvm::seq<unsigned>(0, from.getRank()))
    join(getNode(a, dim), getNode(b, dim));
}

void SharedDims::addProductResult(linalg::LinalgOp product) {
  auto result = cast<OpResult>(product->getResult(0));
  tie(result, product.getTiedOpOperand(result)->get());
  auto type = cast<RankedTensorType>(result.getType());
  for (unsigned dim : llvm::seq<unsigned>(0, type.getRank()))
    if (type.getDimSize(dim) != 1)
      productDims.push_back(getNode(result, dim));
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

void SharedDims::tieOperand(const TiedOp &tied, Value tensor, AffineMap map,
                            void *key) {
  if (!getTiedType(tensor))
    return;
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    if (auto loop = dyn_cast<AffineDimExpr>(expr)) {
      join(getNode(key, dim), tied.loops[loop.getPosition()].node);
      continue;
    }
    // A member needs more of the tensor than the elements at its loop indices.
    expr.walk([&](AffineExpr part) {
      if (auto loop = dyn_cast<AffineDimExpr>(part))
        join(getNode(tied.op, tied.loops.size()),
             tied.loops[loop.getPosition()].node);
    });
    join(getNode(tied.op, tied.loops.size()), getNode(key, dim));
  }
}

void SharedDims::addLinalg(linalg::LinalgOp op, OperandTest isFresh) {
  TiedOp tied{op, {}, isMatrixProduct(op)};
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  for (auto [loop, extent] : llvm::enumerate(op.getStaticLoopRanges()))
    tied.loops.push_back({getNode(op.getOperation(), loop), extent,
                          iterators[loop] == utils::IteratorType::reduction});
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    Value value = operand.get();
    tieOperand(tied, value, map,
               isFresh(operand) ? &operand : value.getAsOpaquePointer());
    if (op.isDpsInit(&operand) && op->getNumResults() != 0) {
      Value result = op.getTiedOpResult(&operand);
      tieOperand(tied, result, map, result.getAsOpaquePointer());
    }
  }
  ops.push_back(std::move(tied));
}

/// Adds an elementwise op, or an op whose result has the elements of its
/// operand at the same places.
void SharedDims::addElementwise(Operation *op, OperandTest isFresh) {
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type)
    return;
  TiedOp tied{op, {}, /*isProduct=*/false};
  for (auto [dim, extent] : llvm::enumerate(type.getShape()))
    tied.loops.push_back({getNode(op, dim), extent, /*isReduced=*/false});
  auto map =
      AffineMap::getMultiDimIdentityMap(type.getRank(), op->getContext());
  for (OpOperand &operand : op->getOpOperands())
    if (RankedTensorType own = getTiedType(operand.get());
        own && own.getRank() == type.getRank())
      tieOperand(tied, operand.get(), map,
                 isFresh(operand) ? &operand
                                  : operand.get().getAsOpaquePointer());
  for (Value result : op->getResults())
    tieOperand(tied, result, map, result.getAsOpaquePointer());
  ops.push_back(std::move(tied));
}

void SharedDims::add(Operation *op, OperandTest isFresh) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    if (linalgOp.hasPureTensorSemantics())
      addLinalg(linalgOp, isFresh);
  } else if (op->getNumResults() != 0 &&
             (isa<tensor::PadOp, tensor::CastOp, tensor::ExtractSliceOp>(op) ||
              mlir::OpTrait::hasElementwiseMappableTraits(op))) {
    addElementwise(op, isFresh);
  }
}

void SharedDims::add(Operation *op) {
  add(op, [](OpOperand &) { return false; });
}

//===----------------------------------------------------------------------===//
// Conflicts
//===----------------------------------------------------------------------===//

SharedDims::ClassFacts SharedDims::collectFacts() const {
  ClassFacts facts;
  llvm::DenseMap<std::pair<unsigned, void *>, unsigned> seen;
  for (auto [number, node] : llvm::enumerate(nodes)) {
    unsigned root = find(number);
    auto [it, isNew] = seen.insert({{root, node.first}, node.second});
    if (!isNew)
      facts[root].isDiagonal = true;
  }
  for (unsigned node : productDims)
    facts[find(node)].isProductDim = true;
  for (const TiedOp &tied : ops)
    for (const Loop &loop : tied.loops)
      if (loop.isReduced && loop.extent != 1)
        (tied.isProduct ? facts[find(loop.node)].isReducedByProduct
                        : facts[find(loop.node)].isReduced) = true;
  return facts;
}

bool SharedDims::isInConflict(const TiedOp &tied,
                              const ClassFacts &facts) const {
  bool isSplit = false, isShared = false;
  for (const Loop &loop : tied.loops) {
    if (loop.extent == 1)
      continue;
    Facts own = facts.lookup(find(loop.node));
    if (loop.isReduced) {
      if (tied.isProduct && (own.isDiagonal || own.isReduced))
        return true;
      continue;
    }
    if (tied.isProduct && own.isWhole())
      return true;
    isShared = true;
    isSplit |= !own.isWhole();
  }
  return isShared && !isSplit;
}

unsigned SharedDims::countConflicts() const {
  ClassFacts facts = collectFacts();
  unsigned count = llvm::count_if(
      ops, [&](const TiedOp &tied) { return isInConflict(tied, facts); });
  for (unsigned node : productDims)
    count += facts.lookup(find(node)).isWhole();
  return count;
}

std::optional<unsigned> SharedDims::findClass(Value tensor,
                                              unsigned dim) const {
  auto it = numbers.find({tensor.getAsOpaquePointer(), dim});
  return it == numbers.end() ? std::nullopt : std::optional(find(it->second));
}

bool SharedDims::isWhole(Value tensor, unsigned dim) const {
  std::optional<unsigned> cls = findClass(tensor, dim);
  return cls && collectFacts().lookup(*cls).isWhole();
}

bool SharedDims::isReduced(Value tensor, unsigned dim) const {
  std::optional<unsigned> cls = findClass(tensor, dim);
  if (!cls)
    return false;
  Facts facts = collectFacts().lookup(*cls);
  return facts.isReduced || facts.isReducedByProduct;
}

bool SharedDims::areTied(Value a, unsigned dimA, Value b, unsigned dimB) const {
  std::optional<unsigned> cls = findClass(a, dimA);
  return cls && cls == findClass(b, dimB);
}
