#define _GNU_SOURCE
#include "CPseudoTerminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/syscall.h>
#endif

int open_pseudo_terminal(char *path, size_t capacity) {
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0) return -1;
    fcntl(master, F_SETFD, FD_CLOEXEC);
    // Not `ptsname`: all threads share its buffer, so it may contain the name of another thread's terminal.
    if (grantpt(master) == 0 && unlockpt(master) == 0 && ptsname_r(master, path, capacity) == 0) return master;
    close(master);
    return -1;
}

// Runs in the child, which may share the parent's memory. Call only functions that are safe between vfork and exec.
__attribute__((noinline, noreturn)) static void become(
    const char *path, char *const arguments[], char *const environment[], const char *folder, const int streams[3],
    const char *terminal, size_t memory) {
    for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setsid();
    if (terminal != NULL) {
        int descriptor = open(terminal, O_RDWR);
        if (descriptor < 0) _exit(124);
        ioctl(descriptor, TIOCSCTTY, 0);
        close(descriptor);
    }
    if (folder != NULL && chdir(folder) != 0) _exit(124);
    // Duplicate the streams to high numbers first, so that no stream overwrites another one at its final number.
    int moved[3];
    for (int index = 0; index < 3; index++) {
        moved[index] = streams[index] < 0 ? -1 : fcntl(streams[index], F_DUPFD_CLOEXEC, 10);
    }
    for (int index = 0; index < 3; index++) {
        if (moved[index] < 0) close(index);
        else dup2(moved[index], index);
    }
#ifdef __linux__
    // The program must not inherit a descriptor that another thread has just opened without O_CLOEXEC.
    syscall(SYS_close_range, 3, ~0U, 0);
#endif
    if (memory > 0) setrlimit(RLIMIT_DATA, &(struct rlimit){.rlim_cur = memory, .rlim_max = memory});
    execve(path, arguments, environment);
    _exit(125);
}

pid_t start_program(
    const char *path, char *const arguments[], char *const environment[], const char *folder, const int streams[3],
    const char *terminal, size_t memory) {
#ifdef __linux__
    // vfork, because the test process has hundreds of megabytes. Copying its page tables takes longer than running
    // most programs.
    pid_t process = vfork();
#else
    pid_t process = fork();
#endif
    if (process == 0) become(path, arguments, environment, folder, streams, terminal, memory);
    return process;
}

static long milliseconds_of(struct timeval time) { return time.tv_sec * 1000 + time.tv_usec / 1000; }

static int reap(pid_t process, int options, int *status, long *processor_time) {
    struct rusage usage;
    pid_t found;
    do {
        found = wait4(process, status, options, &usage);
    } while (found < 0 && errno == EINTR);
    if (found != process) return 0;
    *processor_time = milliseconds_of(usage.ru_utime) + milliseconds_of(usage.ru_stime);
    return 1;
}

int wait_for_program(pid_t process, int milliseconds, int *status, long *processor_time) {
#ifdef __linux__
    int descriptor = (int)syscall(SYS_pidfd_open, process, 0);
    if (descriptor < 0) return reap(process, 0, status, processor_time);
    struct pollfd waiting = {.fd = descriptor, .events = POLLIN};
    int count;
    do {
        count = poll(&waiting, 1, milliseconds);
    } while (count < 0 && errno == EINTR);
    close(descriptor);
    return count > 0 ? reap(process, 0, status, processor_time) : 0;
#else
    // wait4 has no timeout, so poll the process if there is a time limit.
    if (milliseconds < 0) return reap(process, 0, status, processor_time);
    for (int waited = 0; waited <= milliseconds; waited += 5) {
        if (reap(process, WNOHANG, status, processor_time)) return 1;
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    return 0;
#endif
}

int exit_code(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : -1; }

int ending_signal(int status) { return WIFSIGNALED(status) ? WTERMSIG(status) : 0; }

int holds_bytes(const void *all, size_t count, const void *part, size_t part_count) {
    return memmem(all, count, part, part_count) != NULL;
}
