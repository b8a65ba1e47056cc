//===- Kernel.cpp - Runs small kernels in tests ---------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Kernel.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "distaff/Kernel/Kernel.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ArmNeon/ArmNeonDialect.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <random>

using namespace distaff;
using namespace distaff::simt;
using namespace distaff::simt::kernel_test;

namespace {

DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registry
      .insert<affine::AffineDialect, arith::ArithDialect,
              arm_neon::ArmNeonDialect, bufferization::BufferizationDialect,
              cf::ControlFlowDialect, func::FuncDialect, gpu::GPUDialect,
              index::IndexDialect, linalg::LinalgDialect, LLVM::LLVMDialect,
              math::MathDialect, memref::MemRefDialect, nvgpu::NVGPUDialect,
              NVVM::NVVMDialect, ROCDL::ROCDLDialect, scf::SCFDialect,
              tensor::TensorDialect, ub::UBDialect, vector::VectorDialect>();
  vector_ext::registerVectorExt(registry);
  iree::registerIREE(registry);
  pcf::registerPCF(registry);
  return registry;
}

const llvm::fltSemantics &semanticsOf(Type type) {
  return cast<FloatType>(type).getFloatSemantics();
}

/// APFloat rounds here, not the code under test.
uint64_t patternOf(Type type, double value) {
  if (!isa<FloatType>(type))
    return uint64_t(int64_t(value));
  APFloat number(value);
  bool lossy;
  number.convert(semanticsOf(type), APFloat::rmNearestTiesToEven, &lossy);
  return number.bitcastToAPInt().getZExtValue();
}

double numberOf(Type type, uint64_t bits) {
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  if (!isa<FloatType>(type)) {
    if (width == 1)
      return double(bits & 1);
    return double(APInt(width, bits, false, true).getSExtValue());
  }
  APFloat number(semanticsOf(type), APInt(width, bits));
  bool lossy;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lossy);
  return number.convertToDouble();
}

Array toArray(MLIRContext &context, const Argument &argument) {
  Type type = parseType(argument.type, &context);
  Array array = Array::unwritten(type, argument.shape);
  array.written = argument.written;
  int64_t bytes = elementBytes(type);
  for (auto [i, value] : llvm::enumerate(argument.values)) {
    uint64_t bits = patternOf(type, value);
    if (type.isInteger(1))
      bits &= 1;
    std::memcpy(array.bytes.data() + i * bytes, &bits, bytes);
  }
  return array;
}

Values toValues(const Array &array) {
  Values values;
  int64_t bytes = elementBytes(array.elementType);
  for (int64_t i = 0; i < array.numElements(); ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, array.bytes.data() + i * bytes, bytes);
    values.push_back(numberOf(array.elementType, bits));
  }
  return values;
}

/// A parsed module, its function, and the diagnostics since.
struct Parsed {
  MLIRContext context{makeRegistry(), MLIRContext::Threading::DISABLED};
  std::string error;
  ScopedDiagnosticHandler handler{&context, [this](Diagnostic &diagnostic) {
                                    if (error.empty())
                                      error = diagnostic.str();
                                    return success();
                                  }};
  OwningOpRef<ModuleOp> module;
  FunctionOpInterface kernel;
  func::FuncOp grid;
  std::vector<Array> arrays;
  SmallVector<Array *> pointers;

  Parsed(StringRef source, ArrayRef<Argument> arguments) {
    module = parseSourceString<ModuleOp>(source, &context);
    if (!module)
      return;
    module->walk([&](FunctionOpInterface function) {
      if (isGridFunction(function))
        grid = cast<func::FuncOp>(*function);
      else
        kernel = function;
    });
    for (const Argument &argument : arguments)
      arrays.push_back(toArray(context, argument));
    for (Array &array : arrays)
      pointers.push_back(&array);
  }
};

} // namespace

Argument kernel_test::randomArray(std::string type, ArrayRef<int64_t> shape,
                                  unsigned seed, double low, double high) {
  MLIRContext context;
  Type element = parseType(type, &context);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(low, high);
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  Values values(count);
  for (double &value : values)
    value = numberOf(element, patternOf(element, uniform(random)));
  return array(std::move(type), shape, std::move(values));
}

Ending kernel_test::execute(StringRef source, ArrayRef<Argument> arguments,
                            const Options &options) {
  Parsed parsed(source, arguments);
  Ending outcome;
  SmallVector<Array> results;
  simt::Outcome ran;
  if (parsed.kernel)
    ran = run(parsed.kernel, parsed.grid, parsed.pointers, results, options);
  outcome.counters = ran.counters;
  outcome.verdict = ran.verdict();
  if (!ran.isFine()) {
    outcome.fault = ran.faults.front().kind;
    outcome.place = ran.faults.front().place;
    for (const Fault::Note &note : ran.faults.front().notes)
      outcome.notes.push_back(note.text);
  }
  if (parsed.kernel && succeeded(report(ran))) {
    for (const Array &array : parsed.arrays)
      outcome.arguments.push_back(toValues(array));
    for (const Array &array : results)
      outcome.results.push_back(toValues(array));
    return outcome;
  }
  outcome.error = parsed.error.empty() ? "no diagnostic" : parsed.error;
  return outcome;
}

Values kernel_test::valuesOf(StringRef source, ArrayRef<Argument> arguments,
                             const Options &options) {
  Ending outcome = execute(source, arguments, options);
  EXPECT_EQ(outcome.error, "");
  Values values;
  for (const Values &result : outcome.results)
    values.insert(values.end(), result.begin(), result.end());
  return values;
}

Values kernel_test::lastArgumentOf(StringRef source,
                                   ArrayRef<Argument> arguments,
                                   const Options &options) {
  Ending outcome = execute(source, arguments, options);
  EXPECT_EQ(outcome.error, "");
  return outcome.arguments.empty() ? Values() : outcome.arguments.back();
}

std::string kernel_test::faultOf(StringRef source, ArrayRef<Argument> arguments,
                                 const Options &options) {
  Ending outcome = execute(source, arguments, options);
  return outcome.fault ? nameOf(*outcome.fault).str() : outcome.error;
}

Evaluation kernel_test::evaluateKernel(StringRef source,
                                       ArrayRef<Argument> arguments,
                                       const Options &options) {
  Parsed parsed(source, arguments);
  Evaluation evaluation;
  SmallVector<EstimateArray> finals, results;
  if (parsed.kernel &&
      succeeded(report(evaluate(parsed.kernel, parsed.grid, parsed.pointers,
                                finals, results, options)))) {
    evaluation.arguments.assign(finals.begin(), finals.end());
    evaluation.results.assign(results.begin(), results.end());
    return evaluation;
  }
  evaluation.error = parsed.error.empty() ? "no diagnostic" : parsed.error;
  return evaluation;
}
