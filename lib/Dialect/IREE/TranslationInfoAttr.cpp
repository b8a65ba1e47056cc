//===- TranslationInfoAttr.cpp - Launch configuration ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Text and verifier of #iree_codegen.translation_info.
//
//===----------------------------------------------------------------------===//
#include "distaff/CheckedSize.h"
#include "distaff/Dialect/IREE/IREE.h"

using namespace distaff;
using namespace distaff::iree;

/// Returns the name of a pipeline that is written as an attribute of its
/// dialect: LLVMGPUVectorDistribute for `#iree_gpu.pipeline<VectorDistribute>`.
/// Empty for other attributes.
static std::string nameOfPipeline(Attribute attribute) {
  auto text = dyn_cast<OpaqueAttr>(attribute);
  if (!text)
    return "";
  StringRef name = text.getAttrData(), dialect = text.getDialectNamespace();
  if (!name.consume_front("pipeline<") || !name.consume_back(">"))
    return "";
  StringRef prefix = dialect == "iree_gpu"   ? "LLVMGPU"
                     : dialect == "iree_cpu" ? "CPU"
                                             : "";
  return (prefix + name).str();
}

/// Parses a pipeline's name, which is a keyword or in an attribute.
static ParseResult parsePipeline(AsmParser &parser, StringAttr &pipeline) {
  SMLoc loc = parser.getCurrentLocation();
  std::string name;
  Attribute attribute;
  OptionalParseResult parsed = parser.parseOptionalAttribute(attribute);
  if (parsed.has_value() && failed(*parsed))
    return failure();
  if (!parsed.has_value()) {
    if (parser.parseKeywordOrString(&name))
      return failure();
  } else if (auto text = dyn_cast<StringAttr>(attribute)) {
    name = text.str();
  } else {
    name = nameOfPipeline(attribute);
    if (name.empty())
      return parser.emitError(loc)
             << "expected the name of a pipeline, got " << attribute;
  }
  pipeline = StringAttr::get(parser.getContext(), name);
  return success();
}

// translation-info ::= `<` (`pipeline` `=` (keyword | attribute))?
//                          (`workgroup_size` `=` `[` ints `]`)?
//                          (`subgroup_size` `=` int)? (`,`? dictionary)? `>`
Attribute TranslationInfoAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  StringAttr pipeline;
  SmallVector<int64_t> workgroupSize;
  int64_t subgroupSize = 0;
  DictionaryAttr configuration;
  if (parser.parseLess())
    return {};
  if (succeeded(parser.parseOptionalKeyword("pipeline"))) {
    if (parser.parseEqual() || parsePipeline(parser, pipeline))
      return {};
  }
  if (succeeded(parser.parseOptionalKeyword("workgroup_size"))) {
    auto parseSize = [&] {
      return parser.parseInteger(workgroupSize.emplace_back());
    };
    if (parser.parseEqual() ||
        parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseSize))
      return {};
  }
  if (succeeded(parser.parseOptionalKeyword("subgroup_size")) &&
      (parser.parseEqual() || parser.parseInteger(subgroupSize)))
    return {};
  if (failed(parser.parseOptionalGreater())) {
    // The comma separates the dictionary from any preceding part.
    (void)parser.parseOptionalComma();
    if (parser.parseAttribute(configuration) || parser.parseGreater())
      return {};
  }
  return parser.getChecked<TranslationInfoAttr>(
      loc, parser.getContext(), pipeline, ArrayRef<int64_t>(workgroupSize),
      subgroupSize, configuration);
}

void TranslationInfoAttr::print(AsmPrinter &printer) const {
  printer << '<';
  StringRef separator = "";
  if (getPipeline()) {
    printer << "pipeline = ";
    printer.printKeywordOrString(getPipeline().getValue());
    separator = " ";
  }
  if (!getWorkgroupSize().empty()) {
    printer << separator << "workgroup_size = [";
    llvm::interleaveComma(getWorkgroupSize(), printer);
    printer << ']';
    separator = " ";
  }
  if (getSubgroupSize()) {
    printer << separator << "subgroup_size = " << getSubgroupSize();
    separator = " ";
  }
  if (getConfiguration())
    printer << (separator.empty() ? "" : ", ") << getConfiguration();
  printer << '>';
}

LogicalResult
TranslationInfoAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                            StringAttr, ArrayRef<int64_t> workgroupSize,
                            int64_t subgroupSize, DictionaryAttr) {
  if (workgroupSize.size() > 3)
    return emitError() << "workgroup_size has " << workgroupSize.size()
                       << " dimensions, a workgroup has at most 3";
  for (int64_t size : workgroupSize)
    if (size < 1)
      return emitError() << "workgroup_size must be positive, got " << size;
  if (!checkedElements(workgroupSize, mostIds))
    return emitError() << "workgroup_size has more than " << mostIds
                       << " lanes, got [" << workgroupSize << "]";
  if (subgroupSize < 0)
    return emitError() << "subgroup_size must be positive, got "
                       << subgroupSize;
  if (subgroupSize > mostIds)
    return emitError() << "subgroup_size is more than " << mostIds << ", got "
                       << subgroupSize;
  return success();
}

int64_t TranslationInfoAttr::getNumThreads() const {
  int64_t product = getWorkgroupSize().empty() ? 0 : 1;
  for (int64_t size : getWorkgroupSize())
    product *= size;
  return product;
}
