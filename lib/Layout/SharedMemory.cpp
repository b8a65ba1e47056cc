//===- SharedMemory.cpp - Search for plans through shared memory ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Searches the memory layout and the vector widths of a T3 conversion (VX-44,
// VX-47).
//
// Candidates are few and cheap to price. All are *additive*: the offset of a
// place is the sum (with an XOR swizzle: the exclusive or) of the contributions
// of subgroup, lane and register. Then moving a whole phase by the offset of
// another register or subgroup rotates (XORs) the banks and changes no
// conflict, so one access of each kind stands for all, and exact wavefronts
// need w offsets instead of one per element.
//
//     any sizes        each dim as the innermost one, plain or with padded rows
//     powers of two    the same with XOR swizzles, and the orders of index bits
//                      that are conflict free by construction (MemoryBits.cpp)
//
// A candidate's cost is its wavefronts and the byte permutes between the order
// of the memory and that of the registers.
//
//===----------------------------------------------------------------------===//

#include "SharedMemory.h"
#include "DigitSums.h"
#include "MemoryBits.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

#include <cassert>
#include <tuple>

using namespace distaff;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {

/// The indices that the ids of one axis hold in a layout.
struct AxisIndices {
  /// The part of the index, by dim and id.
  SmallVector<SmallVector<int64_t>> byDim;
  /// Whether no smaller id holds the same.
  SmallVector<bool> isFirst;

  AxisIndices(const Layout &layout, Axis axis, int64_t ids) {
    SmallVector<int64_t> first(ids, 0);
    for (int64_t dim = 0; dim < layout.rank(); ++dim) {
      SmallVector<int64_t> &along = byDim.emplace_back(ids, 0);
      int64_t weight = 1;
      for (const Digit &digit : llvm::reverse(layout.digits(dim))) {
        if (digit.axis == axis) {
          addDigit(along, digit.stride, digit.size, weight);
          addDigit(first, digit.stride, digit.size, digit.stride);
        }
        weight *= digit.size;
      }
    }
    for (auto [id, least] : llvm::enumerate(first))
      isFirst.push_back(least == static_cast<int64_t>(id));
  }

  /// Returns the indices as offsets in a memory layout with these summands.
  SmallVector<int64_t> offsets(const MemoryLayout &memory,
                               ArrayRef<SmallVector<int64_t>> summands) const {
    SmallVector<int64_t> offsets(isFirst.size(), 0);
    for (auto [indices, summand] : llvm::zip_equal(byDim, summands))
      if (summand.size() > 1)
        for (auto [offset, index] : llvm::zip_equal(offsets, indices))
          offset += summand[index];
    for (int64_t &offset : offsets) {
      offset = memory.swizzle(offset);
      assert(offset >= 0 && offset < memory.numElements &&
             "each element lies within the buffer");
    }
    return offsets;
  }
};

/// The indices of one layout, axis by axis, and whether only canonical lanes
/// take part.
struct Side {
  AxisIndices subgroup, lane, reg;
  bool canonicalOnly;

  Side(const Layout &layout, HardwareShape hardware, bool canonicalOnly)
      : subgroup(layout, Axis::Subgroup, hardware.subgroups),
        lane(layout, Axis::Lane, hardware.lanes),
        reg(layout, Axis::Register, layout.numRegisters()),
        canonicalOnly(canonicalOnly) {}

  bool takesPart(const AxisIndices &axis, int64_t id) const {
    return !canonicalOnly || axis.isFirst[id];
  }
};

/// The offsets of one side in a memory layout.
struct SideOffsets {
  SmallVector<int64_t> subgroup, lane, reg;

  SideOffsets(const Side &side, const MemoryLayout &memory,
              ArrayRef<SmallVector<int64_t>> summands)
      : subgroup(side.subgroup.offsets(memory, summands)),
        lane(side.lane.offsets(memory, summands)),
        reg(side.reg.offsets(memory, summands)) {}
};

/// The rank that the search minimises: issue slots, address operations, bytes.
using PlanRank = std::tuple<int64_t, int64_t, int64_t>;

class Search {
public:
  Search(const Layout &src, const Layout &dst, HardwareShape hardware,
         int64_t elementBytes, const BankModel &banks, int64_t maxBytes,
         const MoveCosts &costs, const OperandOrder &loadOrder = {})
      : src(src, hardware, /*canonicalOnly=*/true),
        dst(dst, hardware, /*canonicalOnly=*/false), hardware(hardware),
        elementBytes(elementBytes), banks(banks), maxBytes(maxBytes),
        costs(costs), loadOrder(loadOrder), shape(src.shape()) {}

  SharedMemoryPlan run(const Layout &source, const Layout &destination);

  /// Runs the search among plans that move these rows at once; returns nothing
  /// if there is none.
  std::optional<SharedMemoryPlan> runWithRows(const Layout &source,
                                              const Layout &destination,
                                              int64_t storeRow,
                                              int64_t loadRow);

private:
  void tryAll(const Layout &source, const Layout &destination,
              ArrayRef<MemoryBits> bits);
  SharedMemoryPlan judge(MemoryLayout memory, int64_t maxWidth) const;
  SharedAccess access(const Side &side, const MemoryLayout &memory,
                      ArrayRef<SmallVector<int64_t>> summands,
                      int64_t maxWidth) const;
  void countWavefronts(const Side &side, const SideOffsets &offsets,
                       bool swizzled, SharedAccess &access) const;
  bool consider(SharedMemoryPlan plan);
  bool consider(MemoryLayout memory, int64_t maxWidth) {
    return consider(judge(std::move(memory), maxWidth));
  }
  bool tryPadding(ArrayRef<int64_t> order, int64_t width);
  void trySwizzles(const MemoryLayout &plain, int64_t width);
  void tryDims(ArrayRef<int64_t> order, bool powersOfTwo);

  int64_t widestAccess() const {
    return std::max<int64_t>(1, banks.maxAccessBytes / elementBytes);
  }

  Side src, dst;
  HardwareShape hardware;
  int64_t elementBytes;
  BankModel banks;
  int64_t maxBytes; // 0: any
  MoveCosts costs;
  OperandOrder loadOrder;
  SmallVector<int64_t> shape;
  /// Whether only candidates without conflicts compete, because there is one:
  /// with replicated lanes a conflict may come with fewer, wider accesses
  /// (VX-46).
  bool conflictFreeOnly = false;
  /// Registers that must be accessed at once; 0: any.
  int64_t storeRow = 0, loadRow = 0;
  std::optional<SharedMemoryPlan> best;
  PlanRank bestRank;
};

} // namespace

//===----------------------------------------------------------------------===//
// Pricing a candidate
//===----------------------------------------------------------------------===//

/// Returns whether every lane's registers, in this order, lie in runs of
/// `width`, a power of two, consecutive, aligned offsets.
static bool supportsWidth(const SideOffsets &offsets,
                          ArrayRef<int64_t> registers, int64_t width) {
  if (registers.size() % width != 0)
    return false;
  auto aligned = [&](int64_t offset) { return (offset & (width - 1)) == 0; };
  if (!llvm::all_of(offsets.subgroup, aligned) ||
      !llvm::all_of(offsets.lane, aligned))
    return false;
  for (size_t begin = 0; begin < registers.size(); begin += width) {
    int64_t first = offsets.reg[registers[begin]];
    if (!aligned(first))
      return false;
    for (int64_t i = 1; i < width; ++i)
      if (offsets.reg[registers[begin + i]] != first + i)
        return false;
  }
  return true;
}

/// Counts operations that compute the addresses of all accesses from a thread's
/// ids: the base, swizzled or not, serves every access at a displacement; where
/// a register changes bits that ids change too, an XOR replaces the
/// displacement.
static int64_t countAddressOps(const SideOffsets &offsets,
                               const SharedAccess &access, bool swizzled) {
  if (!swizzled)
    return 1;
  int64_t idBits = 0;
  for (int64_t offset :
       llvm::concat<const int64_t>(offsets.subgroup, offsets.lane))
    idBits |= offset;
  llvm::SmallDenseSet<int64_t> changed;
  for (size_t at = 0; at < access.registers.size(); at += access.width)
    if (int64_t bits = offsets.reg[access.registers[at]] & idBits)
      changed.insert(bits);
  return 3 + changed.size(); // the swizzle adds a shift, a mask and an XOR
}

SharedAccess Search::access(const Side &side, const MemoryLayout &memory,
                            ArrayRef<SmallVector<int64_t>> summands,
                            int64_t maxWidth) const {
  SideOffsets offsets(side, memory, summands);
  SharedAccess result;
  result.registers = llvm::to_vector(llvm::seq<int64_t>(offsets.reg.size()));
  if (!llvm::is_sorted(offsets.reg))
    llvm::sort(result.registers, [&](int64_t a, int64_t b) {
      return offsets.reg[a] < offsets.reg[b];
    });
  result.width = maxWidth;
  assert(llvm::isPowerOf2_64(maxWidth) && "a width is halved down to 1");
  while (!supportsWidth(offsets, result.registers, result.width))
    result.width /= 2;
  countWavefronts(side, offsets, !memory.swizzle.isNone(), result);
  result.addressOps =
      countAddressOps(offsets, result, !memory.swizzle.isNone());
  return result;
}

void Search::countWavefronts(const Side &side, const SideOffsets &offsets,
                             bool swizzled, SharedAccess &access) const {
  int64_t accessBytes = access.width * elementBytes;
  // Another register may move an access narrower than a word within its word;
  // then each position in the word is a kind of its own. XOR keeps words
  // together.
  int64_t kinds =
      swizzled ? 1 : std::max<int64_t>(1, banks.bankBytes / accessBytes);
  // Offsets of subgroups and of first registers are multiples of the width.
  SmallVector<int64_t> accessesOfKind(kinds, 0), ofOneSubgroup(kinds, 0);
  for (int64_t i = 0, r = offsets.reg.size(); i < r; i += access.width)
    ++ofOneSubgroup[offsets.reg[access.registers[i]] / access.width % kinds];
  for (auto [subgroup, offset] : llvm::enumerate(offsets.subgroup))
    if (side.takesPart(side.subgroup, subgroup))
      for (int64_t kind = 0; kind < kinds; ++kind)
        accessesOfKind[(offset / access.width + kind) % kinds] +=
            ofOneSubgroup[kind];

  int64_t perPhase = banks.lanesPerPhase(accessBytes);
  int64_t lanes = offsets.lane.size();
  for (auto [kind, count] : llvm::enumerate(accessesOfKind)) {
    if (count == 0)
      continue;
    access.requests += count;
    for (int64_t begin = 0; begin < lanes; begin += perPhase) {
      SmallVector<int64_t, 64> bytes;
      for (int64_t l = begin, end = std::min(lanes, begin + perPhase); l < end;
           ++l)
        if (side.takesPart(side.lane, l))
          bytes.push_back((offsets.lane[l] + int64_t(kind) * access.width) *
                          elementBytes);
      access.wavefronts += count * banks.wavefronts(bytes, accessBytes);
      access.ideal += bytes.empty() ? 0 : count;
    }
  }
  assert(access.ideal <= access.wavefronts && "conflicts take more, not less");
}

SharedMemoryPlan Search::judge(MemoryLayout memory, int64_t maxWidth) const {
  SharedMemoryPlan plan;
  SmallVector<SmallVector<int64_t>> summands = memory.summands();
  plan.store = access(src, memory, summands, maxWidth);
  plan.load = access(dst, memory, summands, maxWidth);
  plan.elementBytes = elementBytes;
  plan.bytes = memory.numElements * elementBytes;
  plan.movedWords = countMovedWords(plan.load, loadOrder, elementBytes);
  plan.memory = std::move(memory);
  return plan;
}

/// Returns the wavefronts that a side loses to conflicts.
static int64_t excess(const SharedAccess &access) {
  return access.wavefronts - access.ideal;
}

/// Returns whether every access moves `row` registers in their order; 0:
/// always.
static bool movesRows(const SharedAccess &access, int64_t row) {
  if (row == 0)
    return true;
  if (access.width != row)
    return false;
  for (auto [at, reg] : llvm::enumerate(access.registers))
    if (reg % row != static_cast<int64_t>(at) % row)
      return false;
  return true;
}

/// Counts byte permutes between the registers of a lane and its accesses.
static int64_t countPermutes(const SharedAccess &access, bool loads,
                             int64_t elementBytes) {
  int64_t registers = access.registers.size();
  int64_t perWord = std::max<int64_t>(1, 4 / elementBytes);
  if (access.width <
      perWord) // each access puts a part into a word, or takes it
    return registers - llvm::divideCeil(registers, perWord);
  SmallVector<int64_t> source(access.registers);
  if (loads)
    for (auto [at, reg] : llvm::enumerate(access.registers))
      source[reg] = at;
  return countBytePermutes(source, 8 * elementBytes);
}

int64_t distaff::countBytePermutes(const SharedMemoryPlan &plan) {
  int64_t permutes = 0;
  if (!plan.storeTiles)
    permutes += countPermutes(plan.store, /*loads=*/false, plan.elementBytes);
  if (!plan.loadTiles)
    permutes += countPermutes(plan.load, /*loads=*/true, plan.elementBytes);
  return permutes;
}

int64_t distaff::countMovedWords(const SharedAccess &load,
                                 const OperandOrder &order,
                                 int64_t elementBytes) {
  int64_t perWord = std::max<int64_t>(1, 4 / elementBytes);
  if (order.registers.empty() || load.width <= perWord)
    return 0;
  SmallVector<int64_t> standing(order.registers.size());
  for (auto [at, reg] : llvm::enumerate(order.registers))
    if (reg != OperandOrder::ofOtherSlice)
      standing[reg] = at;
  // Returns whether the register at `next` follows in the machine.
  auto follows = [&](int64_t at, int64_t next) {
    bool ends = (at + perWord) % order.perOperand == 0;
    return ends ? next % order.perOperand == 0 : next == at + perWord;
  };
  int64_t moved = 0;
  for (size_t begin = 0; begin < load.registers.size(); begin += load.width)
    for (int64_t i = 0; i + perWord < load.width; i += perWord)
      if (!follows(standing[load.registers[begin + i]],
                   standing[load.registers[begin + i + perWord]])) {
        moved += load.width / perWord;
        break;
      }
  return moved;
}

/// Returns the rank of a plan. Its slots are those of wavefronts, byte permutes
/// and moves.
static PlanRank rankOf(const SharedMemoryPlan &plan, HardwareShape hardware,
                       const MoveCosts &costs) {
  int64_t wavefronts = plan.store.wavefronts + plan.load.wavefronts;
  return {wavefronts * costs.sharedWavefront +
              hardware.subgroups * (countBytePermutes(plan) + plan.movedWords) *
                  costs.bytePermute,
          plan.addressOps(), plan.bytes};
}

bool distaff::isBetter(const SharedMemoryPlan &plan,
                       const SharedMemoryPlan &other, HardwareShape hardware,
                       const MoveCosts &costs) {
  return rankOf(plan, hardware, costs) < rankOf(other, hardware, costs);
}

static bool hasConflicts(const SharedMemoryPlan &plan) {
  return excess(plan.store) + excess(plan.load) > 0;
}

/// Keeps the plan if it is the best so far. Returns whether it may be chosen
/// and has no conflicts.
bool Search::consider(SharedMemoryPlan plan) {
  bool isTooLarge =
      maxBytes != 0 && plan.memory.padding != 0 && plan.bytes > maxBytes;
  bool conflicts = hasConflicts(plan);
  if (isTooLarge || (conflictFreeOnly && conflicts) ||
      !movesRows(plan.store, storeRow) || !movesRows(plan.load, loadRow))
    return false;
  PlanRank rank = rankOf(plan, hardware, costs);
  if (!best || rank < bestRank) {
    best = std::move(plan);
    bestRank = rank;
  }
  return !conflicts;
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

/// Tries rows padded by up to one phase, the least padding first. Returns
/// whether one has no conflicts: it is better than any with longer rows, whose
/// accesses are as wide.
bool Search::tryPadding(ArrayRef<int64_t> order, int64_t width) {
  for (int64_t units = 1; units * width * elementBytes <= banks.phaseBytes;
       units += units < 8 ? 1 : units)
    if (consider(MemoryLayout::ofDims(shape, order, units * width), width))
      return true;
  return false;
}

void Search::trySwizzles(const MemoryLayout &plain, int64_t width) {
  int64_t base = llvm::Log2_64(width);
  int64_t slotBits = llvm::Log2_64(std::max<int64_t>(
      1, banks.phaseBytes / std::max(width * elementBytes, banks.bankBytes)));
  int64_t rowBits = llvm::Log2_64(plain.digits.front().size);
  int64_t totalBits = llvm::Log2_64(plain.numElements);
  for (int64_t bits = slotBits; bits > 0; --bits)
    for (int64_t shift : {rowBits - base, slotBits}) {
      if (shift < bits || base + shift + bits > totalBits)
        continue;
      MemoryLayout swizzled = plain;
      swizzled.swizzle = {bits, base, shift};
      consider(std::move(swizzled), width);
    }
}

/// Tries dims in this order: plain, and if that has conflicts, with padded
/// rows, and if those have, with swizzles of rows, which take more address
/// operations.
void Search::tryDims(ArrayRef<int64_t> order, bool powersOfTwo) {
  MemoryLayout plain = MemoryLayout::ofDims(shape, order);
  SharedMemoryPlan plan = judge(plain, widestAccess());
  int64_t width = std::max(plan.store.width, plan.load.width);
  bool isDone = !hasConflicts(plan) || plain.digits.size() < 2;
  consider(std::move(plan));
  if (isDone)
    return;
  if (!tryPadding(order, width) && powersOfTwo)
    trySwizzles(plain, width);
}

void Search::tryAll(const Layout &source, const Layout &destination,
                    ArrayRef<MemoryBits> bits) {
  for (int64_t innermost = shape.size() - 1; innermost >= 0; --innermost) {
    if (shape[innermost] == 1)
      continue;
    SmallVector<int64_t> order;
    for (int64_t dim = 0, rank = shape.size(); dim < rank; ++dim)
      if (dim != innermost)
        order.push_back(dim);
    order.push_back(innermost);
    tryDims(order, /*powersOfTwo=*/!bits.empty());
  }
  for (const MemoryBits &order : bits) {
    consider(order.memory, order.width);
    if (order.width != widestAccess())
      consider(order.memory, widestAccess());
  }
  // Single words have no neighbours that the instruction does not take
  // (VX-253).
  if (!best || best->movedWords == 0)
    return;
  BankModel ofWords = banks;
  ofWords.maxAccessBytes = std::max(elementBytes, banks.bankBytes);
  for (const MemoryBits &order :
       MemoryBits::get(source, destination, elementBytes, ofWords))
    consider(order.memory, order.width);
}

SharedMemoryPlan Search::run(const Layout &source, const Layout &destination) {
  SmallVector<MemoryBits, 3> bits =
      MemoryBits::get(source, destination, elementBytes, banks);
  conflictFreeOnly =
      !bits.empty() && bits[0].width * elementBytes >= banks.bankBytes;
  tryAll(source, destination, bits);
  if (!best) // One element.
    consider(MemoryLayout::ofDims(shape, {}), 1);
  return *best;
}

std::optional<SharedMemoryPlan> Search::runWithRows(const Layout &source,
                                                    const Layout &destination,
                                                    int64_t storeRow,
                                                    int64_t loadRow) {
  this->storeRow = storeRow;
  this->loadRow = loadRow;
  tryAll(source, destination,
         MemoryBits::get(source, destination, elementBytes, banks));
  return std::move(best);
}

SharedMemoryPlan distaff::searchSharedMemory(
    const Layout &src, const Layout &dst, HardwareShape hardware,
    int64_t elementBytes, const BankModel &banks, int64_t maxBytes,
    const MoveCosts &costs, const OperandOrder &loadOrder) {
  assert(llvm::isPowerOf2_64(banks.banks) &&
         llvm::isPowerOf2_64(banks.bankBytes) && "banks are powers of two");
  return Search(src, dst, hardware, elementBytes, banks, maxBytes, costs,
                loadOrder)
      .run(src, dst);
}

std::optional<SharedMemoryPlan> distaff::searchSharedRows(
    const Layout &src, int64_t storeRow, const Layout &dst, int64_t loadRow,
    HardwareShape hardware, int64_t elementBytes, const BankModel &banks,
    int64_t maxBytes, const MoveCosts &costs) {
  return Search(src, dst, hardware, elementBytes, banks, maxBytes, costs)
      .runWithRows(src, dst, storeRow, loadRow);
}
