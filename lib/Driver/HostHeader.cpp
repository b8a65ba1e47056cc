//===- HostHeader.cpp - C declarations of compiled kernels ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "HostEntry.h"
#include "distaff/Analysis/Legality/ExternalFunctions.h"
#include "distaff/Driver/Parameters.h"
#include "distaff/Target/Target.h"
#include "distaff/ToLLVM/KernelABI.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace distaff;
using runtime::Formula;
using runtime::ScalarType;

/// Returns the type of an element in C; halves and bytes are their bits.
static StringRef nameInC(ScalarType type) {
  switch (type) {
  case ScalarType::I1:
  case ScalarType::F8E4M3FN:
  case ScalarType::F8E5M2:
  case ScalarType::F8E4M3FNUZ:
  case ScalarType::F8E5M2FNUZ:
    return "uint8_t";
  case ScalarType::I2:
  case ScalarType::I4:
  case ScalarType::I8:
    return "int8_t";
  case ScalarType::I16:
    return "int16_t";
  case ScalarType::I32:
    return "int32_t";
  case ScalarType::I64:
  case ScalarType::Index:
    return "int64_t";
  case ScalarType::F16:
  case ScalarType::BF16:
    return "uint16_t";
  case ScalarType::F32:
    return "float";
  case ScalarType::F64:
    return "double";
  }
  llvm_unreachable("every type has a name");
}

/// Returns the element type of an array in C: numbers narrower than a byte are
/// bytes.
static StringRef elementInC(ScalarType type) {
  return runtime::bitsInMemory(type) < 8 ? "uint8_t" : nameInC(type);
}

namespace {
class HeaderWriter {
public:
  explicit HeaderWriter(const DeclaredKernel &kernel)
      : package(kernel.package), written(kernel.written), asks(kernel.asks),
        symbol(hostFunctionName(package)), os(text) {
    for (const runtime::Parameter &argument : package.arguments)
      for (auto [dim, extent] : llvm::enumerate(argument.shape))
        if (extent.kind == Formula::Kind::Extent)
          extents.push_back(argument.name + "_dim" + std::to_string(dim));
  }

  std::string write() {
    describe();
    workspaces();
    declare();
    return std::move(text);
  }

private:
  std::string shapeOf(const runtime::Parameter &parameter) {
    std::string shape;
    for (const Formula &extent : parameter.shape)
      shape += "[" + print(extent) + "]";
    return shape.empty() ? "[1]" : shape;
  }

  /// Returns how an array packs numbers narrower than a byte into bytes.
  static std::string packingOf(const runtime::Parameter &parameter) {
    int64_t bits = runtime::bitsInMemory(parameter);
    if (parameter.isScalar || runtime::bitsInMemory(parameter.type) >= 8)
      return "";
    return bits == 8 ? ", 1 per byte, zeros above it"
                     : ", " + std::to_string(8 / bits) +
                           " per byte, the first lowest";
  }

  void describe() {
    os << "/* " << symbol << ": compiled for " << package.target << ".\n"
       << " * Arrays are row-major and begin at any element, those of several "
          "per "
          "byte at\n * any byte; results and arguments do not overlap.\n";
    for (const runtime::Parameter *parameter : package.parameters())
      os << " *   " << parameter->name << ": "
         << StringRef(runtime::name(parameter->type))
         << (parameter->isScalar ? "" : shapeOf(*parameter))
         << packingOf(*parameter) << "\n";
    for (const runtime::Workspace &workspace : package.workspaces)
      os << " *   " << workspace.name << ": " << symbol << "_" << workspace.name
         << "_bytes(...) bytes\n";
    for (const runtime::Requirement &each : package.requirements)
      os << " * " << print(each.lhs) << " == " << print(each.rhs) << "\n";
    os << " * Returns 0, or -1 for extents that are negative or do not fit,\n"
       << (asks ? " * or where the system does not lend it the tile registers "
                  "of AMX,\n"
                : "")
       << " * and then writes nothing. */\n";
  }

  std::string extentParameters() {
    return llvm::join(llvm::map_range(extents,
                                      [](const std::string &extent) {
                                        return "int64_t " + extent;
                                      }),
                      ", ");
  }

  void workspaces() {
    for (const runtime::Workspace &workspace : package.workspaces)
      os << "static inline int64_t " << symbol << "_" << workspace.name
         << "_bytes(" << (extents.empty() ? "void" : extentParameters())
         << ") {\n  return " << print(workspace.bytes) << ";\n}\n";
  }

  void declare() {
    SmallVector<std::string> parameters;
    for (auto [argument, isWritten] :
         llvm::zip_equal(package.arguments, written))
      if (!argument.isScalar)
        parameters.push_back(((isWritten ? "" : "const ") +
                              elementInC(argument.type) + " *" + argument.name)
                                 .str());
    for (const runtime::Parameter &result : package.results)
      parameters.push_back(
          (elementInC(result.type) + " *" + result.name).str());
    for (const runtime::Workspace &workspace : package.workspaces)
      parameters.push_back("void *" + workspace.name);
    for (const runtime::Parameter &argument : package.arguments)
      if (argument.isScalar)
        parameters.push_back(
            (nameInC(argument.type) + " " + argument.name).str());
    if (!extents.empty())
      parameters.push_back(extentParameters());
    parameters.push_back("distaff_parallel_for parallel_for");
    os << "int " << symbol << "(" << llvm::join(parameters, ",\n    ")
       << ");\n";
  }

  std::string print(const Formula &formula) {
    using enum Formula::Kind;
    if (formula.kind == Constant)
      return std::to_string(formula.value);
    if (formula.kind == Extent)
      return extents[formula.value];
    std::string lhs = print(formula.operands[0]),
                rhs = print(formula.operands[1]);
    auto infix = [&](StringRef op) {
      return ("(" + lhs + " " + op + " " + rhs + ")").str();
    };
    auto call = [&](StringRef name) {
      return ("distaff_" + name + "(" + lhs + ", " + rhs + ")").str();
    };
    switch (formula.kind) {
    case Add:
      return infix("+");
    case Subtract:
      return infix("-");
    case Multiply:
      return infix("*");
    case CeilDivide:
      return call("ceil_divide");
    case FloorDivide:
      return call("floor_divide");
    case Modulo:
      return call("modulo");
    case Minimum:
      return call("minimum");
    case Maximum:
      return call("maximum");
    default:
      llvm_unreachable("constants and extents have no operands");
    }
  }

  const runtime::Package &package;
  ArrayRef<bool> written;
  bool asks;
  std::string symbol;
  SmallVector<std::string> extents; // by number
  std::string text;
  llvm::raw_string_ostream os;
};
} // namespace

//===----------------------------------------------------------------------===//
// Functions that kernels call
//===----------------------------------------------------------------------===//

namespace {
/// Declares an external function, which is linked with the kernels.
class ExternalWriter {
public:
  explicit ExternalWriter(func::FuncOp function) : function(function) {}

  std::string write() {
    FunctionType type = function.getFunctionType();
    for (auto [i, input] : llvm::enumerate(type.getInputs()))
      add(input, "arg" + std::to_string(i), /*isWritten=*/false);
    StringRef returned = "void";
    if (returnsScalar(type)) {
      returned = nameInC(*arrayTypeOf(type.getResult(0)));
      comment += " *   returns " + textOf(type.getResult(0)) + "\n";
    } else {
      for (auto [i, result] : llvm::enumerate(type.getResults()))
        add(result, "res" + std::to_string(i), /*isWritten=*/true);
    }
    if (parameters.empty())
      parameters.push_back("void");
    return ("/* " + function.getName() +
            ": of whoever links the kernels that call it, on any thread.\n"
            " * Vectors are row-major and begin on multiples of " +
            Twine(externalAlignment) + " bytes; bits\n" +
            " * are bytes, 0 or 1.\n" + comment + " */\n" + returned + " " +
            function.getName() + "(" + llvm::join(parameters, ", ") + ");\n")
        .str();
  }

private:
  static std::string textOf(Type type) {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << getElementTypeOrSelf(type);
    if (auto vector = dyn_cast<VectorType>(type))
      for (int64_t extent : vector.getShape())
        os << "[" << extent << "]";
    return text;
  }

  void add(Type type, const std::string &name, bool isWritten) {
    StringRef element = nameInC(*arrayTypeOf(getElementTypeOrSelf(type)));
    bool isPointer = isWritten || isa<VectorType>(type);
    parameters.push_back(((isPointer && !isWritten ? "const " : "") + element +
                          (isPointer ? " *" : " ") + name)
                             .str());
    comment += " *   " + name + ": " + textOf(type) + "\n";
  }

  func::FuncOp function;
  SmallVector<std::string> parameters;
  std::string comment;
};
} // namespace

/// The common part of the headers, guarded against repeated inclusion.
static_assert(hostStackBytes == 2 << 20, "the text below says so");
static constexpr StringLiteral prologue =
    R"(#include <stdint.h>

#ifndef DISTAFF_HOST_KERNELS
#define DISTAFF_HOST_KERNELS
/* Runs the workgroups begin to end of a launch. */
typedef void (*distaff_task)(const void *data, int64_t begin, int64_t end);
/* Calls task(data, begin, end) for ranges that together are 0 to count, on
 * whichever threads, and returns when all have returned. Each of them needs
 * 2 MiB of stack. Null: the caller runs all. An assertion of a kernel that
 * fails calls distaff_assertion_failed(const char *message), which prints the
 * message and aborts unless the program has one of its own; it never returns. */
typedef void (*distaff_parallel_for)(distaff_task task, const void *data,
                                     int64_t count);
static inline int64_t distaff_floor_divide(int64_t a, int64_t b) {
  return a / b - (a % b < 0);
}
static inline int64_t distaff_ceil_divide(int64_t a, int64_t b) {
  return a / b + (a % b > 0);
}
static inline int64_t distaff_modulo(int64_t a, int64_t b) {
  return a - distaff_floor_divide(a, b) * b;
}
static inline int64_t distaff_minimum(int64_t a, int64_t b) {
  return a < b ? a : b;
}
static inline int64_t distaff_maximum(int64_t a, int64_t b) {
  return a > b ? a : b;
}
#endif

#ifdef __cplusplus
extern "C" {
#endif

)";

static constexpr StringLiteral epilogue = R"(
#ifdef __cplusplus
}
#endif
)";

std::string distaff::writeHostHeader(ArrayRef<DeclaredKernel> kernels,
                                     ArrayRef<func::FuncOp> externals) {
  std::string guard = "DISTAFF_HOST";
  for (const DeclaredKernel &kernel : kernels)
    guard += "_" + hostFunctionName(kernel.package);
  std::string text = "#ifndef " + guard + "\n#define " + guard + "\n";
  text += prologue;
  for (const DeclaredKernel &kernel : kernels) {
    text += &kernel == kernels.begin() ? "" : "\n";
    text += HeaderWriter(kernel).write();
  }
  for (func::FuncOp function : externals)
    text += "\n" + ExternalWriter(function).write();
  text += epilogue;
  return text + "#endif\n";
}
