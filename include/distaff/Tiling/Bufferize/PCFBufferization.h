//===- PCFBufferization.h - Bufferization of pcf ops ------------*- C++ -*-===//
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

/// Registers the bufferization interfaces of the ops of pcf for upstream's
/// one-shot bufferization.
void registerPCFBufferization(DialectRegistry &registry);

} // namespace distaff::pcf

#endif // DISTAFF_TILING_BUFFERIZE_PCFBUFFERIZATION_H
