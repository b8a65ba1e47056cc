//===- RecordCode.cpp - Decision log of the emitted code ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The log records the final code: dead ops are gone and equal ops are one. So
// at the end of `lower` the log receives every instruction that moves data
// between lanes or to and from memory, waits or multiplies matrices, under the
// op whose location it has.
//
// recordInstruction is the one place that lists these instructions.
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Access/AccessWidth.h"
#include "distaff/Analysis/Access/PackedMemory.h"
#include "distaff/Analysis/Access/WorkgroupMemory.h"
#include "distaff/Analysis/Layout/LayoutChoice.h"
#include "distaff/Analysis/Log/Decisions.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Kernel/Kernel.h"
#include "distaff/Lower/Passes.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace distaff;
using Kind = CodeRecord::Kind;

/// Returns `global`, `workgroup` or `private`.
static StringRef spaceOf(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  auto type = cast<MemRefType>(memref.getType());
  if (gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type))
    return "workgroup";
  return memref.getDefiningOp<memref::AllocaOp>() ? "private" : "global";
}

static int64_t bytesOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return bytesInMemory(getElementTypeOrSelf(type)) *
         (vector ? vector.getNumElements() : 1);
}

/// Returns the bytes of memory, in which elements may share bytes.
static int64_t bytesOf(Type type, Value memref) {
  auto vector = dyn_cast<VectorType>(type);
  return isPackedMemory(memref)
             ? llvm::divideCeil((vector ? vector.getNumElements() : 1) *
                                    bitsInMemory(memref),
                                8)
             : bytesOf(type);
}

/// Records the loops and branches around an instruction.
static void recordPlace(Operation *op, CodeRecord &record) {
  record.trips = tripsKnownAround(op);
  record.isConditional = !op->getBlock()->isEntryBlock();
  int64_t branches = record.isConditional;
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp()) {
    if (!isa<scf::IfOp, scf::IndexSwitchOp>(parent))
      continue;
    record.isConditional = true;
    // For two nested branches it is unknown which lanes take both.
    record.taken =
        ++branches == 1 ? provenanceOf(parent->getLoc()).taken : Population();
  }
}

/// Returns whether an op is one that the user may have written for a lane and
/// no stage of ours emits: it reads or writes, or is a vendor's instruction.
static bool isOther(Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  if (llvm::is_contained({"nvgpu", "nvvm", "amdgpu", "rocdl"}, dialect))
    return true;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  return effects && (effects.hasEffect<MemoryEffects::Read>() ||
                     effects.hasEffect<MemoryEffects::Write>());
}

static void recordInstruction(Operation *op, StringRef function,
                              DecisionLog &log) {
  auto add = [&](Kind kind, StringRef space, int64_t bytes,
                 StringRef instruction = "") {
    CodeRecord record;
    record.function = function.str();
    record.source = provenanceOf(op->getLoc()).source;
    record.kind = kind;
    record.space = space.str();
    record.instruction = instruction.str();
    record.bytes = bytes;
    record.count = 1;
    recordPlace(op, record);
    log.addCode(record);
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](gpu::ShuffleOp op) {
        add(Kind::Shuffle, "", bytesOf(op.getValue().getType()));
      })
      .Case([&](gpu::BarrierOp) { add(Kind::Barrier, "", 0); })
      .Case([&](iree::InnerTiledOp op) {
        auto kind = cast<iree::MmaLayoutAttr>(op.getKind());
        add(Kind::Mma, "", 0, kind.getName());
      })
      .Case([&](core::TargetOpOp op) {
        add(Kind::Other, "", 0, op.getKind().getName());
      })
      .Case([&](nvgpu::LdMatrixOp op) {
        add(Kind::Load, spaceOf(op.getSrcMemref()), 16, "ldmatrix");
      })
      .Case<amdgpu::TransposeLoadOp, core::GlobalTransposeLoadOp>([&](auto op) {
        StringRef space = spaceOf(op->getOperand(0));
        add(Kind::Load, space, bytesOf(op->getResult(0).getType()),
            space == "global" ? "global_load_tr" : "ds_read_tr");
      })
      .Case([&](core::StMatrixOp op) {
        add(Kind::Store, spaceOf(op.getMemref()), 16, "stmatrix");
      })
      .Case<memref::LoadOp>([&](auto op) {
        add(Kind::Load, spaceOf(op.getMemRef()),
            bytesOf(op.getType(), op.getMemRef()));
      })
      .Case<vector::LoadOp>([&](auto op) {
        add(Kind::Load, spaceOf(op.getBase()),
            bytesOf(op.getType(), op.getBase()));
      })
      .Case<memref::StoreOp>([&](auto op) {
        add(Kind::Store, spaceOf(op.getMemRef()),
            bytesOf(op.getValueToStore().getType(), op.getMemRef()));
      })
      .Case<vector::StoreOp>([&](auto op) {
        add(Kind::Store, spaceOf(op.getBase()),
            bytesOf(op.getValueToStore().getType(), op.getBase()));
      })
      .Default([&](Operation *op) {
        if (isOther(op))
          add(Kind::Other, "", 0, op->getName().getStringRef());
      });
}

/// Records a kernel that was written for one lane, which no other stage
/// records.
static void recordKernel(FunctionOpInterface function, const Target &target,
                         DecisionLog &log) {
  LaunchSizes sizes = launchSizesOf(function);
  bool isKnown = llvm::any_of(log.kernels, [&](const KernelDecision &known) {
    return known.function == function.getName();
  });
  if (isKnown || !isKernel(function) || !sizes.workgroup)
    return;
  KernelDecision kernel;
  kernel.function = function.getName().str();
  kernel.target = target.name.str();
  kernel.workgroupSize = sizes.numLanes();
  kernel.subgroupSize = sizes.subgroup.value_or(target.subgroupSize);
  kernel.subgroups =
      llvm::divideCeil(kernel.workgroupSize, kernel.subgroupSize);
  kernel.ownBytes = kernel.allocatedBytes =
      workgroupMemoryOf(function, target.workgroupAlignment());
  log.kernels.push_back(std::move(kernel));
}

namespace {
struct RecordCode final : PassWrapper<RecordCode, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RecordCode)

  RecordCode(const Target &target, DecisionLog &log)
      : target(&target), log(&log) {}

  StringRef getName() const final { return "RecordCode"; }

  void runOnOperation() final {
    getOperation()->walk([&](FunctionOpInterface function) {
      recordKernel(function, *target, *log);
      function->walk([&](Operation *op) {
        recordInstruction(op, function.getName(), *log);
      });
      log->lowered.push_back(function.getName().str());
    });
    markAllAnalysesPreserved();
  }

private:
  const Target *target;
  DecisionLog *log;
};
} // namespace

std::unique_ptr<Pass> distaff::createRecordCode(const Target &target,
                                                DecisionLog &log) {
  return std::make_unique<RecordCode>(target, log);
}
