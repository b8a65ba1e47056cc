//===- Distaff.h - The distaff dialect --------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `distaff.contract`, a contraction over any semiring. The product is a region,
// so there is one meaning however it is spelled; `getProductKind` finds the
// name of one that has a name. `distaff.target_op`, an instruction of a
// target's that is no MMA.
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

/// Makes the dialect known to a registry.
void registerDistaff(DialectRegistry &registry);

/// The kind of the vector dialect of that name, if there is one.
std::optional<vector::CombiningKind> toCombiningKind(CombineKind kind);
CombineKind toCombineKind(vector::CombiningKind kind);

/// Fills an empty region with the body that a product's name stands for: the
/// operands widened to `element` and combined.
/// \pre  `canWiden(lhs, element)`, and rhs; the kind is one of `element`
void buildNamedProduct(Region &region, Location loc, Type lhs, Type rhs,
                       Type element, vector::CombiningKind product);

/// Whether an extension takes the element type `from` to `to`.
bool canWiden(Type from, Type to);

} // namespace distaff::core

#endif // DISTAFF_DIALECT_DISTAFF_DISTAFF_H
