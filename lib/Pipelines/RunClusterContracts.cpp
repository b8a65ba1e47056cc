//===- RunClusterContracts.cpp - Contracts of run-cluster -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RunClusterContracts.h"
#include "ContractChecks.h"
#include "distaff/Analysis/Phases/PayloadClasses.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "distaff/PCF/Transforms.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace distaff {

using namespace pcf;
using iree::LaneScopeAttr;
using iree::SubgroupScopeAttr;
using iree::WorkgroupScopeAttr;

//===----------------------------------------------------------------------===//
// Scopes of ops
//===----------------------------------------------------------------------===//

/// Returns the op that defines the scope of the workers that run `op`; null
/// outside of all. A sequential op is run by any worker that reaches it.
static RefOwnerOpInterface ownerOf(Operation *op) {
  auto owner = op->getParentOfType<RefOwnerOpInterface>();
  while (owner && isa<SequentialAttr>(owner.getScope()))
    owner = owner->getParentOfType<RefOwnerOpInterface>();
  return owner;
}

template <typename... ScopeT> static bool isRunBy(Operation *op) {
  RefOwnerOpInterface owner = ownerOf(op);
  return owner && isa<ScopeT...>(owner.getScope());
}

template <typename ScopeT> static bool isOwnerAt(Operation *op) {
  auto owner = dyn_cast<RefOwnerOpInterface>(op);
  return owner && isa<ScopeT>(owner.getScope());
}

/// Returns whether an op works on tensors; reading an extent is not work.
static bool isTensorWork(Operation *op) {
  return (isLinalg(op) || mentions<TensorType>(op)) && !isa<tensor::DimOp>(op);
}

template <typename ScopeT> static bool isExecutorAt(Operation *op) {
  auto executor = dyn_cast<SharedExecutorOp>(op);
  return executor && isa<ScopeT>(executor.getScope());
}

//===----------------------------------------------------------------------===//
// tile
//===----------------------------------------------------------------------===//

/// Fails at ops that read a ref or a view of it; `isWritten` is set if one
/// writes it.
static LogicalResult forbidReads(Value ref, bool &isWritten) {
  bool ok = true;
  for (Operation *user : ref.getUsers()) {
    isWritten |= isa<WriteSliceOp>(user);
    if (isa<SubviewOp, ExpandShapeOp>(user)) {
      ok &= succeeded(forbidReads(user->getResult(0), isWritten));
    } else if (isa<ReadSliceOp, GetMemrefOp>(user)) {
      user->emitOpError("reads a result of the loop over workgroups after "
                        "tile; read what it starts as by a readonly ref");
      ok = false;
    }
  }
  return success(ok);
}

static LogicalResult verifyWorkgroupLoop(RefOwnerOpInterface loop) {
  bool ok = true;
  for (OpResult result : loop->getResults()) {
    bool isWritten = false;
    unsigned number = result.getResultNumber();
    ok &= succeeded(forbidReads(loop.getRefOfResult(number), isWritten));
    if (isWritten)
      continue;
    loop->emitOpError("writes nothing to its result ")
        << number << " after tile; a result does not keep what it starts as";
    ok = false;
  }
  return success(ok);
}

static LogicalResult verifyTiledKernel(FunctionOpInterface kernel) {
  if (!findGridFunction(kernel))
    return kernel.emitOpError("has no grid function after tile; write @")
           << gridFunctionName(kernel.getName())
           << " beside it, a func.func with the attribute '"
           << hostAttributeName << "'";
  if (!startsWorkers(kernel))
    return kernel.emitOpError("has no loop over workgroups after tile");
  SmallVector<RefOwnerOpInterface> loops;
  kernel->walk([&](RefOwnerOpInterface owner) {
    if (isa<WorkgroupScopeAttr>(owner.getScope()))
      loops.push_back(owner);
  });
  if (loops.size() > 1) {
    InFlightDiagnostic error =
        loops[1]->emitOpError("is a second loop over workgroups after tile; "
                              "workgroups wait for each other only at the end "
                              "of a launch");
    error.attachNote(loops[0].getLoc()) << "the first one";
    return error;
  }
  for (RefOwnerOpInterface loop : loops)
    if (failed(verifyWorkgroupLoop(loop)))
      return failure();
  return forbid(kernel, "is outside the loop over workgroups after tile",
                [](Operation *op) { return isLinalg(op) && !ownerOf(op); });
}

LogicalResult verifyTiledToLoop(ModuleOp module) {
  return forEachKernel(module, verifyTiledKernel);
}

//===----------------------------------------------------------------------===//
// wrap-in-executor, form-matmul-phases, promote-to-shared-memory, specialize
//===----------------------------------------------------------------------===//

/// Returns whether a kernel starts workers. A loop over workgroups without
/// phases that lacks its grid function or the workgroup's size is an ordinary
/// kernel: configure and tile make them (PCF-137).
bool isTiledToLoop(FunctionOpInterface kernel) {
  if (!startsWorkers(kernel))
    return false;
  auto source = dyn_cast<func::FuncOp>(*kernel);
  return !source || !pcf::isRaisable(source) ||
         (findGridFunction(kernel) && launchSizesOf(kernel).workgroup);
}

bool isWrapped(FunctionOpInterface kernel) {
  return contains(kernel, [](Operation *op) {
    return isOwnerAt<SubgroupScopeAttr>(op) || isOwnerAt<LaneScopeAttr>(op);
  });
}

LogicalResult verifyWrapped(ModuleOp module) {
  return forEachKernel(module, [](FunctionOpInterface kernel) {
    return forbid(kernel, "is run by no subgroup after wrap-in-executor",
                  [](Operation *op) {
                    return isTensorWork(op) && !isa<RefOwnerOpInterface>(op) &&
                           isRunBy<WorkgroupScopeAttr>(op);
                  });
  });
}

static bool isOutsidePhases(Operation *op) {
  while ((op = op->getParentOp()))
    if (isa<RunClusterOp, RunThreadOp, RefOwnerOpInterface>(op))
      return isa<SharedExecutorOp>(op);
  return false;
}

/// Returns whether an op is work of a group outside of its phases.
static bool isWorkOutsidePhases(Operation *op) {
  return isTensorWork(op) && isOutsidePhases(op);
}

bool isFlowFormed(FunctionOpInterface kernel) {
  return isSubgroupsDistributed(kernel) ||
         (contains(kernel, llvm::IsaPred<RunClusterOp, RunThreadOp>) &&
          !contains(kernel, isWorkOutsidePhases));
}

static LogicalResult verifyPhases(ModuleOp module, StringRef stage) {
  return forEachKernel(module, [&](FunctionOpInterface kernel) {
    return forbid(kernel, "is in no phase after " + stage, [](Operation *op) {
      return isLinalg(op) && isOutsidePhases(op);
    });
  });
}

LogicalResult verifyFlowFormed(ModuleOp module) {
  return verifyPhases(module, "form-matmul-phases");
}

LogicalResult verifySpecialized(ModuleOp module) {
  return verifyPhases(module, "specialize");
}

/// Returns whether a value is read from memory that subgroups share.
static bool isReadOfPanel(Value value) {
  auto read = value.getDefiningOp<ReadSliceOp>();
  return read && !isa<WorkgroupScopeAttr>(
                     cast<SRefType>(getViewedRef(read.getSource()).getType())
                         .getScope());
}

/// Returns whether a value is such a read, or payload that only such reads
/// become: all values that phases yield for it, except those passed on.
static bool isOfPanel(Value value, SharedExecutorOp executor) {
  auto isPayload = [](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && isa<RunClusterOp>(argument.getOwner()->getParentOp());
  };
  if (!isPayload(value))
    return isReadOfPanel(value);
  FailureOr<PayloadClasses> classes = PayloadClasses::compute(executor);
  if (failed(classes))
    return false;
  unsigned field = classes->of(cast<BlockArgument>(value));
  bool isRead = false;
  for (OpOperand *yield : classes->yields(field)) {
    Value yielded = yield->get();
    if (isPayload(yielded) &&
        classes->of(cast<BlockArgument>(yielded)) == field)
      continue;
    if (!isReadOfPanel(yielded))
      return false;
    isRead = true;
  }
  return isRead;
}

/// Verifies that the promoted operands of a configured contraction are read
/// from panels.
static LogicalResult verifyPromoted(linalg::LinalgOp op) {
  auto config = op->getAttrOfType<iree::LoweringConfigAttr>(
      iree::LoweringConfigAttr::attributeName);
  auto executor = op->getParentOfType<SharedExecutorOp>();
  if (!config || !executor || !isa<SubgroupScopeAttr>(executor.getScope()) ||
      !op->getParentOfType<RunClusterOp>() ||
      !linalg::isaContractionOpInterface(op))
    return success();
  for (int64_t number : config.getPromotedOperands()) {
    if (number < 0 || number >= op.getNumDpsInputs() ||
        isOfPanel(op.getDpsInputOperand(number)->get(), executor))
      continue;
    return op.emitOpError("promotes operand ")
           << number
           << ", which is read from no panel after promote-to-shared-memory";
  }
  return success();
}

LogicalResult verifyCopied(ModuleOp module) {
  return forEachKernel(module, [](FunctionOpInterface kernel) {
    bool ok = true;
    kernel->walk(
        [&](linalg::LinalgOp op) { ok &= succeeded(verifyPromoted(op)); });
    return success(ok);
  });
}

//===----------------------------------------------------------------------===//
// distribute-subgroups, distribute-lanes
//===----------------------------------------------------------------------===//

bool isSubgroupsDistributed(FunctionOpInterface kernel) {
  return isWrapped(kernel) &&
         !contains(kernel, isExecutorAt<SubgroupScopeAttr>);
}

LogicalResult verifySubgroupsDistributed(ModuleOp module) {
  return forEachKernel(module, [](FunctionOpInterface kernel) {
    return forbid(kernel, "is left after distribute-subgroups",
                  isExecutorAt<SubgroupScopeAttr>);
  });
}

/// Returns whether subgroups, and none of their lanes, run an op on tensors.
static bool isWorkOfSubgroup(Operation *op) {
  return isTensorWork(op) && !isa<RefOwnerOpInterface>(op) &&
         isRunBy<SubgroupScopeAttr>(op);
}

bool isLanesDistributed(FunctionOpInterface kernel) {
  return contains(kernel, isOwnerAt<LaneScopeAttr>) &&
         !contains(kernel, llvm::IsaPred<SharedExecutorOp>) &&
         !contains(kernel, isWorkOfSubgroup);
}

LogicalResult verifyLanesDistributed(ModuleOp module) {
  return forEachKernel(module, [](FunctionOpInterface kernel) -> LogicalResult {
    if (failed(forbid(kernel, "is left after distribute-lanes",
                      llvm::IsaPred<SharedExecutorOp>)))
      return failure();
    return forbid(kernel, "is run by no lane after distribute-lanes",
                  isWorkOfSubgroup);
  });
}

//===----------------------------------------------------------------------===//
// vectorize, concretize
//===----------------------------------------------------------------------===//

static bool isTensorInside(Operation *op) {
  return isTensorWork(op) && ownerOf(op);
}

bool isLanesVectorized(FunctionOpInterface kernel) {
  return isLanesDistributed(kernel) && !contains(kernel, isTensorInside);
}

LogicalResult verifyLanesVectorized(ModuleOp module) {
  return forEachKernel(module, [](FunctionOpInterface kernel) {
    auto isSlice = llvm::IsaPred<ReadSliceOp, WriteSliceOp>;
    // Slices are left by ops that compute with them.
    if (failed(forbid(
            kernel,
            "is left after vectorize: it has no vector form; write "
            "it as linalg, elementwise ops or slices of memory",
            [&](Operation *op) { return isTensorInside(op) && !isSlice(op); })))
      return failure();
    return forbid(kernel, "is left after vectorize", isTensorInside);
  });
}

bool isConcrete(FunctionOpInterface kernel) {
  return levelOf(kernel) == Level::Lane && !startsWorkers(kernel);
}

LogicalResult verifyConcrete(ModuleOp module) {
  return forEachKernel(module, [](FunctionOpInterface kernel) {
    return forbid(kernel, "is left after concretize", [](Operation *op) {
      return isa_and_nonnull<PCFDialect>(op->getDialect());
    });
  });
}

} // namespace distaff
