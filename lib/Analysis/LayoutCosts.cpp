//===- LayoutCosts.cpp - What a candidate and a conversion cost -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayoutCosts.h"
#include "distaff/Analysis/LayoutPropagation.h"
#include "distaff/Analysis/Multiplicand.h"
#include "distaff/Analysis/WorkgroupMemory.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/MathExtras.h"

using namespace distaff;
using namespace distaff::vector_ext;

static int64_t elementBitsOf(Type element) {
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
}

const Layout &LayoutCosts::placed(VectorLayoutInterface layout) {
  auto it = layouts.find(layout);
  if (it != layouts.end())
    return it->second;
  Layout digits = layout.getLayout();
  std::optional<Layout> onHardware =
      digits.forTarget(hardware.subgroups * hardware.lanes, hardware.lanes);
  return layouts.try_emplace(layout, onHardware.value_or(digits)).first->second;
}

int64_t LayoutCosts::registersOf(VectorLayoutInterface layout) {
  return placed(layout).numRegisters();
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

ConversionPlan LayoutCosts::plan(VectorLayoutInterface source,
                                 VectorLayoutInterface destination,
                                 Type element, bool forceShared) {
  ConversionOptions options;
  options.forceShared = forceShared;
  options.sharedBytes = sharedBytes;
  options.emitSelect = options.emitShuffle = true;
  return planConversion(placed(source), placed(destination), hardware,
                        elementBitsOf(element), target.costs, target.banks,
                        options);
}

/// The innermost register digit of a dim if it is the dim's innermost digit:
/// elements of one lane next to each other.
static int64_t contiguousOn(const Layout &layout, int64_t dim) {
  ArrayRef<Digit> digits = layout.digits(dim);
  return !digits.empty() && digits.back().axis == Axis::Register
             ? digits.back().size
             : 1;
}

/// Wavefronts, free of conflicts, in which one subgroup moves `registers`
/// elements per lane, up to `contiguous` of them in one access.
static int64_t idealWavefronts(int64_t registers, int64_t contiguous,
                               int64_t bits, int64_t lanes,
                               const BankModel &banks) {
  int64_t bytes = llvm::divideCeil(bits, 8);
  int64_t width = 1;
  while (width * 2 * bytes <= banks.maxAccessBytes &&
         contiguous % (width * 2) == 0 && registers % (width * 2) == 0)
    width *= 2;
  return registers / width *
         llvm::divideCeil(std::max(width * bytes, banks.bankBytes) * lanes,
                          banks.banks * banks.bankBytes);
}

/// Dims along which matrix loads read the rows of tiles; each of their bytes is
/// moved once.
static llvm::SmallBitVector rowDimsOf(const Layout &layout,
                                      HardwareShape hardware, int64_t bits,
                                      const BankModel &banks) {
  llvm::SmallBitVector dims(layout.rank());
  if (banks.loadsMatrices)
    for (bool transposed : {false, true})
      if (auto tiles = MatrixTiles::get(layout, hardware, bits, transposed))
        dims.set(tiles->rowDim);
  return dims;
}

int64_t LayoutCosts::piecesOf(int64_t bytes) const {
  return llvm::PowerOf2Ceil(llvm::divideCeil(bytes, sharedBytes));
}

int64_t LayoutCosts::availableRegisters() const {
  return target.registersFor(hardware.subgroups * hardware.lanes);
}

int64_t LayoutCosts::costOfSpills(int64_t words) const {
  // Each is stored once and loaded once.
  return 2 * target.globalMemory.issueCost * std::max<int64_t>(0, words);
}

LayoutCosts::Conversion LayoutCosts::estimate(VectorLayoutInterface source,
                                              VectorLayoutInterface destination,
                                              Type element, bool computed) {
  // Both before taking references: `placed` may move what it holds.
  placed(source);
  placed(destination);
  const Layout &from = placed(source);
  const Layout &to = placed(destination);
  int64_t bits = elementBitsOf(element);
  Conversion result;
  Tier tier = classifyConversion(from, to, hardware);
  if (tier == Tier::Identity)
    return result;
  result.words = llvm::divideCeil(to.numRegisters() * bits, 32);
  if (tier == Tier::RegisterPermutation) {
    result.cost = plan(source, destination, element).cost;
    return result;
  }
  // One side reads or writes wide along the dim that is innermost in memory.
  std::optional<int64_t> wavefronts;
  llvm::SmallBitVector rows = rowDimsOf(to, hardware, bits, target.banks);
  int64_t inRow = 8 * target.banks.maxAccessBytes / bits;
  for (int64_t dim = 0; dim < from.rank(); ++dim) {
    int64_t both = idealWavefronts(from.numRegisters(), contiguousOn(from, dim),
                                   bits, hardware.lanes, target.banks) +
                   idealWavefronts(to.numRegisters(),
                                   rows[dim] ? inRow : contiguousOn(to, dim),
                                   bits, hardware.lanes, target.banks);
    wavefronts = std::min(wavefronts.value_or(both), both);
  }
  constexpr int64_t addressOps = 8;
  result.shared = true;
  result.cost = wavefronts.value_or(2) * target.costs.sharedWavefront +
                addressOps * target.costs.addressOp;
  // What does not fit goes through in pieces, each of which waits.
  result.cost +=
      piecesOf(from.numElements() * llvm::divideCeil(bits, 8)) *
      (2 * target.costs.barrier + (computed ? target.issue.meetingLatency : 0));
  // Both sides are alive at once.
  result.cost += costOfSpills(result.words +
                              llvm::divideCeil(from.numRegisters() * bits, 32) -
                              availableRegisters());
  return result;
}

LayoutCosts::Conversion
LayoutCosts::conversionOf(Value value, VectorLayoutInterface source,
                          VectorLayoutInterface destination) {
  if (source == destination)
    return {};
  // What was just read from memory is late anyway.
  bool computed = !value.getDefiningOp<vector::TransferReadOp>();
  Type element = getElementTypeOrSelf(value.getType());
  auto &known = conversions[{source, destination}];
  auto [it, inserted] =
      known.try_emplace(2 * elementBitsOf(element) + computed, Conversion());
  if (inserted)
    it->second = estimate(source, destination, element, computed);
  return it->second;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

const std::optional<MemoryAccess> &LayoutCosts::accessAt(Operation *op) {
  auto [it, isNew] = accesses.try_emplace(op);
  if (isNew)
    it->second = accessOf(op, target);
  return it->second;
}

int64_t LayoutCosts::costOfAccess(Operation *op, VectorLayoutInterface layout) {
  const std::optional<MemoryAccess> &access = accessAt(op);
  auto nested = dyn_cast<NestedLayoutAttr>(layout);
  if (!access || !nested) // one scalar access of every lane per register
    return registersOf(layout) *
           (target.globalMemory.issueCost + hardware.lanes - 1);
  if (accessesWorkgroupMemory(op)) {
    // Full wavefronts, as if free of conflicts.
    int64_t bytes =
        registersOf(layout) * hardware.lanes * access->elementBits / 8;
    return llvm::divideCeil(bytes,
                            target.banks.banks * target.banks.bankBytes) *
           target.costs.sharedWavefront;
  }
  int64_t cost = distaff::costOfAccess(*access, nested.getNested(), target);
  bool guarded =
      op->getNumResults() == 0 && placed(layout).replication(hardware) != 1;
  return cost + (guarded ? target.costs.addressOp : 0);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

int64_t LayoutCosts::costOfExchange(VectorLayoutInterface source,
                                    const llvm::SmallBitVector &reduced,
                                    int64_t kept, Type element) {
  const Layout &layout = placed(source);
  int64_t rounds = 0, slots = 1;
  for (int64_t dim = 0; dim < layout.rank(); ++dim)
    for (const Digit &digit : layout.digits(dim)) {
      if (!reduced[dim])
        continue;
      if (digit.axis == Axis::Subgroup)
        slots *= digit.size;
      // Other sizes combine down a tree and send the result back.
      if (digit.axis == Axis::Lane)
        rounds += llvm::isPowerOf2_64(digit.size)
                      ? llvm::Log2_64(digit.size)
                      : 2 * llvm::Log2_64_Ceil(digit.size);
    }
  int64_t words = llvm::divideCeil(elementBitsOf(element), 32);
  const MoveCosts &costs = target.costs;
  int64_t cost = rounds * kept * words * (costs.shuffle + 1);
  if (slots > 1)
    cost += kept * words * (1 + slots) * (costs.sharedWavefront + 1) +
            2 * costs.barrier + target.issue.meetingLatency;
  return cost;
}

/// Registers along the dims that are not reduced.
static int64_t keptRegisters(const Layout &layout,
                             const llvm::SmallBitVector &reduced) {
  int64_t kept = 1;
  for (int64_t dim = 0; dim < layout.rank(); ++dim)
    for (const Digit &digit : layout.digits(dim))
      if (digit.axis == Axis::Register && !reduced[dim])
        kept *= digit.size;
  return kept;
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

int64_t LayoutCosts::costOfContraction(const LayoutNode &node,
                                       const LayoutCandidate &candidate) {
  if (candidate.contraction)
    return node.contractions[*candidate.contraction].cost;
  Operation *op = node.op;
  auto semiring = dyn_cast<core::ContractOp>(op);
  // One multiply-add per point of the iteration space that a lane owns.
  SmallVector<AffineMap> maps =
      semiring ? semiring.getMaps()
               : SmallVector<AffineMap>(
                     cast<vector::ContractionOp>(op).getIndexingMapsArray());
  SmallVector<int64_t> points(maps[0].getNumDims(), 1);
  for (unsigned operand : {0, 1})
    for (unsigned i = 0; i < maps[operand].getNumResults(); ++i) {
      int64_t registers = 1;
      const Layout &layout = placed(candidate.operands[operand]);
      for (const Digit &digit : layout.digits(i))
        if (digit.axis == Axis::Register)
          registers *= digit.size;
      points[maps[operand].getDimPosition(i)] = registers;
    }
  int64_t cost = llvm::product_of(points);
  // K on lanes or subgroups is reduced afterwards like any other dim.
  llvm::SmallBitVector reduced(maps[0].getNumResults());
  for (unsigned i = 0; i < maps[0].getNumResults(); ++i)
    if (!maps[2].isFunctionOfDim(maps[0].getDimPosition(i)))
      reduced.set(i);
  int64_t kept =
      candidate.results.empty() ? 1 : registersOf(candidate.results.front());
  return cost +
         costOfExchange(candidate.operands[0], reduced, kept,
                        getElementTypeOrSelf(op->getResult(0).getType()));
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

int64_t LayoutCosts::costOfReduction(Operation *op,
                                     VectorLayoutInterface source) {
  auto type = cast<VectorType>(op->getOperand(0).getType());
  llvm::SmallBitVector reduced(type.getRank(), isa<vector::ReductionOp>(op));
  if (auto reduction = dyn_cast<vector::MultiDimReductionOp>(op))
    for (int64_t dim : reduction.getReductionDims())
      reduced.set(dim);
  int64_t kept = keptRegisters(placed(source), reduced);
  return registersOf(source) +
         costOfExchange(source, reduced, kept, type.getElementType());
}

/// Values that take more than half the registers make others spill.
int64_t LayoutCosts::costOfRegisters(VectorLayoutInterface layout,
                                     Type element) {
  int64_t words =
      llvm::divideCeil(registersOf(layout) * elementBitsOf(element), 32);
  return costOfSpills(words - availableRegisters() / 2);
}

/// Issue slots of one elementwise op on one register.
static int64_t costPerRegister(Operation *op, const IssueModel &issue) {
  if (isExactExtension(op) || isa<arith::TruncFOp, arith::TruncIOp>(op))
    return 1;
  if (isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
          arith::RemUIOp, arith::RemFOp>(op))
    return issue.division;
  bool isFunction =
      op->getDialect() && op->getDialect()->getNamespace() == "math";
  return isFunction ? issue.function : 1;
}

/// An extension that only contractions use becomes part of the instruction.
static bool foldsIntoContraction(Operation *op) {
  return isExactExtension(op) && !op->use_empty() &&
         llvm::all_of(op->getUses(), [](OpOperand &use) {
           return isa<vector::ContractionOp>(use.getOwner()) &&
                  use.getOperandNumber() < 2;
         });
}

int64_t LayoutCosts::costOf(const LayoutNode &node,
                            const LayoutCandidate &candidate) {
  if (node.tied || isa<ToLayoutOp>(node.op) || foldsIntoContraction(node.op))
    return 0;
  int64_t cost = 0;
  // Masks and positions are computed where they are used.
  for (auto [operand, layout] :
       llvm::zip_equal(node.operands, candidate.operands))
    if (LayoutMap::isLayoutFree(operand->get()) &&
        !matchPattern(operand->get(), m_Constant()))
      cost += registersOf(layout);
  for (auto [result, layout] : llvm::zip_equal(node.results, candidate.results))
    cost += costOfRegisters(layout, getElementTypeOrSelf(result.getType()));
  Operation *op = node.op;
  if (accessAt(op))
    return cost + costOfAccess(op, candidate.results.empty()
                                       ? candidate.operands.front()
                                       : candidate.results.front());
  if (isa<vector::ContractionOp, core::ContractOp>(op))
    return cost + costOfContraction(node, candidate);
  if (isa<vector::MultiDimReductionOp, vector::ReductionOp>(op))
    return cost + costOfReduction(op, candidate.operands.front());
  if (isa<vector::TransposeOp, vector::BroadcastOp, vector::ShapeCastOp,
          vector::BitCastOp>(op))
    return cost; // renames registers
  if (auto extract = dyn_cast<vector::ExtractOp>(op)) {
    // Whoever holds the position sends it to the others.
    llvm::SmallBitVector position(extract.getSourceVectorType().getRank());
    position.set(0, extract.getNumIndices());
    VectorLayoutInterface source = candidate.operands.front();
    return cost + costOfExchange(
                      source, position, keptRegisters(placed(source), position),
                      extract.getSourceVectorType().getElementType());
  }
  VectorLayoutInterface widest = candidate.results.empty()
                                     ? candidate.operands.front()
                                     : candidate.results.front();
  return cost + costPerRegister(op, target.issue) * registersOf(widest);
}
