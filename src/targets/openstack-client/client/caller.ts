import { PlumblineError } from "../../../core/errors.js";
import type { SecretValue } from "../../../core/secret.js";
import { callWithRetries, type RetryDependencies } from "../../../http/retry.js";
import { mayStillHappen } from "./openstack-error.js";
import { parseCloudReply } from "./parse-reply.js";
import type { OpenstackReply } from "./reply.js";
import { OPENSTACK_RETRY } from "./retry.js";
import type { Exchange, Wire } from "./wire.js";

/** A complete request: address, headers, and the secrets in it. */
export interface Call extends Exchange {
  /** Description of the request for messages. */
  readonly words: string;
  readonly secrets: readonly SecretValue[];
  /** Whether the request may be executed twice. */
  readonly repeatable: boolean;
}

/**
 * Maximum number of successive reads, or of successive writes, that a service does not answer. It gets no more of them in this run, so that
 * the run ends.
 */
const MOST_UNANSWERED = 5;

/** Sends requests with retries, and converts results to a reply or a PlumblineError. */
export class Caller {
  readonly #target: string;
  readonly #wire: Wire;
  readonly #dependencies: RetryDependencies;
  /** Number of successive requests without an answer, by service and whether they read. */
  readonly #unanswered = new Map<string, number>();

  constructor(target: string, wire: Wire, dependencies: RetryDependencies) {
    this.#target = target;
    this.#wire = wire;
    this.#dependencies = dependencies;
  }

  /**
   * @throws OpenstackError if the service refuses; PlumblineError if the reply is not from the service; `service-not-answering`, with nothing
   *   sent
   */
  async call(call: Call): Promise<OpenstackReply> {
    const key = `${call.service} ${call.repeatable ? "reads" : "writes"}`;
    if ((this.#unanswered.get(key) ?? 0) >= MOST_UNANSWERED) throw notAnswering(call, this.#target);
    try {
      const reply = await this.#call(call);
      this.#unanswered.delete(key);
      return reply;
    } catch (error) {
      if (isUnanswered(error)) this.#unanswered.set(key, (this.#unanswered.get(key) ?? 0) + 1);
      else this.#unanswered.delete(key);
      throw error;
    }
  }

  #call(call: Call): Promise<OpenstackReply> {
    const { service, words, secrets, repeatable, origin } = call;
    const target = this.#target;
    const request = { service, place: { target, origin }, words, secrets };
    return callWithRetries(
      {
        target,
        kind: "openstack",
        words,
        peer: "the cloud",
        repeatable,
        send: () => this.#wire.exchange(call),
        understand: (raw) => parseCloudReply({ ...raw, body: raw.body.toString("utf8") }, request),
      },
      OPENSTACK_RETRY,
      this.#dependencies,
    );
  }
}

/** Timeouts, including those of a proxy, and lost replies to writes, because each costs a search for the result. */
function isUnanswered(error: unknown): boolean {
  return mayStillHappen(error) || (error instanceof PlumblineError && error.code === "request-timed-out");
}

function notAnswering({ service, words, repeatable }: Call, target: string): PlumblineError {
  const kind = repeatable ? "reads" : "writes";
  return new PlumblineError(
    "service-not-answering",
    `${words} was not sent: the ${service} service did not answer the last ${MOST_UNANSWERED} ${kind} of this run`,
    { where: { target }, next: "Check the load of the service, or raise the timeout of the target, then run again." },
  );
}
