//===- HostMemory.cpp - Memory allocation in CPU kernels ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   memref.alloca   the stack, at the start of the function: one for all
//                   workgroups of a range
//   memref.alloc    the heap, by aligned_alloc (VX-197): of a size that is
//                   known at the start of the function, too, else where it
//                   stands; freed where the block that it is in ends
//
//===----------------------------------------------------------------------===//
#include "HostConversion.h"
#include "distaff/CheckedSize.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace distaff;

/// The alignment of a cache line, and of the widest vectors.
static constexpr int64_t hostAlignment = 64;

static LogicalResult placeOnStack(memref::AllocaOp op, func::FuncOp kernel,
                                  int64_t &taken) {
  MemRefType type = op.getType();
  if (!type.hasStaticShape())
    return op->emitOpError("has a size that only a launch knows; a CPU's "
                           "workgroup has memory on the stack");
  taken = saturatingSum(
      taken, saturatingProduct(type.getNumElements(),
                               bytesInMemory(type.getElementType())));
  if (taken > hostWorkgroupBytes)
    return op->emitOpError("of ")
           << type << " is more than a workgroup of a CPU has: "
           << (hostWorkgroupBytes >> 10)
           << " KiB of stack for all that it allocates";
  OpBuilder b = OpBuilder::atBlockBegin(&kernel.front());
  Value memory = memref::AllocaOp::create(b, op->getLoc(), type, ValueRange(),
                                          b.getI64IntegerAttr(hostAlignment));
  op.replaceAllUsesWith(memory);
  op.erase();
  return success();
}

/// The extent to which memory is passed on from the block that allocates it.
enum class Reach { Block, Branches, Loops };

static Reach reachOf(Value memory) {
  auto reach = Reach::Block;
  auto follow = [&](Operation *op, Reach least) {
    reach = std::max(reach, least);
    for (Value result : op->getResults())
      if (isa<MemRefType>(result.getType()))
        reach = std::max(reach, reachOf(result));
  };
  for (Operation *user : memory.getUsers()) {
    Operation *around = user->getParentOp();
    if (isa<BranchOpInterface>(user))
      reach = Reach::Loops;
    else if (!user->hasTrait<mlir::OpTrait::IsTerminator>())
      follow(user, Reach::Block);
    else if (isa<scf::IfOp, scf::IndexSwitchOp, scf::ExecuteRegionOp>(around))
      follow(around, Reach::Branches);
    else
      reach = Reach::Loops;
  }
  return reach;
}

/// Returns a value that is true if memory was allocated, or if none was needed;
/// false if its size has wrapped around.
static Value isThere(OpBuilder &b, memref::AllocOp op) {
  Location loc = op.getLoc();
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  auto compare = [&](arith::CmpIPredicate predicate, Value lhs,
                     Value rhs) -> Value {
    return arith::CmpIOp::create(b, loc, predicate, lhs, rhs);
  };
  int64_t fixed = bytesInMemory(op.getType().getElementType());
  for (int64_t extent : op.getType().getShape())
    if (ShapedType::isStatic(extent))
      fixed *= extent;
  Value bytes = index(fixed), one = index(1), zero = index(0);
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(b, loc, op.getMemref());
  Value isThere = compare(arith::CmpIPredicate::ne, address, zero);
  Value fits;
  for (Value extent : op.getDynamicSizes()) {
    Value divisor = arith::MaxUIOp::create(b, loc, bytes, one);
    Value most =
        arith::DivUIOp::create(b, loc, index(largestArrayBytes), divisor);
    Value thisFits = compare(arith::CmpIPredicate::ule, extent, most);
    fits =
        fits ? Value(arith::AndIOp::create(b, loc, fits, thisFits)) : thisFits;
    bytes = arith::MulIOp::create(b, loc, bytes, extent);
  }
  if (!fits)
    return isThere;
  Value isEmpty = compare(arith::CmpIPredicate::eq, bytes, zero);
  isThere = arith::OrIOp::create(b, loc, isThere, isEmpty);
  return arith::AndIOp::create(b, loc, fits, isThere);
}

static LogicalResult placeOnHeap(memref::AllocOp op, func::FuncOp kernel) {
  bool isStatic = op.getType().hasStaticShape();
  if (reachOf(op.getMemref()) > (isStatic ? Reach::Branches : Reach::Block))
    return op->emitOpError(
        "is passed on by the loop or branch that it is in, where what a "
        "kernel of a CPU allocates ends; allocate it before");
  if (isStatic)
    op->moveBefore(&kernel.front().front());
  op.setAlignment(hostAlignment);
  OpBuilder b(op);
  b.setInsertionPointAfter(op);
  Location loc = op.getLoc();
  std::string message = "no memory is left for a ";
  llvm::raw_string_ostream(message)
      << op.getType() << " of kernel '" << kernel.getName() << "'";
  cf::AssertOp::create(b, loc, isThere(b, op), message);
  b.setInsertionPoint(op->getBlock()->getTerminator());
  memref::DeallocOp::create(b, loc, op.getMemref());
  return success();
}

LogicalResult distaff::placeHostMemory(func::FuncOp kernel) {
  kernel.walk([](memref::DeallocOp op) { op.erase(); });
  SmallVector<memref::AllocOp> onHeap;
  kernel.walk([&](memref::AllocOp op) { onHeap.push_back(op); });
  for (memref::AllocOp op : onHeap)
    if (failed(placeOnHeap(op, kernel)))
      return failure();
  SmallVector<memref::AllocaOp> onStack;
  kernel.walk([&](memref::AllocaOp op) { onStack.push_back(op); });
  int64_t taken = 0;
  for (memref::AllocaOp op : onStack)
    if (failed(placeOnStack(op, kernel, taken)))
      return failure();
  return success();
}
