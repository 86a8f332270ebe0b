"""The results table."""

KINDS = ["torn", "lost", "blocking", "wrong exit", "untrue"]


class Row:
    """A part of the sweep, its number of points, and its faults. A fault begins with its kind."""

    def __init__(self, what, count, faults, skipped=None):
        self.what, self.count, self.faults, self.skipped = what, count, faults, skipped

    def cells(self):
        if self.skipped:
            return f"| {self.what} | skipped: {self.skipped} |" + " |" * (len(KINDS) + 1)
        counts = [sum(fault.startswith(kind) for fault in self.faults) for kind in KINDS]
        others = len(self.faults) - sum(counts)
        return "| " + " | ".join([self.what, f"{self.count:,}", *map(str, counts), str(others)]) + " |"


HEAD = "\n".join([
    "| " + " | ".join(["what", "points", *KINDS, "other"]) + " |", "|" + "---|" * (len(KINDS) + 3)])
