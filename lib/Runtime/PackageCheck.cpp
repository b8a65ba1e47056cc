//===- PackageCheck.cpp - Verification of kernel packages -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A checksum proves that a file is complete, not that it is correct: a package
// is untrusted data. Writers and readers of packages use the same check, so
// they cannot disagree. Sizes that depend on dynamic extents are checked when
// the extents are known, by `checkExtents`.
//
//===----------------------------------------------------------------------===//
#include "distaff/CheckedSize.h"
#include "distaff/Runtime/DeviceLimits.h"
#include "distaff/Runtime/Package.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace distaff::runtime {
namespace {

bool isSymbol(const std::string &name) {
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])))
    return false;
  for (unsigned char c : name)
    if (!std::isalnum(c) && c != '_')
      return false;
  return true;
}

bool isConstant(const Formula &formula) {
  return formula.kind == Formula::Kind::Constant;
}

bool extentsExist(const Formula &formula, int64_t count) {
  if (formula.kind == Formula::Kind::Extent)
    return formula.value >= 0 && formula.value < count;
  for (const Formula &operand : formula.operands)
    if (!extentsExist(operand, count))
      return false;
  return true;
}

std::string print(const std::array<int64_t, 3> &extents) {
  return std::to_string(extents[0]) + "x" + std::to_string(extents[1]) + "x" +
         std::to_string(extents[2]);
}

/// Returns the text without its comments, so that a comment declares nothing.
std::string withoutComments(const std::string &ptx) {
  std::string result;
  for (size_t at = 0; at < ptx.size();) {
    if (ptx.compare(at, 2, "//") == 0) {
      at = std::min(ptx.find('\n', at), ptx.size());
    } else if (ptx.compare(at, 2, "/*") == 0) {
      size_t end = ptx.find("*/", at + 2);
      at = end == std::string::npos ? ptx.size() : end + 2;
      result += ' ';
    } else {
      result += ptx[at++];
    }
  }
  return result;
}

/// Returns the number of parameters that `.entry NAME` declares.
std::optional<size_t> countPtxParameters(const std::string &ptx,
                                         const std::string &name) {
  auto skipSpace = [&](size_t at) {
    while (at < ptx.size() && std::isspace(static_cast<unsigned char>(ptx[at])))
      ++at;
    return at;
  };
  const std::string directive = ".entry";
  for (size_t at = ptx.find(directive); at != std::string::npos;
       at = ptx.find(directive, at + 1)) {
    size_t begin = skipSpace(at + directive.size());
    size_t end = begin;
    while (end < ptx.size() &&
           (std::isalnum(static_cast<unsigned char>(ptx[end])) ||
            ptx[end] == '_' || ptx[end] == '$'))
      ++end;
    if (ptx.compare(begin, end - begin, name) != 0)
      continue;
    size_t open = skipSpace(end);
    if (open == ptx.size() || ptx[open] != '(')
      return 0;
    size_t close = std::min(ptx.find(')', open), ptx.size()), count = 0;
    for (size_t parameter = ptx.find(".param", open); parameter < close;
         parameter = ptx.find(".param", parameter + 1))
      ++count;
    return count;
  }
  return std::nullopt;
}

/// Checks a package; the first error stays in `error`.
class Checker {
public:
  explicit Checker(const Package &package) : package(package) {}

  std::string run() {
    checkParameters();
    checkExtentNumbers();
    checkLaunches();
    checkConstants();
    if (package.codeObjects.empty())
      fail("it lists no code object");
    for (const CodeObject &object : package.codeObjects)
      checkCode(object);
    if (!limitsOf(package.target))
      fail("'" + package.target + "' is no target such as sm_80 or gfx942");
    return error;
  }

private:
  void fail(const std::string &why) {
    if (error.empty())
      error = why;
  }

  void checkParameters() {
    std::set<std::string> names;
    auto isNew = [&](const std::string &name) {
      if (!isSymbol(name))
        fail("'" + name + "' is no name");
      if (!names.insert(name).second)
        fail("'" + name + "' is listed twice");
    };
    for (const Parameter *parameter : package.parameters()) {
      isNew(parameter->name);
      checkShape(*parameter);
    }
    for (const Parameter &result : package.results)
      if (result.isScalar)
        fail("the result '" + result.name +
             "' is a scalar: a kernel returns through memory");
    for (const Workspace &workspace : package.workspaces) {
      isNew(workspace.name);
      if (isConstant(workspace.bytes) &&
          (workspace.bytes.value < 0 ||
           workspace.bytes.value > largestArrayBytes))
        fail("the workspace '" + workspace.name + "' has " +
             std::to_string(workspace.bytes.value) + " bytes");
    }
  }

  void checkShape(const Parameter &parameter) {
    if (parameter.shape.size() > mostDimensions)
      fail("'" + parameter.name + "' has " +
           std::to_string(parameter.shape.size()) + " dimensions");
    // A dynamic extent counts as 1 until it is known.
    std::vector<int64_t> shape;
    for (const Formula &extent : parameter.shape) {
      shape.push_back(isConstant(extent) ? extent.value : 1);
      isEmpty |= shape.back() == 0;
      if (shape.back() < 0)
        return fail("an extent of '" + parameter.name + "' is negative");
    }
    if (!checkedBytes(shape, byteSize(parameter.type)))
      fail("'" + parameter.name + "' is larger than any machine's memory");
  }

  void checkExtentNumbers() {
    int64_t extents = 0;
    for (const Parameter &argument : package.arguments)
      for (const Formula &extent : argument.shape) {
        extents += extent.kind == Formula::Kind::Extent;
        if (extent.kind == Formula::Kind::Extent && extent.value != extents - 1)
          fail("the extents of the arguments are out of order");
        else if (extent.kind != Formula::Kind::Extent && !isConstant(extent))
          fail("an argument's extent is a number or an extent of its own");
      }
    auto exist = [&](const Formula &formula) {
      if (!extentsExist(formula, extents))
        fail("a formula refers to an extent that does not exist");
    };
    for (const Parameter &result : package.results)
      for (const Formula &extent : result.shape)
        exist(extent);
    for (const Requirement &requirement : package.requirements) {
      exist(requirement.lhs);
      exist(requirement.rhs);
    }
    for (const Workspace &workspace : package.workspaces)
      exist(workspace.bytes);
    for (const Launch &launch : package.launches) {
      for (const Formula &extent : launch.grid)
        exist(extent);
      for (const Formula &extent : launch.extents)
        exist(extent);
    }
  }

  void checkLaunches() {
    if (package.launches.empty())
      fail("it lists no launch");
    std::set<std::string> passed;
    for (const Launch &launch : package.launches) {
      if (!isSymbol(launch.kernel))
        fail("'" + launch.kernel + "' is no name of a kernel");
      checkNames(launch);
      passed.insert(launch.buffers.begin(), launch.buffers.end());
      passed.insert(launch.scalars.begin(), launch.scalars.end());
    }
    for (const Parameter *parameter : package.parameters())
      if (!passed.count(parameter->name))
        fail("no launch takes '" + parameter->name + "'");
  }

  void checkConstants() {
    std::set<std::string> symbols;
    for (const Constant &constant : package.constants) {
      if (!isSymbol(constant.symbol))
        fail("'" + constant.symbol + "' is no name of a variable");
      if (!symbols.insert(constant.symbol).second)
        fail("the constant '" + constant.symbol + "' is listed twice");
    }
  }

  void checkNames(const Launch &launch) {
    for (const std::string &name : launch.buffers) {
      const Parameter *parameter = package.findParameter(name);
      bool isWorkspace = false;
      for (const Workspace &workspace : package.workspaces)
        isWorkspace |= workspace.name == name;
      if (!isWorkspace && (!parameter || parameter->isScalar))
        fail("a launch passes the buffer '" + name + "', which is not listed");
    }
    for (const std::string &name : launch.scalars) {
      const Parameter *parameter = package.findParameter(name);
      if (!parameter || !parameter->isScalar)
        fail("a launch passes the scalar '" + name + "', which is not listed");
    }
  }

  void checkCode(const CodeObject &object) {
    std::optional<DeviceLimits> limits = limitsOf(object.architecture);
    if (!limits)
      return fail("'" + object.architecture +
                  "' is no architecture such as sm_80 or gfx942");
    CodeObject expected =
        CodeObject::of(object.kind, object.architecture, std::string());
    bool isAmd = object.architecture[0] == 'g';
    if (object.kind != "hsaco" && object.kind != "ptx" &&
        object.kind != "cubin")
      return fail("'" + object.kind + "' is no kind of code object");
    if (isAmd != (object.kind == "hsaco"))
      return fail("there is no " + object.kind + " for " + object.architecture);
    if (object.major != expected.major || object.minor != expected.minor ||
        object.compatibility != expected.compatibility)
      fail("the capability of the " + object.kind + " for " +
           object.architecture + " is not what its name says");
    for (const Launch &launch : package.launches)
      checkLimits(launch, object.architecture, *limits);
    object.kind == "ptx" ? checkPtx(object) : checkObject(object);
  }

  void checkLimits(const Launch &launch, const std::string &architecture,
                   const DeviceLimits &limits) {
    std::string where =
        "; '" + launch.kernel + "' for " + architecture + " may have ";
    int64_t lanes = 1;
    for (int i = 0; i < 3; ++i) {
      int64_t size = launch.workgroupSize[i];
      if (size < 1 || size > limits.workgroupSize[i])
        return fail("workgroup_size is " + print(launch.workgroupSize) + where +
                    "1 to " + print(limits.workgroupSize));
      lanes *= size; // at most 1024^3
    }
    if (lanes > limits.lanes)
      fail("workgroup_size is " + print(launch.workgroupSize) + where +
           std::to_string(limits.lanes) + " lanes");
    if (launch.sharedMemory < 0 || launch.sharedMemory > limits.sharedMemory)
      fail("shared_memory is " + std::to_string(launch.sharedMemory) + where +
           std::to_string(limits.sharedMemory) + " bytes");
    for (int i = 0; i < 3; ++i)
      if (isConstant(launch.grid[i]))
        checkGridExtent(launch.grid[i].value, limits.grid[i], i, where);
    if (int64_t bytes = 8 * parameterCount(launch);
        bytes > limits.parameterBytes)
      fail("the parameters take " + std::to_string(bytes) + " bytes" + where +
           std::to_string(limits.parameterBytes));
  }

  /// Checks that a grid is empty only where an array is empty.
  void checkGridExtent(int64_t extent, int64_t limit, int dimension,
                       const std::string &where) {
    if (extent > limit || extent < (isEmpty ? 0 : 1))
      fail("grid " + std::string(1, static_cast<char>('x' + dimension)) +
           " is " + std::to_string(extent) + where + "1 to " +
           std::to_string(limit) + " workgroups");
  }

  static int64_t parameterCount(const Launch &launch) {
    return launch.buffers.size() + launch.scalars.size() +
           launch.extents.size();
  }

  /// Checks what the driver would read beyond the parameters that a launch
  /// passes.
  void checkPtx(const CodeObject &object) {
    if (object.bytes.find('\0') != std::string::npos)
      return fail("the ptx contains a null byte");
    std::string text = withoutComments(object.bytes);
    if (text.find(".target " + object.architecture) == std::string::npos)
      return fail("the ptx for " + object.architecture +
                  " has no line '.target " + object.architecture + "'");
    for (const Launch &launch : package.launches) {
      std::optional<size_t> count = countPtxParameters(text, launch.kernel);
      if (!count)
        fail("the ptx has no entry '" + launch.kernel + "'");
      else if (static_cast<int64_t>(*count) != parameterCount(launch))
        fail("the ptx of '" + launch.kernel + "' takes " +
             std::to_string(*count) + " parameters, the launch passes " +
             std::to_string(parameterCount(launch)));
    }
    for (const Constant &constant : package.constants)
      if (text.find(".b8 " + constant.symbol + "[" +
                    std::to_string(constant.bytes.size()) + "];") ==
          std::string::npos)
        fail("the ptx declares no variable '" + constant.symbol + "' of " +
             std::to_string(constant.bytes.size()) + " bytes without values");
  }

  /// Checks an ELF file: the magic number, the machine (190 is CUDA, 224 is AMD
  /// GPU), and the kernels' names among its symbols.
  void checkObject(const CodeObject &object) {
    const std::string &bytes = object.bytes;
    int machine = bytes.size() < 64
                      ? 0
                      : static_cast<unsigned char>(bytes[18]) |
                            static_cast<unsigned char>(bytes[19]) << 8;
    if (bytes.compare(0, 4,
                      "\x7f"
                      "ELF") != 0 ||
        machine != (object.kind == "cubin" ? 190 : 224))
      return fail("the " + object.kind + " is no object file for " +
                  object.architecture);
    for (const Launch &launch : package.launches)
      if (bytes.find(launch.kernel) == std::string::npos)
        fail("the " + object.kind + " has no kernel '" + launch.kernel + "'");
    for (const Constant &constant : package.constants)
      if (bytes.find(constant.symbol) == std::string::npos)
        fail("the " + object.kind + " has no variable '" + constant.symbol +
             "'");
  }

  const Package &package;
  std::string error;
  bool isEmpty = false; ///< whether some array has an extent of 0
};

} // namespace

std::string checkPackage(const Package &package) {
  return Checker(package).run();
}

std::string checkExtents(const Package &package,
                         const std::vector<int64_t> &extents) {
  for (int64_t extent : extents)
    if (extent < 0)
      return "the dynamic extent " + std::to_string(extent) + " is negative";
  for (const Requirement &requirement : package.requirements) {
    std::optional<int64_t> lhs = requirement.lhs.evaluate(extents),
                           rhs = requirement.rhs.evaluate(extents);
    if (!lhs || lhs != rhs)
      return requirement.message;
  }
  for (const Parameter *parameter : package.parameters())
    if (!parameter->isScalar && !bytesOf(*parameter, extents))
      return "the shape of '" + parameter->name +
             "' is out of range for these extents";
  for (const Workspace &workspace : package.workspaces)
    if (std::optional<int64_t> bytes = workspace.bytes.evaluate(extents);
        !bytes || *bytes < 0 || *bytes > largestArrayBytes)
      return "the size of '" + workspace.name + "' is out of range";
  for (const Launch &launch : package.launches)
    for (int i = 0; i < 3; ++i) {
      std::optional<int64_t> extent = launch.grid[i].evaluate(extents);
      if (!extent || *extent < 0 || *extent > limitsOf(package.target)->grid[i])
        return "the grid of '" + launch.kernel +
               "' is out of range for these extents";
    }
  for (const Launch &launch : package.launches)
    for (const Formula &passed : launch.extents)
      if (std::optional<int64_t> extent = passed.evaluate(extents);
          !extent || *extent < 0)
        return "an extent that '" + launch.kernel +
               "' is passed is out of range for these extents";
  return "";
}

int64_t bitsInMemory(const Parameter &parameter) {
  return parameter.isScalar || parameter.isUnpacked
             ? 8 * byteSize(parameter.type)
             : bitsInMemory(parameter.type);
}

std::optional<int64_t> bytesOf(const Parameter &parameter,
                               const std::vector<int64_t> &extents) {
  std::vector<int64_t> shape;
  for (const Formula &formula : parameter.shape) {
    std::optional<int64_t> extent = formula.evaluate(extents);
    if (!extent)
      return std::nullopt;
    shape.push_back(*extent);
  }
  // An array of the host, with one element per byte, must be within limits,
  // too.
  if (!checkedBytes(shape, byteSize(parameter.type)))
    return std::nullopt;
  return bytesInMemory(*checkedElements(shape), bitsInMemory(parameter));
}

} // namespace distaff::runtime
