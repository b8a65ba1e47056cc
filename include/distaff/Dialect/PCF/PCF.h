//===- PCF.h - Parallel control flow ----------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parallel control flow: ops that assign code to workers (rules PCF-n):
//
//   !pcf.sref                    memory shared by the workers of a scope
//   !pcf.threadgroup, .cluster   all workers of a scope; a named box of them
//   pcf.generic, .loop           code of one worker
//   pcf.shared_executor          code of all workers together
//   ....tile_group               names clusters for run_cluster and run_thread
//
// A scope is defined by its attribute, through ScopeAttrInterface.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_PCF_PCF_H
#define DISTAFF_DIALECT_PCF_PCF_H

#include "distaff/Dialect/PCF/Scopes.h"
#include "distaff/LLVM.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace distaff::pcf {

/// Registers the dialect.
void registerPCF(DialectRegistry &registry);

struct RefOwnerParts;

} // namespace distaff::pcf

#define GET_ATTRDEF_CLASSES
#include "distaff/Dialect/PCF/PCFAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "distaff/Dialect/PCF/PCFTypes.h.inc"

#include "distaff/Dialect/PCF/PCFDialect.h.inc"
#include "distaff/Dialect/PCF/PCFOpInterfaces.h.inc"

namespace distaff::pcf {

/// Refs, results and operands of an op that owns refs, as one list, to inspect
/// such an op or to build another one from it.
struct RefOwnerParts {
  struct Ref {
    SRefType type;
    /// The type of the result; null for a readonly ref.
    Type result;
    /// The init of a tied ref, the source of a readonly one, null if untied.
    Value source;
    /// Extents of the dynamic dimensions of an untied ref.
    SmallVector<Value> dims;
    bool isReadonly = false;
  };

  Attribute scope;
  bool syncOnReturn = false;
  SmallVector<Ref> refs;

  static RefOwnerParts of(RefOwnerOpInterface op);

  SmallVector<Type> getRefTypes() const;
  SmallVector<Type> getResultTypes() const;
};

/// Returns whether the type is a threadgroup or a cluster.
bool isHandle(Type type);

/// Returns the payload of a handle, the shared fields before the private ones;
/// an empty list for other types.
ArrayRef<Type> getPayload(Type handle);
ArrayRef<Type> getSharedPayload(Type handle);
ArrayRef<Type> getPrivatePayload(Type handle);
bool hasPrivatePayload(Type handle);

/// Returns the scope of a handle.
Attribute getHandleScope(Type handle);

/// Returns the handle of the same group with another payload.
Type withPayload(Type handle, ArrayRef<Type> payload, bool isPrivate);
Type withPayloads(Type handle, ArrayRef<Type> sharedPayload,
                  ArrayRef<Type> privatePayload);

/// Returns whether two handles are of one group: equal types except the
/// payload.
bool isSameGroup(Type a, Type b);

/// Returns whether the bounds of two clusters, whose range operands have these
/// values, are provably equal: by equal values and constants.
bool haveEqualBounds(ClusterType a, ValueRange rangesOfA, ClusterType b,
                     ValueRange rangesOfB);

/// Returns the number of range operands of an op on the group.
unsigned getNumRangeOperands(Type handle);

/// Returns the block argument that defines a cluster, searching outwards from
/// an op; null if there is none.
BlockArgument lookupCluster(Operation *from, NsSymAttr id);

/// Returns the ref under any number of views.
Value getViewedRef(Value ref);

/// Returns whether writes through the value go to a readonly ref.
bool isReadonlyRef(Value ref);

namespace OpTrait {
namespace detail {
LogicalResult verifySliceLists(Operation *op);
}

/// Verifies that the lists of a slice have one entry per dimension of the sref.
template <typename ConcreteType>
struct SliceLists : ::mlir::OpTrait::TraitBase<ConcreteType, SliceLists> {
  static LogicalResult verifyTrait(Operation *op) {
    return detail::verifySliceLists(op);
  }
};
} // namespace OpTrait

} // namespace distaff::pcf

#define GET_OP_CLASSES
#include "distaff/Dialect/PCF/PCF.h.inc"

#endif // DISTAFF_DIALECT_PCF_PCF_H
