//===- Target.cpp - Look up targets and instructions by name --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects the tables and converts fragments to layouts.
//
//===----------------------------------------------------------------------===//
#include "Checks.h"
#include "Tables.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>
#include <numeric>
#include <optional>

using namespace distaff;

/// Returns the list of the tables' targets, then those that were registered.
static llvm::SmallVectorImpl<const Target *> &targets() {
  static llvm::SmallVector<const Target *> list = [] {
    llvm::SmallVector<const Target *> all = {
        &sm75Target,   &sm80Target,    &sm86Target,   &sm89Target,
        &sm90aTarget,  &gfx908Target,  &gfx90aTarget, &gfx942Target,
        &gfx950Target, &gfx1100Target, &gfx1201Target};
    llvm::append_range(all, hostTargets());
    return all;
  }();
  return list;
}

namespace {
struct ScalarTraits {
  llvm::StringLiteral name, element;
  int64_t bits;
};
} // namespace

static ScalarTraits traitsOf(ScalarKind kind) {
  switch (kind) {
  case ScalarKind::F16:
    return {"f16", "f16", 16};
  case ScalarKind::BF16:
    return {"bf16", "bf16", 16};
  case ScalarKind::F32:
    return {"f32", "f32", 32};
  case ScalarKind::F64:
    return {"f64", "f64", 64};
  case ScalarKind::TF32:
    return {"tf32", "f32", 32};
  case ScalarKind::XF32:
    return {"xf32", "f32", 32};
  case ScalarKind::F8E4M3FN:
    return {"f8E4M3FN", "f8E4M3FN", 8};
  case ScalarKind::F8E5M2:
    return {"f8E5M2", "f8E5M2", 8};
  case ScalarKind::F8E4M3FNUZ:
    return {"f8E4M3FNUZ", "f8E4M3FNUZ", 8};
  case ScalarKind::F8E5M2FNUZ:
    return {"f8E5M2FNUZ", "f8E5M2FNUZ", 8};
  case ScalarKind::I4:
    return {"i4", "i4", 4};
  case ScalarKind::U4:
    return {"u4", "i4", 4};
  case ScalarKind::I8:
    return {"i8", "i8", 8};
  case ScalarKind::U8:
    return {"u8", "i8", 8};
  case ScalarKind::I16:
    return {"i16", "i16", 16};
  case ScalarKind::I32:
    return {"i32", "i32", 32};
  }
  llvm_unreachable("unknown scalar kind");
}

llvm::StringRef distaff::nameOf(ScalarKind kind) { return traitsOf(kind).name; }

llvm::StringRef distaff::elementNameOf(ScalarKind kind) {
  return traitsOf(kind).element;
}

int64_t distaff::bitWidthOf(ScalarKind kind) { return traitsOf(kind).bits; }

bool distaff::isInteger(ScalarKind kind) {
  return elementNameOf(kind).starts_with("i");
}

bool distaff::isUnsigned(ScalarKind kind) {
  return nameOf(kind).starts_with("u");
}

bool distaff::isReducedF32(ScalarKind kind) {
  return kind == ScalarKind::TF32 || kind == ScalarKind::XF32;
}

const NarrowFloat *distaff::lookupNarrowFloat(llvm::StringRef name) {
  for (const NarrowFloat *format :
       {&f8E4M3FN, &f8E5M2, &f8E4M3FNUZ, &f8E5M2FNUZ})
    if (format->name == name)
      return format;
  return nullptr;
}

const Target *distaff::lookupTarget(llvm::StringRef name) {
  auto *found = llvm::find_if(
      targets(), [&](const Target *target) { return target->name == name; });
  return found == targets().end() ? nullptr : *found;
}

/// Returns whether `a` has more parts in a word than `b`.
[[maybe_unused]] static bool hasMoreParts(const PackedDot &a,
                                          const PackedDot &b) {
  return a.partsPerWord() > b.partsPerWord();
}

TargetRegistration::TargetRegistration(const Target &target) : target(&target) {
  assert(!lookupTarget(target.name) && "a name means one target");
  assert(hasWholeSubgroups(target) &&
         "a compute unit holds workgroups of whole subgroups");
  assert(hasRegisters(target) && "a subgroup has registers");
  assert(hasInstructionCache(target) && "code is near what runs it");
  assert(hasWholeMemories(target) &&
         "what may be declared of shared memory may be asked for");
  assert((target.isHost() ? hasVectors(target) : hasNoVectors(target)) &&
         "the registers of a CPU's lane are its vectors");
  assert(areWhole(target.mma, target.subgroupSize) &&
         "an instruction's fragments hold whole operands of a subgroup");
  assert(llvm::is_sorted(target.asyncCopyBytes) &&
         "asynchronous copies ascend");
  assert(llvm::is_sorted(target.simd.packedDots, hasMoreParts) &&
         "products with more parts in a word come first");
  targets().push_back(&target);
}

void distaff::replaceTarget(const Target &known, const Target &by) {
  assert(known.name == by.name && "a name keeps its meaning");
  *llvm::find(targets(), &known) = &by;
}

TargetRegistration::~TargetRegistration() { llvm::erase(targets(), target); }

int64_t distaff::largestWorkgroupSize() {
  int64_t lanes = 1;
  for (const Target *target : targets())
    lanes = std::max(lanes, target->maxWorkgroupSize);
  return lanes;
}

const NarrowConversion *Target::findConversion(const NarrowFloat &narrow,
                                               ScalarKind wide,
                                               bool widens) const {
  auto *found = llvm::find_if(narrowConversions, [&](const auto &row) {
    return row.narrow == &narrow && row.wide == wide && row.widens == widens;
  });
  return found == narrowConversions.end() ? nullptr : found;
}

int64_t Target::costOfAccess(int64_t lines) const {
  int64_t turns =
      std::max<int64_t>(lines, subgroupSize / globalMemory.addressedLanes);
  return globalMemory.issueCost + (turns - 1) * globalMemory.lineCost;
}

int64_t Target::workgroupAlignment() const {
  return std::max(globalMemory.baseAlignmentBytes, banks.maxAccessBytes);
}

int64_t
Target::mmaGranule(llvm::function_ref<bool(const MmaRow &)> fits) const {
  int64_t granule = 0;
  for (const MmaRow &row : mma)
    if (fits(row))
      for (int64_t extent : {row.m, row.n, row.k})
        granule = std::gcd(granule, extent);
  return std::max<int64_t>(1, granule);
}

int64_t Target::registersFor(int64_t lanes) const {
  assert(lanes > 0 && "a workgroup has lanes");
  // Each issuer has its part of the registers and its own subgroups.
  int64_t subgroups = llvm::divideCeil(lanes, subgroupSize);
  int64_t share = llvm::divideCeil(subgroups, issue.issuers) * subgroupSize;
  return std::min(registersPerLane, registersPerUnit / issue.issuers / share /
                                        registerGranule * registerGranule);
}

/// Returns a lane's registers less those for addresses, bounds and counters,
/// but at least a quarter of them.
static int64_t countedOf(int64_t registers) {
  constexpr int64_t scalars = 28;
  return std::max(registers - scalars, registers / 4);
}

/// Returns the same, less a quarter that estimates leave free.
static int64_t vectorsOf(int64_t registers) {
  return std::min(countedOf(registers), registers * 3 / 4);
}

int64_t Target::countedRegistersFor(int64_t lanes) const {
  return countedOf(
      std::min(registersFor(lanes), registersPerLane - accumulationRegisters));
}

int64_t Target::vectorRegistersFor(int64_t lanes) const {
  return vectorsOf(registersFor(lanes));
}

int64_t Target::plainRegistersFor(int64_t lanes) const {
  return vectorsOf(
      std::min(registersFor(lanes), registersPerLane - accumulationRegisters));
}

static int64_t toMultiple(int64_t value, int64_t granule) {
  return (std::max<int64_t>(value, 1) + granule - 1) / granule * granule;
}

/// Returns the workgroups that a compute unit has lanes and registers for.
static int64_t workgroupsPerUnit(const Target &target, int64_t lanes,
                                 int64_t registers) {
  int64_t slots = toMultiple(lanes, target.subgroupSize);
  int64_t needed =
      std::max<int64_t>(1, std::min(registers, target.registersFor(slots)));
  int64_t byRegisters = target.registersPerUnit / (slots * needed);
  // Each issuer has a part of the registers, in granules, and its subgroups.
  while (byRegisters > 1 && target.registersFor(byRegisters * slots) < needed)
    --byRegisters;
  return std::min({target.residency.workgroups, target.residency.lanes / slots,
                   byRegisters});
}

int64_t Target::residentWorkgroups(int64_t lanes, int64_t registers,
                                   int64_t bytes) const {
  assert(lanes > 0 && registers >= 0 && bytes >= 0 &&
         "a workgroup has lanes, and takes registers and bytes or none");
  int64_t perUnit = std::min(workgroupsPerUnit(*this, lanes, registers),
                             residency.sharedBytes /
                                 toMultiple(bytes + residency.sharedReserved,
                                            residency.sharedGranule));
  return computeUnits * std::max<int64_t>(1, perUnit);
}

int64_t Target::idleSharedMemory(int64_t lanes, int64_t registers,
                                 std::optional<int64_t> workgroups) const {
  int64_t perUnit = workgroupsPerUnit(*this, lanes, registers);
  if (workgroups)
    perUnit =
        std::min<int64_t>(perUnit, llvm::divideCeil(*workgroups, computeUnits));
  perUnit = std::max<int64_t>(1, perUnit);
  int64_t each = residency.sharedBytes / perUnit;
  each -= each % residency.sharedGranule + residency.sharedReserved;
  return std::clamp<int64_t>(each, 0, sharedMemoryBytes);
}

llvm::ArrayRef<const Target *> distaff::allTargets() { return targets(); }

llvm::SmallVector<const Target *> distaff::gpuTargets() {
  llvm::SmallVector<const Target *> gpus;
  llvm::copy_if(allTargets(), std::back_inserter(gpus),
                [](const Target *target) { return !target->isHost(); });
  return gpus;
}

const MmaRow *Target::findMma(llvm::StringRef kind) const {
  const MmaRow *row = llvm::find_if(
      mma, [&](const MmaRow &candidate) { return candidate.name == kind; });
  return row == mma.end() ? nullptr : row;
}

const MmaRow *distaff::lookupMma(llvm::StringRef name) {
  for (const Target *target : targets())
    if (const MmaRow *row = target->findMma(name))
      return row;
  return nullptr;
}

const TargetOp *Target::findOp(llvm::StringRef op) const {
  const TargetOp *row = llvm::find_if(
      ops, [&](const TargetOp &candidate) { return candidate.name == op; });
  return row == ops.end() ? nullptr : row;
}

const TargetOp *distaff::lookupTargetOp(llvm::StringRef name) {
  for (const Target *target : targets())
    if (const TargetOp *row = target->findOp(name))
      return row;
  return nullptr;
}

Layout distaff::layoutOf(const Fragment &fragment) {
  int64_t sizes[4] = {fragment.outer[0], fragment.outer[1], fragment.element[0],
                      fragment.element[1]};
  int64_t strides[4];
  int64_t stride = 1;
  for (Fragment::Digit digit : llvm::reverse(fragment.registerOrder)) {
    strides[digit] = stride;
    stride *= sizes[digit];
  }
  const FragmentBlocks &blocks = fragment.blocks;
  llvm::SmallVector<llvm::SmallVector<Digit>> dims;
  if (blocks.extent() > 1)
    dims.push_back({{Axis::Register, blocks.outer, stride},
                    {Axis::Lane, blocks.thread, blocks.threadStride}});
  for (int dim : {0, 1})
    dims.push_back(
        {{Axis::Register, fragment.outer[dim], strides[dim]},
         {Axis::Lane, fragment.thread[dim], fragment.threadStrides[dim]},
         {Axis::Register, fragment.element[dim], strides[2 + dim]}});
  std::optional<Layout> layout = Layout::get(dims);
  assert(layout && "a fragment places each element");
  assert(layout->numRegisters() == fragment.numRegisters() &&
         "a fragment's shape is its registers");
  return *layout;
}
