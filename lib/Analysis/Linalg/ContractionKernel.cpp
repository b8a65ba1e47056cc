//===- ContractionKernel.cpp - A contraction with fused ops ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matching has two walks: forwards from the contraction, which gives every op
// after it the contraction's loops, then backwards from the results, which
// records the steps.
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Linalg/ContractionKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace distaff;

LoopedTensor ContractionKernel::along(Value tensor, AffineMap map,
                                      ArrayRef<unsigned> opLoops) {
  assert(map.getNumDims() == opLoops.size() && "each loop of the op is one");
  return {tensor, llvm::map_to_vector(map.getResults(), [&](AffineExpr dim) {
            return opLoops[cast<AffineDimExpr>(dim).getPosition()];
          })};
}

namespace {
class KernelReader {
public:
  LogicalResult read(func::FuncOp kernel);

  ContractionKernel result;

private:
  LogicalResult findContraction(func::FuncOp kernel);
  LogicalResult placeFollowers();
  LogicalResult place(linalg::LinalgOp op);
  LogicalResult trace(const LoopedTensor &wanted, Operation *reader);
  LogicalResult traceOp(linalg::LinalgOp op, SmallVector<unsigned> opLoops,
                        const LoopedTensor &wanted);

  /// Loops of the contraction and the ops after it.
  DenseMap<Operation *, SmallVector<unsigned>> followers;
};
} // namespace

static constexpr StringLiteral kElementwise =
    "; beside the contraction, such a kernel has ops on elements whose loops "
    "are the contraction's";

/// Returns why an op is not elementwise, or nullopt if it is.
static std::optional<std::string> whyNotElementwise(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics())
    return "works on memrefs";
  if (op.getNumParallelLoops() != op.getNumLoops())
    return "reduces a loop";
  for (AffineMap map : op.getIndexingMapsArray())
    if (!map.isProjectedPermutation())
      return "has an indexing map that is more than a choice of its loops";
  for (OpOperand &init : op.getDpsInitsMutable())
    if (!op.getMatchingIndexingMap(&init).isPermutation())
      return "has a result without some of its loops";
  return std::nullopt;
}

static LogicalResult refuse(Operation *op, const Twine &why) {
  return op->emitOpError(why)
         << kElementwise << "; put this op into a kernel of its own";
}

LogicalResult KernelReader::findContraction(func::FuncOp kernel) {
  for (auto op : kernel.getBody().front().getOps<linalg::LinalgOp>()) {
    std::optional<ContractionBody> body = matchContraction(op);
    if (!body || !linalg::isaContractionOpInterface(op))
      continue;
    if (result.contraction) {
      InFlightDiagnostic diagnostic =
          op.emitOpError("is a second contraction; one launch of clusters "
                         "computes one, so make two kernels");
      diagnostic.attachNote(result.contraction.getLoc()) << "the first one";
      return diagnostic;
    }
    result.contraction = op;
    result.body = std::move(*body);
  }
  if (!result.contraction)
    return kernel.emitOpError(
        "has no contraction, a sum of products with rows, columns and what is "
        "summed, to form phases of; --pipeline=vector-distribute takes other "
        "kernels");
  for (Operation *link : llvm::concat<Operation *const>(result.body.lhsChain,
                                                        result.body.rhsChain))
    if (!keepsZero(link)) {
      InFlightDiagnostic diagnostic = result.contraction.emitOpError(
          "applies to an operand, before it is multiplied, what need not be 0 "
          "of the 0 that the edges of tiles are padded with; apply it in an op "
          "of its own before the contraction");
      diagnostic.attachNote(link->getLoc()) << "applied here";
      return diagnostic;
    }
  return success();
}

/// Gives an op the loops of the operands that follow the contraction, if any.
LogicalResult KernelReader::place(linalg::LinalgOp op) {
  SmallVector<std::optional<unsigned>> loops(op.getNumLoops());
  bool follows = false;
  for (OpOperand &operand : op->getOpOperands()) {
    Operation *source = operand.get().getDefiningOp();
    auto it = followers.find(source);
    if (it == followers.end())
      continue;
    // An init that is not read imposes no loops.
    if (op.isDpsInit(&operand) && !op.payloadUsesValueFromOperand(&operand))
      continue;
    if (std::optional<std::string> why = whyNotElementwise(op))
      return refuse(op, *why);
    follows = true;
    auto sourceOp = cast<linalg::LinalgOp>(source);
    LoopedTensor used = ContractionKernel::along(
        operand.get(),
        sourceOp.getIndexingMapMatchingResult(cast<OpResult>(operand.get())),
        it->second);
    for (auto [dim, loop] : llvm::zip_equal(
             op.getMatchingIndexingMap(&operand).getResults(), used.loops)) {
      auto &known = loops[cast<AffineDimExpr>(dim).getPosition()];
      if (known && *known != loop)
        return refuse(op, "uses the product along different loops at once");
      known = loop;
    }
  }
  if (!follows)
    return success();
  SmallVector<unsigned> all;
  llvm::SmallDenseSet<unsigned> seen;
  for (std::optional<unsigned> loop : loops) {
    if (!loop)
      return refuse(op, "repeats the product along a loop of its own");
    if (!seen.insert(*loop).second)
      return refuse(op, "walks one loop of the product twice");
    all.push_back(*loop);
  }
  followers[op] = std::move(all);
  return success();
}

LogicalResult KernelReader::placeFollowers() {
  linalg::LinalgOp contraction = result.contraction;
  followers[contraction] =
      llvm::to_vector(llvm::seq<unsigned>(0, contraction.getNumLoops()));
  for (Operation &op : llvm::make_range(std::next(contraction->getIterator()),
                                        contraction->getBlock()->end())) {
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (linalgOp && failed(place(linalgOp)))
      return failure();
    auto usesFollower = [&](Value value) {
      return followers.contains(value.getDefiningOp());
    };
    if (!linalgOp && !op.hasTrait<OpTrait::IsTerminator>() &&
        !isa<tensor::DimOp>(op) && llvm::any_of(op.getOperands(), usesFollower))
      return refuse(&op, "uses the product and is no linalg op");
  }
  return success();
}

LogicalResult KernelReader::traceOp(linalg::LinalgOp op,
                                    SmallVector<unsigned> opLoops,
                                    const LoopedTensor &wanted) {
  for (OpOperand &operand : op->getOpOperands())
    if (isa<RankedTensorType>(operand.get().getType()) &&
        (!op.isDpsInit(&operand) || op.payloadUsesValueFromOperand(&operand)))
      if (failed(trace(
              ContractionKernel::along(
                  operand.get(), op.getMatchingIndexingMap(&operand), opLoops),
              op)))
        return failure();
  result.steps.push_back({wanted, op, std::move(opLoops)});
  return success();
}

LogicalResult KernelReader::trace(const LoopedTensor &wanted,
                                  Operation *reader) {
  Value tensor = wanted.tensor;
  auto isIt = [&](const ContractionKernel::Step &step) {
    return step.tensor.loops == wanted.loops &&
           (step.tensor.tensor == tensor ||
            (step.op && step.op == tensor.getDefiningOp()));
  };
  if (llvm::any_of(result.steps, isIt))
    return success();
  if (isa<BlockArgument>(tensor)) {
    result.steps.push_back({wanted, {}, {}});
    return success();
  }
  auto op = tensor.getDefiningOp<linalg::LinalgOp>();
  if (!op) {
    InFlightDiagnostic diagnostic = reader->emitOpError(
        "reads a tensor that is neither an argument nor made by a linalg op; "
        "make it in a kernel of its own and pass it");
    diagnostic.attachNote(tensor.getLoc()) << "made here";
    return diagnostic;
  }
  AffineMap map = op.getIndexingMapMatchingResult(cast<OpResult>(tensor));
  if (auto it = followers.find(op); it != followers.end()) {
    SmallVector<unsigned> loops = it->second;
    if (ContractionKernel::along(tensor, map, loops) == wanted)
      return traceOp(op, std::move(loops), wanted);
    return refuse(reader, "uses the product along different loops at once");
  }
  if (std::optional<std::string> why = whyNotElementwise(op))
    return refuse(op, *why);
  SmallVector<unsigned> loops(op.getNumLoops());
  for (auto [dim, loop] : llvm::zip_equal(map.getResults(), wanted.loops))
    loops[cast<AffineDimExpr>(dim).getPosition()] = loop;
  return traceOp(op, std::move(loops), wanted);
}

LogicalResult KernelReader::read(func::FuncOp kernel) {
  if (failed(findContraction(kernel)) || failed(placeFollowers()))
    return failure();
  Operation *terminator = kernel.getBody().front().getTerminator();
  assert(terminator->getNumOperands() != 0 &&
         "a contraction that nobody returns is dead, and gone");
  for (Value value : terminator->getOperands()) {
    auto it = followers.find(value.getDefiningOp());
    if (it == followers.end()) {
      InFlightDiagnostic diagnostic = terminator->emitOpError(
          "returns what does not come from the contraction, so that no "
          "workgroup has a part of it; return it from a kernel of its own");
      diagnostic.attachNote(result.contraction.getLoc()) << "the contraction";
      return diagnostic;
    }
    AffineMap map = cast<linalg::LinalgOp>(value.getDefiningOp())
                        .getIndexingMapMatchingResult(cast<OpResult>(value));
    result.results.push_back(ContractionKernel::along(value, map, it->second));
    if (failed(trace(result.results.back(), terminator)))
      return failure();
  }
  return success();
}

FailureOr<ContractionKernel> ContractionKernel::match(func::FuncOp kernel) {
  KernelReader reader;
  if (failed(reader.read(kernel)))
    return failure();
  return std::move(reader.result);
}

SmallVector<SmallVector<LoopPlace>> ContractionKernel::placesOfLoops() const {
  linalg::LinalgOp product = contraction;
  SmallVector<SmallVector<LoopPlace>> places(product.getNumLoops());
  auto add = [&](const LoopedTensor &at) {
    for (auto [dim, loop] : llvm::enumerate(at.loops))
      places[loop].push_back({at.tensor, unsigned(dim)});
  };
  for (const Step &step : steps)
    if (!step.op)
      add(step.tensor);
  // An init that is never read may be an argument, too.
  for (const Step &step : steps) {
    linalg::LinalgOp op = step.op;
    if (!op)
      continue;
    for (OpOperand &init : op.getDpsInitsMutable())
      if (isa<BlockArgument>(init.get()) ||
          init.get().getDefiningOp<tensor::EmptyOp>())
        add(along(init.get(), op.getMatchingIndexingMap(&init), step.opLoops));
  }
  return places;
}
