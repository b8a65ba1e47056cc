//===- Natural.h - Fragments numbered row-major -----------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AMD's instructions number the registers of an operand in the order of its
// digits, outer ones first, rows before columns.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TARGET_NATURAL_H
#define DISTAFF_LIB_TARGET_NATURAL_H

#include "distaff/Target/Target.h"

namespace distaff {

constexpr Fragment natural(int64_t outer0, int64_t thread0, int64_t thread1,
                           int64_t stride0, int64_t stride1, int64_t element0,
                           int64_t element1) {
  return {{outer0, 1},
          {thread0, thread1},
          {stride0, stride1},
          {element0, element1},
          {Fragment::Outer0, Fragment::Outer1, Fragment::Element0,
           Fragment::Element1},
          {outer0 * element0, element1}};
}

} // namespace distaff

#endif // DISTAFF_LIB_TARGET_NATURAL_H
