#ifndef C_LIBCURL_H
#define C_LIBCURL_H

#include <curl/curl.h>

// libcurl, loaded at its first use. If it were linked, every command would take twelve times as long to start.
//
// These functions wrap libcurl's own functions, which are not linked and of which some are variadic, as
// curl_easy_setopt is: Swift cannot call those.

/// Loads the library from a file that the dynamic linker can find. Returns NULL on success, else an error message.
///
/// Must be called by one thread, before any other function in this file.
const char *libcurl_load(const char *name);

/// The version of libcurl, such as "7.88.1".
const char *libcurl_version(void);

/// The name and version of the TLS library, such as "OpenSSL/3.0.19"; NULL if libcurl has none.
const char *libcurl_tls(void);

/// Returns NULL if no memory is available.
CURL *libcurl_easy_init(void);
void libcurl_easy_reset(CURL *easy);
void libcurl_easy_cleanup(CURL *easy);
CURLcode libcurl_easy_perform(CURL *easy);

// A WRITEFUNCTION or HEADERFUNCTION that does not return `one * count` makes libcurl abort the transfer.
CURLcode libcurl_set_number(CURL *easy, CURLoption option, long value);
CURLcode libcurl_set_size(CURL *easy, CURLoption option, curl_off_t value);
CURLcode libcurl_set_text(CURL *easy, CURLoption option, const char *value);
CURLcode libcurl_set_pointer(CURL *easy, CURLoption option, void *value);
CURLcode libcurl_set_receiver(CURL *easy, CURLoption option, curl_write_callback function);
CURLcode libcurl_set_progress(CURL *easy, CURLoption option, curl_xferinfo_callback function);
CURLcode libcurl_set_start(CURL *easy, CURLoption option, curl_prereq_callback function);

/// Returns a number about the last transfer; 0 if it is not available.
long libcurl_get_number(CURL *easy, CURLINFO info);

/// Returns the socket of the connection that the last transfer left open; -1 if there is none.
curl_socket_t libcurl_kept_socket(CURL *easy);

/// Appends a string, and returns the new start of the list. If no memory is available, returns NULL and keeps the list.
struct curl_slist *libcurl_list_append(struct curl_slist *list, const char *text);
void libcurl_list_free(struct curl_slist *list);

/// Parses a URL. Returns NULL if `text` is not a URL, or if no memory is available.
CURLU *libcurl_url_parse(const char *text, unsigned int flags);
/// Returns a part, or NULL if the URL lacks it. libcurl has lowercased the scheme, percent-decoded the host, and
/// normalized an IPv4 address. The caller must free the result with `libcurl_free`.
char *libcurl_url_part(CURLU *url, CURLUPart part);
void libcurl_url_free(CURLU *url);
void libcurl_free(void *memory);

#endif
