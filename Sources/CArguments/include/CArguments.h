#ifndef C_ARGUMENTS_H
#define C_ARGUMENTS_H

// The words that the process was started with. Swift reads them from /proc/self/cmdline, and without that has none: then
// every command line would seem to be empty.

/// How many there are, the program's own name among them.
int argument_count(void);

/// One of them, the program's name being the first, at 0.
const char *argument_at(int index);

#endif
