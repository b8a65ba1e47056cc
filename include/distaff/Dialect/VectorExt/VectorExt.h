//===- VectorExt.h - The iree_vector_ext dialect ----------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which subgroup, lane and register holds each element of an n-D vector,
// written in IR: layout attributes, `to_layout`, the casts used while code is
// being distributed, gathers and scatters through index vectors, arg_compare.
//
// The attributes are syntax. What a layout means and what can be done with it
// is in distaff/Layout; LayoutOf.h leads from the one to the other.
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
// not: who must not know what a layout means (Simt) cannot ask by mistake.
class Layout;
struct Digit;
struct NestedDim;
struct NestedLayout;
struct Place;
} // namespace distaff

namespace distaff::vector_ext {

class VectorLayoutInterface;

/// What the interface's methods answer unless an attribute knows better.
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

/// `value` behind a to_layout to `layout`, which may be null: then itself.
Value layOutAs(OpBuilder &builder, Value value, Attribute layout);

/// Makes the dialect known to a registry.
void registerVectorExt(DialectRegistry &registry);

} // namespace distaff::vector_ext

#include "distaff/Dialect/VectorExt/VectorExtDialect.h.inc"
#include "distaff/Dialect/VectorExt/VectorLayoutInterface.h.inc"

#define GET_ATTRDEF_CLASSES
#include "distaff/Dialect/VectorExt/VectorExtAttrs.h.inc"

#define GET_OP_CLASSES
#include "distaff/Dialect/VectorExt/VectorExt.h.inc"

#endif // DISTAFF_DIALECT_VECTOREXT_VECTOREXT_H
