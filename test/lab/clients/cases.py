"""A run of cases with one line each, and an exit code."""
import traceback


class Cases:
    def __init__(self, client):
        self.client = client
        self.failed = []
        self.passed = 0

    def run(self, name, case):
        """A case passes when it returns; what it raises is told."""
        try:
            case()
        except Exception as error:
            self.failed.append(name)
            where = traceback.extract_tb(error.__traceback__)[-1]
            print(f"FAIL  {name}: {type(error).__name__}: {error} (line {where.lineno}: {where.line})")
        else:
            self.passed += 1
            print(f"ok    {name}")

    def end(self):
        """The exit code."""
        print(f"{self.client}: {self.passed} of {self.passed + len(self.failed)} passed")
        return 1 if self.failed else 0


def equal(got, wanted):
    if got != wanted:
        raise AssertionError(f"{got!r} instead of {wanted!r}")


def holds(text, part):
    if part not in text:
        raise AssertionError(f"{part!r} not in {text!r}")
