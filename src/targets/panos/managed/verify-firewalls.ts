import { createHash } from "node:crypto";
import type { TreeNode } from "../../../core/tree/node.js";
import { protectSecrets } from "../../../core/tree/stored-secrets.js";
import { parseXml } from "../../../core/tree/xml/parse.js";
import type { FirewallComparison, ManagedFirewall } from "../../../outcome/managed-firewalls.js";
import type { PanosClient } from "../client/client.js";
import { showPushedPolicy, showPushedTemplate } from "../client/commands.js";
import { readReply } from "../client/reply.js";
import type { PanosRequest } from "../client/request.js";
import { policyDifferences } from "../projection/compare-policy.js";
import { templateDifferences } from "../projection/compare-template.js";
import type { PushDifference } from "../projection/differences.js";
import type { GroupPolicy, Projection } from "../projection/projection.js";
import { pushedPolicyIn, pushedTemplateIn } from "../projection/pushed.js";
import { panosShape } from "../shape.js";
import { GROUP, STACK } from "./rows.js";

/** Maximum number of differences reported per row. */
const MAX_REPORTED = 20;

/**
 * Compares the configuration that each connected firewall reports as pushed with the projection. It sends one request per row, and one more
 * for a firewall with several virtual systems. Firewalls of a group that send equal bytes are compared once. `sent` caches the replies of
 * earlier calls.
 */
export async function verifyFirewalls(
  client: PanosClient,
  projection: Projection,
  rows: readonly ManagedFirewall[],
  sent?: SentByFirewalls,
): Promise<ManagedFirewall[]> {
  const judge = new Judge(client, projection, sent);
  return await Promise.all(
    rows.map(async (row) => {
      if (!row.connected) return row;
      const handed = await judge
        .handedTo(row)
        .catch((error: unknown): FirewallComparison => unknown(error instanceof Error ? error.message : String(error)));
      return { ...row, handed };
    }),
  );
}

/** A firewall's reply. It is only parsed if its digest was not compared before. */
interface Sent {
  readonly digest: string;
  readonly result: () => TreeNode | undefined;
}

/** Replies by serial number and command. */
export type SentByFirewalls = Map<string, Promise<Sent>>;

class Judge {
  readonly #client: PanosClient;
  readonly #projection: Projection;
  readonly #known = new Map<string, FirewallComparison>();
  /** Replies by serial number and command. A firewall with several virtual systems is queried once about `shared`. */
  readonly #sent: SentByFirewalls;

  constructor(client: PanosClient, projection: Projection, sent: SentByFirewalls = new Map()) {
    this.#client = client;
    this.#projection = projection;
    this.#sent = sent;
  }

  async handedTo(row: ManagedFirewall): Promise<FirewallComparison> {
    if (row.by.startsWith(STACK)) return await this.#template(row);
    const policy = this.#projection.policy(row.by.slice(GROUP.length));
    return policy === undefined ? unknown(`${row.by} is not in the manager's running configuration`) : await this.#policy(row, policy);
  }

  async #template({ serial, by }: ManagedFirewall): Promise<FirewallComparison> {
    const stack = this.#projection.stack(by.slice(STACK.length));
    if (stack === undefined) return unknown(`${by} is not in the manager's running configuration`);
    const { digest, result } = await this.#query(showPushedTemplate, serial);
    const key = [by, stack.values.has(serial) ? serial : "", digest].join(" ");
    return this.#once(key, () => {
      const found = pushedTemplateIn(result());
      return templateDifferences(stack, found === undefined ? undefined : protectSecrets(found, panosShape()), serial);
    });
  }

  async #policy({ serial, vsys, by }: ManagedFirewall, policy: GroupPolicy): Promise<FirewallComparison> {
    const [own, beside] = await Promise.all([
      this.#query(showPushedPolicy(vsys), serial),
      vsys === undefined ? undefined : this.#query(showPushedPolicy(undefined), serial),
    ]);
    const key = [by, policy.isForAll ? "" : `${serial} ${vsys}`, own.digest, beside?.digest].join(" ");
    return this.#once(key, () => {
      const pushed = pushedPolicyIn(own.result());
      const shared = beside === undefined ? pushed.shared : pushedPolicyIn(beside.result()).shared;
      return policyDifferences(policy, { own: pushed.own, shared }, { serial, vsys: vsys ?? "vsys1" }, this.#projection.options);
    });
  }

  #once(key: string, differences: () => Iterable<PushDifference>): FirewallComparison {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const all = [...differences()];
    const rows = all.slice(0, MAX_REPORTED).map(({ path, ...each }) => ({ ...each, xpath: path.toString() }));
    const made: FirewallComparison = { state: all.length === 0 ? "equal" : "differs", differences: rows, more: all.length - rows.length };
    this.#known.set(key, made);
    return made;
  }

  #query(command: PanosRequest, serial: string): Promise<Sent> {
    const key = JSON.stringify([serial, command.parameters]);
    const sent = this.#sent.get(key) ?? this.#queryFirewall(command, serial, key);
    this.#sent.set(key, sent);
    return sent;
  }

  /** Sends the command to the firewall through the manager. */
  async #queryFirewall(command: PanosRequest, serial: string, key: string): Promise<Sent> {
    const firewall = this.#client.firewall(serial);
    const bytes = await firewall.readBytes(command).catch(() => undefined);
    if (bytes !== undefined) {
      const digest = createHash("sha256").update(bytes).digest("hex");
      return { digest, result: () => readReply(parseXml(bytes, { maxBytes: bytes.length }), 200)?.result };
    }
    const { result } = await firewall.run(command);
    return { digest: key, result: () => result };
  }
}

function unknown(why: string): FirewallComparison {
  return { state: "unknown", differences: [], more: 0, why };
}
