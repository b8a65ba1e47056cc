//===- PCF.h - Parallel control flow ----------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which workers run which code, written in IR (rules PCF-n):
//
//   !pcf.sref           memory shared by the workers of a scope
//   !pcf.threadgroup    all workers of a scope; !pcf.cluster, a named box of
//   them pcf.generic, .loop  code of one worker; pcf.shared_executor, of all
//   together
//   ....tile_group      names clusters; run_cluster and run_thread run on them
//
// What a scope is, is defined by its attribute, through ScopeAttrInterface.
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

/// Makes the dialect known to a registry.
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

/// Refs, results and operands of an op that owns refs, as one list: what to
/// read of such an op, and what to build another from.
struct RefOwnerParts {
  struct Ref {
    SRefType type;
    /// What the result has as its type; null for a readonly ref.
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

/// Whether the type is a threadgroup or a cluster.
bool isHandle(Type type);

/// Returns what a handle carries, the shared fields before the private ones;
/// nothing for other types.
ArrayRef<Type> getPayload(Type handle);
ArrayRef<Type> getSharedPayload(Type handle);
ArrayRef<Type> getPrivatePayload(Type handle);
bool hasPrivatePayload(Type handle);

/// The scope of a handle.
Attribute getHandleScope(Type handle);

/// The handle of the same group with another payload.
Type withPayload(Type handle, ArrayRef<Type> payload, bool isPrivate);
Type withPayloads(Type handle, ArrayRef<Type> sharedPayload,
                  ArrayRef<Type> privatePayload);

/// Whether two handles are of one group: payload apart, the same type.
bool isSameGroup(Type a, Type b);

/// Whether the bounds of two clusters, whose range operands have these values,
/// are shown to be the same: by equal values and constants.
bool haveEqualBounds(ClusterType a, ValueRange rangesOfA, ClusterType b,
                     ValueRange rangesOfB);

/// Number of range operands of an op on the group.
unsigned getNumRangeOperands(Type handle);

/// The block argument that defines a cluster, looking outwards from an op;
/// null where there is none.
BlockArgument lookupCluster(Operation *from, NsSymAttr id);

/// The ref that a view shows, through any number of views.
Value getViewedRef(Value ref);

/// Whether writes through the value go to a readonly ref.
bool isReadonlyRef(Value ref);

namespace OpTrait {
namespace detail {
LogicalResult verifySliceLists(Operation *op);
}

/// The three lists of a slice have one entry per dimension of the sref.
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
