//===- Escape.h - Escaping of text in markup --------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DRAW_ESCAPE_H
#define DISTAFF_LIB_DRAW_ESCAPE_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace distaff::draw {

/// Returns the text escaped for elements and quoted attributes of HTML and XML.
/// Bytes that are not UTF-8, and control characters, become U+FFFD.
std::string escape(llvm::StringRef text);

} // namespace distaff::draw

#endif // DISTAFF_LIB_DRAW_ESCAPE_H
