//===- Journey.cpp - Takes kernels down a pipeline and runs them ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Journey.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "distaff/Kernel/Kernel.h"
#include "distaff/Pipelines/BuildPipeline.h"
#include "distaff/Simt/Simt.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/APFloat.h"
#include <random>

using namespace distaff;
using namespace distaff::journey_test;

static const DialectRegistry &registry() {
  static DialectRegistry registry = [] {
    DialectRegistry all;
    all.insert<affine::AffineDialect, arith::ArithDialect, func::FuncDialect,
               gpu::GPUDialect, linalg::LinalgDialect, math::MathDialect,
               memref::MemRefDialect, scf::SCFDialect, tensor::TensorDialect,
               vector::VectorDialect>();
    iree::registerIREE(all);
    core::registerDistaff(all);
    vector_ext::registerVectorExt(all);
    return all;
  }();
  return registry;
}

Journey::Journey() : context(registry()) {
  context.printOpOnDiagnostic(false);
  context.getDiagEngine().registerHandler(
      [this](Diagnostic &diagnostic) { messages += diagnostic.str() + "\n"; });
}

OwningOpRef<ModuleOp> Journey::parse(const std::string &text) {
  return parseSourceString<ModuleOp>(text, ParserConfig(&context));
}

bool Journey::take(ModuleOp module, const Target &target, StringRef last,
                   StringRef first) {
  FunctionOpInterface kernel = findKernel(module);
  FailureOr<RemainingStages> remaining = failure();
  if (kernel)
    remaining = findRemainingStages(kernel, target);
  const Stage *end = nullptr;
  if (failed(remaining) ||
      failed(findLastStage(module.getLoc(), *remaining->pipeline, last, end)))
    return false;
  while (!first.empty() && remaining->ahead.front()->name != first)
    remaining->ahead = remaining->ahead.drop_front();
  PassManager manager(&context);
  buildPipeline(manager, {.target = &target}, *remaining->pipeline,
                remaining->ahead, end);
  return succeeded(manager.run(module));
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static simt::Array randomArray(ShapedType type, unsigned seed) {
  simt::Array array =
      simt::Array::unwritten(type.getElementType(), type.getShape());
  array.written = true;
  std::mt19937 engine(seed);
  auto element = dyn_cast<FloatType>(type.getElementType());
  if (!element) { // of an integer all its bits
    for (uint8_t &byte : array.bytes)
      byte = uint8_t(engine());
    return array;
  }
  std::uniform_real_distribution<double> uniform(-1, 1);
  size_t size = element.getWidth() / 8;
  for (size_t at = 0; at < array.bytes.size(); at += size) {
    APFloat number(uniform(engine));
    bool lossy;
    number.convert(element.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                   &lossy);
    uint64_t bits = number.bitcastToAPInt().getZExtValue();
    std::memcpy(array.bytes.data() + at, &bits, size);
  }
  return array;
}

static double numberAt(const simt::Array &array, int64_t position) {
  size_t size = array.elementType.getIntOrFloatBitWidth() / 8;
  uint64_t bits = 0;
  std::memcpy(&bits, array.bytes.data() + position * size, size);
  auto element = dyn_cast<FloatType>(array.elementType);
  if (!element)
    return double(APInt(8 * size, bits).getSExtValue());
  APFloat number(element.getFloatSemantics(), APInt(element.getWidth(), bits));
  bool lossy;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lossy);
  return number.convertToDouble();
}

/// Within twice the bound, as `--check` has it.
static std::string firstDifference(const simt::EstimateArray &expected,
                                   const simt::Array &found,
                                   const std::string &name) {
  if (int64_t(expected.elements.size()) != found.numElements())
    return name + " has another number of elements";
  for (auto [position, element] : llvm::enumerate(expected.elements)) {
    double value = numberAt(found, position);
    if (!(std::abs(value - element.value) <= 2 * element.bound))
      return name + " has " + std::to_string(value) + " at " +
             std::to_string(position) + ", needed " +
             std::to_string(element.value) + " within " +
             std::to_string(2 * element.bound);
  }
  return "";
}

std::string Journey::compare(ModuleOp source, ModuleOp compiled,
                             const Target &target) {
  func::FuncOp original = *source.getOps<func::FuncOp>().begin();
  SmallVector<simt::Array> arrays, copies;
  for (Type type : original.getArgumentTypes())
    arrays.push_back(randomArray(cast<ShapedType>(type), arrays.size() + 1));
  size_t inputs = arrays.size();
  copies = arrays;
  for (Type type : original.getResultTypes())
    arrays.push_back(simt::Array::unwritten(getElementTypeOrSelf(type),
                                            cast<ShapedType>(type).getShape()));
  auto pointersTo = [](SmallVector<simt::Array> &list) {
    SmallVector<simt::Array *> pointers;
    for (simt::Array &array : list)
      pointers.push_back(&array);
    return pointers;
  };

  SmallVector<simt::EstimateArray> finals, expected;
  if (failed(simt::report(simt::evaluate(original, nullptr, pointersTo(copies),
                                         finals, expected, {}))))
    return "the source cannot be evaluated: " + messages;

  FunctionOpInterface kernel = findKernel(compiled);
  simt::Options options;
  options.subgroupSize = target.subgroupSize;
  if (auto size = launchSizesOf(kernel).workgroup) // none of a CPU
    options.workgroupSize = *size;
  options.alignment = target.globalMemory.baseAlignmentBytes;
  options.banks = target.banks.banks;
  options.bankBytes = target.banks.bankBytes;
  options.sectorBytes = target.globalMemory.sectorBytes;
  SmallVector<simt::Array> none;
  simt::Outcome outcome = simt::run(kernel, findGridFunction(kernel),
                                    pointersTo(arrays), none, options);
  bankConflicts = outcome.counters.bankConflicts;
  if (failed(simt::report(outcome)))
    return "the machine stops: " + messages;

  for (size_t i = 0; i < arrays.size(); ++i) {
    bool isResult = i >= inputs;
    if (!isResult && !isa<MemRefType>(original.getArgumentTypes()[i]))
      continue;
    std::string difference = firstDifference(
        isResult ? expected[i - inputs] : finals[i], arrays[i],
        (isResult ? "res" : "arg") + std::to_string(isResult ? i - inputs : i));
    if (!difference.empty())
      return difference;
  }
  return "";
}
