//===- ClassicGathers.h - Print gathers in classic form ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_VECTOREXT_CLASSICGATHERS_H
#define DISTAFF_DIALECT_VECTOREXT_CLASSICGATHERS_H

#include "distaff/LLVM.h"
#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/DialectRegistry.h"

namespace distaff::vector_ext {

/// A dialect with this interface prints a gather in its classic form if it has
/// one.
class ClassicGathers : public DialectInterface::Base<ClassicGathers> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ClassicGathers)
  explicit ClassicGathers(Dialect *dialect) : Base(dialect) {}
};

/// Adds the interface to the dialect, when it is loaded.
void printClassicGathers(DialectRegistry &registry);

} // namespace distaff::vector_ext

#endif // DISTAFF_DIALECT_VECTOREXT_CLASSICGATHERS_H
