//===- TileMap.h - Which box of a tensor a member has ----------*- C++ -*--===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor is cut into boxes of equal size; a member has the box at its own
// coordinate. Along dimension d there are `workers` members, the coordinate of
// member m is (m / stride) mod workers, and the box begins at coordinate *
// tile. Members that differ in no coordinate hold the same box: replicas.
//
// Example: 256x128 over 4 members as 2x2 boxes of 128x64, member m at
// (m / 2, m mod 2): [{2, 2, 128}, {2, 1, 64}].
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TRANSFORMS_PCF_TILEMAP_H
#define DISTAFF_LIB_TRANSFORMS_PCF_TILEMAP_H

#include "distaff/LLVM.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace distaff::pcf {

struct TileDim {
  int64_t workers = 1;
  /// Of a member's number, between coordinates; 0 where `workers` is 1.
  int64_t stride = 0;
  int64_t tile = 0;

  bool operator==(const TileDim &) const = default;
};

struct TileMap {
  SmallVector<TileDim> dims;

  bool operator==(const TileMap &) const = default;

  /// All of a tensor for everybody.
  static TileMap replicated(ArrayRef<int64_t> shape);

  /// Row-major: the last dimension's coordinate is the fastest. None if an
  /// extent is no multiple of its workers.
  static std::optional<TileMap> rowMajor(ArrayRef<int64_t> shape,
                                         ArrayRef<int64_t> workers);

  /// As an attribute, to be kept with a class, and back.
  Attribute encode(MLIRContext *context) const;
  static TileMap decode(Attribute attribute);

  SmallVector<int64_t> getTileShape() const;

  /// The extents that the boxes cover.
  SmallVector<int64_t> getShape() const;

  /// Members that hold different boxes.
  int64_t countBoxes() const;

  /// As in `64x1 members, boxes of 1x64`.
  std::string describe() const;
};

} // namespace distaff::pcf

#endif // DISTAFF_LIB_TRANSFORMS_PCF_TILEMAP_H
