//===- Boundary.h - What crosses into and out of a part ---------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DISTRIBUTION_BOUNDARY_H
#define DISTAFF_LIB_DISTRIBUTION_BOUNDARY_H

#include "distaff/Analysis/Layout/LayoutPropagation.h"

namespace distaff {

/// Reports every vector that crosses the boundary of `region` and has no layout
/// there, layouts that do not fit, and control flow in which a part cannot be
/// told from its surroundings.
LogicalResult verifyBoundary(Region &region, const RegionBoundary &boundary);

} // namespace distaff

#endif // DISTAFF_LIB_DISTRIBUTION_BOUNDARY_H
