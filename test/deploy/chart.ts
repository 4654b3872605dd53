import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse, parseAllDocuments } from "yaml";
import { render } from "./render.js";

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: Readonly<Record<string, unknown>>;
}

export type Values = Readonly<Record<string, unknown>>;

export const CHART = fileURLToPath(new URL("../../deploy/helm/plumbline/", import.meta.url));

export const defaults = parse(readFileSync(`${CHART}values.yaml`, "utf8")) as Values;

/** Returns the rendered manifests of the chart. */
export function chart(values: Values = {}, release = "net"): Manifest[] {
  const all = over(defaults, values) as Values;
  const read = (file: string): string => readFileSync(`${CHART}${file}`, "utf8");
  const texts = readdirSync(`${CHART}templates`).map((file) => render(read(`templates/${file}`), all, release, read));
  return texts.flatMap(manifestsIn);
}

export function manifestsIn(text: string): Manifest[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest | null)
    .filter((each) => each !== null);
}

/** Merges values as Helm does: maps key by key, everything else is replaced. */
export function over(below: unknown, above: unknown): unknown {
  if (!isMap(below) || !isMap(above)) return above;
  return { ...below, ...Object.fromEntries(Object.entries(above).map(([key, value]) => [key, over(below[key], value)])) };
}

function isMap(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
