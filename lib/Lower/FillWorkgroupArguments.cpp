//===- FillWorkgroupArguments.cpp - Arguments in shared memory ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A subgroup copies one row after the other, and its lanes copy neighbours of
// one row: with any distance between rows, there are no bank conflicts.
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Access/WorkgroupMemory.h"
#include "distaff/Kernel/Kernel.h"
#include "distaff/Lower/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace distaff {
#define GEN_PASS_DEF_FILLWORKGROUPARGUMENTS
#include "distaff/Lower/Passes.h.inc"
} // namespace distaff

using namespace distaff;

static bool isWorkgroup(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(memref);
}

/// Returns whether an op may write the memory that `memref` views.
static bool mayBeWritten(Value memref) {
  return llvm::any_of(memref.getUsers(), [&](Operation *user) {
    if (auto view = dyn_cast<ViewLikeOpInterface>(user))
      return mayBeWritten(view.getViewDest());
    auto effects = dyn_cast<MemoryEffectOpInterface>(user);
    if (!effects)
      return !isMemoryEffectFree(user);
    SmallVector<MemoryEffects::EffectInstance> all;
    effects.getEffects(all);
    return llvm::any_of(all, [&](MemoryEffects::EffectInstance &effect) {
      return isa<MemoryEffects::Write>(effect.getEffect()) &&
             (!effect.getValue() || effect.getValue() == memref);
    });
  });
}

static SmallVector<gpu::ReturnOp> returnsOf(FunctionOpInterface kernel) {
  SmallVector<gpu::ReturnOp> returns;
  kernel->walk([&](gpu::ReturnOp op) { returns.push_back(op); });
  return returns;
}

std::optional<std::string>
distaff::whyWorkgroupArgumentsStay(FunctionOpInterface kernel) {
  LaunchSizes sizes = launchSizesOf(kernel);
  for (BlockArgument argument : kernel.getArguments()) {
    if (!isWorkgroup(argument.getType()))
      continue;
    auto type = cast<MemRefType>(argument.getType());
    auto say = [&](const Twine &why) {
      return ("argument " + Twine(argument.getArgNumber()) +
              " lies in workgroup memory, " + why)
          .str();
    };
    if (!type.hasStaticShape())
      return say("and nobody knows how much of it; give it static extents");
    if (!hasApartRows(type))
      return say("and two of its elements may lie on the same bytes; take the "
                 "whole buffer and a memref.subview of it");
    if (!sizes.workgroup || !sizes.subgroup)
      return say("and nobody says how many lanes are there to fill it; give "
                 "the kernel its workgroup_size and subgroup_size");
    if (!mayBeWritten(argument))
      continue;
    if (fixedGridOf(kernel) != std::array<int64_t, 3>{1, 1, 1})
      return say(
          "of which each workgroup writes its own; launch one workgroup");
    if (returnsOf(kernel).size() != 1)
      return say("which is read back where the kernel ends, in one place; "
                 "return from one block only");
  }
  return std::nullopt;
}

namespace {
/// Copies between global memory and the buffers, with all lanes.
class RowCopies {
public:
  RowCopies(OpBuilder &b, Location loc, const LaunchSizes &sizes)
      : b(b), loc(loc), lanes(*sizes.subgroup),
        subgroups(llvm::divideCeil(sizes.numLanes(), lanes)) {
    Value id = linearLaneId(b, loc, *sizes.workgroup);
    lane = arith::RemUIOp::create(b, loc, id, index(lanes));
    subgroup = arith::DivUIOp::create(b, loc, id, index(lanes));
  }

  void copy(Value from, Value to) {
    ArrayRef<int64_t> shape = cast<MemRefType>(from.getType()).getShape();
    if (llvm::is_contained(shape, 0))
      return;
    SmallVector<int64_t> extents(shape.empty() ? ArrayRef<int64_t>(1) : shape);
    int64_t rows = llvm::product_of(ArrayRef(extents).drop_back());
    auto forEach = [&](Value first, int64_t count, int64_t step, auto body) {
      auto loop = scf::ForOp::create(b, loc, first, index(count), index(step));
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      body(loop.getInductionVar());
    };
    forEach(subgroup, rows, subgroups, [&](Value row) {
      SmallVector<Value> position(shape.size());
      for (int64_t dim = int64_t(shape.size()) - 2; dim >= 0; --dim) {
        position[dim] = arith::RemUIOp::create(b, loc, row, index(shape[dim]));
        row = arith::DivUIOp::create(b, loc, row, index(shape[dim]));
      }
      forEach(lane, extents.back(), lanes, [&](Value at) {
        if (!position.empty())
          position.back() = at;
        Value element = memref::LoadOp::create(b, loc, from, position);
        memref::StoreOp::create(b, loc, element, to, position);
      });
    });
  }

private:
  Value index(int64_t number) {
    return arith::ConstantIndexOp::create(b, loc, number);
  }

  OpBuilder &b;
  Location loc;
  int64_t lanes, subgroups;
  Value lane, subgroup;
};

/// An argument that has become an array in global memory, and its buffer.
struct Filled {
  Value array, buffer;
  bool isWritten;
};

struct FillWorkgroupArguments final
    : distaff::impl::FillWorkgroupArgumentsBase<FillWorkgroupArguments> {
  void runOnOperation() override {
    gpu::GPUFuncOp kernel = getOperation();
    if (std::optional<std::string> why = whyWorkgroupArgumentsStay(kernel)) {
      kernel.emitOpError(*why);
      return signalPassFailure();
    }
    OpBuilder b = OpBuilder::atBlockBegin(&kernel.front());
    SmallVector<Filled> filled;
    for (BlockArgument argument : kernel.getArguments())
      if (isWorkgroup(argument.getType()))
        filled.push_back(allocate(b, argument));
    if (filled.empty())
      return;
    kernel.setType(FunctionType::get(
        &getContext(), llvm::to_vector(kernel.front().getArgumentTypes()), {}));
    LaunchSizes sizes = launchSizesOf(kernel);
    RowCopies copies(b, kernel.getLoc(), sizes);
    for (Filled &argument : filled)
      copies.copy(argument.array, argument.buffer);
    gpu::BarrierOp::create(b, kernel.getLoc());
    if (!llvm::any_of(filled, [](Filled &x) { return x.isWritten; }))
      return;
    b.setInsertionPoint(returnsOf(kernel).front());
    gpu::BarrierOp::create(b, kernel.getLoc());
    RowCopies back(b, kernel.getLoc(), sizes);
    for (Filled &argument : filled)
      if (argument.isWritten)
        back.copy(argument.buffer, argument.array);
  }

private:
  static Filled allocate(OpBuilder &b, BlockArgument argument) {
    auto kernel = cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
    unsigned number = argument.getArgNumber();
    bool isWritten = mayBeWritten(argument);
    auto type = cast<MemRefType>(argument.getType());
    Value buffer = allocateLike(b, argument.getLoc(), type,
                                workgroupAlignmentOf(kernel, number, 1));
    argument.replaceAllUsesWith(buffer);
    argument.setType(MemRefType::get(type.getShape(), type.getElementType()));
    // The alignment was the buffer's.
    kernel.removeArgAttr(number, LLVM::LLVMDialect::getAlignAttrName());
    return {argument, buffer, isWritten};
  }
};
} // namespace
