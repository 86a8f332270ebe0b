#ifndef C_LIBCURL_H
#define C_LIBCURL_H

#include <stddef.h>
#include <stdint.h>

// libcurl, loaded at its first use. If it were linked, every command would take twelve times as long to start.
//
// These functions wrap libcurl's own functions, because Swift cannot call variadic ones such as curl_easy_setopt. The
// numbers of the constants are part of libcurl's ABI. Their copies in this file make libcurl's headers unnecessary.

/// Loads the library from a file that the dynamic linker can find. Returns NULL on success, else an error message.
///
/// Must be called by one thread, before any other function in this file.
const char *libcurl_load(const char *name);

/// The version of libcurl, such as "7.88.1".
const char *libcurl_version(void);

/// The name and version of the TLS library, such as "OpenSSL/3.0.19"; NULL if libcurl has none.
const char *libcurl_tls(void);

typedef struct libcurl_list libcurl_list;

/// Reads from or writes to `bytes`, a buffer of `one * count` bytes. Returns how many bytes it read or wrote. If a
/// CURLOPT_WRITEFUNCTION or CURLOPT_HEADERFUNCTION does not return `one * count`, libcurl aborts the transfer.
typedef size_t (*libcurl_receiver)(char *bytes, size_t one, size_t count, void *context);
/// The result with which a CURLOPT_READFUNCTION aborts the transfer.
enum { LIBCURL_ABORT = 0x10000000 };  // CURL_READFUNC_ABORT
typedef int (*libcurl_start)(void *context, char *address, char *local, int port, int localPort);

typedef int (*libcurl_progress)(void *context, int64_t toCome, int64_t came, int64_t toGo, int64_t went);

typedef enum libcurl_option {
    LIBCURL_ERRORBUFFER = 10010,              // CURLOPT_ERRORBUFFER
    LIBCURL_URL = 10002,                      // CURLOPT_URL
    LIBCURL_PROXY = 10004,                    // CURLOPT_PROXY
    LIBCURL_NOPROXY = 10177,                  // CURLOPT_NOPROXY
    LIBCURL_HTTPPROXYTUNNEL = 61,             // CURLOPT_HTTPPROXYTUNNEL
    LIBCURL_SUPPRESS_CONNECT_HEADERS = 265,   // CURLOPT_SUPPRESS_CONNECT_HEADERS
    LIBCURL_HEADEROPT = 229,                  // CURLOPT_HEADEROPT
    LIBCURL_HTTPHEADER = 10023,               // CURLOPT_HTTPHEADER
    LIBCURL_USERAGENT = 10018,                // CURLOPT_USERAGENT
    LIBCURL_ACCEPT_ENCODING = 10102,          // CURLOPT_ACCEPT_ENCODING
    LIBCURL_HTTP_VERSION = 84,                // CURLOPT_HTTP_VERSION
    LIBCURL_CUSTOMREQUEST = 10036,            // CURLOPT_CUSTOMREQUEST
    LIBCURL_NOBODY = 44,                      // CURLOPT_NOBODY
    LIBCURL_COPYPOSTFIELDS = 10165,           // CURLOPT_COPYPOSTFIELDS
    LIBCURL_UPLOAD = 46,                      // CURLOPT_UPLOAD
    LIBCURL_INFILESIZE_LARGE = 30115,         // CURLOPT_INFILESIZE_LARGE
    LIBCURL_READFUNCTION = 20012,             // CURLOPT_READFUNCTION
    LIBCURL_READDATA = 10009,                 // CURLOPT_READDATA
    LIBCURL_POSTFIELDSIZE_LARGE = 30120,      // CURLOPT_POSTFIELDSIZE_LARGE
    LIBCURL_WRITEFUNCTION = 20011,            // CURLOPT_WRITEFUNCTION
    LIBCURL_WRITEDATA = 10001,                // CURLOPT_WRITEDATA
    LIBCURL_HEADERFUNCTION = 20079,           // CURLOPT_HEADERFUNCTION
    LIBCURL_HEADERDATA = 10029,               // CURLOPT_HEADERDATA
    LIBCURL_PREREQFUNCTION = 20312,           // CURLOPT_PREREQFUNCTION, since libcurl 7.80
    LIBCURL_PREREQDATA = 10313,               // CURLOPT_PREREQDATA, since libcurl 7.80
    LIBCURL_NOPROGRESS = 43,                  // CURLOPT_NOPROGRESS
    LIBCURL_XFERINFOFUNCTION = 20219,         // CURLOPT_XFERINFOFUNCTION
    LIBCURL_XFERINFODATA = 10057,             // CURLOPT_XFERINFODATA
    LIBCURL_MAXFILESIZE_LARGE = 30117,        // CURLOPT_MAXFILESIZE_LARGE
    LIBCURL_TIMEOUT_MS = 155,                 // CURLOPT_TIMEOUT_MS
    LIBCURL_CONNECTTIMEOUT_MS = 156,          // CURLOPT_CONNECTTIMEOUT_MS
    LIBCURL_QUICK_EXIT = 322,                 // CURLOPT_QUICK_EXIT, since libcurl 7.87
    LIBCURL_NOSIGNAL = 99,                    // CURLOPT_NOSIGNAL
    LIBCURL_FRESH_CONNECT = 74,               // CURLOPT_FRESH_CONNECT
    LIBCURL_MAXCONNECTS = 71,                 // CURLOPT_MAXCONNECTS
    LIBCURL_FOLLOWLOCATION = 52,              // CURLOPT_FOLLOWLOCATION
    LIBCURL_NETRC = 51,                       // CURLOPT_NETRC
    LIBCURL_HTTP09_ALLOWED = 285,             // CURLOPT_HTTP09_ALLOWED
    LIBCURL_PATH_AS_IS = 234,                 // CURLOPT_PATH_AS_IS
    LIBCURL_PROTOCOLS_STR = 10318,            // CURLOPT_PROTOCOLS_STR, since libcurl 7.85
    LIBCURL_SSLVERSION = 32,                  // CURLOPT_SSLVERSION
    LIBCURL_SSL_VERIFYPEER = 64,              // CURLOPT_SSL_VERIFYPEER
    LIBCURL_SSL_VERIFYHOST = 81,              // CURLOPT_SSL_VERIFYHOST
    LIBCURL_SSL_CTX_FUNCTION = 20108,         // CURLOPT_SSL_CTX_FUNCTION
    LIBCURL_CAINFO = 10065,                   // CURLOPT_CAINFO
    LIBCURL_CAPATH = 10097,                   // CURLOPT_CAPATH
    LIBCURL_PROXY_SSLVERSION = 250,           // CURLOPT_PROXY_SSLVERSION
    LIBCURL_PROXY_CAINFO = 10246,             // CURLOPT_PROXY_CAINFO
    LIBCURL_PROXY_CAPATH = 10247,             // CURLOPT_PROXY_CAPATH
} libcurl_option;

typedef enum libcurl_info {
    LIBCURL_SSL_VERIFYRESULT = 0x20000D,      // CURLINFO_SSL_VERIFYRESULT
    LIBCURL_HTTP_CONNECTCODE = 0x200016,      // CURLINFO_HTTP_CONNECTCODE
    LIBCURL_OS_ERRNO = 0x200019,              // CURLINFO_OS_ERRNO
    LIBCURL_PROXY_SSL_VERIFYRESULT = 0x20002F,  // CURLINFO_PROXY_SSL_VERIFYRESULT
} libcurl_info;

/// A part of a URL.
typedef enum libcurl_part {
    LIBCURL_PART_SCHEME = 1,                  // CURLUPART_SCHEME
    LIBCURL_PART_USER = 2,                    // CURLUPART_USER
    LIBCURL_PART_HOST = 5,                    // CURLUPART_HOST
    LIBCURL_PART_PORT = 6,                    // CURLUPART_PORT
} libcurl_part;

/// How to parse a URL.
typedef enum libcurl_reading {
    LIBCURL_ABSOLUTE_ONLY = 0,
    LIBCURL_GUESS_SCHEME = 1 << 9,  // CURLU_GUESS_SCHEME
} libcurl_reading;

/// Returns NULL if no memory is available.
void *libcurl_easy_init(void);
void libcurl_easy_reset(void *easy);
void libcurl_easy_cleanup(void *easy);
int libcurl_easy_perform(void *easy);

// Each of these functions returns a CURLcode.
int libcurl_set_number(void *easy, libcurl_option option, long value);
int libcurl_set_size(void *easy, libcurl_option option, int64_t value);
int libcurl_set_text(void *easy, libcurl_option option, const char *value);
int libcurl_set_pointer(void *easy, libcurl_option option, void *value);
int libcurl_set_receiver(void *easy, libcurl_option option, libcurl_receiver function);
int libcurl_set_progress(void *easy, libcurl_option option, libcurl_progress function);
int libcurl_set_start(void *easy, libcurl_option option, libcurl_start function);

/// Returns a number about the last transfer; 0 if it is not available.
long libcurl_get_number(void *easy, libcurl_info info);

/// Makes OpenSSL record the last checked certificate and the server's close_notify. `contextsBefore` is the number of
/// TLS connections before the one to the server: 1 if there is a TLS proxy, else 0. Returns a CURLcode, or 0 if the
/// functions of OpenSSL are not available.
int libcurl_set_up_openssl(void *easy, int contextsBefore);

/// Returns the subject and sets the issuer of the last certificate that OpenSSL checked in this thread's last transfer.
/// Both are in OpenSSL's one-line ASCII format: "/CN=example.org". Both are empty if no certificate was recorded.
const char *libcurl_certificate(const char **issuer);
/// The depth of the last checked certificate in the chain. The server's own certificate has depth 0.
int libcurl_certificate_depth(void);

/// Returns 1 if this thread's last transfer ended with a TLS close_notify, which an attacker cannot forge, else 0. Also
/// returns 1 if the functions of OpenSSL are not available to record the close_notify.
int libcurl_received_close_notify(void);

/// Returns the socket of the connection that the last transfer left open; -1 if there is none.
int libcurl_kept_socket(void *easy);

/// Appends a string, and returns the new start of the list. If no memory is available, returns NULL and keeps the list.
libcurl_list *libcurl_list_append(libcurl_list *list, const char *text);
void libcurl_list_free(libcurl_list *list);

/// Parses a URL. Returns NULL if `text` is not a URL, or if no memory is available.
void *libcurl_url_parse(const char *text, libcurl_reading reading);
/// Returns a part, or NULL if the URL lacks it. libcurl has lowercased the scheme, percent-decoded the host, and
/// normalized an IPv4 address. The caller must free the result with `libcurl_free`.
char *libcurl_url_part(void *url, libcurl_part part);
void libcurl_url_free(void *url);
void libcurl_free(void *memory);

#endif
