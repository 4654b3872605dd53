import type { SecretValue } from "../../../core/secret.js";
import { callWithRetries, type RetryDependencies } from "../../../http/retry.js";
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

/** Sends requests with retries, and converts results to a reply or a PlumblineError. */
export class Caller {
  readonly #target: string;
  readonly #wire: Wire;
  readonly #dependencies: RetryDependencies;

  constructor(target: string, wire: Wire, dependencies: RetryDependencies) {
    this.#target = target;
    this.#wire = wire;
    this.#dependencies = dependencies;
  }

  /** @throws OpenstackError if the service refuses; PlumblineError if the reply is not from the service */
  call(call: Call): Promise<OpenstackReply> {
    const { service, words, secrets, repeatable, origin } = call;
    const target = this.#target;
    const asked = { service, place: { target, origin }, words, secrets };
    return callWithRetries(
      {
        target,
        kind: "openstack",
        words,
        peer: "the cloud",
        repeatable,
        send: () => this.#wire.exchange(call),
        understand: (raw) => parseCloudReply({ ...raw, body: raw.body.toString("utf8") }, asked),
      },
      OPENSTACK_RETRY,
      this.#dependencies,
    );
  }
}
