//===- SharedTraffic.cpp - Wavefronts of shared accesses ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Access/SharedTraffic.h"
#include "LaneWavefronts.h"
#include "distaff/Analysis/Access/AccessWidth.h"
#include "distaff/Layout/MatrixTiles.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;

/// Returns the wavefronts of the access at register `reg`.
static int64_t wavefrontsAt(const Layout &layout, int64_t reg, int64_t lanes,
                            ArrayRef<int64_t> strides, int64_t elementBytes,
                            int64_t accessBytes, const BankModel &banks) {
  int64_t wavefronts = 0, together = banks.lanesPerPhase(accessBytes);
  for (int64_t first = 0; first < lanes; first += together) {
    SmallVector<int64_t> offsets;
    int64_t end = std::min(lanes, first + together);
    for (int64_t lane = first; lane < end; ++lane) {
      int64_t offset = 0;
      for (auto [index, stride] :
           llvm::zip_equal(layout.indexOf({0, lane, reg}), strides))
        offset += index * stride;
      offsets.push_back(offset * elementBytes);
    }
    wavefronts += banks.wavefronts(offsets, accessBytes);
  }
  return wavefronts;
}

int64_t distaff::wavefrontsOf(const Layout &layout, int64_t lanes,
                              ArrayRef<int64_t> strides, int64_t elementBytes,
                              int64_t width, const BankModel &banks) {
  assert(int64_t(strides.size()) == layout.rank() && width > 0 &&
         layout.numRegisters() % width == 0 &&
         "accesses take all registers of a lane");
  int64_t accesses = std::max<int64_t>(1, layout.numRegisters() / width);
  bool isNarrow = width * elementBytes < banks.bankBytes;
  int64_t seen = isNarrow ? std::min<int64_t>(accesses, 8) : 1;
  int64_t wavefronts = 0;
  for (int64_t at = 0; at < seen; ++at)
    wavefronts += wavefrontsAt(layout, at * width, lanes, strides, elementBytes,
                               width * elementBytes, banks);
  return accesses * wavefronts / seen;
}

int64_t distaff::accessWidthOf(const Layout &layout, const VectorAccess &access,
                               const BankModel &banks) {
  int64_t width = 1, bytes = llvm::divideCeil(access.elementBits, 8);
  if (!access.contiguous || access.order.empty())
    return width;
  ArrayRef<Digit> digits = layout.digits(access.order.front());
  if (!digits.empty() && digits.back().axis == Axis::Register)
    while (2 * width * bytes <= banks.maxAccessBytes &&
           2 * width <= access.widest && digits.back().size % (2 * width) == 0)
      width *= 2;
  return width;
}

/// Returns the tiles that matrix loads fill, if this read becomes such loads.
static std::optional<MatrixTiles> tilesOf(Operation *op, const Layout &layout,
                                          const VectorAccess &access,
                                          HardwareShape hardware,
                                          const Target &target) {
  auto read = dyn_cast<vector::TransferReadOp>(op);
  if (!read || read.getMask() || read.hasOutOfBoundsDim() ||
      !access.contiguous || access.order.empty() ||
      !llvm::all_of(read.getPermutationMap().getResults(),
                    llvm::IsaPred<AffineDimExpr>))
    return std::nullopt;
  for (MatrixTiles &tiles :
       sharedLoadsOf(layout, hardware, access.elementBits, target.banks))
    if (tiles.rowDim == access.order.front() &&
        hasAlignedRows(read, tiles.spokenBytes(), target.workgroupAlignment()))
      return std::move(tiles);
  return std::nullopt;
}

std::optional<SharedTraffic> distaff::trafficOf(Operation *op,
                                                const Layout &layout,
                                                HardwareShape hardware,
                                                const Target &target) {
  std::optional<VectorAccess> access = accessOf(op, target);
  if (!access || access->strides.empty())
    return std::nullopt;
  const BankModel &banks = target.banks;
  int64_t bytes = llvm::divideCeil(access->elementBits, 8);
  if (auto tiles = tilesOf(op, layout, *access, hardware, target)) {
    return SharedTraffic{wavefrontsOf(tiles->rows, tiles->speakers(hardware),
                                      access->strides, bytes, tiles->perRow,
                                      banks),
                         tiles->instructions()};
  }
  int64_t width = accessWidthOf(layout, *access, banks);
  return SharedTraffic{wavefrontsOf(layout, hardware.lanes, access->strides,
                                    bytes, width, banks),
                       layout.numRegisters() / width};
}
