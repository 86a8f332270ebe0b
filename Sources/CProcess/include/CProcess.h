#ifndef C_PROCESS_H
#define C_PROCESS_H

#include <sys/types.h>

// A command that runs while this process lives. Swift cannot call fork, and posix_spawn cannot set the signal that
// Linux sends to a process when its parent has died.

/// Starts a command, searched for in PATH if its name has no slash. It inherits the environment, the descriptors that
/// stay open on exec, the process group, and the signals that are ignored. On Linux it gets SIGTERM if the calling
/// thread ends before it.
///
/// The signals that `pass_signals_on` names are then passed on to it, including those that arrived before.
///
/// - Returns: its process id, or -1 if it could not be started; then `*failure` is the error number.
pid_t start_command(char *const arguments[], int *failure);

/// Passes these signals on to the command instead of taking their action, except those that are ignored. A signal that
/// the terminal sent is not passed on, because the terminal sends it to the command, too. Unblocks the signals.
void pass_signals_on(const int signals[], int count);

/// Unblocks signals in this thread; a parent process may have blocked them. Commands get the mask that this process had
/// before the first call.
void unblock_signals(const int signals[], int count);

/// Whether the command has ended. Then no signal is passed on, and `*status` is the status that `wait` returns.
int command_has_ended(int *status);

/// Asks the command to end (SIGTERM), and waits until it has ended.
void end_command(void);

/// The exit code that shells report: 128 + signal if a signal ended the command.
int exit_code_of(int status);

// This process. Swift can call neither prctl, which has variable arguments, nor the macros for sets of processors.

/// The number of processors that this process may use; at least 1.
int usable_processors(void);

/// Linux: other processes of the same user can neither read the memory of this one nor attach to it, and it leaves no
/// core file. Commands that it starts are not affected. Elsewhere this does nothing.
void deny_memory_access(void);

/// Makes all threads allocate from one arena (glibc), which cuts memory use to a third. Call it before threads start.
void share_memory_arena(void);

/// Returns the pages that contain no allocated memory to the system.
void return_freed_memory(void);

#endif
