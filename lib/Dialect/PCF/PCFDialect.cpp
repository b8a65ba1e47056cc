//===- PCFDialect.cpp - The pcf dialect -----------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers the dialect; includes the generated code of attributes, types and
// ops, since only this file has the complete storage of attributes and types.
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/PCF/PCF.h"

#include "RefOwner.h"
#include "distaff/Dialect/AttributeDictionary.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace distaff;
using namespace distaff::pcf;

#include "distaff/Dialect/PCF/FenceKind.cpp.inc"
#include "distaff/Dialect/PCF/PCFDialect.cpp.inc"
#include "distaff/Dialect/PCF/PCFOpInterfaces.cpp.inc"
#include "distaff/Dialect/PCF/PCFScopes.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "distaff/Dialect/PCF/PCFAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "distaff/Dialect/PCF/PCFTypes.cpp.inc"

#define GET_OP_CLASSES
#include "distaff/Dialect/PCF/PCF.cpp.inc"

void PCFDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "distaff/Dialect/PCF/PCFAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "distaff/Dialect/PCF/PCFTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "distaff/Dialect/PCF/PCF.cpp.inc"
      >();
}

void pcf::registerPCF(DialectRegistry &registry) {
  registry.insert<PCFDialect>();
}
