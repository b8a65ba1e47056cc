//===- Arguments.cpp - The arrays that a kernel runs on -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Arguments.h"
#include "distaff/CheckedSize.h"
#include "mlir/IR/Diagnostics.h"

namespace distaff {

using runtime::HostArray;

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

std::optional<runtime::ScalarType> scalarTypeOf(Type elementType) {
  std::string name;
  llvm::raw_string_ostream(name) << elementType;
  return runtime::parseScalarType(name);
}

bool ParameterShape::fits(ArrayRef<int64_t> extents) const {
  return extents.size() == shape.size() &&
         llvm::all_of(llvm::zip(shape, extents), [](auto pair) {
           auto [own, given] = pair;
           return ShapedType::isDynamic(own) ? given >= 0 : own == given;
         });
}

std::string ParameterShape::describeOversize() const {
  if (!isStatic())
    return "";
  int64_t most = runtime::largestHostArray();
  if (checkedBytes(shape, runtime::byteSize(*scalarTypeOf(elementType)), most))
    return "";
  std::string text = "'" + name + "' has the shape ";
  llvm::raw_string_ostream stream(text);
  llvm::interleave(shape, stream, "x");
  stream << ", which takes more than the " << most
         << " bytes of memory that this machine has for an array";
  return text;
}

static ParameterShape describe(Type type, const Twine &name, bool isResult) {
  ParameterShape parameter;
  parameter.name = name.str();
  parameter.type = type;
  parameter.elementType = getElementTypeOrSelf(type);
  if (auto shaped = dyn_cast<ShapedType>(type))
    parameter.shape.assign(shaped.getShape().begin(), shaped.getShape().end());
  parameter.isResult = isResult;
  parameter.isMemRef = isa<MemRefType>(type);
  return parameter;
}

FailureOr<SmallVector<ParameterShape>> describeParameters(func::FuncOp kernel) {
  SmallVector<ParameterShape> parameters;
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes()))
    parameters.push_back(describe(type, "arg" + Twine(i), /*isResult=*/false));
  for (auto [i, type] : llvm::enumerate(kernel.getResultTypes()))
    parameters.push_back(describe(type, "res" + Twine(i), /*isResult=*/true));
  for (const ParameterShape &parameter : parameters)
    if (!scalarTypeOf(parameter.elementType))
      return emitError(UnknownLoc::get(kernel.getContext()))
             << "'" << parameter.name << "' has elements of type "
             << parameter.elementType << ", which no array file holds";
  return parameters;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Whether an array is what a parameter takes.
static LogicalResult checkInput(Location location,
                                const ParameterShape &parameter,
                                const HostArray &array) {
  runtime::ScalarType type = *scalarTypeOf(parameter.elementType);
  if (array.type != type)
    return emitError(location)
           << "'" << parameter.name << "' is given numbers of type "
           << runtime::name(array.type) << ", it takes " << runtime::name(type);
  if (!parameter.fits(array.shape))
    return emitError(location)
           << "'" << parameter.name << "' is given an array of shape ("
           << ArrayRef(array.shape) << "), which is none of " << parameter.type;
  std::optional<int64_t> bytes =
      checkedBytes(array.shape, runtime::byteSize(type));
  if (!bytes || size_t(*bytes) != array.bytes.size())
    return emitError(location)
           << "'" << parameter.name << "' is given " << array.bytes.size()
           << " bytes, which its shape does not have";
  return success();
}

Answer KernelArguments::take(func::FuncOp kernel,
                             ArrayRef<ParameterShape> parameters,
                             std::vector<HostArray> inputs) {
  Location nowhere = UnknownLoc::get(kernel.getContext());
  argumentCount = kernel.getNumArguments();
  if (inputs.size() != argumentCount) {
    emitError(nowhere) << "the kernel takes " << argumentCount << " arrays, "
                       << inputs.size() << " are given";
    return Answer::BadRequest;
  }
  shapes.assign(parameters.begin(), parameters.end());
  for (auto [parameter, input] : llvm::zip(shapes, inputs)) {
    if (failed(checkInput(nowhere, parameter, input)))
      return Answer::BadRequest;
    parameter.shape.assign(input.shape.begin(), input.shape.end());
    values.push_back({parameter.elementType, parameter.shape,
                      std::move(input.bytes), /*written=*/true});
  }
  for (const ParameterShape &result :
       ArrayRef(shapes).drop_front(argumentCount)) {
    if (std::string why = result.describeOversize(); !why.empty()) {
      emitError(nowhere) << why;
      return Answer::Refused;
    }
    // A dynamic result takes its shape from the run.
    values.push_back(simt::Array::unwritten(
        result.elementType,
        result.isStatic() ? ArrayRef(result.shape) : ArrayRef<int64_t>()));
  }
  return Answer::Yes;
}

simt::Outcome KernelArguments::run(func::FuncOp kernel, func::FuncOp grid,
                                   const simt::Options &options,
                                   ParameterValues &finals) const {
  finals = values;
  // The order in which results become arguments (see the head of Arguments.h).
  SmallVector<size_t> passedResults, returnedResults;
  for (bool tensors : {false, true})
    for (size_t i = argumentCount; i < shapes.size(); ++i)
      if (shapes[i].isTensor() == tensors)
        passedResults.push_back(i);
  size_t passed = kernel.getNumArguments() - argumentCount;
  for (size_t i : ArrayRef(passedResults).drop_front(passed))
    returnedResults.push_back(i);
  llvm::sort(returnedResults);

  SmallVector<simt::Array *> arguments;
  for (size_t i = 0; i < argumentCount; ++i)
    arguments.push_back(&finals[i]);
  for (size_t i : ArrayRef(passedResults).take_front(passed))
    arguments.push_back(&finals[i]);
  SmallVector<simt::Array> results;
  simt::Outcome outcome = simt::run(kernel, grid, arguments, results, options);
  if (outcome.isFine())
    for (auto [i, array] : llvm::zip_equal(returnedResults, results))
      finals[i] = std::move(array);
  return outcome;
}

std::vector<HostArray> toHostArrays(ParameterValues values) {
  std::vector<HostArray> arrays;
  for (simt::Array &array : values)
    arrays.push_back({*scalarTypeOf(array.elementType),
                      {array.shape.begin(), array.shape.end()},
                      std::move(array.bytes)});
  return arrays;
}

} // namespace distaff
