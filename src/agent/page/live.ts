import type { ServerResponse } from "node:http";
import { redactUrls } from "../../core/redact-urls.js";
import type { Access } from "../../engine/rights.js";
import type { Fleet, FleetNews } from "./fleet.js";
import { SAFETY } from "./reply.js";
import { seenNews } from "./seen.js";

/** Changes that come close together travel together. */
const GATHER = 250;
/** Targets that were looked at and have nothing new are told so seldom. */
const CHECKED_EVERY = 30_000;
/** Open pages at once, of those who have not signed in, and of one client or person; more are answered 503 and ask again later. */
const MOST = 200;
const MOST_OF_VISITORS = 150;
const MOST_OF_ONE = 20;
/** What one reader may leave unread before it is let go: it connects again and starts from the whole. */
const UNREAD = 1_000_000;

export interface LiveOptions {
  readonly fleet: Pick<Fleet, "takeNews" | "refresh">;
  /** Milliseconds between looks at what other agents wrote, while somebody watches. */
  readonly refreshEvery: number;
  readonly onFault: (error: unknown) => void;
}

/** Who listens. */
export interface Reader {
  /** The client, or the person wherever they are. */
  readonly who: string;
  readonly isVisitor: boolean;
  /** What they may see now; undefined once their session is over. */
  readonly access: () => Access | undefined;
  /** Looks up whether the session was closed at another agent. */
  readonly recheck: () => Promise<void>;
}

/** Tells open pages of changes by server-sent events; costs nothing while nobody looks. */
export class Live {
  readonly #options: LiveOptions;
  readonly #readers = new Map<ServerResponse, Reader>();
  #gathering: NodeJS.Timeout | undefined;
  #slow: NodeJS.Timeout | undefined;
  #refresh: NodeJS.Timeout | undefined;

  constructor(options: LiveOptions) {
    this.#options = options;
  }

  get readers(): number {
    return this.#readers.size;
  }

  /** There are too many, or too many of this one. */
  isFull({ who, isVisitor }: Reader): boolean {
    const readers = [...this.#readers.values()];
    const own = readers.filter((each) => each.who === who).length;
    const visitors = readers.filter((each) => each.isVisitor).length;
    return readers.length >= MOST || own >= MOST_OF_ONE || (isVisitor && visitors >= MOST_OF_VISITORS);
  }

  open(response: ServerResponse, reader: Reader): void {
    if (this.#readers.size === 0) this.#begin();
    this.#readers.set(response, reader);
    response.on("close", () => this.#leave(response));
    response.writeHead(200, { ...SAFETY, "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no" });
    response.write("retry: 3000\n\n");
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
      this.#tell(news, ": nothing new\n\n");
    }, CHECKED_EVERY);
    this.#refresh = setInterval(() => {
      Promise.all([fleet.refresh(), ...[...this.#readers.values()].map((reader) => reader.recheck())])
        .then(() => this.nudge())
        .catch(onFault);
    }, refreshEvery);
  }

  /** To each what it may see; nobody goes on listening whose session is over. */
  #tell(news: readonly FleetNews[], otherwise = ""): void {
    for (const [response, reader] of this.#readers) {
      const access = reader.access();
      if (access === undefined) response.end();
      else if (response.writableLength > UNREAD) response.destroy();
      else response.write(textOf(seenNews(news, access)) || otherwise);
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

function textOf(news: readonly FleetNews[]): string {
  return news.map(({ event, data }) => `event: ${event}\ndata: ${redactUrls(JSON.stringify(data))}\n\n`).join("");
}
