#include "CLibcurl.h"

#include <dlfcn.h>

// The functions of libcurl that this file calls.
static struct {
    __typeof__(&curl_global_init) global_init;
    __typeof__(&curl_version_info) version_info;
    __typeof__(&curl_easy_init) easy_init;
    __typeof__(&curl_easy_reset) easy_reset;
    __typeof__(&curl_easy_cleanup) easy_cleanup;
    __typeof__(&curl_easy_perform) easy_perform;
    __typeof__(&curl_easy_setopt) easy_setopt;
    __typeof__(&curl_easy_getinfo) easy_getinfo;
    __typeof__(&curl_slist_append) slist_append;
    __typeof__(&curl_slist_free_all) slist_free_all;
    __typeof__(&curl_url) url;
    __typeof__(&curl_url_set) url_set;
    __typeof__(&curl_url_get) url_get;
    __typeof__(&curl_url_cleanup) url_cleanup;
    __typeof__(&curl_free) free;
} curl;

static const struct {
    const char *name;
    void **place;
} functions[] = {
    {"curl_global_init", (void **)&curl.global_init},
    {"curl_version_info", (void **)&curl.version_info},
    {"curl_easy_init", (void **)&curl.easy_init},
    {"curl_easy_reset", (void **)&curl.easy_reset},
    {"curl_easy_cleanup", (void **)&curl.easy_cleanup},
    {"curl_easy_perform", (void **)&curl.easy_perform},
    {"curl_easy_setopt", (void **)&curl.easy_setopt},
    {"curl_easy_getinfo", (void **)&curl.easy_getinfo},
    {"curl_slist_append", (void **)&curl.slist_append},
    {"curl_slist_free_all", (void **)&curl.slist_free_all},
    {"curl_url", (void **)&curl.url},
    {"curl_url_set", (void **)&curl.url_set},
    {"curl_url_get", (void **)&curl.url_get},
    {"curl_url_cleanup", (void **)&curl.url_cleanup},
    {"curl_free", (void **)&curl.free},
};

const char *libcurl_load(const char *name) {
    // RTLD_LAZY: libcurl and its thirty dependencies have thousands of functions, and a request calls only a few
    // hundred.
    void *opened = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (opened == NULL) return dlerror();
    for (size_t index = 0; index < sizeof functions / sizeof functions[0]; index++) {
        *functions[index].place = dlsym(opened, functions[index].name);
        if (*functions[index].place == NULL) return dlerror();
    }
    return curl.global_init(CURL_GLOBAL_ALL) == CURLE_OK ? NULL : "it does not start";
}

const char *libcurl_version(void) { return curl.version_info(CURLVERSION_FIRST)->version; }

const char *libcurl_tls(void) { return curl.version_info(CURLVERSION_FIRST)->ssl_version; }

CURL *libcurl_easy_init(void) { return curl.easy_init(); }

void libcurl_easy_reset(CURL *easy) { curl.easy_reset(easy); }

void libcurl_easy_cleanup(CURL *easy) { curl.easy_cleanup(easy); }

CURLcode libcurl_easy_perform(CURL *easy) { return curl.easy_perform(easy); }

CURLcode libcurl_set_number(CURL *easy, CURLoption option, long value) {
    return curl.easy_setopt(easy, option, value);
}

CURLcode libcurl_set_size(CURL *easy, CURLoption option, curl_off_t value) {
    return curl.easy_setopt(easy, option, value);
}

CURLcode libcurl_set_text(CURL *easy, CURLoption option, const char *value) {
    return curl.easy_setopt(easy, option, value);
}

CURLcode libcurl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl.easy_setopt(easy, option, value);
}

CURLcode libcurl_set_receiver(CURL *easy, CURLoption option, curl_write_callback function) {
    return curl.easy_setopt(easy, option, function);
}

CURLcode libcurl_set_progress(CURL *easy, CURLoption option, curl_xferinfo_callback function) {
    return curl.easy_setopt(easy, option, function);
}

CURLcode libcurl_set_start(CURL *easy, CURLoption option, curl_prereq_callback function) {
    return curl.easy_setopt(easy, option, function);
}

long libcurl_get_number(CURL *easy, CURLINFO info) {
    long value = 0;
    return curl.easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

curl_socket_t libcurl_kept_socket(CURL *easy) {
    curl_socket_t kept = -1;
    return curl.easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &kept) == CURLE_OK ? kept : -1;
}

struct curl_slist *libcurl_list_append(struct curl_slist *list, const char *text) { return curl.slist_append(list, text); }

void libcurl_list_free(struct curl_slist *list) { curl.slist_free_all(list); }

CURLU *libcurl_url_parse(const char *text, unsigned int flags) {
    CURLU *url = curl.url();
    if (url != NULL && curl.url_set(url, CURLUPART_URL, text, flags) == CURLUE_OK) return url;
    curl.url_cleanup(url);
    return NULL;
}

char *libcurl_url_part(CURLU *url, CURLUPart part) {
    char *text = NULL;
    return curl.url_get(url, part, &text, 0) == CURLUE_OK ? text : NULL;
}

void libcurl_url_free(CURLU *url) { curl.url_cleanup(url); }

void libcurl_free(void *memory) { curl.free(memory); }
