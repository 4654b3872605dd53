import { SecretValue } from "../../../src/core/secret.js";
import type { TreeNode } from "../../../src/core/tree/node.js";
import { writeXml } from "../../../src/core/tree/xml/write.js";
import { startLab } from "../../../src/lab/panos/start.js";
import { openPanosWriter } from "../../../src/targets/panos/writer.js";
import type { Bench } from "../conformance/bench.js";
import { onFirewall, RUNNING } from "../conformance/firewall-tree.js";
import { targetConformance } from "../conformance/target-conformance.js";
import { configuration, dependencies } from "./fixtures.js";

const LOCK = "<request><config-lock><add><comment>hands off</comment></add></config-lock></request>";

/** `write`: the action that writes. */
async function firewall(version: string, write: string): Promise<Bench> {
  const administrators = ["netops", "alice"].map((name) => ({ name, password: "secret", role: { kind: "superuser" } as const }));
  const lab = await startLab({ devices: [{ system: { version }, config: RUNNING, administrators, plainHttp: true, jobDuration: 0 }] });
  const credentials = { username: "netops", password: new SecretValue("secret", "${env:PW}") };
  const act = (params: Readonly<Record<string, string>>): void => void lab.device.act("alice", params);
  return {
    ...onFirewall,
    connect: () => openPanosWriter(configuration(lab.device.plainUrl ?? "", { credentials }), dependencies()),
    other: {
      name: "alice",
      lock: () => act({ type: "op", cmd: LOCK }),
      write: (entry: TreeNode) =>
        act({ type: "config", action: "set", xpath: onFirewall.list.toString(), element: writeXml(entry, { secrets: "reveal" }) }),
    },
    loseReply: (of) => lab.fault({ match: of === "commit" ? { type: "commit" } : { action: write }, effect: { kind: "drop-reply" } }),
    close: () => lab.close(),
  };
}

const NOT_ON_FIREWALLS = [
  "calls nothing hidden that is only gone",
  "knows no checksum of an image that is not there",
  "waits until what was written is made",
];

targetConformance("a lab firewall", () => firewall("11.1.0", "multi-config"), [
  ...NOT_ON_FIREWALLS,
  "stops at what is refused, and lets stand what came before",
]);
targetConformance("a lab firewall of old", () => firewall("9.1.0", "set"), [...NOT_ON_FIREWALLS, "does all of a batch or nothing"]);
