"""A run of cases with one line each, and an exit code."""
import traceback


class Cases:
    """`known` says of cases by name why they cannot pass with this client."""

    def __init__(self, client, known=None):
        self.client = client
        self.known = known or {}
        self.counts = {"ok": 0, "known": 0, "FAIL": 0}

    def run(self, name, case):
        """A case passes when it returns; what it raises is told."""
        try:
            case()
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            if name in self.known:
                self.tell("known", name, self.known[name])
            else:
                self.tell("FAIL", name, f"{type(error).__name__}: {error} ({where.filename}:{where.lineno}: {where.line})")
        else:
            self.tell("ok", name)

    def tell(self, outcome, name, why=None):
        self.counts[outcome] += 1
        print(f"{outcome:6}{name}" + ("" if why is None else f": {why}"))

    def end(self):
        """The exit code."""
        print(f"{self.client}: {self.counts['ok']} of {sum(self.counts.values())} passed, {self.counts['known']} known not to")
        return 1 if self.counts["FAIL"] else 0


def equal(got, wanted):
    if got != wanted:
        raise AssertionError(f"{got!r} instead of {wanted!r}")


def holds(text, part):
    if part not in text:
        raise AssertionError(f"{part!r} not in {text!r}")
