import { PlumblineError } from "../../../core/errors.js";
import type { JsonObject } from "../../../core/json/value.js";
import { Path } from "../../../core/tree/path.js";
import { isLeaseLost } from "../../../core/write-lease.js";
import { isOutcomeUnknown, mayStillHappen, OpenstackError } from "../../openstack-client/client/openstack-error.js";
import type { OpenstackReply } from "../../openstack-client/client/reply.js";
import type { WriteContext } from "./context.js";

/** Interval between two searches for a created object, in milliseconds. */
const POLL_INTERVAL = 2000;

/** `reply` is undefined if only the object was found. */
export interface Created {
  readonly object: JsonObject;
  readonly reply: OpenstackReply | undefined;
}

/**
 * Creates an object once. After a lost reply, it searches for the mark until `createSettle` has passed. It repeats the create only if the
 * service itself reported that the first one failed. The entry is recorded, in case the first create succeeds even later.
 * @throws PlumblineError `create-unproven` (partial) if the object is not found and the first create may still succeed, or if the service
 *   does not report its objects either
 */
export async function createOnce(
  context: WriteContext,
  path: Path,
  create: () => Promise<{ readonly object: JsonObject; readonly reply: OpenstackReply }>,
  look: () => Promise<JsonObject | undefined>,
): Promise<Created> {
  try {
    return await create();
  } catch (error) {
    if (!isOutcomeUnknown(error)) throw error;
    const object = await lookUntilSettled(context, [path], look, error);
    if (object !== undefined) return { object, reply: undefined };
    context.unanswered.add(path.toString());
    if (mayStillHappen(error)) throw unproven(context.client.target, path, error);
    return await create();
  }
}

/** The objects of one request. */
interface CreatedTogether<One> {
  readonly objects: ReadonlyMap<One, JsonObject>;
  /** Undefined if the caller may create a missing object with another request. */
  readonly failure?: (one: One) => PlumblineError;
}

/** An object to create together with others. */
interface Beside {
  readonly path: Path;
  /** Returns the object of this create. */
  find(objects: readonly JsonObject[]): JsonObject | undefined;
}

/**
 * Creates several objects with one request. Returns the existing objects, even after a lost reply or a refusal without a complete rollback.
 * The caller creates the missing ones individually, unless the request may still create them.
 * @throws PlumblineError `create-unproven` (partial) if the service does not report its objects either
 */
export async function createAll<One extends Beside>(
  context: WriteContext,
  all: readonly One[],
  create: () => Promise<readonly JsonObject[]>,
  list: () => Promise<readonly JsonObject[]>,
): Promise<CreatedTogether<One>> {
  const known = (objects: readonly JsonObject[]) =>
    new Map(
      all.flatMap((one) => {
        const object = one.find(objects);
        return object === undefined ? [] : [[one, object] as const];
      }),
    );
  try {
    return { objects: known(await create()) };
  } catch (error) {
    if (error instanceof OpenstackError && !isOutcomeUnknown(error)) return { objects: known(await list()) };
    if (!isOutcomeUnknown(error)) throw error;
    let found: ReadonlyMap<One, JsonObject> = new Map();
    const look = async () => {
      found = known(await list());
      return found.size === all.length ? found : undefined;
    };
    await lookUntilSettled(
      context,
      all.map(({ path }) => path),
      look,
      error,
    );
    for (const one of all) if (!found.has(one)) context.unanswered.add(one.path.toString());
    return { objects: found, ...(mayStillHappen(error) ? { failure: ({ path }) => unproven(context.client.target, path, error) } : {}) };
  }
}

/** @throws PlumblineError `create-unproven` (partial) if the search fails until `createSettle` has passed. The paths are recorded. */
async function lookUntilSettled<Found>(
  { dependencies: { clock }, createSettle, client, unanswered }: WriteContext,
  paths: readonly Path[],
  look: () => Promise<Found | undefined>,
  cause: unknown,
): Promise<Found | undefined> {
  const until = clock.now() + createSettle * 1000;
  for (;;) {
    let failure: unknown;
    const found = await look().catch((error: unknown) => {
      if (isLeaseLost(error)) throw error;
      failure = error;
      return undefined;
    });
    if (found !== undefined) return found;
    if (clock.now() >= until) {
      if (failure === undefined) return undefined;
      for (const path of paths) unanswered.add(path.toString());
      const [first = Path.root] = paths;
      throw unproven(client.target, paths.length > 1 ? (first.parent ?? first) : first, cause, failure);
    }
    await clock.sleep(POLL_INTERVAL);
  }
}

/** @param search Failure of the search. Undefined if the search did not find the object. */
function unproven(target: string, path: Path, cause: unknown, search?: unknown): PlumblineError {
  const words = (error: unknown): string => (error instanceof Error ? error.message : String(error));
  const then = search === undefined ? "it does not exist yet" : `then: ${words(search)}`;
  return new PlumblineError("create-unproven", `it is unknown whether the object was created: ${words(cause)}; ${then}`, {
    where: { target, xpath: path.toString() },
    next: "Run again when the service answers. A created object has Plumbline's mark and is not created a second time.",
    severity: "partial",
    cause,
  });
}
