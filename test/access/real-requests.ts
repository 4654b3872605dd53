import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { diffLines } from "diff";
import type { Design } from "../../src/access/design.js";
import { withEdits } from "../../src/access/edit.js";
import { addressRange } from "../../src/core/address-range.js";
import { parseXml } from "../../src/core/tree/xml/parse.js";
import { loadDesired } from "../../src/desired/load.js";
import { type AccessBase, type Answered, answerRequest } from "../../src/engine/access/answer-requests.js";
import type { TargetContext } from "../../src/engine/pass/context.js";
import { importConfiguration } from "../../src/import/import-configuration.js";
import type { AccessWords } from "../../src/outcome/access.js";
import { editDocuments } from "../../src/pull-request/access/edit-documents.js";
import type { Match, Policy, Rule } from "../../src/reachability/flows/policy.js";
import { panosDesigner } from "../../src/targets/panos/access/designer.js";
import { panosKind } from "../../src/targets/panos/kind.js";
import { rulebasesOf } from "../../src/targets/panos/policy/policies.js";
import { panosPolicies } from "../../src/targets/panos/policy-role.js";
import { Brute, type Element, type Facts, type Flow, isWithin, listed, parse, said } from "../targets/panos/policy/brute.js";
import { Spoken } from "../targets/panos/policy/real.js";
import { elementOf } from "./worlds.js";

type Random = () => number;
const pick = <Item>(random: Random, items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;

export const SORTS = ["already allowed", "like a rule", "another flow", "through NAT", "against an assertion"] as const;
type Sort = (typeof SORTS)[number];

const ENVIRONMENT = { PLUMBLINE_TARGET_FIREWALL_USER: "admin", PLUMBLINE_TARGET_FIREWALL_PASSWORD: "admin" };
const KINDS = new Map([["panos", panosKind]]);
/** Port that the assertion closes between two zones. */
const CLOSED = 4999;

/** An imported configuration that requests can be made for. */
export interface RealWorld {
  readonly policy: Policy;
  readonly base: AccessBase;
  readonly text: Element | undefined;
  readonly spoken: Spoken;
  readonly facts: Facts;
  /** Zones between which the assertion closes a port. */
  readonly closed: readonly [from: string, to: string];
  close(): void;
}

/** Imports a configuration, as `plumbline import --xml` does. Undefined if no virtual system has rules and two zones. */
export async function openRealWorld(xml: string, random: Random): Promise<RealWorld | undefined> {
  const tree = parseXml(xml);
  const spoken = new Spoken(xml);
  const facts = factsOf(spoken, random);
  const options = { applications: [], predefined: predefinedOf(facts) };
  const policies = rulebasesOf([tree], options).flatMap((each) => each.policies()[0] ?? []);
  const policy = policies.find(({ scope, rules, zones }) => scope.startsWith("vsys") && rules.length > 2 && zones.length > 1);
  if (policy === undefined) return undefined;
  const out = mkdtempSync(join(tmpdir(), "plumbline-real-requests-"));
  importConfiguration({ xml: parseXml(xml), kind: panosKind, out });
  const [from = "", to = ""] = policy.zones;
  const assertion = { name: "closed", verdict: "deny", from: [from], to: [to], service: [`tcp/${CLOSED}`] };
  const name = "firewall";
  writeFileSync(join(out, name, "assertion.yaml"), JSON.stringify({ target: name, scope: policy.scope, assert: [assertion] }));
  const configurationFile = join(out, "plumbline.yaml");
  const source = { configurationFile, kinds: KINDS, environment: ENVIRONMENT };
  const desired = (await loadDesired(configurationFile, { ...source, today: "2026-11-21", resolveSecrets: true })).targets.get(name);
  if (desired === undefined) throw new Error("the import has no documents");
  const configuration = { kind: "panos" };
  const context = {
    ...{ name, desired, configuration, settings: {} },
    options: { source, machine: { now: () => Date.UTC(2026, 10, 21) } },
  } as unknown as TargetContext;
  const base = {
    ...{ context, tree, declared: desired.root, options, designer: panosDesigner, scope: policy.scope },
    ...{ role: panosPolicies, reader: await panosPolicies.load(), target: { resolver: { applications: async () => options.predefined } } },
  } as unknown as AccessBase;
  const close = () => rmSync(out, { recursive: true, force: true });
  return { policy, base, text: parse(xml), spoken, facts, closed: [from, to], close };
}

/** Random facts. Literal addresses have no other content. */
function factsOf(spoken: Spoken, random: Random): Facts {
  const facts = spoken.facts(random);
  const known = Object.entries(facts.addresses).filter(([name]) => addressRange(name) === undefined);
  return { ...facts, addresses: Object.fromEntries(known) };
}

/** The default ports that the interpreter uses. */
function predefinedOf({ atHome }: Facts) {
  const portOf = (text: string) => {
    const [protocol, port] = text.split("/");
    return { protocol: protocol === "udp" ? 17 : 6, first: Number(port), last: Number(port) };
  };
  return new Map(Object.entries(atHome).map(([name, ports]) => [name, { ports: ports.map(portOf), parts: [] }]));
}

/** Returns a request of a sort. Undefined if the configuration has none, for example no NAT. */
export function realRequest({ policy, text, spoken, facts, closed }: RealWorld, sort: Sort, random: Random): AccessWords | undefined {
  const brute = new Brute(text, policy.scope, facts);
  const allowing = policy.rules.filter(({ verdict }) => verdict === "allow");
  const narrow = allowing.filter(({ source, destination }) => source !== "any" && destination !== "any");
  const objects = namesIn(text, "address");
  for (let tries = 0; tries < 200; tries++) {
    const near = sort === "another flow" ? undefined : pick(random, sort === "like a rule" && narrow.length > 0 ? narrow : allowing);
    const flow = spoken.flow(random, near);
    const isUsual = [6, 17].includes(flow.protocol) && policy.zones.includes(flow.from) && policy.zones.includes(flow.to);
    if (!isUsual || flow.port === 0) continue;
    const words = wordsOf(flow, random() < 0.7);
    if (sort === "already allowed" && !brute.decide(flow).allowed) continue;
    if (sort === "already allowed") return wordsOf(flow, true);
    if (sort === "like a rule" && near !== undefined) return likeRule(near, words, { objects, atHome: facts.atHome }, random);
    if (sort === "against an assertion") return { ...words, fromZone: closed[0], toZone: closed[1], service: `tcp/${CLOSED}` };
    if (sort !== "through NAT") return words;
    const rule = pick(random, translating(text));
    if (rule === undefined) return undefined;
    const from = pick(random, listed(rule, "from"));
    const to = pick(random, listed(rule, "destination"));
    const service = said(rule, "service") ?? "any";
    const asked = service === "any" || service === "" ? words.service : service;
    return { ...words, service: asked, fromZone: from === "any" ? flow.from : from, to, toZone: undefined };
  }
  return undefined;
}

interface Like extends Pick<Facts, "atHome"> {
  /** Names of address objects. */
  readonly objects: readonly string[];
}

/** Returns the members of a rule as a request, with another value in one field. */
function likeRule(rule: Rule, words: AccessWords, { objects, atHome }: Like, random: Random): AccessWords {
  const nameIn = (match: Match<unknown>, otherwise: string): string =>
    match === "any" || match.negated || match.objects.length === 0 ? otherwise : pick(random, match.objects).name;
  const zoneIn = (zones: "any" | readonly string[], otherwise: string | undefined) =>
    zones === "any" || zones.length === 0 ? otherwise : pick(random, zones);
  const traffic = pick(random, rule.traffic);
  const service = nameIn(traffic.services, words.service);
  const application = nameIn(traffic.applications, words.application);
  const like: AccessWords = {
    from: nameIn(rule.source, words.from),
    to: nameIn(rule.destination, words.to),
    // The default port of an application has a name with spaces.
    service: service.includes(" ") ? (atHome[application]?.[0] ?? words.service) : service,
    application,
    fromZone: zoneIn(rule.zones.from, words.fromZone),
    toZone: zoneIn(rule.zones.to, words.toZone),
  };
  const side = pick(random, ["from", "to"] as const);
  return { ...like, [side]: objects.length > 0 && random() < 0.7 ? pick(random, objects) : words[side] };
}

function wordsOf({ from, to, source, destination, protocol, port, application }: Flow, withZones: boolean): AccessWords {
  const zones = withZones ? { fromZone: from, toZone: to } : { fromZone: undefined, toZone: undefined };
  return { from: source, to: destination, service: `${protocol === 6 ? "tcp" : "udp"}/${port}`, application, ...zones };
}

function elementsIn(element: Element | undefined, tag: string): readonly Element[] {
  if (element === undefined) return [];
  return element.children.flatMap((child) => [...(child.tag === tag ? [child] : []), ...elementsIn(child, tag)]);
}

const namesIn = (text: Element | undefined, tag: string): readonly string[] =>
  elementsIn(text, tag).flatMap(({ children }) => children.flatMap(({ name }) => (name === "" ? [] : [name])));

/** NAT rules that translate the destination. */
const translating = (text: Element | undefined): readonly Element[] =>
  elementsIn(text, "nat")
    .flatMap((nat) => elementsIn(nat, "rules"))
    .flatMap(({ children }) => children)
    .filter(({ children }) => children.some(({ tag }) => tag === "destination-translation"));

/** One answer, and the size and time of its edit. */
export interface RealAnswer extends Answered {
  /** Added and removed lines of the documents. Undefined without a design. */
  readonly lines: number | undefined;
  readonly seconds: number;
  /** Why the documents cannot be edited. */
  readonly problem: string | undefined;
}

export async function answerReal({ base }: RealWorld, words: AccessWords): Promise<RealAnswer> {
  const start = performance.now();
  const known = { ...base.options, applications: [words.application] };
  const answered = await answerRequest({ ...base, options: known }, words, "CHG-4711, requested by jane");
  const design = answered.designs.find(({ proof }) => proof.excess.length === 0);
  if (design === undefined) return { ...answered, lines: undefined, problem: undefined, seconds: (performance.now() - start) / 1000 };
  const files = await editDocuments(base.context, design.edits, withEdits(base.tree, design.edits));
  const seconds = (performance.now() - start) / 1000;
  if (typeof files === "string") return { ...answered, lines: undefined, problem: files, seconds };
  const lines = files
    .flatMap(({ before, after }) => diffLines(before, after))
    .reduce((sum, { added, removed, count }) => sum + (added || removed ? count : 0), 0);
  return { ...answered, lines, problem: undefined, seconds };
}

/** Returns the request with the zones that a refusal asks for. Undefined if it asks for none. */
export function withHint({ policy }: RealWorld, words: AccessWords, { answer }: Answered, random: Random): AccessWords | undefined {
  const [, side] = /[Ss]et --(from|to)-zone\.$/.exec(answer.reasons[0] ?? "") ?? [];
  if (answer.state !== "refused" || side === undefined) return undefined;
  return { ...words, [`${side}Zone`]: pick(random, policy.zones) };
}

/** Returns flows for which the answer or its design is wrong, by the independent interpreter. */
export function wrongFlows(world: RealWorld, { answer, designs }: Answered, random: Random): readonly unknown[] {
  const { base, policy, spoken } = world;
  const { request, state } = answer;
  const design = designs.find(({ proof }) => proof.excess.length === 0);
  if (state === "conditional" || request.fromZone === undefined || request.toZone === undefined) return [];
  const after = design === undefined ? undefined : elementOf(withEdits(base.tree, design.edits));
  const wrong: unknown[] = [];
  for (let round = 0; round < 2; round++) {
    const facts: Facts = { ...(round === 0 ? world.facts : factsOf(spoken, random)), atHome: world.facts.atHome };
    const [was, is] = [new Brute(world.text, policy.scope, facts), new Brute(after, policy.scope, facts)];
    for (const flow of flowsAround(world, request, random)) {
      const isAsked = isRequested(after === undefined ? was : is, request, flow);
      const now = was.decide(flow);
      if (state === "allowed" && isAsked && !now.allowed) wrong.push({ why: "said to be allowed", flow, now });
      if (design === undefined) continue;
      const then = is.decide(flow);
      if (!isAsked && then.allowed !== now.allowed) wrong.push({ why: "another flow changed", flow, now, then });
      if (isAsked && !then.allowed && !staysDenied(design, then.rule)) wrong.push({ why: "still denied", flow, then });
    }
  }
  return wrong.slice(0, 3);
}

const staysDenied = ({ proof }: Design, rule: string): boolean => proof.stillDenied.some(({ key }) => key.name === rule);

function isRequested(brute: Brute, request: AccessWords, flow: Flow): boolean {
  const { from, to, fromZone, toZone, service, application } = request;
  const isAt = (name: string, address: string) => brute.holds(name, address) || isWithin(name, address);
  const literal = `${flow.protocol === 6 ? "tcp" : flow.protocol === 17 ? "udp" : "other"}/${flow.port}`;
  const isService = service.includes("/") ? service === literal : brute.serves(service, flow);
  const isZone = flow.from === fromZone && flow.to === toZone;
  return isZone && isService && flow.application === application && isAt(from, flow.source) && isAt(to, flow.destination);
}

/** Flows of the request, flows that differ from it in some fields, and any others. */
function flowsAround({ spoken, policy, text, facts }: RealWorld, request: AccessWords, random: Random): readonly Flow[] {
  const brute = new Brute(text, policy.scope, facts);
  const [protocol, port] = request.service.split("/");
  const serviceIn = (): Pick<Flow, "protocol" | "port"> => {
    if (port !== undefined) return { protocol: protocol === "udp" ? 17 : 6, port: Number(port) };
    for (let tries = 0; tries < 200; tries++) {
      const flow = spoken.flow(random);
      if (brute.serves(request.service, flow)) return flow;
    }
    return { protocol: 6, port: 80 };
  };
  const addressIn = (name: string): string => {
    for (let tries = 0; tries < 200; tries++) {
      const { source } = spoken.flow(random);
      if (brute.holds(name, source)) return source;
    }
    return name;
  };
  const service = serviceIn();
  const asked = (): Flow => ({
    ...spoken.flow(random),
    ...{ from: request.fromZone ?? "", to: request.toZone ?? "", source: addressIn(request.from), destination: addressIn(request.to) },
    ...{ protocol: service.protocol, port: service.port, application: request.application },
  });
  const fields = ["from", "to", "source", "destination", "protocol", "port", "application"] as const;
  const near = Array.from({ length: 60 }, (_, at): Flow => {
    const [flow, other] = [asked(), spoken.flow(random)];
    const field = at < 8 ? undefined : pick(random, fields);
    return field === undefined ? flow : { ...flow, [field]: other[field] };
  });
  const some = Array.from({ length: 60 }, () => spoken.flow(random, pick(random, policy.rules)));
  return [...near, ...some].filter(({ source, destination }) => /^[0-9a-f.:]+$/.test(source) && /^[0-9a-f.:]+$/.test(destination));
}
