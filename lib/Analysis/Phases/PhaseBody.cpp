//===- PhaseBody.cpp - The body of a phase as a record --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PhaseReader.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace distaff;
using namespace distaff::pcf;

/// Returns the text of one dimension of a slice, `:` if it is the whole one.
static std::string dimOf(const IndexText &text, OpFoldResult offset,
                         OpFoldResult size, OpFoldResult stride,
                         int64_t extent) {
  std::optional<int64_t> from = getConstantIntValue(offset),
                         count = getConstantIntValue(size),
                         step = getConstantIntValue(stride);
  if (from == 0 && count == extent && step == 1)
    return ":";
  std::string start = text.of(offset);
  if (count == 1)
    return start;
  std::string by = step == 1 ? "" : ":" + text.of(stride);
  if (from && count && step == 1)
    return start + ":" + std::to_string(*from + *count);
  return start + ":+" + text.of(size) + by;
}

/// Returns `[k mod 2]`, `[0, 128:256]`, `[:, (k+1)*32:+32]`; empty for all of
/// it.
static std::string placeOf(const IndexText &text,
                           OffsetSizeAndStrideOpInterface slice,
                           SRefType type) {
  SmallVector<std::string> dims;
  for (auto [offset, size, stride, extent] :
       llvm::zip_equal(slice.getMixedOffsets(), slice.getMixedSizes(),
                       slice.getMixedStrides(), type.getShape()))
    dims.push_back(dimOf(text, offset, size, stride, extent));
  while (!dims.empty() && dims.back() == ":")
    dims.pop_back();
  return dims.empty() ? "" : "[" + llvm::join(dims, ", ") + "]";
}

/// Detects a ring: memory that is indexed by a remainder of its first extent.
void PhaseReader::noteSlots(OffsetSizeAndStrideOpInterface slice,
                            size_t memory) {
  auto type = cast<SRefType>(
      slice->getOperand(isa<WriteSliceOp>(slice.getOperation()) ? 1 : 0)
          .getType());
  if (type.getRank() < 2 || getConstantIntValue(slice.getMixedSizes()[0]) != 1)
    return;
  auto offset = dyn_cast<Value>(slice.getMixedOffsets()[0]);
  Operation *op = offset ? offset.getDefiningOp() : nullptr;
  if (isa_and_present<arith::RemUIOp, arith::RemSIOp>(op) &&
      getConstantIntValue(op->getOperand(1)) == type.getDimSize(0))
    program.memories[memory].slots = type.getDimSize(0);
}

/// Returns the text of a ref: its name, and the offset of a view in it.
std::string PhaseReader::viewOf(Value ref, size_t memory) {
  if (auto view = ref.getDefiningOp<SubviewOp>()) {
    noteSlots(view, memory);
    return viewOf(view.getSource(), memory) +
           placeOf(text, view, view.getRefType());
  }
  if (auto view = ref.getDefiningOp<ExpandShapeOp>())
    return viewOf(view.getSource(), memory) + "[split]";
  return program.memories[memory].name;
}

void PhaseReader::addSlice(Operation *op, Value ref, bool isWrite,
                           const std::string &condition, PhaseRecord &phase) {
  size_t memory = memoryOf(ref);
  auto slice = cast<OffsetSizeAndStrideOpInterface>(op);
  std::string place =
      viewOf(ref, memory) + placeOf(text, slice, cast<SRefType>(ref.getType()));
  noteSlots(slice, memory);
  addAccess({memory, std::move(place), condition, isWrite}, phase);
}

void PhaseReader::addAccess(PhaseAccess access, PhaseRecord &phase) {
  std::string key =
      (access.isWrite ? "w " : "r ") + access.place + " " + access.condition;
  if (seen.insert(key).second)
    phase.accesses.push_back(std::move(access));
}

void PhaseReader::addAccesses(Operation *op, const std::string &condition,
                              PhaseRecord &phase) {
  if (auto read = dyn_cast<ReadSliceOp>(op))
    return addSlice(op, read.getSource(), false, condition, phase);
  if (auto write = dyn_cast<WriteSliceOp>(op))
    return addSlice(op, write.getDest(), true, condition, phase);
  if (auto copy = dyn_cast<AsyncCopyOp>(op)) {
    for (Value ref : {copy.getSource(), copy.getDest()})
      addAccess({memoryOf(ref), viewOf(ref, memoryOf(ref)), condition,
                 /*isWrite=*/ref == copy.getDest()},
                phase);
    return;
  }
  if (auto escape = dyn_cast<GetMemrefOp>(op)) {
    addSlice(op, escape.getSource(), false, condition, phase);
    addSlice(op, escape.getSource(), true, condition, phase);
    program.notes.push_back(
        "phase " + std::to_string(phase.number) + " has " +
        program.memories[memoryOf(escape.getSource())].name +
        " as a memref: what it does with it is not shown");
    return;
  }
  if (isa<linalg::LinalgOp>(op))
    return;
  for (auto [number, region] : llvm::enumerate(op->getRegions())) {
    std::string inner = condition;
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      std::string own = text.ofCondition(branch.getCondition());
      own = number == 0 ? own : "not " + own;
      inner = condition.empty() ? own : condition + " and " + own;
    }
    for (Block &block : region)
      for (Operation &nested : block)
        addAccesses(&nested, inner, phase);
  }
}

/// Returns whether the op is the main work of a phase, and not the preparation
/// of operands.
static bool isPhaseWork(Operation *op) {
  if (isa<linalg::LinalgOp>(op))
    return !isa<linalg::TransposeOp, linalg::CopyOp>(op);
  if (isa<pcf::FenceOp, AsyncCopyOp, WaitOp>(op))
    return true;
  if (isa<arith::ConstantOp, affine::AffineMinOp, affine::AffineMaxOp>(op))
    return false;
  if (isa_and_present<vector::VectorDialect>(op->getDialect()))
    return isa<vector::ContractionOp, vector::MultiDimReductionOp,
               vector::ReductionOp, vector::ScanOp, vector::FMAOp>(op);
  StringRef dialect = op->getName().getDialectNamespace();
  if (dialect == "arith" || dialect == "math")
    return llvm::any_of(op->getResultTypes(), [](Type type) {
      return isa<ShapedType, FloatType>(type);
    });
  return dialect == "iree_codegen";
}

/// Returns the name of an op; for a product with a transposed factor that of
/// the named op.
static StringRef nameOf(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (generic && linalg::isaContractionOpInterface(generic))
    if (FailureOr<linalg::ContractionDimensions> dims =
            linalg::inferContractionDims(generic);
        succeeded(dims) && dims->m.size() == 1 && dims->n.size() == 1 &&
        dims->k.size() == 1 && dims->batch.size() <= 1)
      return dims->batch.empty() ? "matmul" : "batch_matmul";
  return op->getName().stripDialect();
}

static void collectNames(Operation *op, SmallVectorImpl<StringRef> &names) {
  if (isPhaseWork(op)) {
    StringRef name = nameOf(op);
    if (!llvm::is_contained(names, name))
      names.push_back(name);
    return;
  }
  for (Region &region : op->getRegions())
    for (Operation &nested : region.getOps())
      collectNames(&nested, names);
}

/// Returns the verbs of a phase, with their conditions if any.
std::string PhaseReader::labelOf(const PhaseRecord &phase,
                                 ArrayRef<Operation *> ops) const {
  SmallVector<StringRef> names;
  for (Operation *op : ops)
    collectNames(op, names);
  constexpr size_t shown = 4;
  if (names.size() > shown)
    names[shown] = "...";
  names.truncate(std::min(names.size(), shown + 1));

  SmallVector<std::string> verbs =
      llvm::map_to_vector(names, [](StringRef name) { return name.str(); });
  auto add = [&](StringRef verb, const std::string &condition) {
    std::string said = verb.str();
    if (!condition.empty())
      said += " if " + condition;
    if (!llvm::is_contained(verbs, said))
      verbs.push_back(std::move(said));
  };
  auto isPanel = [&](const PhaseAccess &access) {
    return program.memories[access.memory].kind == PhaseMemory::Kind::Panel;
  };
  bool fills = llvm::any_of(phase.accesses, [&](const PhaseAccess &access) {
    return access.isWrite && isPanel(access);
  });
  for (const PhaseAccess &access : phase.accesses) {
    if (access.isWrite)
      add(!isPanel(access) ? "store"
          : names.empty()  ? "copy"
                           : "write",
          access.condition);
    else if (names.empty() && (!fills || isPanel(access)))
      add("load", access.condition);
  }
  // Loads for stores are not shown.
  bool stores = llvm::any_of(phase.accesses, [&](const PhaseAccess &access) {
    return access.isWrite && !isPanel(access);
  });
  if (stores)
    llvm::erase(verbs, "load");
  // Payload that is neither taken, loaded nor computed is a first value.
  bool loads = llvm::any_of(
      verbs, [](StringRef verb) { return verb.starts_with("load"); });
  if (phase.takes.empty() && !phase.gives.empty() && names.empty() && !loads)
    verbs.push_back("init");
  if (verbs.empty())
    verbs.push_back(phase.gives.empty() ? "nothing" : "pass on");
  return llvm::join(verbs, ", ");
}

void PhaseReader::readBody(ArrayRef<Operation *> ops, PhaseRecord &phase) {
  seen.clear();
  for (Operation *op : ops)
    addAccesses(op, "", phase);
  phase.label = labelOf(phase, ops);
}
