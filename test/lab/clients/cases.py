"""Runs cases, prints one line for each, and returns an exit code."""
import traceback


class Cases:
    """`known` contains the reasons why cases cannot pass with this client, by the name of the case."""

    def __init__(self, client, known=None):
        self.client = client
        self.known = known or {}
        self.counts = {"ok": 0, "known": 0, "FAIL": 0}

    def run(self, name, case):
        """Runs a case and prints the result. A case fails if it raises."""
        try:
            case()
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            if name in self.known:
                self.report("known", name, self.known[name])
            else:
                self.report("FAIL", name, f"{type(error).__name__}: {error} ({where.filename}:{where.lineno}: {where.line})")
        else:
            self.report("ok", name)

    def report(self, outcome, name, why=None):
        self.counts[outcome] += 1
        print(f"{outcome:6}{name}" + ("" if why is None else f": {why}"))

    def end(self):
        """Prints the totals and returns the exit code."""
        print(f"{self.client}: {self.counts['ok']} of {sum(self.counts.values())} passed, {self.counts['known']} known failures")
        return 1 if self.counts["FAIL"] else 0


def equal(got, wanted):
    if got != wanted:
        raise AssertionError(f"{got!r} instead of {wanted!r}")


def holds(text, part):
    if part not in text:
        raise AssertionError(f"{part!r} not in {text!r}")
