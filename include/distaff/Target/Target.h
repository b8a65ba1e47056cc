//===- Target.h - What a GPU is, as data ------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A target is a table: how many lanes a subgroup has, how much memory there is,
// which matrix instructions (MMA) exist and which lane and register hold each
// element of their operands, and what things cost. Nothing here is MLIR, and
// nothing elsewhere asks `is this NVIDIA?`: it reads a field.
//
// The one definition is the fragment. An operand of an MMA is a small matrix;
// along each of its two dims an index is composed, outermost first, of an outer
// register digit, a lane digit and an inner register digit (the element):
//
//   index_d = (outer_d * thread[d] + lane_d) * element[d] + element_d
//   lane_d  = (lane / threadStrides[d]) % thread[d]
//
// Worked example, A (16x16, dims m, k) of mma.sync m16n8k16: outer 2x2, thread
// 8x4 with strides (4, 1), element 1x2. Lane 5 has m digit 1 and k digit 1, so
// with outer digits (o_m, o_k) = (1, 0) and element 1 it holds row 8 + 1 and
// column 2 + 1. The instruction numbers its registers (o_k, o_m, e), outermost
// first, so that is register 0*4 + 1*2 + 1 = 3.
//
// What you can do: look a target or an instruction up by name, walk all of
// them, and turn a fragment into a Layout (`layoutOf`), whose register numbers
// are the instruction's own.
//
// To add a target, write lib/Target/NAME.cpp with one constant and list it in
// lib/Target/Target.cpp; a program that uses Distaff as a library registers its
// own (`TargetRegistration`). To add an instruction, add a row.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_TARGET_TARGET_H
#define DISTAFF_TARGET_TARGET_H

#include "distaff/Layout/BankModel.h"
#include "distaff/Layout/Layout.h"
#include "distaff/Layout/MoveCosts.h"
#include "distaff/Target/NarrowFloat.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cassert>
#include <cstdint>

namespace distaff {

/// The element types that instruction tables speak of. A kind may say more than
/// the type of the elements that registers hold: TF32 and XF32 are f32 of which
/// the instruction reads the upper bits, U8 and U4 integers that it takes as
/// unsigned.
enum class ScalarKind : uint8_t {
  F16,
  BF16,
  F32,
  F64,
  TF32,
  XF32,
  F8E4M3FN,
  F8E5M2,
  F8E4M3FNUZ,
  F8E5M2FNUZ,
  I4,
  U4,
  I8,
  U8,
  I16,
  I32,
};

/// The kind's name, for messages and the names of rows: `f16`, `tf32`, `u8`.
llvm::StringRef nameOf(ScalarKind kind);

/// The name in IR of the type of the elements: `f32` for TF32, `i8` for U8.
llvm::StringRef elementNameOf(ScalarKind kind);

int64_t bitWidthOf(ScalarKind kind);
bool isInteger(ScalarKind kind);
bool isUnsigned(ScalarKind kind);
/// Elements are of 32 bits, of which the instruction drops some.
bool isReducedF32(ScalarKind kind);

/// How the blocks of an instruction that multiplies several pairs of matrices
/// lie in one operand: like a dim of one element whose outer digit is the
/// outermost of the register number.
struct FragmentBlocks {
  int64_t outer = 1, thread = 1, threadStride = 0;

  constexpr int64_t extent() const { return outer * thread; }
};

/// Who holds what of one operand of an MMA (see the head of this file).
/// Dims are (m, k) for A, (k, n) for B and (m, n) for C, which is also D. Lanes
/// that no digit tells apart hold the same.
struct Fragment {
  /// Digits of the register number, named by where they sit in an index.
  enum Digit : uint8_t { Outer0, Outer1, Element0, Element1 };

  int64_t outer[2];
  int64_t thread[2];
  int64_t threadStrides[2];
  int64_t element[2];
  /// The register digits in the instruction's order, outermost first.
  Digit registerOrder[4];
  /// The trailing dims of an operand of `iree_codegen.inner_tiled`: the
  /// registers of one lane in the instruction's order, as a 2-D shape.
  int64_t shape[2];
  FragmentBlocks blocks = {};

  constexpr int64_t extent(int dim) const {
    return outer[dim] * thread[dim] * element[dim];
  }
  constexpr int64_t numRegisters() const { return shape[0] * shape[1]; }
};

/// Which code in Conversion turns `inner_tiled` of a row into instructions.
enum class MmaEmitter : uint8_t {
  NvvmMmaSync, // nvvm.mma.sync; operands packed in words, integers wrap
  PtxMmaSync,  // the mnemonic as inline PTX
  RocdlMfma,   // rocdl.mfma.*; operands and results are 1-D vectors
  /// rocdl.mfma.scale.*; 8-bit operands in words, the scales are 1.
  RocdlMfmaScale,
  RocdlWmma,       // rocdl.wmma.*; 8-bit operands in words
  RocdlWmmaOpsel,  // the same with results of 16 bits
  RocdlWmmaHalves, // the same, a result in the lower half of each register
  RocdlWmmaInteger // rocdl.wmma.i32.*; says which operands have a sign
};

/// One MMA instruction: D = A * B + C with C and D of the same fragment. Some
/// multiply several blocks at once, each A, B and C of its own.
struct MmaRow {
  /// The kind in the inherited spelling, as in `#iree_gpu.mma_layout<NAME>`.
  llvm::StringLiteral name;
  /// What the emitter needs to name the instruction, e.g. the mnemonic in PTX
  /// or the ROCDL op.
  llvm::StringLiteral instruction;
  int64_t m, n, k;
  ScalarKind a, b, c;
  Fragment fragmentA, fragmentB, fragmentC;
  int64_t subgroupSize;
  /// Cycles one instruction of one subgroup occupies its unit, on the scale of
  /// MoveCosts; ranks instructions of one target against each other.
  int64_t issueCost;
  MmaEmitter emitter;
  int64_t blocks = 1;

  constexpr int64_t multiplyAdds() const { return blocks * m * n * k; }

  /// Several lanes hold the same elements of an operand.
  constexpr bool replicates() const {
    auto held = [&](const Fragment &fragment, int64_t elements) {
      return fragment.numRegisters() * subgroupSize > blocks * elements;
    };
    return held(fragmentA, m * k) || held(fragmentB, k * n) ||
           held(fragmentC, m * n);
  }
};

/// Which code in Conversion turns `distaff.target_op` of a row into
/// instructions.
enum class TargetOpEmitter : uint8_t {
  None,         // there is none: the row's target stops at `lower`
  PtxMovMatrix, // movmatrix as inline PTX
  RocdlSwap16,  // v_permlane16_swap of two words, or several swaps in turn
  RocdlSwap32,
  RocdlSwap32Then16,
  RocdlSwap16Then32,
  RocdlQuadPerm,   // DPP quad_perm of a word
  RocdlPermlane16, // v_permlane16 of a word
};

/// An instruction of a subgroup, other than an MMA, that does what an op of the
/// IR does and leaves its results in other places than that op would. One issue
/// takes a tile of each vector operand; a row says by element of the tile who
/// holds it before, and who holds afterwards what has become of it.
///
/// Example: an exp2 of 32 lanes whose lanes swap their outer and inner two bits
/// takes tiles of 32 elements,
///
///   operand   lane(4, 8) lane(2, 4) lane(4, 1)    element 9 = 1 0 1 on lane 9
///   result    lane(4, 1) lane(2, 4) lane(4, 8)    its exp2 on lane 1 + 8 * 1
///
/// and two of them in a row leave everything where it was.
struct TargetOp {
  llvm::StringLiteral name; // as in `#distaff.target_op<NAME>`
  /// The op that it does, whatever its attributes: an elementwise op, or one
  /// that renames elements, of which the instruction moves them.
  llvm::StringLiteral operation;
  ScalarKind operand, result;
  /// Of the tile; for reports.
  llvm::ArrayRef<int64_t> shape;
  /// The digits, outermost first, of an element's row-major number in the tile,
  /// read from lane and register: of each vector operand, and of the result.
  /// They tell all lanes of the subgroup apart.
  llvm::ArrayRef<llvm::ArrayRef<Digit>> operandPlaces;
  llvm::ArrayRef<Digit> resultPlaces;
  int64_t subgroupSize;
  /// Issue slots, on the scale of MoveCosts.
  int64_t issueCost;
  TargetOpEmitter emitter;
};

/// One instruction that converts two floats of 8 bits, each exactly or rounded
/// to the nearest even; a target that lacks it converts by integer code.
struct NarrowConversion {
  const NarrowFloat *narrow;
  ScalarKind wide;
  bool widens; // from 8 bits
  /// What is too large, infinity included, becomes the largest number; emission
  /// corrects it.
  bool saturates;
  /// The mnemonic in PTX or the ROCDL op.
  llvm::StringLiteral instruction;
};

/// Global memory. Costs are issue slots per subgroup on the scale of MoveCosts.
struct GlobalMemoryModel {
  int64_t sectorBytes;   // smallest unit of a memory transaction
  int64_t lineBytes;     // lanes that share a line share its transaction
  int64_t maxAccessBits; // widest load or store of one lane
  /// Bytes that the base of every argument and allocation is a multiple of; the
  /// kernel ABI and emission promise them.
  int64_t baseAlignmentBytes;
  int64_t issueCost;    // one load or store instruction
  int64_t sectorCost;   // one sector moved
  int64_t latency;      // cycles from a load to the first use of what it loads
  int64_t lineCost = 1; // one line beyond the first that an access touches
  int64_t addressedLanes = 64; // lanes whose addresses are taken at once
  /// Whether an access of several elements may begin at any of them, as in the
  /// alignment mode that HSA has AMD's GPUs in (LLVM's AMDGPUUsage,
  /// unaligned-access-mode).
  bool takesUnaligned = false;
};

/// How a compute unit issues instructions. Issue slots are of one issuer for
/// one subgroup, on the scale of MoveCosts; cycles are as long as one slot.
struct IssueModel {
  int64_t issuers;     // of a compute unit, each with subgroups of its own
  int64_t multiplyAdd; // slots of a * b + c in f32
  int64_t division;    // slots of one division or remainder
  int64_t function;    // slots of one op of the math dialect
  /// Cycles from a shuffle to the first use of its result.
  int64_t shuffleLatency;
  /// Cycles from where the subgroups of a workgroup exchange data to where the
  /// slowest has arrived and the data are back.
  int64_t meetingLatency;
  /// Workgroups are handed out one after the other, and each one starts cold:
  /// slots of the device per workgroup, and of its unit until it computes.
  int64_t handOut, start;
};

/// The instruction set family, which decides how code is emitted: a backend of
/// Pipelines takes the targets whose family has its name. A target of another
/// family compiles up to `lower` and runs on the SIMT machine.
struct Family {
  llvm::StringLiteral name;

  static const Family NVPTX, AMDGPU, Host;
  friend bool operator==(const Family &lhs, const Family &rhs) {
    return lhs.name == rhs.name;
  }
};
inline constexpr Family Family::NVPTX = {"nvptx"};
inline constexpr Family Family::AMDGPU = {"amdgpu"};
inline constexpr Family Family::Host = {"host"};

/// How the subgroups of a workgroup wait for each other.
struct BarrierModel {
  /// Barriers beside the one of all, numbered from 1, for some of them.
  int64_t named;
  /// Arriving and waiting are two instructions.
  bool isSplit;
  /// Whether loads of global memory stay behind a barrier that they come after,
  /// as they do behind the fence of LLVM's AMD barriers; ptxas issues them
  /// before.
  bool holdsLoads = false;
};

/// What the workgroups that a compute unit runs at a time share beside its
/// registers.
struct ResidencyModel {
  int64_t workgroups; // at most
  int64_t lanes;      // of all of them
  int64_t sharedBytes;
  int64_t sharedGranule;  // each gets a multiple of so many bytes
  int64_t sharedReserved; // bytes of each that are the system's
};

/// What an instruction on one vector register of a core costs, in quarters of a
/// cycle: how long it keeps its unit, not until its result is there.
struct SimdCosts {
  int64_t arithmetic;  // an addition, a multiply-add, a comparison, a choice
  int64_t division;    // or a square root
  int64_t load, store; // of a whole register, or of less without a mask
  int64_t maskedLoad, maskedStore;
  int64_t shuffle;   // of elements within one or two registers
  int64_t element;   // into a register, or out of it
  int64_t broadcast; // of one element that a register has
};

/// What a thread of a CPU has to have for the workgroups that it runs, and what
/// of it is for memory that a workgroup allocates, in bytes.
inline constexpr int64_t hostStackBytes = 2 << 20,
                         hostWorkgroupBytes = hostStackBytes - (128 << 10);

/// An instruction of a CPU that multiplies the parts of each word of 32 bits by
/// those of another vector's word, and adds up the products.
struct PackedDot {
  llvm::StringLiteral name; // as assemblers have it
  ScalarKind lhs, rhs;      // of the parts
  ScalarKind result;
  /// LLVM's, but for the bits of a vector; empty where LLVM selects the
  /// instruction for multiplications and additions.
  llvm::StringLiteral intrinsic = "";

  int64_t partsPerWord() const {
    assert(bitWidthOf(lhs) == bitWidthOf(rhs) && bitWidthOf(result) == 32 &&
           "parts of a word are alike, and their sum is a word");
    return 32 / bitWidthOf(lhs);
  }
};

/// Registers of a CPU that hold matrices of words, and what multiplies them: to
/// the word in row i and column j of a result it adds, as a PackedDot does, the
/// products of each word in row i of its left operand and the one in column j
/// of the same row of the right one.
struct MatrixUnit {
  int64_t registers = 0;       // none: there is no such unit
  int64_t rows = 0, words = 0; // of one; a row has so many words
  /// In quarters of a cycle, as SimdCosts: a product, a load of one, and from a
  /// product to one that adds to it.
  int64_t product = 0, load = 0, latency = 0;
  /// By the left operand's parts and the right one's, in this order.
  llvm::ArrayRef<PackedDot> dots = {};

  /// Whether a result of so many rows and words is of whole registers, of which
  /// there are enough for it, a column of the left operand's and a row of the
  /// right one's.
  constexpr bool holds(int64_t resultRows, int64_t resultWords) const {
    if (registers == 0 || resultRows % rows != 0 || resultWords % words != 0)
      return false;
    int64_t down = resultRows / rows, across = resultWords / words;
    return down > 0 && across > 0 && down * across + down + across <= registers;
  }
};

/// The vector unit of a CPU's core, and the memories near it. A GPU has none:
/// its lanes are its vector units.
struct SimdModel {
  int64_t vectorBits; // of one register
  int64_t registers;  // vectors that code can name
  /// One core's data caches.
  int64_t level1Bytes, level2Bytes;
  SimdCosts costs = {};
  /// Narrowest elements that loads and stores under a mask can tell apart.
  int64_t maskedBits = 32;
  /// Those with more parts in a word first.
  llvm::ArrayRef<PackedDot> packedDots = {};
  MatrixUnit matrices = {};
};

/// What a driver reports of a device, by which it is known to run code.
struct Capability {
  int64_t major, minor; // 0.0 where drivers go by the chip's name
  bool exact;           // code is for this capability alone
};

/// In place of LLVM's name for it: the chip that the compiler runs on.
inline constexpr llvm::StringLiteral nativeChip = "native";

struct Target {
  llvm::StringLiteral name; // what --target takes
  Family family;
  llvm::StringLiteral triple;   // LLVM's target triple
  llvm::StringLiteral chip;     // LLVM's -mcpu, or nativeChip
  llvm::StringLiteral features; // LLVM's -mattr
  Capability capability;
  int64_t subgroupSize;     // lanes per subgroup, w
  int64_t maxWorkgroupSize; // lanes per workgroup
  int64_t registersPerLane; // 32-bit registers one lane can address
  /// Of those, that only matrix instructions compute with: whatever else needs
  /// them copies from and to them.
  int64_t accumulationRegisters;
  int64_t registersPerUnit; // 32-bit registers of one compute unit
  int64_t registerGranule;  // a lane gets a multiple of so many
  /// Registers of a lane that hold no vectors but addresses and loop counters.
  int64_t overheadRegisters;
  /// Registers of a subgroup, of 32 bits, in which are numbers that its lanes
  /// share, and conditions, a bit per lane; 0 where conditions have others.
  int64_t scalarRegisters = 0;
  /// Its assembler, told how few workgroups have to be resident, takes all
  /// registers for what it moves up, and spills where that is more than half.
  bool overfillsRegisters = false;
  /// 32-bit registers that a lane can hold at all, in registers and spilled to
  /// its private memory. Each becomes a scalar with ops of its own: of more
  /// there is no code that ends.
  int64_t spillableRegisters;
  /// Code that a compute unit or a core keeps near it, of which straight code
  /// is to be a small part.
  int64_t instructionCacheBytes;
  int64_t computeUnits;      // of the device, for how many workgroups fill it
  ResidencyModel residency;  // of a compute unit
  int64_t sharedMemoryBytes; // per workgroup, statically allocated
  /// The same if it is allocated at launch; not less than the static limit.
  int64_t dynamicSharedMemoryBytes;
  /// Bytes that one instruction copies from global to workgroup memory while
  /// the lane goes on, ascending; empty where registers take part in all.
  llvm::ArrayRef<int64_t> asyncCopyBytes;
  int64_t maxGrid[3]; // workgroups per dimension
  /// Of equal types the best one first; those that add integers last.
  llvm::ArrayRef<MmaRow> mma;
  llvm::ArrayRef<NarrowConversion> narrowConversions;
  llvm::ArrayRef<TargetOp> ops = {};
  MoveCosts costs;
  BankModel banks;
  /// The load of global memory that transposes among lanes, if there is one.
  TransposingLoad globalTransposingLoad = {};
  BarrierModel barriers;
  GlobalMemoryModel globalMemory;
  IssueModel issue;
  /// Of one instruction that combines an integer of each lane of a subgroup, on
  /// the scale of MoveCosts; 0 without one.
  int64_t laneReductionCost;
  /// Whether an instruction adds or multiplies two f32 of a lane.
  bool packsSingles = false;
  /// Whether an instruction reads the register of a computed number, which is
  /// the same in all lanes.
  bool indexesRegisters = false;
  /// Conditions of all lanes that scalar registers hold beside addresses and
  /// bounds; 0 where they are in no scalar registers.
  int64_t laneMasks = 0;
  /// Of a CPU, whose subgroups have one lane; GPUs have none.
  SimdModel simd = {};
  /// Lanes read those of their 8 in reverse order on the way into an operation,
  /// but not the one 4 away.
  bool mirrorsHalfRows;
  /// The file that the costs are of, for reports; empty where they are the
  /// table's (Costs.h).
  llvm::StringRef costSource = {};

  /// Whether code runs on the cores of a CPU, one workgroup on each at a time,
  /// and not on lanes.
  bool isHost() const { return family == Family::Host; }

  /// This target's instruction of that kind, or null; targets share kinds, not
  /// what they cost.
  const MmaRow *findMma(llvm::StringRef kind) const;

  /// This target's op of that name, or null.
  const TargetOp *findOp(llvm::StringRef op) const;

  /// The distance in `lane xor distance` by which a round of a reduction reads
  /// a partner, where each group of `offset` neighbours holds one number
  /// already and the wanted one is `offset` away: of all in the partner's group
  /// the one that is reached at the least cost.
  /// \pre  offset is a power of two
  /// \post result / offset == 1
  int64_t partnerAmongAlike(int64_t offset) const {
    assert(offset > 0 && (offset & (offset - 1)) == 0 &&
           "rounds of a reduction are a power of two apart");
    return mirrorsHalfRows && offset == 4 ? 7 : offset;
  }

  /// The instruction between the two types, or null.
  const NarrowConversion *findConversion(const NarrowFloat &narrow,
                                         ScalarKind wide, bool widens) const;

  /// Issue slots of a load or a store of global memory whose lanes touch so
  /// many lines. Lines come one after the other, and so do the addresses of
  /// more lanes than are taken at once.
  int64_t costOfAccess(int64_t lines) const;

  /// Bytes that every buffer in workgroup memory begins on a multiple of.
  int64_t workgroupAlignment() const;

  /// The largest number that divides m, n and k of every instruction that
  /// `fits`, so that none of them fits a tile that it does not divide; 1
  /// without any.
  int64_t mmaGranule(llvm::function_ref<bool(const MmaRow &)> fits) const;

  /// 32-bit registers that a lane of a workgroup of `lanes` lanes can have: all
  /// of the workgroup are resident at once, and a compute unit hands registers
  /// out in granules. 1,024 lanes of sm_80 have 64 each.
  int64_t registersFor(int64_t lanes) const;

  /// Of those, what vectors may take: addresses and loop counters need some.
  int64_t vectorRegistersFor(int64_t lanes) const;

  /// The same where no matrix instruction computes.
  int64_t plainRegistersFor(int64_t lanes) const;

  /// Returns the registers of all instructions that vectors may take if each is
  /// counted, as sums and fragments are: an estimate leaves a quarter free. 128
  /// lanes of sm_80 have 227, of which an estimate may fill 191.
  int64_t countedRegistersFor(int64_t lanes) const;

  /// Workgroups that the device runs at a time, at least one per compute unit,
  /// if each has so many lanes, registers per lane (no more than it can have)
  /// and bytes of shared memory. With 128 lanes, 184 registers and 32 KiB an
  /// SM of sm_80 has registers for 2 and memory for 4: 216 on all.
  int64_t residentWorkgroups(int64_t lanes, int64_t registers,
                             int64_t bytes) const;

  /// Bytes of shared memory, of those that can be statically allocated, that
  /// such a workgroup has for nothing: without them not one more would be
  /// resident. 128 lanes of sm_80 with 128 registers: 40,960, for there are
  /// registers for 4. Of a launch with no more workgroups than compute units,
  /// all of it (VX-291); `workgroups` is null where the run decides.
  int64_t idleSharedMemory(int64_t lanes, int64_t registers,
                           std::optional<int64_t> workgroups = {}) const;
};

/// Returns the target `--target NAME` means, or null.
const Target *lookupTarget(llvm::StringRef name);

/// Every target, in the order `distaff targets` lists them.
llvm::ArrayRef<const Target *> allTargets();

/// Those that are GPUs.
llvm::SmallVector<const Target *> gpuTargets();

/// Makes a target of the caller's known by its name for as long as this lives,
/// so that passes, which go by names, take it like those in the tables.
///
///   Target mine = *lookupTarget("sm_80");
///   mine.name = "narrow";
///   mine.globalMemory.maxAccessBits = 64;
///   TargetRegistration known(mine);   // lookupTarget("narrow") == &mine
///
/// \pre no target has that name, and no pass runs while one is made or ends
class TargetRegistration {
public:
  explicit TargetRegistration(const Target &target);
  ~TargetRegistration();
  TargetRegistration(const TargetRegistration &) = delete;
  TargetRegistration &operator=(const TargetRegistration &) = delete;

private:
  const Target *target;
};

/// Lanes of the largest workgroup that any target has.
int64_t largestWorkgroupSize();

/// Returns the instruction of that kind, of whichever target has it, or null:
/// what it computes is the same on all, what it costs is not (Target::findMma).
const MmaRow *lookupMma(llvm::StringRef name);

/// Returns the target op of that name, of whichever target has it, or null:
/// what it moves where is the same on all, what it costs is not.
const TargetOp *lookupTargetOp(llvm::StringRef name);

/// Returns the layout of one operand with its registers numbered as the
/// instruction numbers them. Of several blocks, the block is its first dim.
/// \post for every lane and register, indexOf({0, lane, reg}) is the element
///       that the instruction's documentation puts there
Layout layoutOf(const Fragment &fragment);

} // namespace distaff

#endif // DISTAFF_TARGET_TARGET_H
