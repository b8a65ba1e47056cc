//===- ClusterFrame.h - What a resolved executor's workers know *- C++ -*--===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TRANSFORMS_PCF_CLUSTERFRAME_H
#define DISTAFF_LIB_TRANSFORMS_PCF_CLUSTERFRAME_H

#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff::pcf {

/// Ids and counts of the workers, fastest first, and what is known of the
/// executor that they come from.
struct ClusterFrame {
  SmallVector<Value> ids, counts;
  /// Numbers of the sets of participants of `among` barriers, copies included.
  llvm::DenseMap<Operation *, int64_t> barrierNumbers;
  /// The group of the finer scope, if the whole body is to be wrapped.
  Value finerHandle;
};

/// A value of a handle's type, until the conversion knows what it is.
inline Value makePlaceholder(OpBuilder &builder, Location loc, Type handle) {
  return UnrealizedConversionCastOp::create(builder, loc, handle, ValueRange())
      .getResult(0);
}

} // namespace distaff::pcf

#endif // DISTAFF_LIB_TRANSFORMS_PCF_CLUSTERFRAME_H
