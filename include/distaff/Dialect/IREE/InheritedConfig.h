//===- InheritedConfig.h - Tile sizes from another compiler -----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_IREE_INHERITEDCONFIG_H
#define DISTAFF_DIALECT_IREE_INHERITEDCONFIG_H

#include "distaff/LLVM.h"
#include "llvm/ADT/StringRef.h"

namespace distaff::iree {

/// The attribute of a function for which another compiler has chosen tiles,
/// used where possible: that compiler's translation_info, or a unit.
constexpr llvm::StringLiteral inheritedConfigName = "inherited_config";

} // namespace distaff::iree

#endif // DISTAFF_DIALECT_IREE_INHERITEDCONFIG_H
