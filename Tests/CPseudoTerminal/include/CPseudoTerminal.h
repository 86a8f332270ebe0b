#ifndef C_PSEUDO_TERMINAL_H
#define C_PSEUDO_TERMINAL_H

#include <stddef.h>
#include <sys/types.h>

// System functions that Swift cannot call: starting a program in a separate session, pseudo terminals, the macros that
// read how a process ended, and a quick search.

/// Opens the master side of a new pseudo terminal, and copies the path of the slave side.
///
/// Returns the descriptor, or -1.
int open_pseudo_terminal(char *path, size_t capacity);

/// Starts a program with exactly these arguments, variables, folder and standard streams, and default signal actions.
///
/// A stream of -1 is closed. The program leads a new session. `terminal` is the path of its controlling terminal; NULL:
/// none. `memory` limits its data size in bytes; 0: no limit. Returns the process id, or -1.
pid_t start_program(
    const char *path, char *const arguments[], char *const environment[], const char *folder, const int streams[3],
    const char *terminal, size_t memory);

/// Waits for a process to end. Returns 1, its status and the milliseconds of processor time that it and its children
/// took; 0 if it still runs after that many milliseconds.
int wait_for_program(pid_t process, int milliseconds, int *status, long *processor_time);

/// The exit code in a status; -1 for a process that a signal ended.
int exit_code(int status);

/// The signal in a status; 0 for a process that exited.
int ending_signal(int status);

/// Whether the first bytes contain the second ones anywhere.
int holds_bytes(const void *all, size_t count, const void *part, size_t part_count);

#endif
