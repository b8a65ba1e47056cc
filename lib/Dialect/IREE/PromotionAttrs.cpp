//===- PromotionAttrs.cpp - Copies to shared memory -----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layout of a copy: each lane moves up to 16 contiguous bytes, neighbouring
// lanes neighbouring chunks along a row, then rows; the slowest dims are
// distributed over subgroups. 128x32 of f16 by 4 subgroups of 32 lanes:
//
//   S[4,1]:[1,0] B[4,1] T[8,4]:[4,1] E[1,8]
//
// Threads without elements of their own hold replicas.
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Dialect/VectorExt/LayoutOf.h"
#include "distaff/Layout/NestedLayout.h"
#include <numeric>

using namespace distaff;
using namespace distaff::iree;
using vector_ext::NestedLayoutAttr;
using vector_ext::VectorLayoutInterface;

static VectorLayoutInterface
deriveCopyLayout(VectorType type, int64_t workgroupSize, int64_t subgroupSize) {
  if (subgroupSize <= 0 || workgroupSize < subgroupSize)
    return {};
  NestedLayout layout = NestedLayout::units(type.getRank());
  SmallVector<int64_t> left(type.getShape());
  if (int64_t bits = type.getElementType().isIntOrFloat()
                         ? type.getElementTypeBitWidth()
                         : 64;
      !left.empty() && bits > 0) {
    int64_t most = std::max<int64_t>(1, 128 / bits);
    layout.dims.back().elementTile = std::gcd(left.back(), most);
    left.back() /= layout.dims.back().elementTile;
  }
  int64_t lanes = subgroupSize, stride = 1;
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    int64_t tile = std::gcd(left[dim], lanes);
    layout[dim].threadTile = tile;
    layout[dim].threadStride = stride;
    left[dim] /= tile;
    lanes /= tile;
    stride *= tile;
  }
  int64_t subgroups = workgroupSize / subgroupSize;
  stride = 1;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    int64_t tile = std::gcd(left[dim], subgroups);
    layout[dim].subgroupTile = tile;
    layout[dim].subgroupStride = stride;
    layout[dim].batchTile = left[dim] / tile;
    subgroups /= tile;
    stride *= tile;
  }
  layout.normalize();
  return NestedLayoutAttr::get(type.getContext(), layout);
}

VectorLayoutInterface
DerivedThreadConfigAttr::getCopyLayout(VectorType type, int64_t workgroupSize,
                                       int64_t subgroupSize) const {
  return deriveCopyLayout(type, workgroupSize, subgroupSize);
}

VectorLayoutInterface
UseGlobalLoadDMAAttr::getCopyLayout(VectorType type, int64_t workgroupSize,
                                    int64_t subgroupSize) const {
  return deriveCopyLayout(type, workgroupSize, subgroupSize);
}

bool DerivedThreadConfigAttr::isAsynchronous() const { return false; }

bool UseGlobalLoadDMAAttr::isAsynchronous() const { return true; }
