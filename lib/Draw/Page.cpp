//===- Page.cpp - HTML page of schedules ----------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Escape.h"
#include "distaff/Draw/Schedule.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace distaff::draw {
namespace {

constexpr llvm::StringLiteral pageStyles = R"(
:root { color-scheme: light dark; --ink: #1d2430; --faint: #5b6472; --paper: #ffffff; --rule: #d5dae1; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ee; --faint: #a3acba; --paper: #14181f; --rule: #363d49; } }
body { margin: 2rem auto; padding: 0 1.5rem; max-width: 80rem; color: var(--ink); background: var(--paper);
  font: 16px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
h1, h2 { font-weight: 600; line-height: 1.2; }
h1 { font-size: 1.6rem; }
h2 { font-size: 1.2rem; margin-top: 2.5rem; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { text-align: left; padding: .25rem 1.5rem .25rem 0; border-bottom: 1px solid var(--rule); vertical-align: top; }
th { color: var(--faint); font-weight: 500; }
td { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: .85rem; overflow-wrap: anywhere; }
figure { margin: 1rem 0; overflow-x: auto; }
li { color: var(--faint); }
)";

/// Writes a table of two columns; writes nothing without rows.
template <typename Row, typename Cells>
void writeTable(llvm::raw_ostream &os, llvm::StringRef first,
                llvm::StringRef second, const std::vector<Row> &rows,
                Cells cells) {
  if (rows.empty())
    return;
  os << llvm::formatv("<table>\n<tr><th>{0}</th><th>{1}</th></tr>\n", first,
                      second);
  for (const Row &row : rows) {
    auto [name, what] = cells(row);
    os << llvm::formatv("<tr><td>{0}</td><td>{1}</td></tr>\n", escape(name),
                        escape(what));
  }
  os << "</table>\n";
}

/// Writes a list of lines; writes nothing without lines.
void writeList(llvm::raw_ostream &os, const std::vector<std::string> &lines) {
  if (lines.empty())
    return;
  os << "<ul>\n";
  for (const std::string &line : lines)
    os << "<li>" << escape(line) << "</li>\n";
  os << "</ul>\n";
}

void writeSection(llvm::raw_ostream &os, const Schedule &schedule,
                  size_t number) {
  os << "<section>\n<h2>" << escape(schedule.title) << "</h2>\n";
  writeTable(os, "role", "members", schedule.roles, [](const Role &role) {
    return std::pair(role.name, role.members);
  });
  writeTable(
      os, "memory", "what it is", schedule.buffers,
      [](const Buffer &buffer) { return std::pair(buffer.name, buffer.what); });
  os << "<figure>\n";
  printSvg(schedule, os, "schedule-" + std::to_string(number));
  os << "</figure>\n";
  writeList(os, schedule.notes);
  os << "</section>\n";
}

} // namespace

void printHtml(llvm::StringRef title, llvm::ArrayRef<Schedule> schedules,
               llvm::raw_ostream &os, const std::vector<std::string> &lines) {
  os << llvm::formatv(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\">\n"
      "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n",
      escape(title), pageStyles);
  writeList(os, lines);
  for (auto [number, schedule] : llvm::enumerate(schedules))
    writeSection(os, schedule, number + 1);
  os << "</body>\n</html>\n";
}

} // namespace distaff::draw
