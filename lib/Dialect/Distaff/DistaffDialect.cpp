//===- DistaffDialect.cpp - The distaff dialect ---------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers the dialect; includes the generated code of attributes and ops.
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/Distaff/Distaff.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace distaff;
using namespace distaff::core;

#include "distaff/Dialect/Distaff/CombineKind.cpp.inc"
#include "distaff/Dialect/Distaff/DistaffDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "distaff/Dialect/Distaff/DistaffAttrs.cpp.inc"

#define GET_OP_CLASSES
#include "distaff/Dialect/Distaff/Distaff.cpp.inc"

void DistaffDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "distaff/Dialect/Distaff/DistaffAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "distaff/Dialect/Distaff/Distaff.cpp.inc"
      >();
}

void core::registerDistaff(DialectRegistry &registry) {
  registry.insert<DistaffDialect>();
}

std::optional<vector::CombiningKind> core::toCombiningKind(CombineKind kind) {
  return vector::symbolizeCombiningKind(stringifyCombineKind(kind));
}

CombineKind core::toCombineKind(vector::CombiningKind kind) {
  return *symbolizeCombineKind(vector::stringifyCombiningKind(kind));
}
