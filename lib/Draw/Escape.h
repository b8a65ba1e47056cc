//===- Escape.h - Text inside of markup -------------------------*- C++ -*-===//
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

/// The text as HTML and XML write it in elements and in quoted attributes.
/// Bytes that no UTF-8 text has, and control characters, become U+FFFD.
std::string escape(llvm::StringRef text);

} // namespace distaff::draw

#endif // DISTAFF_LIB_DRAW_ESCAPE_H
