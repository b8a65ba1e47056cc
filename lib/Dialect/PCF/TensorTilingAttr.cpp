//===- TensorTilingAttr.cpp - Text of #pcf.tensor_tiling ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/PCF/PCF.h"

using namespace distaff;
using namespace distaff::pcf;

Attribute TensorTilingAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> workers;
  if (succeeded(parser.parseOptionalLess()) &&
      (parser.parseKeyword("workers") || parser.parseEqual() ||
       parser.parseCommaSeparatedList(
           AsmParser::Delimiter::Square,
           [&] { return parser.parseInteger(workers.emplace_back()); }) ||
       parser.parseGreater()))
    return {};
  return parser.getChecked<TensorTilingAttr>(loc, parser.getContext(),
                                             ArrayRef(workers));
}

void TensorTilingAttr::print(AsmPrinter &printer) const {
  if (getWorkers().empty())
    return;
  printer << "<workers = [";
  llvm::interleaveComma(getWorkers(), printer);
  printer << "]>";
}

LogicalResult
TensorTilingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                         ArrayRef<int64_t> workers) {
  for (int64_t count : workers)
    if (count < 1)
      return emitError() << "workers must be at least 1, got " << count;
  return success();
}
