//===- Conversion.h - Layout conversion -------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A layout conversion moves a value from layout `src` to layout `dst`. Its
// *tier* is the least mechanism that can move every element from its place in
// `src` to its places in `dst` (spec 4.1):
//
//     T0   identity              every place already holds what it should
//     T1   register permutation  one renaming of registers, alike on all lanes
//     T1s  register select       each lane has its elements, but in registers
//                                that depend on the lane
//     T2   lane shuffle          elements stay inside their subgroup
//     T3   shared memory         store, synchronise, load
//
// `planConversion` classifies, prices every tier that is possible, and returns
// the cheapest one that the caller can emit, with the data that an emitter
// needs and the reasons why the others lost. A plan is data: Distribution emits
// it, Explain prints it, tests run it on element identities.
//
// Example: a 2x2 on 2 lanes, `⟨T[2,1]:[1,0] E[1,2]⟩` (a lane holds a row) to
// `⟨T[1,2]:[0,1] E[2,1]⟩` (a lane holds a column): lane 0 needs (1, 0), which
// lane 1 holds, so it is T2: one shuffle, for which LaneMoves.h has the plan.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LAYOUT_CONVERSION_H
#define DISTAFF_LAYOUT_CONVERSION_H

#include "distaff/Layout/BankModel.h"
#include "distaff/Layout/LaneMoves.h"
#include "distaff/Layout/Layout.h"
#include "distaff/Layout/MatrixTiles.h"
#include "distaff/Layout/MemoryLayout.h"
#include "distaff/Layout/MoveCosts.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace distaff {

/// The tiers in order of reach: each tier can do what the ones before it can.
enum class Tier : uint8_t {
  Identity,
  RegisterPermutation,
  RegisterSelect,
  LaneShuffle,
  SharedMemory
};

/// Returns "T0", "T1", "T1s", "T2" or "T3".
llvm::StringRef stringifyTier(Tier tier);
/// Returns "identity", "register permutation", ...
llvm::StringRef describeTier(Tier tier);

/// Returns the tier of spec 4.1. `why`, if given, receives per tier below the
/// result one sentence with the first place that it cannot serve.
/// \pre  src and dst have one shape and fit the hardware
Tier classifyConversion(const Layout &src, const Layout &dst,
                        HardwareShape hardware,
                        llvm::SmallVectorImpl<std::string> *why = nullptr);

/// Returns for each register of `dst` the register of `src` that holds, on the
/// same lane, its element `dstToSrc(index)`: a transpose, a broadcast, or
/// (identity map) a T1 conversion as a register renaming. Returns nothing if no
/// single renaming is right for all lanes.
/// \pre  dstToSrc maps dst's dims to src's, as a projected permutation
std::optional<llvm::SmallVector<int64_t>>
registerSource(const Layout &src, const Layout &dst, const DimMap &dstToSrc,
               HardwareShape hardware);

/// Returns that renaming where elements correspond by row-major position
/// (shape_cast).
std::optional<llvm::SmallVector<int64_t>>
registerSourceByPosition(const Layout &src, const Layout &dst,
                         HardwareShape hardware);

/// Describes one side of the round trip through shared memory.
struct SharedAccess {
  /// Elements per access; consecutive in memory and aligned to that.
  int64_t width = 1;
  /// Registers of a lane, all of them, in the order of access: access i moves
  /// registers [i * width, (i + 1) * width) of this list to or from consecutive
  /// offsets.
  llvm::SmallVector<int64_t> registers;
  /// Accesses of the workgroup's subgroups: one is a request for all of a
  /// subgroup's lanes.
  int64_t requests = 0;
  /// Bank passes over all accesses of the workgroup, and their number if there
  /// were no conflict.
  int64_t wavefronts = 0, ideal = 0;
  /// Integer operations of one lane for the bases of its addresses, to which
  /// constants are added.
  int64_t addressOps = 0;
};

/// Plans a conversion through shared memory. Canonical lanes store elements,
/// then a barrier, then every lane loads; elements narrower than a byte take
/// one.
///
/// A value that is too large goes through the same bytes in slices of its index
/// space, one after the other. `memory` then is the layout of a slice; an
/// element lies in it at its index modulo the slice's shape. The registers of
/// one access belong to one slice. Example, 8 f32 in two slices:
///
///     shape 8, slices {2}, memory.shape {4}, 16 bytes
///     store 0..3, barrier, load 0..3, barrier, store 4..7, barrier, load 4..7
struct SharedMemoryPlan {
  /// The limit of slices; more of them would be useless code.
  static constexpr int64_t maxPieces = 256;

  MemoryLayout memory;
  /// The number of slices per dim; empty: the value is one slice.
  llvm::SmallVector<int64_t> slices;
  int64_t elementBytes = 1;
  int64_t bytes = 0;
  /// Words of a lane that loads fill next to other words than an instruction
  /// takes them with (OperandOrder), so that each of them must be moved.
  int64_t movedWords = 0;
  SharedAccess store, load;
  /// The tiles of a side that matrix instructions access; its accesses above
  /// are those of the tiles' `rows`.
  std::optional<MatrixTiles> storeTiles, loadTiles;

  int64_t pieces() const;
  int64_t addressOps() const { return store.addressOps + load.addressOps; }
  /// Returns the slice that the element at `index` belongs to, per dim.
  llvm::SmallVector<int64_t> sliceOf(llvm::ArrayRef<int64_t> index) const;
  /// Returns the offset of the element at `index`, in elements.
  int64_t offsetOf(llvm::ArrayRef<int64_t> index) const;
};

/// Counts byte permutes of one lane: where the order of the memory is not that
/// of the registers on either side, words are assembled from parts of others.
int64_t countBytePermutes(const SharedMemoryPlan &plan);

/// Counts what a conversion executes, per lane except wavefronts (per
/// workgroup).
struct ConversionCounts {
  int64_t moves = 0;
  int64_t bytePermutes = 0;
  int64_t selects = 0;
  int64_t shuffleWords = 0;
  int64_t rounds = 0;
  /// Elements per shuffled word.
  int64_t packing = 1;
  int64_t sharedBytes = 0;
  int64_t wavefronts = 0;
  int64_t barriers = 0;
  int64_t addressOps = 0;
};

/// Describes the outcome of one tier: `reason` is empty for the chosen one,
/// else why it is impossible, not emitted, or dearer. A cost that was only
/// bounded from below (no need to search) has no counts, and its reason has "at
/// least".
struct TierReport {
  Tier tier = Tier::Identity;
  bool possible = false;
  ConversionCounts counts;
  int64_t cost = 0;
  bool isBound = false;
  std::string reason;
};

/// An operand order lists all registers of a lane in the order in which an
/// instruction takes them, `perOperand` at once from neighbouring registers of
/// the machine; none: no instruction does. Loads of several words fill
/// neighbouring registers, too.
struct OperandOrder {
  /// The entry in `registers` of a slice for elements of other slices.
  static constexpr int64_t ofOtherSlice = -1;

  llvm::ArrayRef<int64_t> registers = {};
  int64_t perOperand = 0;
};

struct ConversionOptions {
  /// Whether T3 is used even for equal layouts (`shared_memory_conversion` on
  /// the to_layout).
  bool forceShared = false;
  /// Registers of the source that an access must store, in their order: an
  /// asynchronous copy moves what is contiguous on both sides. 0: any.
  int64_t storeRow = 0;
  /// The order in which an instruction takes the destination.
  OperandOrder loadOrder = {};
  /// Tiers that the caller can emit beyond T0, T1 and T3.
  bool emitSelect = false;
  bool emitShuffle = false;
  /// Whether T3 is used only where nothing else moves the value, because
  /// threads have no common barrier or no memory for it.
  bool avoidShared = false;
  /// Shared memory that the conversion may take; 0: any amount. A larger value
  /// goes through it in slices, or else by element.
  int64_t sharedBytes = 0;
  /// Whether the plan has reasons why the other tiers lost
  /// (TierReport::reason).
  bool explains = true;
};

struct ConversionPlan {
  /// The tier to emit: the cheapest possible one of those that the caller can
  /// emit.
  Tier tier = Tier::Identity;
  /// The tier of spec 4.1, including tiers that the caller cannot emit.
  Tier classified = Tier::Identity;
  ConversionCounts counts;
  /// Issue slots per subgroup, for one execution.
  int64_t cost = 0;
  /// T0, T1: dst register -> src register.
  llvm::SmallVector<int64_t> registerSource;
  /// The moves of T1s and T2.
  std::optional<LaneMoves> moves;
  /// T3: the plan `shared`; or, where neither the whole nor slices of it fit,
  /// element by element, as many at once as fit.
  std::optional<SharedMemoryPlan> shared;
  bool byElement = false;
  /// Reports of the five tiers, in order.
  llvm::SmallVector<TierReport> tiers;
};

/// \pre  src and dst have one shape and fit the hardware (Layout::forTarget)
ConversionPlan planConversion(const Layout &src, const Layout &dst,
                              HardwareShape hardware, int64_t elementBits,
                              const MoveCosts &costs, const BankModel &banks,
                              const ConversionOptions &options = {});

/// Returns a lower bound of the cost of every plan of this tier, in far less
/// time than a plan takes.
/// \pre  tier is classifyConversion's
int64_t leastConversionCost(Tier tier, const Layout &src, const Layout &dst,
                            HardwareShape hardware, int64_t elementBits,
                            const MoveCosts &costs, const BankModel &banks);

/// Plans T3: searches memory orders, vector widths, padding and XOR swizzles
/// for the fewest issue slots of wavefronts and byte permutes, then the fewest
/// address operations, then the fewest bytes. Where sizes and strides are
/// powers of two and src and dst share vector bits of at least one bank's word,
/// both sides are conflict free. A conversion that does not fit goes in slices,
/// of which each takes two barriers: `costs` weighs these against accesses.
/// With a `storeRow` (ConversionOptions) the value is not sliced, and is stored
/// in such rows if possible. Matrix loads follow `loadOrder`, and other loads
/// keep words together that it takes together, or cost moves.
/// \post  bytes <= maxBytes, unless that is 0 or no slicing into `maxPieces`
///        makes it so; then the plan is that of the whole
SharedMemoryPlan planSharedMemory(const Layout &src, const Layout &dst,
                                  HardwareShape hardware, int64_t elementBits,
                                  const BankModel &banks, int64_t maxBytes = 0,
                                  const MoveCosts &costs = {},
                                  int64_t storeRow = 0,
                                  const OperandOrder &loadOrder = {});

} // namespace distaff

#endif // DISTAFF_LAYOUT_CONVERSION_H
