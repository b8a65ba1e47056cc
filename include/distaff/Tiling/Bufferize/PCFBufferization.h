//===- PCFBufferization.h - Tensors around refs become memrefs -----*- C++
//-*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_TILING_BUFFERIZE_PCFBUFFERIZATION_H
#define DISTAFF_TILING_BUFFERIZE_PCFBUFFERIZATION_H

#include "distaff/LLVM.h"
#include "mlir/IR/DialectRegistry.h"

namespace distaff::pcf {

/// Makes upstream's one-shot bufferization know the ops of pcf.
void registerPCFBufferization(DialectRegistry &registry);

} // namespace distaff::pcf

#endif // DISTAFF_TILING_BUFFERIZE_PCFBUFFERIZATION_H
