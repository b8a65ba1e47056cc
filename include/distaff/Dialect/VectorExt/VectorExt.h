//===- VectorExt.h - The iree_vector_ext dialect ----------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect states in IR which subgroup, lane and register holds each element
// of an n-D vector: layout attributes, `to_layout`, the casts used during
// distribution, gathers and scatters through index vectors, arg_compare.
//
// The attributes are only syntax. Their meaning and the operations on layouts
// are in distaff/Layout; LayoutOf.h converts between both.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_VECTOREXT_VECTOREXT_H
#define DISTAFF_DIALECT_VECTOREXT_VECTOREXT_H

#include "distaff/LLVM.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace distaff {
// Complete in distaff/Layout, which LayoutOf.h includes and this header does
// not, so that code without access to layouts (Simt) cannot use them by
// mistake.
class Layout;
struct Digit;
struct NestedDim;
struct NestedLayout;
struct Place;
} // namespace distaff

namespace distaff::vector_ext {

class VectorLayoutInterface;

/// Default implementations of the interface's methods.
namespace layout_defaults {
LogicalResult isValidLayout(Attribute layout, ShapedType type, Location loc);
LogicalResult verifyEncoding(Attribute layout, ArrayRef<int64_t> shape,
                             Type elementType,
                             function_ref<InFlightDiagnostic()> emitError);
int64_t getRank(Attribute layout);
SmallVector<int64_t> getUndistributedShape(Attribute layout);
SmallVector<int64_t> getDistributedShape(Attribute layout);
VectorLayoutInterface permute(Attribute layout, ArrayRef<int64_t> permutation);
VectorLayoutInterface project(Attribute layout,
                              const llvm::SmallBitVector &dropped);
VectorLayoutInterface apply(Attribute layout, AffineMap map);
VectorLayoutInterface reshape(Attribute layout, ArrayRef<int64_t> shape);
bool needsSharedMemoryForConversion(Attribute source, Attribute target);
SmallVector<SmallVector<int64_t>> getOwned(Attribute layout, int64_t subgroup,
                                           int64_t lane);
std::optional<int64_t> getReplication(Attribute layout, int64_t workgroupSize,
                                      int64_t subgroupSize);
} // namespace layout_defaults

/// The attribute by which a user lays out a vector that a function takes or
/// returns.
inline constexpr StringLiteral layoutAttributeName = "iree_vector_ext.layout";

/// Returns the to_layout of `value` to `layout`, or `value` if `layout` is
/// null.
Value layOutAs(OpBuilder &builder, Value value, Attribute layout);

/// Registers the dialect.
void registerVectorExt(DialectRegistry &registry);

} // namespace distaff::vector_ext

#include "distaff/Dialect/VectorExt/VectorExtDialect.h.inc"
#include "distaff/Dialect/VectorExt/VectorLayoutInterface.h.inc"

#define GET_ATTRDEF_CLASSES
#include "distaff/Dialect/VectorExt/VectorExtAttrs.h.inc"

#define GET_OP_CLASSES
#include "distaff/Dialect/VectorExt/VectorExt.h.inc"

#endif // DISTAFF_DIALECT_VECTOREXT_VECTOREXT_H
