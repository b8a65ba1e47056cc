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
#include "Exchange/Blocks.h"
#include "Rules/Rules.h"
#include "distaff/Analysis/Access/AccessWidth.h"
#include "distaff/Analysis/Access/WorkgroupMemory.h"
#include "distaff/Analysis/Layout/LayoutTransfer.h"
#include "distaff/Analysis/Legality/TargetOps.h"
#include "distaff/CheckedSize.h"
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

static int64_t exchangeMemory(FunctionOpInterface function,
                              const DistributionOptions &options) {
  int64_t bytes = options.sharedMemoryBytes;
  if (bytes == 0)
    return 0;
  // At least 1, for 0 is any amount.
  return options.allocate
             ? std::max<int64_t>(1, bytes - bytes % options.workgroupAlignment)
             : workgroupMemoryLeft(function, bytes, options.workgroupAlignment);
}

Distributor::Distributor(Region &region, const DistributionOptions &options,
                         LayoutMap layouts)
    : options(options), ids(options),
      uniformity(region, {options.laneId, ids.id(Axis::Subgroup)}),
      motions(region.getParentOfType<FunctionOpInterface>()),
      hazards(*options.sync),
      sharedMemoryLeft(exchangeMemory(
          region.getParentOfType<FunctionOpInterface>(), options)),
      region(region), function(region.getParentOfType<FunctionOpInterface>()),
      layouts(std::move(layouts)) {
  region.walk([&](vector_ext::ToLayoutOp op) {
    origins.try_emplace(op.getLayout(), op.getLoc());
  });
  // Of blocks, lanes make fragments later, and exchange what a target's ops do.
  if (options.keepsBlocks)
    return;
  region.walk([&](Operation *op) {
    if (const TargetOp *row = distaff::targetOpOf(op))
      targetOps[op] = core::TargetOpAttr::get(op->getContext(), row->name);
  });
  region.walk([&](vector::ContractionOp op) {
    if (!isMmaContraction(op))
      return;
    Attribute kind = mmaAnchorOf(op.getLhs()).getMmaKindAttr();
    if (auto instruction = dyn_cast<iree::MmaLayoutAttr>(kind))
      mmaKinds[op] = instruction;
  });
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// Why a layout uses a level that is not handed out; empty if it does not.
static std::string forbiddenLevel(const Layout &layout,
                                  const DistributionOptions &options) {
  auto forbids = [&](Axis axis, bool mayUse, StringRef name,
                     StringRef others) -> std::string {
    bool uses = false;
    for (int64_t dim = 0; dim < layout.rank(); ++dim)
      uses |= llvm::any_of(layout.digits(dim), [&](const Digit &digit) {
        return digit.axis == axis;
      });
    if (!uses || mayUse)
      return {};
    return ("layout is split over " + name + ", where values may be split " +
            others + ": " + toString(layout) + " (DG6); lay it out without " +
            name)
        .str();
  };
  std::string why =
      forbids(Axis::Subgroup, options.maySplitOverSubgroups, "subgroups",
              options.maySplitOverLanes ? "over lanes only" : "over nothing");
  if (!why.empty())
    return why;
  return forbids(Axis::Lane, options.maySplitOverLanes, "lanes",
                 options.maySplitOverSubgroups ? "over subgroups only"
                                               : "over nothing");
}

FailureOr<Placement> distaff::placeFor(VectorLayoutInterface layout,
                                       const DistributionOptions &options,
                                       std::string *why) {
  if (options.keepsBlocks)
    return placeBlocks(layout, options.numSubgroups, why);
  Layout whole = layout.getLayout();
  // Before it is fitted: a level that there is none of becomes registers.
  std::string reason = forbiddenLevel(whole, options);
  std::optional<Layout> fitted;
  if (reason.empty()) {
    int64_t threads = options.numSubgroups * options.subgroupSize;
    fitted = whole.forTarget(threads, options.subgroupSize, &reason);
    if (!fitted)
      reason += " in " + toString(whole) + " (DG6)" +
                whole.howToFit(threads, options.subgroupSize);
  }
  if (fitted)
    reason = forbiddenLevel(*fitted, options);
  if (!reason.empty()) {
    if (why)
      *why = reason;
    return failure();
  }
  // A layout that fits as it is keeps its spelling, and so its vectors' shapes.
  auto fittedAttr =
      *fitted == whole
          ? layout
          : vector_ext::getLayoutAttr(layout.getContext(), *fitted);
  return Placement(fittedAttr);
}

const Placement *Distributor::place(VectorLayoutInterface layout,
                                    std::string *why) {
  std::unique_ptr<Placement> &known = placements[layout];
  if (known)
    return known.get();
  FailureOr<Placement> placement = placeFor(layout, options, why);
  if (failed(placement))
    return nullptr;
  known = std::make_unique<Placement>(std::move(*placement));
  return known.get();
}

const ConversionPlan &Distributor::planOf(const Placement &from,
                                          const Placement &to,
                                          int64_t elementBits,
                                          const ConversionOptions &options) {
  // The memory that is left is always the same; what an instruction takes at
  // once is not (VX-286).
  int64_t key = elementBits;
  for (bool option : {options.forceShared, options.emitSelect,
                      options.emitShuffle, options.avoidShared})
    key = 2 * key + option;
  key = (key << 32) + options.storeRow;
  SmallVector<int64_t> order(options.loadOrder.registers);
  order.push_back(options.loadOrder.perOperand);
  auto &plan = plans[{&from, &to, key, std::move(order)}];
  if (!plan)
    plan = std::make_unique<ConversionPlan>(
        planConversion(from.layout, to.layout, hardware(), elementBits,
                       this->options.costs, this->options.banks, options));
  return *plan;
}

LogicalResult Distributor::verifyInput(Value value,
                                       const Placement &placement) {
  if (isInside(value)) // an argument
    return success();
  auto held = value.getDefiningOp<ToSimdOp>();
  VectorType expected =
      placement.type(cast<VectorType>(value.getType()).getElementType());
  if (!held)
    return emitError(value.getLoc()) << "vector from outside is no view "
                                        "(iree_vector_ext.to_simd) of what "
                                        "a lane holds, "
                                     << expected;
  if (held.getInput().getType() != expected)
    return held.emitOpError("is a view of ")
           << held.getInput().getType() << ", but by its layout a lane holds "
           << expected;
  return success();
}

LogicalResult Distributor::verifyLayouts(const RegionBoundary &boundary) {
  bool allFit = true;
  std::string why;
  region.walk([&](vector_ext::ToLayoutOp op) {
    if (place(op.getLayout(), &why))
      return;
    op.emitOpError("cannot be distributed: ") << why;
    allFit = false;
  });
  for (auto [value, layout] : boundary.inputs) {
    if (const Placement *placement = place(layout, &why)) {
      allFit &= succeeded(verifyInput(value, *placement));
      continue;
    }
    emitError(value.getLoc()) << "cannot be taken as distributed: " << why;
    allFit = false;
  }
  for (auto [at, layout] : llvm::enumerate(boundary.outputs)) {
    if (!layout || place(layout, &why))
      continue;
    region.front().getTerminator()->emitOpError()
        << "operand #" << at << " cannot be handed on: " << why;
    allFit = false;
  }
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

bool Distributor::isInside(Value value) const {
  return region.isAncestor(value.getParentRegion());
}

Value Distributor::get(OpBuilder &b, Value value, const Placement &placement) {
  auto type = cast<VectorType>(value.getType());
  if (auto simd = value.getDefiningOp<ToSimdOp>()) {
    assert(simd.getInput().getType() == placement.type(type.getElementType()) &&
           "a lane holds a value as it is placed");
    return simd.getInput();
  }
  if (LayoutMap::isLayoutFree(value)) {
    Value &known = built[{value, placement.attr}];
    if (known)
      return known;
    OpBuilder atDefinition(value.getContext());
    if (isInside(value))
      atDefinition.setInsertionPointAfterValue(value);
    else
      atDefinition.setInsertionPointToStart(&region.front());
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
    if (auto type = dyn_cast<VectorType>(result.getType())) {
      assert(value.getType() ==
                 placementOf(result)->type(type.getElementType()) &&
             "a rule makes of a result what a lane holds of it");
      result.replaceAllUsesWith(toSimd(b, value, result));
    } else {
      assert(value.getType() == result.getType() && "a scalar stays one");
      result.replaceAllUsesWith(value);
    }
  }
  op->erase();
}

//===----------------------------------------------------------------------===//
// Refusals
//===----------------------------------------------------------------------===//

void Distributor::note(Operation *op, const Twine &why,
                       const Placement *culprit) {
  Refusal refusal{why.str(), std::nullopt, std::nullopt};
  if (auto source = standsFor.find(op); source != standsFor.end())
    refusal.source = source->second;
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

int64_t Distributor::holdersOf(ArrayRef<Attribute> attributes,
                               ArrayRef<Value> values) {
  auto opaque = [](auto value) { return value.getAsOpaquePointer(); };
  std::pair key(SmallVector<const void *>(llvm::map_range(attributes, opaque)),
                SmallVector<const void *>(llvm::map_range(values, opaque)));
  return holders.try_emplace(std::move(key), holders.size()).first->second;
}

LogicalResult Distributor::requireShared(Operation *op, const Twine &what) {
  Operation *parent = uniformity.divergentParent(op);
  if (!parent)
    return success();
  StringRef around = parent->getName().getStringRef();
  return refuse(op, "needs " + what + ", but only some threads run it: '" +
                        around +
                        "' around it depends on a thread id (DG8); move it out "
                        "of the '" +
                        around +
                        "', or let that depend on what is the same in all "
                        "threads");
}

LogicalResult Distributor::requireRoom(Operation *op) {
  if (hasRoom())
    return success();
  if (options.allocate)
    return refuse(op, "needs " + Twine(options.workgroupAlignment) +
                          " bytes of workgroup memory at least to exchange "
                          "data, and those who run it are given " +
                          Twine(options.sharedMemoryBytes) +
                          " (DG7); make the kernel's own buffers smaller, or "
                          "lay the data out over one subgroup");
  return refuse(op, "needs " + Twine(options.workgroupAlignment) +
                        " bytes of workgroup memory at least to exchange data "
                        "between subgroups, and the kernel's own buffers leave "
                        "less of the target's " +
                        Twine(options.sharedMemoryBytes) +
                        " (DG7); make those smaller, or lay the data out over "
                        "one subgroup");
}

int64_t Distributor::bytesFor(ArrayRef<int64_t> shape, Type element) const {
  // Integers take whole bytes.
  return llvm::alignTo(saturatingProduct(ShapedType::getNumElements(shape),
                                         bytesInMemory(element)),
                       options.workgroupAlignment);
}

LogicalResult Distributor::requireRoomFor(Operation *op,
                                          ArrayRef<int64_t> shape,
                                          Type element) {
  if (hasRoomFor(shape, element))
    return success();
  return refuse(op, "passes " + Twine(bytesFor(shape, element)) +
                        " bytes between subgroups, and of the target's "
                        "workgroup memory those who run it are given " +
                        Twine(sharedMemoryLeft) +
                        " (PCF-134); make the tiles of a workgroup smaller, or "
                        "lay the data out over one subgroup");
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
  buffers.push_back(
      {alloc, int64_t(llvm::alignTo(workgroupBytesOf(type),
                                    options.workgroupAlignment))});
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
