//===- PackageValues.cpp - Arrays of a package's launch -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PackageValues.h"
#include "distaff/Driver/Parameters.h"

namespace distaff {

std::vector<int64_t> extentsOf(const runtime::Package &package,
                               const ParameterValues &values) {
  std::vector<int64_t> extents;
  for (auto [argument, value] : llvm::zip(package.arguments, values))
    for (auto [formula, extent] : llvm::zip(argument.shape, value.shape))
      if (formula.kind == runtime::Formula::Kind::Extent)
        extents.push_back(extent);
  return extents;
}

std::string allocateResults(const runtime::Package &package,
                            ParameterValues &values) {
  std::vector<int64_t> extents = extentsOf(package, values);
  if (std::string why = checkExtents(package, extents); !why.empty())
    return "no launch can have these extents: " + why;
  size_t first = package.arguments.size();
  for (auto [number, result] : llvm::enumerate(package.results)) {
    SmallVector<int64_t> shape;
    for (const runtime::Formula &extent : result.shape)
      shape.push_back(*extent.evaluate(extents));
    Type element = values[first + number].elementType;
    ParameterShape parameter{result.name, element, element, shape};
    if (std::string why = parameter.describeOversize(); !why.empty())
      return why;
    simt::Array &array = values[first + number];
    array = simt::Array::unwritten(array.elementType, shape);
  }
  return "";
}

void packArrays(ArrayRef<ParameterShape> parameters, ParameterValues &values) {
  for (auto [parameter, array] : llvm::zip_equal(parameters, values)) {
    Type element = parameter.elementType;
    unsigned bits =
        element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 8;
    // One element per byte has zeros above it, also where it is negative: code
    // for a CPU relies on them.
    if (parameter.isPacked || bits < 8)
      array.bytes = runtime::packNumbers(array.bytes, bits,
                                         parameter.isPacked ? bits : 8);
  }
}

void unpackArrays(ArrayRef<ParameterShape> parameters,
                  ParameterValues &values) {
  for (auto [parameter, array] : llvm::zip_equal(parameters, values)) {
    if (!parameter.isPacked)
      continue;
    unsigned bits = parameter.elementType.getIntOrFloatBitWidth();
    array.bytes =
        runtime::unpackNumbers(array.bytes, bits, bits, array.numElements());
  }
}

} // namespace distaff
