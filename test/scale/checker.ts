import { parseMark } from "../../src/engine/apply/lock-mark.js";
import type { RunningDevice } from "../../src/lab/panos/start.js";

const ADDRESS = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/address";
const WRITES: ReadonlySet<string> = new Set(["set", "edit", "delete", "rename", "move", "multi-config"]);

export interface Expected {
  /** Commits of the repository, oldest first. */
  readonly commits: string[];
  addresses: Readonly<Record<string, string>>;
}

/** Reads the journals of the lab firewalls. */
export const check = { isAsWanted, stateOf, journal };

interface Holder {
  readonly fence: number;
  readonly run: string;
}

function addressesOf(device: RunningDevice): Record<string, string> {
  const xml = JSON.stringify(device.act("alice", { type: "config", action: "show", xpath: ADDRESS }));
  const found = [...xml.matchAll(/<entry name=\\+"([^"\\]+)\\+"[^>]*>\s*<ip-netmask[^>]*>([^<]+)</g)];
  return Object.fromEntries(found.map(([, key, value]) => [key ?? "", value ?? ""]));
}

function locksOf(device: RunningDevice): string {
  return device.state.locks
    .list("config", "all")
    .map(({ owner, comment }) => `${owner} ${comment}`)
    .join("; ");
}

function isAsWanted(device: RunningDevice, { addresses }: Expected): boolean {
  const wanted = { theirs: "192.0.2.9", ...addresses };
  const found = addressesOf(device);
  const names = new Set([...Object.keys(wanted), ...Object.keys(found)]);
  const isEqual = [...names].every((name) => found[name] === (wanted as Record<string, string>)[name]);
  return isEqual && locksOf(device) === "";
}

function stateOf(device: RunningDevice): string {
  return `${JSON.stringify(addressesOf(device))} lock ${JSON.stringify(locksOf(device))}`;
}

/**
 * Every write is made under a lock of Plumbline, whose lease numbers only grow; no write is repeated under one lock; every commit belongs
 * to the run that holds the lock; and no commit of the repository reaches the running configuration twice.
 * @throws Error with the part of
 * the journal that violates this
 */
function journal(device: RunningDevice, { commits }: Expected): void {
  const { state } = device;
  let holder: Holder | undefined;
  let highest = 0;
  let written = new Set<string>();
  const fail = (n: number, why: string): never => {
    const around = state.journal.filter((each) => Math.abs(each.n - n) < 200 && (each.type !== "op" || /lock/.test(each.cmd ?? "")));
    const lines = around.map(
      ({ n: at, type, action, xpath, cmd, outcome }) => `${at} ${type} ${action ?? ""} ${xpath ?? cmd ?? ""} ${outcome?.status}`,
    );
    throw new Error(`${device.name}, request ${n}: ${why}\n${lines.slice(-40).join("\n")}`);
  };
  for (const entry of state.journal) {
    if (entry.admin !== "netops" || !entry.executed || entry.outcome?.status !== "success") continue;
    const { n, type, action = "", xpath = "", element = "", cmd = "" } = entry;
    const comment = /<config-lock><add><comment>([^<]*)</.exec(cmd)?.[1];
    if (comment !== undefined) {
      const mark = parseMark(comment);
      const fence = mark?.fence ?? fail(n, `a lock without a lease: ${comment}`);
      if (fence < highest) fail(n, `lease ${fence} locks after lease ${highest}`);
      highest = fence;
      holder = { fence, run: comment.split(" ")[2] ?? "" };
      written = new Set();
    } else if (/<config-lock><remove/.test(cmd)) holder = undefined;
    else if (type === "config" && WRITES.has(action)) {
      const write = `${action} ${xpath} ${element}`;
      if (holder === undefined) fail(n, `written without a lock: ${write}`);
      if (written.has(write)) fail(n, `written twice under one lock: ${write}`);
      written.add(write);
    } else if (type === "commit") {
      const run = /plumbline (\S+)\.\d+ /.exec(cmd)?.[1];
      if (holder === undefined || run !== holder.run) fail(n, `commit of ${run} under the lock of ${holder?.run}`);
    }
  }
  const done = state.commits.filter(({ ok, edits, description }) => ok && edits.length > 0 && description.startsWith("plumbline "));
  for (const commit of commits) {
    const times = done.filter(({ description }) => description.includes(commit));
    if (times.length > 1) throw new Error(`${device.name}: ${commit} was applied ${times.length} times: ${JSON.stringify(times)}`);
  }
  const { violations } = state;
  if (violations.length > 0) throw new Error(`${device.name}: ${JSON.stringify(violations)}`);
}
