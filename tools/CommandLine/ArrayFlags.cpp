//===- ArrayFlags.cpp - --input, --output and --shape ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CommandLine/ArrayFlags.h"
#include "CommandLine/Files.h"
#include "distaff/Driver/PositionArguments.h"
#include "distaff/Runtime/Inputs.h"

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

/// Reads "NAME=VALUE" flags whose names are those of `parameters`.
ExitCode parseFlags(StringRef flag, const std::vector<std::string> &flags,
                    ArrayRef<ParameterShape> parameters, Assignments &values) {
  std::vector<std::string> known;
  for (const ParameterShape &parameter : parameters)
    known.push_back(parameter.name);
  runtime::InputError error = runtime::parseAssignments(flags, values);
  if (!error)
    error = runtime::checkNames(values, known);
  return error ? usageError("--" + flag + ": " + error.message)
               : ExitCode::Fine;
}

std::string print(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Returns "(64, 64)".
std::string print(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleaveComma(shape, stream << "(");
  stream << ")";
  return text;
}

/// Fills an array with distinct positions below `extent`, in an order that the
/// seed chooses.
void fillDistinct(uint64_t seed, int64_t extent, HostArray &array) {
  std::vector<int64_t> positions(extent);
  std::iota(positions.begin(), positions.end(), 0);
  std::mt19937_64 generator(seed);
  int64_t size = runtime::byteSize(array.type);
  for (int64_t i = 0, e = array.numElements(); i < e; ++i) {
    std::swap(positions[i], positions[i + generator() % (extent - i)]);
    runtime::storeInteger(array.type, positions[i], &array.bytes[i * size]);
  }
}

/// Fills rows of coordinates below extents of their own; with distinct rows if
/// there are enough places, and few enough to list them.
bool fillRows(uint64_t seed, const PositionUse &use, HostArray &array) {
  constexpr int64_t mostListed = 1 << 24;
  int64_t perRow = use.extentsOfRow.size(), places = 1;
  if (perRow < 2 || array.numElements() % perRow != 0)
    return false;
  for (int64_t extent : use.extentsOfRow) {
    if (extent < 1 || extent > mostListed / places)
      return false;
    places *= extent;
  }
  int64_t rows = array.numElements() / perRow;
  HostArray numbers{runtime::ScalarType::I64, {rows}, {}};
  numbers.bytes.resize(rows * sizeof(int64_t));
  if (use.isDistinct && rows > places)
    return false;
  std::mt19937_64 generator(seed);
  if (use.isDistinct)
    fillDistinct(seed, places, numbers);
  else
    for (int64_t row = 0; row < rows; ++row)
      runtime::storeInteger(numbers.type, generator() % places,
                            &numbers.bytes[row * sizeof(int64_t)]);
  int64_t size = runtime::byteSize(array.type);
  for (int64_t row = 0; row < rows; ++row) {
    int64_t place;
    std::memcpy(&place, &numbers.bytes[row * sizeof(int64_t)], sizeof(place));
    for (int64_t at = perRow; at-- > 0; place /= use.extentsOfRow[at])
      runtime::storeInteger(array.type, place % use.extentsOfRow[at],
                            &array.bytes[(row * perRow + at) * size]);
  }
  return true;
}

/// Fills an argument; positions without a given range stay in bounds.
runtime::InputError fillArgument(const std::string &specification,
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
  bool holdsAll = llvm::all_of(use->extentsOfRow, [&](int64_t each) {
    return each - 1 <= int64_t(~uint64_t(0) >> (64 - bits));
  });
  if (holdsAll && fillRows(value + number, *use, array))
    return {};
  if (use->isDistinct && array.numElements() <= extent) {
    fillDistinct(value + number, extent, array);
    return {};
  }
  return runtime::fillInput("random:" + std::to_string(value) + ":" +
                                std::to_string(use->least) + ":" +
                                std::to_string(extent - 1),
                            number, array);
}

/// Reads the flags of one kernel.
class Reader {
public:
  Reader(const KernelDescription &kernel, ArrayFiles &files)
      : kernel(kernel.kernel), parameters(kernel.parameters),
        arguments(MutableArrayRef(parameters).take_front(kernel.numArguments)),
        files(files) {}

  ExitCode read(const ArrayFlags &flags) {
    if (ExitCode code = parse(flags); code != ExitCode::Fine)
      return code;
    for (ParameterShape &argument : arguments)
      if (ExitCode code = findShape(argument); code != ExitCode::Fine)
        return code;
    // No allocation before all sizes are known to fit.
    if (ExitCode code = checkSizes(); code != ExitCode::Fine)
      return code;
    return fill();
  }

private:
  ExitCode parse(const ArrayFlags &flags) {
    ExitCode code = parseFlags("input", flags.inputs, arguments, inputs);
    if (code == ExitCode::Fine)
      code = parseFlags("shape", flags.shapes, arguments, shapes);
    if (code == ExitCode::Fine)
      code = parseFlags("output", flags.outputs, parameters, files.outputs);
    if (code != ExitCode::Fine)
      return code;
    runtime::InputError error = runtime::checkFiles(files.outputs);
    return error ? usageError("--output: " + error.message) : ExitCode::Fine;
  }

  /// Fixes an argument's extents from --shape or from its file.
  ExitCode findShape(ParameterShape &argument) {
    SmallVector<int64_t> extents;
    auto shape = shapes.find(argument.name);
    auto input = inputs.find(argument.name);
    if (shape != shapes.end()) {
      if (!parseShape(shape->second, extents))
        return usageError("--shape: '" + shape->second +
                          "' is no shape such as 33x17");
    } else if (argument.isStatic()) {
      return ExitCode::Fine;
    } else if (input != inputs.end() && runtime::namesFile(input->second)) {
      runtime::NpyArray array;
      if (std::string why = readNpy(input->second, array); !why.empty())
        return usageError(why);
      extents.assign(array.shape.begin(), array.shape.end());
    } else {
      return usageError("'" + argument.name +
                        "' has dynamic extents: give its shape, --shape " +
                        argument.name + "=..., or a file");
    }
    if (!argument.fits(extents))
      return usageError("'" + argument.name + "' is given the shape " +
                        print(extents) + ", the kernel takes " +
                        print(argument.type));
    argument.shape = extents;
    return ExitCode::Fine;
  }

  ExitCode checkSizes() const {
    for (const ParameterShape &parameter : parameters) {
      std::string why = parameter.describeOversize();
      if (why.empty())
        continue;
      bool isGiven = shapes.count(parameter.name);
      printError(why + (isGiven ? "; give a smaller --shape"
                                : "; run it with smaller extents"));
      return isGiven ? ExitCode::Usage : ExitCode::No;
    }
    return ExitCode::Fine;
  }

  ExitCode fill() {
    SmallVector<SmallVector<int64_t>> extents;
    for (const ParameterShape &argument : arguments)
      extents.push_back(argument.shape);
    SmallVector<std::optional<PositionUse>> positions =
        findPositionArguments(kernel, extents);
    for (auto [i, argument] : llvm::enumerate(arguments)) {
      HostArray array = HostArray::zeros(
          *scalarTypeOf(argument.elementType),
          std::vector<int64_t>(argument.shape.begin(), argument.shape.end()));
      auto input = inputs.find(argument.name);
      if (runtime::InputError error =
              fillArgument(input == inputs.end() ? "random:0" : input->second,
                           i, positions[i], array))
        return usageError(argument.name + ": " + error.message);
      files.inputs.push_back(std::move(array));
    }
    return ExitCode::Fine;
  }

  FunctionOpInterface kernel;
  SmallVector<ParameterShape> parameters;
  MutableArrayRef<ParameterShape> arguments;
  ArrayFiles &files;
  Assignments inputs, shapes;
};

} // namespace

ExitCode readArrays(const KernelDescription &kernel, const ArrayFlags &flags,
                    ArrayFiles &files) {
  return Reader(kernel, files).read(flags);
}

ExitCode writeArrays(const KernelDescription &kernel, const ArrayFiles &files,
                     ArrayRef<HostArray> arrays) {
  std::vector<std::pair<std::string, const HostArray *>> wanted;
  for (auto [parameter, array] : llvm::zip_equal(kernel.parameters, arrays))
    if (auto file = files.outputs.find(parameter.name);
        file != files.outputs.end())
      wanted.push_back({file->second, &array});
  if (std::string why = writeNpys(wanted); !why.empty())
    return usageError(why);
  return ExitCode::Fine;
}

} // namespace distaff
