//===- Inputs.cpp - Input specifications of arguments ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Runtime/Inputs.h"
#include "distaff/Runtime/OutputFile.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <sstream>

namespace distaff::runtime {
namespace {

struct RandomRange {
  uint64_t seed = 0;
  bool given = false;
  bool whole = false; ///< whether floats are integers
  double low = -1, high = 1;
};

bool parseNumber(const std::string &text, double &value) {
  char *end = nullptr;
  value = std::strtod(text.c_str(), &end);
  return !text.empty() && !std::isspace(text[0]) && *end == '\0';
}

/// Returns whether a number, truncated to an integer, fits 64 bits.
bool isInteger(double value) { return value >= -0x1p63 && value < 0x1p63; }

/// Parses a number that a double may not hold: decimal digits with a sign.
bool parseInteger(const std::string &text, int64_t &value) {
  char *end = nullptr;
  errno = 0;
  value = std::strtoll(text.c_str(), &end, 10);
  return !text.empty() && *end == '\0' && errno == 0;
}

bool parseSeed(const std::string &text, uint64_t &seed) {
  char *end = nullptr;
  errno = 0;
  seed = std::strtoull(text.c_str(), &end, 10);
  return !text.empty() && std::isdigit(text[0]) && *end == '\0' && errno == 0;
}

/// Parses "random", "random:SEED", "random:SEED:LOW:HIGH" and
/// "whole:SEED:LOW:HIGH".
bool parseRandom(const std::string &text, RandomRange &range) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, ':');)
    parts.push_back(part);
  range.whole = parts[0] == "whole";
  if (text.back() == ':' || parts.size() == 3 || parts.size() > 4 ||
      (range.whole ? parts.size() < 4 : parts[0] != "random"))
    return false;
  if (parts.size() > 1 && !parseSeed(parts[1], range.seed))
    return false;
  if (parts.size() < 4)
    return true;
  range.given = true;
  return parseNumber(parts[2], range.low) && parseNumber(parts[3], range.high);
}

/// Returns the error in a range of numbers of a type, or an empty string. For
/// integers its ends become the least and the largest one in it.
std::string checkRange(RandomRange &range, ScalarType type) {
  if (!(range.low <= range.high) || !std::isfinite(range.high - range.low))
    return "is no range: its LOW is at most its HIGH, and they are finite";
  if (isFloat(type) && !range.whole)
    return "";
  range.low = std::ceil(range.low);
  range.high = std::floor(range.high);
  if (range.low > range.high)
    return "has no whole number from its LOW to its HIGH";
  // The limit is half of the integers, so that the number of values is one too.
  if (!isFloat(type) && (range.low < -0x1p61 || range.high > 0x1p61))
    return "is no range of " + std::string(name(type));
  return "";
}

/// Fills an array from 64-bit random numbers by a mapping of its own, since the
/// distributions of <random> differ between libraries: equal seeds give equal
/// arrays everywhere.
void fillRandom(const RandomRange &range, unsigned position, HostArray &array) {
  std::mt19937_64 generator(range.seed * 0x9E3779B97F4A7C15u + position);
  int64_t size = byteSize(array.type);
  for (int64_t i = 0, e = array.numElements(); i < e; ++i) {
    uint64_t bits = generator();
    void *element = &array.bytes[i * size];
    double unit = static_cast<double>(bits >> 11) * 0x1p-53; // [0, 1)
    if (isFloat(array.type) && range.whole)
      storeDouble(array.type,
                  range.low + std::floor(unit * (range.high - range.low + 1)),
                  element);
    else if (isFloat(array.type))
      storeDouble(array.type, range.low + (range.high - range.low) * unit,
                  element);
    else if (range.given)
      storeInteger(
          array.type,
          static_cast<int64_t>(range.low) +
              static_cast<int64_t>(unit * (range.high - range.low + 1)),
          element);
    else
      storeInteger(array.type, static_cast<int64_t>(bits), element);
  }
}

} // namespace

InputError fillInput(const std::string &specification, unsigned position,
                     HostArray &array) {
  int64_t size = byteSize(array.type);
  array.bytes.assign(array.numElements() * size, 0);
  if (specification == "zeros")
    return {};
  if (specification == "iota") {
    for (int64_t i = 0, e = array.numElements(); i < e; ++i)
      storeDouble(array.type, static_cast<double>(i), &array.bytes[i * size]);
    return {};
  }
  std::string form = specification.substr(0, specification.find(':'));
  if (form == "random" || form == "whole") {
    RandomRange range;
    if (!parseRandom(specification, range))
      return {"'" + specification +
              "' is not random:SEED, random:SEED:LOW:HIGH or "
              "whole:SEED:LOW:HIGH"};
    if (range.given)
      if (std::string why = checkRange(range, array.type); !why.empty())
        return {"'" + specification + "' " + why};
    fillRandom(range, position, array);
    return {};
  }
  if (int64_t value;
      !isFloat(array.type) && parseInteger(specification, value)) {
    for (int64_t i = 0, e = array.numElements(); i < e; ++i)
      storeInteger(array.type, value, &array.bytes[i * size]);
    return {};
  }
  if (double value; parseNumber(specification, value)) {
    if (!isFloat(array.type) && !isInteger(value))
      return {"'" + specification + "' is no " + std::string(name(array.type))};
    for (int64_t i = 0, e = array.numElements(); i < e; ++i)
      storeDouble(array.type, value, &array.bytes[i * size]);
    return {};
  }
  HostArray read;
  if (std::string why = readNpyAs(specification, array.type, read);
      !why.empty())
    return {why};
  if (read.shape != array.shape) {
    auto print = [](const std::vector<int64_t> &shape) {
      std::string text;
      for (int64_t extent : shape)
        text += (text.empty() ? "" : "x") + std::to_string(extent);
      return text.empty() ? std::string("()") : text;
    };
    return {"'" + specification + "' has shape " + print(read.shape) +
            ", the kernel takes " + print(array.shape)};
  }
  array = std::move(read);
  return {};
}

bool namesFile(const std::string &specification) {
  std::string form = specification.substr(0, specification.find(':'));
  double value;
  return specification != "zeros" && specification != "iota" &&
         form != "random" && form != "whole" &&
         !parseNumber(specification, value);
}

InputError parseAssignments(const std::vector<std::string> &flags,
                            std::map<std::string, std::string> &values) {
  for (const std::string &flag : flags) {
    size_t equals = flag.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == flag.size())
      return {"'" + flag + "' is not NAME=VALUE"};
    if (!values.emplace(flag.substr(0, equals), flag.substr(equals + 1)).second)
      return {"'" + flag.substr(0, equals) + "' is given twice"};
  }
  return {};
}

InputError checkNames(const std::map<std::string, std::string> &values,
                      const std::vector<std::string> &known) {
  for (const auto &[name, value] : values) {
    if (std::find(known.begin(), known.end(), name) != known.end())
      continue;
    std::string names;
    for (const std::string &one : known)
      names += (names.empty() ? "" : ", ") + one;
    return {"the kernel has no '" + name + "', it has " +
            (names.empty() ? "none" : names)};
  }
  return {};
}

/// Returns one name for all spellings of a file's name.
static std::string canonicalPath(const std::string &path) {
  std::error_code error;
  auto found = std::filesystem::weakly_canonical(
      std::filesystem::absolute(path, error), error);
  return error ? path : found.string();
}

InputError checkFiles(const std::map<std::string, std::string> &files) {
  std::map<std::string, std::string> written;
  for (const auto &[name, file] : files)
    if (auto [other, isNew] = written.try_emplace(canonicalPath(file), name);
        !isNew)
      return {"'" + other->second + "' and '" + name +
              "' are both written to '" + file + "'"};
  for (const auto &[name, file] : files)
    if (std::string why = whyUnwritable(file); !why.empty())
      return {"cannot write '" + file + "': " + why};
  return {};
}

} // namespace distaff::runtime
