//===- InlineResources.h - Constants from resource blobs --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_IMPORT_INLINERESOURCES_H
#define DISTAFF_IMPORT_INLINERESOURCES_H

#include "distaff/LLVM.h"
#include "mlir/IR/BuiltinOps.h"

namespace distaff {

/// Replaces every `dense_resource` attribute of the module by a dense one of
/// the same elements, which is a splat where all elements are equal. Fails,
/// with a diagnostic at the op, for a resource without data or with fewer or
/// more bytes than its type has.
LogicalResult inlineResources(ModuleOp module);

} // namespace distaff

#endif // DISTAFF_IMPORT_INLINERESOURCES_H
