import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { AgentWorld } from "../world.js";

const MINUTE = 60_000;
const REF = "refs/plumbline/netops/edge";
let world: AgentWorld;
afterEach(async () => await world.close());

/** The commit of the ledger, its tree and its text, each as the file that holds it in the agent's clone. */
function ledgerObjects(): string[] {
  const source = join(world.stateFolder, "agent", "source");
  const clone = join(source, readdirSync(source)[0] ?? "");
  const names = execFileSync("git", ["-C", world.remote, "rev-parse", REF, `${REF}^{tree}`, `${REF}:ledger.json`], { encoding: "utf8" });
  return names
    .trimEnd()
    .split("\n")
    .map((name) => join(clone, ".git", "objects", name.slice(0, 2), name.slice(2)));
}

/** Minutes pass until drift that was seen since `before` is healed. */
async function healed(before: number): Promise<void> {
  const isHealed = () => world.events.slice(before).some((event) => event.type === "drift-resolved" && event.how === "healed");
  for (let minute = 0; minute < 40 && !isHealed(); minute++) {
    await world.settle();
    if (!isHealed()) world.clock.advance(MINUTE);
  }
  expect(world.addressesOf().a).toBe("10.0.0.1");
}

const DAMAGES = [0, 1, 2].flatMap((which) => [
  { which, how: "overwritten" as const },
  { which, how: "cut" as const },
]);

it.each(DAMAGES)("drift is healed although object $which of the ledger is $how in the agent's clone", async ({ which, how }) => {
  world = await AgentWorld.start();
  await world.run();
  await world.event("applied");
  await world.end();
  damage(which, how);
  const before = world.events.length;
  await world.run();
  await healed(before);
});

it("an unreadable ledger puts the target on hold, and is no refusal of the plan", async () => {
  world = await AgentWorld.start();
  await world.run();
  await world.event("applied");
  // An agent that has read the ledger before continues to heal with that content.
  await world.end();
  const before = world.events.length;
  const good = execFileSync("git", ["-C", world.remote, "rev-parse", REF], { encoding: "utf8" }).trim();
  world.write("ledger.json", "no ledger");
  world.git("checkout", "--quiet", "--orphan", "damaged");
  world.git("add", "ledger.json");
  world.git("commit", "--quiet", "-m", "damaged");
  world.git("push", "--quiet", "--force", "origin", `HEAD:${REF}`);
  world.meddle("a", "10.9.9.9");
  await world.run();
  await world.event("held", ({ reason }) => reason === "ledger", before);
  await world.settle();
  expect(world.addressesOf().a).toBe("10.9.9.9");
  // The retry does not wait for the next interval.
  await world.after(90_000, "pass-started");
  execFileSync("git", ["-C", world.remote, "update-ref", REF, good]);
  await healed(before);
  expect(world.events.filter(({ type }) => type === "plan-refused")).toEqual([]);
});

function damage(which: number, how: "overwritten" | "cut"): void {
  const file = ledgerObjects()[which] ?? "";
  const whole = readFileSync(file);
  rmSync(file);
  writeFileSync(file, how === "cut" ? whole.subarray(0, Math.floor(whole.length * 0.6)) : "no object");
  world.meddle("a", "10.9.9.9");
}
