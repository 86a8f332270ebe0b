#ifndef C_ARGUMENTS_H
#define C_ARGUMENTS_H

// The arguments of the process. On Linux, Swift reads them from /proc/self/cmdline. If /proc were not mounted, all
// command lines would seem to be empty.

/// The number of arguments, including the program's name.
int argument_count(void);

/// The argument at `index`. Index 0 is the program's name.
const char *argument_at(int index);

#endif
