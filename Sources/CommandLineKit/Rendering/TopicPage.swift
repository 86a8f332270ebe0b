package struct TopicPage: HelpDocument {
    private let topic: HelpTopic

    package init(_ topic: HelpTopic) {
        self.topic = topic
    }

    package func blocks(_ layout: HelpLayout) -> [[String]] {
        let opening = topic.opening.map { lines(of: $0, layout, indent: 0) }
        let sections = topic.sections.flatMap { section in
            let blocks = section.blocks.map { lines(of: $0, layout, indent: 2) }
            return [layout.section(section.title, blocks.first ?? [])] + blocks.dropFirst()
        }
        return [layout.wrap.lines(topic.summary)] + opening + sections
    }

    private func lines(of block: HelpTopic.Block, _ layout: HelpLayout, indent: Int) -> [String] {
        switch block {
        case .paragraph(let text): layout.wrap.lines(text, indent: indent)
        case .paragraphs(let text): layout.wrap.paragraphs(text, indent: indent)
        case .rows(let rows): layout.columns(rows)
        case .code(let text):
            text.split(separator: "\n" as Character, omittingEmptySubsequences: false).map {
                $0.isEmpty ? "" : "    \($0)"
            }
        }
    }
}
