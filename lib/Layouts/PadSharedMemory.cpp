//===- PadSharedMemory.cpp - Padding against bank conflicts ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tries row pitches up to 128 bytes larger than the rows: the buffer and its
// views get the types, the traffic of each access in its layout is counted
// (SharedTraffic.h), and the types with the least traffic are kept. Accesses
// that cannot be counted (gathers, single elements) have no influence.
//
//===----------------------------------------------------------------------===//
#include "PadSharedMemory.h"
#include "distaff/Analysis/Access/AccessWidth.h"
#include "distaff/Analysis/Access/SharedTraffic.h"
#include "distaff/Analysis/Access/WorkgroupMemory.h"
#include "distaff/Analysis/Layout/LayoutChoice.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;

static constexpr int64_t mostPaddingBytes = 128;

namespace {
/// Collects a buffer in workgroup memory, its views and its accesses.
class OwnRows {
public:
  OwnRows(Value root, const LayoutMap &layouts, HardwareShape hardware,
          const Target &target)
      : root(root), layouts(layouts), hardware(hardware), target(target) {}

  /// Finds the views and the accesses; returns false where a use does not allow
  /// another type.
  bool follow() { return follow(root); }
  /// Gives rows of the buffer that many elements of padding.
  bool pad(int64_t elements);
  int64_t cost() const;
  int64_t bytes() const {
    return workgroupBytesOf(cast<MemRefType>(root.getType()));
  }

private:
  struct Use {
    Operation *op;
    Layout layout;
    int64_t trips;
  };
  bool follow(Value memref);
  void enter(Operation *op);

  Value root;
  const LayoutMap &layouts;
  HardwareShape hardware;
  const Target &target;
  struct View {
    memref::SubViewOp op;
    MemRefType type; // as written
  };
  SmallVector<View> views; // each after its source
  SmallVector<Use> uses;
};
} // namespace

/// Returns the layout of the vector that an op loads or stores.
static vector_ext::VectorLayoutInterface movedLayout(Operation *op,
                                                     const LayoutMap &layouts) {
  for (Value result : op->getResults())
    if (auto layout = layouts.get(result))
      return layout;
  if (auto write = dyn_cast<vector::TransferWriteOp>(op))
    return layouts.getUse(write.getValueToStoreMutable());
  if (auto store = dyn_cast<vector::StoreOp>(op))
    return layouts.getUse(store.getValueToStoreMutable());
  return nullptr;
}

void OwnRows::enter(Operation *op) {
  auto layout = movedLayout(op, layouts);
  if (!layout)
    return;
  Layout digits = layout.getLayout();
  std::optional<Layout> placed =
      digits.forTarget(hardware.subgroups * hardware.lanes, hardware.lanes);
  uses.push_back({op, placed.value_or(digits), tripsAround(op)});
}

bool OwnRows::follow(Value memref) {
  for (OpOperand &use : memref.getUses()) {
    Operation *op = use.getOwner();
    if (auto view = dyn_cast<memref::SubViewOp>(op)) {
      views.push_back({view, view.getType()});
      if (!follow(view.getResult()))
        return false;
      continue;
    }
    // These ops accept memory of any strides, and return no view of it.
    if (!isa<vector::TransferReadOp, vector::TransferWriteOp, vector::LoadOp,
             vector::StoreOp, vector::MaskedLoadOp, vector::MaskedStoreOp,
             vector::GatherOp, vector::ScatterOp, vector_ext::TransferGatherOp,
             vector_ext::TransferScatterOp, memref::LoadOp, memref::StoreOp,
             memref::DimOp, memref::DeallocOp>(op))
      return false;
    enter(op);
  }
  return true;
}

/// Returns the row-major type with padded rows; null where that is no type.
static MemRefType paddedType(MemRefType type, int64_t padding) {
  ArrayRef<int64_t> shape = type.getShape();
  if (padding == 0)
    return MemRefType::get(shape, type.getElementType(), AffineMap(),
                           type.getMemorySpace());
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t dim = int64_t(shape.size()) - 2; dim >= 0; --dim) {
    bool isRow = dim + 2 == int64_t(shape.size());
    int64_t inner = shape[dim + 1] + (isRow ? padding : 0);
    if (llvm::MulOverflow(strides[dim + 1], inner, strides[dim]))
      return nullptr;
  }
  return MemRefType::get(shape, type.getElementType(),
                         StridedLayoutAttr::get(type.getContext(), 0, strides),
                         type.getMemorySpace());
}

bool OwnRows::pad(int64_t elements) {
  MemRefType type = paddedType(cast<MemRefType>(root.getType()), elements);
  if (!type)
    return false;
  root.setType(type);
  for (View &view : views)
    view.op.getResult().setType(
        elements == 0
            ? view.type
            : cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
                  view.type.getShape(), view.op.getSourceType(),
                  view.op.getMixedOffsets(), view.op.getMixedSizes(),
                  view.op.getMixedStrides())));
  return true;
}

int64_t OwnRows::cost() const {
  int64_t sum = 0;
  for (const Use &use : uses)
    if (auto one = trafficOf(use.op, use.layout, hardware, target))
      sum += use.trips * one->cost(target.costs);
  return sum;
}

/// Returns whether the kernel may choose the row pitch of a buffer.
static bool areFree(Value buffer) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  return type && gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type) &&
         type.hasStaticShape() && type.getLayout().isIdentity() &&
         type.getRank() >= 2 && type.getNumElements() > 0 &&
         type.getElementType().isIntOrIndexOrFloat();
}

/// Replaces an allocation, which has no strides, by one of padded rows and a
/// view of it.
static void allocatePadded(memref::AllocOp alloc, int64_t padding) {
  auto strided = cast<MemRefType>(alloc.getType());
  SmallVector<int64_t> shape(strided.getShape());
  OpBuilder b(alloc);
  SmallVector<OpFoldResult> zeros(shape.size(), b.getIndexAttr(0)),
      ones(shape.size(), b.getIndexAttr(1)),
      sizes = getAsIndexOpFoldResult(b.getContext(), shape);
  shape.back() += padding;
  auto whole = memref::AllocOp::create(
      b, alloc.getLoc(),
      MemRefType::get(shape, strided.getElementType(), AffineMap(),
                      strided.getMemorySpace()),
      alloc.getAlignmentAttr());
  auto view = memref::SubViewOp::create(b, alloc.getLoc(), strided, whole,
                                        zeros, sizes, ones);
  for (Operation *user : llvm::make_early_inc_range(alloc->getUsers()))
    if (isa<memref::DeallocOp>(user))
      user->setOperand(0, whole);
  alloc.replaceAllUsesWith(view.getResult());
  alloc.erase();
}

/// Tries one row pitch after the other, and keeps the best.
static void arrange(Value buffer, OwnRows &rows, int64_t room) {
  auto type = cast<MemRefType>(buffer.getType());
  int64_t bytes = bytesInMemory(type.getElementType());
  int64_t least = rows.cost();
  int64_t best = 0;
  for (int64_t padding = 1; padding * bytes <= mostPaddingBytes; ++padding) {
    if (!rows.pad(padding) || rows.bytes() > room)
      break;
    int64_t cost = rows.cost();
    if (cost < least) {
      least = cost;
      best = padding;
    }
  }
  rows.pad(best);
  if (auto alloc = buffer.getDefiningOp<memref::AllocOp>(); alloc && best > 0)
    allocatePadded(alloc, best);
}

void distaff::padSharedMemory(FunctionOpInterface function,
                              const LayoutMap &layouts, HardwareShape hardware,
                              const Target &target, int64_t reserved) {
  SmallVector<Value> buffers(function.getArguments());
  function->walk([&](memref::AllocOp alloc) { buffers.push_back(alloc); });
  int64_t alignment = target.workgroupAlignment();
  for (Value buffer : buffers) {
    if (!areFree(buffer))
      continue;
    OwnRows rows(buffer, layouts, hardware, target);
    if (!rows.follow())
      continue;
    int64_t others = workgroupMemoryOf(function, alignment) - rows.bytes();
    arrange(buffer, rows, target.dynamicSharedMemoryBytes - others - reserved);
  }
  function.setType(
      FunctionType::get(function->getContext(),
                        llvm::to_vector(function.front().getArgumentTypes()),
                        function.getResultTypes()));
}
