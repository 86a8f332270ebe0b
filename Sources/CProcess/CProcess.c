#define _GNU_SOURCE
#include "CProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <malloc.h>
#include <sched.h>
#include <sys/prctl.h>
#else
#include <malloc/malloc.h>
#endif

/// The process id of the running command; 0 if there is none.
static _Atomic pid_t command;
/// The signals that have arrived but have not been passed on to the command yet.
static atomic_bool waiting[NSIG];
/// The signal mask that this process inherited. It is set by the first call of `unblock_signals`.
static sigset_t callers_mask;
static bool knows_callers_mask;

// MARK: - Signals

/// Whether the kernel, not a process, sent the signal: for example, for Ctrl-C in a terminal.
static int is_from_kernel(const siginfo_t *info) {
#ifdef __linux__
    return info->si_code > 0;
#else
    return info->si_pid == 0;
#endif
}

static void pass_waiting_signals(void) {
    pid_t target = command;
    if (target == 0) return;
    for (int number = 1; number < NSIG; number++) {
        if (atomic_exchange(&waiting[number], false)) kill(target, number);
    }
}

static void handle(int signal, siginfo_t *info, void *context) {
    (void)context;
    int saved = errno;
    if (command == 0 || !is_from_kernel(info)) {
        waiting[signal] = true;
        pass_waiting_signals();
    }
    errno = saved;
}

void pass_signals_on(const int signals[], int count) {
    for (int index = 0; index < count; index++) {
        struct sigaction action;
        if (sigaction(signals[index], NULL, &action) != 0 || action.sa_handler == SIG_IGN) continue;
        action.sa_sigaction = handle;
        action.sa_flags = SA_SIGINFO | SA_RESTART;
        sigfillset(&action.sa_mask);
        sigaction(signals[index], &action, NULL);
    }
    unblock_signals(signals, count);
}

void unblock_signals(const int signals[], int count) {
    if (!knows_callers_mask) pthread_sigmask(SIG_SETMASK, NULL, &callers_mask);
    knows_callers_mask = true;
    sigset_t set;
    sigemptyset(&set);
    for (int index = 0; index < count; index++) sigaddset(&set, signals[index]);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

// MARK: - Starting

/// Resets all signal handlers to the default action, and sets the signal mask. Ignored signals stay ignored.
static void restore_signals(const sigset_t *mask) {
    for (int number = 1; number < NSIG; number++) {
        struct sigaction action;
        if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_IGN) signal(number, SIG_DFL);
    }
    sigprocmask(SIG_SETMASK, mask, NULL);
}

/// Replaces the child process by the command. Must neither allocate memory nor take a lock, because another thread may
/// have held that lock during the fork.
static void become(char *const arguments[], const sigset_t *mask, pid_t parent, int report) {
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
    // The parent may have died before prctl was called.
    if (getppid() != parent) _exit(1);
    restore_signals(mask);
    execvp(arguments[0], arguments);
    int failure = errno;
    while (write(report, &failure, sizeof failure) < 0 && errno == EINTR) {}
    _exit(127);
}

/// Returns 0 as soon as exec closes the pipe, or the error number that the child wrote to it.
static int failure_of(int report) {
    int failure = 0;
    ssize_t count;
    do {
        count = read(report, &failure, sizeof failure);
    } while (count < 0 && errno == EINTR);
    return count == (ssize_t)sizeof failure ? failure : 0;
}

pid_t start_command(char *const arguments[], int *failure) {
    int report[2];
    if (pipe(report) != 0) {
        *failure = errno;
        return -1;
    }
    for (int end = 0; end < 2; end++) fcntl(report[end], F_SETFD, FD_CLOEXEC);
    sigset_t all, mask;
    sigfillset(&all);
    // Block all signals, because a signal between fork and exec would run this process's handlers in the child.
    pthread_sigmask(SIG_SETMASK, &all, &mask);
    pid_t parent = getpid();
    pid_t child = fork();
    if (child == 0) become(arguments, knows_callers_mask ? &callers_mask : &mask, parent, report[1]);
    *failure = child < 0 ? errno : 0;
    close(report[1]);
    if (child > 0) {
        *failure = failure_of(report[0]);
        if (*failure == 0) command = child;
        else while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    }
    close(report[0]);
    pass_waiting_signals();
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    return *failure == 0 ? child : -1;
}

// MARK: - The end

int command_has_ended(int *status) {
    // Clears `command` before the process is reaped, so that no signal reaches a new process with the same id.
    siginfo_t info = {0};
    if (command == 0 || waitid(P_PID, (id_t)command, &info, WEXITED | WNOHANG | WNOWAIT) != 0) return 0;
    if (info.si_pid == 0) return 0;
    pid_t ended = command;
    command = 0;
    while (waitpid(ended, status, 0) < 0 && errno == EINTR) {}
    return 1;
}

void end_command(void) {
    pid_t target = command;
    if (target == 0) return;
    kill(target, SIGTERM);
    siginfo_t info;
    while (waitid(P_PID, (id_t)target, &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {}
    int status;
    command_has_ended(&status);
}

int exit_code_of(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

// MARK: - This process

int usable_processors(void) {
#ifdef __linux__
    cpu_set_t processors;
    // The call fails if the machine has more than 1,024 processors, the size of `cpu_set_t`.
    if (sched_getaffinity(0, sizeof processors, &processors) == 0) return CPU_COUNT(&processors);
#endif
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (int)count : 1;
}

// MARK: - Memory

void deny_memory_access(void) {
#ifdef __linux__
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
}

void share_memory_arena(void) {
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, 1);
#endif
}

void return_freed_memory(void) {
#ifdef __linux__
    malloc_trim(0);
#else
    malloc_zone_pressure_relief(NULL, 0);
#endif
}
