import type { Dispatcher } from "undici";

/** One request as it leaves the agent. */
export interface Sent {
  /** From 1. */
  readonly n: number;
  /** Parameters, as the device gets them. */
  readonly text: string;
  /** It changes something on the device. */
  readonly writes: boolean;
}

/**
 * Stands between an agent and its devices, behind all that the agent looks at before it sends: what is stopped here is a
 * process that was stopped between its last look and the sending.
 */
export class Gate {
  readonly sent: Sent[] = [];
  #stopAt: ((request: Sent) => boolean) | undefined;
  #stopped: ((request: Sent) => void) | undefined;
  #go: (() => void) | undefined;

  /** Stops the agent at the first request that fits; resolves when it stands there. */
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
