//===- NestedLayout.h - Layouts in five levels per dimension ----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A nested layout is the readable syntax for most layouts
// (`#iree_vector_ext.nested_layout`). Every dimension of extent D is split,
// outermost first, into
//
//     D = S * B * O * T * E
//
//     S  subgroups       B  batches (repetitions of an instruction)
//     T  lanes           O  outers  (repetitions inside one fragment)
//     E  elements: contiguous, held by one lane (one vector access)
//
//     index = (((vs * B + b) * O + o) * T + vt) * E + e
//     vs = (subgroup / subgroupStride) % S      vt = (lane / threadStride) % T
//
// b, o and e are held in registers. A stride of 0 means "not distributed here":
// vs or vt is held in registers, too. That is the normal form wherever the tile
// is 1; any other such tile is a part of the neighbouring registers, since (b *
// O + o) * T + vt = b * (O * T) + (o * T + vt), and S and B are neighbours in
// the same way.
//
// Worked example, 64x64 on four subgroups of 64 lanes, in short notation
// ⟨S[2,1]:[1,0] B[2,4] T[16,4]:[1,16] E[1,4]⟩:
//
//     row = 32 * (s % 2) + 16 * b0 + l % 16
//     col = 16 * b1 + 4 * (l / 16 % 4) + e1
//
// Subgroup 3, lane 37 holds (53, 43) at b = (1, 2), e1 = 3; subgroups 2 and 3
// are replicas of 0 and 1. A lane holds 2x4x1x1x1x4 elements, the distributed
// shape [B..., O..., E...]; registers are numbered row-major in it.
//
// Digits do not distinguish B, O and E where no lane digit lies between:
// `fromLayout` takes batch above the lanes and element below them or without
// them (docs/rationale/nested-layouts-are-read-back-in-one-form.md).
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LAYOUT_NESTEDLAYOUT_H
#define DISTAFF_LAYOUT_NESTEDLAYOUT_H

#include "distaff/Layout/Layout.h"
#include <array>

namespace distaff {

/// Describes how one dimension is split. A dim that is not split is 1
/// everywhere.
struct NestedDim {
  int64_t subgroupTile = 1, batchTile = 1, outerTile = 1, threadTile = 1,
          elementTile = 1;
  int64_t subgroupStride = 0, threadStride = 0;

  /// Returns S * B * O * T * E.
  int64_t extent() const { return subgroupTile * threadTile * held(); }
  /// Returns B * O * E: the elements that one lane holds along the dim.
  int64_t held() const { return batchTile * outerTile * elementTile; }

  bool operator==(const NestedDim &other) const = default;
  friend llvm::hash_code hash_value(const NestedDim &dim);
};

llvm::hash_code hash_value(const NestedDim &dim);

/// A nested layout is a plain struct: `verify` checks whether it is a layout;
/// all other members require that it is, and normal.
struct NestedLayout {
  llvm::SmallVector<NestedDim> dims;

  /// A field is one of the seven numbers of a dim, and its key in the
  /// attribute.
  struct Field {
    llvm::StringRef key;
    int64_t NestedDim::*number;
  };
  /// The fields in the order in which they are printed: tiles outermost first,
  /// strides.
  static constexpr std::array<Field, 7> fields = {{
      {"subgroup_tile", &NestedDim::subgroupTile},
      {"batch_tile", &NestedDim::batchTile},
      {"outer_tile", &NestedDim::outerTile},
      {"thread_tile", &NestedDim::threadTile},
      {"element_tile", &NestedDim::elementTile},
      {"subgroup_strides", &NestedDim::subgroupStride},
      {"thread_strides", &NestedDim::threadStride},
  }};

  /// Returns `rank` dims of extent 1.
  static NestedLayout units(int64_t rank) {
    return {llvm::SmallVector<NestedDim>(rank)};
  }
  /// Builds a nested layout from one list per field; returns nothing if they
  /// differ in length, and the reason in `why` (spec 2.1.2, NV1).
  static std::optional<NestedLayout>
  fromLists(llvm::ArrayRef<llvm::SmallVector<int64_t>> lists, std::string &why);
  /// Returns one number of every dim.
  llvm::SmallVector<int64_t> list(int64_t NestedDim::*number) const;

  /// Sets the stride to 0 wherever its tile is 1 (spec 2.1.1), and makes tiles
  /// of stride 0 registers: those of subgroups batch, those of lanes outer.
  void normalize();

  /// Returns what is wrong (spec 2.1.2, NV2, NV3, NV5, NV6), with values, or
  /// nothing.
  std::optional<std::string> verify() const;

  int64_t rank() const { return dims.size(); }
  NestedDim &operator[](int64_t dim) { return dims[dim]; }
  const NestedDim &operator[](int64_t dim) const { return dims[dim]; }
  /// Returns S * B * O * T * E per dim.
  llvm::SmallVector<int64_t> shape() const;
  /// Returns [B..., O..., E...], the shape that one lane holds: rank 3n.
  llvm::SmallVector<int64_t> distributedShape() const;
  /// Returns B * O * E per dim.
  llvm::SmallVector<int64_t> unpackedShape() const;
  /// Returns [S..., B..., O..., T..., E...]: rank 5n.
  llvm::SmallVector<int64_t> packedShape() const;

  //===--------------------------------------------------------------------===//
  // To and from digits
  //===--------------------------------------------------------------------===//

  /// Returns the digits of the five levels; registers are numbered row-major in
  /// distributedShape().
  Layout toLayout() const;

  /// Returns the nested form of exactly this map, register numbers included, or
  /// nothing; of several, the one nearest to batch above lanes, element below.
  /// \post result->toLayout().equivalent(layout)
  static std::optional<NestedLayout> fromLayout(const Layout &layout);

  /// Returns a nested form that owns the same elements on every lane and
  /// numbers registers in its own way: the dims' digits must read `subgroup?
  /// register? lane? register?`.
  static std::optional<NestedLayout> fromOwnership(const Layout &layout);

  //===--------------------------------------------------------------------===//
  // Algebra (spec 3.2, 3.3): on the dims, exactly
  //===--------------------------------------------------------------------===//

  /// Returns the layout whose dim i is dim permutation[i].
  NestedLayout permute(llvm::ArrayRef<int64_t> permutation) const;
  NestedLayout project(const llvm::SmallBitVector &dropped) const;
  std::optional<NestedLayout> apply(const DimMap &map) const;
  /// Returns nothing where operands split a shared dim differently, in any
  /// number.
  static std::optional<NestedLayout>
  recombine(llvm::ArrayRef<NestedLayout> operands, llvm::ArrayRef<DimMap> maps,
            const DimMap &result);
  static bool agreeOn(llvm::ArrayRef<NestedLayout> operands,
                      llvm::ArrayRef<DimMap> maps,
                      const llvm::SmallBitVector &dims);
  /// Returns nothing when no nested layout owns the same elements, in which
  /// case there may still be a digit form: `toLayout().reshape(newShape)`.
  std::optional<NestedLayout> reshape(llvm::ArrayRef<int64_t> newShape) const;

  //===--------------------------------------------------------------------===//
  // Fitting
  //===--------------------------------------------------------------------===//

  /// Returns why W threads in subgroups of w lanes cannot execute this layout
  /// (spec 2.1.4; names W, w, N, span and need), or nothing.
  std::optional<std::string> verifyForTarget(int64_t workgroupSize,
                                             int64_t subgroupSize) const;
  /// Returns the layout that these threads execute. It is in digits because it
  /// may have no nested form; `fromLayout` returns that form if there is one.
  std::optional<Layout> forTarget(int64_t workgroupSize, int64_t subgroupSize,
                                  std::string *why = nullptr) const;
  std::optional<Layout> foldOversubscription(int64_t subgroups,
                                             std::string *why = nullptr) const;

  bool operator==(const NestedLayout &other) const = default;
  friend llvm::hash_code hash_value(const NestedLayout &layout);
};

llvm::hash_code hash_value(const NestedLayout &layout);

/// Prints the short notation: `⟨S[2,1]:[1,0] B[2,4] T[16,4]:[1,16] E[1,4]⟩`;
/// groups of ones are left out.
llvm::raw_ostream &operator<<(llvm::raw_ostream &os,
                              const NestedLayout &layout);
std::string toString(const NestedLayout &layout);

} // namespace distaff

#endif // DISTAFF_LAYOUT_NESTEDLAYOUT_H
