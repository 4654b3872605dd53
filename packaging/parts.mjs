// esbuild makes a part of every set of commands that need the same: more than three hundred, of which a plan loads 160. Each costs Node half a
// millisecond of a processor, whatever is in it. What the same everyday commands load is made one file here.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build } from "esbuild";

/** Sources, of dist, that commands begin with or ask for by the way; what these import goes with them. None of them does anything when it is loaded. */
const EVERYDAY = {
  start: ["cli.js"],
  help: ["cli/program.js"],
  read: [
    ...[
      "cli/commands/validate.js",
      "cli/commands/fmt.js",

      "desired/field-faults.js",
      "engine/insight/undeclared-words.js",
    ],
    ...["known-names", "policy/flows"].map((name) => `targets/panos/${name}.js`),
  ],
  small: ["cli/commands/history.js", "cli/commands/lab.js"],
  firewall: [
    ...["plan", "reconcile"].map((name) => `cli/commands/${name}.js`),
    ...["connections", "guards"].map((name) => `targets/panos/${name}.js`),
    ...["text", "last-line"].map((name) => `report/${name}.js`),
  ],
  cloud: ["openstack", "contrail"].flatMap((kind) => ["connections", "guards"].map((name) => `targets/${kind}/${name}.js`)),
};

/** What a part imports of others as esbuild writes it: names in braces or none, and what is loaded when it is needed. */
const AT_ONCE = /import(?:\{([^}]*)\}from)?"\.\/(?:parts\/)?([\w-]+-[A-Z0-9]{8}\.js)"/g;
const LATER = /import\("\.\/(?:parts\/)?([\w-]+-[A-Z0-9]{8}\.js)"\)/g;

/**
 * Merges what esbuild split, in `dist` and its folder of parts.
 * @param outputs of its metafile
 * @param options of the build, with the banner that gives a part `require`
 * @returns the outputs as they are now
 */
export async function mergeParts(dist, outputs, options) {
  const inputsOf = new Map(Object.entries(outputs).map(([output, { inputs }]) => [basename(output), inputs]));
  const groups = groupsOf(outputs);
  const groupOf = new Map([...groups].flatMap(([group, parts]) => parts.map((part) => [part, group])));
  const fileOf = (name) => join(dist, name === "cli.js" ? "" : "parts", name);
  const texts = new Map([...inputsOf.keys()].map((name) => [name, withoutBanner(readFileSync(fileOf(name), "utf8"), options.banner.js)]));
  for (const name of texts.keys()) rmSync(fileOf(name));
  const alone = [...texts.keys()].filter((name) => !groupOf.has(name));
  const { outputFiles } = await build({
    ...options,
    banner: {},
    entryPoints: [...groups.keys(), ...alone].map((unit) => ({ in: unit, out: unit.slice(0, -".js".length) })),
    outdir: dist,
    write: false,
    plugins: [linking(groups, groupOf, texts)],
  });
  const merged = outputFiles.map(({ path, contents }) => {
    const name = basename(path);
    writeFileSync(fileOf(name), contents);
    return [name, { inputs: Object.assign({}, ...(groups.get(name) ?? [name]).map((part) => inputsOf.get(part))) }];
  });
  return Object.fromEntries(merged);
}

/** Parts that the same of the everyday commands load, by the name of the file that they become; a part alone stays one. */
function groupsOf(outputs) {
  const entries = new Map(Object.entries(outputs).map(([output, { entryPoint }]) => [entryPoint?.slice("dist/".length), output]));
  const loaders = new Map();
  for (const [command, sources] of Object.entries(EVERYDAY)) {
    const visit = (output) => {
      if (loaders.get(output)?.has(command) === true || outputs[output] === undefined) return;
      loaders.set(output, new Set([...(loaders.get(output) ?? []), command]));
      for (const { kind, path } of outputs[output].imports) if (kind === "import-statement") visit(path);
    };
    for (const source of sources) {
      if (!entries.has(source)) throw new Error(`${source} is no part of its own any more: packaging/parts.mjs names it`);
      visit(entries.get(source));
    }
  }
  // Packages load the command by its name.
  const parts = [...loaders.keys()].filter((output) => basename(output) !== "cli.js");
  const together = new Map();
  for (const output of parts) {
    const commands = [...loaders.get(output)].join();
    together.set(commands, [...(together.get(commands) ?? []), output]);
  }
  const several = [...together.values()].filter((group) => group.length > 1);
  return new Map(several.map((group, at) => [`group-${`${at}`.padStart(8, "0")}.js`, group.map((output) => basename(output))]));
}

/**
 * What files ask of the parts in groups other than their own. `named`: the name that a group gives to `part name`, or to a part that is loaded when it
 * is needed; `of`: what each group gives; `by`: what `file group` asks. esbuild keeps whatever a file imports of another, used or not, so each says what it uses.
 */
function askedOf(groupOf, texts) {
  const [named, of, by] = [new Map(), new Map(), new Map()];
  const add = (map, key, value) => map.set(key, (map.get(key) ?? new Set()).add(value));
  const ask = (part, name, file) => {
    const [key, group] = [`${part} ${name}`, groupOf.get(part)];
    if (!named.has(key)) named.set(key, `_${named.size.toString(36)}`);
    add(of, part, name);
    if (file !== undefined) for (const place of [`${file} ${group}`, `${file} ${part}`]) add(by, place, key);
  };
  for (const [importer, text] of texts) {
    const file = groupOf.get(importer) ?? importer;
    for (const [, names = "", part] of text.matchAll(AT_ONCE)) {
      const used = names.split(",").map((each) => each.split(" as ")[0]);
      if (groupOf.has(part) && groupOf.get(part) !== file) for (const name of used.filter((each) => each !== "")) ask(part, name, file);
    }
    for (const [, part] of text.matchAll(LATER)) if (groupOf.has(part)) ask(part, "*", undefined);
  }
  return { named, of, by };
}

/** Packages of the older kind are given `require` by one part, and no other needs it. */
function withoutBanner(text, banner) {
  const rest = text.replace(banner, "");
  return /\btypeof require\b|createRequireHere/.test(rest) ? text : rest;
}

function linking(groups, groupOf, texts) {
  const { named, of, by } = askedOf(groupOf, texts);
  const given = (part) =>
    [...(of.get(part) ?? [])].map((name) => {
      const clause = `${name} as ${named.get(`${part} ${name}`)}`;
      return `export ${name === "*" ? clause : `{${clause}}`} from "./${part}";`;
    });
  const namesOf = (place, put) => [...(by.get(place) ?? [])].map((key) => put(named.get(key), key.split(" ")[1])).join();
  const contentsOf = {
    group: (group) => groups.get(group).map((part) => `import "./${part}";${given(part).join("")}`),
    // What a file has of another group, and the same by the names that a part of that group has for it.
    of: (place) => [`export {${namesOf(place, (name) => name)}} from "./${place.split(" ")[1]}";`],
    handed: (place) => {
      const [file, part] = place.split(" ");
      return [`export {${namesOf(place, (name, own) => `${name} as ${own}`)}} from "of ${file} ${groupOf.get(part)}";`];
    },
    part: (part) => {
      const later = (text, asked) =>
        groupOf.has(asked) ? `import("./${groupOf.get(asked)}").then(group=>group.${named.get(`${asked} *`)})` : text;
      return [texts.get(part).replace(LATER, later)];
    },
  };
  return {
    name: "linking",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /.*/ }, ({ path, kind, pluginData: file }) => {
        if (kind === "entry-point") return { path, namespace: groups.has(path) ? "group" : "part", pluginData: path };
        if (path.startsWith("of ")) return { path: path.slice("of ".length), namespace: "of", pluginData: file };
        const name = basename(path);
        if (groupOf.get(name) === file) return { path: name, namespace: "part", pluginData: file };
        if (groupOf.has(name)) return { path: `${file} ${name}`, namespace: "handed", pluginData: file };
        const isOurs = groups.has(name) || texts.has(name);
        return { path: isOurs ? `./${file === "cli.js" ? "parts/" : ""}${name}` : path, external: true };
      });
      for (const [namespace, contents] of Object.entries(contentsOf))
        onLoad({ filter: /.*/, namespace }, ({ path, pluginData }) => ({ contents: contents(path).join("\n"), pluginData }));
    },
  };
}
