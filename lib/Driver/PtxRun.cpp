//===- PtxRun.cpp - Running PTX text of any origin ------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Driver/PtxRun.h"
#include "distaff/Runtime/DeviceLimits.h"
#include "distaff/Runtime/Package.h"
#include "distaff/Runtime/ScalarType.h"
#include "llvm/ADT/StringExtras.h"

namespace distaff {
namespace {

llvm::Error refuse(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// Fails if a GPU that is `target` cannot run text that names `written`.
llvm::Error checkTarget(const std::string &written, const std::string &target) {
  if (written.empty())
    return refuse("it has no .target, so nobody knows whether " + target +
                  " runs it");
  if (written == target)
    return llvm::Error::success();
  // A letter after the number: features of one architecture, and no later one.
  bool isOfOne = !llvm::isDigit(written.back());
  auto text = runtime::CodeObject::of("ptx", written, "");
  auto device = runtime::CodeObject::of("ptx", target, "");
  if (!isOfOne && text.runsOn(device.major, device.minor))
    return llvm::Error::success();
  return refuse("its .target is " + written + ", which " + target +
                " does not run" +
                (isOfOne ? ": such code runs on " + written + " alone" : ""));
}

std::string listOf(ArrayRef<ptx::Entry> entries) {
  return llvm::join(llvm::map_range(entries,
                                    [](const ptx::Entry &entry) {
                                      return StringRef(entry.name);
                                    }),
                    ", ");
}

llvm::Expected<StringRef> chooseEntry(const ptx::Module &module,
                                      StringRef name) {
  ArrayRef<ptx::Entry> entries = module.entries();
  if (entries.empty())
    return refuse("there is no .entry in it, so nothing to run");
  if (name.empty() && entries.size() > 1)
    return refuse("it has several entries: say which, --entry NAME, of " +
                  listOf(entries));
  if (name.empty())
    return StringRef(entries.front().name);
  if (const ptx::Entry *entry = module.find(name))
    return StringRef(entry->name);
  return refuse("it has no entry '" + name + "', it has " + listOf(entries));
}

/// Returns the bits of a PTX type such as "u32"; 0 for any other text.
unsigned widthOf(StringRef type) {
  unsigned width = 0;
  type.drop_front().getAsInteger(10, width);
  return width;
}

ptx::Argument lowest(uint64_t bits, uint64_t bytes) {
  std::vector<uint8_t> data(bytes);
  for (uint64_t i = 0; i < bytes; ++i)
    data[i] = uint8_t(bits >> (8 * i));
  return ptx::Argument::scalar(std::move(data));
}

/// Parses an integer, decimal or after 0x, whose bits a type of `width` bits
/// can hold, signed or unsigned.
std::optional<uint64_t> wholeNumber(StringRef text, unsigned width) {
  int64_t value;
  uint64_t large;
  bool isHex = text.consume_front("0x");
  if (!text.getAsInteger(isHex ? 16 : 10, large))
    return width < 64 && large >> width ? std::nullopt : std::optional(large);
  if (isHex || text.getAsInteger(10, value) ||
      (width < 64 && value < -(int64_t(1) << (width - 1))))
    return std::nullopt;
  return uint64_t(value);
}

std::optional<runtime::ScalarType> floatOf(unsigned width) {
  switch (width) {
  case 16:
    return runtime::ScalarType::F16;
  case 32:
    return runtime::ScalarType::F32;
  case 64:
    return runtime::ScalarType::F64;
  default:
    return std::nullopt;
  }
}

std::string tuple(const std::array<int64_t, 3> &values) {
  return std::to_string(values[0]) + "," + std::to_string(values[1]) + "," +
         std::to_string(values[2]);
}

/// Checks the limits of the target's devices on a launch.
llvm::Error checkLimits(const ptx::Launch &launch, const ptx::Entry &entry,
                        const std::string &target) {
  std::optional<runtime::DeviceLimits> limits = runtime::limitsOf(target);
  if (!limits)
    return refuse("no GPU is known as " + target +
                  ", so the limits of a launch are not: they belong into the "
                  "table of DeviceLimits");
  int64_t lanes = 1;
  for (int d = 0; d < 3; ++d) {
    if (launch.grid[d] < 1 || launch.grid[d] > limits->grid[d])
      return refuse("--grid " + tuple(launch.grid) + ": " + target +
                    " takes 1 to " + tuple(limits->grid));
    if (launch.workgroup[d] < 1 ||
        launch.workgroup[d] > limits->workgroupSize[d])
      return refuse("--block " + tuple(launch.workgroup) + ": " + target +
                    " takes 1 to " + tuple(limits->workgroupSize));
    lanes *= launch.workgroup[d]; // at most 1024^3
  }
  if (lanes > limits->lanes)
    return refuse("--block " + tuple(launch.workgroup) + " are " +
                  Twine(lanes) + " threads, " + target + " has at most " +
                  Twine(limits->lanes));
  int64_t most = limits->sharedMemory - int64_t(entry.sharedBytes);
  if (launch.dynamicSharedBytes < 0 || launch.dynamicSharedBytes > most)
    return refuse("--shared " + Twine(launch.dynamicSharedBytes) +
                  ": the kernel has " + Twine(entry.sharedBytes) +
                  " bytes of its own, " + target + " has " +
                  Twine(limits->sharedMemory));
  return llvm::Error::success();
}

} // namespace

llvm::Expected<PtxKernel> PtxKernel::load(StringRef text, StringRef target,
                                          StringRef entry) {
  ptx::ParseError error;
  std::optional<ptx::Module> module = ptx::parseModule(text, error);
  if (!module)
    return refuse("line " + Twine(error.line) + ": " + error.text);
  if (llvm::Error error = checkTarget(module->target(), target.str()))
    return std::move(error);
  llvm::Expected<StringRef> name = chooseEntry(*module, entry);
  if (!name)
    return name.takeError();
  return PtxKernel(*module, target, *name);
}

std::string PtxKernel::describe(size_t number) const {
  const ptx::Parameter &parameter = entry().parameters[number];
  std::string extent;
  if (isAggregate(number))
    extent = "[" +
             std::to_string(parameter.size * 8 / widthOf(parameter.type)) + "]";
  return "arg" + std::to_string(number) + " (." + parameter.type + " " +
         parameter.name + extent + ")";
}

bool PtxKernel::isAggregate(size_t number) const {
  const ptx::Parameter &parameter = entry().parameters[number];
  unsigned width = widthOf(parameter.type);
  return width != 0 && parameter.size * 8 != width;
}

bool PtxKernel::takesArray(size_t number) const {
  const ptx::Parameter &parameter = entry().parameters[number];
  return parameter.size == 8 && widthOf(parameter.type) == 64 &&
         !StringRef(parameter.type).starts_with("f");
}

llvm::Expected<ptx::Argument> PtxKernel::scalar(size_t number,
                                                StringRef text) const {
  const ptx::Parameter &parameter = entry().parameters[number];
  StringRef type = parameter.type;
  unsigned width = widthOf(type);
  if (parameter.isPointer)
    return refuse(describe(number) + " is a pointer, not the number '" + text +
                  "': give an array, or null");
  if (parameter.size * 8 != width)
    return refuse(describe(number) + " has " + Twine(parameter.size) +
                  " bytes: give an array of as many, not a number");
  bool mayBeWhole = !type.starts_with("f");
  bool mayBeFloat = type.starts_with("f") || type.starts_with("b");
  if (mayBeWhole)
    if (std::optional<uint64_t> bits = wholeNumber(text, width))
      return lowest(*bits, parameter.size);
  double value;
  std::optional<runtime::ScalarType> kind = floatOf(width);
  if (!mayBeFloat || !kind || text.getAsDouble(value) ||
      (mayBeWhole && !text.contains_insensitive("n") &&
       text.find_first_of(".e") == StringRef::npos))
    return refuse(describe(number) + ": '" + text +
                  "' is no number of its type");
  std::vector<uint8_t> bytes(parameter.size);
  runtime::storeDouble(*kind, value, bytes.data());
  return ptx::Argument::scalar(std::move(bytes));
}

llvm::Expected<ptx::Argument> PtxKernel::typedNumber(StringRef text) {
  auto [number, name] = text.rsplit(':');
  std::optional<runtime::ScalarType> type = runtime::parseScalarType(name);
  if (!type)
    return refuse("'" + text + "' is no number with its type, as 100:i32 is");
  uint64_t size = runtime::byteSize(*type);
  if (!runtime::isFloat(*type)) {
    bool isBit = *type == runtime::ScalarType::I1;
    if (std::optional<uint64_t> bits =
            wholeNumber(number, isBit ? 1 : runtime::bitsInMemory(*type));
        bits && (!isBit || *bits <= 1))
      return lowest(*bits, size);
    return refuse("'" + number + "' is no " + name);
  }
  double value;
  if (number.getAsDouble(value))
    return refuse("'" + number + "' is no " + name);
  std::vector<uint8_t> bytes(size);
  runtime::storeDouble(*type, value, bytes.data());
  return ptx::Argument::scalar(std::move(bytes));
}

/// Fails if a field lies outside of its aggregate, or not at a multiple of its
/// size.
static llvm::Error checkField(const PtxKernel &kernel, size_t number,
                              const PtxKernel::Field &field, uint64_t size) {
  std::string name =
      "arg" + std::to_string(number) + "@" + std::to_string(field.offset);
  uint64_t whole = kernel.entry().parameters[number].size;
  if (size > whole || field.offset > whole - size)
    return refuse(name + " has " + Twine(size) + " bytes, which reach beyond " +
                  "the " + Twine(whole) + " of " + kernel.describe(number));
  if (field.offset % size != 0)
    return refuse(name + " has " + Twine(size) +
                  " bytes, which lie at a multiple of " + Twine(size));
  return llvm::Error::success();
}

llvm::Expected<ptx::Argument>
PtxKernel::aggregate(size_t number, std::vector<Field> fields,
                     std::vector<uint8_t> rest) const {
  if (!isAggregate(number))
    return refuse(describe(number) + " is no aggregate: give arg" +
                  Twine(number) + " itself");
  std::vector<uint8_t> bytes = std::move(rest);
  bytes.resize(entry().parameters[number].size);
  std::vector<ptx::Argument::Pointer> pointers;
  llvm::sort(fields, [](const Field &a, const Field &b) {
    return a.offset < b.offset;
  });
  uint64_t last = 0, end = 0;
  for (const Field &field : fields) {
    const ptx::Argument &value = field.value;
    bool isNumber = value.kind == ptx::Argument::Kind::Scalar;
    uint64_t size = isNumber ? value.bytes.size() : 8;
    if (llvm::Error error = checkField(*this, number, field, size))
      return std::move(error);
    if (field.offset < end)
      return refuse("arg" + Twine(number) + "@" + Twine(last) + " and arg" +
                    Twine(number) + "@" + Twine(field.offset) +
                    " overlap: the first one has " + Twine(end - last) +
                    " bytes");
    last = field.offset;
    end = last + size;
    if (isNumber)
      llvm::copy(value.bytes, bytes.begin() + last);
    else
      std::fill_n(bytes.begin() + last, size, 0);
    if (value.kind == ptx::Argument::Kind::Buffer)
      pointers.push_back({last, value.data, value.size, value.written});
  }
  ptx::Argument argument = ptx::Argument::scalar(std::move(bytes));
  argument.pointers = std::move(pointers);
  return argument;
}

llvm::Expected<ptx::Outcome> PtxKernel::run(ptx::Launch launch) const {
  if (llvm::Error error = checkLimits(launch, entry(), target))
    return std::move(error);
  launch.entry = name;
  ptx::Outcome outcome = ptx::run(module, launch);
  if (outcome.verdict == ptx::Verdict::Refused)
    return refuse(outcome.text);
  return outcome;
}

std::vector<std::string> describeFailure(const ptx::Outcome &outcome) {
  std::vector<std::string> sentences;
  for (const ptx::Fault &fault : outcome.faults)
    sentences.push_back(toString(fault));
  if (outcome.verdict == ptx::Verdict::StepLimit)
    sentences.push_back("endless: " + outcome.text);
  return sentences;
}

SmallVector<std::pair<StringRef, int64_t>> counterRows(const ptx::Counters &c) {
  return {{"instructions", c.instructions},
          {"shuffles", c.shuffles},
          {"barriers", c.barriers},
          {"mma", c.mma},
          {"global requests", c.globalRequests},
          {"global sectors", c.sectors},
          {"global bytes read", c.globalBytesRead},
          {"global bytes written", c.globalBytesWritten},
          {"shared requests", c.sharedRequests},
          {"bank conflicts", c.bankConflicts},
          {"shared bytes read", c.sharedBytesRead},
          {"shared bytes written", c.sharedBytesWritten},
          {"atomics", c.atomics},
          {"asynchronous copies", c.asyncCopies},
          {"same-value writes", c.sameValueWrites}};
}

Answer answerOf(const ptx::Outcome &outcome) {
  switch (outcome.verdict) {
  case ptx::Verdict::Completed:
    return Answer::Yes;
  case ptx::Verdict::NotModelled:
    return Answer::NotModelled;
  case ptx::Verdict::Faulted:
  case ptx::Verdict::StepLimit:
    return Answer::Fault;
  case ptx::Verdict::Refused:
    return Answer::Refused;
  }
  llvm_unreachable("a verdict is one of those above");
}

} // namespace distaff
