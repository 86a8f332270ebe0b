#include "CArguments.h"

static int count;
static char **words;

// glibc and macOS pass argc and argv to every constructor.
__attribute__((constructor)) static void save_arguments(int argc, char **argv) {
    count = argc;
    words = argv;
}

int argument_count(void) { return count; }

const char *argument_at(int index) { return words[index]; }
