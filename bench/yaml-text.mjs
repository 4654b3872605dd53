// Generates documents with the proportions of real policies: many addresses, fewer rules, groups, comments and tags.

export const DOCUMENT_HEAD = "target: edge\nscope: vsys1\n";

/** Returns `address:` with about `bytes` bytes of entries. The numbers in their names start at `from`. */
export function addresses(from, bytes) {
  const lines = ["  address:\n"];
  let length = 0;
  for (let i = from; length < bytes; i++) {
    const ip = `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`;
    const line =
      i % 5 === 0
        ? `    host-${i}:\n      ip-netmask: ${ip}/32\n      description: "Server ${i}, rack ${i % 40}"\n      tag: [production, rack-${i % 40}]\n`
        : i % 7 === 0
          ? `    host-${i}: { fqdn: host-${i}.example.net }\n`
          : `    host-${i}: { ip-netmask: ${ip} }\n`;
    lines.push(line);
    length += line.length;
  }
  return lines.join("");
}

/** Returns `rulebase:` with about `bytes` bytes of security rules. */
export function rules(bytes) {
  const lines = ["  rulebase:\n    security:\n      rules:\n"];
  let length = 0;
  for (let i = 0; length < bytes; i++) {
    const line = `        # change ${1000 + i}
        - name: rule-${i}
          from: [zone-${i % 9}]
          to: [zone-${(i + 1) % 9}, zone-${(i + 4) % 9}]
          source: [host-${i}, host-${i + 1}]
          destination:
            - host-${i * 3}
            - host-${i * 3 + 2}
          source-user: [any]
          category: [any]
          application: [ssl, web-browsing]
          service: [application-default]
          action: allow
          description: Allows traffic of service ${i}
          log-end: yes
`;
    lines.push(line);
    length += line.length;
  }
  return lines.join("");
}
