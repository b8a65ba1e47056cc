//===- LayoutTransfer.cpp - Layout transfer functions ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "distaff/Analysis/Layout/LayoutTransfer.h"
#include "TransferRules.h"
#include "distaff/Analysis/Legality/TargetOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Interfaces/MaskingOpInterface.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace distaff;
using namespace distaff::vector_ext;

bool distaff::hasLayout(Type type) { return isa<VectorType>(type); }

VectorLayoutInterface distaff::rankZeroLayout(MLIRContext *context) {
  return NestedLayoutAttr::get(context, NestedLayout::units(0));
}

VectorLayoutInterface distaff::resultLayoutOf(ToLayoutOp op) {
  VectorLayoutInterface layout = op.getLayout();
  return layout.getRank() == 0 ? rankZeroLayout(op.getContext()) : layout;
}

VectorLayoutInterface distaff::registerLayout(VectorType type) {
  NestedLayout layout = NestedLayout::units(type.getRank());
  for (auto [dim, extent] : llvm::zip_equal(layout.dims, type.getShape()))
    dim.elementTile = extent;
  return NestedLayoutAttr::get(type.getContext(), layout);
}

//===----------------------------------------------------------------------===//
// Ops without a rule
//===----------------------------------------------------------------------===//

Operation *distaff::withoutTransferRule(Operation *op) {
  return isa<BranchOpInterface>(op) ? op->getParentOp() : op;
}

/// Returns `operand #1` or `result` for messages, and the first such type of
/// `op`.
static std::pair<std::string, Type>
findTyped(Operation *op, llvm::function_ref<bool(Type)> isSuch) {
  for (OpOperand &operand : op->getOpOperands())
    if (Type type = operand.get().getType(); isSuch(type))
      return {"operand #" + std::to_string(operand.getOperandNumber()), type};
  for (Type type : op->getResultTypes())
    if (isSuch(type))
      return {"result", type};
  return {};
}

void distaff::reportNoTransferRule(Operation *op) {
  if (Operation *around = withoutTransferRule(op); around != op) {
    around->emitOpError("has several blocks that hand vectors to each other, "
                        "for whose layouts there is no rule (DG5); loops and "
                        "branches are those of scf, one block each");
    return;
  }
  auto isMemoryOfVectors = [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return shaped && !isa<VectorType>(type) &&
           isa<VectorType>(shaped.getElementType());
  };
  if (auto [memory, type] = findTyped(op, isMemoryOfVectors); type) {
    op->emitOpError() << memory << ", " << type
                      << ", has vectors as elements, for whose layouts there "
                         "is no rule (DG5); take memory of scalars";
    return;
  }
  auto [vector, type] = findTyped(op, hasLayout);
  op->emitOpError() << vector << ", " << type
                    << ", is a vector, and there is no rule for its layout "
                       "(DG5); take ops of arith, math and vector, and write "
                       "to memory by vector.transfer_write";
}

std::optional<std::string> distaff::findScalable(Operation *op) {
  auto isScalable = [](Type type) {
    auto vector = dyn_cast<VectorType>(type);
    return vector && vector.isScalable();
  };
  auto [where, type] = findTyped(op, isScalable);
  if (!type)
    return std::nullopt;
  std::string text;
  llvm::raw_string_ostream(text) << where << ", '" << type << "'";
  return text;
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

OpLayouts OpLayouts::get(Operation *op) {
  OpLayouts slots;
  for (OpOperand &operand : op->getOpOperands())
    if (hasLayout(operand.get().getType()))
      slots.operands.push_back(&operand);
  if (auto mask = dyn_cast_or_null<vector::MaskOp>(op->getParentOp()))
    if (!isa<vector::YieldOp>(op))
      slots.operands.push_back(&mask.getMaskMutable());
  for (OpResult result : op->getResults())
    if (hasLayout(result.getType()))
      slots.results.push_back(result);
  slots.operandLayouts.resize(slots.operands.size());
  slots.resultLayouts.resize(slots.results.size());
  return slots;
}

VectorLayoutInterface *OpLayouts::find(OpOperand &operand) {
  for (auto [candidate, layout] : llvm::zip_equal(operands, operandLayouts))
    if (candidate == &operand)
      return &layout;
  return nullptr;
}

VectorLayoutInterface *OpLayouts::find(Value result) {
  for (auto [candidate, layout] : llvm::zip_equal(results, resultLayouts))
    if (candidate == result)
      return &layout;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

LogicalResult distaff::inferAllEqual(Operation *op, Inference &inference) {
  Slot first = nullptr;
  OpLayouts &slots = inference.slots;
  auto meet = [&](VectorLayoutInterface &layout) -> LogicalResult {
    if (!layout)
      return success();
    if (!first)
      first = &layout;
    return inference.equal(first, &layout);
  };
  for (VectorLayoutInterface &layout : slots.operandLayouts)
    if (failed(meet(layout)))
      return failure();
  for (VectorLayoutInterface &layout : slots.resultLayouts)
    if (failed(meet(layout)))
      return failure();
  if (!first)
    return success();
  VectorLayoutInterface common = *first;
  for (VectorLayoutInterface &layout : slots.operandLayouts)
    layout = common;
  for (VectorLayoutInterface &layout : slots.resultLayouts)
    layout = common;
  return success();
}

bool distaff::isLayoutFreeOp(Operation *op) {
  if (isa<vector::StepOp, vector::CreateMaskOp, vector::ConstantMaskOp,
          ub::PoisonOp>(op) ||
      op->hasTrait<OpTrait::ConstantLike>())
    return true;
  if (auto broadcast = dyn_cast<vector::BroadcastOp>(op))
    return !hasLayout(broadcast.getSourceType());
  return false;
}

/// Returns whether an op ties values instead of relating them.
static bool isTiedOp(Operation *op) {
  return isa<scf::ForOp, scf::IfOp, scf::WhileOp, scf::IndexSwitchOp,
             scf::ExecuteRegionOp, scf::YieldOp, scf::ConditionOp,
             vector::MaskOp, vector::YieldOp>(op);
}

std::optional<LogicalResult> distaff::inferOrdinary(Operation *op,
                                                    Inference &inference) {
  if (isLayoutFreeOp(op) || isTiedOp(op))
    return success();
  if (auto result = inferShapeOp(op, inference))
    return result;
  if (auto result = inferSliceOp(op, inference))
    return result;
  if (auto result = inferReductionOp(op, inference))
    return result;
  if (auto result = inferMemoryOp(op, inference))
    return result;
  if (OpTrait::hasElementwiseMappableTraits(op) || isa<vector::FMAOp>(op))
    return inferAllEqual(op, inference);
  return std::nullopt;
}

void distaff::fixRankZero(OpLayouts &slots) {
  auto fix = [](Type type, VectorLayoutInterface &layout) {
    if (cast<VectorType>(type).getRank() == 0)
      layout = rankZeroLayout(type.getContext());
  };
  for (auto [operand, layout] :
       llvm::zip_equal(slots.operands, slots.operandLayouts))
    fix(operand->get().getType(), layout);
  for (auto [result, layout] :
       llvm::zip_equal(slots.results, slots.resultLayouts))
    fix(result.getType(), layout);
}

LogicalResult distaff::inferLayouts(Operation *op, OpLayouts &slots,
                                    std::string &why) {
  // A to_layout fixes its result and leaves its operand open.
  if (auto toLayout = dyn_cast<ToLayoutOp>(op)) {
    fixRankZero(slots);
    for (VectorLayoutInterface &layout : slots.resultLayouts)
      layout = resultLayoutOf(toLayout);
    return success();
  }
  return inferLayoutsBy(targetOpOf(op), op, slots, why);
}

bool distaff::hasTransferRule(Operation *op) {
  OpLayouts slots = OpLayouts::get(op);
  if ((slots.operands.empty() && slots.results.empty()) || isa<ToLayoutOp>(op))
    return true;
  std::string why;
  Inference inference(slots, why);
  return inferOrdinary(op, inference).has_value();
}

SmallVector<VectorLayoutInterface>
distaff::resultLayouts(Operation *op,
                       ArrayRef<VectorLayoutInterface> operandLayouts) {
  OpLayouts slots = OpLayouts::get(op);
  assert(slots.operands.size() == operandLayouts.size() &&
         "one layout per vector operand");
  llvm::copy(operandLayouts, slots.operandLayouts.begin());
  std::string why;
  (void)inferLayouts(op, slots, why);
  return slots.resultLayouts;
}

VectorLayoutInterface
distaff::operandLayout(Operation *op, unsigned index,
                       VectorLayoutInterface resultLayout) {
  OpLayouts slots = OpLayouts::get(op);
  if (slots.resultLayouts.empty())
    return {};
  slots.resultLayouts.front() = resultLayout;
  std::string why;
  (void)inferLayouts(op, slots, why);
  return slots.operandLayouts[index];
}

//===----------------------------------------------------------------------===//
// Ties of loops and branches
//===----------------------------------------------------------------------===//

static void tie(OpOperand &source, Value target, SmallVectorImpl<Tie> &ties) {
  if (hasLayout(target.getType()))
    ties.push_back({&source, target});
}

static void collect(scf::ForOp op, SmallVectorImpl<Tie> &ties) {
  MutableArrayRef<OpOperand> inits = op.getInitsMutable();
  MutableArrayRef<OpOperand> yields =
      op.getBody()->getTerminator()->getOpOperands();
  for (unsigned i = 0; i < inits.size(); ++i)
    for (OpOperand *source : {&inits[i], &yields[i]}) {
      tie(*source, op.getRegionIterArg(i), ties);
      tie(*source, op.getResult(i), ties);
    }
}

/// Collects the ties of scf.if, scf.index_switch and scf.execute_region: each
/// region yields the results.
static void collectYields(Operation *op, SmallVectorImpl<Tie> &ties) {
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (auto yield = dyn_cast<scf::YieldOp>(block.getTerminator()))
        for (auto [operand, result] :
             llvm::zip_equal(yield->getOpOperands(), op->getResults()))
          tie(operand, result, ties);
}

static void collect(scf::WhileOp op, SmallVectorImpl<Tie> &ties) {
  for (auto [init, argument] :
       llvm::zip_equal(op.getInitsMutable(), op.getBeforeArguments()))
    tie(init, argument, ties);
  for (auto [yield, argument] : llvm::zip_equal(
           op.getYieldOp()->getOpOperands(), op.getBeforeArguments()))
    tie(yield, argument, ties);
  MutableArrayRef<OpOperand> forwarded = op.getConditionOp().getArgsMutable();
  for (auto [i, operand] : llvm::enumerate(forwarded)) {
    tie(operand, op.getAfterArguments()[i], ties);
    tie(operand, op.getResult(i), ties);
  }
}

static void collect(vector::MaskOp op, SmallVectorImpl<Tie> &ties) {
  for (auto [yield, result] :
       llvm::zip_equal(op.getMaskBlock()->getTerminator()->getOpOperands(),
                       op.getResults()))
    tie(yield, result, ties);
  if (op.getPassthru() && op->getNumResults() == 1)
    tie(op->getOpOperand(1), op->getResult(0), ties);
}

SmallVector<Tie> distaff::ties(Operation *op) {
  SmallVector<Tie> ties;
  TypeSwitch<Operation *>(op)
      .Case<scf::ForOp, scf::WhileOp, vector::MaskOp>(
          [&](auto regionOp) { collect(regionOp, ties); })
      .Case<scf::IfOp, scf::IndexSwitchOp, scf::ExecuteRegionOp>(
          [&](Operation *regionOp) { collectYields(regionOp, ties); });
  return ties;
}
