//===- VectorExt.h - The iree_vector_ext dialect ---------------*- C++ -*--===//
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
// is in distaff/Layout; the interface's methods hand over to it:
//
//   VectorLayoutInterface layout = op.getLayout();
//   layout.getLayout().indexOf({/*subgroup=*/3, /*lane=*/37, /*reg=*/0});
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_VECTOREXT_VECTOREXT_H
#define DISTAFF_DIALECT_VECTOREXT_VECTOREXT_H

#include "distaff/LLVM.h"
#include "distaff/Layout/Layout.h"
#include "distaff/Layout/NestedLayout.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace distaff {
/// Lets an attribute hold digits.
inline llvm::hash_code hash_value(const Digit &digit) {
  return llvm::hash_combine(digit.axis, digit.size, digit.stride);
}
} // namespace distaff

namespace distaff::vector_ext {

class VectorLayoutInterface;

/// The attribute of a layout: nested form where there is one, else digits.
VectorLayoutInterface getLayoutAttr(MLIRContext *context, const Layout &layout);

/// As above; null for none.
VectorLayoutInterface getLayoutAttr(MLIRContext *context,
                                    const std::optional<Layout> &layout);

/// What the layout algebra needs to know of an affine map.
DimMap toDimMap(AffineMap map);

/// The layout of an attribute that implements VectorLayoutInterface, also by an
/// external model.
Layout layoutOf(Attribute attr);

/// Emits an error at `loc` unless a value of `type` can have `layout`.
LogicalResult verifyLayoutFitsType(const Layout &layout, ShapedType type,
                                   Location loc);

/// Whether only a conversion through shared memory serves; false where there is
/// no conversion, because the shapes differ.
bool needsSharedMemory(const Layout &source, const Layout &target);

SmallVector<SmallVector<Digit>> getDigits(const Layout &layout);

/// The elements of one lane, by register.
SmallVector<SmallVector<int64_t>> getOwned(const Layout &layout,
                                           int64_t subgroup, int64_t lane);

/// Copies of each element; none where elements differ in it.
std::optional<int64_t> getReplication(const Layout &layout,
                                      int64_t workgroupSize,
                                      int64_t subgroupSize);

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
