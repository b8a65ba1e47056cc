//===- Blocks.cpp - Blocks of subgroups -----------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Blocks.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace distaff;
using vector_ext::NestedLayoutAttr;
using vector_ext::VectorLayoutInterface;

static bool isSubgroup(const Digit &digit) {
  return digit.axis == Axis::Subgroup;
}

static FailureOr<Placement> refuse(std::string *why, const Twine &reason) {
  if (why)
    *why = reason.str();
  return failure();
}

FailureOr<Placement> distaff::placeBlocks(VectorLayoutInterface layout,
                                          int64_t numSubgroups,
                                          std::string *why) {
  Layout whole = layout.getLayout();
  if (whole.neededSubgroups() > numSubgroups)
    return refuse(
        why, "layout is split over " + Twine(whole.neededSubgroups()) +
                 " subgroups, and " + Twine(numSubgroups) +
                 " hold it: " + toString(whole) + " (DG6); split it over " +
                 Twine(numSubgroups) + " at most");
  SmallVector<SmallVector<Digit>> dims;
  SmallVector<int64_t> block;
  for (auto [dim, extent] : llvm::enumerate(whole.shape())) {
    ArrayRef<Digit> digits = whole.digits(dim);
    ArrayRef<Digit> rest = digits.drop_while(isSubgroup);
    if (llvm::any_of(rest, isSubgroup))
      return refuse(why,
                    "what a subgroup holds is no block: " + toString(whole) +
                        "; split each dim over subgroups before all else, by "
                        "a nested_layout");
    dims.emplace_back(digits.drop_back(rest.size()));
    block.push_back(extent);
    for (const Digit &digit : dims.back())
      block.back() /= digit.size;
  }
  SmallVector<RegisterDim> registers;
  SmallVector<int64_t> strides(computeStrides(block));
  for (auto [dim, size, stride] :
       llvm::enumerate(llvm::ArrayRef(block), llvm::ArrayRef(strides))) {
    dims[dim].push_back({Axis::Register, size, stride});
    registers.push_back({int64_t(dim), size, /*weight=*/1, /*element=*/true});
  }
  std::optional<Layout> blocks = Layout::get(dims);
  assert(blocks && "the registers of a block are row-major");
  return Placement(layout, std::move(*blocks), std::move(registers));
}

VectorLayoutInterface distaff::layoutOfBlock(VectorLayoutInterface layout) {
  if (auto nested = dyn_cast<NestedLayoutAttr>(layout)) {
    NestedLayout block = nested.getNested();
    for (NestedDim &dim : block.dims)
      dim.subgroupTile = 1, dim.subgroupStride = 0;
    return NestedLayoutAttr::get(layout.getContext(), block);
  }
  SmallVector<SmallVector<Digit>> dims =
      vector_ext::getDigits(layout.getLayout());
  for (SmallVector<Digit> &digits : dims)
    llvm::erase_if(digits, isSubgroup);
  return vector_ext::getDigitLayoutAttr(layout.getContext(), dims);
}

vector_ext::ToLayoutOp distaff::layOutBlock(OpBuilder &b, Location loc,
                                            Value block,
                                            vector_ext::ToLayoutOp op) {
  auto laidOut = cast<vector_ext::ToLayoutOp>(b.clone(*op));
  laidOut.setLayoutAttr(layoutOfBlock(op.getLayout()));
  laidOut.getInputMutable().assign(block);
  laidOut->getResult(0).setType(block.getType());
  return laidOut;
}
