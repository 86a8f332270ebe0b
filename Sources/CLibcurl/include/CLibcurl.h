#ifndef C_LIBCURL_H
#define C_LIBCURL_H

#include <stddef.h>
#include <stdint.h>

// libcurl, loaded when the first request is made: linking it would make every command start twelve times slower.
//
// The functions have libcurl's names with a `lib` prefix. They exist because libcurl's own are variadic, which Swift
// cannot call. The numbers are part of libcurl's ABI. They are repeated here so that the build needs no header.

/// Loads the library, a file name that the dynamic linker can find. NULL on success, else the linker's message.
///
/// Must be called by one thread, before any other function.
const char *libcurl_load(const char *name);

/// The version: "7.88.1".
const char *libcurl_version(void);

/// The TLS library: "OpenSSL/3.0.19".
const char *libcurl_tls(void);

typedef struct libcurl_list libcurl_list;

/// Takes or fills `bytes`, which has one * count bytes, and returns how many bytes it took or filled.
typedef size_t (*libcurl_receiver)(char *bytes, size_t one, size_t count, void *context);
/// The result of a CURLOPT_READFUNCTION that aborts the transfer.
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
    LIBCURL_PREREQFUNCTION = 20312,           // CURLOPT_PREREQFUNCTION, 7.80
    LIBCURL_PREREQDATA = 10313,               // CURLOPT_PREREQDATA, 7.80
    LIBCURL_NOPROGRESS = 43,                  // CURLOPT_NOPROGRESS
    LIBCURL_XFERINFOFUNCTION = 20219,         // CURLOPT_XFERINFOFUNCTION
    LIBCURL_XFERINFODATA = 10057,             // CURLOPT_XFERINFODATA
    LIBCURL_MAXFILESIZE_LARGE = 30117,        // CURLOPT_MAXFILESIZE_LARGE
    LIBCURL_TIMEOUT_MS = 155,                 // CURLOPT_TIMEOUT_MS
    LIBCURL_CONNECTTIMEOUT_MS = 156,          // CURLOPT_CONNECTTIMEOUT_MS
    LIBCURL_QUICK_EXIT = 322,                 // CURLOPT_QUICK_EXIT, 7.87
    LIBCURL_NOSIGNAL = 99,                    // CURLOPT_NOSIGNAL
    LIBCURL_FRESH_CONNECT = 74,               // CURLOPT_FRESH_CONNECT
    LIBCURL_MAXCONNECTS = 71,                 // CURLOPT_MAXCONNECTS
    LIBCURL_FOLLOWLOCATION = 52,              // CURLOPT_FOLLOWLOCATION
    LIBCURL_NETRC = 51,                       // CURLOPT_NETRC
    LIBCURL_HTTP09_ALLOWED = 285,             // CURLOPT_HTTP09_ALLOWED
    LIBCURL_PATH_AS_IS = 234,                 // CURLOPT_PATH_AS_IS
    LIBCURL_PROTOCOLS_STR = 10318,            // CURLOPT_PROTOCOLS_STR, 7.85
    LIBCURL_SSLVERSION = 32,                  // CURLOPT_SSLVERSION
    LIBCURL_SSL_VERIFYPEER = 64,              // CURLOPT_SSL_VERIFYPEER
    LIBCURL_SSL_VERIFYHOST = 81,              // CURLOPT_SSL_VERIFYHOST
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

/// NULL if memory is exhausted.
void *libcurl_easy_init(void);
void libcurl_easy_reset(void *easy);
void libcurl_easy_cleanup(void *easy);
int libcurl_easy_perform(void *easy);

// Each returns a CURLcode.
int libcurl_set_number(void *easy, libcurl_option option, long value);
int libcurl_set_size(void *easy, libcurl_option option, int64_t value);
int libcurl_set_text(void *easy, libcurl_option option, const char *value);
int libcurl_set_pointer(void *easy, libcurl_option option, void *value);
int libcurl_set_receiver(void *easy, libcurl_option option, libcurl_receiver function);
int libcurl_set_progress(void *easy, libcurl_option option, libcurl_progress function);
int libcurl_set_start(void *easy, libcurl_option option, libcurl_start function);

/// A number about the last transfer; 0 if it is not available.
long libcurl_get_number(void *easy, libcurl_info info);

/// With OpenSSL: records the names in certificates and the server's close_notify for the TLS connection that is made
/// after `contextsBefore` other ones. Returns a CURLcode.
int libcurl_set_up_openssl(void *easy, int contextsBefore);

/// The subject and issuer of the certificate that this thread's last transfer verified last, as OpenSSL writes them in
/// one line of ASCII: "/CN=example.org". Empty if none was recorded.
const char *libcurl_certificate(const char **issuer);
/// The depth of that certificate in the chain: 0 is the server's own.
int libcurl_certificate_depth(void);

/// Whether this thread's last transfer ended with a TLS close_notify, which an attacker cannot forge. Also 1 if
/// OpenSSL cannot report it.
int libcurl_received_close_notify(void);

/// The socket of the connection that the last transfer left open; -1 if there is none.
int libcurl_kept_socket(void *easy);

/// Returns the list with one more text, or NULL if memory is exhausted; then the old list is unchanged.
libcurl_list *libcurl_list_append(libcurl_list *list, const char *text);
void libcurl_list_free(libcurl_list *list);

/// Parses a URL. NULL if the text is not a URL.
void *libcurl_url_parse(const char *text, libcurl_reading reading);
/// Returns the part as written, to be freed with `libcurl_free`; NULL if the URL has no such part.
char *libcurl_url_part(void *url, libcurl_part part);
void libcurl_url_free(void *url);
void libcurl_free(void *memory);

#endif
