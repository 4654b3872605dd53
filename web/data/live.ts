import { readShown } from "./visible.ts";

/** Milliseconds until a page that was refused asks again. */
const AGAIN = 5_000;

export interface LiveOptions {
  readonly opened: () => void;
  /** The connection broke, or was refused. Gives whether it is worth asking again. */
  readonly lost: (isRefused: boolean) => Promise<boolean>;
  /** By name of the event. */
  readonly told: Readonly<Record<string, (data: unknown) => void>>;
}

/** What the agent tells as it happens. Gives what ends it. */
export function listen({ opened, lost, told }: LiveOptions): () => void {
  let again: ReturnType<typeof setTimeout> | undefined;
  let events: EventSource;
  const connect = () => {
    events = new EventSource("api/events");
    events.onopen = opened;
    events.onerror = () => {
      // Browsers ask again after a break, but never after a refusal.
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
