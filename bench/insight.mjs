/**
 * Measures the reachability analysis of generated firewalls, as ratios to parsing the XML in the same run:
 *   npm run build && node --expose-gc bench/insight.mjs [rules ..., default: 100 1000 10000]
 * Uses the CPU time of one process (user and system), because the machine is shared. Writes `bench/results/insight.md`.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { parseXml } from "../dist/core/tree/xml/parse.js";
import { judge } from "../dist/reachability/flows/assertion.js";
import { compile } from "../dist/reachability/flows/compile.js";
import { differenceOf } from "../dist/reachability/flows/difference.js";

import { lint } from "../dist/reachability/flows/lint.js";
import { newlyIdle } from "../dist/reachability/flows/newly-idle.js";
import { Replay } from "../dist/reachability/flows/replay.js";
import { generateXml } from "./generate.mjs";
import { generateModel } from "./generate-model.mjs";
import { timed } from "./timed.mjs";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [100, 1000, 10_000];
const PROTOCOLS = { tcp: 6, udp: 17 };

const addressOf = (text) => text.split(".").reduce((sum, octet) => sum * 256n + BigInt(octet), 0n);
const named = (name, more) => ({ id: name, name, values: [], members: [], unknowns: [], ...more });

/** Converts the model to a policy. Rules share object instances, so a changed object affects all rules that use it. */
function policyOf(model) {
  const objects = new Map();
  for (const { name, value } of model.addresses) {
    const [kind, text] = Object.entries(value)[0];
    const [first, last = first] = text.replace("/32", "").split("-");
    const unknowns = [{ kind: "fqdn", definition: text, name: text, reason: "not read" }];
    objects.set(name, named(name, kind === "fqdn" ? { unknowns } : { values: [{ first: addressOf(first), last: addressOf(last) }] }));
  }
  for (const { name, members } of model.groups) objects.set(name, named(name, { members: members.map((member) => objects.get(member)) }));
  const services = new Map(
    model.services.map(({ name, protocol, port }) => {
      const [first, last = first] = port.split("-").map(Number);
      return [name, named(name, { values: [{ protocol: PROTOCOLS[protocol], first, last }] })];
    }),
  );
  services.set("application-default", named("application-default", { values: [{ protocol: 6, first: 443, last: 443 }] }));
  const applications = new Map();
  const match = (names, get) => (names.includes("any") ? "any" : { negated: false, objects: names.map(get) });
  const application = (name) => {
    if (!applications.has(name)) applications.set(name, named(name, { values: [name] }));
    return applications.get(name);
  };
  const user = (name) => ({ kind: "user", definition: name, name, reason: "members of groups are not known" });
  const rules = model.rules
    .filter(({ disabled }) => !disabled)
    .map((rule, at) => ({
      key: { level: "local", group: "", name: rule.name, uuid: rule.uuid },
      origin: {},
      zones: { type: "universal", from: rule.from, to: rule.to },
      source: match(rule.source, (name) => objects.get(name)),
      destination: match(rule.destination, (name) => objects.get(name)),
      traffic: [{ applications: match(rule.application, application), services: match(rule.service, (name) => services.get(name)) }],
      users: rule.sourceUser.includes("any") ? "any" : { states: [], unknowns: rule.sourceUser.map(user) },
      conditions: [],
      verdict: rule.action,
      action: rule.action,
      isLogged: at % 7 !== 0,
      // Adjacent allow rules have different profiles, because lint only merges rules with equal treatment.
      treatment: rule.action === "allow" ? `end profile-${at % 3}` : "end",
    }));
  const fallback = (name, type, verdict) => ({ ...rule("default", name, verdict), zones: { type, from: "any", to: "any" } });
  const defaults = [fallback("intrazone-default", "intrazone", "allow"), fallback("interzone-default", "interzone", "deny")];
  return { scope: "vsys1", zones: model.zones, otherZones: false, rules: [...rules, ...defaults], otherwise: "deny", limits: [] };
}

const rule = (level, name, verdict) => ({
  key: { level, group: "", name },
  origin: {},
  zones: { type: "universal", from: "any", to: "any" },
  source: "any",
  destination: "any",
  traffic: [{ applications: "any", services: "any" }],
  users: "any",
  conditions: [],
  verdict,
  action: verdict,
});

/** Makes twenty edits across the rules: verdicts, sources, moves, removals. */
function editedTwenty({ rules, ...policy }) {
  const result = [...rules];
  const step = Math.floor(rules.length / 21);
  for (let edit = 20; edit > 0; edit--) {
    const at = edit * step;
    const old = result[at];
    if (edit % 4 === 0) result.splice(at, 1);
    else if (edit % 4 === 1) result[at] = { ...old, verdict: old.verdict === "allow" ? "deny" : "allow" };
    else if (edit % 4 === 2) result[at] = { ...old, source: rules[at + 1].source };
    else result.splice(at - 3, 0, ...result.splice(at, 1));
  }
  return { ...policy, rules: result };
}

/** Returns the policy before and after a group gains a host. Every fifth rule uses the group. */
function grownGroup(policy) {
  const host = named("new-host", { values: [{ first: addressOf("192.0.2.77"), last: addressOf("192.0.2.77") }] });
  const old = named("shared-group", { values: [{ first: addressOf("192.0.2.0"), last: addressOf("192.0.2.15") }] });
  const using = (group) => ({
    ...policy,
    rules: policy.rules.map((each, at) =>
      at % 5 === 0 && at < policy.rules.length - 2 ? { ...each, source: { negated: false, objects: [group] } } : each,
    ),
  });
  return [using(old), using({ ...old, members: [host] })];
}

function assertionsOf(policy, count) {
  return Array.from({ length: count }, (_, at) => ({
    ...rule("", "assertion", "deny"),
    zones: { type: "interzone", from: [policy.zones[at % policy.zones.length]], to: [policy.zones[(at * 3 + 1) % policy.zones.length]] },
    destination: policy.rules[(at * 7) % policy.rules.length].destination,
    traffic: [
      {
        applications: "any",
        services: { negated: false, objects: [named("some", { values: [{ protocol: 6, first: 1024, last: 1100 }] })] },
      },
    ],
  }));
}

/** Returns sessions that match the rules, with adjacent addresses and ports. They are the same in every run. */
function sessionsOf(policy, kinds) {
  const within = (match, at) => (match === "any" ? 0n : (match.objects[at % match.objects.length].values[0]?.first ?? 0n)) + BigInt(at % 3);
  const one = (names, at) => (names === "any" ? policy.zones[at % policy.zones.length] : names[at % names.length]);
  return Array.from({ length: kinds }, (_, at) => {
    const each = policy.rules[(at * 7919) % policy.rules.length];
    const { services, applications } = each.traffic[0];
    const service = services === "any" ? { protocol: 6, first: 443 } : services.objects[0].values[0];
    return {
      from: one(each.zones.from, at),
      to: one(each.zones.to, at),
      source: within(each.source, at),
      destination: within(each.destination, at),
      protocol: service.protocol,
      port: service.first,
      sourcePort: 1024 + (at % 60_000),
      application: at % 5 === 0 ? undefined : applications === "any" ? "ssl" : applications.objects[0].name,
      user: at % 2 === 0 ? "known" : "unknown",
      rule: { name: each.key.name, uuid: undefined },
    };
  });
}

/** Replays a million sessions, which repeat the given ones. */
function replayed(before, after, sessions) {
  const model = compile([before, after]);
  const replay = new Replay(model, ...model.policies);
  const effects = {};
  for (let at = 0; at < 1_000_000; at++) {
    const { effect } = replay.judge(sessions[at % sessions.length]);
    effects[effect] = (effects[effect] ?? 0) + 1;
  }
  return effects;
}

const countsOf = (words) => [...new Set(words)].map((word) => `${words.filter((each) => each === word).length} ${word}`).join(", ");

function measure(rules) {
  const options = { rules, addresses: 20_000, compact: true };
  const xml = generateXml(options);
  parseXml(xml);
  const rows = [];
  const parse = timed(() => parseXml(xml)).milliseconds;
  const note = (work, milliseconds, found) => {
    rows.push(`| ${rules} | ${work} | ${milliseconds.toFixed(0)} ms | ${(milliseconds / parse).toFixed(2)} | ${found} |`);
    console.log(rows.at(-1));
  };
  note("parse of the XML", parse, `${(xml.length / 1e6).toFixed(1)} MB`);
  const policy = policyOf(generateModel(options));
  globalThis.gc();
  const before = process.memoryUsage().heapUsed;
  const single = timed(() => compile([policy]));
  note(
    "compile one version",
    single.milliseconds,
    `${single.result.policies[0].rules.reduce((sum, { boxes }) => sum + boxes.length, 0)} boxes`,
  );
  const compared = (title, one, other) => {
    const model = timed(() => compile([one, other]));
    const { milliseconds, result } = timed(() => differenceOf(model.result, model.result.policies[0], model.result.policies[1]));
    const kinds = result.rows.map(({ extent }) => (extent.kind === "boxes" ? extent.count : `${extent.wholes.length} with holes`));
    note(`${title}: compile both`, model.milliseconds, "");
    note(
      `${title}: difference`,
      milliseconds,
      `${result.rows.length} rows (boxes: ${kinds.slice(0, 40).join(" ")}), ${result.undecided.length} undecided`,
    );
    const idle = timed(() => newlyIdle(model.result, model.result.policies[0], model.result.policies[1]));
    note(`${title}: rules that no longer match any flow`, idle.milliseconds, countsOf(idle.result.map(({ kind }) => kind)));
  };
  compared("20 edits", policy, editedTwenty(policy));
  compared("a group of every fifth rule gains a host", ...grownGroup(policy));
  compared("any to any allowed on top", policy, { ...policy, rules: [rule("local", "open", "allow"), ...policy.rules] });
  const linted = timed(() => lint(single.result, single.result.policies[0]));
  const kinds = linted.result.map(({ kind }) => kind);
  note("lint of all rules, three groups of profiles", linted.milliseconds, countsOf(kinds));
  const asked = compile([policy], assertionsOf(policy, 1000));
  const judged = timed(() =>
    asked.questions.map((flows) => judge(asked, asked.policies[0], { verdict: "deny", some: false, flows, except: [] }).state),
  );
  note("1,000 assertions", judged.milliseconds, countsOf(judged.result));
  for (const kinds of [2000, 50_000]) {
    const work = timed(() => replayed(policy, editedTwenty(policy), sessionsOf(policy, kinds)));
    note(`replay of 1,000,000 sessions of ${kinds} kinds, compile both included`, work.milliseconds, JSON.stringify(work.result));
  }
  globalThis.gc();
  const heap = (process.memoryUsage().heapUsed - before) / 1e6;
  rows.push(
    `| ${rules} | heap in addition to the policy, with two models | | | ${heap.toFixed(0)} MB, ${single.result.policies.length + asked.policies.length} models |`,
  );
  return rows;
}

const rows = sizes.flatMap(measure);
const machine = `${cpus().length} x ${cpus()[0]?.model.trim() ?? "unknown"}, Node ${process.version}`;
const head = "| rules | work | CPU time | against the parse | found |\n|---|---|---|---|---|";
const text = `### Insight\n\n\`node --expose-gc bench/insight.mjs\` on ${machine}, on a shared machine: CPU time, one run.\n\n${head}\n${rows.join("\n")}\n`;
mkdirSync(here("results"), { recursive: true });
writeFileSync(here("results/insight.md"), text);
