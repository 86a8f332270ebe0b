#include <sqlite3.h>

/// Makes SQLite ignore triggers and reject views, so that code in a database file cannot run. Foreign key actions still
/// run. Swift cannot call `sqlite3_db_config`, because it is variadic.
static inline void ignore_triggers_and_views(sqlite3 *database) {
    sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)0);
    sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *)0);
}

/// Disables SQLite's memory statistics, which take a lock for each allocation. Must be called before any other SQLite
/// function.
static inline void disable_memory_statistics(void) { sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }
