//===- Arguments.cpp - Arrays that a kernel runs on -----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Arguments.h"
#include "distaff/Analysis/Legality/ParameterTypes.h"
#include "distaff/CheckedSize.h"
#include "distaff/Kernel/ConvertedKernel.h"
#include "mlir/IR/Diagnostics.h"

namespace distaff {

using runtime::HostArray;

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

std::optional<runtime::ScalarType> arrayTypeOf(Type elementType) {
  std::string name;
  llvm::raw_string_ostream(name) << elementType;
  return runtime::parseScalarType(name);
}

std::optional<runtime::ScalarType> scalarTypeOf(Type type) {
  if (std::optional<runtime::ScalarType> own = arrayTypeOf(type))
    return own;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.getWidth() > 64)
    return std::nullopt;
  return arrayTypeOf(IntegerType::get(type.getContext(),
                                      passedWidth(integer.getWidth()),
                                      integer.getSignedness()));
}

/// Refuses element types that no array outside MLIR can hold.
static LogicalResult checkElements(FunctionOpInterface kernel,
                                   const ParameterShape &parameter) {
  Type element = parameter.elementType;
  if (isa<ShapedType>(parameter.type) ? arrayTypeOf(element)
                                      : scalarTypeOf(element))
    return success();
  if (straddlesBytes(element))
    return emitError(kernel.getLoc())
           << "'" << parameter.name << "' of type " << parameter.type << " "
           << kStraddledBytes;
  return emitError(kernel.getLoc())
         << "'" << parameter.name << "' has elements of type " << element
         << ", which no array file holds; pass their bits as integers of 8 "
            "bits or more";
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
  if (runtime::fitsHost({shape.begin(), shape.end()},
                        *scalarTypeOf(elementType)))
    return "";
  std::string text = "'" + name + "' has the shape ";
  llvm::raw_string_ostream stream(text);
  llvm::interleave(shape, stream, "x");
  stream << ", which takes more than the " << runtime::largestHostArray()
         << " bytes of memory that this machine has for an array";
  return text;
}

static ParameterShape describe(const KernelParameter &from) {
  Type type = from.type;
  ParameterShape parameter;
  parameter.isResult = from.role == KernelParameter::Role::Result;
  parameter.name =
      (parameter.isResult ? "res" : "arg") + std::to_string(from.number);
  parameter.type = type;
  parameter.elementType = getElementTypeOrSelf(type);
  if (auto shaped = dyn_cast<ShapedType>(type))
    parameter.shape.assign(shaped.getShape().begin(), shaped.getShape().end());
  parameter.isMemRef = isa<MemRefType>(type);
  parameter.isPacked = from.isPacked();
  return parameter;
}

FailureOr<SmallVector<ParameterShape>>
describeParameters(FunctionOpInterface kernel) {
  FailureOr<KernelSignature> signature = KernelSignature::get(kernel);
  if (failed(signature))
    return failure();
  for (const KernelParameter &parameter : llvm::concat<const KernelParameter>(
           signature->arguments, signature->results))
    if (failed(checkParameterType(kernel, parameter.type)))
      return failure();
  SmallVector<ParameterShape> parameters;
  llvm::append_range(parameters,
                     llvm::map_range(signature->arguments, describe));
  llvm::append_range(parameters, llvm::map_range(signature->results, describe));
  for (const ParameterShape &parameter : parameters)
    if (failed(checkElements(kernel, parameter)))
      return failure();
  return parameters;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Checks that an array has the type and the shape of a parameter.
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

Answer KernelArguments::take(FunctionOpInterface kernel,
                             ArrayRef<ParameterShape> parameters,
                             std::vector<HostArray> inputs) {
  Location nowhere = UnknownLoc::get(kernel.getContext());
  argumentCount =
      llvm::count_if(parameters, [](const ParameterShape &parameter) {
        return !parameter.isResult;
      });
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

size_t KernelArguments::indexOf(const KernelParameter &parameter) const {
  return parameter.role == KernelParameter::Role::Result
             ? argumentCount + parameter.number
             : parameter.number;
}

SmallVector<simt::Array *>
KernelArguments::pass(const KernelSignature &signature, ParameterValues &values,
                      SmallVectorImpl<simt::Array> &workspaces) const {
  for (const KernelParameter &workspace : signature.workspaces) {
    auto type = cast<MemRefType>(workspace.type);
    workspaces.push_back(
        simt::Array::unwritten(type.getElementType(), type.getShape()));
    // Elements that no lane needs are never written, so all count as written.
    workspaces.back().written = true;
  }
  SmallVector<simt::Array *> passed;
  for (const KernelParameter &parameter : signature.passed())
    passed.push_back(parameter.role == KernelParameter::Role::Workspace
                         ? &workspaces[parameter.number]
                         : &values[indexOf(parameter)]);
  return passed;
}

SmallVector<int64_t>
KernelArguments::dynamicExtents(const KernelSignature &signature) const {
  SmallVector<int64_t> extents;
  for (auto [argument, dim] : signature.dynamicExtents())
    extents.push_back(shapes[argument].shape[dim]);
  return extents;
}

std::string KernelArguments::allocateResults(const KernelSignature &signature,
                                             ParameterValues &values) const {
  SmallVector<int64_t> extents = dynamicExtents(signature);
  for (const KernelParameter &result : signature.results) {
    ParameterShape parameter = shapes[indexOf(result)];
    // A returned result takes its shape from the run.
    if (result.isReturned || parameter.isStatic())
      continue;
    std::optional<SmallVector<int64_t>> shape = shapeOf(result, extents);
    if (!shape)
      return "'" + parameter.name +
             "' has no shape for these extents of the arguments";
    parameter.shape = *shape;
    if (std::string why = parameter.describeOversize(); !why.empty())
      return why;
    values[indexOf(result)] =
        simt::Array::unwritten(parameter.elementType, *shape);
  }
  return "";
}

simt::Outcome KernelArguments::run(FunctionOpInterface kernel,
                                   func::FuncOp grid,
                                   const simt::Options &options,
                                   ParameterValues &finals) const {
  FailureOr<KernelSignature> signature = KernelSignature::get(kernel);
  assert(succeeded(signature) && "stages keep marks that have been read");
  finals = values;
  if (std::string why = allocateResults(*signature, finals); !why.empty()) {
    simt::Outcome unfit;
    unfit.faults.push_back({simt::FaultKind::Unfit, why, kernel, {}, {}});
    return unfit;
  }
  SmallVector<simt::Array> workspaces, results;
  simt::Outcome outcome = simt::run(
      kernel, grid, pass(*signature, finals, workspaces), results, options);
  if (!outcome.isFine())
    return outcome;
  for (const KernelParameter &result : signature->results)
    if (result.isReturned)
      finals[indexOf(result)] = std::move(results[result.position]);
  return outcome;
}

/// Allocates a result of a kernel, in the shape that follows from its operands.
static FailureOr<simt::Array> makeResult(const KernelParameter &result,
                                         ArrayRef<int64_t> extents) {
  auto type = cast<ShapedType>(result.type);
  std::optional<SmallVector<int64_t>> shape;
  if (type.hasStaticShape())
    shape = llvm::to_vector(type.getShape());
  else if (!result.isReturned)
    shape = shapeOf(result, extents);
  else
    shape.emplace(); // the run determines it
  if (!shape)
    return failure();
  return simt::Array::unwritten(type.getElementType(), *shape);
}

/// Returns the elements of a tensor whose bytes the launches make.
static simt::Array unpacked(const simt::Array &bytes, Type element,
                            ArrayRef<int64_t> shape) {
  simt::Array array = simt::Array::unwritten(element, shape);
  unsigned bits = element.getIntOrFloatBitWidth();
  array.bytes =
      runtime::unpackNumbers(bytes.bytes, bits, bits, array.numElements());
  array.written = bytes.written;
  return array;
}

bool KernelArguments::takeResults(const LaunchSequence &sequence,
                                  const ParameterValues &made,
                                  ParameterValues &finals) const {
  FailureOr<KernelSignature> signature = KernelSignature::get(sequence.host);
  assert(succeeded(signature) && "a sequence has the type of its source");
  for (auto [number, value] : llvm::enumerate(sequence.returned)) {
    simt::Array &result = finals[argumentCount + number];
    if (made[value].elementType == result.elementType) {
      result = made[value];
      continue;
    }
    std::optional<SmallVector<int64_t>> shape =
        shapeOf(signature->results[number], dynamicExtents(*signature));
    if (!shape)
      return false;
    result = unpacked(made[value], result.elementType, *shape);
  }
  return true;
}

simt::Outcome
KernelArguments::run(ModuleOp module, const LaunchSequence &sequence,
                     function_ref<simt::Options(FunctionOpInterface)> optionsOf,
                     ParameterValues &finals) const {
  simt::Outcome all;
  auto unfit = [&](const std::string &why, Operation *op) {
    all.faults.push_back({simt::FaultKind::Unfit, why, op, {}, {}});
    return all;
  };
  ParameterValues made(ArrayRef(values).take_front(argumentCount));
  made.reserve(sequence.numValues()); // launches keep pointers to elements
  for (const SequencedLaunch &launch : sequence.launches) {
    FunctionOpInterface kernel = findKernel(module, launch.kernel);
    if (!kernel)
      return unfit("a launch is of a kernel that is not there", sequence.host);
    FailureOr<KernelSignature> signature = KernelSignature::get(kernel);
    assert(succeeded(signature) && "stages keep marks that have been read");
    SmallVector<int64_t> extents;
    for (auto [argument, dim] : signature->dynamicExtents())
      extents.push_back(made[launch.operands[argument]].shape[dim]);
    size_t first = made.size();
    for (const KernelParameter &result : signature->results) {
      FailureOr<simt::Array> array = makeResult(result, extents);
      if (failed(array))
        return unfit("a result has no shape for these extents", kernel);
      made.push_back(std::move(*array));
    }
    SmallVector<simt::Array *> passed;
    for (const KernelParameter &parameter : signature->passed())
      passed.push_back(parameter.role == KernelParameter::Role::Result
                           ? &made[first + parameter.number]
                           : &made[launch.operands[parameter.number]]);
    SmallVector<simt::Array> returned;
    simt::Outcome outcome = simt::run(kernel, findGridFunction(kernel), passed,
                                      returned, optionsOf(kernel));
    all.counters += outcome.counters;
    if (!outcome.isFine()) {
      outcome.counters = all.counters;
      return outcome;
    }
    for (const KernelParameter &result : signature->results) {
      simt::Array &array = made[first + result.number];
      if (result.isReturned)
        array = std::move(returned[result.position]);
      array.written = true;
    }
  }
  finals = values;
  if (!takeResults(sequence, made, finals))
    return unfit("a result has no shape for these extents", sequence.host);
  return all;
}

std::vector<HostArray> toHostArrays(ParameterValues values) {
  std::vector<HostArray> arrays;
  for (simt::Array &array : values) {
    runtime::ScalarType type = *scalarTypeOf(array.elementType);
    // The machine keeps only the bits of a number, a file its sign, too.
    if (runtime::bitsInMemory(type) < 8)
      for (uint8_t &byte : array.bytes)
        runtime::storeInteger(type, byte, &byte);
    arrays.push_back({type,
                      {array.shape.begin(), array.shape.end()},
                      std::move(array.bytes)});
  }
  return arrays;
}

} // namespace distaff
