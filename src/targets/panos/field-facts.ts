import type { KnownField } from "../../desired/kind.js";

/**
 * What a firewall takes in the fields of the objects that are written most. Facts from the vendor's machine-readable
 * specifications of its own tools (pan-os-codegen, `specs/objects`, `specs/policies`, `specs/network/zone.yaml`, commit 9920a6f of
 * 2026-07-21, PAN-OS 10.1 to 11.2), as our own table; forms of addresses and ports are RFC 4291, RFC 4632 and IANA's. A field that is
 * not here takes what the device takes.
 */
export type FieldFact = KnownField;

/** Facts by the path of a field in its entry. */
export type EntryFacts = Readonly<Record<string, FieldFact>>;

const YES_NO: FieldFact = { words: ["yes", "no"] };
const OBJECT_TEXT: FieldFact = { longest: 1023 };
const RULE_TEXT: FieldFact = { longest: 1024 };
const PROFILE: FieldFact = { longest: 63 };
const PORTS: FieldFact = { form: "ports", longest: 1023 };
const WEEK: FieldFact = { from: 1, to: 604_800 };
const TIMEWAIT: FieldFact = { from: 1, to: 600 };
const PORT: FieldFact = { from: 1, to: 65_535 };
const MATCH: FieldFact = { form: "match-address" };
const ACTION: FieldFact = { words: ["deny", "allow", "drop", "reset-client", "reset-server", "reset-both"] };
/** There is no color18. */
const COLOURS: FieldFact = {
  words: Array.from({ length: 42 }, (_, index) => `color${index + 1}`).filter((word) => word !== "color18"),
};

const protocol = (name: string): EntryFacts => ({
  [`protocol/${name}/port`]: PORTS,
  [`protocol/${name}/source-port`]: PORTS,
  [`protocol/${name}/override/yes/timeout`]: WEEK,
});

/** Lists of shared, of a virtual system and of a device group, by their tag. */
export const OBJECT_FACTS: Readonly<Record<string, EntryFacts>> = {
  address: {
    "ip-netmask": { form: "address-or-network" },
    "ip-range": { form: "address-range" },
    "ip-wildcard": { form: "wildcard" },
    fqdn: { form: "host-name" },
    description: OBJECT_TEXT,
    "disable-override": YES_NO,
  },
  "address-group": { description: OBJECT_TEXT, "dynamic/filter": { longest: 2047 }, "disable-override": YES_NO },
  service: {
    ...protocol("tcp"),
    ...protocol("udp"),
    "protocol/tcp/override/yes/halfclose-timeout": WEEK,
    "protocol/tcp/override/yes/timewait-timeout": TIMEWAIT,
    description: OBJECT_TEXT,
    "disable-override": YES_NO,
  },
  "service-group": { "disable-override": YES_NO },
  tag: { color: COLOURS, comments: OBJECT_TEXT, "disable-override": YES_NO },
  zone: {
    "enable-user-identification": YES_NO,
    "enable-device-identification": YES_NO,
    "network/enable-packet-buffer-protection": YES_NO,
    "network/log-setting": PROFILE,
  },
};

/** Rules by the tag of their rulebase, before and behind those of a manager too. */
export const RULE_FACTS: Readonly<Record<string, EntryFacts>> = {
  security: {
    action: ACTION,
    "rule-type": { words: ["universal", "intrazone", "interzone"] },
    source: MATCH,
    destination: MATCH,
    disabled: YES_NO,
    "negate-source": YES_NO,
    "negate-destination": YES_NO,
    "log-start": YES_NO,
    "log-end": YES_NO,
    "icmp-unreachable": YES_NO,
    "disable-inspect": YES_NO,
    "option/disable-server-response-inspection": YES_NO,
    description: RULE_TEXT,
    "log-setting": PROFILE,
    "group-tag": { longest: 127 },
  },
  "default-security-rules": {
    action: ACTION,
    "log-start": YES_NO,
    "log-end": YES_NO,
    "icmp-unreachable": YES_NO,
    "log-setting": PROFILE,
    "group-tag": { longest: 127 },
  },
  nat: {
    "nat-type": { words: ["ipv4", "nat64", "nptv6"] },
    "active-active-device-binding": { words: ["primary", "both", "0", "1"] },
    source: MATCH,
    destination: MATCH,
    disabled: YES_NO,
    description: RULE_TEXT,
    service: PROFILE,
    "source-translation/static-ip/bi-directional": YES_NO,
    "destination-translation/translated-port": PORT,
    "destination-translation/dns-rewrite/direction": { words: ["reverse", "forward"] },
    "dynamic-destination-translation/translated-port": PORT,
    "dynamic-destination-translation/distribution": {
      words: ["round-robin", "source-ip-hash", "ip-modulo", "ip-hash", "least-sessions"],
    },
    "group-tag": { longest: 127 },
  },
};
