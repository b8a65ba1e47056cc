//===- Distributor.cpp - What the distribution rules share ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values, layouts, refusals and memory, as seen by the rules.
//
//===----------------------------------------------------------------------===//
#include "Distributor.h"
#include "Rules.h"
#include "distaff/Analysis/WorkgroupMemory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/SymbolTable.h"

using namespace distaff;
using vector_ext::ToSimdOp;
using vector_ext::ToSimtOp;
using vector_ext::VectorLayoutInterface;

/// The block that the ids belong to: code is emitted at its start.
static Block &entryOf(const DistributionOptions &options) {
  Value lane = options.laneId;
  return *lane.getParentBlock();
}

/// The kind that the nearest to_layout before `value` names, looking through an
/// extension, which an instruction may take over.
static compat::MmaLayoutAttr mmaKindBefore(Value value) {
  if (auto extension = value.getDefiningOp<arith::ExtFOp>())
    value = extension.getIn();
  auto toLayout = value.getDefiningOp<vector_ext::ToLayoutOp>();
  if (!toLayout || !toLayout.getMmaKindAttr())
    return nullptr;
  return dyn_cast<compat::MmaLayoutAttr>(toLayout.getMmaKindAttr());
}

Distributor::Distributor(FunctionOpInterface function,
                         const DistributionOptions &options, LayoutMap layouts)
    : options(options), ids(options, entryOf(options)),
      uniformity(function, {options.laneId, ids.id(Axis::Subgroup)}),
      motions(function),
      sharedMemoryLeft(
          options.sharedMemoryBytes == 0
              ? 0
              : workgroupMemoryLeft(function, options.sharedMemoryBytes)),
      function(function), layouts(std::move(layouts)) {
  function.walk([&](vector_ext::ToLayoutOp op) {
    origins.try_emplace(op.getLayout(), op.getLoc());
  });
  function.walk([&](vector::ContractionOp op) {
    auto kind = mmaKindBefore(op.getLhs());
    if (kind && kind == mmaKindBefore(op.getRhs()))
      mmaKinds[op] = kind;
  });
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// Why a layout uses a level that is not handed out; empty if it does not.
static std::string forbiddenLevel(const Layout &layout,
                                  const DistributionOptions &options) {
  for (int64_t dim = 0; dim < layout.rank(); ++dim)
    for (const Digit &digit : layout.digits(dim)) {
      if (digit.axis == Axis::Subgroup && !options.maySplitOverSubgroups)
        return "layout is split over subgroups, which is not done here: " +
               toString(layout);
      if (digit.axis == Axis::Lane && !options.maySplitOverLanes)
        return "layout is split over lanes, which is not done here: " +
               toString(layout);
    }
  return {};
}

const Placement *Distributor::place(VectorLayoutInterface layout,
                                    std::string *why) {
  std::unique_ptr<Placement> &known = placements[layout];
  if (known)
    return known.get();
  std::string reason;
  Layout whole = layout.getLayout();
  std::optional<Layout> fitted =
      whole.forTarget(options.numSubgroups * options.subgroupSize,
                      options.subgroupSize, &reason);
  if (fitted)
    reason = forbiddenLevel(*fitted, options);
  if (!reason.empty()) {
    if (why)
      *why = reason;
    return nullptr;
  }
  // A layout that fits as it is keeps its spelling, and so its vectors' shapes.
  auto fittedAttr =
      *fitted == whole
          ? layout
          : vector_ext::getLayoutAttr(layout.getContext(), *fitted);
  known = std::make_unique<Placement>(fittedAttr);
  return known.get();
}

LogicalResult Distributor::verifyLayouts() {
  bool allFit = true;
  function.walk([&](vector_ext::ToLayoutOp op) {
    std::string why;
    if (place(op.getLayout(), &why))
      return;
    op.emitOpError("cannot be distributed: ") << why;
    allFit = false;
  });
  return success(allFit);
}

const Placement *Distributor::placementOf(Value value) {
  VectorLayoutInterface layout = layouts.get(value);
  return layout ? place(layout) : nullptr;
}

const Placement *Distributor::placementOf(OpOperand &use) {
  VectorLayoutInterface layout = layouts.getUse(use);
  return layout ? place(layout) : nullptr;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value Distributor::get(OpBuilder &b, Value value, const Placement &placement) {
  auto type = cast<VectorType>(value.getType());
  if (auto simd = value.getDefiningOp<ToSimdOp>())
    return simd.getInput();
  if (LayoutMap::isLayoutFree(value)) {
    Value &known = built[{value, placement.attr}];
    if (known)
      return known;
    OpBuilder atDefinition(value.getContext());
    atDefinition.setInsertionPointAfterValue(value);
    if (Value result = buildLayoutFree(atDefinition, value, placement, *this))
      return built[{value, placement.attr}] = result;
  }
  return ToSimtOp::create(b, value.getLoc(),
                          placement.type(type.getElementType()), value);
}

Value Distributor::get(OpBuilder &b, OpOperand &use) {
  if (!isa<VectorType>(use.get().getType()))
    return use.get();
  return get(b, use.get(), *placementOf(use));
}

Value Distributor::toSimd(OpBuilder &b, Value distributed,
                          Value undistributed) {
  Value simd = ToSimdOp::create(b, undistributed.getLoc(),
                                undistributed.getType(), distributed);
  layouts.set(simd, layouts.get(undistributed));
  return simd;
}

void Distributor::replace(Operation *op, ValueRange distributed) {
  OpBuilder b(op);
  for (auto [result, value] : llvm::zip_equal(op->getResults(), distributed)) {
    if (isa<VectorType>(result.getType()))
      result.replaceAllUsesWith(toSimd(b, value, result));
    else
      result.replaceAllUsesWith(value);
  }
  op->erase();
}

//===----------------------------------------------------------------------===//
// Refusals
//===----------------------------------------------------------------------===//

void Distributor::note(Operation *op, const Twine &why,
                       const Placement *culprit) {
  Refusal refusal{why.str(), std::nullopt};
  if (culprit)
    if (auto origin = origins.find(culprit->attr); origin != origins.end())
      refusal.origin = origin->second;
  refusals.insert(
      {op, std::move(refusal)}); // the first reason is the rule's own
}

LogicalResult Distributor::refuse(Operation *op, const Twine &why,
                                  const Placement *culprit) {
  note(op, why, culprit);
  return failure();
}

LogicalResult Distributor::requireShared(Operation *op, StringRef what) {
  Operation *parent = uniformity.divergentParent(op);
  if (!parent)
    return success();
  return refuse(op, "needs " + what + ", but only some threads run it: '" +
                        parent->getName().getStringRef() +
                        "' around it depends on a thread id");
}

LogicalResult Distributor::requireRoom(Operation *op) {
  if (sharedMemoryLeft == 0 || sharedMemoryLeft >= workgroupAlignment)
    return success();
  return refuse(op, "needs " + Twine(workgroupAlignment) +
                        " bytes of workgroup memory at least to exchange data "
                        "between subgroups, and the kernel's own buffers leave "
                        "less of the target's " +
                        Twine(options.sharedMemoryBytes) +
                        " (DG7); make those smaller, or lay the data out over "
                        "one subgroup");
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value Distributor::allocate(ArrayRef<int64_t> shape, Type element) {
  OpBuilder &b = ids.atEntry();
  auto space = gpu::AddressSpaceAttr::get(
      b.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  auto type =
      MemRefType::get(shape, element, MemRefLayoutAttrInterface(), space);
  auto alloc = memref::AllocOp::create(b, ids.loc(), type);
  buffers.push_back({alloc, int64_t(llvm::alignTo(workgroupBytesOf(type),
                                                  workgroupAlignment))});
  return alloc;
}

Value Distributor::table(OpBuilder &b, Location loc, DenseElementsAttr values) {
  auto type = MemRefType::get(values.getType().getShape(),
                              values.getType().getElementType());
  Operation *module = SymbolTable::getNearestSymbolTable(function);
  OpBuilder atModule(function);
  auto initial = values.reshape(
      RankedTensorType::get(type.getShape(), type.getElementType()));
  auto global = memref::GlobalOp::create(
      atModule, loc, (function.getName() + "__table").str(),
      atModule.getStringAttr("private"), type, initial, /*constant=*/true,
      /*alignment=*/IntegerAttr());
  SymbolTable(module).insert(global);
  return memref::GetGlobalOp::create(b, loc, type, global.getSymName());
}

Value distaff::isCanonical(Distributor &out, const Placement &placement) {
  return out.ids.isCanonical(placement.digitsOn(Axis::Subgroup),
                             placement.digitsOn(Axis::Lane));
}

Operation *distaff::emitGuarded(OpBuilder &b, Location loc, Value condition,
                                function_ref<void(OpBuilder &)> body) {
  if (condition) {
    auto guard = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
    OpBuilder inside = guard.getThenBodyBuilder();
    body(inside);
    return guard;
  }
  // Everything behind what is there now was emitted by the body.
  Block *block = b.getInsertionBlock();
  Operation *before = b.getInsertionPoint() == block->begin()
                          ? nullptr
                          : &*std::prev(b.getInsertionPoint());
  body(b);
  return before ? before->getNextNode() : &block->front();
}
