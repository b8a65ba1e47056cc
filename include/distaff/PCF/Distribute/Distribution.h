//===- Distribution.h - Registration of phase distributions -----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file registers the distributions that this library implements;
// `#pcf.tensor_tiling` is one.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_PCF_DISTRIBUTE_DISTRIBUTION_H
#define DISTAFF_PCF_DISTRIBUTE_DISTRIBUTION_H

#include "distaff/Dialect/PCF/Distribution.h"

namespace distaff::pcf {

/// Registers `#pcf.tensor_tiling` as a distribution.
void registerTensorTiling(DialectRegistry &registry);

} // namespace distaff::pcf

#endif // DISTAFF_PCF_DISTRIBUTE_DISTRIBUTION_H
