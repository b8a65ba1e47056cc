//===- Compare.cpp - A program before and after a rewrite -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Compare.h"
#include "Poison.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/SubsetInsertionOpInterfaceImpl.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/SubsetInsertionOpInterfaceImpl.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/SubsetOpInterfaceImpl.h"
#include "mlir/IR/Verifier.h"
#include <cmath>
#include <cstring>

using namespace distaff;
using namespace distaff::rewrite_test;

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registry
      .insert<affine::AffineDialect, arith::ArithDialect,
              bufferization::BufferizationDialect, cf::ControlFlowDialect,
              func::FuncDialect, index::IndexDialect, linalg::LinalgDialect,
              math::MathDialect, memref::MemRefDialect, scf::SCFDialect,
              tensor::TensorDialect, ub::UBDialect, vector::VectorDialect>();
  linalg::registerSubsetOpInterfaceExternalModels(registry);
  tensor::registerSubsetOpInterfaceExternalModels(registry);
  vector::registerSubsetOpInterfaceExternalModels(registry);
  return registry;
}

/// Everything that a run leaves.
struct Comparison::Values {
  std::vector<simt::Array> arrays;
};

Comparison::Comparison(Protection protection)
    : protection(std::move(protection)),
      context(std::make_unique<MLIRContext>(makeRegistry(),
                                            MLIRContext::Threading::DISABLED)) {
  context->loadAllAvailableDialects();
  rewrites = upstreamRewrites(context.get(), this->protection);
}

Comparison::~Comparison() = default;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static uint64_t elementAt(const simt::Array &array, int64_t place) {
  uint64_t bits = 0;
  int64_t bytes = simt::elementBytes(array.elementType);
  std::memcpy(&bits, array.bytes.data() + place * bytes, bytes);
  return bits;
}

/// Whether two elements are the same number, or are both none.
static bool isSame(Type type, uint64_t left, uint64_t right) {
  auto real = dyn_cast<FloatType>(type);
  if (!real || left == right)
    return left == right;
  const llvm::fltSemantics &format = real.getFloatSemantics();
  return APFloat(format, APInt(real.getWidth(), left)).isNaN() &&
         APFloat(format, APInt(real.getWidth(), right)).isNaN();
}

std::optional<Comparison::Values>
Comparison::execute(ModuleOp module, ArrayRef<simt::Array> arguments) {
  auto kernel = *module.getOps<func::FuncOp>().begin();
  Values values;
  values.arrays = arguments;
  SmallVector<simt::Array *> pointers;
  for (simt::Array &array : values.arrays)
    pointers.push_back(&array);
  SmallVector<simt::Array> results;
  simt::Options options;
  options.threads = 1;
  options.maxSteps = 1'000'000;
  simt::Outcome outcome =
      simt::run(kernel, nullptr, pointers, results, options);
  verdict = outcome.verdict();
  if (!outcome.isFine()) {
    const simt::Fault &fault = outcome.faults.front();
    error = (simt::nameOf(fault.kind) + ": " + fault.message).str();
    if (fault.op)
      error += " at " + fault.op->getName().getStringRef().str();
    return std::nullopt;
  }
  llvm::append_range(values.arrays, results);
  return values;
}

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

static std::string textOf(Operation *op) {
  std::string text;
  llvm::raw_string_ostream(text) << *op;
  return text;
}

void Comparison::compare(Program &program, const Rewrite &rewrite,
                         const Values &expected, const std::string &title,
                         Tally &tally) {
  OwningOpRef<ModuleOp> module(cast<ModuleOp>((*program.module)->clone()));
  auto differs = [&](const std::string &what) {
    tally.differences.push_back(title + ", " + rewrite.name + ": " + what +
                                "\n" + textOf(*program.module) + "becomes\n" +
                                textOf(*module));
  };
  if (failed(rewrite.apply(*module)))
    return;
  // Most rewrites do nothing but drop what is dead.
  if (!seenTexts.insert(textOf(*module)).second)
    return;
  ++tally.rewritten;
  ++tally.rewrites[rewrite.name];
  if (failed(verify(*module)))
    return differs("it is invalid, " + error);
  OwningOpRef<ModuleOp> shown(cast<ModuleOp>((*module)->clone()));
  showPoison(*shown, 0x5A5A5A5A5A5A5A5B);
  std::optional<Values> seen = execute(*shown, program.arguments);
  if (!seen && verdict == simt::Verdict::NotModelled) {
    ++tally.notModelled;
    ++tally.unknown[rewrite.name + ": " + error];
    return;
  }
  if (!seen)
    return differs(error);
  ++tally.compared;
  for (auto [number, array] : llvm::enumerate(seen->arrays)) {
    const simt::Array &right = expected.arrays[number];
    if (array.shape != right.shape)
      return differs("value " + std::to_string(number) + " has another shape");
    for (int64_t place = 0, end = array.numElements(); place < end; ++place) {
      uint64_t wanted = elementAt(right, place);
      if (!isSame(array.elementType, elementAt(array, place), wanted))
        return differs("element " + std::to_string(place) + " of value " +
                       std::to_string(number) + " is " +
                       std::to_string(elementAt(array, place)) + ", not " +
                       std::to_string(wanted));
    }
  }
}

/// Takes the flags from ops that do not keep what they promise on the
/// program's arguments; fails where it does not run.
bool Comparison::dropBrokenPromises(Program &program) {
  OwningOpRef<ModuleOp> copy(cast<ModuleOp>((*program.module)->clone()));
  auto of = [](ModuleOp module) {
    return *module.getOps<func::FuncOp>().begin();
  };
  func::FuncOp checked = of(*copy), source = of(*program.module);
  // Ops of the source, by their place in it.
  SmallVector<Operation *> ops;
  for (Operation &op : source.front())
    ops.push_back(&op);
  llvm::DenseMap<Operation *, Operation *> sourceOf;
  for (auto [op, original] : llvm::zip_equal(checked.front(), ops))
    sourceOf[&op] = original;
  SmallVector<Promise> promises = checkPromises(checked);
  if (promises.empty())
    return true;
  Operation *end = checked.front().getTerminator();
  for (const Promise &promise : promises)
    end->insertOperands(end->getNumOperands(), promise.broken);
  checked.setFunctionType(FunctionType::get(context.get(),
                                            checked.front().getArgumentTypes(),
                                            end->getOperandTypes()));
  std::optional<Values> values = execute(*copy, program.arguments);
  if (!values)
    return false;
  for (auto [promise, array] : llvm::zip_equal(
           promises, ArrayRef(values->arrays).take_back(promises.size())))
    if (llvm::any_of(array.bytes, [](uint8_t bits) { return bits != 0; }))
      sourceOf[promise.op]->setAttr(
          "overflowFlags",
          arith::IntegerOverflowFlagsAttr::get(
              context.get(), arith::IntegerOverflowFlags::none));
  return true;
}

void Comparison::run(const Family &family, uint64_t seed, Tally &tally) {
  std::string title = family.name.str() + " " + std::to_string(seed);
  Draft draft(context.get(), seed);
  Program program = family.make(draft);
  ++tally.programs;
  ScopedDiagnosticHandler silent(context.get(), [&](Diagnostic &diagnostic) {
    error = diagnostic.str();
    return success();
  });
  if (failed(verify(*program.module))) {
    tally.differences.push_back(title + ": the program is none: " + error +
                                "\n" + textOf(*program.module));
    return;
  }
  std::optional<Values> expected;
  if (dropBrokenPromises(program))
    expected = execute(*program.module, program.arguments);
  if (!expected) {
    ++tally.refused;
    ++tally.unknown["the program: " + error];
    return;
  }
  program.module->walk(
      [&](Operation *op) { ++tally.ops[op->getName().getStringRef().str()]; });
  seenTexts.clear();
  seenTexts.insert(textOf(*program.module));
  // As every kernel is when a pipeline begins.
  auto bringIntoForm = [&](ModuleOp module) {
    for (const Form &form : protection.forms)
      form.bring(module);
    return success();
  };
  compare(program, {"avoid-wrong-folds", bringIntoForm}, *expected, title,
          tally);
  (void)bringIntoForm(*program.module);
  for (const Rewrite &rewrite : rewrites)
    compare(program, rewrite, *expected, title, tally);
}
