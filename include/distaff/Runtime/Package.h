//===- Package.h - Kernel package -------------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel package is one file that a machine without a compiler can launch: a
// manifest (JSON) with the kernel's arguments, results and requirements, and
// the code objects. Layout of the file, integers little-endian:
//
//   8 bytes   "DISTAFF\n"
//   u32       version of the format (1)
//   u32       CRC-32 (IEEE 802.3) of every byte after this field
//   u64       bytes of the manifest
//   u64       bytes of the code objects and the constants
//   manifest, then the code objects, then the constants, one after the other
//
// The checksum and the two sizes let `parsePackage` refuse a truncated or
// damaged file before it uses any of it. A launch is a list of kernels in
// order; sizes are formulas of the dynamic extents, which are numbered in
// (argument, dimension) order.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_RUNTIME_PACKAGE_H
#define DISTAFF_RUNTIME_PACKAGE_H

#include "distaff/Runtime/ScalarType.h"

#include <array>
#include <string>
#include <vector>

namespace distaff::runtime {

/// A formula is an integer expression over the dynamic extents. In JSON: a
/// number, or ["extent", i], or [operator, formula, formula].
struct Formula {
  enum class Kind : uint8_t {
    Constant,
    Extent,
    Add,
    Subtract,
    Multiply,
    CeilDivide,
    FloorDivide,
    Modulo,
    Minimum,
    Maximum
  };
  Kind kind = Kind::Constant;
  int64_t value = 0; ///< the constant, or the number of the extent.
  std::vector<Formula> operands;

  static Formula constant(int64_t value) { return {Kind::Constant, value, {}}; }
  static Formula extent(int64_t number) { return {Kind::Extent, number, {}}; }
  static Formula binary(Kind kind, Formula lhs, Formula rhs);

  bool operator==(const Formula &other) const = default;

  /// Returns the formula with extent i replaced by `by[i]`. \pre there are as
  /// many
  Formula substitute(const std::vector<Formula> &by) const;

  /// Returns the value; empty on overflow, on division by zero and for an
  /// extent out of range.
  std::optional<int64_t> evaluate(const std::vector<int64_t> &extents) const;
};

/// Describes an argument or result. A scalar has no shape and is passed by
/// value.
struct Parameter {
  std::string name; ///< "arg0", "res0": its name on the command line.
  ScalarType type = ScalarType::F32;
  bool isScalar = false;
  std::vector<Formula> shape;
  /// Whether each element has its own byte, with zeros above its bits, although
  /// elements of its type otherwise share bytes.
  bool isUnpacked = false;
};

/// Returns the bits of an array's element in the memory of a launch: for i2 and
/// i4 their own width, for other types and unpacked arrays 8 per byte.
int64_t bitsInMemory(const Parameter &parameter);

/// Two formulas that are equal in every launch, such as the extents of two
/// arrays that are iterated over together.
struct Requirement {
  Formula lhs, rhs;
  std::string message; ///< the error message if they differ.
};

/// Global memory that the launches share and that is not visible outside.
struct Workspace {
  std::string name;
  Formula bytes;
};

/// A kernel launch. Its parameters, in the order of the kernel ABI: a pointer
/// per buffer, then the scalars, then one i64 per dynamic extent.
struct Launch {
  std::string kernel;
  std::array<Formula, 3> grid;
  std::array<int64_t, 3> workgroupSize = {1, 1, 1};
  int64_t sharedMemory = 0; ///< bytes that are allocated at launch.
  std::vector<std::string> buffers;
  std::vector<std::string> scalars;
  /// Extents that are passed to the kernel, of which only some may be arguments
  /// of the package. If JSON omits them, they are all of the package's.
  std::vector<Formula> extents;
};

/// The devices on which a code object runs.
enum class Compatibility : uint8_t {
  Later,     ///< this capability and any later one (PTX)
  SameMajor, ///< this capability and later minors of the same major (cubin)
  Exact      ///< this capability alone (architecture-specific code, AMD)
};

struct CodeObject {
  std::string kind;             ///< "ptx", "cubin" or "hsaco"
  std::string architecture;     ///< "sm_80", "gfx942"
  int64_t major = 0, minor = 0; ///< CUDA compute capability
  Compatibility compatibility = Compatibility::Later;
  std::string bytes;

  /// Creates a code object. Capability and compatibility follow from the
  /// architecture's name: sm_90a is 9.0 and for that alone, AMD's have none.
  static CodeObject of(std::string kind, std::string architecture,
                       std::string bytes);

  bool runsOn(int deviceMajor, int deviceMinor) const;
};

/// Data, such as weights, of a variable that the code declares and does not
/// initialise: the launcher fills it once, when it loads the code.
struct Constant {
  std::string symbol;
  std::string bytes;
};

struct Package {
  std::string name;
  std::string target;
  std::vector<Parameter> arguments;
  std::vector<Parameter> results;
  std::vector<Requirement> requirements;
  std::vector<Workspace> workspaces;
  std::vector<Launch> launches;
  std::vector<CodeObject> codeObjects;
  std::vector<Constant> constants;

  /// Returns the arguments, then the results.
  std::vector<const Parameter *> parameters() const;
  const Parameter *findParameter(const std::string &name) const;
};

constexpr size_t mostDimensions = 64;

/// Returns the error in a package, or an empty string: names that are unknown
/// or listed twice, constants that the code does not declare, extents that do
/// not exist, arrays and grids beyond any device's limits (DeviceLimits.h),
/// code that is not what it is labelled as or takes other parameters than a
/// launch passes. Writers and readers run the same check.
std::string checkPackage(const Package &package);

/// Returns the same for what depends on the dynamic extents: requirements,
/// shapes, workspaces, grids.
std::string checkExtents(const Package &package,
                         const std::vector<int64_t> &extents);

/// Returns the bytes of an array; empty when its shape is out of range.
std::optional<int64_t> bytesOf(const Parameter &parameter,
                               const std::vector<int64_t> &extents);

/// Returns the bytes of the file.
std::string serializePackage(const Package &package);

/// Reads a file's bytes. Returns the reason of a failure, or an empty string;
/// after success `checkPackage` returns no error.
std::string parsePackage(const std::string &bytes, Package &package);
std::string readPackage(const std::string &path, Package &package);

} // namespace distaff::runtime

#endif // DISTAFF_RUNTIME_PACKAGE_H
