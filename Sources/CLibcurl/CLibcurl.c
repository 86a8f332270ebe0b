#include "CLibcurl.h"

#include <dlfcn.h>
static void *library;

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
    library = opened;
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

// The functions of OpenSSL, declared with `void` for its types. If libcurl uses OpenSSL, the dynamic linker loads it
// together with libcurl.
static struct {
    void (*set_verify)(void *context, int mode, int (*callback)(int, void *));  // SSL_CTX_set_verify
    void *(*current)(void *chain);                                            // X509_STORE_CTX_get_current_cert
    void *(*subject)(const void *certificate);                                // X509_get_subject_name
    void *(*issuer)(const void *certificate);                                 // X509_get_issuer_name
    char *(*line)(const void *name, char *text, int size);                    // X509_NAME_oneline
    int (*depth)(const void *chain);                                          // X509_STORE_CTX_get_error_depth
    void (*set_info)(void *context, void (*callback)(const void *, int, int));  // SSL_CTX_set_info_callback
} openssl;

// The last certificate that OpenSSL checked. Per thread, because a thread performs one transfer at a time.
static _Thread_local struct {
    char subject[200];
    char issuer[200];
    int depth;
} certificate;

// Whether the server sent close_notify, and how many TLS contexts libcurl creates before the one for the server. Per
// thread, because a thread performs one transfer at a time.
static _Thread_local struct {
    int contextsBefore;
    int receivedCloseNotify;
} end;

// OpenSSL calls this for each certificate in the chain until one is invalid. The server's own certificate comes last.
static int note_certificate(int isGood, void *chain) {
    const void *current = openssl.current(chain);
    certificate.depth = openssl.depth(chain);
    if (current != NULL) {
        openssl.line(openssl.subject(current), certificate.subject, sizeof certificate.subject);
        openssl.line(openssl.issuer(current), certificate.issuer, sizeof certificate.issuer);
    }
    return isGood;
}

static void note_alert(const void *connection, int event, int alert) {
    (void)connection;
    const int readAlert = 0x4004;  // SSL_CB_READ_ALERT
    const int closeNotify = 0;     // SSL_AD_CLOSE_NOTIFY
    // The high byte of `alert` is the alert level, which TLS 1.3 ignores (RFC 8446, section 6).
    if (event == readAlert && (alert & 0xFF) == closeNotify) end.receivedCloseNotify = 1;
}

static CURLcode set_up(CURL *easy, void *context, void *unused) {
    (void)easy, (void)unused;
    // If there is a TLS proxy, libcurl creates the context for the proxy first.
    if (end.contextsBefore-- <= 0) openssl.set_info(context, note_alert);
    const int verifyPeer = 1;  // SSL_VERIFY_PEER, the mode that libcurl has set
    openssl.set_verify(context, verifyPeer, note_certificate);
    return CURLE_OK;
}

CURLcode libcurl_set_up_openssl(CURL *easy, int contextsBefore) {
    end.contextsBefore = contextsBefore;
    end.receivedCloseNotify = 1;
    certificate.subject[0] = certificate.issuer[0] = 0;
    *(void **)&openssl.set_verify = dlsym(library, "SSL_CTX_set_verify");
    *(void **)&openssl.current = dlsym(library, "X509_STORE_CTX_get_current_cert");
    *(void **)&openssl.subject = dlsym(library, "X509_get_subject_name");
    *(void **)&openssl.issuer = dlsym(library, "X509_get_issuer_name");
    *(void **)&openssl.line = dlsym(library, "X509_NAME_oneline");
    *(void **)&openssl.depth = dlsym(library, "X509_STORE_CTX_get_error_depth");
    *(void **)&openssl.set_info = dlsym(library, "SSL_CTX_set_info_callback");
    if (!openssl.set_verify || !openssl.current || !openssl.subject || !openssl.issuer || !openssl.line) return CURLE_OK;
    if (!openssl.depth || !openssl.set_info) return CURLE_OK;
    end.receivedCloseNotify = 0;
    return curl.easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, set_up);
}

const char *libcurl_certificate(const char **issuer) {
    *issuer = certificate.issuer;
    return certificate.subject;
}

int libcurl_certificate_depth(void) { return certificate.depth; }

int libcurl_received_close_notify(void) { return end.receivedCloseNotify; }

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
