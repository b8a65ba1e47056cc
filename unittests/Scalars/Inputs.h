//===- Inputs.h - What scalar ops are tried on ------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_SCALARS_INPUTS_H
#define DISTAFF_UNITTESTS_SCALARS_INPUTS_H

#include "Definitions.h"

namespace distaff::scalars {

/// Numbers of a format at which something changes: zeros, ones, halves, ties,
/// the least and largest of each kind, NaNs; integers around powers of two.
llvm::ArrayRef<uint64_t> edgesOf(const Format &format);

/// Rows of operands: all there are where these are at most `edges`, of at most
/// 16 bits; else as many combinations of edges, and `random` ones. None is of
/// those that the op does not define.
std::vector<std::vector<uint64_t>> inputsOf(const ScalarOp &op, size_t edges,
                                            size_t random, uint64_t seed);

} // namespace distaff::scalars

#endif // DISTAFF_UNITTESTS_SCALARS_INPUTS_H
