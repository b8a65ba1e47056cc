//===- TileVectors.cpp - Loops over tiles of n-D vectors ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements the pass: it finds the roots of a kernel whose unrolled code is
// too large, finds the cone of each (Cone.h), chooses tiles, and writes loops
// over slices (Slicer.h). Adjacent roots of one shape share a loop (fusion).
//
//===----------------------------------------------------------------------===//
#include "BufferAccess.h"
#include "CodeSize.h"
#include "Cone.h"
#include "InMemory.h"
#include "MaskedReductions.h"
#include "NativeWarnings.h"
#include "ShareWorkgroups.h"
#include "SliceIntrinsics.h"
#include "TileShape.h"
#include "WriteTiles.h"
#include "distaff/Analysis/Access/WorkgroupMemory.h"
#include "distaff/Analysis/Legality/UnknownTarget.h"
#include "distaff/Analysis/Log/Decisions.h"
#include "distaff/Analysis/Log/Provenance.h"
#include "distaff/Dialect/Distaff/NativeVector.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "distaff/Kernel/Kernel.h"
#include "distaff/Target/Target.h"
#include "distaff/Tiling/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Iterators.h"
#include "llvm/ADT/StringExtras.h"

namespace distaff {
#define GEN_PASS_DEF_TILEVECTORS
#include "distaff/Tiling/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using namespace distaff::vectortiles;

//===----------------------------------------------------------------------===//
// Roots
//===----------------------------------------------------------------------===//

/// Returns whether `op` writes a vector of at least one dim to memory.
static bool isWriteRoot(Operation *op) {
  if (isa<vector::MaskOp>(op->getParentOp()) || op->getNumResults() != 0 ||
      !isa<vector::TransferWriteOp, vector::StoreOp, vector::MaskedStoreOp,
           vector::ScatterOp>(op))
    return false;
  return isa<MemRefType>(memoryOf(op).getType()) && !rootShape(op).empty();
}

/// Returns whether `op` makes a scalar of a vector.
static bool isScalarRoot(Operation *op) {
  return isSliceable(op) && !isa<VectorType>(op->getResult(0).getType()) &&
         llvm::any_of(op->getOperandTypes(), llvm::IsaPred<VectorType>);
}

namespace {
struct Root {
  Operation *op;
  Cone cone;
};

/// Tiles the vectors of one kernel.
class VectorTiling {
public:
  VectorTiling(func::FuncOp kernel, const Machine &machine, DecisionLog *log)
      : kernel(kernel), machine(machine), hazards(kernel), log(log) {
    if (!machine.isHost)
      this->machine.bufferBytes -=
          workgroupMemoryOf(kernel, machine.target->workgroupAlignment());
  }

  LogicalResult run();

private:
  SmallVector<Operation *> findLargeRoots();
  bool isInRegisters(Operation *root, ArrayRef<Value> newlyKept) const;
  LogicalResult refuseWhole(Operation *root, Value whole);
  LogicalResult findRoots();
  void findKeptRoots();
  void createBuffers();
  bool canShareLoop(const Root &first, const Root &second);
  bool isFreeOfHazards(const Root &reader, const Root &writer);
  void writeRoots();
  void warnOfSizes();
  void writeLoop(ArrayRef<Operation *> roots, const TileHints &hints,
                 bool isAsked);
  void eraseDead();

  func::FuncOp kernel;
  Machine machine;
  Hazards hazards;
  Kept kept;
  SmallVector<Root, 0> writes, scalars, keptRoots;
  SmallVector<Value> keptWhole;
  bool hasWhole = false; // a root has no tiles
  Buffers buffers;
  DecisionLog *log;
};
} // namespace

/// Returns the roots whose unrolled code is too large, alone or together with
/// other roots.
SmallVector<Operation *> VectorTiling::findLargeRoots() {
  SmallVector<std::pair<Operation *, int64_t>> roots;
  int64_t total = 0;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isWriteRoot(op) && !isScalarRoot(op))
      return;
    roots.push_back({op, straightPieces(op, machine)});
    total += roots.back().second;
  });
  SmallVector<Operation *> large;
  for (auto [op, pieces] : roots)
    if (hasNativeShape(op) || isTooLarge(op, pieces, total, machine))
      large.push_back(op);
  return large;
}

/// Warns of a user's native vector that is not followed.
static void warnOfWhole(Operation *root, Value whole) {
  InFlightDiagnostic diagnostic =
      root->emitWarning("'")
      << root->getName() << "' op is not computed by its native_vector";
  diagnostic.attachNote(whole.getLoc())
      << "this value has to exist as a whole, of " << whole.getType()
      << ", and no memory is left for it";
}

/// Refuses a value that has no room in memory, and whose unrolled code would be
/// too large in registers.
LogicalResult VectorTiling::refuseWhole(Operation *root, Value whole) {
  int64_t pieces = machine.pieces(whole.getType());
  if (auto cast = whole.getDefiningOp<vector::ShapeCastOp>();
      cast && mayBeOnEachLane(cast, machine))
    pieces = cast.getType().getNumElements();
  if (auto slice = whole.getDefiningOp<vector::InsertStridedSliceOp>();
      slice &&
      isPartOnEachLane(slice.getDestVectorType(), slice.getSourceVectorType(),
                       slice.getOffsets(), machine))
    pieces = slice.getDestVectorType().getNumElements();
  if (machine.isHost || pieces <= machine.codePieces)
    return success();
  InFlightDiagnostic diagnostic =
      root->emitOpError("needs a value that has to exist as a whole, of ")
      << bufferBytesOf(whole.getType()) << " bytes, " << pieces
      << " registers per lane: " << machine.target->name << " has "
      << machine.bufferBytes << " bytes of workgroup memory left for it, and "
      << machine.registers
      << " registers; write it to an argument and read it from there, or make "
         "the vector smaller";
  diagnostic.attachNote(whole.getLoc()) << "this value, of " << whole.getType();
  return diagnostic;
}

static bool isKeptByTiles(Value value, const Machine &machine) {
  Operation *op = value.getDefiningOp();
  if (auto scan = dyn_cast_or_null<vector::ScanOp>(op))
    return value == scan.getDest() && canScanByTiles(scan, machine);
  return op && isSliceable(op);
}

/// Returns whether lanes already hold in registers the values that a root of
/// that size is computed from, so that loops would only move them through
/// memory.
bool VectorTiling::isInRegisters(Operation *root,
                                 ArrayRef<Value> newlyKept) const {
  auto isWholeInRegisters = [&](Value value) {
    return !isKeptByTiles(value, machine) &&
           machine.pieces(value.getType()) <= machine.registers;
  };
  return !machine.isHost && !hasNativeShape(root) &&
         machine.pieces(rootShape(root)) <= machine.registers &&
         llvm::any_of(newlyKept, isWholeInRegisters);
}

LogicalResult VectorTiling::findRoots() {
  SmallVector<Operation *> roots = findLargeRoots();
  for (Operation *op : roots) {
    Value whole;
    Kept before = kept;
    FailureOr<Cone> cone = findCone(op, machine, hazards, kept, &whole);
    if (succeeded(cone) &&
        isInRegisters(op, kept.getArrayRef().drop_front(before.size()))) {
      kept = std::move(before);
      continue;
    }
    if (failed(cone)) {
      if (hasNativeShape(op))
        warnOfWhole(op, whole);
      else if (failed(refuseWhole(op, whole)))
        return failure();
      hasWhole = true;
      continue;
    }
    (isWriteRoot(op) ? writes : scalars).push_back({op, std::move(*cone)});
  }
  return success();
}

/// Finds the roots of kept values, which are tiled too if possible; others are
/// computed by their op.
void VectorTiling::findKeptRoots() {
  for (size_t i = 0; i < kept.size(); ++i) {
    Operation *op = kept[i].getDefiningOp();
    auto isOfOp = [&](const Root &root) { return root.op == op; };
    bool isByTiles = isKeptByTiles(kept[i], machine);
    if (isByTiles && llvm::any_of(keptRoots, isOfOp))
      continue; // with another of its results
    if (isByTiles)
      if (FailureOr<Cone> cone = findCone(op, machine, hazards, kept);
          succeeded(cone)) {
        keptRoots.push_back({op, std::move(*cone)});
        continue;
      }
    keptWhole.push_back(kept[i]);
  }
}

void VectorTiling::warnOfSizes() {
  SmallVector<const Cone *> cones;
  for (const Root &root : llvm::concat<const Root>(writes, scalars, keptRoots))
    cones.push_back(&root.cone);
  warnOfNativeVectors(kernel, cones, hasWhole);
}

/// Allocates buffers in the workgroup's memory, at the start of its code.
void VectorTiling::createBuffers() {
  for (Value value : kept)
    buffers[value] =
        allocateBuffer(bufferTypeOf(cast<VectorType>(value.getType())),
                       value.getParentBlock(), value.getLoc(), machine);
}

//===----------------------------------------------------------------------===//
// Loops that roots share
//===----------------------------------------------------------------------===//

/// Returns whether one root reads, in every iteration of a shared loop, the
/// values from before the loop, in which the other root writes.
bool VectorTiling::isFreeOfHazards(const Root &reader, const Root &writer) {
  return !findHazard(reader.cone, writer.op, hazards);
}

/// Returns whether tiles of one loop can be in the order that either root
/// requires.
static bool canShareOrder(const TileHints &first, const TileHints &second) {
  return !first.ordered || !second.ordered || first.ordered == second.ordered;
}

bool VectorTiling::canShareLoop(const Root &first, const Root &second) {
  if (first.op->getBlock() != second.op->getBlock() ||
      rootShape(first.op) != rootShape(second.op) ||
      first.cone.hints.asked != second.cone.hints.asked ||
      isa<vector::ScatterOp>(first.op) || isa<vector::ScatterOp>(second.op) ||
      hazards.mayAlias(memoryOf(first.op), memoryOf(second.op)) ||
      !isFreeOfHazards(first, second) || !isFreeOfHazards(second, first) ||
      !canShareOrder(first.cone.hints, second.cone.hints))
    return false;
  for (Operation *op = first.op->getNextNode(); op != second.op;
       op = op->getNextNode()) {
    if (hazards.mayRead(op, memoryOf(first.op)) ||
        hazards.mayWrite(op, memoryOf(first.op)))
      return false;
    for (auto [read, isInPlace] : first.cone.reads)
      if (hazards.mayWrite(op, memoryOf(read)))
        return false;
  }
  return true;
}

static std::string withCrosses(ArrayRef<int64_t> sizes) {
  return llvm::join(
      llvm::map_range(sizes, [](int64_t size) { return llvm::itostr(size); }),
      "x");
}

void VectorTiling::writeLoop(ArrayRef<Operation *> roots,
                             const TileHints &hints, bool isAsked) {
  Operation *root = roots.front();
  RootTile tile = chooseTile(root, hints, machine);
  if (log) {
    ChoiceDecision decision;
    decision.line = lineOf(root->getLoc());
    decision.function = kernel.getName().str();
    decision.subject = "native vector";
    decision.chosen = {withCrosses(tile.sizes), machine.pieces(tile.sizes),
                       isAsked ? "as asked" : ""};
    decision.losers.push_back({withCrosses(rootShape(root)),
                               straightPieces(root, machine),
                               "more straight code"});
    log->choices.push_back(std::move(decision));
  }
  writeTiles(roots, tile, machine, buffers);
}

void VectorTiling::writeRoots() {
  for (const Root &root : keptRoots)
    writeLoop(root.op, root.cone.hints, isAsAsked(root.op, root.cone));
  for (Value value : keptWhole) {
    OpBuilder b(kernel.getContext());
    b.setInsertionPointAfterValue(value);
    Value buffer = buffers.lookup(value);
    writeBuffer(b, value.getLoc(), value, buffer,
                originOf(b, value.getLoc(), buffer));
  }
  for (size_t i = 0; i < writes.size();) {
    SmallVector<Operation *> group = {writes[i].op};
    TileHints hints = writes[i].cone.hints;
    bool isAsked = isAsAsked(writes[i].op, writes[i].cone);
    size_t end = i + 1;
    auto joins = [&](const Root &next) {
      return llvm::all_of(
          ArrayRef(writes).slice(i, end - i),
          [&](const Root &one) { return canShareLoop(one, next); });
    };
    for (; end < writes.size() && joins(writes[end]); ++end) {
      group.push_back(writes[end].op);
      hints.merge(writes[end].cone.hints);
    }
    writeLoop(group, hints, isAsked);
    for (Operation *op : group)
      op->erase();
    i = end;
  }
  for (const Root &root : scalars)
    writeValue(root.op, machine, buffers);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

void VectorTiling::eraseDead() {
  kernel.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    // MLIR does not model that a call of an intrinsic has no effect.
    if (isOpTriviallyDead(op) ||
        (op->use_empty() && isElementwiseIntrinsic(op)))
      op->erase();
  });
  kernel->removeAttr(core::nativeVectorAttributeName);
  kernel.walk(
      [](Operation *op) { op->removeAttr(core::nativeVectorAttributeName); });
}

LogicalResult VectorTiling::run() {
  unmaskLargeReductions(kernel, machine);
  if (machine.bufferBytes > 0)
    MemoryForm(kernel, machine, hazards).run();
  if (failed(findRoots()))
    return failure();
  findKeptRoots();
  warnOfSizes();
  createBuffers();
  int64_t pieces = 0;
  bool isAlone = !writes.empty() && kept.empty() && scalars.empty() &&
                 !findWorkgroupLoop(kernel);
  for (const Root &root : writes) {
    pieces += straightPieces(root.op, machine);
    isAlone &= !isa<vector::ScatterOp>(root.op); // scatters run in order
  }
  writeRoots();
  eraseDead();
  if (isAlone)
    shareWorkgroups(kernel, pieces, machine);
  return success();
}

/// Returns whether layouts, which are of whole vectors, are fixed.
static bool hasLayouts(func::FuncOp kernel) {
  return kernel
      ->walk([](Operation *op) {
        return isa<vector_ext::ToLayoutOp>(op) ||
                       op->hasAttr(iree::LoweringConfigAttr::attributeName)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Refuses native vectors in code with layouts, which distribute a whole
/// vector.
static LogicalResult refuseNativeVector(func::FuncOp kernel) {
  WalkResult found = kernel->walk([](Operation *op) {
    if (core::nativeVectorOf(op).empty())
      return WalkResult::advance();
    op->emitOpError(
        "has a native_vector in a kernel with layouts, which are of "
        "whole vectors; leave one of them out");
    return WalkResult::interrupt();
  });
  return failure(found.wasInterrupted());
}

namespace {
struct TileVectors final : distaff::impl::TileVectorsBase<TileVectors> {
  using TileVectorsBase::TileVectorsBase;
  TileVectors(TileVectorsOptions options, DecisionLog *log)
      : TileVectorsBase(std::move(options)), log(log) {}

  void runOnOperation() override {
    const Target *machine = requireTarget(getOperation()->getLoc(), target);
    if (!machine)
      return signalPassFailure();
    if (machine->isHost())
      passLargeVectors(getOperation(), Machine::get(*machine, 1, strictFp));
    for (func::FuncOp kernel :
         llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      if (!isKernel(kernel) || kernel.isExternal() || mentionsTensors(kernel))
        continue;
      if (hasLayouts(kernel)) {
        if (failed(refuseNativeVector(kernel)))
          return signalPassFailure();
        continue;
      }
      int64_t lanes = 1;
      if (auto info = kernel->getAttrOfType<iree::TranslationInfoAttr>(
              iree::TranslationInfoAttr::attributeName))
        for (int64_t size : info.getWorkgroupSize())
          lanes *= size;
      Machine ofLanes = Machine::get(*machine, lanes, strictFp);
      if (failed(VectorTiling(kernel, ofLanes, log).run()))
        return signalPassFailure();
    }
  }

  DecisionLog *log = nullptr;
};
} // namespace

std::unique_ptr<Pass> distaff::createTileVectors(TileVectorsOptions options,
                                                 DecisionLog *log) {
  return std::make_unique<TileVectors>(std::move(options), log);
}
