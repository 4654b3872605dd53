import { join, resolve } from "node:path";
import { PlumblineError } from "../../core/errors.js";
import type { SecretValue } from "../../core/secret.js";

export type StoreLocation =
  | { readonly kind: "sqlite"; readonly file: string }
  /** The URL may contain a password and must not be shown. */
  | { readonly kind: "postgres"; readonly url: SecretValue };

/**
 * Returns the location of the store from `store:` of plumbline.yaml, with resolved references: `sqlite:PATH` (relative to `folder`) or
 * `postgres://…`. The default is `plumbline.db` in the state folder.
 */
export function storeLocation(store: SecretValue | undefined, folder: string, stateFolder: string): StoreLocation {
  if (store === undefined) return { kind: "sqlite", file: join(stateFolder, "plumbline.db") };
  const text = store.reveal();
  const file = /^sqlite:(.+)$/.exec(text)?.[1];
  if (file !== undefined) return { kind: "sqlite", file: resolve(folder, file) };
  if (/^postgres(ql)?:\/\//.test(text) && URL.canParse(text)) {
    if (isCutByPassword(new URL(text))) throw notEncoded(store);
    return { kind: "postgres", url: store };
  }
  throw new PlumblineError("store-location", `The store ${store.label} is not an address that Plumbline knows.`, {
    next: "Write sqlite:PATH or postgres://USER@HOST/DATABASE; a password is a reference such as ${env:DATABASE_PASSWORD}.",
  });
}

/** A URL parser ends the password at the first `/ ? #` and would show the remaining characters as part of the address. */
function isCutByPassword({ pathname, search, hash }: URL): boolean {
  return hash !== "" || pathname.includes("@") || search.includes("@");
}

function notEncoded(store: SecretValue): PlumblineError {
  return new PlumblineError("store-location", `The password in ${store.label} holds a character that an address cannot.`, {
    next: "Write it percent-encoded (@ as %40, : as %3A, / as %2F, ? as %3F, # as %23), or write a reference in `store:`, which Plumbline encodes.",
  });
}
