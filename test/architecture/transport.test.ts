import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { emptyHouse, put } from "./house.js";
import { importsOf } from "./imports.js";

interface Seam {
  /** Folder of the sources that use the client. */
  readonly kind: string;
  readonly client: string;
  /** Files of the client folder that other folders may import. */
  readonly open: readonly string[];
  /** Code that belongs into the client folder: requests with their retry flag, and calls of the transport. */
  readonly transport: RegExp;
}

const SEAMS: readonly Seam[] = [
  {
    kind: "targets/panos",
    client: "targets/panos/client",
    open: ["client", "commands", "encode-operation", "hide-secrets", "reply", "request", "retry"],
    transport: /\bPanosTransport\b|\brepeatable\b|\bsendForBytes\b|\.send\(/,
  },
  {
    kind: "targets/contrail",
    client: "targets/contrail/client",
    open: ["client", "connection", "lists", "objects", "refusal", "types", "watch"],
    transport: /\brepeatable|\.(?:send|require|stream)\(/,
  },
  {
    kind: "targets/openstack",
    client: "targets/openstack-client/client",
    open: ["client", "openstack-error", "pages", "reply", "request"],
    transport: /\brepeatable\b|\.(?:exchange|call)\(/,
  },
];

/** Imports and lines outside the client folder that use its transport. */
function usesOfTransport(root: string, { kind, client, open, transport }: Seam): readonly string[] {
  const isOutside = (file: string): boolean => file.startsWith(`${kind}/`) && !file.startsWith(`${client}/`);
  const allowed = new Set(open.map((name) => `${client}/${name}.ts`));
  const imports = importsOf(root)
    .filter(({ from, to }) => isOutside(from) && to.startsWith(`${client}/`) && !allowed.has(to))
    .map(({ from, to }) => `${from} imports ${to}`);
  const lines = readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && isOutside(file))
    .flatMap((file) =>
      readFileSync(join(root, file), "utf8")
        .split("\n")
        .flatMap((line) => (transport.test(line) ? [`${file}: ${line.trim()}`] : [])),
    );
  return [...imports, ...lines];
}

describe("only the client folder of a kind knows requests and replies", () => {
  it.each(SEAMS)("in $kind", (seam) => {
    expect(usesOfTransport("src", seam)).toEqual([]);
    for (const name of seam.open) expect(readdirSync(join("src", seam.client))).toContain(`${name}.ts`);
  });

  it("and the rule finds imports of the transport, requests with a retry flag and calls of the transport", () => {
    const house = emptyHouse();
    put(house, "src/targets/panos/a.ts", 'import { PanosTransport } from "./client/transport.js";\n');
    put(house, "src/targets/panos/read/b.ts", "const request = { parameters: [], repeatable: true };\n");
    put(house, "src/targets/panos/read/c.ts", 'import type { X } from "../client/credentials.js";\n');
    put(house, "src/targets/panos/client/d.ts", "await transport.send({ repeatable: true });\n");
    put(house, "src/targets/panos/e.ts", 'import { showJob } from "./client/commands.js";\nawait client.run(showJob("1"));\n');
    put(house, "src/targets/contrail/f.ts", "const reply = await client.send(get(path));\n");
    put(house, "src/targets/openstack/g.ts", 'import { Wire } from "../openstack-client/client/wire.js";\n');
    put(house, "src/targets/openstack/h.ts", "await wire.exchange(call);\nawait client.request(request);\n");
    expect(SEAMS.flatMap((seam) => usesOfTransport(join(house, "src"), seam)).toSorted()).toEqual([
      "targets/contrail/f.ts: const reply = await client.send(get(path));",
      "targets/openstack/g.ts imports targets/openstack-client/client/wire.ts",
      "targets/openstack/h.ts: await wire.exchange(call);",
      "targets/panos/a.ts imports targets/panos/client/transport.ts",
      'targets/panos/a.ts: import { PanosTransport } from "./client/transport.js";',
      "targets/panos/read/b.ts: const request = { parameters: [], repeatable: true };",
      "targets/panos/read/c.ts imports targets/panos/client/credentials.ts",
    ]);
  });
});
