//===- NativeWarnings.cpp - Warnings of unused native vectors -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "NativeWarnings.h"
#include "NativeShape.h"
#include "distaff/Dialect/Distaff/NativeVector.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringExtras.h"

using namespace distaff;
using namespace distaff::vectortiles;

static std::string timesOf(ArrayRef<int64_t> sizes) {
  return llvm::join(
      llvm::map_range(sizes, [](int64_t size) { return llvm::itostr(size); }),
      "x");
}

/// Warns of an op's own sizes that are not followed.
static void warnOfOwn(Operation *op, ArrayRef<const Cone *> cones,
                      bool hasWhole) {
  ArrayRef<int64_t> sizes = core::nativeVectorOf(op);
  SmallVector<int64_t> shape = iterationShape(op);
  auto isTaken = [&](const Cone *cone) {
    return llvm::is_contained(cone->followed, op);
  };
  if (llvm::none_of(cones, isTaken)) {
    if (hasWhole) // a warning was emitted already
      return;
    op->emitWarning("'") << op->getName()
                         << "' op is not computed by its native_vector "
                         << timesOf(sizes)
                         << ": it is of no vector that is written or reduced "
                            "by tiles, or of one that has other sizes";
    return;
  }
  if (exceeds(sizes, shape))
    op->emitWarning("'") << op->getName() << "' op has the native_vector "
                         << timesOf(sizes)
                         << ", which is larger than its vector of "
                         << timesOf(shape) << "; sizes stop there";
}

/// Warns of a function's sizes, which may fit only some of its vectors.
static void warnOfFunction(Operation *kernel) {
  ArrayRef<int64_t> sizes = core::nativeVectorOf(kernel);
  bool fits = false;
  SmallVector<int64_t> largest;
  kernel->walk([&](Operation *op) {
    SmallVector<int64_t> shape = iterationShape(op);
    if (shape.empty())
      return;
    fits |= !exceeds(sizes, shape);
    if (ShapedType::getNumElements(shape) >
        (largest.empty() ? 0 : ShapedType::getNumElements(largest)))
      largest = shape;
  });
  if (fits)
    return;
  InFlightDiagnostic warning = kernel->emitWarning("'");
  warning << kernel->getName() << "' op has the native_vector "
          << timesOf(sizes) << ", ";
  if (largest.empty())
    warning << "and computes no vector";
  else
    warning << "which is larger than each of its vectors, the largest of "
            << timesOf(largest) << "; sizes stop there";
}

void vectortiles::warnOfNativeVectors(Operation *kernel,
                                      ArrayRef<const Cone *> cones,
                                      bool hasWhole) {
  kernel->walk([&](Operation *op) {
    if (op != kernel && !core::nativeVectorOf(op).empty())
      warnOfOwn(op, cones, hasWhole);
  });
  if (!core::nativeVectorOf(kernel).empty())
    warnOfFunction(kernel);
}

bool vectortiles::isAsAsked(Operation *root, const Cone &cone) {
  if (!cone.followed.empty())
    return llvm::none_of(cone.followed, [](Operation *op) {
      return exceeds(core::nativeVectorOf(op), iterationShape(op));
    });
  ArrayRef<int64_t> sizes =
      core::nativeVectorOf(root->getParentOfType<FunctionOpInterface>());
  return !sizes.empty() && !exceeds(sizes, rootShape(root));
}
