import { resolve } from "node:path";
import type { MemoryTargetConfiguration, OpenstackTargetConfiguration, TargetConfiguration } from "../configuration.js";
import { type ContrailText, readContrail } from "./contrail-target.js";
import { type OpenstackText, readOpenstack } from "./openstack-target.js";
import { type PanosText, readPanos } from "./panos-target.js";
import { type CommonText, readCommon, type TargetContext } from "./target-context.js";

interface MemoryText extends CommonText {
  readonly kind: "memory";
  readonly file: string;
}

/** A target as `plumbline.yaml` writes it, already checked against the schema. */
export type TargetText = PanosText | OpenstackText | ContrailText | MemoryText;

/** Reads targets, in the order of `names`. Clouds are read first: a controller may be asked with a cloud's token. */
export async function readTargets(
  names: readonly string[],
  texts: Readonly<Record<string, TargetText>>,
  contextOf: (name: string) => TargetContext,
): Promise<Map<string, TargetConfiguration>> {
  const clouds = new Map<string, OpenstackTargetConfiguration>();
  for (const name of names) {
    const text = texts[name];
    if (text?.kind === "openstack") clouds.set(name, await readOpenstack(text, contextOf(name)));
  }
  const targets = new Map<string, TargetConfiguration>();
  for (const name of names) targets.set(name, clouds.get(name) ?? (await readTarget(texts[name] as TargetText, contextOf(name), clouds)));
  return targets;
}

async function readTarget(
  text: TargetText,
  context: TargetContext,
  clouds: ReadonlyMap<string, OpenstackTargetConfiguration>,
): Promise<TargetConfiguration> {
  switch (text.kind) {
    case "panos":
      return await readPanos(text, context);
    case "openstack":
      return await readOpenstack(text, context);
    case "contrail":
      return await readContrail(text, context, clouds);
    case "memory":
      return readMemory(text, context);
  }
}

function readMemory(text: MemoryText, context: TargetContext): MemoryTargetConfiguration {
  return { kind: "memory", ...readCommon(text, context), file: resolve(context.folder, text.file) };
}

/** The targets of a run with the clouds that their controllers get tokens from; empty for all. */
export function withTheirClouds(chosen: readonly string[], texts: Readonly<Record<string, TargetText>>): ReadonlySet<string> {
  const clouds = chosen.flatMap((name) => {
    const text = texts[name];
    return text?.kind === "contrail" && text.auth?.from !== undefined ? [text.auth.from] : [];
  });
  return new Set([...chosen, ...clouds]);
}
