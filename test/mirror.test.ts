import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";

/** Tests of a complete room or of several rooms, with the reason why no source file has their name. */
const OF_A_ROOM: Readonly<Record<string, readonly string[]>> = {
  "a property of the agent, whichever part holds it": [
    "agent/chaos",
    "agent/flat",
    "agent/full-disk",
    "agent/hang",
    "agent/kill",
    "agent/new-commit",
    "agent/restart",
  ],
  "what the command line does with parts of other rooms": [
    "cli/exec",
    "cli/gate",
    "cli/help-pages",
    "cli/gate-images",
    "cli/get-cloud",
    "cli/import-cloud",
    "cli/import-file",
    "cli/behind-a-manager",
    "cli/managed-firewalls",
    "cli/manager",
    "cli/orphans",
    "cli/startup",
    "cli/store-variable",
    "cli/tutorial",
    "cli/watch",
  ],
  "what the analysis answers as a whole, judged by a second reading of the rules": ["reachability/managed", "reachability/misread"],
  "the loader as a whole, on folders or over a pass": ["desired/golden", "desired/match-list"],
  "a rule of the room, by the linter": ["http/only-way-out"],
  "what import writes, judged by reading it again": [
    "import/any-configuration",
    "import/drift",
    "import/re-import",
    "import/round-trip",
    "import/written",
  ],
  "access requests on real configurations, judged by an independent interpreter": ["access/real-requests"],
  "every lab at once": ["lab/taken-port"],
  "a page of docs/ that builds a target": ["targets/adding-a-target"],
  "guards that have few tests, judged by a complete plan": ["guards/others"],
  "a plan of a whole document": ["plan/blocks-loaded", "plan/order-of-device-groups"],
};

const ROOMS = readdirSync("src").filter((name) => statSync(join("src", name)).isDirectory());
const mirrors = ROOMS.filter((room) => existsSync(join("test", room))).flatMap((room) =>
  readdirSync(join("test", room), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => join(room, file).replace(/(\.(faults|long|property))?\.test\.ts$/, "")),
);
const excused = Object.values(OF_A_ROOM).flat();

/** A source file or folder with the same path; in a subfolder of a room also another name, which then belongs to the folder. */
function hasSource(path: string): boolean {
  if (existsSync(join("src", `${path}.ts`)) || existsSync(join("src", path))) return true;
  const folder = dirname(path);
  return folder.includes("/") && existsSync(join("src", folder));
}

describe("tests mirror sources", () => {
  it("are many", () => {
    expect(mirrors.length).toBeGreaterThan(250);
  });

  it("each names a file or a folder of its source folder, or a reason", () => {
    expect(mirrors.filter((path) => !hasSource(path) && !excused.includes(path))).toEqual([]);
  });

  it("and each excuse is of a test that is there and needs it", () => {
    expect(excused.filter((path) => !mirrors.includes(path) || hasSource(path))).toEqual([]);
  });
});
