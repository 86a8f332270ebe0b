#ifndef C_ARGUMENTS_H
#define C_ARGUMENTS_H

// The arguments of the process. On Linux, Swift's CommandLine reads them from /proc/self/cmdline, which does not exist
// if /proc is not mounted.

/// The number of arguments, including the program's name.
int argument_count(void);

/// The argument at `index`. Index 0 is the program's name.
const char *argument_at(int index);

#endif
