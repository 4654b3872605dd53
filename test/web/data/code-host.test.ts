import { expect, it } from "vitest";
import { codeHostOf } from "../../../web/data/code-host.js";

const ID = "4be1f0d92c7a55e0";

it.each([
  [
    "https://github.com/o/r.git",
    "https://github.com/o/r/commit/4be1f0d92c7a55e0",
    "https://github.com/o/r/blob/4be1f0d92c7a55e0/a/b%20c.yaml#L7",
  ],
  ["git@gitlab.example.net:net/fw/state.git", "https://gitlab.example.net/net/fw/state/-/commit/4be1f0d92c7a55e0", undefined],
  ["ssh://git@gitea.example.net:2222/o/r.git", "https://gitea.example.net/o/r/commit/4be1f0d92c7a55e0", undefined],
  [
    "http://codeberg.org:8080/o/r/",
    "http://codeberg.org:8080/o/r/commit/4be1f0d92c7a55e0",
    "http://codeberg.org:8080/o/r/src/commit/4be1f0d92c7a55e0/a/b%20c.yaml#L7",
  ],
  ["https://bitbucket.org/o/r.git", "https://bitbucket.org/o/r/commits/4be1f0d92c7a55e0", undefined],
  ["https://ann:word@github.com/o/r", "https://github.com/o/r/commit/4be1f0d92c7a55e0", undefined],
])("a commit and a line of %s are found where people read them", (source, commit, line) => {
  const host = codeHostOf(source);
  expect(host?.commit(ID)).toBe(commit);
  if (line !== undefined) expect(host?.line(ID, "./x/../a/b c.yaml", 7)).toBe(line);
});

it.each([
  "/srv/git/network",
  "https://git.example.com/o/r.git",
  "javascript://github.com/%0aalert(1)",
  "file:///github.com/o/r",
  "",
  "https://github.com/",
  "git@[github]:x",
])("nothing is linked for %j", (source) => {
  expect(codeHostOf(source)).toBeUndefined();
});

it("text from git creates no other address", () => {
  expect(codeHostOf("https://github.com/o/r")?.line("x/../../y?", 'a"><script>/../?q#h', 1)).toBe(
    "https://github.com/o/r/blob/x%2F..%2F..%2Fy%3F/%3Fq%23h#L1",
  );
});
