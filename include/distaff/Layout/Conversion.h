//===- Conversion.h - How a value changes its layout ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value laid out as `src` is wanted as `dst`. The *tier* of the conversion is
// the least that can move every element from where it is to where it is wanted
// (spec 4.1):
//
//     T0   identity              every place already holds what it should
//     T1   register permutation  one renaming of registers, alike on all lanes
//     T1s  register select       each lane has its elements, but in registers
//                                that depend on the lane
//     T2   lane shuffle          elements stay inside their subgroup
//     T3   shared memory         store, synchronise, load
//
// `planConversion` classifies, costs every tier that is possible, and returns
// the cheapest one that the caller can emit, with what an emitter needs and why
// the others lost. A plan is data: Distribution emits it, Explain prints it,
// tests run it on element identities.
//
// Example: a 2x2 on 2 lanes, `⟨T[2,1]:[1,0] E[1,2]⟩` (a lane holds a row) to
// `⟨T[1,2]:[0,1] E[2,1]⟩` (a lane holds a column): lane 0 wants (1, 0), which
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

/// In order of reach: each tier can do what the ones before it can.
enum class Tier : uint8_t {
  Identity,
  RegisterPermutation,
  RegisterSelect,
  LaneShuffle,
  SharedMemory
};

/// "T0", "T1", "T1s", "T2", "T3".
llvm::StringRef stringifyTier(Tier tier);
/// "identity", "register permutation", ...
llvm::StringRef describeTier(Tier tier);

/// The tier of spec 4.1. `why`, if given, receives per tier below the result
/// one sentence with the first place that it cannot serve.
/// \pre  src and dst have one shape and fit the hardware
Tier classifyConversion(const Layout &src, const Layout &dst,
                        HardwareShape hardware,
                        llvm::SmallVectorImpl<std::string> *why = nullptr);

/// For each register of `dst` the register of `src` that holds, on the same
/// lane, the element `dstToSrc(index)` that dst wants in it: a transpose, a
/// broadcast, or (identity map) a T1 conversion as a register renaming. Nothing
/// if no one renaming serves all lanes.
/// \pre  dstToSrc maps dst's dims to src's, as a projected permutation
std::optional<llvm::SmallVector<int64_t>>
registerSource(const Layout &src, const Layout &dst, const DimMap &dstToSrc,
               HardwareShape hardware);

/// The same where elements correspond by row-major position (shape_cast).
std::optional<llvm::SmallVector<int64_t>>
registerSourceByPosition(const Layout &src, const Layout &dst,
                         HardwareShape hardware);

/// One side of the round trip through shared memory.
struct SharedAccess {
  /// Elements per access; consecutive in memory and aligned to that.
  int64_t width = 1;
  /// All registers of a lane in the order in which they are accessed: access i
  /// moves registers [i * width, (i + 1) * width) of this list to or from
  /// consecutive offsets.
  llvm::SmallVector<int64_t> registers;
  /// Accesses that the workgroup's subgroups make: one is a request for all of
  /// a subgroup's lanes.
  int64_t requests = 0;
  /// Over all accesses of the workgroup: bank passes taken, and how few there
  /// would be without any conflict.
  int64_t wavefronts = 0, ideal = 0;
  /// Integer operations of one lane from which its addresses are
  /// displacements.
  int64_t addressOps = 0;
};

/// Elements are stored by canonical lanes, then a barrier, then every lane
/// loads; elements narrower than a byte take one.
///
/// A value that is too large goes through in slices of its index space, one
/// after the other through the same bytes. `memory` then is the layout of a
/// slice; an element lies in it at its index modulo the slice's shape. The
/// registers of one access belong to one slice. Example, 8 f32 in two slices:
///
///     shape 8, slices {2}, memory.shape {4}, 16 bytes
///     store 0..3, barrier, load 0..3, barrier, store 4..7, barrier, load 4..7
struct SharedMemoryPlan {
  /// More would be no code that anybody wants to run.
  static constexpr int64_t maxPieces = 256;

  MemoryLayout memory;
  /// Per dim, how many slices it is cut into; empty: the value is one piece.
  llvm::SmallVector<int64_t> slices;
  int64_t elementBytes = 1;
  int64_t bytes = 0;
  /// Words of a lane that loads bring beside others than an instruction takes
  /// them with (OperandOrder), which moves each of them.
  int64_t movedWords = 0;
  SharedAccess store, load;
  /// A side that goes by matrix instructions; its accesses above are those of
  /// the tiles' `rows`.
  std::optional<MatrixTiles> storeTiles, loadTiles;

  int64_t pieces() const;
  int64_t addressOps() const { return store.addressOps + load.addressOps; }
  /// The slice that the element at `index` belongs to, per dim.
  llvm::SmallVector<int64_t> sliceOf(llvm::ArrayRef<int64_t> index) const;
  /// Where the element at `index` lies, in elements.
  int64_t offsetOf(llvm::ArrayRef<int64_t> index) const;
};

/// Byte permutes of one lane: where the order of the memory is not that of the
/// registers on either side, words are put together from parts of others.
int64_t countBytePermutes(const SharedMemoryPlan &plan);

/// What a conversion executes, per lane but for wavefronts (per workgroup).
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

/// What became of one tier: `reason` is empty for the chosen one, else why it
/// is impossible, not emitted, or dearer. A cost that was only bounded from
/// below (no need to search) has no counts and says "at least" in the reason.
struct TierReport {
  Tier tier = Tier::Identity;
  bool possible = false;
  ConversionCounts counts;
  int64_t cost = 0;
  bool isBound = false;
  std::string reason;
};

/// All registers of a lane in the order in which an instruction takes them,
/// `perOperand` at once from neighbouring registers of the machine; none: no
/// instruction does. Loads of several words fill neighbouring registers, too.
struct OperandOrder {
  /// Stands in `registers` of a slice for what other slices hold.
  static constexpr int64_t ofOtherSlice = -1;

  llvm::ArrayRef<int64_t> registers = {};
  int64_t perOperand = 0;
};

struct ConversionOptions {
  /// `shared_memory_conversion` on the to_layout: T3 even for equal layouts.
  bool forceShared = false;
  /// Registers of the source that an access must store, in their order: an
  /// asynchronous copy moves what lies in one piece on both sides. 0: any.
  int64_t storeRow = 0;
  /// How an instruction takes the destination.
  OperandOrder loadOrder = {};
  /// Tiers that the caller can emit beyond T0, T1 and T3.
  bool emitSelect = false;
  bool emitShuffle = false;
  /// Where threads cannot meet, or have no memory to meet in: T3 only where
  /// nothing else moves the value.
  bool avoidShared = false;
  /// Shared memory that the conversion may take; 0: any amount. A value that is
  /// larger goes through it in pieces, or else by element.
  int64_t sharedBytes = 0;
  /// Whether the plan says why the other tiers lost (TierReport::reason).
  bool explains = true;
};

struct ConversionPlan {
  /// What to emit: the cheapest possible tier among those that may be.
  Tier tier = Tier::Identity;
  /// The tier of spec 4.1, whatever may be emitted.
  Tier classified = Tier::Identity;
  ConversionCounts counts;
  /// In issue slots per subgroup, for one execution.
  int64_t cost = 0;
  /// T0, T1: dst register -> src register.
  llvm::SmallVector<int64_t> registerSource;
  /// T1s, T2.
  std::optional<LaneMoves> moves;
  /// T3: what `shared` says; or, where neither the whole nor slices of it fit,
  /// one element after the other, as many at once as do.
  std::optional<SharedMemoryPlan> shared;
  bool byElement = false;
  /// All five tiers in order, for reports.
  llvm::SmallVector<TierReport> tiers;
};

/// \pre  src and dst have one shape and fit the hardware (Layout::forTarget)
ConversionPlan planConversion(const Layout &src, const Layout &dst,
                              HardwareShape hardware, int64_t elementBits,
                              const MoveCosts &costs, const BankModel &banks,
                              const ConversionOptions &options = {});

/// No plan of a conversion of this tier costs less. Found in far less time than
/// a plan.
/// \pre  tier is classifyConversion's
int64_t leastConversionCost(Tier tier, const Layout &src, const Layout &dst,
                            HardwareShape hardware, int64_t elementBits,
                            const MoveCosts &costs, const BankModel &banks);

/// The T3 part alone: searches memory orders, vector widths, padding and XOR
/// swizzles for the fewest issue slots of wavefronts and byte permutes, then
/// the fewest address operations, then the fewest bytes. Where sizes and
/// strides are powers of two and src and dst share vector bits of at least one
/// bank's word, both sides are conflict free. A conversion that does not fit
/// goes in slices, of which each takes two barriers: `costs` weighs these
/// against accesses. With a `storeRow` (ConversionOptions) the value goes
/// whole, and so stored if that can be. Matrix loads follow `loadOrder`, and
/// other loads bring words together that it takes together, or cost moves.
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
