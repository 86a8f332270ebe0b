#ifndef C_ARGUMENTS_H
#define C_ARGUMENTS_H

// The arguments of the process. Swift reads them from /proc/self/cmdline. If /proc is not mounted, Swift returns none,
// so every command line would seem to be empty.

/// The number of arguments, including the program's name.
int argument_count(void);

/// The argument at `index`; the program's name is at 0.
const char *argument_at(int index);

#endif
