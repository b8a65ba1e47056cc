//===- Check.cpp - Comparing a run with the reference ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Check.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "distaff/Pipelines/BuildPipeline.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

namespace distaff {
namespace {

// The largest bound, as a part of the largest magnitude, besides the rounding
// to the array's own type.
constexpr double widestBound = 0.02;
constexpr double mostUndecided = 0.01; // fraction of the elements
constexpr double allowance = 2;        // factor of the bound

/// Returns the name of an element, "res0[3, 17]".
std::string place(const ParameterShape &parameter, ArrayRef<int64_t> shape,
                  int64_t linear) {
  SmallVector<int64_t> index(shape.size());
  for (int64_t d = shape.size() - 1; d >= 0; --d) {
    index[d] = linear % shape[d];
    linear /= shape[d];
  }
  std::string text = parameter.name + "[";
  for (auto [d, i] : llvm::enumerate(index))
    text += (d ? ", " : "") + std::to_string(i);
  return text + "]";
}

/// Returns the distance of a value from its estimate; 0 if both are the same
/// infinity or both NaN, infinity if only one is.
double distance(double value, double expected) {
  if (std::isnan(value) || std::isnan(expected))
    return std::isnan(value) == std::isnan(expected) ? 0 : HUGE_VAL;
  return value == expected ? 0 : std::fabs(value - expected);
}

/// The distance of an element from its estimate.
struct Difference {
  double error = 0;
  bool isOutside = false;
  std::string detail; ///< describes an element outside
};

/// Compares numbers that must be equal, signs of zeros included.
Difference exactDifference(double value, double expected,
                           runtime::ScalarType type) {
  uint64_t cell = 0;
  runtime::storeDouble(type, expected, &cell);
  expected = runtime::loadDouble(type, &cell);
  bool isSame = value == expected
                    ? std::signbit(value) == std::signbit(expected)
                    : std::isnan(value) && std::isnan(expected);
  if (isSame)
    return {};
  return {distance(value, expected), true,
          llvm::formatv(" is {0:e8}, expected {1:e8}, rounded once", value,
                        expected)};
}

Difference floatDifference(double value, const simt::Estimate &estimate,
                           runtime::ScalarType type) {
  if (estimate.isRounded || estimate.isZero)
    return exactDifference(value, estimate.value, type);
  Difference difference;
  difference.error = distance(value, estimate.value);
  difference.isOutside = !(difference.error <= allowance * estimate.bound);
  if (difference.isOutside)
    difference.detail =
        llvm::formatv(" is {0:e6}, expected {1:e6} within {2:e2}", value,
                      estimate.value, allowance * estimate.bound);
  return difference;
}

/// Returns half the distance between 1 and the next number of a type; 0 for
/// integers.
double unitRoundoff(Type type) {
  auto floatType = dyn_cast<FloatType>(type);
  return floatType ? std::ldexp(1.0, -int(floatType.getFPMantissaWidth())) : 0;
}

/// Compares integers by their bits; above those the two may be extended in
/// different ways (a true i1 is 1 in an array and -1 in an estimate).
Difference integerDifference(int64_t value, const simt::Estimate &estimate,
                             Type type) {
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  uint64_t apart = llvm::maskTrailingOnes<uint64_t>(width) &
                   (uint64_t(value) ^ uint64_t(estimate.integer));
  if (!apart)
    return {};
  double error = std::fabs(double(value) - double(estimate.integer));
  return {std::max(error, 1.0), true,
          llvm::formatv(" is {0}, expected {1}", value, estimate.integer)};
}

} // namespace

Comparison compare(const ParameterShape &parameter, const simt::Array &array,
                   const simt::EstimateArray &estimates) {
  Comparison result;
  result.elements = estimates.elements.size();
  if (ArrayRef(array.shape) != ArrayRef(estimates.shape)) {
    result.verdict = Comparison::Verdict::Differs;
    result.detail = parameter.name + " has another shape than the reference";
    return result;
  }
  runtime::ScalarType type = *scalarTypeOf(array.elementType);
  int64_t size = runtime::byteSize(type);
  double magnitude = 0;
  for (auto [i, estimate] : llvm::enumerate(estimates.elements)) {
    if (estimate.undecided) {
      ++result.undecided;
      continue;
    }
    Difference difference =
        runtime::isFloat(type)
            ? floatDifference(runtime::loadDouble(type, &array.bytes[i * size]),
                              estimate, type)
            : integerDifference(
                  runtime::loadInteger(type, &array.bytes[i * size]), estimate,
                  array.elementType);
    if (std::isfinite(estimate.value))
      magnitude = std::max(magnitude, std::fabs(estimate.value));
    bool hasBound = !estimate.isRounded &&
                    estimate.bound > std::numeric_limits<double>::denorm_min();
    if (hasBound)
      result.largestBound = std::max(result.largestBound, estimate.bound);
    if (difference.isOutside &&
        (result.detail.empty() || difference.error > result.largestError))
      result.detail = place(parameter, array.shape, i) + difference.detail;
    result.largestError = std::max(result.largestError, difference.error);
  }
  double widest = (widestBound + unitRoundoff(array.elementType)) * magnitude;
  if (!result.detail.empty()) {
    result.verdict = Comparison::Verdict::Differs;
  } else if (result.undecided > mostUndecided * result.elements) {
    result.verdict = Comparison::Verdict::Undecided;
    result.detail = llvm::formatv(
        "{0} of {1} elements of {2} depend on a choice inside the bound",
        result.undecided, result.elements, parameter.name);
  } else if (result.largestBound > 0 && !(result.largestBound <= widest)) {
    result.verdict = Comparison::Verdict::Undecided;
    result.detail =
        llvm::formatv("the bound of {0}, {1:e2}, is over 2 % of its largest "
                      "magnitude, {2:e2}",
                      parameter.name, result.largestBound, magnitude);
  }
  return result;
}

/// Returns whether the kernel adds floats; ops that reduce may.
static bool addsFloats(FunctionOpInterface kernel) {
  auto check = [](Operation *op) {
    bool isSum = isa<arith::AddFOp, arith::SubFOp, math::FmaOp, vector::FMAOp,
                     vector::ContractionOp, vector::OuterProductOp>(op);
    if (auto contraction = dyn_cast<core::ContractOp>(op))
      isSum = contraction.getCombine() == core::CombineKind::Add ||
              contraction.getCombine() == core::CombineKind::LogSumExp;
    if (auto reduction = dyn_cast<vector::ReductionOp>(op))
      isSum = reduction.getKind() == vector::CombiningKind::ADD;
    if (auto reduction = dyn_cast<vector::MultiDimReductionOp>(op))
      isSum = reduction.getKind() == vector::CombiningKind::ADD;
    return isSum ? WalkResult::interrupt() : WalkResult::advance();
  };
  return kernel.walk(check).wasInterrupted();
}

simt::Outcome Reference::evaluate(FunctionOpInterface kernel,
                                  const KernelArguments &arguments,
                                  const simt::Options &options) {
  addsFloats = ::distaff::addsFloats(kernel);
  FailureOr<KernelSignature> signature = KernelSignature::get(kernel);
  assert(succeeded(signature) && "arguments were prepared from it");
  ParameterValues values = arguments.initialValues();
  simt::Outcome outcome;
  if (std::string why = arguments.allocateResults(*signature, values);
      !why.empty()) {
    outcome.faults.push_back({simt::FaultKind::Unfit, why, kernel, {}, {}});
    return outcome;
  }
  SmallVector<simt::Array> workspaces;
  SmallVector<simt::EstimateArray> finals, results;
  outcome = simt::evaluate(kernel, findGridFunction(kernel),
                           arguments.pass(*signature, values, workspaces),
                           finals, results, options);
  if (!outcome.isFine())
    return outcome;
  estimates.resize(values.size());
  for (const KernelParameter &parameter : signature->passed())
    if (parameter.role != KernelParameter::Role::Workspace)
      estimates[arguments.indexOf(parameter)] =
          std::move(finals[parameter.position]);
  for (const KernelParameter &result : signature->results)
    if (result.isReturned)
      estimates[arguments.indexOf(result)] =
          std::move(results[result.position]);
  return outcome;
}

StageCheck Reference::check(StringRef stage, const KernelArguments &arguments,
                            const ParameterValues &outcome) const {
  Comparison worst;
  for (auto [parameter, array, expected] :
       llvm::zip_equal(arguments.parameters(), outcome, estimates)) {
    if (!parameter.isMemRef && !parameter.isResult)
      continue;
    Comparison one = compare(parameter, array, expected);
    worst.largestError = std::max(worst.largestError, one.largestError);
    worst.largestBound = std::max(worst.largestBound, one.largestBound);
    worst.undecided += one.undecided;
    worst.elements += one.elements;
    if (one.verdict > worst.verdict) {
      worst.verdict = one.verdict;
      worst.detail = one.detail;
    }
  }
  bool isUndecided = worst.verdict == Comparison::Verdict::Undecided;
  return {stage.str(), worst, isUndecided && addsFloats};
}

} // namespace distaff
