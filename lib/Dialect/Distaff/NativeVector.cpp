//===- NativeVector.cpp - Native vector shape as an attribute -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/Distaff/NativeVector.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace distaff;
using namespace distaff::core;

ArrayRef<int64_t> core::nativeVectorOf(Operation *op) {
  auto sizes = op->getAttrOfType<DenseI64ArrayAttr>(nativeVectorAttributeName);
  return sizes ? sizes.asArrayRef() : ArrayRef<int64_t>();
}

LogicalResult core::verifyNativeVector(Operation *op, Attribute attribute) {
  auto sizes = dyn_cast<DenseI64ArrayAttr>(attribute);
  if (sizes && !sizes.empty() &&
      llvm::all_of(sizes.asArrayRef(), [](int64_t size) { return size > 0; }))
    return success();
  return op->emitOpError("has ")
         << nativeVectorAttributeName << " = " << attribute
         << ", which has to be sizes of at least 1, as array<i64: 4, 8>";
}
