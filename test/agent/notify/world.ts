import { Notifier } from "../../../src/agent/notify/notifier.js";
import type { Notifications, Notified } from "../../../src/agent/store/store.js";
import { ANY_COMMAND } from "../../../src/desired/commands.js";
import type { NotifySettings } from "../../../src/desired/configuration/notify.js";
import { SecretReader } from "../../../src/desired/secrets.js";
import { FakeClock } from "../fake-clock.js";

/** Stores notifications in memory. */
export function memory(): Notifications & { readonly rows: Map<string, Notified> } {
  const rows = new Map<string, Notified>();
  return {
    rows,
    last: async (channel, subject) => rows.get(`${channel} ${subject}`),
    all: async (channel) => [...rows.values()].filter((row) => row.channel === channel),
    sent: async (notified) => void rows.set(`${notified.channel} ${notified.subject}`, notified),
  };
}

export interface NotifyWorld {
  readonly notifier: Notifier;
  readonly clock: FakeClock;
  readonly deliveries: { readonly channel: string; readonly error: unknown }[];
  /** Resolves when so many deliveries came to an end, well or not. */
  until(count: number): Promise<void>;
  settings: NotifySettings;
}

export function openNotifier(
  settings: NotifySettings,
  environment: Record<string, string> = {},
  remembered: Notifications = memory(),
): NotifyWorld {
  const clock = new FakeClock();
  const deliveries: NotifyWorld["deliveries"] = [];
  const waiting: (() => void)[] = [];
  const world: NotifyWorld = {
    settings,
    clock,
    deliveries,
    notifier: new Notifier({
      settings: () => world.settings,
      secrets: () => new SecretReader(environment, "/", ANY_COMMAND),
      memory: remembered,
      clock,
      onDelivery: (channel, error) => {
        deliveries.push({ channel, error });
        for (const wake of waiting.splice(0)) wake();
      },
    }),
    async until(count: number) {
      while (deliveries.length < count) await new Promise<void>((wake) => waiting.push(wake));
    },
  };
  world.notifier.start();
  return world;
}
