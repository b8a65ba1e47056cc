//===- ScopeOption.h - Scopes among the options of a pass -------*- C++ -*-===//
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

/// The scope that `text` spells. Failure: it spells none; a diagnostic says so.
FailureOr<ScopeAttrInterface> parseScope(StringRef text, MLIRContext *context);

/// The same of an option that may be left out: no text is a null attribute,
/// which stands for every scope.
FailureOr<Attribute> parseOptionalScope(StringRef text, MLIRContext *context);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_FORM_SCOPEOPTION_H
