import type { Replacement } from "../changed-sources.js";

/** Changes that make the sources read rules wrongly, each in one way. A case of `test/cases/insight` must find each. */
export const MISREADINGS: Readonly<Record<string, readonly Replacement[]>> = {
  "a-default-port-is-any": [
    {
      file: "src/targets/panos/policy/traffic.ts",
      from: "const conditions = [[{ unknown: ON_DEFAULT_PORT, holds: true }]];",
      to: "const conditions = undefined;",
    },
  ],
  "a-name-that-nobody-read-is-nowhere": [
    {
      file: "src/targets/panos/policy/landing-version.ts",
      from: `{ ranges, landing: { zone: undefined, ends: "unknown", why, source, destination, port }, parts, conditions: [] },`,
      to: `{ ranges, landing: { zone: undefined, ends: "nowhere", why, source, destination, port }, parts, conditions: [] },`,
    },
  ],
  "a-port-behind-nat-is-forgotten": [
    {
      file: "src/targets/panos/policy/nat-pieces.ts",
      from: "port: text === undefined ? undefined : Number(text),",
      to: "port: undefined,",
    },
  ],
  "a-range-becomes-all-of-another": [
    {
      file: "src/targets/panos/policy/nat-pieces.ts",
      from: "const isMoved = to !== undefined && more.length === 0 && to.first !== to.last;",
      to: "const isMoved = false && to !== undefined && more.length === 0 && to.first !== to.last;",
    },
  ],
  "a-schedule-is-always": [
    {
      file: "src/targets/panos/policy/conditions.ts",
      from: "return [...schedule(rule, scopes), ...profiles(rule, scopes), ...categories(rule, scopes), ...notUnderstood(rule, scopes)];",
      to: "return [...profiles(rule, scopes), ...categories(rule, scopes), ...notUnderstood(rule, scopes)];",
    },
  ],
  "a-setting-that-is-not-known-is-none": [
    {
      file: "src/targets/panos/policy/conditions.ts",
      from: "return [...schedule(rule, scopes), ...profiles(rule, scopes), ...categories(rule, scopes), ...notUnderstood(rule, scopes)];",
      to: "return [...schedule(rule, scopes), ...profiles(rule, scopes), ...categories(rule, scopes)];",
    },
  ],
  "an-empty-question-holds": [
    {
      file: "src/reachability/flows/assertion.ts",
      from: `if (cover.every((state) => state === "covered")) return { state: "empty" };`,
      to: `if (cover.every((state) => state === "covered")) return { state: "holds" };`,
    },
  ],
  "an-except-is-dropped": [
    {
      file: "src/reachability/assertions/assertions.ts",
      from: "return { flows: flowSets, except: except.map(of), translated: isClosed ? rulebase.translated?.(version, flowSets) : undefined };",
      to: "return { flows: flowSets, except: except.slice(0, 0).map(of), translated: isClosed ? rulebase.translated?.(version, flowSets) : undefined };",
    },
  ],
  "an-fqdn-is-empty": [
    {
      file: "src/targets/panos/policy/addresses.ts",
      from: "if (fqdn !== undefined) return { unknowns: [fqdnOf(fqdn)] };",
      to: "if (fqdn !== undefined) return { unknowns: [] };",
    },
  ],
  "an-fqdn-is-its-object-s-name": [
    {
      file: "src/targets/panos/policy/addresses.ts",
      from: "if (fqdn !== undefined) return { unknowns: [fqdnOf(fqdn)] };",
      to: `if (fqdn !== undefined) return { unknowns: [{ ...fqdnOf(fqdn), definition: found.node.name ?? "" }] };`,
    },
  ],
  "an-icmp-type-is-any": [
    {
      file: "src/targets/panos/policy/traffic.ts",
      from: "return [[{ unknown, holds: true }]];",
      to: "return [];",
    },
  ],
  "an-unknown-name-is-any": [
    {
      file: "src/targets/panos/policy/addresses.ts",
      from: `return made(name, name, { unknowns: [isCode ? predefinedRegion(name) : unresolved(name, "address")] });`,
      to: "return made(name, name, { values: [{ first: 0n, last: (1n << 128n) - 1n }] });",
    },
  ],
  "bits-of-a-host-count": [
    {
      file: "src/core/address-range.ts",
      from: "return { first: number & ~host, last: number | host };",
      to: "return { first: number, last: number | host };",
    },
  ],
  "disabled-rules-count": [
    {
      file: "src/targets/panos/policy/rules.ts",
      from: `function ruleOf(rule: TreeNode, layer: RuleLayer, names: Names, reading: Reading): Rule[] {
  if (isDisabled(rule)) return [];`,
      to: "function ruleOf(rule: TreeNode, layer: RuleLayer, names: Names, reading: Reading): Rule[] {",
    },
  ],
  "drop-is-another-verdict": [
    { file: "src/targets/panos/policy/rules.ts", from: `return isPass(action) ? "allow" : "deny";`, to: "return action;" },
  ],
  "interzone-is-universal": [
    {
      file: "src/targets/panos/policy/rules.ts",
      from: `type: type === "intrazone" || type === "interzone" ? type : "universal",`,
      to: `type: type === "intrazone" ? type : "universal",`,
    },
  ],
  "intrazone-is-universal": [
    {
      file: "src/targets/panos/policy/rules.ts",
      from: `type: type === "intrazone" || type === "interzone" ? type : "universal",`,
      to: `type: type === "interzone" ? type : "universal",`,
    },
  ],
  "ipv4-is-no-part-of-ipv6": [
    {
      file: "src/core/address-range.ts",
      from: "return { first: number & ~host, last: number | host };",
      to: "return { first: width === 128 && number === 0n ? 1n << 32n : number & ~host, last: number | host };",
    },
  ],
  "learned-routes-are-not-said": [
    {
      file: "src/targets/panos/policy/landings.ts",
      from: `...learning.map(({ name, learns }) => \`\${learns.join(", ")} of \${name} may have routes that are not in the configuration.\`),`,
      to: `...learning.slice(0, 0).map(({ name, learns }) => \`\${learns.join(", ")} of \${name} may have routes that are not in the configuration.\`),`,
    },
  ],
  "nat-that-translates-nothing-is-passed-over": [
    {
      file: "src/targets/panos/policy/nat-pieces.ts",
      from: ".filter(({ rule }) => isOfIpv4(rule))",
      to: `.filter(({ rule }) => isOfIpv4(rule) && rule.children.some(({ tag }) => tag.endsWith("translation")))`,
    },
  ],
  "nat-works-one-way": [
    {
      file: "src/targets/panos/policy/nat-pieces.ts",
      from: "if (fixed === undefined) return [];",
      to: "if (fixed !== undefined || fixed === undefined) return [];",
    },
  ],
  "negation-is-forgotten": [
    {
      file: "src/targets/panos/policy/addresses.ts",
      from: "return { negated, objects: names.map((name) => this.named(name)) };",
      to: "return { negated: false, objects: names.map((name) => this.named(name)) };",
    },
  ],
  "of-routes-that-are-alike-one-is-taken": [
    {
      file: "src/targets/panos/policy/forwarding.ts",
      from: "return { hops: unique, isOwn, key: JSON.stringify([isOwn, unique]) };",
      to: "return { hops: unique.slice(0, 1), isOwn, key: JSON.stringify([isOwn, unique]) };",
    },
  ],
  "one-address-in-two-spellings-is-two": [
    {
      file: "src/reachability/changes/landings.ts",
      from: `if (was.zone !== now.zone || was.ends !== now.ends || was.ends === "unknown") return [region];`,
      to: `if (was.zone !== "") return [region];`,
    },
  ],
  "registered-addresses-are-none": [
    {
      file: "src/targets/panos/policy/addresses.ts",
      from: `return { members: tagged.map(({ node }) => this.named(node.name ?? "")), unknowns: [registered] };`,
      to: `return { members: tagged.map(({ node }) => this.named(node.name ?? "")) };`,
    },
  ],
  "rules-above-do-not-count": [
    {
      file: "src/reachability/flows/verdict-changes.ts",
      from: "const above = own.index.meeting(piece, at).map(({ box }) => box);",
      to: "const above = own.index.meeting(piece, 0).map(({ box }) => box);",
    },
  ],
  "rules-see-the-zone-before-nat": [
    {
      file: "src/targets/panos/policy/landing-version.ts",
      from: "if (more.length === 0) return only.hops.map((to, n) => ({ ranges, landing: at(only, to), conditions: taken(only, n, BECOMES) }));",
      to: "if (more.length === 0) return only.hops.map((to, n) => ({ ranges, landing: at(course, hop), conditions: taken(only, n, BECOMES) }));",
    },
  ],
  "source-ports-are-forgotten": [
    {
      file: "src/targets/panos/policy/services.ts",
      from: "return { values: ports.map((range) => ({ protocol, ...range, ...(sourcePorts === undefined ? {} : { sourcePorts }) })) };",
      to: "return { values: ports.map((range) => ({ protocol, ...range, ...{} })) };",
    },
  ],
  "the-last-match-decides": [
    {
      file: "src/targets/panos/policy/rules.ts",
      from: "return [...explicit, ...DEFAULTS.map((rule) => defaultRule(rule, system, reading))];",
      to: "return [...explicit.toReversed(), ...DEFAULTS.map((rule) => defaultRule(rule, system, reading))];",
    },
  ],
  "wildcards-go-in-order": [
    {
      file: "src/targets/panos/policy/wildcard-order.ts",
      from: "if (doubtful.length === 0) return rules;",
      to: "if (doubtful.length >= 0) return rules;",
    },
  ],
};
