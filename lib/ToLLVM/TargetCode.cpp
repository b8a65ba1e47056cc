//===- TargetCode.cpp - Checks for ops without code -----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The conversion finds most of them: ops without a pattern are left over. For a
// few, upstream's patterns crash or make code that LLVM rejects, so they are
// checked beforehand.
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Access/AccessWidth.h"
#include "distaff/Analysis/Legality/NoCode.h"
#include "distaff/Kernel/AtomicForm.h"
#include "distaff/ToLLVM/ToLLVM.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/StringSwitch.h"

using namespace distaff;

/// Returns why an op has no code, and what to write instead.
static StringRef adviceFor(StringRef name) {
  return llvm::StringSwitch<StringRef>(name)
      .Case("gpu.dynamic_shared_memory",
            "a launch allocates what the kernel's own buffers take; make one "
            "by memref.alloc, of static shape in workgroup memory")
      .Case("memref.alloca_scope",
            "private memory lives as long as the kernel; move its ops out of "
            "the scope")
      .Case("memref.reshape", "memref.reinterpret_cast takes extents that are "
                              "values, not an array of them")
      .Cases({"memref.atomic_rmw", "memref.generic_atomic_rmw"},
             "no instruction does this update; distaff-lower-atomics makes a "
             "loop of it")
      .Case("gpu.rotate", "gpu.shuffle idx, from the lane that is rotated "
                          "here, does the same")
      .Case("gpu.subgroup_broadcast",
            "gpu.shuffle idx, from one lane, does the same")
      .Case("gpu.all_reduce",
            "gpu.subgroup_reduce, and workgroup memory between subgroups, do "
            "the same; so does vector.multi_reduction before distribute")
      .Case("gpu.grid_dim", "no register holds the number of workgroups; give "
                            "the kernel a known_grid_size, or pass it the "
                            "number")
      .Cases({"nvgpu.device_async_copy", "memref.dma_start"},
             "copy by memref.load and memref.store, or by "
             "vector.transfer_read and vector.transfer_write")
      .Default("write it with ops of arith, math, scf, memref or vector");
}

LogicalResult distaff::refuseWithoutCode(Operation *op, const Target &target) {
  StringRef name = op->getName().getStringRef();
  return op->emitOpError("has no code for ")
         << target.name << ": "
         << whyNoCode(op).value_or(adviceFor(name).str());
}

static bool isGapped(VectorType type, Value base) {
  return type.getNumElements() > 1 && !fillsItsBytes(type.getElementType()) &&
         !isPackedMemory(base);
}

/// Returns the vector that one access moves and its memory, null for other ops.
static std::pair<VectorType, Value> accessed(Operation *op) {
  if (auto load = dyn_cast<vector::LoadOp>(op))
    return {load.getVectorType(), load.getBase()};
  auto store = dyn_cast<vector::StoreOp>(op);
  return store ? std::pair(store.getVectorType(), Value(store.getBase()))
               : std::pair<VectorType, Value>();
}

LogicalResult distaff::checkHasCode(func::FuncOp kernel, const Target &target) {
  WalkResult walk =
      kernel.walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
        if (isa<gpu::DynamicSharedMemoryOp, memref::AllocaScopeOp,
                memref::ReshapeOp>(op) ||
            whyNoCode(op))
          return refuseWithoutCode(op, target);
        if (isa<gpu::GridDimOp>(op) && target.family == Family::AMDGPU)
          return refuseWithoutCode(op, target);
        if (auto update = dyn_cast<memref::GenericAtomicRMWOp>(op);
            update && !AtomicForm::of(update))
          return refuseWithoutCode(op, target);
        if (auto [vector, base] = accessed(op);
            vector && isGapped(vector, base))
          return op->emitOpError("has no code for ")
                 << target.name << ": in memory a gap follows each "
                 << vector.getElementType()
                 << "; distaff-lower-vectors accesses them one by one";
        return WalkResult::advance();
      });
  return failure(walk.wasInterrupted());
}

LogicalResult distaff::checkConverted(ModuleOp module,
                                      const ConversionTarget &legal,
                                      const Target &target) {
  UnrealizedConversionCastOp cast;
  WalkResult walk =
      module.walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
        if (!legal.isLegal(op))
          return refuseWithoutCode(op, target);
        if (!cast)
          cast = dyn_cast<UnrealizedConversionCastOp>(op);
        return WalkResult::advance();
      });
  if (walk.wasInterrupted())
    return failure();
  if (cast)
    return emitError(cast.getLoc(), "has no code for ")
           << target.name << ": it leaves a value of type "
           << cast.getOperandTypes().front() << " that others take as "
           << cast.getResultTypes().front();
  return success();
}
