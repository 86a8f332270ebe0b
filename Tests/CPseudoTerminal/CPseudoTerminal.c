#define _GNU_SOURCE
#include "CPseudoTerminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
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
    const char *name = grantpt(master) == 0 && unlockpt(master) == 0 ? ptsname(master) : NULL;
    if (name == NULL || strlen(name) >= capacity) {
        close(master);
        return -1;
    }
    strcpy(path, name);
    return master;
}

// In the child: only what may be called between fork and exec.
static void become(
    const char *path, char *const arguments[], char *const environment[], const char *folder, const int streams[3],
    const char *terminal) {
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
    // First out of the way of each other, then into their places.
    int moved[3];
    for (int index = 0; index < 3; index++) {
        moved[index] = streams[index] < 0 ? -1 : fcntl(streams[index], F_DUPFD_CLOEXEC, 10);
    }
    for (int index = 0; index < 3; index++) {
        if (moved[index] < 0) close(index);
        else dup2(moved[index], index);
    }
    execve(path, arguments, environment);
    _exit(125);
}

pid_t start_program(
    const char *path, char *const arguments[], char *const environment[], const char *folder, const int streams[3],
    const char *terminal) {
    pid_t process = fork();
    if (process == 0) become(path, arguments, environment, folder, streams, terminal);
    return process;
}

static int wait_without_end(pid_t process, int *status) {
    while (waitpid(process, status, 0) < 0) {
        if (errno != EINTR) return 0;
    }
    return 1;
}

int wait_for_program(pid_t process, int milliseconds, int *status) {
#ifdef __linux__
    int descriptor = (int)syscall(SYS_pidfd_open, process, 0);
    if (descriptor < 0) return wait_without_end(process, status);
    struct pollfd waiting = {.fd = descriptor, .events = POLLIN};
    int count;
    do {
        count = poll(&waiting, 1, milliseconds);
    } while (count < 0 && errno == EINTR);
    close(descriptor);
    return count > 0 ? wait_without_end(process, status) : 0;
#else
    for (int waited = 0; waited <= milliseconds; waited += 5) {
        if (waitpid(process, status, WNOHANG) == process) return 1;
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    return 0;
#endif
}

int exit_code(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : -1; }

int ending_signal(int status) { return WIFSIGNALED(status) ? WTERMSIG(status) : 0; }
