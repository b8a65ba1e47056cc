//===- PromotionAttrInterface.h - Copies to shared memory -------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_VECTOREXT_PROMOTIONATTRINTERFACE_H
#define DISTAFF_DIALECT_VECTOREXT_PROMOTIONATTRINTERFACE_H

#include "distaff/Dialect/VectorExt/VectorExt.h"

#include "distaff/Dialect/VectorExt/PromotionAttrInterface.h.inc"

#endif // DISTAFF_DIALECT_VECTOREXT_PROMOTIONATTRINTERFACE_H
