import type { SecretValue } from "../../../core/secret.js";
import { callWithRetries, type RetryDependencies } from "../../../http/retry.js";
import type { OpenstackReply } from "./reply.js";
import { OPENSTACK_RETRY } from "./retry.js";
import { understandCloudReply } from "./understand.js";
import type { Exchange, Wire } from "./wire.js";

/** One call, whole: where to, with which headers, and what of it must not be read. */
export interface Call extends Exchange {
  /** The call as messages say it. */
  readonly words: string;
  readonly secrets: readonly SecretValue[];
  /** Whether it may be carried out twice. */
  readonly repeatable: boolean;
}

/** Makes calls: repeats what may be repeated, and turns whatever comes back into a reply or a PlumblineError. */
export class Caller {
  readonly #target: string;
  readonly #wire: Wire;
  readonly #dependencies: RetryDependencies;

  constructor(target: string, wire: Wire, dependencies: RetryDependencies) {
    this.#target = target;
    this.#wire = wire;
    this.#dependencies = dependencies;
  }

  /** @throws OpenstackError where the service refuses; PlumblineError for what is no reply of it */
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
        understand: (raw) => understandCloudReply({ ...raw, body: raw.body.toString("utf8") }, asked),
      },
      OPENSTACK_RETRY,
      this.#dependencies,
    );
  }
}
