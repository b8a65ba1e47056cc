//===- Npy.cpp - NumPy's array file format --------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Runtime/Npy.h"
#include "distaff/CheckedSize.h"
#include "distaff/Runtime/HostMemory.h"
#include "distaff/Runtime/OutputFile.h"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace distaff::runtime {
namespace {

constexpr char npyMagic[] = "\x93NUMPY";
constexpr size_t magicSize = 6;

/// Reads the Python dict literal of a .npy header, the three keys of the
/// format in any order.
class HeaderParser {
public:
  explicit HeaderParser(const std::string &text) : text(text) {}

  std::string parse(std::string &descr, bool &fortranOrder,
                    std::vector<int64_t> &shape) {
    bool hasDescr = false, hasOrder = false, hasShape = false;
    if (!eat('{'))
      return "header is not a dictionary";
    while (!eat('}')) {
      std::string key;
      if (!quoted(key) || !eat(':'))
        return "header has no key where one is due";
      if (key == "descr") {
        if (!quoted(descr))
          return "dtype is not a plain scalar type";
        hasDescr = true;
      } else if (key == "fortran_order") {
        if (word("True"))
          fortranOrder = true;
        else if (word("False"))
          fortranOrder = false;
        else
          return "fortran_order is neither True nor False";
        hasOrder = true;
      } else if (key == "shape") {
        if (!tuple(shape))
          return "shape is not a tuple of extents";
        hasShape = true;
      } else {
        return "header has the unknown key '" + key + "'";
      }
      if (!eat(',') && peek() != '}')
        return "header is not a dictionary";
    }
    return hasDescr && hasOrder && hasShape
               ? ""
               : "header lacks descr, fortran_order or shape";
  }

private:
  char peek() {
    while (position < text.size() &&
           (text[position] == ' ' || text[position] == '\n'))
      ++position;
    return position < text.size() ? text[position] : '\0';
  }
  bool eat(char c) {
    if (peek() != c)
      return false;
    ++position;
    return true;
  }
  bool word(const char *expected) {
    peek();
    size_t length = std::strlen(expected);
    if (text.compare(position, length, expected) != 0)
      return false;
    position += length;
    return true;
  }
  bool quoted(std::string &result) {
    char quote = peek();
    if (quote != '\'' && quote != '"')
      return false;
    size_t end = text.find(quote, position + 1);
    if (end == std::string::npos)
      return false;
    result = text.substr(position + 1, end - position - 1);
    position = end + 1;
    return true;
  }
  bool tuple(std::vector<int64_t> &result) {
    if (!eat('('))
      return false;
    while (!eat(')')) {
      peek();
      int64_t extent = 0;
      size_t first = position;
      for (; position < text.size() && std::isdigit(text[position]); ++position)
        if (extent = extent * 10 + (text[position] - '0');
            extent > largestArrayBytes)
          return false;
      if (position == first)
        return false;
      result.push_back(extent);
      if (!eat(',') && peek() != ')')
        return false;
    }
    return true;
  }

  const std::string &text;
  size_t position = 0;
};

/// Returns the bytes of one element, from a descr such as "<f4"; 0 if it has
/// none. "<V2" is raw bytes, as NumPy writes the types that ml_dtypes adds to
/// it.
int64_t itemSize(const std::string &descr) {
  if (descr.size() != 3 || !std::strchr("<>|=", descr[0]) ||
      !std::strchr("fiubV", descr[1]) || !std::strchr("1248", descr[2]))
    return 0;
  return descr[2] - '0';
}

void swapBytes(std::vector<unsigned char> &bytes, int64_t size) {
  for (size_t i = 0; i + size <= bytes.size(); i += size)
    std::reverse(bytes.begin() + i, bytes.begin() + i + size);
}

std::vector<unsigned char> fromFortran(const NpyArray &array, int64_t size) {
  std::vector<unsigned char> result(array.bytes.size());
  int64_t rank = array.shape.size();
  std::vector<int64_t> index(rank, 0);
  for (size_t to = 0; to + size <= result.size(); to += size) {
    int64_t from = 0;
    for (int64_t d = rank - 1; d >= 0; --d)
      from = from * array.shape[d] + index[d];
    std::memcpy(&result[to], &array.bytes[from * size], size);
    for (int64_t d = rank - 1; d >= 0; --d) {
      if (++index[d] < array.shape[d])
        break;
      index[d] = 0;
    }
  }
  return result;
}

/// Opens a file at its end. Fails with errno, also for a folder, which could be
/// opened.
std::ifstream openForReading(const std::string &path) {
  std::ifstream file;
  std::error_code code;
  if (std::filesystem::is_directory(path, code)) {
    file.setstate(std::ios::failbit);
    errno = EISDIR;
  } else {
    file.open(path, std::ios::binary | std::ios::ate);
  }
  return file;
}

} // namespace

int64_t HostArray::numElements() const {
  return checkedElements(shape).value_or(0);
}

HostArray HostArray::zeros(ScalarType type, std::vector<int64_t> shape) {
  assert(checkedBytes(shape, byteSize(type)) && "an array has a size");
  HostArray array{type, std::move(shape), {}};
  array.bytes.assign(array.numElements() * byteSize(type), 0);
  return array;
}

std::string readNpy(const std::string &path, NpyArray &array) {
  std::ifstream file = openForReading(path);
  if (!file)
    return "cannot open '" + path + "': " + std::strerror(errno);
  int64_t fileSize = file.tellg();
  file.seekg(0);
  auto damaged = [&](const std::string &why) {
    return "'" + path + "' is not a readable .npy file: " + why;
  };

  char start[12] = {};
  file.read(start, 10);
  if (!file || std::memcmp(start, npyMagic, magicSize) != 0)
    return damaged("it does not begin with the format's magic string");
  int version = start[6];
  if (version < 1 || version > 3)
    return damaged("format version " + std::to_string(version) + " is unknown");
  int64_t headerSize = static_cast<unsigned char>(start[8]) |
                       static_cast<unsigned char>(start[9]) << 8;
  int64_t dataStart = 10;
  if (version > 1) {
    file.read(start + 10, 2);
    headerSize |= int64_t(static_cast<unsigned char>(start[10])) << 16 |
                  int64_t(static_cast<unsigned char>(start[11])) << 24;
    dataStart = 12;
  }
  if (!file || dataStart + headerSize > fileSize)
    return damaged("it ends within its header");
  std::string header(headerSize, '\0');
  file.read(header.data(), headerSize);
  dataStart += headerSize;

  array = {};
  bool fortranOrder = false;
  if (std::string why =
          HeaderParser(header).parse(array.descr, fortranOrder, array.shape);
      !why.empty())
    return damaged(why);
  int64_t size = itemSize(array.descr);
  if (!size)
    return damaged("dtype '" + array.descr + "' is not supported");
  std::optional<int64_t> total = checkedBytes(array.shape, size);
  if (!total)
    return damaged("its shape is too large");
  if (fileSize - dataStart != *total)
    return damaged("its shape needs " + std::to_string(*total) +
                   " bytes of data, it has " +
                   std::to_string(fileSize - dataStart));
  array.bytes.resize(*total);
  file.read(reinterpret_cast<char *>(array.bytes.data()), *total);
  if (!file)
    return damaged("reading its data failed");

  if (array.descr[0] == '>')
    swapBytes(array.bytes, size);
  array.descr[0] = size == 1 ? '|' : '<';
  if (fortranOrder)
    array.bytes = fromFortran(array, size);
  return "";
}

int64_t largestHostArray() {
  return std::min(largestArrayBytes, hostMemory()) / 2;
}

bool fitsHost(const std::vector<int64_t> &shape, ScalarType type) {
  std::optional<int64_t> bytes = checkedBytes(shape, byteSize(type));
  return bytes && *bytes <= largestHostArray();
}

/// Returns the header that precedes the data.
static std::string headOf(const HostArray &array) {
  std::string header = "{'descr': '" + std::string(npyDescr(array.type)) +
                       "', 'fortran_order': False, 'shape': (";
  for (int64_t extent : array.shape)
    header += std::to_string(extent) + ",";
  header += "), }";
  // The data starts at a multiple of 64 bytes, as the format requires.
  header.append(63 - (magicSize + 4 + header.size()) % 64, ' ');
  header += '\n';

  const char rest[4] = {1, 0, static_cast<char>(header.size() & 0xff),
                        static_cast<char>(header.size() >> 8)};
  return std::string(npyMagic, magicSize) + std::string(rest, 4) + header;
}

std::string writeNpys(
    const std::vector<std::pair<std::string, const HostArray *>> &arrays) {
  std::vector<std::string> heads;
  for (const auto &[path, array] : arrays)
    heads.push_back(headOf(*array));
  std::vector<Output> outputs;
  for (size_t i = 0; i < arrays.size(); ++i) {
    const std::vector<unsigned char> &bytes = arrays[i].second->bytes;
    outputs.push_back(
        {arrays[i].first,
         {heads[i],
          std::string_view(reinterpret_cast<const char *>(bytes.data()),
                           bytes.size())}});
  }
  auto [path, why] = writeOutputFiles(outputs);
  return why.empty() ? "" : "cannot write '" + path + "': " + why;
}

std::string writeNpy(const std::string &path, const HostArray &array) {
  return writeNpys({{path, &array}});
}

/// Takes bytes that are numbers of fewer bits, signed or unsigned, and extends
/// their sign.
static std::string takeNarrow(const std::string &path, NpyArray read,
                              HostArray &array) {
  int64_t bits = bitsInMemory(array.type);
  int64_t least = -(int64_t(1) << (bits - 1)), most = (int64_t(1) << bits) - 1;
  bool isUnsigned = read.descr == "|u1";
  for (size_t i = 0; i < read.bytes.size(); ++i) {
    int64_t value = isUnsigned ? read.bytes[i]
                               : loadInteger(ScalarType::I8, &read.bytes[i]);
    if (value < least || value > most)
      return "'" + path + "' holds " + std::to_string(value) + " at element " +
             std::to_string(i) + " of its rows, the kernel takes " +
             std::string(name(array.type)) + ", of " + std::to_string(least) +
             " to " + std::to_string(most);
    storeInteger(array.type, value, &read.bytes[i]);
  }
  array.bytes = std::move(read.bytes);
  return "";
}

std::string readNpyAs(const std::string &path, ScalarType type,
                      HostArray &array) {
  NpyArray read;
  if (std::string why = readNpy(path, read); !why.empty())
    return why;
  array.type = type;
  array.shape = read.shape;
  // NumPy has none of these; ml_dtypes saves one per byte, as raw bytes.
  if (bitsInMemory(type) < 8) {
    if (read.descr != "|i1" && read.descr != "|u1" && read.descr != "|V1")
      return "'" + path + "' holds dtype '" + read.descr +
             "', the kernel takes " + std::string(name(type)) +
             ", of which a file has one per byte ('|i1', '|u1' or '|V1')";
    return takeNarrow(path, std::move(read), array);
  }
  bool boolAsByte = type == ScalarType::I1 && read.descr == "|u1";
  // Packages add bf16 and fp8 to NumPy, which saves them as raw bytes, and one
  // of them as a float.
  bool isAdded = isFloat(type) && npyDescr(type)[1] == 'u' &&
                 read.descr[2] - '0' == byteSize(type) &&
                 (read.descr[1] == 'V' ||
                  (type == ScalarType::F8E5M2 && read.descr[1] == 'f'));
  bool unsignedSame = !isFloat(type) && type != ScalarType::I1 &&
                      read.descr[1] == 'u' &&
                      read.descr[2] - '0' == byteSize(type);
  if (read.descr == npyDescr(type) || boolAsByte || isAdded || unsignedSame) {
    array.bytes = std::move(read.bytes);
    return "";
  }
  if (isFloat(type) && byteSize(type) < 4 && read.descr == "<f4") {
    array.bytes.resize(read.bytes.size() / 4 * byteSize(type));
    for (size_t i = 0; i < read.bytes.size() / 4; ++i)
      storeDouble(type, loadDouble(ScalarType::F32, &read.bytes[i * 4]),
                  &array.bytes[i * byteSize(type)]);
    return "";
  }
  return "'" + path + "' holds dtype '" + read.descr + "', the kernel takes " +
         std::string(name(type)) + " ('" + std::string(npyDescr(type)) + "')";
}

} // namespace distaff::runtime
