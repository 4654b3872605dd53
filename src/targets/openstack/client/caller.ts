import { PlumblineError } from "../../../core/errors.js";
import { askingAgain } from "../../../core/observe.js";
import type { SecretValue } from "../../../core/secret.js";
import { backoff, MAX_TRIES } from "../../../http/backoff.js";
import { isTransportFailure } from "../../../http/transport-errors.js";
import type { OpenstackDependencies } from "../dependencies.js";
import { OpenstackError } from "./openstack-error.js";
import { headerOf, type OpenstackReply } from "./reply.js";
import { neverSent, passes, serviceTransportError } from "./transport-errors.js";
import { understand } from "./understand.js";
import type { Exchange, Wire } from "./wire.js";

/** One call, whole: where to, with which headers, and what of it must not be read. */
export interface Call extends Exchange {
  /** The call as messages say it. */
  readonly words: string;
  readonly secrets: readonly SecretValue[];
  /** Whether it may be carried out twice. */
  readonly repeatable: boolean;
}

/** A service that asks for more patience than this is given up on. */
const LONGEST_WAIT = 60_000;

interface Failure {
  readonly error: PlumblineError;
  /** Milliseconds that the service asks to wait. */
  readonly wait: number | undefined;
}

/** Makes calls: repeats what may be repeated, and turns whatever comes back into a reply or a PlumblineError. */
export class Caller {
  readonly #target: string;
  readonly #wire: Wire;
  readonly #dependencies: OpenstackDependencies;

  constructor(target: string, wire: Wire, dependencies: OpenstackDependencies) {
    this.#target = target;
    this.#wire = wire;
    this.#dependencies = dependencies;
  }

  async call(call: Call): Promise<OpenstackReply> {
    const { clock, random, logger } = this.#dependencies;
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#attempt(call);
      if (!("error" in outcome)) return outcome;
      const { error, wait } = outcome;
      if (attempt === MAX_TRIES || !mayRepeat(call, error) || (wait ?? 0) > LONGEST_WAIT) throw this.#final(call, error);
      const delay = Math.max(wait ?? 0, backoff(attempt + 1, random));
      logger.debug({ target: this.#target, service: call.service, code: error.code, attempt, delay }, "asking again");
      askingAgain(this.#target, "openstack");
      await clock.sleep(delay);
    }
  }

  async #attempt(call: Call): Promise<OpenstackReply | Failure> {
    const place = { target: this.#target, origin: call.origin };
    let retryAfter: string | undefined;
    try {
      const raw = await this.#wire.exchange(call);
      retryAfter = headerOf(raw, "retry-after");
      return understand(raw, { service: call.service, place, words: call.words, secrets: call.secrets });
    } catch (error) {
      if (!isTransportFailure(error)) throw error;
      return { error: serviceTransportError(error, place), wait: milliseconds(retryAfter) };
    }
  }

  /** A write whose reply cannot be read may have been carried out. */
  #final(call: Call, error: PlumblineError): PlumblineError {
    if (call.repeatable || error instanceof OpenstackError || neverSent(error) || error.code === "unexpected-http-status") return error;
    return new PlumblineError("reply-lost", `the reply to a write (${call.words}) was lost: ${error.message}`, {
      where: { target: this.#target },
      next: "Run again: the cloud is looked at before anything is repeated.",
      cause: error,
    });
  }
}

function mayRepeat({ repeatable }: Call, error: PlumblineError): boolean {
  if (error instanceof OpenstackError) {
    if (error.refusal === "rate-limited") return true;
    return repeatable && (error.refusal === "failed" || error.refusal === "unavailable");
  }
  if (error.code === "service-unreachable") return true;
  return repeatable && passes(error);
}

/** `Retry-After` in seconds; a date is left to our own patience. */
function milliseconds(retryAfter: string | undefined): number | undefined {
  return retryAfter !== undefined && /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : undefined;
}
