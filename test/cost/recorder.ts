import { type Dispatcher, Pool } from "undici";

/** One request that the process sent. */
export interface Sent {
  /** In a few words: `get …/vsys1/address`, `show config list changes`. */
  readonly words: string;
  /** 1 plus the highest step of the requests that had been answered when it was sent. Requests of one step do not wait for each other. */
  readonly step: number;
}

/** Records the requests of a client that uses `dispatcher`, in order. */
export class Recorder {
  readonly sent: Sent[] = [];
  /** Connections that were opened. */
  connections = 0;
  #answered = 0;

  readonly dispatcher = (origin: string, options: Pool.Options): Dispatcher => {
    const begin = (sent: Dispatcher.RequestOptions): (() => void) => this.#begin(wordsOf(sent));
    const pool = new RecordedPool(origin, options, begin);
    pool.on("connect", () => {
      this.connections += 1;
    });
    return pool;
  };

  /** Returns the requests since the last call and clears them. The next request is step 1 again. */
  take(): readonly Sent[] {
    this.#answered = 0;
    return this.sent.splice(0);
  }

  #begin(words: string): () => void {
    const step = this.#answered + 1;
    this.sent.push({ words, step });
    return () => {
      this.#answered = Math.max(this.#answered, step);
    };
  }
}

/** Reports a request when it is sent, and again after its complete reply. */
class RecordedPool extends Pool {
  readonly #begin: (sent: Dispatcher.RequestOptions) => () => void;

  constructor(origin: string, options: Pool.Options, begin: (sent: Dispatcher.RequestOptions) => () => void) {
    super(origin, options);
    this.#begin = begin;
  }

  override async request(options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData> {
    const end = this.#begin(options);
    const reply = await super.request(options);
    reply.body.once("end", end);
    return reply;
  }
}

function wordsOf({ path, body }: Dispatcher.RequestOptions): string {
  const [, query = ""] = path.split("?");
  const parameters = new URLSearchParams(typeof body === "string" && body !== "" ? body : query);
  const type = parameters.get("type") ?? "";
  if (type === "op") return commandWords(parameters.get("cmd") ?? "");
  if (type === "config") return [parameters.get("action"), placeWords(parameters.get("xpath") ?? "")].filter(Boolean).join(" ");
  return type;
}

/** The elements of a command on the way down: no name, no number, no comment. */
function commandWords(command: string): string {
  const [way = ""] = command.split("</");
  return [...way.matchAll(/<([a-z-]+)>/g)].map(([, tag]) => tag).join(" ");
}

/** The last step of a path and its parent. */
function placeWords(xpath: string): string {
  return xpath.replace(/^.*\/vsys\/entry\[@name='([^']+)'\]/, "$1").replace(/\/entry\[@name='[^']+'\]$/, "/entry");
}
