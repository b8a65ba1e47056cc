//===- VectorExtDialect.cpp - The iree_vector_ext dialect -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers the dialect; the generated code of attributes and ops lives here.
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/VectorExt/LayoutOf.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace distaff;
using namespace distaff::vector_ext;

#include "distaff/Dialect/VectorExt/VectorExtDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "distaff/Dialect/VectorExt/VectorExtAttrs.cpp.inc"

#define GET_OP_CLASSES
#include "distaff/Dialect/VectorExt/VectorExt.cpp.inc"

void VectorExtDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "distaff/Dialect/VectorExt/VectorExtAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "distaff/Dialect/VectorExt/VectorExt.cpp.inc"
      >();
}

void vector_ext::registerVectorExt(DialectRegistry &registry) {
  registry.insert<VectorExtDialect>();
}
