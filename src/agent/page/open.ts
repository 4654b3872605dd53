import type { AgentEvent, Happening } from "../events.js";
import type { Web as Served } from "../http.js";
import type { Store } from "../store/store.js";
import { readAssets } from "./assets.js";
import { Audits } from "./audits.js";
import type { Controls } from "./controls.js";
import { Fleet } from "./fleet.js";
import { Gate } from "./gate.js";
import { Live } from "./live.js";
import { LoginLimit } from "./login-limit.js";
import { People, type PeopleSettings } from "./people.js";
import { Provider, type ProviderOptions } from "./provider.js";
import { Sessions } from "./sessions.js";
import { Site } from "./site.js";

export interface WebOptions {
  readonly store: Store;
  readonly controls: Controls;
  /** Settings for people and their rights. */
  readonly people: Omit<PeopleSettings, "provider">;
  readonly provider: Omit<ProviderOptions, "monotonic"> | undefined;
  /** Signing key of sessions, 32 bytes. Users do not know it. */
  readonly sessionKey: Buffer;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Monotonic milliseconds. */
  readonly monotonic: () => number;
  /** Reports actions and attempts of users as events. */
  readonly emit: (happening: Happening) => Promise<void>;
  readonly onFault: (error: unknown) => void;
  /** Milliseconds between reads of changes by others in the store, while a page is open. */
  readonly refreshEvery?: number | undefined;
}

export interface Web extends Served {
  listen(event: AgentEvent): Promise<void>;
  close(): void;
}

/** Opens the page of an agent. @throws PlumblineError `page-token-short`, `page-people-invalid`, `page-not-built` */
export function openWeb(options: WebOptions): Web {
  const { store, controls, now, monotonic, emit, onFault, refreshEvery = 30_000 } = options;
  const fleet = new Fleet({ store, controls, now });
  const live = new Live({ fleet, refreshEvery, onFault });
  const sessions = new Sessions(options.sessionKey, now, store.signOuts);
  const provider = options.provider === undefined ? undefined : new Provider({ ...options.provider, monotonic });
  const people = new People({ ...options.people, provider }, sessions);
  const gate = new Gate({ people, sessions, limit: new LoginLimit(monotonic), controls, emit });
  const audits = new Audits(controls, now);
  const site = new Site({ assets: readAssets(), fleet, live, audits, store, people, sessions, gate, provider, controls, now, emit });
  return {
    answer: (request, response, client) => site.answer(request, response, client),
    refuse: (request, response, client) => site.refuse(request, response, client),
    listen: async (event) => {
      await fleet.listen(event);
      live.nudge();
    },
    close: () => live.close(),
  };
}
