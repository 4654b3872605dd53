import type { Dispatcher } from "undici";

/** One request that the agent sends. */
export interface Sent {
  /** From 1. */
  readonly n: number;
  /** Parameters, as the device gets them. */
  readonly text: string;
  /** It changes something on the device. */
  readonly writes: boolean;
}

/**
 * A proxy between an agent and its devices, behind all checks of the agent. A request that is stopped here belongs to a process that was
 * suspended between its last check and the send.
 */
export class Gate {
  readonly sent: Sent[] = [];
  #stopAt: ((request: Sent) => boolean) | undefined;
  #stopped: ((request: Sent) => void) | undefined;
  #go: (() => void) | undefined;

  /** Suspends the agent at the first matching request. Resolves when the request arrives. */
  stopAt(fits: (request: Sent) => boolean): Promise<Sent> {
    this.#stopAt = fits;
    return new Promise((resolve) => {
      this.#stopped = resolve;
    });
  }

  /** Lets everything go on. */
  open(): void {
    this.#stopAt = undefined;
    this.#go?.();
    this.#go = undefined;
  }

  before(pool: Dispatcher): Dispatcher {
    const compose = (dispatch: Dispatcher["dispatch"]): Dispatcher["dispatch"] => {
      return (options, handler) => {
        const request = this.#note(options);
        if (this.#stopAt?.(request) !== true) return dispatch(options, handler);
        this.#stopAt = undefined;
        this.#go = () => dispatch(options, handler);
        this.#stopped?.(request);
        return true;
      };
    };
    return pool.compose(compose);
  }

  #note({ path, body }: Dispatcher.DispatchOptions): Sent {
    const text = decodeURIComponent(`${path} ${typeof body === "string" ? body : ""}`.replaceAll("+", " "));
    const reads = /\baction=(get|show)\b|type=keygen|cmd=<show>|type=log|type=version/.test(text);
    const request = { n: this.sent.length + 1, text, writes: !reads };
    this.sent.push(request);
    return request;
  }
}
