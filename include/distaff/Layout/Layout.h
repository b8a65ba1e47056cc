//===- Layout.h - The map from hardware places to elements ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A *layout* maps every hardware place to an element of an n-D value. A place
// is (subgroup, lane, register); the layout is the total function
//
//     indexOf : (subgroup, lane, register) -> index of the element held there
//
// It maps places to elements and not elements to places, because an element may
// live in several places (*replicas*, which always hold equal values), so that
// the inverse would not be a function. `indexOf` is the whole specification:
// every operation below is defined, and tested, by it.
//
// Form. Each dimension of the value is a mixed-radix number. A *digit* of it,
// (axis, size, stride), is read from one hardware id:
//
//     value of the digit = (id / stride) % size
//     index along the dimension = ((d0 * size1 + d1) * size2 + d2) ...
//
// with the outermost digit first. Per axis the digits of all dimensions form a
// *chain*: sorted by stride, each stride is a multiple of the previous digit's
// stride * size. So no two digits read the same part of an id, and indexOf is a
// sum
//
//     indexOf(s, l, r) = indexOf(s, 0, 0) + indexOf(0, l, 0) + indexOf(0, 0, r)
//
// The chains of subgroups and lanes may have gaps: ids that differ only in a
// gap are replicas, and the smallest of them is the *canonical* place.
// Registers have no gaps; every register of a lane holds another element. Sizes
// and strides need not be powers of two.
//
// Worked example: 8 x 4 elements on 8 lanes with 4 registers each.
//
//     dim 0: lane(4, 2) reg(2, 2)      dim 1: lane(2, 1) reg(2, 1)
//
//     row = ((l / 2) % 4) * 2 + (r / 2) % 2
//     col = (l % 2) * 2 + r % 2
//
// Lane 5 = 2 * 2 + 1 holds rows 4, 5 and columns 2, 3; its register 3 is
// element (5, 3). Lane 13 (if there were 16 lanes) holds the same: a replica.
//
// Operations of a layout:
//     look     indexOf, shape, registerShape, terms, invert, replication
//     rename   permute, project, apply, recombine, reshape (exact or nothing)
//     fit      neededLanes, forTarget: make it run on W threads
//     compare  ==, equivalent; planConversion (Conversion.h) does the rest
//
// `NestedLayout` (NestedLayout.h) is the readable five-level syntax for most
// layouts; MemoryLayout.h is the same idea for elements in shared memory.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LAYOUT_LAYOUT_H
#define DISTAFF_LAYOUT_LAYOUT_H

#include "distaff/Layout/DimMap.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cassert>
#include <cstdint>
#include <optional>
#include <string>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace distaff {

/// The three hardware ids that a digit may be read from.
enum class Axis : uint8_t { Subgroup, Lane, Register };

/// Returns "sg", "lane" or "reg": the spelling of
/// `#iree_vector_ext.digit_layout`.
llvm::StringRef stringifyAxis(Axis axis);

/// A digit is a part of an index: its value is `(id / stride) % size`.
struct Digit {
  Axis axis;
  int64_t size;
  int64_t stride;

  bool operator==(const Digit &other) const = default;
};

/// A place is one register of one lane of one subgroup.
struct Place {
  int64_t subgroup = 0;
  int64_t lane = 0;
  int64_t reg = 0;

  bool operator==(const Place &other) const = default;
};

/// Describes the workgroup that runs a layout: N subgroups of w lanes.
struct HardwareShape {
  int64_t subgroups = 1;
  int64_t lanes = 32;
};

/// A digit term is a digit in terms of its axis: the part of the id with the
/// given stride counts `indexStride` elements along `dim`. Sums over terms map
/// ids to indices and indices to ids:
///     index[dim] += ((id / idStride) % size) * indexStride
///     id         += ((index[dim] / indexStride) % size) * idStride
struct DigitTerm {
  int64_t dim;
  int64_t size;
  int64_t idStride;
  int64_t indexStride;
};

/// The inverse of a layout: it maps an element to its canonical place.
struct LayoutInverse {
  llvm::SmallVector<DigitTerm> subgroup, lane, reg;

  /// \post layout.indexOf((*this)(index)) == index, and no place that holds the
  /// index has a smaller subgroup or lane reachable by the layout's formula.
  Place operator()(llvm::ArrayRef<int64_t> index) const;
};

class Layout {
public:
  /// Builds the layout of a rank-0 value: one element, in register 0 of every
  /// lane.
  Layout() = default;

  /// Builds a layout from the digits of each dimension, outermost digit first.
  /// Digits of size 1 are dropped. Returns nothing, and the reason in `why`,
  /// when a size or stride is not positive, the digits of an axis are no chain,
  /// registers have a gap, or an extent overflows.
  static std::optional<Layout>
  get(llvm::ArrayRef<llvm::SmallVector<Digit>> dims,
      std::string *why = nullptr);

  //===--------------------------------------------------------------------===//
  // Looking
  //===--------------------------------------------------------------------===//

  int64_t rank() const { return dims.size(); }
  /// Returns the shape of the undistributed value.
  llvm::SmallVector<int64_t> shape() const;
  int64_t numElements() const;
  llvm::ArrayRef<Digit> digits(int64_t dim) const {
    assert(dim >= 0 && dim < rank() && "the value has that dim");
    return dims[dim];
  }

  /// Returns the number of elements per lane.
  int64_t numRegisters() const;
  /// Returns the distributed shape of the digit form: sizes of the register
  /// digits by decreasing stride, so that a register's number is its row-major
  /// position.
  llvm::SmallVector<int64_t> registerShape() const;

  /// Returns the index of the element held at `place`; ids of any size are
  /// valid.
  llvm::SmallVector<int64_t> indexOf(Place place) const;
  /// Returns that index as a row-major position in the value.
  int64_t linearIndexOf(Place place) const;

  /// Returns the digits read from `axis`, by increasing id stride.
  llvm::SmallVector<DigitTerm> terms(Axis axis) const;

  /// Returns the map from an index to its canonical place.
  LayoutInverse invert() const;
  Place canonicalPlace(llvm::ArrayRef<int64_t> index) const;
  /// Returns whether no smaller subgroup or lane holds the same element: of the
  /// replicas of an element exactly one place is canonical.
  bool isCanonical(Place place) const;

  /// Returns `source.invert()` after `indexOf`: the canonical place of `source`
  /// that holds the element which this layout has at `place`.
  /// \pre  shape() == source.shape()
  Place compose(const LayoutInverse &source, Place place) const;

  /// Returns the smallest number of subgroups, lanes that hold every element.
  int64_t neededSubgroups() const;
  int64_t neededLanes() const;
  /// Returns the number of ids after which the layout repeats on that axis.
  int64_t subgroupSpan() const;
  int64_t laneSpan() const;
  bool fits(HardwareShape hardware) const {
    return neededSubgroups() <= hardware.subgroups &&
           neededLanes() <= hardware.lanes;
  }

  /// Returns the number of (subgroup, lane) that hold each element, or nothing
  /// when elements differ in that number (then see `replicas`).
  std::optional<int64_t> replication(HardwareShape hardware) const;
  int64_t replicas(llvm::ArrayRef<int64_t> index, HardwareShape hardware) const;

  //===--------------------------------------------------------------------===//
  // Changing indices
  //
  // These keep the place of every element and change its index. permute,
  // project and apply keep the order of the registers. recombine, reshape and
  // foldOversubscription renumber them: as a nested layout of these digits
  // does, and if there is none, by decreasing significance of the digits.
  // registerSource (Conversion.h) finds the renaming between two layouts.
  //
  // NestedLayout has the same operations on its five levels, which number
  // registers by level; use those where there is a nested layout.
  //===--------------------------------------------------------------------===//

  /// Returns the layout of `vector.transpose permutation` of a value laid out
  /// so: dim i of the result is dim permutation[i].
  /// \pre  permutation is a permutation of [0, rank())
  /// \post law P: result.indexOf(place) == permuted(indexOf(place)), registers
  ///       included; permuting back gives this layout again
  Layout permute(llvm::ArrayRef<int64_t> permutation) const;

  /// Returns the layout without the marked dims, as after a reduction over
  /// them. Lanes and subgroups of a dropped dim become replicas.
  /// \pre  dropped.size() == rank()
  /// \post law J: result.indexOf({s, l, kept(r)}) == kept(indexOf({s, l, r})),
  ///       where kept(r) closes the gaps that the dropped register digits left
  Layout project(const llvm::SmallBitVector &dropped) const;

  /// Returns the layout of an operand that is read at map(iteration) if this is
  /// the layout of the iteration space; nothing when a result of the map is
  /// neither a dim nor 0, or uses a dim twice.
  /// \pre  map.numDims == rank()
  /// \post law A: owned(result, s, l) == map(owned(*this, s, l))
  std::optional<Layout> apply(const DimMap &map) const;

  /// Returns the layout of a value read at result(iteration), given those of
  /// operands read at maps[i](iteration); nothing when a needed dim is in no
  /// operand, or two operands hold it differently (registers compare by size).
  /// \post law M: the result's digits of a dim are those of every operand that
  ///       has the dim, up to register strides
  static std::optional<Layout> recombine(llvm::ArrayRef<Layout> operands,
                                         llvm::ArrayRef<DimMap> maps,
                                         const DimMap &result);

  /// Returns whether every marked dim is in an operand, and all operands that
  /// have it hold it alike. It is the companion of recombine for dims that the
  /// result lacks (the K dims of a contraction).
  static bool agreeOn(llvm::ArrayRef<Layout> operands,
                      llvm::ArrayRef<DimMap> maps,
                      const llvm::SmallBitVector &dims);

  /// Returns a layout of `newShape` in which every lane owns the same elements
  /// by row-major position, or nothing when there is none. It never
  /// approximates.
  /// \post law R: the sets of linear indices owned by each (s, l) are equal
  std::optional<Layout> reshape(llvm::ArrayRef<int64_t> newShape) const;

  //===--------------------------------------------------------------------===//
  // Fitting
  //===--------------------------------------------------------------------===//

  /// Returns the layout that W threads in subgroups of w lanes execute: lane
  /// digits beyond w become subgroup digits (a *workgroup-threaded* layout),
  /// subgroup digits beyond W / w become registers (*oversubscription*). It is
  /// this layout itself in the normal case. Returns nothing, and the reason
  /// with W, w, N, span and need, when the hardware cannot hold it.
  std::optional<Layout> forTarget(int64_t workgroupSize, int64_t subgroupSize,
                                  std::string *why = nullptr) const;

  /// Returns `; lay it out ...`: the change that makes forTarget succeed where
  /// it has failed.
  std::string howToFit(int64_t workgroupSize, int64_t subgroupSize) const;

  /// Returns the layout in which `subgroups` subgroups execute all of this
  /// layout's: subgroup x runs on x % subgroups, one after the other in
  /// additional registers.
  /// \post law O: owned(result, h, l) is the union of owned(*this, x, l) over
  ///       all x < subgroupSpan() with x % subgroups == h
  std::optional<Layout> foldOversubscription(int64_t subgroups,
                                             std::string *why = nullptr) const;

  //===--------------------------------------------------------------------===//
  // Comparing
  //===--------------------------------------------------------------------===//

  /// Compares digits. Layouts that are unequal may still be the same map:
  /// reg(2, 4) reg(4, 1) is the map of reg(8, 1).
  bool operator==(const Layout &other) const = default;

  /// Returns whether shape and map are the same.
  bool equivalent(const Layout &other) const;

  /// Returns this map with neighbouring digits merged where they read
  /// neighbouring parts of one id: the shortest digits of the map, equal iff
  /// equivalent.
  Layout merged() const;

  friend llvm::hash_code hash_value(const Layout &layout);

private:
  friend class LayoutBuilder;
  llvm::SmallVector<llvm::SmallVector<Digit>> dims;
};

llvm::hash_code hash_value(const Layout &layout);

/// Prints the short notation: nested, `⟨B[2,4] T[16,4]:[1,16] E[1,4]⟩`, where
/// there is a nested form, else `⟨[lane(4,2) reg(2,1)] [reg(2,2)]⟩`.
llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const Layout &layout);
std::string toString(const Layout &layout);

} // namespace distaff

#endif // DISTAFF_LAYOUT_LAYOUT_H
