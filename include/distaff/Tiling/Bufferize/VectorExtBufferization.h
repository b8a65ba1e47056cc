//===- VectorExtBufferization.h - Bufferization of gathers ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_TILING_BUFFERIZE_VECTOREXTBUFFERIZATION_H
#define DISTAFF_TILING_BUFFERIZE_VECTOREXTBUFFERIZATION_H

#include "distaff/LLVM.h"
#include "mlir/IR/DialectRegistry.h"

namespace distaff::vector_ext {

/// Registers the bufferization interfaces of `transfer_gather` and
/// `transfer_scatter`. A `to_layout` of a tensor is not bufferized:
/// `vector-ext-vectorize-to-layout` runs first.
void registerVectorExtBufferization(DialectRegistry &registry);

} // namespace distaff::vector_ext

#endif // DISTAFF_TILING_BUFFERIZE_VECTOREXTBUFFERIZATION_H
