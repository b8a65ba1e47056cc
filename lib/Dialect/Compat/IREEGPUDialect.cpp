//===- IREEGPUDialect.cpp - The iree_gpu dialect --------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers the dialect; the generated code of its attributes lives here, apart
// from iree_codegen's, because both define parsers of the same static names.
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/Compat/Compat.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace distaff;
using namespace distaff::compat;

#include "distaff/Dialect/Compat/IREEGPUDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "distaff/Dialect/Compat/IREEGPUAttrs.cpp.inc"

void IREEGPUDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "distaff/Dialect/Compat/IREEGPUAttrs.cpp.inc"
      >();
}
