import { PlumblineError } from "../../../core/errors.js";
import type { OpenstackDependencies } from "../dependencies.js";
import { type CloudFile, type CloudSearch, type Plain, type PlainMap, readCloudFile } from "./cloud-files.js";
import { keyOf, markedValue, type RawCloud, type RawCloudSettings } from "./cloud-settings.js";

/**
 * Reads the entry `name` of `clouds.yaml`, or its only entry. The entry overrides its profile in `clouds-public.yaml`, and `secure.yaml`
 * overrides the entry.
 * @throws PlumblineError `cloud-not-known` with the searched files and the known clouds
 */
export async function namedCloud(name: string | undefined, dependencies: OpenstackDependencies, search: CloudSearch): Promise<RawCloud> {
  const target = search.name;
  const file = await readCloudFile("clouds", dependencies, search);
  const chosen = name ?? (file.clouds.size === 1 ? [...file.clouds.keys()][0] : undefined);
  const entry = chosen === undefined ? undefined : file.clouds.get(chosen);
  if (chosen === undefined || entry === undefined) throw notKnown(chosen, file, target);
  if (!isMap(entry)) throw incomplete(`cloud "${chosen}" of ${file.path} is no map`, target);
  const secure = (await readCloudFile("secure", dependencies, search)).clouds.get(chosen);
  const merged = merge(entry, isMap(secure) ? secure : new Map());
  const profile = await profileOf(merged, dependencies, search);
  return { settings: flatten(merge(profile, merged), `cloud ${chosen}`), source: `cloud "${chosen}" of ${file.path}` };
}

async function profileOf(entry: PlainMap, dependencies: OpenstackDependencies, search: CloudSearch): Promise<PlainMap> {
  const name = entry.get("profile") ?? entry.get("cloud");
  if (typeof name !== "string" || name === "") return new Map();
  const file = await readCloudFile("clouds-public", dependencies, search);
  const profile = file.clouds.get(name);
  if (isMap(profile)) return profile;
  const places = file.path ?? file.searched.join(", ");
  throw new PlumblineError("cloud-not-known", `the profile "${name}" is not known in ${places}${ignored(file)}`, {
    where: { target: search.name },
    next: "Write the content of the profile into the cloud's entry. The profiles of OpenStack's own tools are not supported.",
  });
}

/** Merges maps. Any other value is replaced. */
function merge(base: PlainMap, over: PlainMap): PlainMap {
  const merged = new Map(base);
  for (const [key, value] of over) {
    const below = merged.get(key);
    merged.set(key, isMap(below) && isMap(value) ? merge(below, value) : value);
  }
  return merged;
}

/** Combines the entry and its `auth` map, which wins. */
function flatten(entry: PlainMap, place: string): RawCloudSettings {
  const settings = new Map<string, ReturnType<typeof markedValue>>();
  const take = (map: PlainMap): void => {
    for (const [written, value] of map) {
      const key = keyOf(written);
      const text = key === "regions" ? firstRegion(value) : value;
      if (typeof text !== "string" || isNothing(text)) continue;
      if (key === "regions") settings.set("region_name", settings.get("region_name") ?? text);
      else settings.set(key, markedValue(key, text, place));
    }
  };
  take(entry);
  const auth = entry.get("auth");
  if (isMap(auth)) take(auth);
  return settings;
}

/** `regions` contains names, or maps with a name. */
function firstRegion(regions: Plain): Plain | undefined {
  const first = Array.isArray(regions) ? (regions as readonly Plain[])[0] : undefined;
  return isMap(first) ? first.get("name") : first;
}

function isNothing(text: string): boolean {
  return text === "" || text === "~" || /^null$/i.test(text);
}

function isMap(value: Plain | undefined): value is PlainMap {
  return value instanceof Map;
}

function notKnown(name: string | undefined, file: CloudFile, target: string): PlumblineError {
  const { path, searched, clouds } = file;
  const known = clouds.size === 0 ? "none" : [...clouds.keys()].join(", ");
  const place = path === undefined ? `no clouds.yaml was found in ${searched.join(", ")}` : `${path} knows: ${known}`;
  const what = name === undefined ? "no cloud is chosen" : `the cloud "${name}" is not known`;
  return new PlumblineError("cloud-not-known", `${what}; ${place}${ignored(file)}`, {
    where: { ...(path === undefined ? {} : { file: path }), target },
    next: "Write one of them as cloud: of the target, set OS_CLOUD, or name the file in OS_CLIENT_CONFIG_FILE.",
  });
}

function ignored({ ignored: files }: CloudFile): string {
  return files.length === 0 ? "" : `; ignored ${files.join(", ")}, which a commit can change`;
}

function incomplete(message: string, target: string): PlumblineError {
  return new PlumblineError("cloud-incomplete", message, { where: { target }, next: "Write the cloud with auth: and its keys." });
}
