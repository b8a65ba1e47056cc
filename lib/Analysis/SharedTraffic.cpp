//===- SharedTraffic.cpp - What an access asks of the banks ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/SharedTraffic.h"
#include "LayoutGraph.h"
#include "distaff/Analysis/AccessWidth.h"
#include "distaff/Layout/MatrixTiles.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;

/// Where lane `lane` of subgroup 0 has its first register, in bytes.
static int64_t byteOf(const Layout &layout, int64_t lane,
                      ArrayRef<int64_t> strides, int64_t bytes) {
  int64_t offset = 0;
  for (auto [index, stride] :
       llvm::zip_equal(layout.indexOf({0, lane, 0}), strides))
    offset += index * stride;
  return offset * bytes;
}

/// One access after the other is as far on for every lane, which only rotates
/// the banks: what this counts is that of each.
static int64_t wavefrontsOf(const Layout &layout, int64_t lanes,
                            ArrayRef<int64_t> strides, int64_t elementBytes,
                            int64_t accessBytes, const BankModel &banks) {
  int64_t wavefronts = 0, together = banks.lanesPerPhase(accessBytes);
  for (int64_t first = 0; first < lanes; first += together) {
    SmallVector<int64_t> offsets;
    for (int64_t lane = first; lane < std::min(lanes, first + together); ++lane)
      offsets.push_back(byteOf(layout, lane, strides, elementBytes));
    wavefronts += banks.wavefronts(offsets, accessBytes);
  }
  return wavefronts;
}

/// The tiles that matrix loads fill, where this read becomes such loads.
static std::optional<MatrixTiles> tilesOf(Operation *op, const Layout &layout,
                                          const MemoryAccess &access,
                                          HardwareShape hardware,
                                          const Target &target) {
  auto read = dyn_cast<vector::TransferReadOp>(op);
  if (!read || !target.banks.loadsMatrices || read.getMask() ||
      read.hasOutOfBoundsDim() || !access.contiguous || access.order.empty() ||
      !llvm::all_of(read.getPermutationMap().getResults(),
                    llvm::IsaPred<AffineDimExpr>) ||
      !hasAlignedRows(read, MatrixTiles::rowBytes, target.workgroupAlignment()))
    return std::nullopt;
  for (bool transposed : {false, true})
    if (auto tiles =
            MatrixTiles::get(layout, hardware, access.elementBits, transposed);
        tiles && tiles->rowDim == access.order.front())
      return tiles;
  return std::nullopt;
}

std::optional<SharedTraffic> distaff::trafficOf(Operation *op,
                                                const Layout &layout,
                                                HardwareShape hardware,
                                                const Target &target) {
  std::optional<MemoryAccess> access = accessOf(op, target);
  if (!access || access->strides.empty())
    return std::nullopt;
  const BankModel &banks = target.banks;
  int64_t bytes = llvm::divideCeil(access->elementBits, 8);
  if (auto tiles = tilesOf(op, layout, *access, hardware, target)) {
    int64_t perLoad =
        wavefrontsOf(tiles->rows, 8 * tiles->tiles, access->strides, bytes,
                     MatrixTiles::rowBytes, banks);
    return SharedTraffic{tiles->instructions() * perLoad,
                         tiles->instructions()};
  }
  int64_t width = 1;
  if (access->contiguous && !access->order.empty()) {
    ArrayRef<Digit> digits = layout.digits(access->order.front());
    if (!digits.empty() && digits.back().axis == Axis::Register)
      while (2 * width * bytes <= banks.maxAccessBytes &&
             2 * width <= access->widest &&
             digits.back().size % (2 * width) == 0)
        width *= 2;
  }
  int64_t requests = layout.numRegisters() / width;
  int64_t each = wavefrontsOf(layout, hardware.lanes, access->strides, bytes,
                              width * bytes, banks);
  return SharedTraffic{requests * each, requests};
}
