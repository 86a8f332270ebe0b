import JSON

/// The range and order of a list that the database can select and sort.
struct RowPage {
    /// At least 0.
    let limit: Int64
    /// At least 0.
    let skip: Int64
    /// `ORDER BY` in SQL. It always ends with `rowid`, so that pages never overlap; without other columns it is the order
    /// of creation.
    let orderSQL: String

    /// - Parameter columns: the columns that the database can sort by, with the names of the fields as keys.
    /// - Returns: `nil` if the rows must be filtered, or sorted by other fields.
    init?(_ query: ListQuery, columns: [String: String]) {
        guard query.filter == nil else { return nil }
        var order: [String] = []
        for part in query.order {
            guard part.path.names.count == 1, let column = columns[part.path.names[0]] else { return nil }
            order.append(part.isDescending ? "\(column) DESC" : column)
        }
        order.append(query.order.last?.isDescending == true ? "rowid DESC" : "rowid")
        (limit, skip, orderSQL) = (query.limit, query.skip, order.joined(separator: ", "))
    }
}
