//===- RunPtx.cpp - distaff run k.ptx -------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RunPtx.h"
#include "CommandLine/Files.h"
#include "distaff/Pipelines/Backend.h"
#include "distaff/Runtime/Inputs.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

namespace distaff {
namespace {

using runtime::HostArray;
using runtime::ScalarType;
using Assignments = std::map<std::string, std::string>;

llvm::Error refuse(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// Parses the flags that name parameters.
llvm::Error parseFlags(StringRef flag, const std::vector<std::string> &flags,
                       size_t numParameters, Assignments &values) {
  std::vector<std::string> known;
  for (size_t i = 0; i < numParameters; ++i)
    known.push_back("arg" + std::to_string(i));
  runtime::InputError error = runtime::parseAssignments(flags, values);
  if (!error)
    error = runtime::checkNames(values, known);
  return error ? refuse("--" + flag + ": " + error.message)
               : llvm::Error::success();
}

/// Parses "X", "X,Y" or "X,Y,Z"; what is left out is 1.
llvm::Error parseExtents(StringRef flag, StringRef text,
                         std::array<int64_t, 3> &extents) {
  if (text.empty())
    return refuse("--" + flag + " is not given: --" + flag +
                  " X[,Y,Z] says how many " +
                  (flag == "grid" ? "workgroups" : "threads of a workgroup") +
                  " there are");
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  extents = {1, 1, 1};
  bool isGood = parts.size() <= 3;
  for (size_t i = 0; isGood && i < parts.size(); ++i)
    isGood = !parts[i].getAsInteger(10, extents[i]) && extents[i] > 0;
  return isGood ? llvm::Error::success()
                : refuse("--" + flag +
                         " takes X, X,Y or X,Y,Z of at least 1, "
                         "not '" +
                         text + "'");
}

/// Parses "33x17xf32" into zeros of that type and shape.
llvm::Expected<HostArray> parseShape(StringRef name, StringRef text) {
  SmallVector<StringRef> parts;
  text.split(parts, 'x');
  std::optional<ScalarType> type = runtime::parseScalarType(parts.back());
  std::vector<int64_t> extents;
  bool isGood = type.has_value();
  for (StringRef part : ArrayRef(parts).drop_back())
    isGood &= !part.getAsInteger(10, extents.emplace_back());
  if (!isGood)
    return refuse("--shape: " + name + "=" + text +
                  " is no shape with a type, such as 33x17xf32");
  if (!runtime::fitsHost(extents, *type))
    return refuse("--shape: " + name + "=" + text + " takes more than the " +
                  Twine(runtime::largestHostArray()) +
                  " bytes of memory that this machine has for "
                  "an array");
  return HostArray::zeros(*type, extents);
}

/// The type under which a file's bits are kept and written back. Unsigned
/// numbers of 4 and 8 bytes are written as signed ones.
ScalarType typeOf(StringRef descr) {
  for (ScalarType type :
       {ScalarType::I1, ScalarType::I8, ScalarType::I16, ScalarType::I32,
        ScalarType::I64, ScalarType::F16, ScalarType::BF16, ScalarType::F32,
        ScalarType::F64, ScalarType::F8E5M2})
    if (StringRef(runtime::npyDescr(type)) == descr)
      return type;
  return descr == "<u4" ? ScalarType::I32 : ScalarType::I64;
}

llvm::Expected<HostArray> readArray(const std::string &path) {
  runtime::NpyArray file;
  if (std::string why = runtime::readNpy(path, file); !why.empty())
    return refuse(why);
  return HostArray{typeOf(file.descr), std::move(file.shape),
                   std::move(file.bytes)};
}

/// One launch, as the flags describe it: parses all of them, then runs.
class PtxCommand {
public:
  PtxCommand(const RunPtxOptions &options, StringRef text)
      : options(options), text(text) {}

  /// An error is a mistake of the flags or of the file.
  llvm::Expected<ptx::Outcome> run() {
    llvm::Expected<PtxKernel> kernel = load();
    if (!kernel)
      return kernel.takeError();
    if (llvm::Error error = parseLaunch())
      return std::move(error);
    if (llvm::Error error = makeArguments(*kernel))
      return std::move(error);
    return kernel->run(launch);
  }

  llvm::Error write() const {
    std::vector<std::pair<std::string, const HostArray *>> wanted;
    for (const auto &[number, array] : arrays)
      if (auto file = outputs.find("arg" + std::to_string(number));
          file != outputs.end())
        wanted.push_back({file->second, &array});
    std::string why = writeNpys(wanted);
    return why.empty() ? llvm::Error::success() : refuse(why);
  }

private:
  llvm::Expected<PtxKernel> load() const {
    llvm::Expected<PtxKernel> kernel =
        PtxKernel::load(text, options.target->chip, options.entry);
    return kernel ? std::move(kernel)
                  : refuse("'" + options.path +
                           "': " + llvm::toString(kernel.takeError()));
  }

  llvm::Error parseLaunch() {
    if (llvm::Error error = parseExtents("grid", options.grid, launch.grid))
      return error;
    if (llvm::Error error =
            parseExtents("block", options.block, launch.workgroup))
      return error;
    if (!options.shared.empty() &&
        (StringRef(options.shared)
             .getAsInteger(10, launch.dynamicSharedBytes) ||
         launch.dynamicSharedBytes < 0))
      return refuse("--shared takes a number of bytes, not '" + options.shared +
                    "'");
    launch.seed = options.schedule;
    launch.stepLimit = options.maxSteps;
    return llvm::Error::success();
  }

  llvm::Error makeArguments(const PtxKernel &kernel) {
    size_t count = kernel.entry().parameters.size();
    if (llvm::Error error = parseFlags("input", options.inputs, count, inputs))
      return error;
    if (llvm::Error error = parseFlags("shape", options.shapes, count, shapes))
      return error;
    if (llvm::Error error =
            parseFlags("output", options.outputs, count, outputs))
      return error;
    if (runtime::InputError error = runtime::checkFiles(outputs))
      return refuse("--output: " + error.message);
    std::string missing;
    for (size_t i = 0; i < count; ++i)
      if (std::string name = "arg" + std::to_string(i);
          !inputs.count(name) && !shapes.count(name))
        missing += (missing.empty() ? "" : ", ") + kernel.describe(i);
    if (!missing.empty())
      return refuse("'" + kernel.entry().name + "' takes " + Twine(count) +
                    " arguments, and no --input gives " + missing);
    for (size_t i = 0; i < count; ++i) {
      llvm::Expected<ptx::Argument> argument = makeArgument(kernel, i);
      if (!argument)
        return argument.takeError();
      launch.arguments.push_back(std::move(*argument));
    }
    return llvm::Error::success();
  }

  llvm::Expected<ptx::Argument> makeArgument(const PtxKernel &kernel,
                                             size_t number) {
    std::string name = "arg" + std::to_string(number);
    StringRef input = inputs[name];
    if (shapes.count(name) && input == "null")
      return refuse("--shape " + name + ": null has no shape; leave out the " +
                    "flag or give another --input");
    if (shapes.count(name) || input.ends_with(".npy"))
      return makeArray(kernel, number, name);
    if (outputs.count(name))
      return refuse("--output: " + kernel.describe(number) +
                    " is given no array that could be written");
    if (input == "null")
      return kernel.takesArray(number)
                 ? ptx::Argument::null()
                 : llvm::Expected<ptx::Argument>(refuse(
                       kernel.describe(number) + " is no pointer: not null"));
    StringRef word = input.split(':').first;
    if (kernel.takesArray(number) &&
        llvm::is_contained({"zeros", "iota", "random", "whole"}, word))
      return refuse("--input " + name + "=" + input +
                    " needs a shape with a type: --shape " + name +
                    "=33x17xf32");
    return kernel.scalar(number, input);
  }

  /// An array behind a pointer, or the bytes of an aggregate.
  llvm::Expected<ptx::Argument>
  makeArray(const PtxKernel &kernel, size_t number, const std::string &name) {
    auto shape = shapes.find(name);
    llvm::Expected<HostArray> read = shape == shapes.end()
                                         ? readArray(inputs[name])
                                         : parseShape(name, shape->second);
    if (!read)
      return read.takeError();
    HostArray array = std::move(*read);
    if (shape != shapes.end()) {
      const std::string &input = inputs[name];
      if (runtime::InputError error = runtime::fillInput(
              input.empty() ? "random:0" : input, number, array))
        return refuse(name + ": " + error.message);
    }
    if (kernel.takesArray(number)) {
      HostArray &kept = arrays[number] = std::move(array);
      return ptx::Argument::buffer(kept.bytes.data(), kept.bytes.size());
    }
    uint64_t size = kernel.entry().parameters[number].size;
    if (array.bytes.size() != size || outputs.count(name))
      return refuse(kernel.describe(number) + " is no pointer: it takes a " +
                    "number or " + Twine(size) + " bytes, and is not written");
    return ptx::Argument::scalar(
        std::vector<uint8_t>(array.bytes.begin(), array.bytes.end()));
  }

  const RunPtxOptions &options;
  StringRef text;
  ptx::Launch launch;
  Assignments inputs, outputs, shapes;
  std::map<size_t, HostArray> arrays; ///< behind pointers, by parameter
};

ExitCode report(llvm::Error error) {
  return usageError(llvm::toString(std::move(error)));
}

} // namespace

void printPtxCounters(const ptx::Counters &counters) {
  for (auto [name, value] : counterRows(counters))
    llvm::outs() << llvm::formatv("{0,-22}{1}\n", name, value);
}

ExitCode runPtxFile(const RunPtxOptions &options) {
  if (!isKindOf(*options.target, "ptx"))
    return usageError("target " + options.target->name + " does not run PTX");
  std::unique_ptr<llvm::MemoryBuffer> text = readFile(options.path);
  if (!text)
    return ExitCode::Usage;
  PtxCommand command(options, text->getBuffer());
  llvm::Expected<ptx::Outcome> outcome = command.run();
  if (!outcome)
    return report(outcome.takeError());
  for (const std::string &sentence : describeFailure(*outcome))
    printError("'" + options.path + "': " + sentence);
  if (Answer answer = answerOf(*outcome); answer != Answer::Yes)
    return exitCodeOf(answer);
  if (options.counters)
    printPtxCounters(outcome->counters);
  if (llvm::Error error = command.write())
    return report(std::move(error));
  return ExitCode::Fine;
}

} // namespace distaff
