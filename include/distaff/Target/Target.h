//===- Target.h - Target descriptions as tables -----------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A target is a table: how many lanes a subgroup has, how much memory there is,
// which matrix instructions (MMA) exist and which lane and register hold each
// element of their operands, and the costs of instructions. Nothing here is
// MLIR, and no other code tests `is this NVIDIA?`: it reads a field.
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
// Targets and instructions can be looked up by name and iterated over, and a
// fragment can be converted to a Layout (`layoutOf`), whose register numbers
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

/// The element types of instruction tables. A kind may be more specific than
/// the type of the elements that registers hold: TF32 and XF32 are f32 of which
/// the instruction reads the upper bits, U8 and U4 are integers that it treats
/// as unsigned.
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

/// Returns the kind's name for messages and names of rows: `f16`, `tf32`, `u8`.
llvm::StringRef nameOf(ScalarKind kind);

/// Returns the element type's name in IR: `f32` for TF32, `i8` for U8.
llvm::StringRef elementNameOf(ScalarKind kind);

int64_t bitWidthOf(ScalarKind kind);
bool isInteger(ScalarKind kind);
bool isUnsigned(ScalarKind kind);
/// Returns whether elements have 32 bits, some of which the instruction drops.
bool isReducedF32(ScalarKind kind);

/// Describes where an operand holds the blocks of an instruction that
/// multiplies several pairs of matrices. The block is like a dim of one element
/// whose outer digit is the outermost of the register number.
struct FragmentBlocks {
  int64_t outer = 1, thread = 1, threadStride = 0;

  constexpr int64_t extent() const { return outer * thread; }
};

/// A fragment specifies which lane and register hold each element of one
/// operand of an MMA (see the head of this file). Dims are (m, k) for A, (k, n)
/// for B and (m, n) for C, which is also D. Lanes that differ in no digit hold
/// the same elements.
struct Fragment {
  /// Digits of the register number, named by their position in an index.
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

/// The code in Conversion that lowers `inner_tiled` of a row into instructions.
enum class MmaEmitter : uint8_t {
  NvvmMmaSync, // nvvm.mma.sync; operands packed in words, integers wrap
  PtxMmaSync,  // the mnemonic as inline PTX
  RocdlMfma,   // rocdl.mfma.*; operands and results are 1-D vectors
  /// rocdl.mfma.scale.*; 8-bit operands in words, the scales are 1.
  RocdlMfmaScale,
  RocdlWmma,       // rocdl.wmma.*; 8-bit operands in words
  RocdlWmmaOpsel,  // RocdlWmma with results of 16 bits
  RocdlWmmaHalves, // RocdlWmma with a result in the lower half of each register
  RocdlWmmaInteger // rocdl.wmma.i32.*; states which operands are signed
};

/// Describes one MMA instruction: D = A * B + C with C and D of the same
/// fragment. Some multiply several independent blocks at once.
struct MmaRow {
  /// The kind as IREE spells it in `#iree_gpu.mma_layout<NAME>`.
  llvm::StringLiteral name;
  /// The name by which the emitter finds the instruction, e.g. the mnemonic in
  /// PTX or the ROCDL op.
  llvm::StringLiteral instruction;
  int64_t m, n, k;
  ScalarKind a, b, c;
  Fragment fragmentA, fragmentB, fragmentC;
  int64_t subgroupSize;
  /// Cycles for which one instruction of one subgroup occupies its unit, on the
  /// scale of MoveCosts; ranks instructions of one target against each other.
  int64_t issueCost;
  MmaEmitter emitter;
  int64_t blocks = 1;

  constexpr int64_t multiplyAdds() const { return blocks * m * n * k; }

  /// Returns whether several lanes hold the same elements of an operand.
  constexpr bool replicates() const {
    auto held = [&](const Fragment &fragment, int64_t elements) {
      return fragment.numRegisters() * subgroupSize > blocks * elements;
    };
    return held(fragmentA, m * k) || held(fragmentB, k * n) ||
           held(fragmentC, m * n);
  }
};

/// The code in Conversion that lowers `distaff.target_op` of a row into
/// instructions.
enum class TargetOpEmitter : uint8_t {
  None,         // no emitter: the row's target stops at `lower`
  PtxMovMatrix, // movmatrix as inline PTX
  RocdlSwap16,  // v_permlane16_swap of two words, or a sequence of swaps
  RocdlSwap32,
  RocdlSwap32Then16,
  RocdlSwap16Then32,
  RocdlQuadPerm,   // DPP quad_perm of a word
  RocdlPermlane16, // v_permlane16 of a word
};

/// Describes an instruction of a subgroup, other than an MMA, that computes
/// what an op of the IR does and leaves its results in other places than that
/// op would. One issue takes a tile of each vector operand; for each element of
/// the tile a row gives its place before the instruction and its result's place
/// after it.
///
/// Example: an exp2 of 32 lanes whose lanes swap their outer and inner two bits
/// takes tiles of 32 elements,
///
///   operand   lane(4, 8) lane(2, 4) lane(4, 1)    element 9 = 1 0 1 on lane 9
///   result    lane(4, 1) lane(2, 4) lane(4, 8)    its exp2 on lane 1 + 8 * 1
///
/// and two of them in sequence leave every element in its first place.
struct TargetOp {
  llvm::StringLiteral name; // as in `#distaff.target_op<NAME>`
  /// The op that it computes, with any attributes: an elementwise op, or an op
  /// that permutes elements, which the instruction then moves.
  llvm::StringLiteral operation;
  ScalarKind operand, result;
  /// Shape of the tile, for reports.
  llvm::ArrayRef<int64_t> shape;
  /// Digits, outermost first, of an element's row-major number in the tile,
  /// read from lane and register: of each vector operand, and of the result.
  /// They distinguish all lanes of the subgroup.
  llvm::ArrayRef<llvm::ArrayRef<Digit>> operandPlaces;
  llvm::ArrayRef<Digit> resultPlaces;
  int64_t subgroupSize;
  /// Issue slots, on the scale of MoveCosts.
  int64_t issueCost;
  TargetOpEmitter emitter;
};

/// Describes one instruction that converts two 8-bit floats, each exactly or
/// rounded to nearest even; a target without it converts by integer code.
struct NarrowConversion {
  const NarrowFloat *narrow;
  ScalarKind wide;
  bool widens; // from 8 bits
  /// A value that is too large, infinity included, becomes the largest number;
  /// emission corrects it.
  bool saturates;
  /// The mnemonic in PTX or the ROCDL op.
  llvm::StringLiteral instruction;
};

/// Describes global memory. Costs are issue slots per subgroup on the scale of
/// MoveCosts.
struct GlobalMemoryModel {
  int64_t sectorBytes;   // smallest unit of a memory transaction
  int64_t lineBytes;     // lanes that share a line share its transaction
  int64_t maxAccessBits; // widest load or store of one lane
  /// Alignment in bytes of the base of every argument and allocation; the
  /// kernel ABI and emission promise it.
  int64_t baseAlignmentBytes;
  int64_t issueCost;    // one load or store instruction
  int64_t sectorCost;   // one sector moved
  int64_t latency;      // cycles from a load to the first use of its result
  int64_t lineCost = 1; // one line beyond the first that an access touches
  int64_t addressedLanes = 64; // lanes whose addresses are processed at once
  /// Whether an access of several elements may begin at any element, as in the
  /// alignment mode that HSA sets on AMD GPUs (LLVM's AMDGPUUsage,
  /// unaligned-access-mode).
  bool takesUnaligned = false;
};

/// Describes how a compute unit issues instructions. Issue slots are of one
/// issuer for one subgroup, on the scale of MoveCosts; cycles are as long as
/// one slot.
struct IssueModel {
  int64_t issuers;     // per compute unit, each with subgroups of its own
  int64_t multiplyAdd; // slots of a * b + c in f32
  int64_t division;    // slots of one division or remainder
  int64_t function;    // slots of one op of the math dialect
  /// Cycles from a shuffle to the first use of its result.
  int64_t shuffleLatency;
  /// Cycles from where the subgroups of a workgroup exchange data until the
  /// slowest has arrived and the data are back.
  int64_t meetingLatency;
  /// Workgroups are launched one after the other, and each one starts cold:
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

/// Describes the barriers between the subgroups of a workgroup.
struct BarrierModel {
  /// Number of named barriers, numbered from 1, besides the workgroup's
  /// barrier.
  int64_t named;
  /// Whether arriving and waiting are two instructions.
  bool isSplit;
  /// Whether loads of global memory that follow a barrier are not moved above
  /// it, as the fence of LLVM's AMD barriers ensures; ptxas moves them above.
  bool holdsLoads = false;
};

/// Describes the resources, besides registers, that the resident workgroups of
/// a compute unit share.
struct ResidencyModel {
  int64_t workgroups; // at most
  int64_t lanes;      // lanes of all resident workgroups
  int64_t sharedBytes;
  int64_t sharedGranule;  // allocation granularity in bytes
  int64_t sharedReserved; // bytes per workgroup that the system reserves
};

/// The reciprocal throughput of an instruction on one vector register of a
/// core, in quarters of a cycle: the time that it occupies its unit, not its
/// latency.
struct SimdCosts {
  int64_t arithmetic;  // an addition, a multiply-add, a comparison, a select
  int64_t division;    // or a square root
  int64_t load, store; // of a whole register, or of part of it without a mask
  int64_t maskedLoad, maskedStore;
  int64_t shuffle;   // of elements within one or two registers
  int64_t element;   // an insert or an extract
  int64_t broadcast; // of one element of a register
};

/// The stack of a CPU thread that runs workgroups, and the part of it for
/// memory that a workgroup allocates, in bytes.
inline constexpr int64_t hostStackBytes = 2 << 20,
                         hostWorkgroupBytes = hostStackBytes - (128 << 10);

/// Describes an instruction of a CPU that multiplies the parts of each 32-bit
/// word by those of another vector's word, and adds up the products.
struct PackedDot {
  llvm::StringLiteral name; // the assembler's mnemonic
  ScalarKind lhs, rhs;      // kinds of the parts
  ScalarKind result;
  /// LLVM's intrinsic without the suffix for the vector's bits; empty where
  /// LLVM selects the instruction for multiplications and additions.
  llvm::StringLiteral intrinsic = "";

  int64_t partsPerWord() const {
    assert(bitWidthOf(lhs) == bitWidthOf(rhs) && bitWidthOf(result) == 32 &&
           "parts of a word are alike, and their sum is a word");
    return 32 / bitWidthOf(lhs);
  }
};

/// Describes registers of a CPU that hold matrices of words, and the
/// instructions that multiply them: to the word in row i and column j of a
/// result such an instruction adds, as a PackedDot does, the products of each
/// word in row i of its left operand and the one in column j of the same row of
/// the right one.
struct MatrixUnit {
  int64_t registers = 0;       // 0 if the CPU has no such unit
  int64_t rows = 0, words = 0; // extents of a register; a row has `words` words
  /// Costs in quarters of a cycle, as in SimdCosts: of a product, of a load of
  /// one register, and the latency from a product to one that adds to it.
  int64_t product = 0, load = 0, latency = 0;
  /// Instructions by the left operand's parts, then the right operand's.
  llvm::ArrayRef<PackedDot> dots = {};

  /// Returns whether a result of so many rows and words fills whole registers,
  /// and there are enough of them for the result, a column of the left operand
  /// and a row of the right one.
  constexpr bool holds(int64_t resultRows, int64_t resultWords) const {
    if (registers == 0 || resultRows % rows != 0 || resultWords % words != 0)
      return false;
    int64_t down = resultRows / rows, across = resultWords / words;
    return down > 0 && across > 0 && down * across + down + across <= registers;
  }
};

/// Describes the vector unit of a CPU's core and its caches. A GPU has none:
/// its lanes are its vector units.
struct SimdModel {
  int64_t vectorBits; // width of one register
  int64_t registers;  // architectural vector registers
  /// Sizes of a core's data caches.
  int64_t level1Bytes, level2Bytes;
  SimdCosts costs = {};
  /// Width of the narrowest elements that masked loads and stores support.
  int64_t maskedBits = 32;
  /// Instructions with more parts per word come first.
  llvm::ArrayRef<PackedDot> packedDots = {};
  MatrixUnit matrices = {};
};

/// Describes the capability that a driver reports for a device, from which it
/// follows which code the device runs.
struct Capability {
  int64_t major, minor; // 0.0 where drivers identify the chip by name
  bool exact;           // whether code runs on this capability alone
};

/// Stands, in place of LLVM's name, for the chip that the compiler runs on.
inline constexpr llvm::StringLiteral nativeChip = "native";

struct Target {
  llvm::StringLiteral name; // the value of --target
  Family family;
  llvm::StringLiteral triple;   // LLVM's target triple
  llvm::StringLiteral chip;     // LLVM's -mcpu, or nativeChip
  llvm::StringLiteral features; // LLVM's -mattr
  Capability capability;
  /// Whether its code has only been run by emulation or not been timed on such
  /// a machine, so that its costs are those of the manuals.
  bool isExperimental = false;
  int64_t subgroupSize;     // lanes per subgroup, w
  int64_t maxWorkgroupSize; // lanes per workgroup
  int64_t registersPerLane; // 32-bit registers one lane can address
  /// Registers of them that only matrix instructions compute with: other
  /// instructions need copies from and to them.
  int64_t accumulationRegisters;
  int64_t registersPerUnit; // 32-bit registers of one compute unit
  int64_t registerGranule;  // a lane's registers are a multiple of this
  /// Registers of a lane that hold addresses and loop counters, not vectors.
  int64_t overheadRegisters;
  /// 32-bit registers of a subgroup for numbers that its lanes share and for
  /// conditions, one bit per lane; 0 where conditions have other registers.
  int64_t scalarRegisters = 0;
  /// Whether its assembler, given the least number of resident workgroups, uses
  /// all registers for loads that it moves up, and spills where that is more
  /// than half.
  bool overfillsRegisters = false;
  /// 32-bit registers that a lane can hold, in registers and spilled to its
  /// private memory. Each becomes a scalar with ops of its own, so code with
  /// more of them does not finish compiling.
  int64_t spillableRegisters;
  /// Size of the instruction cache of a compute unit or a core; unrolled code
  /// must fit a small part of it.
  int64_t instructionCacheBytes;
  int64_t computeUnits;      // of the device, which workgroups have to fill
  ResidencyModel residency;  // limits of a compute unit
  int64_t sharedMemoryBytes; // per workgroup, statically allocated
  /// The same if it is allocated at launch; not less than the static limit.
  int64_t dynamicSharedMemoryBytes;
  /// Sizes in bytes that one instruction copies from global to workgroup memory
  /// asynchronously, ascending; empty where all copies go through registers.
  llvm::ArrayRef<int64_t> asyncCopyBytes;
  int64_t maxGrid[3]; // workgroups per dimension
  /// Instructions: of equal types the best one comes first; those that add
  /// integers come last.
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
  /// Cost of one instruction that reduces an integer of each lane of a
  /// subgroup, on the scale of MoveCosts; 0 without one.
  int64_t laneReductionCost;
  /// Whether one instruction adds or multiplies two f32 of a lane.
  bool packsSingles = false;
  /// Whether an instruction can index registers by a computed number, which is
  /// uniform across lanes.
  bool indexesRegisters = false;
  /// Lane masks that scalar registers hold besides addresses and bounds; 0
  /// where masks are not in scalar registers.
  int64_t laneMasks = 0;
  /// The vector unit of a CPU, whose subgroups have one lane; empty for GPUs.
  SimdModel simd = {};
  /// Whether an operand can be read from the lanes of each group of 8 in
  /// reverse order, but not from the lane 4 away.
  bool mirrorsHalfRows;
  /// The file that the costs come from, for reports; empty where they are the
  /// table's (Costs.h).
  llvm::StringRef costSource = {};

  /// Returns whether code runs on the cores of a CPU, one workgroup on each at
  /// a time, and not on lanes.
  bool isHost() const { return family == Family::Host; }

  /// Returns this target's instruction of that kind, or null; targets share
  /// kinds, not their costs.
  const MmaRow *findMma(llvm::StringRef kind) const;

  /// Returns this target's op of that name, or null.
  const TargetOp *findOp(llvm::StringRef op) const;

  /// Returns the distance for `lane xor distance` in a round of a butterfly
  /// reduction, where each group of `offset` neighbours already holds one
  /// number and the partner group is `offset` away: the distance to the lane of
  /// the partner group that is reached at the least cost.
  /// \pre  offset is a power of two
  /// \post result / offset == 1
  int64_t partnerAmongAlike(int64_t offset) const {
    assert(offset > 0 && (offset & (offset - 1)) == 0 &&
           "rounds of a reduction are a power of two apart");
    return mirrorsHalfRows && offset == 4 ? 7 : offset;
  }

  /// Returns the instruction between the two types, or null.
  const NarrowConversion *findConversion(const NarrowFloat &narrow,
                                         ScalarKind wide, bool widens) const;

  /// Returns the issue slots of a load or a store of global memory whose lanes
  /// touch so many lines. Lines are processed one after the other, and so are
  /// the addresses of more lanes than `addressedLanes`.
  int64_t costOfAccess(int64_t lines) const;

  /// Returns the alignment in bytes of every buffer in workgroup memory.
  int64_t workgroupAlignment() const;

  /// Returns the largest number that divides m, n and k of every instruction
  /// that `fits`, so that none of them fits a tile that it does not divide; 1
  /// if there is none.
  int64_t mmaGranule(llvm::function_ref<bool(const MmaRow &)> fits) const;

  /// Returns the 32-bit registers that a lane of a workgroup of `lanes` lanes
  /// can have: all of the workgroup is resident at once, and a compute unit
  /// allocates registers in granules. 1,024 lanes of sm_80 have 64 each.
  int64_t registersFor(int64_t lanes) const;

  /// Returns those of them that vectors may use: addresses and loop counters
  /// need the rest.
  int64_t vectorRegistersFor(int64_t lanes) const;

  /// Returns the same for code without matrix instructions.
  int64_t plainRegistersFor(int64_t lanes) const;

  /// Returns the registers of all instructions that vectors may take if each is
  /// counted, as sums and fragments are: an estimate leaves a quarter free. 128
  /// lanes of sm_80 have 227, of which an estimate may fill 191.
  int64_t countedRegistersFor(int64_t lanes) const;

  /// Returns the workgroups that the device runs at a time, at least one per
  /// compute unit, if each has so many lanes, registers per lane (no more than
  /// it can have) and bytes of shared memory. With 128 lanes, 184 registers and
  /// 32 KiB an SM of sm_80 has registers for 2 and memory for 4: 216 on all.
  int64_t residentWorkgroups(int64_t lanes, int64_t registers,
                             int64_t bytes) const;

  /// Returns the bytes of statically allocatable shared memory that such a
  /// workgroup can use without lowering the number of resident workgroups. 128
  /// lanes of sm_80 with 128 registers: 40,960, for there are registers for 4.
  /// For a launch with no more workgroups than compute units it is all of it
  /// (VX-291); `workgroups` is null where the number is known only at run time.
  int64_t idleSharedMemory(int64_t lanes, int64_t registers,
                           std::optional<int64_t> workgroups = {}) const;
};

/// Returns the target that `--target NAME` selects, or null.
const Target *lookupTarget(llvm::StringRef name);

/// Returns every target, in the order in which `distaff targets` lists them.
llvm::ArrayRef<const Target *> allTargets();

/// Returns the targets that are GPUs.
llvm::SmallVector<const Target *> gpuTargets();

/// Registers a target of the caller under its name for as long as this object
/// lives, so that passes, which look up names, accept it like those in the
/// tables.
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

/// Returns the lanes of the largest workgroup that any target has.
int64_t largestWorkgroupSize();

/// Returns the instruction of that kind, from any target that has it, or null:
/// it computes the same on all of them, but its cost differs (Target::findMma).
const MmaRow *lookupMma(llvm::StringRef name);

/// Returns the target op of that name, from any target that has it, or null: it
/// moves elements alike on all of them, but its cost differs.
const TargetOp *lookupTargetOp(llvm::StringRef name);

/// Returns the layout of one operand with its registers numbered as the
/// instruction numbers them. With several blocks, the block is its first dim.
/// \post for every lane and register, indexOf({0, lane, reg}) is the element
///       that the instruction's documentation puts there
Layout layoutOf(const Fragment &fragment);

} // namespace distaff

#endif // DISTAFF_TARGET_TARGET_H
