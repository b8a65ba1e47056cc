//===- ScopeOption.h - Parsing scopes in pass options -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_FORM_SCOPEOPTION_H
#define DISTAFF_LIB_PCF_FORM_SCOPEOPTION_H

#include "distaff/Dialect/PCF/Scopes.h"

namespace distaff::pcf {

/// Parses a scope. Failure: `text` is no scope; a diagnostic is emitted.
FailureOr<ScopeAttrInterface> parseScope(StringRef text, MLIRContext *context);

/// Parses the scope of an optional option: an empty text is a null attribute,
/// which stands for every scope.
FailureOr<Attribute> parseOptionalScope(StringRef text, MLIRContext *context);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_FORM_SCOPEOPTION_H
