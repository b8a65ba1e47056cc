//===- Notation.h - Layouts in one line -------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints a layout in the specification's notation, for messages and reports:
// five groups of tiles with strides after a colon, without groups of ones.
//
//   S[2,1]:[1,0] B[2,4] T[16,4]:[1,16] E[1,4]
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_LAYOUT_NOTATION_H
#define DISTAFF_ANALYSIS_LAYOUT_NOTATION_H

#include "distaff/Dialect/VectorExt/LayoutOf.h"
#include "distaff/LLVM.h"
#include <string>

namespace distaff {

/// Returns `⟨S[2,1]:[1,0] B[2,4] ...⟩` for a nested layout, the attribute's own
/// syntax for any other, `none` for null.
std::string shortNotation(vector_ext::VectorLayoutInterface layout);

} // namespace distaff

#endif // DISTAFF_ANALYSIS_LAYOUT_NOTATION_H
