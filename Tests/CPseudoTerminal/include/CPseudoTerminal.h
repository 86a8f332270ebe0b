#ifndef C_PSEUDO_TERMINAL_H
#define C_PSEUDO_TERMINAL_H

#include <stddef.h>
#include <sys/types.h>

// System functions that Swift cannot call: fork, pseudo terminals, the exit status macros, and memmem.

/// Opens the master side of a new pseudo terminal, and stores the path of the slave side in `path`.
///
/// Returns the descriptor of the master side, or -1.
int open_pseudo_terminal(char *path, size_t capacity);

/// Starts a program with exactly these arguments, variables, folder and standard streams, and default signal actions.
///
/// A stream of -1 is closed. The program leads a new session. `folder` is NULL for the caller's folder. `terminal` is
/// the path of the controlling terminal; NULL for none. `memory` limits the data size in bytes; 0 for no limit.
///
/// Returns the process id, or -1. The process exits with code 124 if it cannot open the terminal or enter the folder,
/// and with code 125 if it cannot execute the program.
pid_t start_program(
    const char *path, char *const arguments[], char *const environment[], const char *folder, const int streams[3],
    const char *terminal, size_t memory);

/// Waits for a child process to end. Returns 0 if it still runs after `milliseconds` (-1: no limit), or if the wait
/// fails. Otherwise returns 1, sets `status`, and sets `processor_time` to the milliseconds that the process and its
/// children used.
int wait_for_program(pid_t process, int milliseconds, int *status, long *processor_time);

/// The exit code in a status; -1 if a signal ended the process.
int exit_code(int status);

/// The signal in a status; 0 if the process exited.
int ending_signal(int status);

/// Whether the bytes `all` contain the bytes `part`.
int holds_bytes(const void *all, size_t count, const void *part, size_t part_count);

#endif
