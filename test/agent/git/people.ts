import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const hasGpg = spawnSync("gpg", ["--version"]).status === 0 && spawnSync("gpgconf", ["--version"]).status === 0;

/** People with gpg keys of their own, in a folder that goes away with its agent. */
export class People {
  readonly home = mkdtempSync(join(tmpdir(), "gpg-"));
  readonly #keyrings: string[] = [];

  constructor() {
    chmodSync(this.home, 0o700);
  }

  gpg(...words: string[]): string {
    const quiet = ["--homedir", this.home, "--batch", "--quiet", "--yes", "--no-tty"];
    return execFileSync("gpg", [...quiet, ...words], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  }

  /** Gives the fingerprint of a new key. `made` and `expires` are dates such as 20200101. */
  join(name: string, { made, expires = "never" }: { readonly made?: string; readonly expires?: string } = {}): string {
    const then = made === undefined ? [] : ["--faked-system-time", `${made}T000000`];
    this.gpg(...then, "--passphrase", "", "--quick-gen-key", `${name} <${name}@example.com>`, "ed25519", "sign", expires);
    return this.fingerprint(name);
  }

  fingerprint(name: string): string {
    const rows = this.gpg("--with-colons", "--list-keys", `${name}@example.com`).split("\n");
    return rows.find((row) => row.startsWith("fpr:"))?.split(":")[9] ?? "";
  }

  /** Deletes the revocation certificate that gpg writes with each new key. Its first line prevents accidental use. */
  revoke(name: string): void {
    const certificate = readFileSync(join(this.home, "openpgp-revocs.d", `${this.fingerprint(name)}.rev`), "utf8");
    const file = join(this.home, `${name}.rev`);
    writeFileSync(file, certificate.replace(":-----BEGIN", "-----BEGIN"));
    this.gpg("--import", file);
  }

  /** A keyring with the public keys of some, as an administrator makes it for the agent. */
  keyring(...names: string[]): string {
    const folder = mkdtempSync(join(tmpdir(), "keyring-"));
    chmodSync(folder, 0o700);
    this.#keyrings.push(folder);
    if (names.length > 0) this.refresh(folder, ...names);
    return folder;
  }

  /** Imports keys as they are now into a keyring. */
  refresh(keyring: string, ...names: string[]): void {
    const file = join(this.home, "public.asc");
    writeFileSync(file, this.gpg("--armor", "--export", ...names.map((name) => `${name}@example.com`)));
    execFileSync("gpg", ["--homedir", keyring, "--batch", "--quiet", "--no-autostart", "--import", file], { stdio: "ignore" });
  }

  /** Git settings that sign as this person, optionally at a given time. */
  signs(name: string, at?: string): string[] {
    const program = join(this.home, `gpg-${name}`);
    const then = at === undefined ? "" : `--faked-system-time ${at}T000000`;
    writeFileSync(program, `#!/bin/sh\nexec gpg --homedir ${this.home} --no-tty ${then} "$@"\n`, { mode: 0o755 });
    return ["-c", "gpg.format=openpgp", "-c", `gpg.program=${program}`, "-c", `user.signingkey=${this.fingerprint(name)}`];
  }

  close(): void {
    execFileSync("gpgconf", ["--homedir", this.home, "--kill", "all"], { stdio: "ignore" });
    for (const home of [this.home, ...this.#keyrings]) rmSync(home, { recursive: true, force: true });
  }
}
