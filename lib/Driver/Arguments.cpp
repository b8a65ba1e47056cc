//===- Arguments.cpp - The arrays that a kernel runs on -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Arguments.h"
#include "PositionArguments.h"
#include "distaff/CheckedSize.h"
#include "distaff/Driver/KernelInput.h"
#include "distaff/Runtime/Inputs.h"
#include "mlir/IR/BuiltinTypes.h"

#include <numeric>
#include <random>

namespace distaff {
namespace {

using runtime::HostArray;

using Assignments = std::map<std::string, std::string>;

/// Parses "33x17".
bool parseShape(StringRef text, SmallVectorImpl<int64_t> &shape) {
  SmallVector<StringRef> parts;
  if (!text.empty())
    text.split(parts, 'x');
  for (StringRef part : parts)
    if (part.getAsInteger(10, shape.emplace_back()) || shape.back() < 0)
      return false;
  return true;
}

ExitCode parseFlags(StringRef flag, const std::vector<std::string> &flags,
                    ArrayRef<ParameterShape> parameters, size_t count,
                    Assignments &values) {
  if (runtime::InputError error = runtime::parseAssignments(flags, values)) {
    printError("--" + flag + ": " + error.message);
    return ExitCode::Usage;
  }
  std::vector<std::string> known;
  for (const ParameterShape &parameter : parameters.take_front(count))
    known.push_back(parameter.name);
  if (runtime::InputError error = runtime::checkNames(values, known)) {
    printError("--" + flag + ": " + error.message);
    return ExitCode::Usage;
  }
  return ExitCode::Fine;
}

/// Types that the machine computes with but no .npy file holds are refused
/// before anything runs.
ParameterShape describe(Type type, const Twine &name, bool isResult) {
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

HostArray toHost(const simt::Array &array) {
  HostArray host;
  host.type = *scalarTypeOf(array.elementType);
  host.shape.assign(array.shape.begin(), array.shape.end());
  host.bytes = array.bytes;
  return host;
}

} // namespace

ExitCode KernelArguments::findShapes(const KernelSignature &signature,
                                     const Assignments &inputs,
                                     const Assignments &given) {
  for (ParameterShape &parameter :
       MutableArrayRef(shapes).take_front(argumentCount)) {
    auto shaped = dyn_cast<ShapedType>(parameter.type);
    SmallVector<int64_t> extents;
    if (auto shape = given.find(parameter.name); shape != given.end()) {
      if (!parseShape(shape->second, extents)) {
        printError("--shape: '" + shape->second +
                   "' is no shape such as 33x17");
        return ExitCode::Usage;
      }
    } else if (auto input = inputs.find(parameter.name);
               input != inputs.end() && shaped && !shaped.hasStaticShape() &&
               StringRef(input->second).ends_with(".npy")) {
      runtime::NpyArray array;
      if (std::string why = readNpy(input->second, array); !why.empty()) {
        printError(why);
        return ExitCode::Usage;
      }
      extents.assign(array.shape.begin(), array.shape.end());
    } else {
      if (shaped && !shaped.hasStaticShape()) {
        printError("'" + parameter.name +
                   "' has dynamic extents: give its shape, --shape " +
                   parameter.name + "=..., or a file");
        return ExitCode::Usage;
      }
      continue;
    }
    bool fits = shaped && extents.size() == parameter.shape.size();
    for (size_t d = 0; fits && d < extents.size(); ++d)
      fits = ShapedType::isDynamic(parameter.shape[d]) ||
             parameter.shape[d] == extents[d];
    if (!fits) {
      std::string type;
      llvm::raw_string_ostream(type) << parameter.type;
      printError("the shape given for '" + parameter.name + "' is none of " +
                 type);
      return ExitCode::Usage;
    }
    parameter.shape = extents;
  }
  return checkSizes(given);
}

ExitCode KernelArguments::checkSizes(const Assignments &given) const {
  for (const ParameterShape &parameter : shapes) {
    if (llvm::any_of(parameter.shape, ShapedType::isDynamic))
      continue; // a result, whose shape comes from the run
    int64_t elementBytes =
        runtime::byteSize(*scalarTypeOf(parameter.elementType));
    int64_t most = runtime::largestHostArray();
    if (checkedBytes(parameter.shape, elementBytes, most))
      continue;
    std::string text;
    llvm::raw_string_ostream stream(text);
    llvm::interleave(parameter.shape, stream, "x");
    printError("'" + parameter.name + "' has the shape " + text +
               ", which takes more than the " + Twine(most) +
               " bytes of memory that this machine has for an array; " +
               (given.count(parameter.name) ? "give a smaller --shape"
                                            : "run it with smaller extents"));
    return given.count(parameter.name) ? ExitCode::Usage : ExitCode::No;
  }
  return ExitCode::Fine;
}

/// Different positions below `extent`, in an order that the seed chooses.
static void fillDistinct(uint64_t seed, int64_t extent, HostArray &array) {
  std::vector<int64_t> positions(extent);
  std::iota(positions.begin(), positions.end(), 0);
  std::mt19937_64 generator(seed);
  int64_t size = runtime::byteSize(array.type);
  for (int64_t i = 0, e = array.numElements(); i < e; ++i) {
    std::swap(positions[i], positions[i + generator() % (extent - i)]);
    runtime::storeInteger(array.type, positions[i], &array.bytes[i * size]);
  }
}

/// Fills an argument; positions that no range is given for stay in bounds.
static runtime::InputError fillArgument(std::string specification,
                                        unsigned number,
                                        std::optional<PositionUse> use,
                                        HostArray &array) {
  StringRef seed = specification;
  bool isRandom =
      seed.consume_front("random") && (seed.empty() || seed.consume_front(":"));
  uint64_t value = 0;
  if (!use || !isRandom || (!seed.empty() && seed.getAsInteger(10, value)))
    return runtime::fillInput(specification, number, array);
  // A narrow type cannot hold every position.
  int64_t bits = 8 * runtime::byteSize(array.type) - 1;
  int64_t extent =
      std::min(use->extent - 1, int64_t(~uint64_t(0) >> (64 - bits))) + 1;
  if (use->isDistinct && array.numElements() <= extent) {
    fillDistinct(value + number, extent, array);
    return {};
  }
  return runtime::fillInput("random:" + std::to_string(value) +
                                ":0:" + std::to_string(extent - 1),
                            number, array);
}

ExitCode KernelArguments::prepare(func::FuncOp kernel,
                                  const KernelSignature &signature,
                                  const std::vector<std::string> &inputs,
                                  const std::vector<std::string> &outputs,
                                  const std::vector<std::string> &givenShapes) {
  for (auto [i, type] : llvm::enumerate(signature.arguments))
    shapes.push_back(describe(type, "arg" + Twine(i), /*isResult=*/false));
  argumentCount = shapes.size();
  for (auto [i, type] : llvm::enumerate(signature.results))
    shapes.push_back(describe(type, "res" + Twine(i), /*isResult=*/true));
  for (const ParameterShape &parameter : shapes)
    if (!scalarTypeOf(parameter.elementType)) {
      std::string type;
      llvm::raw_string_ostream(type) << parameter.elementType;
      printError("'" + parameter.name + "' has elements of type " + type +
                 ", which no array file holds");
      return ExitCode::No;
    }

  Assignments inputValues, shapeValues;
  if (ExitCode code =
          parseFlags("input", inputs, shapes, argumentCount, inputValues);
      code != ExitCode::Fine)
    return code;
  if (ExitCode code =
          parseFlags("shape", givenShapes, shapes, argumentCount, shapeValues);
      code != ExitCode::Fine)
    return code;
  if (ExitCode code =
          parseFlags("output", outputs, shapes, shapes.size(), outputFiles);
      code != ExitCode::Fine)
    return code;
  if (runtime::InputError error = runtime::checkFiles(outputFiles)) {
    printError("--output: " + error.message);
    return ExitCode::Usage;
  }
  if (ExitCode code = findShapes(signature, inputValues, shapeValues);
      code != ExitCode::Fine)
    return code;

  SmallVector<SmallVector<int64_t>> extents;
  for (const ParameterShape &parameter :
       ArrayRef(shapes).take_front(argumentCount))
    extents.push_back(parameter.shape);
  SmallVector<std::optional<PositionUse>> positions =
      findPositionArguments(kernel, extents);
  for (auto [i, parameter] : llvm::enumerate(shapes)) {
    if (parameter.isResult) {
      // A dynamic result takes its shape from the run.
      bool isStatic = llvm::none_of(parameter.shape, ShapedType::isDynamic);
      values.push_back(simt::Array::unwritten(
          parameter.elementType,
          isStatic ? ArrayRef<int64_t>(parameter.shape) : ArrayRef<int64_t>()));
      continue;
    }
    HostArray host = HostArray::zeros(
        *scalarTypeOf(parameter.elementType),
        std::vector<int64_t>(parameter.shape.begin(), parameter.shape.end()));
    auto input = inputValues.find(parameter.name);
    if (runtime::InputError error = fillArgument(
            input == inputValues.end() ? "random:0" : input->second, i,
            positions[i], host)) {
      printError(parameter.name + ": " + error.message);
      return ExitCode::Usage;
    }
    values.push_back({parameter.elementType, parameter.shape,
                      std::move(host.bytes), /*written=*/true});
  }
  return ExitCode::Fine;
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

ExitCode KernelArguments::write(const ParameterValues &outcome) const {
  for (auto [parameter, array] : llvm::zip_equal(shapes, outcome))
    if (auto file = outputFiles.find(parameter.name); file != outputFiles.end())
      if (std::string why = writeNpy(file->second, toHost(array));
          !why.empty()) {
        printError(why);
        return ExitCode::Usage;
      }
  return ExitCode::Fine;
}

} // namespace distaff
