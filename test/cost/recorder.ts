import { type Dispatcher, Pool } from "undici";

/** One request as it left the process. */
export interface Sent {
  /** In a few words: `get …/vsys1/address`, `show config list changes`. */
  readonly words: string;
  /** 1 plus the most steps of what had been answered when it was sent: requests of one step wait for none of each other. */
  readonly step: number;
}

/** Takes down the requests of a client that is given `dispatcher`, in the order in which they are sent. */
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

  /** What was sent since it was last asked for, and forgets it: the next request is step 1 again. */
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

/** Tells of a request when it leaves, and again once its whole reply is there. */
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

/** The last step of a path and what it lies in. */
function placeWords(xpath: string): string {
  return xpath.replace(/^.*\/vsys\/entry\[@name='([^']+)'\]/, "$1").replace(/\/entry\[@name='[^']+'\]$/, "/entry");
}
