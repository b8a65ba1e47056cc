//===- Distaff.h - The distaff dialect --------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `distaff.contract` is a contraction over any semiring. Its product is a
// region, so it has one meaning in any spelling; `getProductKind` returns the
// name of a product that has one. `distaff.target_op` is an instruction of a
// target that is no MMA.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_DISTAFF_DISTAFF_H
#define DISTAFF_DIALECT_DISTAFF_DISTAFF_H

#include "distaff/LLVM.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Interfaces/MaskableOpInterface.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace distaff {
struct TargetOp; // Target.h
} // namespace distaff

#include "distaff/Dialect/Distaff/CombineKind.h.inc"
#include "distaff/Dialect/Distaff/DistaffDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "distaff/Dialect/Distaff/DistaffAttrs.h.inc"

#define GET_OP_CLASSES
#include "distaff/Dialect/Distaff/Distaff.h.inc"

namespace distaff::core {

/// Registers the dialect.
void registerDistaff(DialectRegistry &registry);

/// Returns the kind of the vector dialect of that name, if there is one.
std::optional<vector::CombiningKind> toCombiningKind(CombineKind kind);
CombineKind toCombineKind(vector::CombiningKind kind);

/// Fills an empty region with the body of a named product: the operands widened
/// to `element` and combined.
/// \pre  `canWiden(lhs, element)`, and rhs; the kind is one of `element`
void buildNamedProduct(Region &region, Location loc, Type lhs, Type rhs,
                       Type element, vector::CombiningKind product);

/// Returns whether an extension converts the element type `from` to `to`.
bool canWiden(Type from, Type to);

} // namespace distaff::core

#endif // DISTAFF_DIALECT_DISTAFF_DISTAFF_H
