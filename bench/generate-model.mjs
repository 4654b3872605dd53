/**
 * Generates the objects of a firewall of a given size as plain data. The same options give the same data on every machine. All references
 * resolve, so the lab, the loader and the planner accept the data.
 */

const APPLICATIONS = [
  "ssl",
  "web-browsing",
  "dns",
  "ntp",
  "ssh",
  "ms-rdp",
  "ldap",
  "kerberos",
  "smtp",
  "snmp",
  "syslog",
  "icmp",
  "ping",
  "mysql",
  "postgres",
];
const ROLES = ["web", "app", "db", "cache", "proxy", "mail", "dns", "ntp", "build", "vpn", "print", "log"];
const SITES = ["ber", "lis", "osl", "rom", "nyc", "sfo", "sin", "syd", "tok", "zrh"];
const ZONES = ["untrust", "trust", "dmz", "mgmt", "guest", "voice", "partner", "backup"];

/** Returns a generator of numbers in [0, 1) (mulberry32). It gives the same sequence for a seed on every version of Node. */
function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/**
 * @param {{addresses?: number, rules?: number, services?: number, groups?: number, seed?: number}} sizes
 * `groups` is the number of address groups. By default, services and groups grow with the addresses.
 */
export function generateModel({ addresses = 100_000, rules = 20_000, services, groups, seed = 1 } = {}) {
  const random = randomFrom(seed);
  const below = (bound) => Math.floor(random() * bound);
  const pick = (list) => list[below(list.length)];
  const some = (list, least, most) => [...new Set(Array.from({ length: least + below(most - least + 1) }, () => pick(list)))];

  const tags = SITES.flatMap((site) =>
    ROLES.slice(0, 6).map((role) => ({ name: `${site}-${role}`, color: `color${1 + below(16)}`, comments: `${role} in ${site}` })),
  );
  const tagNames = tags.map((tag) => tag.name);
  const addressList = Array.from({ length: addresses }, (_, index) => {
    const name = `${pick(SITES)}-${pick(ROLES)}-${String(index).padStart(6, "0")}`;
    const kind = index % 20;
    const octets = `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
    const value =
      kind === 19
        ? { fqdn: `${name}.example.net` }
        : kind === 18
          ? { "ip-range": `${octets}-${octets.replace(/^10/, "11")}` }
          : { "ip-netmask": kind < 12 ? `${octets}/32` : octets };
    return {
      name,
      value,
      description: index % 3 === 0 ? `Ticket CHG${100000 + index}, owned by ${pick(ROLES)} team` : undefined,
      tags: index % 4 === 0 ? [pick(tagNames)] : [],
    };
  });
  const addressNames = addressList.map((address) => address.name);
  const groupList = Array.from({ length: groups ?? Math.ceil(addresses / 50) }, (_, index) => ({
    name: `grp-${pick(SITES)}-${String(index).padStart(5, "0")}`,
    members: some(addressNames, 3, 20),
  }));
  const serviceList = Array.from({ length: services ?? Math.ceil(addresses / 20) }, (_, index) => ({
    name: `${index % 4 === 0 ? "udp" : "tcp"}-${1024 + index}`,
    protocol: index % 4 === 0 ? "udp" : "tcp",
    port: index % 7 === 0 ? `${1024 + index}-${1034 + index}` : String(1024 + index),
  }));
  const serviceNames = serviceList.map((service) => service.name);
  const sources = [...groupList.map((group) => group.name), ...addressNames];
  const ruleList = Array.from({ length: rules }, (_, index) => ({
    name: `R${String(index).padStart(5, "0")}-${pick(ROLES)}-to-${pick(ROLES)}`,
    uuid: [8, 4, 4, 4, 12].map((length) => Array.from({ length }, () => below(16).toString(16)).join("")).join("-"),
    description: `CHG${200000 + index}: ${pick(ROLES)} servers of ${pick(SITES)} reach ${pick(ROLES)} of ${pick(SITES)}; review every year`,
    tags: some(tagNames, 1, 2),
    from: some(ZONES, 1, 2),
    to: some(ZONES, 1, 2),
    source: index % 9 === 0 || sources.length === 0 ? ["any"] : some(sources, 1, 5),
    destination: index % 11 === 0 || sources.length === 0 ? ["any"] : some(sources, 1, 5),
    sourceUser: index % 6 === 0 ? [`example\\${pick(ROLES)}-team`, `example\\${pick(SITES)}-users`] : ["any"],
    application: index % 5 === 0 ? ["any"] : some(APPLICATIONS, 1, 4),
    service: serviceNames.length === 0 || index % 3 === 0 ? ["application-default"] : some(serviceNames, 1, 2),
    action: index % 13 === 0 ? "deny" : "allow",
    disabled: index % 29 === 0,
  }));
  return { tags, zones: ZONES, addresses: addressList, groups: groupList, services: serviceList, rules: ruleList };
}
