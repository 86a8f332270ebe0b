// A library to preload into authctl. Its `poll` reports POLLNVAL for terminals, like `poll` on macOS.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <unistd.h>

int poll(struct pollfd *descriptors, nfds_t count, int timeout) {
    int invalid = 0;
    for (nfds_t index = 0; index < count; index++) {
        descriptors[index].revents = 0;
        if (descriptors[index].fd >= 0 && isatty(descriptors[index].fd)) {
            descriptors[index].revents = POLLNVAL;
            invalid++;
        }
    }
    if (invalid > 0) return invalid;
    int (*original)(struct pollfd *, nfds_t, int) = dlsym(RTLD_NEXT, "poll");
    return original(descriptors, count, timeout);
}
