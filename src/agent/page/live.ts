import type { ServerResponse } from "node:http";
import type { Fleet, FleetNews } from "./fleet.js";
import { SAFETY } from "./reply.js";

/** Changes that come close together travel together. */
const GATHER = 250;
/** Targets that were looked at and have nothing new are told so seldom. */
const CHECKED_EVERY = 30_000;
/** Open pages at once, and of one client; more are answered 503 and ask again later. */
const MOST = 200;
const MOST_OF_ONE = 20;
/** What one reader may leave unread before it is let go: it connects again and starts from the whole. */
const UNREAD = 1_000_000;

export interface LiveOptions {
  readonly fleet: Pick<Fleet, "takeNews" | "refresh">;
  /** Milliseconds between looks at what other agents wrote, while somebody watches. */
  readonly refreshEvery: number;
  readonly onFault: (error: unknown) => void;
}

/** Tells open pages of changes by server-sent events; costs nothing while nobody looks. */
export class Live {
  readonly #options: LiveOptions;
  /** With the client that each belongs to. */
  readonly #readers = new Map<ServerResponse, string>();
  #gathering: NodeJS.Timeout | undefined;
  #slow: NodeJS.Timeout | undefined;
  #refresh: NodeJS.Timeout | undefined;

  constructor(options: LiveOptions) {
    this.#options = options;
  }

  get readers(): number {
    return this.#readers.size;
  }

  /** False where there are too many, or too many of this client. */
  open(response: ServerResponse, client: string): boolean {
    const own = [...this.#readers.values()].filter((each) => each === client).length;
    if (this.#readers.size >= MOST || own >= MOST_OF_ONE) return false;
    if (this.#readers.size === 0) this.#begin();
    this.#readers.set(response, client);
    response.on("close", () => this.#leave(response));
    response.writeHead(200, { ...SAFETY, "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no" });
    response.write("retry: 3000\n\n");
    return true;
  }

  /** Something may have changed. */
  nudge(): void {
    if (this.#readers.size === 0 || this.#gathering !== undefined) return;
    this.#gathering = setTimeout(() => {
      this.#gathering = undefined;
      this.#tell(this.#options.fleet.takeNews(false));
    }, GATHER);
  }

  close(): void {
    for (const reader of this.#readers.keys()) reader.end();
    this.#end();
  }

  #begin(): void {
    const { fleet, refreshEvery, onFault } = this.#options;
    // What happened while nobody looked is in the view that a page begins with.
    fleet.takeNews(true);
    this.#slow = setInterval(() => {
      const news = fleet.takeNews(true);
      this.#tell(news);
      if (news.length === 0) this.#write(": nothing new\n\n");
    }, CHECKED_EVERY);
    this.#refresh = setInterval(() => {
      fleet
        .refresh()
        .then(() => this.nudge())
        .catch(onFault);
    }, refreshEvery);
  }

  #tell(news: readonly FleetNews[]): void {
    if (news.length > 0) this.#write(news.map(({ event, data }) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`).join(""));
  }

  #write(text: string): void {
    for (const reader of this.#readers.keys()) {
      if (reader.writableLength > UNREAD) reader.destroy();
      else reader.write(text);
    }
  }

  #leave(response: ServerResponse): void {
    this.#readers.delete(response);
    if (this.#readers.size === 0) this.#end();
  }

  #end(): void {
    clearTimeout(this.#gathering);
    clearInterval(this.#slow);
    clearInterval(this.#refresh);
    this.#gathering = undefined;
  }
}
