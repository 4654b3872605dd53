import { postJson } from "../../http/post.js";
import type { TraceSettings } from "./settings.js";
import { otlpBody, type Span } from "./span.js";

/** Maximum number of spans that are queued for a slow or unreachable collector. Later ones are dropped. */
const MOST = 8_192;
const BATCH = 512;
const INTERVAL = 5_000;

/** Called once when the collector rejects spans, and again only after a success. */
export type OnLoss = (why: string) => void;

/** Collects spans and posts them in batches, without blocking callers. Spans that cannot be sent are dropped. */
export class SpanExporter {
  readonly #settings: TraceSettings;
  readonly #version: string;
  readonly #onLoss: OnLoss;
  #waiting: Span[] = [];
  #sending: Promise<void> | undefined;
  #failing = false;
  readonly #timer: NodeJS.Timeout;

  constructor(settings: TraceSettings, version: string, onLoss: OnLoss) {
    this.#settings = settings;
    this.#version = version;
    this.#onLoss = onLoss;
    this.#timer = setInterval(() => void this.flush(), INTERVAL).unref();
  }

  add(span: Span): void {
    if (this.#waiting.length < MOST) this.#waiting.push(span);
    if (this.#waiting.length >= BATCH) void this.flush();
  }

  /** Sends the queue. Resolves when it is sent or has failed. */
  async flush(): Promise<void> {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
    await this.#sending;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, BATCH);
      const outcome = await this.#send(batch);
      // Spans for an unreachable collector are sent later. Rejected spans are dropped, because they would be rejected again.
      if (outcome !== "away") this.#waiting.splice(0, batch.length);
      if (outcome !== "sent") return;
    }
  }

  async #send(batch: readonly Span[]): Promise<"sent" | "refused" | "away"> {
    const { url, headers, timeout, resource } = this.#settings;
    try {
      const status = await postJson(url, otlpBody(batch, resource, this.#version), {
        headers: {
          ...Object.fromEntries(headers.map(([name, value]) => [name, value.reveal()])),
          "content-type": "application/json",
          "user-agent": `plumbline/${this.#version}`,
        },
        timeout,
      });
      if (status < 300) {
        this.#failing = false;
        return "sent";
      }
      this.#lost(`it answers ${status}`);
      return status === 429 || status >= 502 ? "away" : "refused";
    } catch (error) {
      this.#lost((error as { code?: string }).code ?? (error as Error).name);
      return "away";
    }
  }

  #lost(why: string): void {
    if (!this.#failing) this.#onLoss(`${new URL(this.#settings.url).origin}: ${why}`);
    this.#failing = true;
  }
}
