//===- LayoutCosts.cpp - Cost model of vector layouts ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayoutCosts.h"
#include "../Access/LaneWavefronts.h"
#include "distaff/Analysis/Access/AccessWidth.h"
#include "distaff/Analysis/Access/WorkgroupMemory.h"
#include "distaff/Analysis/Layout/LayoutPropagation.h"
#include "distaff/Analysis/Layout/Multiplicand.h"
#include "distaff/Analysis/Legality/TargetOps.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "distaff/Kernel/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseSet.h"
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
    return *it->second;
  Layout digits = layout.getLayout();
  std::optional<Layout> onHardware =
      digits.forTarget(hardware.subgroups * hardware.lanes, hardware.lanes);
  return *layouts
              .try_emplace(
                  layout, std::make_unique<Layout>(onHardware.value_or(digits)))
              .first->second;
}

int64_t LayoutCosts::registersOf(VectorLayoutInterface layout) {
  return placed(layout).numRegisters();
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

std::shared_ptr<const ConversionPlan>
LayoutCosts::planOf(VectorLayoutInterface source,
                    VectorLayoutInterface destination, int64_t bits,
                    bool forceShared, bool explains) {
  auto &plan =
      plans[{{source, destination}, 4 * bits + 2 * forceShared + explains}];
  if (plan)
    return plan;
  ConversionOptions options;
  options.forceShared = forceShared;
  options.explains = explains;
  options.sharedBytes = sharedBytes;
  options.emitSelect = options.emitShuffle = true;
  plan = std::make_shared<ConversionPlan>(
      planConversion(placed(source), placed(destination), hardware, bits,
                     target.costs, target.banks, options));
  return plan;
}

int64_t LayoutCosts::movedBitsOf(Value value) {
  if (auto extension = value.getDefiningOp<arith::ExtFOp>())
    value = extension.getIn();
  return elementBitsOf(getElementTypeOrSelf(value.getType()));
}

std::shared_ptr<const ConversionPlan>
LayoutCosts::plan(Value value, VectorLayoutInterface source,
                  VectorLayoutInterface destination, bool forceShared,
                  bool explains) {
  return planOf(source, destination, movedBitsOf(value), forceShared, explains);
}

int64_t LayoutCosts::availableRegisters() const {
  return target.registersFor(hardware.subgroups * hardware.lanes);
}

int64_t LayoutCosts::costOfSpills(int64_t words) const {
  // Each is stored once and loaded once.
  return 2 * target.globalMemory.issueCost * std::max<int64_t>(0, words);
}

int64_t LayoutCosts::wordsOf(const Move &move) {
  int64_t words = 0;
  for (VectorLayoutInterface side : {move.source, move.destination})
    words += llvm::divideCeil(placed(side).numRegisters() * move.bits, 32);
  return words;
}

int64_t LayoutCosts::costBesidesMoving(const Move &move, int64_t barriers) {
  // Values that do not fit are split into chunks, each with its own barriers.
  int64_t waits = move.computed ? barriers / 2 : 0;
  return costOfRoom() + waits * target.issue.meetingLatency +
         costOfSpills(wordsOf(move) - availableRegisters());
}

/// Shuffles of many registers, and conversions through shared memory, take long
/// to plan; most are for layouts that no choice uses.
bool LayoutCosts::isQuickToPlan(Tier tier, const Move &move) {
  constexpr int64_t few = 2;
  return tier == Tier::RegisterPermutation ||
         (tier != Tier::SharedMemory &&
          registersOf(move.source) + registersOf(move.destination) <= few);
}

LayoutCosts::Conversion LayoutCosts::bound(const Move &move) {
  const Layout &from = placed(move.source), &to = placed(move.destination);
  Conversion result;
  Tier tier = classifyConversion(from, to, hardware);
  if (tier == Tier::Identity)
    return result;
  if (isQuickToPlan(tier, move))
    return priced(move);
  result.words = llvm::divideCeil(to.numRegisters() * move.bits, 32);
  result.isBound = true;
  result.cost = leastConversionCost(tier, from, to, hardware, move.bits,
                                    target.costs, target.banks);
  result.shared = tier == Tier::SharedMemory;
  if (result.shared)
    result.cost += costBesidesMoving(move, /*barriers=*/2);
  return result;
}

LayoutCosts::Conversion LayoutCosts::priced(const Move &move) {
  const ConversionPlan &planned =
      *planOf(move.source, move.destination, move.bits);
  Conversion result;
  result.cost = planned.cost;
  if (planned.tier == Tier::Identity)
    return result;
  result.words =
      llvm::divideCeil(placed(move.destination).numRegisters() * move.bits, 32);
  result.shared = planned.tier == Tier::SharedMemory;
  if (result.shared)
    result.cost += costBesidesMoving(move, planned.counts.barriers);
  return result;
}

LayoutCosts::Conversion LayoutCosts::cheapest(const Move &move,
                                              Conversion planned) {
  if (!move.element || planned.cost == 0)
    return planned;
  for (const TargetOp &row : target.ops) {
    std::optional<int64_t> cost =
        costOfConversion(row, move.element, placed(move.source),
                         placed(move.destination), hardware);
    if (!cost || *cost >= planned.cost)
      continue;
    planned = Conversion();
    planned.cost = *cost;
    planned.targetOp = &row;
    planned.words = llvm::divideCeil(
        placed(move.destination).numRegisters() * move.bits, 32);
  }
  return planned;
}

LayoutCosts::Conversion
LayoutCosts::conversionOf(Value value, VectorLayoutInterface source,
                          VectorLayoutInterface destination, bool exact) {
  if (source == destination)
    return {};
  // A value just read from memory has its latency anyway.
  Type element = getElementTypeOrSelf(value.getType());
  Operation *maker = value.getDefiningOp();
  // No instruction converts a value that another one extends.
  bool isExtended = maker && isExactExtension(maker);
  Move move{source, destination, movedBitsOf(value),
            !isa_and_nonnull<vector::TransferReadOp>(maker),
            isExtended ? Type() : element};
  // The available instructions depend on the type.
  auto &known = conversions[{source, destination}];
  auto [it, inserted] =
      known.try_emplace(std::pair(target.ops.empty() ? Type() : move.element,
                                  2 * move.bits + move.computed),
                        Conversion());
  if (inserted)
    it->second = cheapest(move, bound(move));
  if (exact && it->second.isBound)
    it->second = cheapest(move, priced(move));
  return it->second;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

const std::optional<VectorAccess> &LayoutCosts::accessAt(Operation *op) {
  auto [it, isNew] = accesses.try_emplace(op);
  if (isNew)
    it->second = accessOf(op, target);
  return it->second;
}

/// Returns the row length of memory whose rows the kernel places: its
/// allocations and its arguments in workgroup memory, if the type gives no
/// strides. Returns 0 for other memory.
static int64_t ownRow(Value memref) {
  while (auto view = memref.getDefiningOp<memref::SubViewOp>())
    memref = view.getSource();
  auto type = dyn_cast<MemRefType>(memref.getType());
  if (!type || !type.getLayout().isIdentity() || !type.hasStaticShape() ||
      type.getRank() < 2 || type.getShape().back() < 2)
    return 0;
  bool isOwn =
      isFunctionArgument(memref) || memref.getDefiningOp<memref::AllocOp>();
  return isOwn ? type.getShape().back() : 0;
}

static int64_t ownRowOf(Operation *op) {
  for (Value operand : op->getOperands())
    if (isa<MemRefType>(operand.getType()))
      if (int64_t row = ownRow(operand))
        return row;
  return 0;
}

/// Returns whether matrix loads read tiles, whose rows should lie in different
/// banks.
static bool isTiled(Operation *op, const VectorAccess &access,
                    const Layout &layout, HardwareShape hardware,
                    const BankModel &banks) {
  return op->getNumResults() == 1 &&
         llvm::any_of(
             sharedLoadsOf(layout, hardware, access.elementBits, banks),
             [&](const MatrixTiles &tiles) {
               return tiles.rowDim == access.order.front();
             });
}

int64_t LayoutCosts::wavefrontsOf(Operation *op, const VectorAccess &access,
                                  VectorLayoutInterface attr) {
  const Layout &layout = placed(attr);
  const BankModel &banks = target.banks;
  int64_t bytes = llvm::divideCeil(access.elementBits, 8);
  int64_t ideal =
      llvm::divideCeil(layout.numRegisters() * hardware.lanes * bytes,
                       banks.banks * banks.bankBytes);
  if (access.strides.empty() || access.order.empty() ||
      isTiled(op, access, layout, hardware, banks))
    return ideal;
  int64_t width = accessWidthOf(layout, access, banks);
  auto countOf = [&](ArrayRef<int64_t> strides) {
    return distaff::wavefrontsOf(layout, hardware.lanes, strides, bytes, width,
                                 banks);
  };
  int64_t wavefronts = countOf(access.strides);
  // Rows of the kernel's own buffers will get the best padding.
  if (int64_t row = ownRowOf(op))
    for (int64_t apart : {4, 8, 16, 32, 64}) {
      if (apart % (width * bytes) != 0)
        continue;
      SmallVector<int64_t> strides(access.strides);
      for (int64_t &stride : strides)
        if (stride % row == 0)
          stride += stride / row * (apart / bytes);
      wavefronts = std::min(wavefronts, countOf(strides));
    }
  return wavefronts;
}

/// Returns the count of distaff::costOfAccess for any layout: the lines that
/// the lanes touch at once.
static int64_t costOfDigits(const VectorAccess &access, const Layout &layout,
                            int64_t lanes, const Target &target) {
  const GlobalMemoryModel &memory = target.globalMemory;
  int64_t bytes = llvm::divideCeil(access.elementBits, 8);
  int64_t registers = 1, width = 1;
  for (unsigned dim : access.order) // broadcast dims are read once
    for (const Digit &digit : layout.digits(dim))
      if (digit.axis == Axis::Register)
        registers *= digit.size;
  ArrayRef<Digit> digits = layout.digits(access.order.front());
  if (access.contiguous && !digits.empty() &&
      digits.back().axis == Axis::Register)
    while (2 * width * bytes * 8 <= memory.maxAccessBits &&
           2 * width <= access.widest && digits.back().size % (2 * width) == 0)
      width *= 2;
  llvm::DenseSet<int64_t> lines;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    int64_t offset = 0;
    for (auto [index, stride] :
         llvm::zip_equal(layout.indexOf({0, lane, 0}), access.strides))
      offset += index * stride * bytes;
    lines.insert(offset / memory.lineBytes);
  }
  return registers / width * target.costOfAccess(lines.size());
}

/// Returns the layout in which lanes address the rows of a global read if they
/// hold the columns; nullopt if no load transposes it.
static std::optional<Layout> rowsOfGlobalRead(Operation *op,
                                              const VectorAccess &access,
                                              const Layout &layout,
                                              HardwareShape hardware,
                                              const Target &target) {
  auto read = dyn_cast<vector::TransferReadOp>(op);
  if (!read || read.getMask() || read.hasOutOfBoundsDim() ||
      !isa<MemRefType>(read.getBase().getType()) || !access.contiguous ||
      access.order.empty() || access.strides.empty() ||
      access.order.size() != size_t(layout.rank()))
    return std::nullopt;
  auto tiles = MatrixTiles::get(layout, hardware, access.elementBits,
                                target.globalTransposingLoad);
  if (!tiles || tiles->rowDim != access.order.front() ||
      !hasAlignedRows(read, tiles->spokenBytes(),
                      target.globalMemory.baseAlignmentBytes))
    return std::nullopt;
  return tiles->rows;
}

int64_t LayoutCosts::costOfAccess(Operation *op, VectorLayoutInterface layout) {
  const std::optional<VectorAccess> &access = accessAt(op);
  auto nested = dyn_cast<NestedLayoutAttr>(layout);
  // Parts of a byte cannot be accessed, at any cost.
  constexpr int64_t refused = int64_t(1) << 40;
  if (access && access->narrowest != 1 &&
      !(nested && holdsNarrowest(*access, nested.getNested())))
    return refused;
  if (access && accessesWorkgroupMemory(op) &&
      (nested || !access->order.empty()))
    return wavefrontsOf(op, *access, layout) * target.costs.sharedWavefront;
  if (access && target.globalTransposingLoad.columns != 0)
    if (auto rows =
            rowsOfGlobalRead(op, *access, placed(layout), hardware, target))
      return costOfDigits(*access, *rows, hardware.lanes, target);
  // With instructions that permute lanes, digit layouts are common.
  if (access && !nested && !target.ops.empty() && !access->order.empty() &&
      !access->strides.empty())
    return costOfDigits(*access, placed(layout), hardware.lanes, target);
  if (!access || !nested) // one scalar access of every lane per register
    return registersOf(layout) * target.costOfAccess(hardware.lanes);
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
      // Other sizes combine down a tree and broadcast the result.
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
            2 * costs.barrier + target.issue.meetingLatency + costOfRoom();
  return cost;
}

/// Returns the number of registers along the dims that are not reduced.
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

int64_t LayoutCosts::costOfScan(VectorLayoutInterface source, int64_t dim,
                                Type element) {
  llvm::SmallBitVector along(placed(source).rank());
  along.set(dim);
  return registersOf(source) +
         costOfExchange(source, along, keptRegisters(placed(source), along),
                        getElementTypeOrSelf(element));
}

/// Lanes whose number is no power of two pass values and positions of 64 bits
/// around a ring. A lane selects a value and then its position by a condition
/// per element; conditions beyond the scalar registers are spilled (VX-295).
int64_t LayoutCosts::costOfArgCompare(VectorLayoutInterface source,
                                      ArgCompareOp op) {
  int64_t dim = op.getDimension();
  Type element = getElementTypeOrSelf(op.getInputValue().getType());
  const Layout &layout = placed(source);
  llvm::SmallBitVector along(layout.rank());
  along.set(dim);
  int64_t words = llvm::divideCeil(elementBitsOf(element), 32) + 2;
  int64_t ring = 0;
  for (const Digit &digit : layout.digits(dim))
    if (digit.axis == Axis::Lane && !llvm::isPowerOf2_64(digit.size))
      ring += digit.size;
  int64_t perMask = llvm::divideCeil(target.subgroupSize, 32);
  int64_t masks = target.laneMasks == 0 ? 0 : registersOf(source);
  return costOfScan(source, dim, element) +
         costOfSpills(perMask * (masks - target.laneMasks)) +
         ring * keptRegisters(layout, along) * words *
             (target.costs.shuffle + 1);
}

/// Values that take more than half the registers cause spills of others.
int64_t LayoutCosts::costOfRegisters(VectorLayoutInterface layout,
                                     Type element) {
  int64_t words =
      llvm::divideCeil(registersOf(layout) * elementBitsOf(element), 32);
  return costOfSpills(words - availableRegisters() / 2);
}

int64_t distaff::slotsPerRegister(Operation *op, const IssueModel &issue) {
  if (isExactExtension(op) || isa<arith::TruncFOp, arith::TruncIOp>(op))
    return 1;
  if (isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
          arith::RemUIOp, arith::RemFOp>(op))
    return issue.division;
  bool isFunction =
      op->getDialect() && op->getDialect()->getNamespace() == "math";
  return isFunction ? issue.function : 1;
}

/// Returns whether an extension that only contractions use is part of their
/// instruction.
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
  if (const TargetOp *row = candidate.targetOp)
    return cost +
           issuesOf(*row, placed(candidate.operands.front())) * row->issueCost;
  if (accessAt(op))
    return cost + costOfAccess(op, candidate.results.empty()
                                       ? candidate.operands.front()
                                       : candidate.results.front());
  if (isa<vector::ContractionOp, core::ContractOp>(op))
    return cost + costOfContraction(node, candidate);
  if (isa<vector::MultiDimReductionOp, vector::ReductionOp>(op))
    return cost + costOfReduction(op, candidate.operands.front());
  if (auto scan = dyn_cast<vector::ScanOp>(op))
    return cost + costOfScan(candidate.operands.front(), scan.getReductionDim(),
                             scan.getSourceType().getElementType());
  if (auto compare = dyn_cast<ArgCompareOp>(op))
    return cost + costOfArgCompare(candidate.operands.front(), compare);
  if (isa<vector::TransposeOp, vector::BroadcastOp, vector::ShapeCastOp,
          vector::BitCastOp>(op))
    return cost; // renames registers
  if (auto extract = dyn_cast<vector::ExtractOp>(op)) {
    // The lanes that hold the position send it to the others.
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
  return cost + slotsPerRegister(op, target.issue) * registersOf(widest);
}
