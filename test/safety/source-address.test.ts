import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventText } from "../../src/agent/event-text.js";
import { serveAgent } from "../../src/agent/http.js";
import { logEvents } from "../../src/agent/log.js";
import { openWeb } from "../../src/agent/page/open.js";
import { plain } from "../../src/report/style.js";
import { afterTest } from "../after-test.js";
import { AgentWorld } from "../agent/world.js";

const USER = "user-token-51d7";
const QUERY = "query-token-9c02";
const FRAGMENT = "fragment-token-e6b8";
const SECRETS = [USER, QUERY, FRAGMENT];
const ADDRESS = `https://${USER}@git.example.com/net.git?private_token=${QUERY}#${FRAGMENT}`;

let world: AgentWorld;
beforeAll(async () => {
  world = await AgentWorld.start();
  writeFileSync(join(world.folder, ".gitconfig"), `[url "${world.remote}"]\n\tinsteadOf = "${ADDRESS}"\n`);
  world.watched = ADDRESS;
  await world.run();
  await world.event("applied");
});
afterAll(() => world.close());

function expectNoSecret(text: string): void {
  for (const secret of SECRETS) expect(text).not.toContain(secret);
}

/** Files of the store. The clone in `agent/` has the address in its git configuration. */
function stored(): string {
  const names = readdirSync(world.stateFolder).filter((name) => name.startsWith("plumbline.db"));
  expect(names).not.toEqual([]);
  return names.map((name) => readFileSync(join(world.stateFolder, name), "latin1")).join("\n");
}

describe("a repository whose address contains tokens", () => {
  it("is served and stored without them", async () => {
    const { open, store } = world;
    if (open === undefined || store === undefined) throw new Error("no agent");
    const web = openWeb({
      store,
      controls: {
        ...{ ...open.controls, source: open.source, hasAudit: () => false, audit: async () => [], hasDesigns: () => false },
        answerAccess: () => Promise.reject(new Error("no answer")),
      },
      people: { word: undefined, tokens: [], rights: [] },
      provider: undefined,
      sessionKey: await open.sessionKey(),
      now: () => world.clock.now(),
      monotonic: () => world.clock.monotonic(),
      emit: (happening) => open.events.emit(happening),
      onFault: () => undefined,
    });
    const server = await serveAgent({
      ...{ host: "127.0.0.1", port: 0, health: open.health, gate: undefined, onPush: () => undefined, pages: new Map(), web },
    });
    afterTest(async () => {
      web.close();
      await server.close();
    });
    const served = await Promise.all(["api/fleet", "api/history"].map(async (path) => await (await fetch(`${server.url}/${path}`)).text()));
    expect(served[0]).toContain("https://git.example.com/net.git?private_token=***");
    expectNoSecret(served.join("\n"));
    expectNoSecret(stored());
  });

  it("is shown without them in every event, also when it cannot be fetched", async () => {
    rmSync(world.remote, { recursive: true });
    await world.settle();
    world.open?.agent.fetchSoon("webhook");
    const { error } = await world.event("source-failed");
    expect(error.message).toContain("https://git.example.com/net.git?private_token=***");
    const started = { type: "agent-started", version: "1", source: world.open?.source ?? "", targets: [], time: 0 } as const;
    const lines: string[] = [];
    const write = (...line: unknown[]) => void lines.push(JSON.stringify(line));
    const log = logEvents({ info: write, warn: write, error: write }, () => ({}));
    for (const event of [...world.events, started]) {
      log(event);
      lines.push(eventText(event, plain) ?? "");
    }
    expect(lines.length).toBeGreaterThan(3);
    expectNoSecret(lines.join("\n"));
    expectNoSecret(stored());
  });
});
