//===- RaisePacks.h - linalg.pack and linalg.unpack as generics -*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   linalg.pack      out[o, p, i, j] = in[8 o + i, 4 p + j], or the padding
//   linalg.unpack    out[i, j] = in[i / 8, j / 4, i % 8, j % 4]
//
// for tiles of 8 x 4.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_LAUNCHES_NORMALIZE_RAISEPACKS_H
#define DISTAFF_LIB_LAUNCHES_NORMALIZE_RAISEPACKS_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace distaff {

LogicalResult raisePack(RewriterBase &rewriter, linalg::PackOp pack);
LogicalResult raiseUnpack(RewriterBase &rewriter, linalg::UnPackOp unpack);

} // namespace distaff

#endif // DISTAFF_LIB_LAUNCHES_NORMALIZE_RAISEPACKS_H
