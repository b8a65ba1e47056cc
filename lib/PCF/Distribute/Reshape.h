//===- Reshape.h - Reassociation groups of a reshape ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_PCF_DISTRIBUTE_RESHAPE_H
#define DISTAFF_LIB_PCF_DISTRIBUTE_RESHAPE_H

#include "distaff/LLVM.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SmallBitVector.h"

namespace distaff::pcf {

/// Describes a reshape, in which groups of dimensions of one tensor are
/// dimensions of the other.
struct Reshape {
  explicit Reshape(Operation *op) {
    Value source = op->getOperand(0), result = op->getResult(0);
    if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
      groups = collapse.getReassociationIndices();
    else
      groups = cast<tensor::ExpandShapeOp>(op).getReassociationIndices();
    isCollapse = isa<tensor::CollapseShapeOp>(op);
    wide = cast<RankedTensorType>((isCollapse ? source : result).getType());
    narrow = cast<RankedTensorType>((isCollapse ? result : source).getType());
  }

  /// Returns whether the elements of each group are contiguous in memory larger
  /// than the tensor: only the first dimension of a group may be dynamic.
  bool isRowMajor() const {
    return llvm::all_of(groups, [&](const ReassociationIndices &group) {
      return llvm::none_of(llvm::drop_begin(group),
                           [&](int64_t dim) { return wide.isDynamicDim(dim); });
    });
  }

  /// Returns the dimensions of extent 1 if each group has at most one other
  /// dimension.
  std::optional<llvm::SmallBitVector> getUnits() const {
    llvm::SmallBitVector units(wide.getRank());
    for (const ReassociationIndices &group : groups) {
      int64_t others = llvm::count_if(
          group, [&](int64_t dim) { return wide.getDimSize(dim) != 1; });
      if (others > 1)
        return std::nullopt;
      for (int64_t dim :
           others == 0 ? ArrayRef(group).drop_back() : ArrayRef<int64_t>(group))
        if (wide.getDimSize(dim) == 1)
          units.set(dim);
    }
    return units;
  }

  SmallVector<ReassociationIndices> groups;
  RankedTensorType wide, narrow;
  bool isCollapse;
};

} // namespace distaff::pcf

#endif // DISTAFF_LIB_PCF_DISTRIBUTE_RESHAPE_H
