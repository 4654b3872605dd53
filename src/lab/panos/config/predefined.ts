import { TreeNode } from "../../../core/tree/node.js";

/** Some applications of a device's content, with their default ports. */
const PORTS: Readonly<Record<string, readonly string[]>> = {
  bgp: ["tcp/179"],
  dhcp: ["udp/67,68"],
  dns: ["tcp/53", "udp/53"],
  "facebook-base": ["tcp/80,443"],
  "facebook-chat": ["tcp/80,443"],
  ftp: ["tcp/21"],
  imap: ["tcp/143"],
  kerberos: ["tcp/88", "udp/88"],
  ldap: ["tcp/389", "udp/389"],
  "ms-ds-smb": ["tcp/445"],
  "ms-rdp": ["tcp/3389"],
  "mssql-db": ["tcp/1433"],
  mysql: ["tcp/3306"],
  ntp: ["udp/123"],
  postgres: ["tcp/5432"],
  quic: ["udp/443"],
  "snmp-base": ["udp/161"],
  smtp: ["tcp/25"],
  ssh: ["tcp/22"],
  ssl: ["tcp/443"],
  syslog: ["udp/514"],
  telnet: ["tcp/23"],
  "web-browsing": ["tcp/80"],
};
/** Containers with their applications. */
const CONTAINERS: Readonly<Record<string, readonly string[]>> = { facebook: ["facebook-base", "facebook-chat"] };

const list = (tag: string, children: readonly TreeNode[]): TreeNode => new TreeNode(tag, undefined, "", children);
const members = (tag: string, texts: readonly string[]): TreeNode =>
  list(
    tag,
    texts.map((text) => new TreeNode("member", undefined, text)),
  );
/** Applications that a device identifies without ports. */
const IDENTIFIED: Readonly<Record<string, TreeNode>> = {
  gre: new TreeNode("ident-by-ip-protocol", undefined, "47"),
  icmp: new TreeNode("ident-by-ip-protocol", undefined, "1"),
  ping: list("ident-by-icmp-type", [new TreeNode("type", undefined, "8")]),
  ping6: list("ident-by-icmp6-type", [new TreeNode("type", undefined, "128")]),
};
const entry = (name: string, child: TreeNode): TreeNode => new TreeNode("entry", name, "", [child]);

/** The part of the configuration that comes with the device's content. Clients can read it, and it is in no other reply. */
export const predefined: TreeNode = list("config", [
  list("predefined", [
    list("application", [
      ...Object.entries(PORTS).map(([name, ports]) => entry(name, list("default", [members("port", ports)]))),
      ...Object.entries(IDENTIFIED).map(([name, identified]) => entry(name, list("default", [identified]))),
    ]),
    list(
      "application-container",
      Object.entries(CONTAINERS).map(([name, functions]) => entry(name, members("functions", functions))),
    ),
  ]),
]);
