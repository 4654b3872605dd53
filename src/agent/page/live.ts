import type { ServerResponse } from "node:http";
import { redactUrls } from "../../core/redact-urls.js";
import type { Access } from "../../engine/rights.js";
import type { Fleet, FleetNews } from "./fleet.js";
import { SAFETY } from "./reply.js";
import { visibleNews } from "./visible-parts.js";

/** Milliseconds for which changes are collected before they are sent. */
const GATHER = 250;
/** Milliseconds between reports of targets that were checked without a change. */
const CHECKED_EVERY = 30_000;
/** Maximum number of open pages: in total, of visitors, and of one client or person. Further ones get 503 and retry later. */
const MOST = 200;
const MOST_OF_VISITORS = 150;
const MOST_OF_ONE = 20;
/** Maximum size of unread data in bytes. A slower reader is disconnected. It reconnects and loads everything again. */
const UNREAD = 1_000_000;

export interface LiveOptions {
  readonly fleet: Pick<Fleet, "takeNews" | "refresh">;
  /** Milliseconds between reads of changes by other agents, while a page is open. */
  readonly refreshEvery: number;
  readonly onFault: (error: unknown) => void;
}

/** Recipient of live updates. */
export interface Reader {
  /** Client of a visitor, or person. */
  readonly who: string;
  readonly isVisitor: boolean;
  /** Returns the current access. Undefined after the session has ended. */
  readonly access: () => Access | undefined;
  /** Checks whether the session was closed at another agent. */
  readonly recheck: () => Promise<void>;
}

/** Sends changes to open pages as server-sent events. Does nothing while no page is open. */
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

  /** Returns whether the limit of all readers or of this one is reached. */
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

  /** Announces a possible change. */
  nudge(): void {
    if (this.#readers.size === 0 || this.#gathering !== undefined) return;
    this.#gathering = setTimeout(() => {
      this.#gathering = undefined;
      this.#send(this.#options.fleet.takeNews(false));
    }, GATHER);
  }

  close(): void {
    for (const reader of this.#readers.keys()) reader.end();
    this.#end();
  }

  #begin(): void {
    const { fleet, refreshEvery, onFault } = this.#options;
    // The initial view of a page already contains earlier changes.
    fleet.takeNews(true);
    this.#slow = setInterval(() => {
      const news = fleet.takeNews(true);
      this.#send(news, ": nothing new\n\n");
    }, CHECKED_EVERY);
    this.#refresh = setInterval(() => {
      Promise.all([fleet.refresh(), ...[...this.#readers.values()].map((reader) => reader.recheck())])
        .then(() => this.nudge())
        .catch(onFault);
    }, refreshEvery);
  }

  /** Sends each reader the changes that it may see. Disconnects readers whose session has ended. */
  #send(news: readonly FleetNews[], otherwise = ""): void {
    for (const [response, reader] of this.#readers) {
      const access = reader.access();
      if (access === undefined) response.end();
      else if (response.writableLength > UNREAD) response.destroy();
      else response.write(textOf(visibleNews(news, access)) || otherwise);
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
