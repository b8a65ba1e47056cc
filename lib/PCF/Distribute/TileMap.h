//===- TileMap.h - Map from members to the elements they hold ---*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Along each dimension an index is composed of digits, outermost first. A digit
// either belongs to the members: the index is held by the members with
//
//   (member / stride) mod extent == digit
//
// or is own: a member has all values of it. The last digit is own, the *tile*,
// which a member holds contiguously; own digits before it are *repeats*.
// Members that differ in no digit hold the same elements: replicas.
//
//   256x128 over 4 members as 2x2 boxes of 128x64, member m at (m / 2, m mod 2)
//     rows [2/2, 128], columns [2/1, 64]        (extent/stride, extent)
//   64x64 over 64 lanes in chunks of 8, consecutive lanes on consecutive chunks
//     rows [8, 8/8, 1], columns [8/1, 8]: 8 repeats of 1x8
//   128x64 as accumulators of an MMA of 16x16, 4 rows in a lane
//     rows [8, 4/16, 4], columns [4, 16/1, 1]: 8x4 repeats of 4x1
//
// A member has a tensor of its tiles, or, if there are repeats, a *packed* one,
// whose dimensions are groups of own digits: 8x4x4x1 in the last example.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_DISTRIBUTE_TILEMAP_H
#define DISTAFF_LIB_PCF_DISTRIBUTE_TILEMAP_H

#include "distaff/LLVM.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace distaff::pcf {

struct TileDigit {
  int64_t extent = 1;
  /// Distance of the members' numbers between two values of the digit; 0 for an
  /// own digit.
  int64_t stride = 0;

  bool isOwn() const { return stride == 0; }
  bool operator==(const TileDigit &) const = default;
};

struct TileDim {
  /// The digits, outermost first, the tile last.
  SmallVector<TileDigit, 4> digits;

  static TileDim whole(int64_t extent) { return {{{extent, 0}}}; }

  /// Returns a dimension with digits for repeats and members only if there are
  /// several of them.
  static TileDim cyclic(int64_t repeats, TileDigit members, int64_t tile);

  bool operator==(const TileDim &) const = default;

  int64_t getTile() const { return digits.back().extent; }
  int64_t getExtent() const;
  /// Returns the number of members that hold different elements.
  int64_t countMembers() const;
  /// Returns the factor by which a digit is multiplied in the index.
  int64_t getScale(unsigned digit) const;
  /// Returns the numbers of the own digits before the tile.
  SmallVector<unsigned> getRepeats() const;
};

struct TileMap {
  SmallVector<TileDim> dims;

  struct Own {
    unsigned dim, digit;
    bool operator==(const Own &) const = default;
  };
  using Packing = SmallVector<SmallVector<Own>>;
  /// The own digits that form each dimension of the packed tensor, outermost
  /// first. If empty, each own digit is a dimension, repeats before tiles.
  Packing packing;

  bool operator==(const TileMap &) const = default;

  /// Returns whether members have the same elements, however they pack them.
  bool placesAs(const TileMap &other) const { return dims == other.dims; }

  /// Returns the map by which every member has all of a tensor.
  static TileMap replicated(ArrayRef<int64_t> shape);

  /// Returns a row-major map: the last dimension's digit varies fastest. Chunks
  /// of `tile` elements are distributed cyclically; with 0, each member has one
  /// chunk. None if an extent is no multiple of its members and their tiles.
  static std::optional<TileMap> rowMajor(ArrayRef<int64_t> shape,
                                         ArrayRef<int64_t> workers,
                                         ArrayRef<int64_t> tiles = {});

  /// Encodes the map as an attribute that a class stores; `decode` is the
  /// inverse.
  Attribute encode(MLIRContext *context) const;
  static TileMap decode(Attribute attribute);

  /// Returns whether there are repeats, so that a member's tensor is packed.
  bool isPacked() const;
  Packing getPacking() const;
  /// Returns the packing of a tensor that has some of the dimensions: its i-th
  /// dimension is dimension `dims[i]` of this map.
  Packing restrictPacking(ArrayRef<unsigned> dims) const;

  SmallVector<int64_t> getTileShape() const;
  /// Returns the shape of a member's tensor.
  SmallVector<int64_t> getMemberShape() const;
  int64_t getExtent(Own digit) const {
    return dims[digit.dim].digits[digit.digit].extent;
  }

  /// Returns the extents that the members' elements cover.
  SmallVector<int64_t> getShape() const;

  /// Returns the number of members that hold different elements.
  int64_t countBoxes() const;

  /// Returns a text such as `64x1 members, boxes of 1x64`.
  std::string describe() const;
};

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_DISTRIBUTE_TILEMAP_H
