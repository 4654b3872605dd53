import { PlumblineError } from "../../../core/errors.js";
import type { JsonObject } from "../../../core/json/value.js";
import type { Path } from "../../../core/tree/path.js";
import { isOutcomeUnknown } from "../client/openstack-error.js";
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

async function lookUntilSettled(
  { dependencies: { clock }, createSettle, client }: WriteContext,
  path: Path,
  look: () => Promise<JsonObject | undefined>,
  cause: unknown,
): Promise<JsonObject | undefined> {
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
