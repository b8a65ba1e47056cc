//===- PtxArguments.cpp - Flags for the arguments of PTX ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PtxArguments.h"
#include "distaff/Runtime/Inputs.h"
#include "llvm/ADT/StringExtras.h"

namespace distaff {
namespace {

using runtime::HostArray;
using runtime::ScalarType;

/// Parses "arg0@8" into the parameter and the offset; "arg0" has no offset.
std::optional<PtxSlot> parseSlot(StringRef name) {
  PtxSlot slot;
  auto [parameter, offset] = name.split('@');
  if (!parameter.consume_front("arg") ||
      parameter.getAsInteger(10, slot.parameter))
    return std::nullopt;
  if (!name.contains('@'))
    return slot;
  uint64_t bytes = 0;
  bool isHex = offset.consume_front("0x");
  if (offset.getAsInteger(isHex ? 16 : 10, bytes))
    return std::nullopt;
  slot.offset = bytes;
  return slot;
}

/// Parses the flags that name parameters, or bytes of one.
llvm::Error parseFlags(StringRef flag, const std::vector<std::string> &flags,
                       const PtxKernel &kernel, PtxAssignments &values) {
  std::vector<std::string> known;
  for (size_t i = 0; i < kernel.entry().parameters.size(); ++i)
    known.push_back("arg" + std::to_string(i));
  std::map<std::string, std::string> named, wholes;
  runtime::InputError error = runtime::parseAssignments(flags, named);
  for (const auto &[name, value] : named)
    wholes[name.substr(0, name.find('@'))] = value;
  if (!error)
    error = runtime::checkNames(wholes, known);
  if (error)
    return refuse("--" + flag + ": " + error.message);
  for (const auto &[name, value] : named) {
    std::optional<PtxSlot> slot = parseSlot(name);
    if (!slot)
      return refuse("--" + flag + ": '" + name + "' is no argN@BYTES, an " +
                    "offset within parameter N");
    if (slot->offset && !kernel.isAggregate(slot->parameter))
      return refuse("--" + flag + ": " + kernel.describe(slot->parameter) +
                    " is no aggregate and has no '" + name + "'");
    if (!values.emplace(*slot, value).second)
      return refuse("--" + flag + ": '" + slot->name() + "' is given twice");
  }
  return llvm::Error::success();
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
  if (runtime::bitsInMemory(*type) < 8)
    return refuse("--shape: " + name + "=" + text + " is of " +
                  runtime::name(*type) +
                  ", of which several share a byte; give the shape of their "
                  "bytes, of i8");
  if (!runtime::fitsHost(extents, *type))
    return refuse("--shape: " + name + "=" + text + " takes more than the " +
                  Twine(runtime::largestHostArray()) +
                  " bytes of memory that this machine has for "
                  "an array");
  return HostArray::zeros(*type, extents);
}

/// Returns the type in which a file's bits are kept and written back. Unsigned
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

} // namespace

llvm::Error refuse(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

std::string PtxSlot::name() const {
  std::string text = "arg" + std::to_string(parameter);
  return offset ? text + "@" + std::to_string(*offset) : text;
}

llvm::Error PtxArguments::parse(const PtxKernel &kernel,
                                const std::vector<std::string> &inputFlags,
                                const std::vector<std::string> &shapeFlags,
                                const std::vector<std::string> &outputFlags) {
  if (llvm::Error error = parseFlags("input", inputFlags, kernel, inputs))
    return error;
  if (llvm::Error error = parseFlags("shape", shapeFlags, kernel, shapes))
    return error;
  if (llvm::Error error = parseFlags("output", outputFlags, kernel, outputs))
    return error;
  std::map<std::string, std::string> files;
  for (const auto &[slot, file] : outputs)
    files[slot.name()] = file;
  if (runtime::InputError error = runtime::checkFiles(files))
    return refuse("--output: " + error.message);
  for (const auto *given : {&inputs, &shapes})
    for (const auto &[slot, value] : *given)
      slots.insert(slot);
  std::string missing;
  size_t count = kernel.entry().parameters.size();
  for (size_t i = 0; i < count; ++i) {
    auto first = slots.lower_bound({i, std::nullopt});
    if (first == slots.end() || first->parameter != i)
      missing += (missing.empty() ? "" : ", ") + kernel.describe(i);
  }
  if (!missing.empty())
    return refuse("'" + kernel.entry().name + "' takes " + Twine(count) +
                  " arguments, and no --input gives " + missing);
  for (const auto &[slot, file] : outputs)
    if (!slot.offset && kernel.isAggregate(slot.parameter))
      return refuse("--output: " + kernel.describe(slot.parameter) +
                    " is no pointer; --output " + slot.name() + "@BYTES " +
                    "writes the array behind one in it");
    else if (!slots.count(slot))
      return refuse("--output: '" + slot.name() + "' is given no array that " +
                    "could be written");
  return llvm::Error::success();
}

llvm::Expected<std::vector<ptx::Argument>>
PtxArguments::make(const PtxKernel &kernel) {
  std::vector<ptx::Argument> all;
  for (size_t i = 0; i < kernel.entry().parameters.size(); ++i) {
    llvm::Expected<ptx::Argument> argument = kernel.isAggregate(i)
                                                 ? makeAggregate(kernel, i)
                                                 : makeArgument(kernel, i);
    if (!argument)
      return argument.takeError();
    all.push_back(std::move(*argument));
  }
  return all;
}

std::vector<std::pair<std::string, const HostArray *>>
PtxArguments::written() const {
  std::vector<std::pair<std::string, const HostArray *>> all;
  for (const auto &[slot, file] : outputs)
    all.push_back({file, &arrays.at(slot)});
  return all;
}

static bool isFill(StringRef input) {
  return llvm::is_contained({"zeros", "iota", "random", "whole"},
                            input.split(':').first);
}

llvm::Error PtxArguments::checkNull(const PtxSlot &slot) const {
  auto input = inputs.find(slot);
  if (shapes.count(slot) && input != inputs.end() && input->second == "null")
    return refuse("--shape " + slot.name() + ": null has no shape; leave out " +
                  "the flag or give another --input");
  return llvm::Error::success();
}

bool PtxArguments::isArray(const PtxSlot &slot) const {
  auto input = inputs.find(slot);
  return shapes.count(slot) ||
         (input != inputs.end() && StringRef(input->second).ends_with(".npy"));
}

llvm::Expected<ptx::Argument>
PtxArguments::makeArgument(const PtxKernel &kernel, size_t number) {
  PtxSlot slot{number, std::nullopt};
  StringRef input = inputs[slot];
  if (llvm::Error error = checkNull(slot))
    return std::move(error);
  if (isArray(slot)) {
    if (!kernel.takesArray(number)) {
      llvm::Expected<std::vector<uint8_t>> bytes = makeBytes(kernel, slot);
      return bytes ? ptx::Argument::scalar(std::move(*bytes))
                   : llvm::Expected<ptx::Argument>(bytes.takeError());
    }
    return makePointer(slot);
  }
  if (outputs.count(slot))
    return refuse("--output: " + kernel.describe(number) +
                  " is given no array that could be written");
  if (input == "null")
    return kernel.takesArray(number)
               ? ptx::Argument::null()
               : llvm::Expected<ptx::Argument>(refuse(
                     kernel.describe(number) + " is no pointer: not null"));
  if (kernel.takesArray(number) && isFill(input))
    return refuse("--input " + slot.name() + "=" + input +
                  " needs a shape with a type: --shape " + slot.name() +
                  "=33x17xf32");
  return kernel.scalar(number, input);
}

llvm::Expected<ptx::Argument>
PtxArguments::makeAggregate(const PtxKernel &kernel, size_t number) {
  std::vector<PtxKernel::Field> fields;
  std::vector<uint8_t> rest;
  for (const PtxSlot &slot : slots) {
    if (slot.parameter != number)
      continue;
    if (!slot.offset) {
      llvm::Expected<std::vector<uint8_t>> bytes = makeBytes(kernel, slot);
      if (!bytes)
        return bytes.takeError();
      rest = std::move(*bytes);
      continue;
    }
    llvm::Expected<ptx::Argument> value = makeField(slot);
    if (!value)
      return value.takeError();
    fields.push_back({*slot.offset, std::move(*value)});
  }
  return kernel.aggregate(number, std::move(fields), std::move(rest));
}

/// Returns the bytes of a parameter that is no pointer, from an array of that
/// size.
llvm::Expected<std::vector<uint8_t>>
PtxArguments::makeBytes(const PtxKernel &kernel, const PtxSlot &slot) {
  uint64_t size = kernel.entry().parameters[slot.parameter].size;
  auto no = [&](const Twine &why) {
    return refuse(kernel.describe(slot.parameter) + " is no pointer but " +
                  Twine(size) + " bytes: " + why);
  };
  if (outputs.count(slot))
    return no("--output does not write it");
  if (!isArray(slot))
    return no("give an array of as many, or pointers and numbers within it, "
              "--input " +
              slot.name() + "@0=x.npy, not '" + inputs[slot] + "'");
  llvm::Expected<HostArray> array = makeArray(slot);
  if (!array)
    return array.takeError();
  if (array->bytes.size() != size)
    return no("an array of " + Twine(array->bytes.size()) + " is given");
  return std::vector<uint8_t>(array->bytes.begin(), array->bytes.end());
}

/// Returns a pointer or a number within an aggregate.
llvm::Expected<ptx::Argument> PtxArguments::makeField(const PtxSlot &slot) {
  StringRef input = inputs[slot];
  if (llvm::Error error = checkNull(slot))
    return std::move(error);
  if (isArray(slot))
    return makePointer(slot);
  if (outputs.count(slot))
    return refuse("--output: " + slot.name() +
                  " is given no array that could be written");
  if (input == "null")
    return ptx::Argument::null();
  if (isFill(input))
    return refuse("--input " + slot.name() + "=" + input +
                  " needs a shape with a type: --shape " + slot.name() +
                  "=33x17xf32");
  llvm::Expected<ptx::Argument> number = PtxKernel::typedNumber(input);
  return number ? std::move(number)
                : refuse("--input " + slot.name() + ": " +
                         llvm::toString(number.takeError()));
}

llvm::Expected<HostArray> PtxArguments::makeArray(const PtxSlot &slot) {
  auto shape = shapes.find(slot);
  const std::string &input = inputs[slot];
  if (shape == shapes.end())
    return readArray(input);
  llvm::Expected<HostArray> array = parseShape(slot.name(), shape->second);
  if (!array)
    return array;
  if (runtime::InputError error = runtime::fillInput(
          input.empty() ? "random:0" : input,
          slot.parameter + unsigned(slot.offset.value_or(0)), *array))
    return refuse(slot.name() + ": " + error.message);
  return array;
}

llvm::Expected<ptx::Argument> PtxArguments::makePointer(const PtxSlot &slot) {
  llvm::Expected<HostArray> array = makeArray(slot);
  if (!array)
    return array.takeError();
  HostArray &kept = arrays[slot] = std::move(*array);
  return ptx::Argument::buffer(kept.bytes.data(), kept.bytes.size());
}

} // namespace distaff
