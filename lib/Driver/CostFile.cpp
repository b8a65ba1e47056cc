//===- CostFile.cpp - Reading and writing target costs --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Driver/CostFile.h"
#include "distaff/Target/Costs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace distaff;

static constexpr StringLiteral costSchema = "distaff-costs";
static constexpr int64_t costVersion = 1;
/// Limits costs so that sums of products of them do not overflow.
static constexpr int64_t largestCost = 1000000;

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

std::string distaff::writeCosts(const Target &target) {
  PricedTarget copy(target, "");
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.objectBegin();
  json.attribute("schema", costSchema);
  json.attribute("version", costVersion);
  json.attribute("target", StringRef(target.name));
  StringRef section;
  for (const CostField &field : copy.fields()) {
    if (field.section != section) {
      if (!section.empty())
        json.attributeEnd(), json.objectEnd();
      section = field.section;
      json.attributeBegin(section), json.objectBegin();
    }
    if (*field.value == infiniteIssueCost)
      json.attribute(field.name, "infinite");
    else
      json.attribute(field.name, *field.value);
  }
  json.objectEnd(), json.attributeEnd();
  json.objectEnd();
  os << "\n";
  return text;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
/// A name of the file, or of a section of it, with the text of its value.
struct WrittenField {
  std::string section, name; // the names of sections are in section ""
  int64_t line;
  StringRef value; // for an object, the text before its first name or its end
};

/// Lists the names of a well-formed JSON text with their positions: a parsed
/// object keeps neither these nor the spelling of numbers, and of two equal
/// names only the last.
class WrittenFields {
public:
  WrittenFields() = default;
  explicit WrittenFields(StringRef text);

  const WrittenField *find(StringRef section, StringRef name) const;
  /// Returns the first field with the name of an earlier field of its section.
  const WrittenField *findDuplicate() const;

private:
  SmallVector<WrittenField> fields;
};

/// Reads one file, and reports the first error.
class CostReader {
public:
  CostReader(StringRef text, StringRef targetName, PricedTarget &target)
      : text(text), targetName(targetName), fields(target.fields()) {}

  std::string read();

private:
  /// Returns "line 7: " for the line of a name of a section.
  std::string at(StringRef name, StringRef section = "") const;
  /// Returns the number of a field if it has neither fraction nor exponent.
  std::optional<int64_t> wholeNumber(const llvm::json::Value *value,
                                     StringRef name,
                                     StringRef section = "") const;
  std::string readHead(const llvm::json::Object &file);
  std::string readSection(StringRef section, const llvm::json::Value &value);
  std::string readField(CostField &field, const llvm::json::Value &value);
  std::string knownIn(StringRef section) const;

  StringRef text, targetName;
  SmallVector<CostField> fields;
  WrittenFields written;
};
} // namespace

/// Returns the length of a string that text begins with, including its quotes.
static size_t lengthOfString(StringRef text) {
  size_t end = 1;
  while (end < text.size() && text[end] != '"')
    end += text[end] == '\\' ? 2 : 1;
  return end + 1;
}

WrittenFields::WrittenFields(StringRef text) {
  SmallVector<std::string> open; // the names of the enclosing objects
  std::string last;
  for (size_t at = 0; at < text.size(); ++at) {
    char c = text[at];
    if (c == '{' || c == '[')
      open.push_back(last);
    else if (c == '}' || c == ']')
      open.pop_back();
    if (c != '"')
      continue;
    StringRef word = text.substr(at, lengthOfString(text.drop_front(at)));
    at += word.size() - 1;
    StringRef rest = text.drop_front(at + 1).ltrim();
    if (!rest.consume_front(":"))
      continue;
    last = cantFail(llvm::json::parse(word)).getAsString()->str();
    if (open.size() <= 2)
      fields.push_back({open.size() == 2 ? open.back() : "", last,
                        1 + int64_t(text.take_front(at).count('\n')),
                        rest.take_until([](char c) {
                              return StringRef(",}{\"").contains(c);
                            })
                            .trim()});
  }
}

const WrittenField *WrittenFields::find(StringRef section,
                                        StringRef name) const {
  const auto *found = llvm::find_if(fields, [&](const WrittenField &field) {
    return field.section == section && field.name == name;
  });
  return found == fields.end() ? nullptr : found;
}

const WrittenField *WrittenFields::findDuplicate() const {
  for (const WrittenField &field : fields)
    if (find(field.section, field.name) != &field)
      return &field;
  return nullptr;
}

std::string CostReader::at(StringRef name, StringRef section) const {
  const WrittenField *field = written.find(section, name);
  return field ? "line " + std::to_string(field->line) + ": " : "";
}

std::optional<int64_t> CostReader::wholeNumber(const llvm::json::Value *value,
                                               StringRef name,
                                               StringRef section) const {
  const WrittenField *field = written.find(section, name);
  if (!value || !field || field->value.find_first_of(".eE") != StringRef::npos)
    return std::nullopt;
  return value->getAsInteger();
}

/// Returns the names of the sections, or of the fields of one.
std::string CostReader::knownIn(StringRef section) const {
  SmallVector<StringRef> names;
  for (const CostField &field : fields) {
    StringRef name = section.empty() ? field.section : field.name;
    if ((section.empty() || field.section == section) &&
        !llvm::is_contained(names, name))
      names.push_back(name);
  }
  return llvm::join(names, ", ");
}

std::string CostReader::readHead(const llvm::json::Object &file) {
  auto schema = file.getString("schema");
  if (!schema || *schema != costSchema)
    return at("schema") + "\"schema\" is not \"" + costSchema.str() +
           "\"; `distaff targets NAME --costs` writes such a file";
  std::optional<int64_t> version = wholeNumber(file.get("version"), "version");
  if (!version || *version != costVersion)
    return at("version") + "\"version\" is not " + std::to_string(costVersion) +
           ", which is the only one that is read";
  auto name = file.getString("target");
  if (!name || *name != targetName)
    return at("target") + "the costs are of " +
           (name ? "'" + name->str() + "'" : "no target") +
           ", and the target is " + targetName.str();
  return "";
}

std::string CostReader::readField(CostField &field,
                                  const llvm::json::Value &value) {
  StringRef name = field.name;
  if (auto word = value.getAsString(); word && *word == "infinite") {
    if (!field.mayBeInfinite)
      return at(name, field.section) + "\"" + name.str() +
             "\" cannot be infinite, for it is no instruction that need not be "
             "chosen";
    *field.value = infiniteIssueCost;
    return "";
  }
  std::optional<int64_t> number = wholeNumber(&value, name, field.section);
  if (!number || *number < field.least || *number > largestCost)
    return at(name, field.section) + "\"" + name.str() +
           "\" is no whole number from " + std::to_string(field.least) +
           " to " + std::to_string(largestCost) +
           (field.mayBeInfinite ? ", nor \"infinite\"" : "");
  *field.value = *number;
  return "";
}

std::string CostReader::readSection(StringRef section,
                                    const llvm::json::Value &value) {
  const llvm::json::Object *names = value.getAsObject();
  if (!names)
    return at(section) + "\"" + section.str() + "\" is no object of costs";
  for (const auto &[key, cost] : *names) {
    StringRef name = key;
    auto *field = llvm::find_if(fields, [&](const CostField &known) {
      return known.section == section && known.name == name;
    });
    if (field == fields.end())
      return at(name, section) + "unknown cost \"" + name.str() + "\" in \"" +
             section.str() + "\", which has " + knownIn(section);
    if (std::string why = readField(*field, cost); !why.empty())
      return why;
  }
  return "";
}

std::string CostReader::read() {
  auto parsed = llvm::json::parse(text);
  if (!parsed)
    return "is no JSON: " + llvm::toString(parsed.takeError());
  const llvm::json::Object *file = parsed->getAsObject();
  if (!file)
    return "is no object";
  written = WrittenFields(text);
  if (const WrittenField *twice = written.findDuplicate())
    return "line " + std::to_string(twice->line) + ": \"" + twice->name +
           "\" is given twice; leave one of them away";
  if (std::string why = readHead(*file); !why.empty())
    return why;
  for (const auto &[key, value] : *file) {
    StringRef section = key;
    if (section == "schema" || section == "version" || section == "target")
      continue;
    if (llvm::none_of(fields, [&](const CostField &field) {
          return field.section == section;
        }))
      return at(section) + "unknown section \"" + section.str() + "\"; " +
             targetName.str() + " has " + knownIn("");
    if (std::string why = readSection(section, value); !why.empty())
      return why;
  }
  return "";
}

std::string distaff::readCosts(StringRef text, StringRef targetName,
                               PricedTarget &target) {
  return CostReader(text, targetName, target).read();
}
