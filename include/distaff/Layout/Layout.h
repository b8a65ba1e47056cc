//===- Layout.h - Who holds which element -----------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A *layout* says which element of an n-D value every hardware place holds. A
// place is (subgroup, lane, register); the layout is the total function
//
//     indexOf : (subgroup, lane, register) -> index of the element held there
//
// It goes from places to elements and not back, because an element may live in
// several places (*replicas*, which always hold equal values), so that the
// inverse would be no function. `indexOf` is the whole specification: every
// operation below is stated, and tested, by it.
//
// The form. Each dimension of the value is a mixed-radix number. A *digit* of
// it, (axis, size, stride), is read from one hardware id:
//
//     value of the digit = (id / stride) % size
//     index along the dimension = ((d0 * size1 + d1) * size2 + d2) ...
//
// with the outermost digit first. Per axis the digits of all dimensions form a
// *chain*: by increasing stride, each stride is a multiple of the stride * size
// before it. So no two digits read the same part of an id, and indexOf is a sum
//
//     indexOf(s, l, r) = indexOf(s, 0, 0) + indexOf(0, l, 0) + indexOf(0, 0, r)
//
// Subgroups and lanes may have gaps in their chain: the ids that differ only
// there are replicas, and the smallest of them is the *canonical* place.
// Registers have no gaps; every register of a lane holds another element.
// Nothing here wants powers of two.
//
// Worked example: 8 x 4 elements on 8 lanes with 4 registers each.
//
//     dim 0: lane(4, 2) reg(2, 2)      dim 1: lane(2, 1) reg(2, 1)
//
//     row = ((l / 2) % 4) * 2 + (r / 2) % 2
//     col = (l % 2) * 2 + r % 2
//
// Lane 5 = 2 * 2 + 1 holds rows 4, 5 and columns 2, 3; its register 3 is
// element (5, 3). Lane 13 (were there 16 lanes) holds the same: a replica.
//
// What you can do with a layout:
//     look     indexOf, shape, registerShape, terms, invert, replication
//     rename   permute, project, apply, recombine, reshape (exact or nothing)
//     fit      neededLanes, forTarget: make it run on W threads
//     compare  ==, equivalent; planConversion (Conversion.h) does the rest
//
// `NestedLayout` (NestedLayout.h) is the readable five-level syntax for most of
// these; MemoryLayout.h is the same idea for elements in shared memory.
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

/// "sg", "lane" or "reg": the spelling of `#iree_vector_ext.digit_layout`.
llvm::StringRef stringifyAxis(Axis axis);

/// One digit of an index: its value is `(id / stride) % size`.
struct Digit {
  Axis axis;
  int64_t size;
  int64_t stride;

  bool operator==(const Digit &other) const = default;
};

/// A hardware place: which register of which lane of which subgroup.
struct Place {
  int64_t subgroup = 0;
  int64_t lane = 0;
  int64_t reg = 0;

  bool operator==(const Place &other) const = default;
};

/// The workgroup that runs a layout: N subgroups of w lanes.
struct HardwareShape {
  int64_t subgroups = 1;
  int64_t lanes = 32;
};

/// A digit seen from its axis: the part of the id with the given stride counts
/// `indexStride` elements along `dim`. Sums over terms are how ids become
/// indices and indices become ids:
///     index[dim] += ((id / idStride) % size) * indexStride
///     id         += ((index[dim] / indexStride) % size) * idStride
struct DigitTerm {
  int64_t dim;
  int64_t size;
  int64_t idStride;
  int64_t indexStride;
};

/// The inverse of a layout as far as there is one: the canonical place of an
/// element.
struct LayoutInverse {
  llvm::SmallVector<DigitTerm> subgroup, lane, reg;

  /// \post layout.indexOf((*this)(index)) == index, and no place that holds the
  /// index has a smaller subgroup or lane reachable by the layout's formula.
  Place operator()(llvm::ArrayRef<int64_t> index) const;
};

class Layout {
public:
  /// The layout of a rank-0 value: one element, in register 0 of every lane.
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
  /// The shape of the undistributed value.
  llvm::SmallVector<int64_t> shape() const;
  int64_t numElements() const;
  llvm::ArrayRef<Digit> digits(int64_t dim) const {
    assert(dim >= 0 && dim < rank() && "the value has that dim");
    return dims[dim];
  }

  /// Elements per lane.
  int64_t numRegisters() const;
  /// The distributed shape of the digit form: sizes of the register digits by
  /// decreasing stride, so that a register's number is its row-major position.
  llvm::SmallVector<int64_t> registerShape() const;

  /// The index of the element held at `place`; ids of any size are valid.
  llvm::SmallVector<int64_t> indexOf(Place place) const;
  /// The same as a row-major position in the value.
  int64_t linearIndexOf(Place place) const;

  /// The digits read from `axis`, by increasing id stride.
  llvm::SmallVector<DigitTerm> terms(Axis axis) const;

  /// The map from an index to its canonical place.
  LayoutInverse invert() const;
  Place canonicalPlace(llvm::ArrayRef<int64_t> index) const;
  /// True if no smaller subgroup or lane holds the same element: of the
  /// replicas of an element exactly one place is canonical.
  bool isCanonical(Place place) const;

  /// `source.invert()` after `indexOf`: the canonical place of `source` where
  /// this layout finds the element that it wants at `place`.
  /// \pre  shape() == source.shape()
  Place compose(const LayoutInverse &source, Place place) const;

  /// Smallest number of subgroups, lanes that hold every element.
  int64_t neededSubgroups() const;
  int64_t neededLanes() const;
  /// The number of ids after which the layout repeats on that axis.
  int64_t subgroupSpan() const;
  int64_t laneSpan() const;
  bool fits(HardwareShape hardware) const {
    return neededSubgroups() <= hardware.subgroups &&
           neededLanes() <= hardware.lanes;
  }

  /// How many (subgroup, lane) hold each element, or nothing when elements
  /// differ in that (then see `replicas`).
  std::optional<int64_t> replication(HardwareShape hardware) const;
  int64_t replicas(llvm::ArrayRef<int64_t> index, HardwareShape hardware) const;

  //===--------------------------------------------------------------------===//
  // Renaming
  //
  // These keep who holds what and change how elements are called. permute,
  // project and apply keep the order of the registers. recombine, reshape and
  // foldOversubscription number them anew: as a nested layout of these digits
  // does, and if there is none, by decreasing significance of what they hold.
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

  /// Drops the marked dims, as a reduction over them does. Lanes and subgroups
  /// of a dropped dim become replicas.
  /// \pre  dropped.size() == rank()
  /// \post law J: result.indexOf({s, l, kept(r)}) == kept(indexOf({s, l, r})),
  ///       where kept(r) closes the gaps that the dropped register digits left
  Layout project(const llvm::SmallBitVector &dropped) const;

  /// Returns the layout of an operand that is read at map(iteration) where the
  /// iteration space is laid out so; nothing when a result of the map is
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

  /// The companion of recombine for dims that the result has not (the K dims
  /// of a contraction): true if every marked dim is in an operand, and all
  /// operands that have it hold it alike.
  static bool agreeOn(llvm::ArrayRef<Layout> operands,
                      llvm::ArrayRef<DimMap> maps,
                      const llvm::SmallBitVector &dims);

  /// Returns a layout of `newShape` in which every lane owns the same elements
  /// by row-major position, or nothing when there is none. Never approximates.
  /// \post law R: the sets of linear indices owned by each (s, l) are equal
  std::optional<Layout> reshape(llvm::ArrayRef<int64_t> newShape) const;

  //===--------------------------------------------------------------------===//
  // Fitting
  //===--------------------------------------------------------------------===//

  /// Returns the layout that W threads in subgroups of w lanes execute: lane
  /// digits beyond w become subgroup digits (a *workgroup-threaded* layout),
  /// subgroup digits beyond W / w become registers (*oversubscription*). It is
  /// this layout itself in the normal case. Nothing, and the reason naming W,
  /// w, N, span and need, when the hardware cannot hold it.
  std::optional<Layout> forTarget(int64_t workgroupSize, int64_t subgroupSize,
                                  std::string *why = nullptr) const;

  /// `; lay it out ...`: what makes a layout fit for which forTarget has none.
  std::string howToFit(int64_t workgroupSize, int64_t subgroupSize) const;

  /// Lets `subgroups` subgroups execute all of the layout's: subgroup x runs on
  /// x % subgroups, one after the other in additional registers.
  /// \post law O: owned(result, h, l) is the union of owned(*this, x, l) over
  ///       all x < subgroupSpan() with x % subgroups == h
  std::optional<Layout> foldOversubscription(int64_t subgroups,
                                             std::string *why = nullptr) const;

  //===--------------------------------------------------------------------===//
  // Comparing
  //===--------------------------------------------------------------------===//

  /// The same digits. Layouts that are unequal may still be the same map:
  /// reg(2, 4) reg(4, 1) reads what reg(8, 1) reads.
  bool operator==(const Layout &other) const = default;

  /// The same shape and the same map.
  bool equivalent(const Layout &other) const;

  /// This map with neighbouring digits merged where they read neighbouring
  /// parts of one id: the shortest digits of the map, equal iff equivalent.
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
