//===- OutputFile.cpp - Atomic writing of output files --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Runtime/OutputFile.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <iterator>
#include <mutex>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace distaff::runtime {
namespace {

std::string systemError() { return std::strerror(errno); }

/// Follows symbolic links to a path that is none; it may not exist yet. Returns
/// an empty path for a cycle of links.
std::string followLinks(std::string path) {
  // Linux follows as many.
  for (int links = 0; links < 40; ++links) {
    char target[4096];
    ssize_t length = readlink(path.c_str(), target, sizeof(target) - 1);
    if (length < 0)
      return path;
    std::string next(target, length);
    size_t slash = path.rfind('/');
    path = next[0] == '/' || slash == std::string::npos
               ? next
               : path.substr(0, slash + 1) + next;
  }
  return "";
}

std::string writeParts(int file, const std::vector<std::string_view> &parts) {
  for (std::string_view part : parts)
    while (!part.empty()) {
      ssize_t written = write(file, part.data(), part.size());
      if (written < 0 && errno == EINTR)
        continue;
      if (written < 0)
        return systemError();
      part.remove_prefix(written);
    }
  return "";
}

/// Writes and closes; only closing may report that the data did not arrive.
std::string writeAndClose(int file,
                          const std::vector<std::string_view> &parts) {
  std::string why = writeParts(file, parts);
  if (close(file) != 0 && why.empty())
    why = systemError();
  return why;
}

/// Returns the open file of a path such as /dev/stdout, or -1. It is written
/// directly: the shell may append to it, and it must not be renamed.
int openFileNamed(std::string_view path) {
  if (path == "/dev/stdout")
    return STDOUT_FILENO;
  if (path == "/dev/stderr")
    return STDERR_FILENO;
  for (std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (path.substr(0, folder.size()) != folder)
      continue;
    std::string number(path.substr(folder.size()));
    char *end = nullptr;
    long file = std::strtol(number.c_str(), &end, 10);
    if (!number.empty() && *end == '\0' && file >= 0 && file < 1 << 20)
      return static_cast<int>(file);
  }
  return -1;
}

/// The names of files that are being written. A signal that ends the process
/// removes them: a handler may only read these and call unlink.
class Unfinished {
public:
  /// Adds a name, before the file exists.
  static void add(const std::string &name);
  static void remove(const std::string &name);

private:
  static constexpr int endings[] = {SIGHUP, SIGINT, SIGTERM};
  static constexpr size_t numEndings = std::size(endings);

  static void onSignal(int signal);

  /// An element of a chain that only grows: a handler may traverse it at any
  /// time.
  struct Place {
    std::atomic<char *> name = nullptr;
    Place *next = nullptr;
  };

  static std::mutex mutex;
  static std::atomic<Place *> places;
  static struct sigaction before[numEndings];
};

std::mutex Unfinished::mutex;
std::atomic<Unfinished::Place *> Unfinished::places;
struct sigaction Unfinished::before[numEndings];

void Unfinished::onSignal(int signal) {
  for (Place *place = places.load(); place; place = place->next)
    if (const char *path = place->name.load())
      unlink(path);
  for (size_t i = 0; i < numEndings; ++i)
    if (endings[i] == signal)
      sigaction(signal, &before[i], nullptr);
  raise(signal); // delivered when the handler returns
}

void Unfinished::add(const std::string &name) {
  std::lock_guard lock(mutex);
  static const bool isInstalled = [] {
    for (size_t i = 0; i < numEndings; ++i) {
      struct sigaction action = {};
      action.sa_handler = onSignal;
      sigaction(endings[i], nullptr, &before[i]);
      if (before[i].sa_handler != SIG_IGN) // nohup ignores signals
        sigaction(endings[i], &action, nullptr);
    }
    return true;
  }();
  (void)isInstalled;
  Place *place = places.load();
  while (place && place->name.load())
    place = place->next;
  if (!place) {
    place = new Place;
    place->next = places.load();
    places.store(place);
  }
  place->name.store(strdup(name.c_str()));
}

void Unfinished::remove(const std::string &name) {
  std::lock_guard lock(mutex);
  for (Place *place = places.load(); place; place = place->next)
    if (char *path = place->name.load(); path && name == path) {
      // It is not freed: a handler may have read it already.
      place->name.store(nullptr);
      return;
    }
}

/// Creates a new file beside `path`.
int createBeside(const std::string &path, std::string &name) {
  size_t slash = path.rfind('/');
  std::string folder =
      slash == std::string::npos ? "" : path.substr(0, slash + 1);
  for (int number = 0;; ++number) {
    name = folder + ".distaff-" + std::to_string(getpid()) + "-" +
           std::to_string(number) + ".tmp";
    Unfinished::add(name);
    int file =
        open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0)
      return file;
    int why = errno;
    Unfinished::remove(name);
    errno = why;
    if (errno != EEXIST)
      return file;
  }
}

/// An output: all that can fail is done before anything is replaced.
class Pending {
public:
  explicit Pending(const Output &output) : output(output) {}
  Pending(Pending &&other) noexcept
      : output(other.output), isDirect(other.isDirect),
        target(std::move(other.target)),
        temporary(std::exchange(other.temporary, "")) {}
  ~Pending() {
    if (temporary.empty())
      return;
    unlink(temporary.c_str());
    Unfinished::remove(temporary);
  }

  const std::string &path() const { return output.path; }

  /// Writes a regular file beside its final path.
  std::string prepare();

  /// Writes to a path that is no regular file, which cannot be undone. It is
  /// opened only now: a reader of two pipes reads one after the other.
  std::string writeDirectly();

  /// Renames a regular file to its final name.
  std::string replace();

private:
  std::string writeBeside(std::optional<mode_t> mode);

  const Output &output;
  bool isDirect = false;
  std::string target, temporary;
};

std::string Pending::prepare() {
  isDirect = openFileNamed(output.path) >= 0;
  if (isDirect)
    return "";
  target = followLinks(output.path);
  if (target.empty()) {
    errno = ELOOP;
    return systemError();
  }
  struct stat status;
  if (stat(target.c_str(), &status) != 0)
    return errno == ENOENT ? writeBeside(std::nullopt) : systemError();
  isDirect = !S_ISREG(status.st_mode);
  if (isDirect)
    return "";
  // A file without write permission is not replaced either.
  if (access(target.c_str(), W_OK) != 0)
    return systemError();
  return writeBeside(status.st_mode & 07777);
}

std::string Pending::writeBeside(std::optional<mode_t> mode) {
  int file = createBeside(target, temporary);
  if (file < 0) {
    temporary.clear();
    return systemError();
  }
  std::string why;
  if (mode && fchmod(file, *mode) != 0)
    why = systemError();
  std::string unwritten = writeAndClose(file, output.parts);
  return why.empty() ? unwritten : why;
}

std::string Pending::writeDirectly() {
  if (!isDirect)
    return "";
  int named = openFileNamed(output.path);
  int file =
      named >= 0 ? dup(named) : open(target.c_str(), O_WRONLY | O_CLOEXEC);
  return file < 0 ? systemError() : writeAndClose(file, output.parts);
}

std::string Pending::replace() {
  if (isDirect)
    return "";
  if (rename(temporary.c_str(), target.c_str()) != 0)
    return systemError();
  Unfinished::remove(temporary);
  temporary.clear();
  return "";
}

} // namespace

Unwritten writeOutputFiles(const std::vector<Output> &outputs) {
  std::vector<Pending> files(outputs.begin(), outputs.end());
  for (auto step :
       {&Pending::prepare, &Pending::writeDirectly, &Pending::replace})
    for (Pending &file : files)
      if (std::string why = (file.*step)(); !why.empty())
        return {file.path(), why};
  return {};
}

std::string whyUnwritable(const std::string &path) {
  if (openFileNamed(path) >= 0)
    return "";
  std::string target = followLinks(path);
  errno = ELOOP;
  struct stat status;
  if (target.empty())
    return systemError();
  if (stat(target.c_str(), &status) == 0) {
    errno = EISDIR;
    if (S_ISDIR(status.st_mode))
      return systemError();
    return access(target.c_str(), W_OK) == 0 ? "" : systemError();
  }
  if (errno != ENOENT)
    return systemError();
  size_t slash = target.rfind('/');
  std::string folder =
      slash == std::string::npos ? "." : target.substr(0, slash + 1);
  return access(folder.c_str(), W_OK | X_OK) == 0 ? "" : systemError();
}

std::string writeOutputFile(const std::string &path,
                            const std::vector<std::string_view> &parts) {
  return writeOutputFiles({{path, parts}}).why;
}

} // namespace distaff::runtime
