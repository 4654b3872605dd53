import { createHash } from "node:crypto";
import type { Path } from "../../../core/tree/path.js";
import type { PendingChange } from "../../../plan/platform.js";
import { getConfiguration } from "../client/commands.js";
import { readPending } from "../pending.js";
import type { OpenSession } from "../session.js";
import { withoutNested } from "./subtrees.js";

/**
 * Returns the SHA-256 of the bytes that the device sends for a drift pass, and of the pending changes. Equal digests prove equality;
 * different digests prove nothing. Undefined if a reply is not a complete success.
 */
export async function digestOf(
  session: OpenSession,
  subtrees: readonly Path[],
  listed?: readonly PendingChange[],
): Promise<string | undefined> {
  const { client, capabilities, identity } = session;
  const pending = listed ?? (await readPending(session));
  const candidate = !capabilities.show || (capabilities.changeList && pending.length === 0);
  const view = candidate ? "candidate" : "running";
  const paths = withoutNested(subtrees);
  const hashes = await Promise.all(
    paths.map(async (path) => {
      const body = await client.readBytes(getConfiguration(view, path.toString()));
      return body === undefined ? undefined : createHash("sha256").update(body).digest("hex");
    }),
  );
  if (hashes.includes(undefined)) return undefined;
  const facts = [view, identity, pending, paths.map((path, index) => [path.toString(), hashes[index]])];
  return createHash("sha256").update(JSON.stringify(facts)).digest("hex");
}
