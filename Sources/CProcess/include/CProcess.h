#ifndef C_PROCESS_H
#define C_PROCESS_H

#include <sys/types.h>

// Functions for a child process. Swift cannot call fork, and posix_spawn cannot set the signal that Linux sends to a
// process when its parent dies.

/// Starts a command. A name without a slash is searched for in PATH. The command inherits the environment, descriptors
/// without FD_CLOEXEC, the process group, and ignored signals. On Linux, the command gets SIGTERM if the calling thread
/// ends first.
///
/// The signals of `pass_signals_on` are then passed on to the command, including those that arrived before the start.
///
/// - Returns: the process id. If the command cannot be started, returns -1 and sets `*failure` to the error number.
pid_t start_command(char *const arguments[], int *failure);

/// Unblocks signals, and passes them on to the command instead of acting on them. Ignored signals stay ignored. While
/// the command runs, signals from the terminal are not passed on, because the terminal also sends them to the command.
void pass_signals_on(const int signals[], int count);

/// Unblocks signals in this thread, because a parent process may have blocked them. A command starts with the signal
/// mask that was in force before the first call.
void unblock_signals(const int signals[], int count);

/// Returns 0 if the command is running, or if its end was already reported. Otherwise, returns 1 and sets `*status` to
/// the wait status. After that, no signal is passed on.
int command_has_ended(int *status);

/// Sends SIGTERM to the command, and waits until it has ended.
void end_command(void);

/// The exit code as shells report it: 128 + signal if a signal ended the command.
int exit_code_of(int status);

// Functions for this process. Swift cannot call prctl, which is variadic, or the CPU_SET macros.

/// The number of processors that this process may use; at least 1.
int usable_processors(void);

/// On Linux, prevents other processes of the same user from reading this process's memory or attaching to it, and
/// prevents core dumps. Started commands are not affected. On other systems, this does nothing.
void deny_memory_access(void);

/// Makes all threads use one glibc arena, which reduces memory use to a third. Must be called before threads start.
void share_memory_arena(void);

/// Returns unused memory pages to the system.
void return_freed_memory(void);

#endif
