//===- PackageFile.cpp - Writing and reading package files ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Runtime/Package.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

namespace distaff::runtime {
namespace {

using Json = nlohmann::ordered_json;

constexpr char packageMagic[] = "DISTAFF\n";
constexpr uint32_t formatVersion = 1;
constexpr size_t headerSize = 8 + 4 + 4 + 8 + 8;

constexpr const char *formulaNames[] = {
    "constant", "extent",   "add",    "subtract", "multiply",
    "ceildiv",  "floordiv", "modulo", "minimum",  "maximum"};
constexpr const char *compatibilityNames[] = {"later", "same-major", "exact"};

/// Returns the CRC-32 of IEEE 802.3, reflected, polynomial 0xEDB88320.
uint32_t checksum(const char *data, size_t size) {
  uint32_t crc = ~0u;
  for (size_t i = 0; i < size; ++i) {
    crc ^= static_cast<unsigned char>(data[i]);
    for (int bit = 0; bit < 8; ++bit)
      crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
  }
  return ~crc;
}

template <typename T> void append(std::string &bytes, T value) {
  for (size_t i = 0; i < sizeof(T); ++i)
    bytes += static_cast<char>(value >> 8 * i & 0xff);
}
template <typename T> T take(const std::string &bytes, size_t position) {
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i)
    value |= static_cast<T>(static_cast<unsigned char>(bytes[position + i]))
             << 8 * i;
  return value;
}

/// Returns the nesting depth of lists and objects in a JSON text. nlohmann's
/// values are copied, printed and destroyed recursively on the stack.
int nestingDepth(const char *begin, const char *end) {
  int depth = 0, deepest = 0;
  bool inString = false;
  for (const char *at = begin; at != end; ++at) {
    if (inString) {
      if (*at == '\\' && at + 1 != end)
        ++at;
      else if (*at == '"')
        inString = false;
      continue;
    }
    inString = *at == '"';
    if (*at == '[' || *at == '{')
      deepest = std::max(deepest, ++depth);
    if (*at == ']' || *at == '}')
      --depth;
  }
  return deepest;
}
constexpr int mostNested = 100;

Json toJson(const Formula &formula) {
  if (formula.kind == Formula::Kind::Constant)
    return formula.value;
  Json result = Json::array();
  result.push_back(formulaNames[static_cast<int>(formula.kind)]);
  if (formula.kind == Formula::Kind::Extent)
    result.push_back(formula.value);
  for (const Formula &operand : formula.operands)
    result.push_back(toJson(operand));
  return result;
}

Json toJson(const Parameter &parameter) {
  Json result;
  result["name"] = parameter.name;
  result["type"] = std::string(name(parameter.type));
  if (parameter.isScalar)
    return result;
  result["shape"] = Json::array();
  for (const Formula &extent : parameter.shape)
    result["shape"].push_back(toJson(extent));
  if (parameter.isUnpacked)
    result["unpacked"] = true;
  return result;
}

Json toJson(const Launch &launch) {
  Json result;
  result["kernel"] = launch.kernel;
  for (const Formula &extent : launch.grid)
    result["grid"].push_back(toJson(extent));
  result["workgroup_size"] = launch.workgroupSize;
  result["shared_memory"] = launch.sharedMemory;
  result["buffers"] = launch.buffers;
  result["scalars"] = launch.scalars;
  result["extents"] = Json::array();
  for (const Formula &extent : launch.extents)
    result["extents"].push_back(toJson(extent));
  result["tensor_maps"] = Json::array();
  return result;
}

Json manifest(const Package &package) {
  Json result;
  result["format"] = "distaff-package";
  result["version"] = formatVersion;
  result["name"] = package.name;
  result["target"] = package.target;
  for (const char *list :
       {"arguments", "results", "workspaces", "launches", "code"})
    result[list] = Json::array();
  for (const Parameter &argument : package.arguments)
    result["arguments"].push_back(toJson(argument));
  for (const Parameter &parameter : package.results)
    result["results"].push_back(toJson(parameter));
  for (const Requirement &requirement : package.requirements)
    result["requirements"].push_back(
        {{"equal",
          Json::array({toJson(requirement.lhs), toJson(requirement.rhs)})},
         {"message", requirement.message}});
  for (const Workspace &workspace : package.workspaces)
    result["workspaces"].push_back(
        {{"name", workspace.name}, {"bytes", toJson(workspace.bytes)}});
  for (const Launch &launch : package.launches)
    result["launches"].push_back(toJson(launch));
  for (const CodeObject &object : package.codeObjects)
    result["code"].push_back(
        {{"kind", object.kind},
         {"architecture", object.architecture},
         {"capability", {object.major, object.minor}},
         {"runs_on",
          compatibilityNames[static_cast<int>(object.compatibility)]},
         {"bytes", object.bytes.size()}});
  for (const Constant &constant : package.constants)
    result["constants"].push_back(
        {{"symbol", constant.symbol}, {"bytes", constant.bytes.size()}});
  return result;
}

/// Reads a manifest; the first error stops the reading and stays in `error`.
/// nlohmann's accessors throw on a wrong type, and Distaff is built without
/// exceptions, so every access goes through the typed getters here.
class ManifestReader {
public:
  std::string error;

  void read(const Json &json, Package &package) {
    if (text(json, "format") != "distaff-package")
      return fail("it is no manifest of a kernel package");
    if (integer(json, "version") != formatVersion)
      return fail("version " + std::to_string(integer(json, "version")) +
                  " is unknown");
    package.name = text(json, "name");
    package.target = text(json, "target");
    for (const Json &item : list(json, "arguments"))
      package.arguments.push_back(parameter(item));
    for (const Json &item : list(json, "results"))
      package.results.push_back(parameter(item));
    if (json.contains("requirements"))
      for (const Json &item : list(json, "requirements"))
        package.requirements.push_back(requirement(item));
    for (const Json &item : list(json, "workspaces"))
      package.workspaces.push_back(
          {text(item, "name"), formula(member(item, "bytes"))});
    for (const Json &item : list(json, "launches")) {
      package.launches.push_back(launch(item));
      if (!item.contains("extents"))
        package.launches.back().extents = extentsOf(package);
    }
    for (const Json &item : list(json, "code"))
      codeObject(item, package);
    if (json.contains("constants"))
      for (const Json &item : list(json, "constants"))
        constant(item, package);
  }

  std::vector<uint64_t> codeSizes, constantSizes;

private:
  void fail(const std::string &why) {
    if (error.empty())
      error = why;
  }

  /// Returns whether a number fits a signed 64-bit integer; nlohmann keeps
  /// larger ones as unsigned.
  static bool isInteger(const Json &value) {
    return value.is_number_integer() &&
           (!value.is_number_unsigned() || value.get<uint64_t>() <= INT64_MAX);
  }

  /// Returns a value for a message. Lists and objects are not printed: they may
  /// be nested deeper than a printer's stack.
  static std::string excerpt(const Json &value) {
    if (value.is_structured())
      return std::string("a list or object of ") + std::to_string(value.size());
    return "'" + value.dump(-1, ' ', false, Json::error_handler_t::replace) +
           "'";
  }

  const Json &member(const Json &json, const char *key) {
    static const Json null;
    if (json.is_object())
      if (auto found = json.find(key); found != json.end())
        return *found;
    fail(std::string("'") + key + "' is missing");
    return null;
  }
  std::string text(const Json &json, const char *key) {
    const Json &value = member(json, key);
    if (value.is_string())
      return value.get<std::string>();
    fail(std::string("'") + key + "' is no string");
    return "";
  }
  int64_t integer(const Json &value) {
    if (isInteger(value))
      return value.get<int64_t>();
    fail("an integer is due where " + excerpt(value) + " stands");
    return 0;
  }
  int64_t integer(const Json &json, const char *key) {
    return integer(member(json, key));
  }
  const Json &list(const Json &json, const char *key) {
    static const Json none = Json::array();
    const Json &value = member(json, key);
    if (value.is_array())
      return value;
    fail(std::string("'") + key + "' is no list");
    return none;
  }
  std::vector<std::string> names(const Json &json, const char *key) {
    std::vector<std::string> result;
    for (const Json &item : list(json, key))
      if (item.is_string())
        result.push_back(item.get<std::string>());
      else
        fail(std::string("'") + key + "' lists something that is no name");
    return result;
  }

  Formula formula(const Json &json, int depth = 0) {
    if (isInteger(json))
      return Formula::constant(json.get<int64_t>());
    if (depth < 64 && json.is_array() && json.size() >= 2 &&
        json[0].is_string())
      for (int kind = 1; kind < 10; ++kind) {
        if (json[0].get<std::string>() != formulaNames[kind])
          continue;
        if (kind == static_cast<int>(Formula::Kind::Extent) && json.size() == 2)
          return Formula::extent(integer(json[1]));
        if (json.size() == 3)
          return {static_cast<Formula::Kind>(kind),
                  0,
                  {formula(json[1], depth + 1), formula(json[2], depth + 1)}};
      }
    fail(excerpt(json) + " is no formula");
    return {};
  }

  Parameter parameter(const Json &json) {
    Parameter result;
    result.name = text(json, "name");
    if (std::optional<ScalarType> type = parseScalarType(text(json, "type")))
      result.type = *type;
    else
      fail("'" + result.name + "' has an unknown type");
    result.isScalar = !json.is_object() || !json.contains("shape");
    if (!result.isScalar)
      for (const Json &extent : list(json, "shape"))
        result.shape.push_back(formula(extent));
    if (json.is_object() && json.contains("unpacked")) {
      const Json &unpacked = json["unpacked"];
      if (!unpacked.is_boolean())
        fail("'unpacked' of '" + result.name + "' is neither true nor false");
      result.isUnpacked = unpacked == true;
    }
    return result;
  }

  Requirement requirement(const Json &json) {
    const Json &sides = list(json, "equal");
    if (sides.size() != 2) {
      fail("a requirement needs two formulas");
      return {};
    }
    return {formula(sides[0]), formula(sides[1]), text(json, "message")};
  }

  /// Returns the dynamic extents of all arguments.
  static std::vector<Formula> extentsOf(const Package &package) {
    std::vector<Formula> extents;
    for (const Parameter &argument : package.arguments)
      for (const Formula &extent : argument.shape)
        if (extent.kind == Formula::Kind::Extent)
          extents.push_back(extent);
    return extents;
  }

  Launch launch(const Json &json) {
    Launch result;
    result.kernel = text(json, "kernel");
    const Json &grid = list(json, "grid");
    const Json &size = list(json, "workgroup_size");
    if (grid.size() != 3 || size.size() != 3) {
      fail("grid and workgroup_size need three extents each");
      return result;
    }
    for (int i = 0; i < 3; ++i) {
      result.grid[i] = formula(grid[i]);
      result.workgroupSize[i] = integer(size[i]);
    }
    result.sharedMemory = integer(json, "shared_memory");
    result.buffers = names(json, "buffers");
    result.scalars = names(json, "scalars");
    if (json.is_object() && json.contains("extents"))
      for (const Json &extent : list(json, "extents"))
        result.extents.push_back(formula(extent));
    if (!list(json, "tensor_maps").empty())
      fail("tensor maps are not supported by this version");
    return result;
  }

  void codeObject(const Json &json, Package &package) {
    CodeObject object;
    object.kind = text(json, "kind");
    object.architecture = text(json, "architecture");
    const Json &capability = list(json, "capability");
    if (capability.size() != 2)
      return fail("'capability' needs a major and a minor number");
    object.major = integer(capability[0]);
    object.minor = integer(capability[1]);
    std::string runsOn = text(json, "runs_on");
    bool known = false;
    for (int i = 0; i < 3; ++i)
      if (runsOn == compatibilityNames[i]) {
        object.compatibility = static_cast<Compatibility>(i);
        known = true;
      }
    if (!known)
      fail("'runs_on' is later, same-major or exact");
    int64_t size = integer(json, "bytes");
    if (size <= 0)
      return fail("a code object is empty");
    codeSizes.push_back(size);
    package.codeObjects.push_back(std::move(object));
  }

  void constant(const Json &json, Package &package) {
    int64_t size = integer(json, "bytes");
    if (size <= 0)
      return fail("a constant is empty");
    constantSizes.push_back(size);
    package.constants.push_back({text(json, "symbol"), ""});
  }
};

} // namespace

std::string serializePackage(const Package &package) {
  std::string header = manifest(package).dump();
  std::string code;
  for (const CodeObject &object : package.codeObjects)
    code += object.bytes;
  for (const Constant &constant : package.constants)
    code += constant.bytes;

  std::string body;
  append<uint64_t>(body, header.size());
  append<uint64_t>(body, code.size());
  body += header;
  body += code;

  std::string bytes(packageMagic, 8);
  append<uint32_t>(bytes, formatVersion);
  append<uint32_t>(bytes, checksum(body.data(), body.size()));
  return bytes + body;
}

std::string parsePackage(const std::string &bytes, Package &package) {
  if (bytes.size() < headerSize)
    return "it is shorter than a package's header";
  if (bytes.compare(0, 8, packageMagic, 8) != 0)
    return "it does not begin with a package's magic string";
  if (uint32_t version = take<uint32_t>(bytes, 8); version != formatVersion)
    return "format version " + std::to_string(version) +
           " is unknown, this is " + std::to_string(formatVersion);
  uint64_t manifestSize = take<uint64_t>(bytes, 16);
  uint64_t codeSize = take<uint64_t>(bytes, 24);
  uint64_t rest = bytes.size() - headerSize;
  if (manifestSize > rest || codeSize != rest - manifestSize)
    return "it has " + std::to_string(rest) +
           " bytes after its header, which announces " +
           std::to_string(manifestSize) + " + " + std::to_string(codeSize);
  if (take<uint32_t>(bytes, 12) != checksum(&bytes[16], bytes.size() - 16))
    return "its checksum does not match its content";

  const char *text = bytes.data() + headerSize;
  if (nestingDepth(text, text + manifestSize) > mostNested)
    return "its manifest is nested more than " + std::to_string(mostNested) +
           " levels deep";
  Json json = Json::parse(bytes.begin() + headerSize,
                          bytes.begin() + headerSize + manifestSize, nullptr,
                          /*allow_exceptions=*/false);
  if (json.is_discarded())
    return "its manifest is not JSON";
  Package read;
  ManifestReader reader;
  reader.read(json, read);
  if (!reader.error.empty())
    return "its manifest is wrong: " + reader.error;

  size_t position = headerSize + manifestSize;
  auto cut = [&](uint64_t size, std::string &to) {
    if (size > bytes.size() - position)
      return false;
    to = bytes.substr(position, size);
    position += size;
    return true;
  };
  for (size_t i = 0; i < read.codeObjects.size(); ++i)
    if (!cut(reader.codeSizes[i], read.codeObjects[i].bytes))
      return "its code objects are longer than the file";
  for (size_t i = 0; i < read.constants.size(); ++i)
    if (!cut(reader.constantSizes[i], read.constants[i].bytes))
      return "its constants are longer than the file";
  if (position != bytes.size())
    return "its code objects are shorter than the file";
  if (std::string why = checkPackage(read); !why.empty())
    return "its manifest is wrong: " + why;
  package = std::move(read);
  return "";
}

/// Reads up to one byte more than a file's header announces, so that no file,
/// and no device that never ends, fills the memory.
static std::string readBytes(std::FILE *file) {
  std::string bytes(headerSize, '\0');
  bytes.resize(std::fread(bytes.data(), 1, headerSize, file));
  if (bytes.size() < headerSize || bytes.compare(0, 8, packageMagic, 8) != 0)
    return bytes;
  uint64_t rest = take<uint64_t>(bytes, 16);
  if (__builtin_add_overflow(rest, take<uint64_t>(bytes, 24), &rest))
    return bytes;
  char block[1 << 16];
  while (rest > 0) {
    size_t read =
        std::fread(block, 1, std::min<uint64_t>(sizeof(block), rest), file);
    bytes.append(block, read);
    rest -= read;
    if (read == 0)
      break;
  }
  if (std::fgetc(file) != EOF)
    bytes += '\0';
  return bytes;
}

std::string readPackage(const std::string &path, Package &package) {
  std::FILE *file = std::fopen(path.c_str(), "rb");
  if (!file)
    return "cannot open '" + path + "': " + std::strerror(errno);
  errno = 0;
  std::string bytes = readBytes(file);
  bool unreadable = std::ferror(file);
  std::string reason = unreadable ? std::strerror(errno) : "";
  std::fclose(file);
  if (unreadable)
    return "cannot read '" + path + "': " + reason;
  if (std::string why = parsePackage(bytes, package); !why.empty())
    return "'" + path + "' is damaged or no kernel package: " + why;
  return "";
}

} // namespace distaff::runtime
