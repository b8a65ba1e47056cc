//===- LiveRegisters.cpp - Registers that a laid-out kernel needs ---------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// There is one backward walk through each block. Outside values that a loop's
// body reads stay live in all of the body, and so do values that are read after
// it.
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Registers/LiveRegisters.h"
#include "distaff/Analysis/Layout/Multiplicand.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace distaff;
using vector_ext::ToLayoutOp;
using vector_ext::VectorLayoutInterface;

int64_t distaff::laneElementsOf(VectorLayoutInterface layout,
                                HardwareShape hardware) {
  if (!layout)
    return 0;
  Layout digits = layout.getLayout();
  return digits.forTarget(hardware.subgroups * hardware.lanes, hardware.lanes)
      .value_or(digits)
      .numRegisters();
}

int64_t distaff::registersOf(Value value, VectorLayoutInterface layout,
                             HardwareShape hardware) {
  Type element = getElementTypeOrSelf(value.getType());
  int64_t bits =
      element.isIntOrFloat() ? int64_t(element.getIntOrFloatBitWidth()) : 64;
  return llvm::divideCeil(laneElementsOf(layout, hardware) * bits, 32);
}

/// Returns the 32-bit registers of one lane's vector. Bits count as bytes,
/// because each becomes a value of its own.
static int64_t laneRegistersOf(VectorType type) {
  Type element = type.getElementType();
  int64_t bits = element.isIntOrFloat()
                     ? std::max<int64_t>(8, element.getIntOrFloatBitWidth())
                     : 64;
  return llvm::divideCeil(type.getNumElements() * bits, 32);
}

int64_t distaff::registersCarried(Region &region) {
  int64_t most = 0;
  region.walk([&](LoopLikeOpInterface loop) {
    int64_t registers = 0;
    for (Value carried : loop.getRegionIterArgs())
      if (auto type = dyn_cast<VectorType>(carried.getType()))
        registers += laneRegistersOf(type);
    most = std::max(most, registers);
  });
  return most;
}

LogicalResult distaff::refuseRegisters(Operation *op, int64_t registers,
                                       const Target &target) {
  if (target.isHost())
    return op->emitError()
           << "about " << registers
           << " words of registers hold vectors here, more than the "
           << target.spillableRegisters
           << " that can be spilled to the stack: they exist as a whole, for "
              "an op that uses or makes them has no tiles; compute smaller "
              "vectors in a loop, or keep them in memory";
  return op->emitError() << "about " << registers
                         << " registers per lane hold vectors here, more than "
                            "the "
                         << target.spillableRegisters
                         << " that can be spilled to memory; make the tiles "
                            "smaller or take more lanes";
}

LogicalResult distaff::verifyLaneVectors(Operation *function,
                                         const Target &target) {
  auto verify = [&](Operation *op, TypeRange types) -> LogicalResult {
    for (Type type : types)
      if (auto vector = dyn_cast<VectorType>(type))
        if (int64_t registers = laneRegistersOf(vector);
            registers > target.spillableRegisters)
          return refuseRegisters(op, registers, target);
    return success();
  };
  WalkResult walk =
      function->walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
        if (failed(verify(op, op->getResultTypes())))
          return failure();
        for (Region &region : op->getRegions())
          for (Block &block : region)
            if (failed(verify(op, block.getArgumentTypes())))
              return failure();
        return success();
      });
  return failure(walk.wasInterrupted());
}

static bool feedsMma(Operation *user) {
  auto toLayout = dyn_cast<ToLayoutOp>(user);
  return toLayout && toLayout.getMmaKindAttr();
}

static bool isRenaming(Operation *op) {
  return isa<vector::BroadcastOp, vector::TransposeOp, vector::ShapeCastOp,
             ToLayoutOp>(op) ||
         (isExactExtension(op) && llvm::all_of(op->getUsers(), feedsMma));
}

namespace {
class Counter {
public:
  Counter(LayoutOfValue layouts, HardwareShape hardware,
          Operation *collectAt = nullptr)
      : layouts(layouts), hardware(hardware), collectAt(collectAt) {}

  void visit(Region &region) {
    for (Block &block : region) {
      size_t before = changes.size();
      visit(block);
      undo(before);
    }
  }

  LiveRegisters most;
  DenseSet<Value> collected;

private:
  void visit(Block &block) {
    for (Operation &op : llvm::reverse(block)) {
      size_t before = changes.size();
      add(op.getOperands());
      add(op.getResults());
      if (registers > most.vectors)
        most = {registers, &op, {}};
      if (&op == collectAt)
        collected = live;
      undo(before);
      for (Value result : op.getResults())
        if (live.contains(result))
          change(result);
      if (op.getNumRegions() > 0) {
        llvm::SetVector<Value> captured;
        getUsedValuesDefinedAbove(op.getRegions(), captured);
        add(captured.getArrayRef());
        for (Region &region : op.getRegions())
          visit(region);
      }
      add(op.getOperands());
    }
  }

  void add(ValueRange values) {
    for (Value value : values)
      if (isa<VectorType>(value.getType()))
        if (Value kept = renamed(value); !live.contains(kept))
          change(kept);
  }

  /// Makes `value` live, or dead again.
  void change(Value value) {
    changes.push_back(value);
    flip(value);
  }

  void undo(size_t before) {
    while (changes.size() > before)
      flip(changes.pop_back_val());
  }

  void flip(Value value) {
    auto [it, isNew] = sizes.try_emplace(value, 0);
    if (isNew)
      it->second = registersOf(value, layouts(value), hardware);
    bool isLive = live.insert(value).second;
    if (!isLive)
      live.erase(value);
    registers += isLive ? it->second : -it->second;
  }

  /// Returns the value whose registers `value` keeps alive: broadcasts,
  /// transposes, layout changes and extensions that an MMA instruction includes
  /// only rename the registers of their operand.
  Value renamed(Value value) {
    SmallVector<Value> passed;
    for (;;) {
      if (Value known = names.lookup(value)) {
        value = known;
        break;
      }
      passed.push_back(value);
      Operation *op = value.getDefiningOp();
      if (!op || !isRenaming(op) || addsCopies(op))
        break;
      value = op->getOperand(0);
    }
    for (Value name : passed)
      names[name] = value;
    return value;
  }

  /// Returns whether a layout change gives a lane more registers than before,
  /// all at once: values from promoted memory are read where they are used.
  bool addsCopies(Operation *op) const {
    auto toLayout = dyn_cast<ToLayoutOp>(op);
    if (!toLayout || toLayout.getSharedMemoryConversionAttr())
      return false;
    auto wordsOf = [&](Value value) {
      return registersOf(value, layouts(value), hardware);
    };
    return wordsOf(toLayout.getOutput()) > wordsOf(toLayout.getInput());
  }

  LayoutOfValue layouts;
  HardwareShape hardware;
  Operation *collectAt; // the op whose live values are collected
  DenseMap<Value, int64_t> sizes;
  DenseMap<Value, Value> names; // cache of `renamed`
  DenseSet<Value> live;
  int64_t registers = 0;      // registers of `live`
  SmallVector<Value> changes; // each value that became live or dead, in order
};
} // namespace

LiveRegisters distaff::mostLiveRegisters(FunctionOpInterface function,
                                         LayoutOfValue layouts,
                                         HardwareShape hardware,
                                         bool needsValues) {
  Counter counter(layouts, hardware);
  counter.visit(function.getFunctionBody());
  if (needsValues && counter.most.op) {
    Counter collector(layouts, hardware, counter.most.op);
    collector.visit(function.getFunctionBody());
    counter.most.values = std::move(collector.collected);
  }
  return counter.most;
}

LiveRegisters distaff::mostLiveRegisters(FunctionOpInterface function,
                                         const LayoutMap &layouts,
                                         HardwareShape hardware) {
  return mostLiveRegisters(
      function, [&](Value value) { return layouts.get(value); }, hardware,
      /*needsValues=*/false);
}
