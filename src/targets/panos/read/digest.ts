import { createHash } from "node:crypto";
import type { Path } from "../../../core/tree/path.js";
import type { PendingChange } from "../../../plan/platform.js";
import { configRead } from "../client/request.js";
import { askPending } from "../pending.js";
import type { OpenSession } from "../session.js";
import { withoutNested } from "./subtrees.js";

/**
 * SHA-256 over the bytes that the device would send to a drift pass, and over what is pending. Bytes that differ may still
 * mean the same; bytes that do not are proof. Undefined where a reply is no whole success.
 */
export async function digestOf(
  session: OpenSession,
  subtrees: readonly Path[],
  listed?: readonly PendingChange[],
): Promise<string | undefined> {
  const { client, capabilities, identity } = session;
  const pending = listed ?? (await askPending(session));
  const candidate = !capabilities.show || (capabilities.changeList && pending.length === 0);
  const action = candidate ? "get" : "show";
  const paths = withoutNested(subtrees);
  const hashes = await Promise.all(
    paths.map(async (path) => {
      const body = await client.sendForBytes(configRead(action, path.toString()));
      return body === undefined ? undefined : createHash("sha256").update(body).digest("hex");
    }),
  );
  if (hashes.includes(undefined)) return undefined;
  const facts = [action, identity, pending, paths.map((path, index) => [path.toString(), hashes[index]])];
  return createHash("sha256").update(JSON.stringify(facts)).digest("hex");
}
