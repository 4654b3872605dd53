import { readShown } from "./visible.ts";

/** Milliseconds until a refused page reconnects. */
const AGAIN = 5_000;

export interface LiveOptions {
  readonly opened: () => void;
  /** Called after an interruption or a refusal. Returns whether to reconnect. */
  readonly lost: (isRefused: boolean) => Promise<boolean>;
  /** Handlers by event name. */
  readonly told: Readonly<Record<string, (data: unknown) => void>>;
}

/** Receives events of the agent. Returns a function that stops it. */
export function listen({ opened, lost, told }: LiveOptions): () => void {
  let again: ReturnType<typeof setTimeout> | undefined;
  let events: EventSource;
  const connect = () => {
    events = new EventSource("api/events");
    events.onopen = opened;
    events.onerror = () => {
      // Browsers reconnect after an interruption, but not after a refusal.
      const isRefused = events.readyState === EventSource.CLOSED;
      void lost(isRefused).then((isWorthIt) => {
        if (isRefused && isWorthIt) again = setTimeout(connect, AGAIN);
      });
    };
    for (const [name, take] of Object.entries(told))
      events.addEventListener(name, (event) => take(readShown((event as MessageEvent<string>).data)));
  };
  connect();
  return () => {
    clearTimeout(again);
    events.close();
  };
}
