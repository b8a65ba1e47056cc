//===- ScopeOf.h - Scopes of types ------------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DIALECT_PCF_SCOPEOF_H
#define DISTAFF_LIB_DIALECT_PCF_SCOPEOF_H

#include "distaff/Dialect/PCF/PCF.h"

namespace distaff::pcf {

/// Verifies that an attribute in the place of a scope is one.
LogicalResult verifyScope(function_ref<InFlightDiagnostic()> emitError,
                          Attribute scope);

/// Returns a short name for aliases of types: `#iree_gpu.subgroup_scope` is
/// `subgroup`.
std::string getScopeName(Attribute scope);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_DIALECT_PCF_SCOPEOF_H
