import { atMost, between, fqdn, ipNetmask, ipRange, ipv4, ipWildcard, oneOf, ports, type ValueCheck, yesNo } from "./formats.js";

/** Checks of devices for the entries of one list. Paths are the tags below the entry, joined by `/`, without `entry`. */
export interface ObjectRule {
  readonly maxName: number;
  readonly charset?: RegExp;
  readonly reservedNames?: readonly string[];
  /** Allowed children of an entry. Undefined if all children are allowed. */
  readonly children?: readonly string[];
  /** Checked when a value is written. */
  readonly leaves?: Readonly<Record<string, ValueCheck>>;
  /** Checked by validate and commit: at least one of these must exist. If several exist, the last is kept. */
  readonly oneOf?: readonly string[];
  /** Checked by validate and commit: each must exist. A path with several tags is only required if its parent exists. */
  readonly required?: readonly string[];
}

const OBJECT_NAME = /^[ 0-9a-zA-Z._-]+$/;
const COMMON = ["description", "tag", "disable-override"];
const PORTS = { port: ports, "source-port": ports };

const service: ObjectRule = {
  maxName: 63,
  charset: OBJECT_NAME,
  reservedNames: ["any", "application-default"],
  children: ["protocol", ...COMMON],
  leaves: {
    description: atMost(1023),
    "protocol/tcp/port": PORTS.port,
    "protocol/tcp/source-port": ports,
    "protocol/udp/port": PORTS.port,
    "protocol/udp/source-port": ports,
    "protocol/sctp/port": PORTS.port,
  },
  oneOf: ["protocol/tcp", "protocol/udp", "protocol/sctp"],
  required: ["protocol/tcp/port", "protocol/udp/port", "protocol/sctp/port"],
};

const MATCH = ["from", "to", "source", "destination"];

const security: ObjectRule = {
  maxName: 63,
  charset: OBJECT_NAME,
  reservedNames: ["intrazone-default", "interzone-default"],
  children: [
    ...MATCH,
    ...["source-user", "source-hip", "destination-hip", "hip-profiles", "application", "service", "category", "action", "option", "qos"],
    ...["description", "disabled", "rule-type", "icmp-unreachable", "negate-source", "negate-destination", "tag", "group-tag", "target"],
    ...["profile-setting", "log-start", "log-end", "log-setting", "schedule", "saas-tenant-list", "saas-user-list", "disable-inspect"],
  ],
  leaves: {
    action: oneOf("allow", "deny", "drop", "reset-client", "reset-server", "reset-both"),
    "rule-type": oneOf("universal", "intrazone", "interzone"),
    disabled: yesNo,
    "log-start": yesNo,
    "log-end": yesNo,
    "negate-source": yesNo,
    "negate-destination": yesNo,
    "icmp-unreachable": yesNo,
    description: atMost(1023),
  },
  required: [...MATCH, "application", "service", "action"],
};

const nat: ObjectRule = {
  maxName: 63,
  charset: OBJECT_NAME,
  children: [
    ...MATCH,
    ...["to-interface", "service", "nat-type", "source-translation", "destination-translation", "dynamic-destination-translation"],
    ...["active-active-device-binding", "description", "disabled", "tag", "group-tag", "target"],
  ],
  leaves: { "nat-type": oneOf("ipv4", "nat64", "nptv6"), disabled: yesNo, description: atMost(1023) },
  required: [...MATCH, "service"],
};

/** Object rules by the kind that a list defines. The key for rules is `<rulebase> rules`. */
export const OBJECT_RULES: Readonly<Record<string, ObjectRule>> = {
  address: {
    maxName: 63,
    charset: OBJECT_NAME,
    reservedNames: ["any"],
    children: ["ip-netmask", "ip-range", "ip-wildcard", "fqdn", ...COMMON],
    leaves: { "ip-netmask": ipNetmask, "ip-range": ipRange, "ip-wildcard": ipWildcard, fqdn, description: atMost(1023) },
    oneOf: ["ip-netmask", "ip-range", "ip-wildcard", "fqdn"],
  },
  "address-group": {
    maxName: 63,
    charset: OBJECT_NAME,
    reservedNames: ["any"],
    children: ["static", "dynamic", ...COMMON],
    leaves: { description: atMost(1023), "dynamic/filter": atMost(2047) },
    oneOf: ["static", "dynamic"],
  },
  service,
  "service-group": {
    maxName: 63,
    charset: OBJECT_NAME,
    reservedNames: ["any"],
    children: ["members", "tag", "disable-override"],
    required: ["members"],
  },
  tag: {
    maxName: 127,
    charset: /^[^'[\]]+$/,
    children: ["color", "comments"],
    leaves: { color: oneOf(...colors()), comments: atMost(1023) },
  },
  zone: { maxName: 31, charset: OBJECT_NAME, reservedNames: ["any", "multicast"] },
  schedule: { maxName: 31, charset: OBJECT_NAME },
  "application-group": { maxName: 31, charset: OBJECT_NAME, children: ["members", "member", "entry", "disable-override"] },
  interface: { maxName: 31, leaves: { tag: between(1, 4094), "layer3/mtu": between(576, 9216), "layer3/units/tag": between(1, 4094) } },
  "syslog-profile": { maxName: 63, leaves: { "server/port": between(1, 65535), "server/transport": oneOf("UDP", "TCP", "SSL") } },
  // Issue 595 of pan-os-ansible: a match list without a filter fails at commit. The device schema has no default for it.
  "log-match-list": { maxName: 63, required: ["filter"] },
  "security rules": security,
  "nat rules": nat,
};

/** Checks of leaves outside lists, by their path below the device entry. */
export const SETTING_RULES: Readonly<Record<string, ValueCheck>> = {
  "deviceconfig/system/hostname": (value) =>
    value.length > 31 ? atMost(31)(value) : /^[A-Za-z0-9._-]+$/.test(value) ? undefined : "is invalid",
  "deviceconfig/system/ip-address": ipv4,
  "deviceconfig/system/netmask": ipv4,
  "deviceconfig/system/default-gateway": ipv4,
};

function colors(): string[] {
  return Array.from({ length: 42 }, (_, index) => `color${index + 1}`);
}
