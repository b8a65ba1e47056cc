//===- FormCollectivePhases.cpp - Outlining collective ops to phases ------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An executor's body is collective, also where it is in no phase (5 of the pcf
// specification: "stage 4 moves such ops into phases"). This pass puts
// consecutive ops into one phase,
//
//   %t = pcf.read_slice ...            %h = run_cluster(%all)[] () {
//   %u = linalg.exp ... %t               %t = pcf.read_slice ...
//   scf.for ... iter_args(%x = %u)       %u = linalg.exp ... %t
//     ...                                cluster_yield %u }
//                                      scf.for ... iter_args(%x = %h)
//                                        ...
//
// and a tensor that more than one phase uses, or that control flow carries,
// becomes the payload of a handle, one handle for each tensor. A group runs its
// ops one after the other, so a phase ends where the next op has a memory
// hazard with an earlier one, and a barrier is inserted there.
//
//===----------------------------------------------------------------------===//
#include "distaff/PCF/Passes.h"

#include "../Distribute/CarriedValues.h"
#include "../Distribute/CollectiveOps.h"
#include "../Distribute/TiledBody.h"
#include "../Order/PhaseHazards.h"
#include "ScopeOption.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"

namespace distaff {
#define GEN_PASS_DEF_PCFFORMCOLLECTIVEPHASES
#include "distaff/PCF/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::pcf;

namespace {
class CollectivePhaseFormer {
public:
  CollectivePhaseFormer(SharedExecutorOp executor, RewriterBase &rewriter)
      : executor(executor), rewriter(rewriter) {}

  LogicalResult run();

private:
  /// Ops of one block that become one phase.
  using Group = llvm::SetVector<Operation *>;

  void collectCaptured();
  LogicalResult carryHandles();
  LogicalResult formIn(Region &region);
  LogicalResult formIn(Block &block);
  LogicalResult close(Group &group);
  LogicalResult verifyGroup(ArrayRef<Value> taken, Operation *op);
  LogicalResult handOn(Operation *op);
  Value pickField(RunClusterOp phase, unsigned field);
  RunClusterOp makePhase(Location loc, ValueRange sources, TypeRange results);
  bool takes(Operation *op, const Group &group) const;

  SharedExecutorOp executor;
  RewriterBase &rewriter;
  SmallVector<RunClusterOp> formed;
  /// The values that phases capture, and their operands in turn: distribution
  /// rematerializes them in the phases, or rejects them.
  llvm::SetVector<Value> captured;
};
} // namespace

static bool isShapedValue(Value value) {
  return isa<TensorType, VectorType>(value.getType());
}

/// Returns whether an op is pure and need not be run by the group together.
static bool isArithmetic(Operation *op) {
  return op->getNumRegions() == 0 && isPure(op) &&
         !op->hasTrait<mlir::OpTrait::IsTerminator>();
}

/// Returns whether the phase that `group` becomes may contain `op`, too: it is
/// collective, or computes a number from a result of the phase.
bool CollectivePhaseFormer::takes(Operation *op, const Group &group) const {
  if (llvm::any_of(op->getResults(),
                   [&](Value result) { return captured.contains(result); }))
    return false;
  if (isCollectiveOp(op))
    return true;
  return isArithmetic(op) &&
         llvm::any_of(op->getOperands(), [&](Value operand) {
           return group.contains(operand.getDefiningOp());
         });
}

/// Returns the group that runs an op: that of the innermost `tile_group` around
/// it, or all workers.
static std::pair<Value, ValueRange> getRunningGroup(Operation *op,
                                                    SharedExecutorOp executor) {
  if (auto group = op->getParentOfType<TileGroupOp>();
      group && executor->isProperAncestor(group))
    return {group.getSource(), group.getRanges()};
  return {executor.getThreadgroup(), ValueRange()};
}

RunClusterOp CollectivePhaseFormer::makePhase(Location loc, ValueRange sources,
                                              TypeRange results) {
  Operation *at = &*rewriter.getInsertionPoint();
  auto [group, ranges] = getRunningGroup(at, executor);
  Type result = results.empty()
                    ? Type()
                    : withPayload(group.getType(), llvm::to_vector(results),
                                  /*isPrivate=*/false);
  SmallVector<Value> all(sources);
  if (all.empty())
    all.push_back(group);
  return RunClusterOp::create(rewriter, loc, result, all, ranges);
}

void CollectivePhaseFormer::collectCaptured() {
  executor.getExecute().walk([&](Operation *op) {
    if (isa<RunClusterOp, RunThreadOp>(op))
      getUsedValuesDefinedAbove(op->getRegions(), captured);
  });
  captured.remove_if([](Value value) { return !isShapedValue(value); });
  for (size_t i = 0; i < captured.size(); ++i)
    if (Operation *op = captured[i].getDefiningOp();
        op && executor->isProperAncestor(op) && !handsOnValues(op))
      for (Value operand : op->getOperands())
        if (isShapedValue(operand))
          captured.insert(operand);
}

/// Replaces tensors that control flow carries by handles. The phases of a
/// region are those of the group around its op.
LogicalResult CollectivePhaseFormer::carryHandles() {
  CarriedValues carried(isShapedValue);
  walkCollectiveCode(executor.getExecute(),
                     [&](Operation *op) { carried.addOp(op); });
  for (Value value : carried.values) {
    if (captured.contains(value))
      return emitError(value.getLoc())
             << "a phase takes a tensor that control flow hands on; pass it as "
                "payload, or put what the phase does outside of phases";
    auto argument = dyn_cast<BlockArgument>(value);
    Operation *op =
        argument ? argument.getOwner()->getParentOp() : value.getDefiningOp();
    Value group = getRunningGroup(op, executor).first;
    value.setType(
        withPayload(group.getType(), value.getType(), /*isPrivate=*/false));
  }
  return success();
}

/// Fails if an op takes a tensor that another group's members hold.
LogicalResult CollectivePhaseFormer::verifyGroup(ArrayRef<Value> taken,
                                                 Operation *op) {
  Type group = getRunningGroup(op, executor).first.getType();
  for (Value handle : taken) {
    if (isSameGroup(handle.getType(), group))
      continue;
    InFlightDiagnostic error =
        op->emitOpError("is run by ")
        << group << " and takes a tensor that members of "
        << withPayload(handle.getType(), {}, /*isPrivate=*/false)
        << " hold; write it to memory there, and read it behind a barrier";
    error.attachNote(handle.getLoc()) << "the tensor is made here";
    return error;
  }
  return success();
}

/// Returns the handles whose payload a group takes.
static llvm::SetVector<Value> collectTaken(ArrayRef<Operation *> group) {
  llvm::SetVector<Value> taken;
  for (Operation *op : group)
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (isHandle(operand.getType()))
          taken.insert(operand);
    });
  return taken;
}

/// Returns the results of a group's ops that other ops use.
template <typename GroupT>
static SmallVector<Value> collectGiven(const GroupT &group) {
  SmallVector<Value> given;
  for (Operation *op : group)
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return !group.contains(
                op->getBlock()->findAncestorOpInBlock(*user));
          }))
        given.push_back(result);
  return given;
}

/// Returns the handle of one field of a phase: control flow may carry one field
/// and not another.
Value CollectivePhaseFormer::pickField(RunClusterOp phase, unsigned field) {
  ArrayRef<Type> payload = getPayload(phase.getResult().getType());
  if (payload.size() == 1)
    return phase.getResult();
  rewriter.setInsertionPointAfter(phase);
  RunClusterOp pick =
      makePhase(phase.getLoc(), phase.getResult(), payload[field]);
  rewriter.setInsertionPointToEnd(&pick.getBody().front());
  ClusterYieldOp::create(rewriter, phase.getLoc(),
                         pick.getPayloadArgs()[field]);
  return pick.getResult();
}

/// Moves the group into a phase, whose payload is the results that other ops
/// use.
LogicalResult CollectivePhaseFormer::close(Group &group) {
  if (group.empty())
    return success();
  llvm::SetVector<Value> taken = collectTaken(group.getArrayRef());
  SmallVector<Value> given = collectGiven(group);
  for (Value value : given)
    if (!isShapedValue(value))
      return value.getDefiningOp()->emitOpError(
          "computes a number in a phase, of what its members share out, and "
          "control flow or arithmetic outside of phases uses it; let every "
          "member read the number from memory, in a run_thread");
  if (failed(verifyGroup(taken.getArrayRef(), group.front())))
    return failure();
  Location loc = group.back()->getLoc();
  rewriter.setInsertionPointAfter(group.back());
  RunClusterOp phase =
      makePhase(loc, taken.getArrayRef(), TypeRange(ValueRange(given)));
  formed.push_back(phase);
  Block &body = phase.getBody().front();
  for (Operation *op : group)
    rewriter.moveOpBefore(op, &body, body.end());
  for (auto [handle, argument] : llvm::zip_equal(taken, phase.getPayloadArgs()))
    rewriter.replaceUsesWithIf(handle, argument, [&](OpOperand &use) {
      return phase->isProperAncestor(use.getOwner());
    });
  rewriter.setInsertionPointToEnd(&body);
  ClusterYieldOp::create(rewriter, loc, given);
  for (auto [field, value] : llvm::enumerate(given)) {
    Value handle = pickField(phase, field);
    rewriter.replaceUsesWithIf(value, handle, [&](OpOperand &use) {
      return !phase->isProperAncestor(use.getOwner());
    });
  }
  group.clear();
  return success();
}

/// Creates phases for shaped operands of control flow that belong to no phase:
/// constants.
LogicalResult CollectivePhaseFormer::handOn(Operation *op) {
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    if (!isShapedValue(value))
      continue;
    if (!isRemade(value))
      return op->emitOpError("hands on a tensor that the group has not made; "
                             "give it to the executor, and read it there by a "
                             "pcf.read_slice");
    rewriter.setInsertionPoint(op);
    RunClusterOp phase = makePhase(op->getLoc(), {}, value.getType());
    rewriter.setInsertionPointToEnd(&phase.getBody().front());
    Operation *made = rewriter.clone(*value.getDefiningOp());
    ClusterYieldOp::create(rewriter, op->getLoc(), made->getResults());
    rewriter.modifyOpInPlace(op, [&] { operand.set(phase.getResult()); });
  }
  return success();
}

/// Returns the op whose memory access an op belongs to: a slice of a dynamic
/// extent, which cannot be payload, must be in the phase of its write.
static Operation *getAccess(Operation *op) {
  auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
  if (!slice || slice.getType().hasStaticShape() || !slice->hasOneUse())
    return op;
  auto write = dyn_cast<WriteSliceOp>(*slice->user_begin());
  return write && write->getBlock() == op->getBlock() ? write : op;
}

LogicalResult CollectivePhaseFormer::formIn(Block &block) {
  Group group;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (llvm::all_of(op.getResults(), isRemade) && op.getNumResults() != 0 &&
        op.getNumRegions() == 0)
      continue;
    if (takes(&op, group)) {
      if (hasHazard(group.getArrayRef(), getAccess(&op)) &&
          failed(close(group)))
        return failure();
      group.insert(&op);
      continue;
    }
    // Arithmetic on positions may stay between the ops of a phase; so may reads
    // that phases rematerialize, and loads of memory that the phase does not
    // write.
    if (isArithmetic(&op) || isa<ReadSliceOp>(op) ||
        (isUniformLoad(&op) && !hasHazard(group.getArrayRef(), &op)))
      continue;
    if (failed(close(group)))
      return failure();
    if (isa<RunClusterOp, RunThreadOp, RefOwnerOpInterface>(op))
      continue;
    if (failed(handOn(&op)))
      return failure();
    for (Region &region : op.getRegions())
      if (failed(formIn(region)))
        return failure();
  }
  return close(group);
}

LogicalResult CollectivePhaseFormer::formIn(Region &region) {
  for (Block *block : sortBlocksByDominance(region))
    if (failed(formIn(*block)))
      return failure();
  return success();
}

/// Rejects reads of elements, in bodies of ops, too (PCF-156): members hold
/// parts of a tensor, and none of them has every element that an index may
/// name.
static LogicalResult verifyElementReads(SharedExecutorOp executor) {
  Region &code = executor.getExecute();
  Operation *culprit = nullptr;
  walkCollectiveCode(code, [&](Operation *op) {
    if (culprit)
      return;
    if (isa<tensor::ExtractOp>(op))
      culprit = op;
    if (!isCollectiveOp(op))
      return;
    visitUsedValuesDefinedAbove(op->getRegions(), [&](OpOperand *use) {
      if (!culprit && isShapedValue(use->get()) && !isRemade(use->get()) &&
          code.isAncestor(use->get().getParentRegion()))
        culprit = use->getOwner();
    });
  });
  if (!culprit)
    return success();
  return culprit->emitOpError(
      "reads an element of a tensor that the members of a group share out, at "
      "a place that any of them may have; let every member read the element "
      "from memory, in a run_thread");
}

LogicalResult CollectivePhaseFormer::run() {
  if (failed(verifyElementReads(executor)))
    return failure();
  collectCaptured();
  if (failed(carryHandles()) || failed(formIn(executor.getExecute())))
    return failure();
  orderPhases(executor, formed, rewriter);
  return success();
}

namespace {
struct FormCollectivePhases final
    : distaff::impl::PCFFormCollectivePhasesBase<FormCollectivePhases> {
  using PCFFormCollectivePhasesBase::PCFFormCollectivePhasesBase;

  void runOnOperation() override {
    FailureOr<Attribute> wanted = parseOptionalScope(scope, &getContext());
    if (failed(wanted))
      return signalPassFailure();
    SmallVector<SharedExecutorOp> executors =
        collectUnformed(getOperation(), *wanted);
    IRRewriter rewriter(&getContext());
    for (SharedExecutorOp executor : executors)
      if (failed(CollectivePhaseFormer(executor, rewriter).run()))
        return signalPassFailure();
  }
};
} // namespace
