import { PlumblineError } from "../../../core/errors.js";
import type { JsonObject } from "../../../core/json/value.js";
import { Path } from "../../../core/tree/path.js";
import { isOutcomeUnknown, OpenstackError } from "../client/openstack-error.js";
import type { OpenstackReply } from "../client/reply.js";
import type { WriteContext } from "./context.js";

/** Between two looks for what a create may have made, in milliseconds. */
const LOOK_AGAIN = 2000;

/** `reply`: of the create that we know to have happened; undefined where only its object was found. */
export interface Created {
  readonly object: JsonObject;
  readonly reply: OpenstackReply | undefined;
}

/**
 * Makes an object once. Where the reply is lost, what carries our mark is looked for until `createSettle` before the
 * create is repeated, since the service may still be at it; what comes of the first even later is remembered to be looked for.
 * @throws PlumblineError `create-unproven` (partial) where the service does not even say what is there
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
    const object = await lookUntilSettled(context, path, look, error);
    if (object !== undefined) return { object, reply: undefined };
    context.unanswered.add(path.toString());
    return await create();
  }
}

/** One that is to be made beside others. */
interface Beside {
  readonly path: Path;
  /** Which of the objects is the one of this create. */
  find(objects: readonly JsonObject[]): JsonObject | undefined;
}

/**
 * Makes several by one request. Gives those that stand, also where the reply was lost, or the request refused and not all of it taken
 * back; what is missing is to be made by itself.
 * @throws PlumblineError `create-unproven` (partial) where the service does not even say what is there
 */
export async function createAll<One extends Beside>(
  context: WriteContext,
  all: readonly One[],
  create: () => Promise<readonly JsonObject[]>,
  list: () => Promise<readonly JsonObject[]>,
): Promise<ReadonlyMap<One, JsonObject>> {
  const known = (objects: readonly JsonObject[]) =>
    new Map(
      all.flatMap((one) => {
        const object = one.find(objects);
        return object === undefined ? [] : [[one, object] as const];
      }),
    );
  try {
    return known(await create());
  } catch (error) {
    if (error instanceof OpenstackError && !isOutcomeUnknown(error)) return known(await list());
    if (!isOutcomeUnknown(error)) throw error;
    let found: ReadonlyMap<One, JsonObject> = new Map();
    const look = async () => {
      found = known(await list());
      return found.size === all.length ? found : undefined;
    };
    const [first] = all;
    await lookUntilSettled(context, first?.path.parent ?? Path.root, look, error);
    for (const one of all) if (!found.has(one)) context.unanswered.add(one.path.toString());
    return found;
  }
}

async function lookUntilSettled<Found>(
  { dependencies: { clock }, createSettle, client }: WriteContext,
  path: Path,
  look: () => Promise<Found | undefined>,
  cause: unknown,
): Promise<Found | undefined> {
  const until = clock.now() + createSettle * 1000;
  for (;;) {
    let failure: unknown;
    const found = await look().catch((error: unknown) => {
      failure = error;
      return undefined;
    });
    if (found !== undefined) return found;
    if (clock.now() >= until) {
      if (failure === undefined) return undefined;
      throw unproven(client.target, path, cause, failure);
    }
    await clock.sleep(LOOK_AGAIN);
  }
}

function unproven(target: string, path: Path, cause: unknown, failure: unknown): PlumblineError {
  const words = (error: unknown): string => (error instanceof Error ? error.message : String(error));
  return new PlumblineError("create-unproven", `nobody knows whether the object was made: ${words(cause)}; then: ${words(failure)}`, {
    where: { target, xpath: path.toString() },
    next: "Run again when the service answers: what was made carries our mark and is not made a second time.",
    severity: "partial",
    cause,
  });
}
