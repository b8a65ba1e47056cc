//===- Parts.cpp - Distributes marked parts of a kernel -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Parts.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Transforms/RegionUtils.h"
#include "gtest/gtest.h"
#include <random>

using namespace distaff;
using namespace distaff::part_test;
using vector_ext::ToSimdOp;
using vector_ext::VectorLayoutInterface;

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

static Value i32(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIntOp::create(b, loc, value, 32);
}

Value NamedBarrier::number(OpBuilder &b, Location loc) const {
  Value first = i32(b, loc, id);
  if (!offset)
    return first;
  Value own = arith::IndexCastOp::create(b, loc, b.getI32Type(), offset);
  return arith::AddIOp::create(b, loc, first, own);
}

void NamedBarrier::wait(OpBuilder &b, Location loc) const {
  NVVM::BarrierOp::create(b, loc, TypeRange(), number(b, loc),
                          i32(b, loc, threads), NVVM::BarrierReductionAttr(),
                          Value());
}

LogicalResult NamedBarrier::arrive(OpBuilder &b, Location loc) const {
  NVVM::BarrierArriveOp::create(b, loc, number(b, loc), i32(b, loc, threads));
  return success();
}

LogicalResult NamedBarrier::fence(OpBuilder &b, Location loc) const {
  NVVM::MembarOp::create(b, loc, NVVM::MemScopeKind::CTA);
  return success();
}

bool NamedBarrier::isWait(Operation *op) const {
  auto barrier = dyn_cast<NVVM::BarrierOp>(op);
  return barrier && !offset && barrier.getBarrierId() &&
         getConstantIntValue(barrier.getBarrierId()) == id;
}

void NoBarrier::wait(OpBuilder &, Location) const {
  ADD_FAILURE() << "these members need not wait for each other";
}

LogicalResult NoBarrier::arrive(OpBuilder &, Location) const {
  return failure();
}

LogicalResult NoBarrier::fence(OpBuilder &, Location) const {
  return failure();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

PartKernel::PartKernel(StringRef text)
    : handler(&context, [this](Diagnostic &diagnostic) {
        messages += diagnostic.str() + "\n";
        for (Diagnostic &note : diagnostic.getNotes())
          messages += "note: " + note.str() + "\n";
        return success();
      }) {
  DialectRegistry registry;
  registry.insert<affine::AffineDialect, arith::ArithDialect,
                  cf::ControlFlowDialect, func::FuncDialect, gpu::GPUDialect,
                  LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect,
                  NVVM::NVVMDialect, scf::SCFDialect, ub::UBDialect,
                  vector::VectorDialect>();
  iree::registerIREE(registry);
  vector_ext::registerVectorExt(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false);
  module = parseSourceString<ModuleOp>(text, &context);
  if (module)
    function = *module->getOps<func::FuncOp>().begin();
  EXPECT_TRUE(module) << messages << text.str();
}

Operation *PartKernel::op(StringRef part) {
  Operation *found = nullptr;
  function->walk([&](Operation *op) {
    auto name = op->getAttrOfType<StringAttr>("part");
    if (name && name.getValue() == part)
      found = op;
  });
  EXPECT_TRUE(found) << part.str();
  return found;
}

OpBuilder PartKernel::behindIds() {
  Operation *lane = only<gpu::LaneIdOp>();
  Operation *subgroup = only<gpu::SubgroupIdOp>();
  OpBuilder b(&context);
  b.setInsertionPointAfter(lane->isBeforeInBlock(subgroup) ? subgroup : lane);
  return b;
}

DistributionOptions PartKernel::members(int64_t first, int64_t count,
                                        const MemberSync &sync,
                                        int64_t subgroupSize) {
  DistributionOptions options;
  options.sync = &sync;
  options.numSubgroups = count;
  options.subgroupSize = subgroupSize;
  options.laneId = only<gpu::LaneIdOp>();
  options.subgroupId = only<gpu::SubgroupIdOp>();
  if (first != 0) {
    OpBuilder b = behindIds();
    Location loc = function.getLoc();
    Value start = arith::ConstantIndexOp::create(b, loc, first);
    options.subgroupId =
        arith::SubIOp::create(b, loc, options.subgroupId, start);
  }
  return options;
}

/// The vectors that a region takes, each once.
static SmallVector<Value> inputsOf(Region &region) {
  SmallVector<Value> inputs;
  auto isInput = [](Value value) {
    return isa<VectorType>(value.getType()) && !LayoutMap::isLayoutFree(value);
  };
  llvm::copy_if(region.getArguments(), std::back_inserter(inputs), isInput);
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(region, captured);
  llvm::copy_if(captured, std::back_inserter(inputs), isInput);
  return inputs;
}

static SmallVector<VectorLayoutInterface> layoutsIn(Operation *op,
                                                    StringRef name) {
  SmallVector<VectorLayoutInterface> layouts;
  if (auto list = op->getAttrOfType<ArrayAttr>(name))
    for (Attribute layout : list)
      layouts.push_back(dyn_cast<VectorLayoutInterface>(layout));
  return layouts;
}

LogicalResult PartKernel::distribute(StringRef part,
                                     const DistributionOptions &options,
                                     unsigned number) {
  Operation *op = this->op(part);
  Region &region = op->getRegion(number);
  RegionBoundary boundary;
  boundary.outputs = layoutsIn(op, "outputs");
  for (auto [value, layout] :
       llvm::zip(inputsOf(region), layoutsIn(op, "inputs")))
    if (layout)
      boundary.inputs.push_back({value, layout});
  if (failed(distributeRegion(region, boundary, options)))
    return failure();
  giveNewTypes(op);
  return success();
}

/// What an op with a distributed region has got becomes a lane's too; who takes
/// its results sees views of them.
void PartKernel::giveNewTypes(Operation *op) {
  if (op->getNumResults() == 0)
    return;
  for (OpOperand &operand : op->getOpOperands())
    if (auto view = operand.get().getDefiningOp<ToSimdOp>())
      operand.set(view.getInput());
  Operation *terminator = op->getRegion(0).front().getTerminator();
  OpBuilder b(&context);
  b.setInsertionPointAfter(op);
  for (auto [result, leaving] :
       llvm::zip_equal(op->getResults(), terminator->getOperands())) {
    if (result.getType() == leaving.getType())
      continue;
    Value view = ToSimdOp::create(b, op->getLoc(), result.getType(), result);
    result.replaceAllUsesExcept(view, view.getDefiningOp());
    result.setType(leaving.getType());
  }
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// What has been distributed is the program of one lane.
static std::string asLane(std::string text) {
  for (auto [workgroup, lane] :
       {std::pair("module {\n", "module {\n gpu.module @lanes {\n"),
        {"func.func @", "gpu.func @"},
        {"\n    return\n  }\n", "\n    gpu.return\n  }\n}\n"}}) {
    size_t at = text.find(workgroup);
    EXPECT_NE(at, std::string::npos) << text;
    text.replace(at, strlen(workgroup), lane);
  }
  return text;
}

std::string PartKernel::text() {
  SmallVector<Operation *> views;
  function->walk([&](Operation *op) {
    for (StringRef name : {"part", "inputs", "outputs"})
      op->removeAttr(name);
    if (isa<ToSimdOp>(op))
      views.push_back(op);
  });
  for (Operation *view : llvm::reverse(views))
    if (view->use_empty())
      view->erase();
  EXPECT_TRUE(succeeded(module->verify())) << messages;
  std::string text;
  llvm::raw_string_ostream(text) << *module;
  return asLane(std::move(text));
}

static simt::Options launchOf(int64_t subgroups, int64_t subgroupSize,
                              uint64_t schedule) {
  simt::Options options;
  options.subgroupSize = subgroupSize;
  options.workgroupSize = {subgroups * subgroupSize, 1, 1};
  options.schedule = schedule;
  return options;
}

Values PartKernel::run(ArrayRef<Argument> arguments, int64_t subgroups,
                       size_t wanted, int64_t subgroupSize) {
  std::string program = text();
  Values values;
  for (uint64_t schedule = 0; schedule < 6; ++schedule) {
    auto ending = simt::kernel_test::execute(
        program, arguments, launchOf(subgroups, subgroupSize, schedule));
    EXPECT_EQ(ending.error, "") << program;
    if (!ending.error.empty())
      return {};
    if (schedule != 0)
      EXPECT_EQ(ending.arguments[wanted], values);
    values = ending.arguments[wanted];
  }
  return values;
}

std::string PartKernel::runError(ArrayRef<Argument> arguments,
                                 int64_t subgroups, int64_t subgroupSize) {
  return simt::kernel_test::execute(text(), arguments,
                                    launchOf(subgroups, subgroupSize, 0))
      .error;
}

int64_t PartKernel::count(StringRef opName) {
  int64_t count = 0;
  function->walk(
      [&](Operation *op) { count += op->getName().getStringRef() == opName; });
  return count;
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

static std::string list(ArrayRef<int64_t> values) {
  std::string text = "[";
  for (int64_t value : values)
    text += (text.size() > 1 ? ", " : "") + std::to_string(value);
  return text + "]";
}

/// Strides of digits side by side, the last dim's fastest; 0 where there is
/// but one value.
static SmallVector<int64_t> stridesOf(ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> strides(sizes.size());
  int64_t stride = 1;
  for (int64_t dim = int64_t(sizes.size()) - 1; dim >= 0; --dim) {
    strides[dim] = sizes[dim] == 1 ? 0 : stride;
    stride *= sizes[dim];
  }
  return strides;
}

static std::string layout(StringRef name, ArrayRef<int64_t> subgroup,
                          ArrayRef<int64_t> batch, ArrayRef<int64_t> thread,
                          ArrayRef<int64_t> element) {
  SmallVector<int64_t> ones(subgroup.size(), 1);
  return ("#" + name + " = #iree_vector_ext.nested_layout<subgroup_tile = " +
          list(subgroup) + ", batch_tile = " + list(batch) +
          ", outer_tile = " + list(ones) + ", thread_tile = " + list(thread) +
          ", element_tile = " + list(element) +
          ", subgroup_strides = " + list(stridesOf(subgroup)) +
          ", thread_strides = " + list(stridesOf(thread)) + ">\n")
      .str();
}

std::string part_test::layout2(StringRef name, std::array<int64_t, 2> subgroup,
                               std::array<int64_t, 2> batch,
                               std::array<int64_t, 2> thread,
                               std::array<int64_t, 2> element) {
  return layout(name, subgroup, batch, thread, element);
}

std::string part_test::layout1(StringRef name, int64_t subgroup, int64_t batch,
                               int64_t thread, int64_t element) {
  return layout(name, subgroup, batch, thread, element);
}

Argument part_test::wholeNumbers(ArrayRef<int64_t> shape, unsigned seed,
                                 int most) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> whole(-most, most);
  Values values(ShapedType::getNumElements(shape));
  for (double &value : values)
    value = whole(random);
  return array("f32", shape, std::move(values));
}

Argument part_test::unwritten(ArrayRef<int64_t> shape) {
  Argument argument =
      array("f32", shape, Values(ShapedType::getNumElements(shape)));
  argument.written = false;
  return argument;
}
