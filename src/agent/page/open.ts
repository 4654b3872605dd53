import type { SecretValue } from "../../core/secret.js";
import type { AgentEvent } from "../events.js";
import type { Web as Answer } from "../http.js";
import type { Store } from "../store/store.js";
import { readAssets } from "./assets.js";
import { Audits } from "./audits.js";
import type { Controls } from "./controls.js";
import { Fleet } from "./fleet.js";
import { Live } from "./live.js";
import { LoginLimit } from "./login-limit.js";
import { Sessions } from "./sessions.js";
import { Site } from "./site.js";

export interface WebOptions {
  readonly store: Store;
  readonly controls: Controls;
  /** Undefined: everybody may look, nobody may press anything. */
  readonly token: SecretValue | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds that never jump. */
  readonly monotonic: () => number;
  readonly onAction: (fields: Readonly<Record<string, unknown>>, words: string) => void;
  readonly onFault: (error: unknown) => void;
  /** Milliseconds between looks at what others wrote to the store, while somebody watches. */
  readonly refreshEvery?: number | undefined;
}

export interface Web {
  /** False for a path that is not the page's. */
  readonly answer: Answer;
  listen(event: AgentEvent): Promise<void>;
  close(): void;
}

/** The page that an agent serves. @throws PlumblineError `page-token-short`, `page-not-built` */
export function openWeb(options: WebOptions): Web {
  const { store, controls, token, now, monotonic, onAction, onFault, refreshEvery = 30_000 } = options;
  const fleet = new Fleet({ store, controls, now });
  const live = new Live({ fleet, refreshEvery, onFault });
  const site = new Site({
    assets: readAssets(),
    fleet,
    live,
    audits: new Audits(controls, now),
    store,
    sessions: token === undefined ? undefined : new Sessions(token, now),
    limit: new LoginLimit(monotonic),
    controls,
    now,
    onAction,
  });
  return {
    answer: (request, response, asked) => site.answer(request, response, asked),
    listen: async (event) => {
      await fleet.listen(event);
      live.nudge();
    },
    close: () => live.close(),
  };
}
