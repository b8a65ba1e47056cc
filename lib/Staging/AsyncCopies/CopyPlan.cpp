//===- CopyPlan.cpp - Planning of asynchronous copies ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CopyPlan.h"
#include "distaff/Analysis/Access/AccessWidth.h"
#include "distaff/Kernel/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include <numeric>

using namespace distaff;
using namespace distaff::async_copies;

bool async_copies::isWorkgroupMemory(Value memref) {
  auto type = dyn_cast<MemRefType>(memref.getType());
  return type && gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type);
}

//===----------------------------------------------------------------------===//
// Hazards
//===----------------------------------------------------------------------===//

/// Returns the kernel's argument that a memref is a view of, or null.
static Value argumentBehind(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  return isFunctionArgument(memref) ? memref : Value();
}

/// Returns whether the memrefs may alias. No two arguments do (the kernel's
/// ABI).
bool Hazards::mayAlias(Value lhs, Value rhs) {
  if (isWorkgroupMemory(lhs) != isWorkgroupMemory(rhs))
    return false;
  Value left = argumentBehind(lhs), right = argumentBehind(rhs);
  return left && right ? left == right : !aliases.alias(lhs, rhs).isNo();
}

/// Returns the effects of an op itself; nullopt where they are unknown.
static std::optional<SmallVector<MemoryEffects::EffectInstance>>
effectsOf(Operation *op) {
  SmallVector<MemoryEffects::EffectInstance> effects;
  if (auto known = dyn_cast<MemoryEffectOpInterface>(op))
    known.getEffects(effects);
  else if (!op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() &&
           !op->hasTrait<OpTrait::IsTerminator>())
    return std::nullopt;
  llvm::erase_if(effects, [](const MemoryEffects::EffectInstance &effect) {
    return isa<MemoryEffects::Allocate>(effect.getEffect());
  });
  return effects;
}

bool Hazards::stopsItself(Operation *op, const Copy &copy,
                          llvm::function_ref<bool(const Box &)> isApart) {
  auto effects = effectsOf(op);
  if (!effects)
    return true;
  for (const MemoryEffects::EffectInstance &effect : *effects) {
    Value memory = effect.getValue();
    if (!memory || !isa<MemRefType>(memory.getType()))
      return true;
    if (!isWorkgroupMemory(memory)) {
      if (!isa<MemoryEffects::Read>(effect.getEffect()) &&
          mayAlias(memory, copy.from.address.array))
        return true;
      continue;
    }
    if (!mayAlias(memory, copy.target.array))
      continue;
    std::optional<Box> box = boxOf(op, sums);
    if (!box || box->array != copy.target.array || !isApart(*box))
      return true;
  }
  return false;
}

bool Hazards::stops(Operation *op, const Copy &copy,
                    llvm::function_ref<bool(const Box &)> isApart) {
  return op
      ->walk([&](Operation *inner) {
        return stopsItself(inner, copy, isApart) ? WalkResult::interrupt()
                                                 : WalkResult::advance();
      })
      .wasInterrupted();
}

bool Hazards::mayChangeSource(Operation *op, const Copy &copy) {
  return op
      ->walk([&](Operation *inner) {
        auto effects = effectsOf(inner);
        bool mayChange =
            !effects || llvm::any_of(*effects, [&](const auto &effect) {
              Value memory = effect.getValue();
              return !memory ||
                     (!isa<MemoryEffects::Read>(effect.getEffect()) &&
                      mayAlias(memory, copy.from.address.array));
            });
        return mayChange ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

//===----------------------------------------------------------------------===//
// Planning of one copy
//===----------------------------------------------------------------------===//

namespace {

/// Plans the copy that ends with a write to workgroup memory.
class CopyPlanner {
public:
  CopyPlanner(const Target &target, IndexFacts &facts, IndexSums &sums,
              Hazards &hazards)
      : target(target), facts(facts), sums(sums), hazards(hazards) {}

  /// Returns null where nothing is copied; `why` is set where the copy stays a
  /// plain one.
  std::optional<Copy> plan(Operation *write);
  StringRef why;

private:
  std::optional<Copy> refuse(StringRef reason) {
    why = reason;
    return std::nullopt;
  }
  std::optional<Copy> planPair(Operation *read, Operation *write);
  bool describeRead(Operation *read, Copy &copy);
  bool describeWrite(Operation *write, Copy &copy);
  void chooseWidths(Copy &copy);
  bool describeTransfer(VectorTransferOpInterface op, Side &side);
  bool isZeroBehindTheEdge(vector::TransferReadOp read, const Copy &copy);
  bool isRunOfBytes(const Copy &copy);
  int64_t divisor(const Side &side, VectorType type, int64_t rowsMultipleOf);
  int64_t widthOf(const Copy &copy, int64_t rowsMultipleOf);

  const Target &target;
  IndexFacts &facts;
  IndexSums &sums;
  Hazards &hazards;
};

} // namespace

bool CopyPlanner::describeTransfer(VectorTransferOpInterface op, Side &side) {
  if (op.getMask()) {
    why = "lanes of the vector are masked";
    return false;
  }
  // Any projected permutation is allowed: a slot of memref<2x1x8xf32>, a ring,
  // has two dims of extent 1, and the vector may lie along the first of them.
  AffineMap map = op.getPermutationMap();
  if (!map.isProjectedPermutation()) {
    why = "the vector repeats elements of the memref";
    return false;
  }
  for (AffineExpr dim : map.getResults())
    side.dims.push_back(cast<AffineDimExpr>(dim).getPosition());
  side.op = op;
  side.memref = op.getBase();
  side.indices = SmallVector<Value>(op.getIndices());
  return true;
}

/// Returns whether the padding is zero: an instruction that reads less than it
/// writes fills the rest with zeros.
bool CopyPlanner::isZeroBehindTheEdge(vector::TransferReadOp read,
                                      const Copy &copy) {
  if (llvm::all_of(copy.isInside, [](bool inside) { return inside; }))
    return true;
  Value padding = read.getPadding();
  Attribute number;
  bool isZero =
      padding.getDefiningOp<ub::PoisonOp>() || matchPattern(padding, m_Zero());
  if (matchPattern(padding, m_Constant(&number)))
    if (auto real = dyn_cast<FloatAttr>(number))
      isZero = real.getValue().isPosZero();
  if (!isZero) {
    why = "what lies outside is not read as zero";
    return false;
  }
  for (auto [inside, dim] : llvm::zip_equal(copy.isInside, copy.from.dims))
    if (!inside && !facts.isNonNegative(read.getIndices()[dim])) {
      why = "it may begin before the memory";
      return false;
    }
  return true;
}

template <typename Op> static void describeMinor(Op op, Side &side) {
  side.op = op;
  side.memref = op.getBase();
  side.indices = SmallVector<Value>(op.getIndices());
  unsigned rank = op.getVectorType().getRank(), all = side.indices.size();
  llvm::append_range(side.dims, llvm::seq(all - rank, all));
  side.alignment = op.getAlignment().value_or(1);
}

bool CopyPlanner::describeRead(Operation *op, Copy &copy) {
  if (auto read = dyn_cast<vector::TransferReadOp>(op)) {
    auto transfer = cast<VectorTransferOpInterface>(op);
    copy.isInside = transfer.getInBoundsValues();
    return describeTransfer(transfer, copy.from) &&
           isZeroBehindTheEdge(read, copy);
  }
  auto load = cast<vector::LoadOp>(op);
  copy.isInside.assign(copy.rank(), true);
  describeMinor(load, copy.from);
  return true;
}

static SmallVector<int64_t> stridesOf(Value memref, int64_t &offset) {
  SmallVector<int64_t> strides;
  if (failed(cast<MemRefType>(memref.getType())
                 .getStridesAndOffset(strides, offset)))
    return {};
  return strides;
}

/// Returns whether neighbours in the vector are neighbours in memory, without
/// gaps.
bool CopyPlanner::isRunOfBytes(const Copy &copy) {
  Type element = copy.type.getElementType();
  if (!element.isIntOrFloat() || !fillsItsBytes(element) ||
      element.getIntOrFloatBitWidth() > 64) {
    why = "its elements do not fill whole bytes";
    return false;
  }
  for (const Side *side : {&copy.from, &copy.to}) {
    int64_t offset;
    SmallVector<int64_t> strides = stridesOf(side->address.array, offset);
    if (strides.empty() || strides.back() != 1 ||
        arrayDimOf(*side, copy.rank() - 1) + 1 != strides.size()) {
      why = "its elements are not neighbours in memory";
      return false;
    }
  }
  return true;
}

/// Returns a number of elements that divides the addresses of a side, if the
/// length of the rows of its array is a multiple of `rowsMultipleOf`.
int64_t CopyPlanner::divisor(const Side &side, VectorType type,
                             int64_t rowsMultipleOf) {
  auto memory = cast<MemRefType>(side.address.array.getType());
  int64_t offset;
  SmallVector<int64_t> strides = stridesOf(side.address.array, offset);
  bool isRowMajor = memory.getLayout().isIdentity();
  int64_t rank = memory.getRank();
  SmallVector<bool> moves(rank, false);
  for (int64_t i = 0; i < type.getRank(); ++i)
    moves[arrayDimOf(side, i)] = type.getDimSize(i) > 1;
  int64_t result = divisorOfBase(side.address.array, facts, target);
  int64_t inner = 1; // divides the elements of one step along the dim
  for (int64_t dim = rank - 1; dim >= 0; --dim) {
    int64_t stride = ShapedType::isDynamic(strides[dim])
                         ? (isRowMajor ? inner : 1)
                         : std::abs(strides[dim]);
    int64_t index = 0;
    for (OpFoldResult part : side.address.indices[dim]) {
      auto number = getConstantIntValue(part);
      index = std::gcd(index, number ? std::abs(*number)
                                     : facts.divisor(cast<Value>(part)));
    }
    if (moves[dim] && dim + 1 != rank)
      index = 1;
    result = std::gcd(result, (stride % result) * (index % result));
    int64_t extent = memory.getDimSize(dim);
    if (!ShapedType::isDynamic(extent))
      inner = std::gcd(result, inner * (extent % result));
    else if (dim + 1 == rank)
      inner = rowsMultipleOf;
  }
  return result;
}

int64_t CopyPlanner::widthOf(const Copy &copy, int64_t rowsMultipleOf) {
  int64_t bytes = bytesInMemory(copy.type.getElementType());
  int64_t from = divisor(copy.from, copy.type, rowsMultipleOf);
  int64_t to = divisor(copy.to, copy.type, /*rowsMultipleOf=*/1);
  if (copy.rank() == 1) {
    from = std::lcm(from, std::max<int64_t>(1, copy.from.alignment / bytes));
    to = std::lcm(to, std::max<int64_t>(1, copy.to.alignment / bytes));
  }
  int64_t both = std::gcd(from, to);
  for (int64_t size : llvm::reverse(target.asyncCopyBytes)) {
    int64_t width = size / bytes;
    if (width > 0 && both % width == 0 &&
        copy.type.getShape().back() % width == 0)
      return width;
  }
  return 0;
}

/// Returns whether only the rows' length is unknown about the source.
static bool hasRowsOfUnknownLength(const Copy &copy) {
  auto type = cast<MemRefType>(copy.from.address.array.getType());
  return isFunctionArgument(copy.from.address.array) &&
         type.getLayout().isIdentity() && type.getRank() > 1 &&
         ShapedType::isDynamic(type.getShape().back());
}

/// Returns whether a memref is in global memory; arguments without a memory
/// space are.
static bool isGlobalMemory(Value memref) {
  auto type = dyn_cast<MemRefType>(memref.getType());
  if (!type || !type.getMemorySpace())
    return bool(type);
  auto space = dyn_cast<gpu::AddressSpaceAttr>(type.getMemorySpace());
  return space && space.getValue() == gpu::AddressSpace::Global;
}

/// Returns the read whose result the write stores, if it reads global memory.
static Operation *findRead(Value stored) {
  Operation *op = stored.getDefiningOp();
  Value memref;
  if (auto read = dyn_cast_or_null<vector::TransferReadOp>(op))
    memref = read.getBase();
  else if (auto load = dyn_cast_or_null<vector::LoadOp>(op))
    memref = load.getBase();
  if (!memref || !isGlobalMemory(memref))
    return nullptr;
  Value array = arrayBehind(memref);
  return isFunctionArgument(array) || array.getDefiningOp<memref::GetGlobalOp>()
             ? op
             : nullptr;
}

bool CopyPlanner::describeWrite(Operation *op, Copy &copy) {
  if (auto transfer = dyn_cast<vector::TransferWriteOp>(op)) {
    if (transfer.hasOutOfBoundsDim()) {
      why = "the write may leave its memory";
      return false;
    }
    return describeTransfer(cast<VectorTransferOpInterface>(op), copy.to);
  }
  auto store = cast<vector::StoreOp>(op);
  describeMinor(store, copy.to);
  return true;
}

void CopyPlanner::chooseWidths(Copy &copy) {
  copy.width = widthOf(copy, /*rowsMultipleOf=*/1);
  if (!hasRowsOfUnknownLength(copy))
    return;
  int64_t most =
      target.asyncCopyBytes.back() / bytesInMemory(copy.type.getElementType());
  copy.testedWidth = widthOf(copy, most);
  if (copy.testedWidth <= copy.width)
    copy.testedWidth = 0;
}

std::optional<Copy> CopyPlanner::planPair(Operation *read, Operation *write) {
  Copy copy;
  copy.type = cast<VectorType>(read->getResult(0).getType());
  if (!read->hasOneUse())
    return refuse("others use what was read");
  if (read->getBlock() != write->getBlock())
    return refuse("read and write are not in one block");
  if (copy.rank() == 0 || copy.type.isScalable())
    return refuse("it is no vector of known length");
  if (!describeRead(read, copy) || !describeWrite(write, copy))
    return std::nullopt;
  for (Side *side : {&copy.from, &copy.to}) {
    auto type = cast<MemRefType>(side->memref.getType());
    if (type.getElementType() != copy.type.getElementType())
      return refuse("memory holds no scalars");
    side->address = addressOf(side->memref, side->indices);
  }
  if (!isRunOfBytes(copy))
    return std::nullopt;
  chooseWidths(copy);
  if (copy.width == 0 && copy.testedWidth == 0)
    return refuse("its addresses are multiples of too few bytes");

  SmallVector<int64_t> extents(copy.to.indices.size(), 1);
  for (auto [dim, extent] : llvm::zip_equal(copy.to.dims, copy.type.getShape()))
    extents[dim] = extent;
  copy.target = boxAt(copy.to.memref, copy.to.indices, extents, sums);
  for (Operation *op = read->getNextNode(); op != write; op = op->getNextNode())
    if (hazards.mayChangeSource(op, copy))
      return refuse("between read and write others may write the source");
  return copy;
}

/// Returns whether `lower` made the access, which then has an alignment: on its
/// own output nothing changes.
static bool isLowered(Operation *op) {
  if (auto load = dyn_cast<vector::LoadOp>(op))
    return load.getAlignment().has_value();
  auto store = dyn_cast<vector::StoreOp>(op);
  return store && store.getAlignment();
}

std::optional<Copy> CopyPlanner::plan(Operation *write) {
  why = "";
  Value stored, memref;
  if (auto transfer = dyn_cast<vector::TransferWriteOp>(write)) {
    stored = transfer.getVector();
    memref = transfer.getBase();
  } else if (auto store = dyn_cast<vector::StoreOp>(write)) {
    stored = store.getValueToStore();
    memref = store.getBase();
  }
  if (!memref || !isWorkgroupMemory(memref))
    return std::nullopt;
  Operation *read = findRead(stored);
  if (read && isLowered(read) && isLowered(write))
    return std::nullopt;
  return read ? planPair(read, write) : std::nullopt;
}

SmallVector<Copy, 0> async_copies::planCopies(Operation *kernel,
                                              const Target &target,
                                              IndexFacts &facts,
                                              IndexSums &sums, Hazards &hazards,
                                              Report report) {
  CopyPlanner planner(target, facts, sums, hazards);
  SmallVector<Copy, 0> copies;
  kernel->walk([&](Operation *op) {
    std::optional<Copy> copy = planner.plan(op);
    if (copy)
      copies.push_back(std::move(*copy));
    else if (!planner.why.empty())
      report(op, planner.why);
  });
  return copies;
}
