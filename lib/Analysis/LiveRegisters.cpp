//===- LiveRegisters.cpp - Registers that a laid-out kernel needs ---------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk backwards through each block. What a loop's body reads of the
// outside stays live in all of the body, and so does what is read after it.
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/LiveRegisters.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace distaff;
using vector_ext::ToLayoutOp;
using vector_ext::VectorLayoutInterface;

int64_t distaff::registersOf(Value value, VectorLayoutInterface layout,
                             HardwareShape hardware) {
  if (!layout)
    return 0;
  Layout digits = layout.getLayout();
  Layout placed =
      digits.forTarget(hardware.subgroups * hardware.lanes, hardware.lanes)
          .value_or(digits);
  Type element = getElementTypeOrSelf(value.getType());
  int64_t bits =
      element.isIntOrFloat() ? int64_t(element.getIntOrFloatBitWidth()) : 64;
  return llvm::divideCeil(placed.numRegisters() * bits, 32);
}

static bool feedsMma(Operation *user) {
  auto toLayout = dyn_cast<ToLayoutOp>(user);
  return toLayout && toLayout.getMmaKindAttr();
}

/// The value whose registers `value` keeps alive: broadcasts, transposes,
/// layout changes and extensions that an MMA instruction does itself are
/// renamings of their operand's.
static Value renamed(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    bool renames = isa<vector::BroadcastOp, vector::TransposeOp,
                       vector::ShapeCastOp, ToLayoutOp>(op) ||
                   (isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(op) &&
                    llvm::all_of(op->getUsers(), feedsMma));
    if (!renames)
      break;
    value = op->getOperand(0);
  }
  return value;
}

namespace {
class Counter {
public:
  Counter(const LayoutMap &layouts, HardwareShape hardware)
      : layouts(layouts), hardware(hardware) {}

  void visit(Region &region, const DenseSet<Value> &liveAfter) {
    for (Block &block : region)
      visit(block, liveAfter);
  }

  LiveRegisters most;

private:
  void visit(Block &block, DenseSet<Value> live) {
    for (Operation &op : llvm::reverse(block)) {
      DenseSet<Value> here = live;
      insert(op.getOperands(), here);
      insert(op.getResults(), here);
      measure(op, here);
      for (Value result : op.getResults())
        live.erase(result);
      llvm::SetVector<Value> captured;
      getUsedValuesDefinedAbove(op.getRegions(), captured);
      insert(captured.getArrayRef(), live);
      for (Region &region : op.getRegions())
        visit(region, live);
      insert(op.getOperands(), live);
    }
  }

  static void insert(ValueRange values, DenseSet<Value> &set) {
    for (Value value : values)
      if (isa<VectorType>(value.getType()))
        set.insert(renamed(value));
  }

  void measure(Operation &op, const DenseSet<Value> &live) {
    int64_t registers = 0;
    for (Value value : live) {
      auto [it, isNew] = sizes.try_emplace(value, 0);
      if (isNew)
        it->second = registersOf(value, layouts.get(value), hardware);
      registers += it->second;
    }
    if (registers > most.vectors)
      most = {registers, &op};
  }

  const LayoutMap &layouts;
  HardwareShape hardware;
  DenseMap<Value, int64_t> sizes;
};
} // namespace

LiveRegisters distaff::mostLiveRegisters(FunctionOpInterface function,
                                         const LayoutMap &layouts,
                                         HardwareShape hardware) {
  Counter counter(layouts, hardware);
  counter.visit(function.getFunctionBody(), {});
  return counter.most;
}
