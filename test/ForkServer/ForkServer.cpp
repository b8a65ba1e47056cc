//===- ForkServer.cpp - Loads a program once, runs it many times ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of what a run of distaff on a small kernel takes, half is the dynamic
// linker's work on libLLVM and libMLIR. A program that is started with this
// library preloaded stops before its `main`, with its libraries bound, and
// forks for every request that reaches the socket whose number is in the
// environment; a child goes on to `main`. fork_server.py is the other side.
//
// A request is one message: zero-terminated strings, which are the folder to
// run in and the arguments from argv[0] on, and two descriptors, stdout and
// stderr. The answers are two messages: the child's number, which stays its own
// until the next request, and its exit code or minus its signal. The end of the
// socket is the end of the server, and that of the server the end of a child.
//
// A child has the server's environment, limits and addresses of libraries.
// Where its heap goes on is by chance.
//
//===----------------------------------------------------------------------===//
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <random>
#include <string>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

constexpr char socketVariable[] = "DISTAFF_FORK_SERVER";
constexpr size_t maxRequestBytes = 1 << 17;

struct Request {
  std::vector<char> text;
  std::array<int, 2> output; // stdout and stderr
};

[[noreturn]] void stop(const char *what) {
  perror(what);
  _exit(125);
}

/// Waits for a request. Ends the process where none can come any more.
Request receive(int socket) {
  Request request;
  request.text.resize(maxRequestBytes);
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof request.output)];
  iovec part = {request.text.data(), request.text.size()};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t count = recvmsg(socket, &message, 0);
  if (count == 0)
    _exit(0);
  cmsghdr *descriptors = CMSG_FIRSTHDR(&message);
  if (count < 0 || (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) ||
      !descriptors || descriptors->cmsg_type != SCM_RIGHTS)
    stop("fork server: request");
  request.text.resize(count);
  memcpy(request.output.data(), CMSG_DATA(descriptors), sizeof request.output);
  return request;
}

void answer(int socket, int32_t number) {
  if (send(socket, &number, sizeof number, 0) != sizeof number)
    stop("fork server: answer");
}

/// argv, as the kernel puts it on the stack.
std::vector<char *> makeArguments(std::vector<char> &text) {
  std::vector<char *> arguments;
  for (size_t at = 0; at < text.size(); at += strlen(&text[at]) + 1)
    arguments.push_back(&text[at]);
  arguments.push_back(nullptr);
  return arguments;
}

/// Whether fork_server.py has put it into the environment.
bool isOurs(const char *variable) {
  for (const char *name : {socketVariable, "LD_PRELOAD", "LD_BIND_NOW"})
    if (!strncmp(variable, name, strlen(name)) && variable[strlen(name)] == '=')
      return true;
  return false;
}

/// unsetenv, which some programs have their own of.
void removeOurs() {
  char **kept = environ;
  for (char **variable = environ; *variable; ++variable)
    if (!isOurs(*variable))
      *kept++ = *variable;
  *kept = nullptr;
}

/// Nothing goes on whose starter is gone.
void endWith(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(125);
}

/// Makes the child what a shell would have made it.
void becomeChild(int socket, Request &request) {
  close(socket);
  int input = open("/dev/null", O_RDONLY);
  if (input < 0 || dup2(input, STDIN_FILENO) < 0 ||
      dup2(request.output[0], STDOUT_FILENO) < 0 ||
      dup2(request.output[1], STDERR_FILENO) < 0)
    stop("fork server: descriptors");
  close(input);
  close(request.output[0]);
  close(request.output[1]);
  std::string folder = request.text.data();
  request.text.erase(request.text.begin(),
                     request.text.begin() + folder.size() + 1);
  if (chdir(folder.c_str()) != 0)
    stop("fork server: folder");
  removeOurs();
  // Never freed: orders of addresses are other ones in every run.
  [[maybe_unused]] static void *volatile gap;
  gap = malloc(std::random_device()() % (1 << 16) + 1);
}

/// Returns the request in a child of its own; the server never returns.
Request *serve(int socket) {
  pid_t server = getpid(), child = 0;
  while (true) {
    Request request = receive(socket);
    if (child > 0 && waitpid(child, nullptr, 0) != child)
      stop("fork server: reap");
    child = fork();
    if (child < 0)
      stop("fork server: fork");
    if (child == 0) {
      endWith(server);
      becomeChild(socket, request);
      return new Request(std::move(request)); // as long as the process lives
    }
    close(request.output[0]);
    close(request.output[1]);
    answer(socket, child);
    siginfo_t end = {};
    if (waitid(P_PID, child, &end, WEXITED | WNOWAIT) != 0)
      stop("fork server: wait");
    answer(socket, end.si_code == CLD_EXITED ? end.si_status : -end.si_status);
  }
}

using Main = int(int, char **, char **);
using Start = int(Main *, int, char **, void (*)(), void (*)(), void (*)(),
                  void *);

} // namespace

/// Where every program on glibc begins.
extern "C" int __libc_start_main(Main *main, int argc, char **argv,
                                 void (*initialize)(), void (*finish)(),
                                 void (*finishLinker)(), void *stackEnd) {
  auto *start =
      reinterpret_cast<Start *>(dlsym(RTLD_NEXT, "__libc_start_main"));
  if (const char *socket = getenv(socketVariable)) {
    prctl(PR_SET_PDEATHSIG, SIGKILL); // of the thread that started it
    Request *request = serve(atoi(socket));
    auto *arguments = new std::vector<char *>(makeArguments(request->text));
    argc = static_cast<int>(arguments->size()) - 1;
    argv = arguments->data();
  }
  return start(main, argc, argv, initialize, finish, finishLinker, stackEnd);
}
