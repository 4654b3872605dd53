/** Steps of a place below `/config`: `tag`, or `tag=name` for an entry of a list. Names of interfaces contain a slash. */
export const stepsOf = (place: string): string[] => place.match(/[a-z0-9-]+=(?:ethernet\d+\/[\d.]+|[^/]+)|[^/]+/g) ?? [];

/** Returns XML of a configuration with `inside` at a place. */
export function configuration(place: string, inside: string): string {
  return `<config>${stepsOf(place).reduceRight((text, step) => {
    const [tag, name] = step.split("=");
    return name === undefined ? `<${tag}>${text}</${tag}>` : `<${tag}><entry name="${name}">${text}</entry></${tag}>`;
  }, inside)}</config>`;
}

/** Ordered lists, which documents write as sequences. */
const SEQUENCES = new Set(["rules", "external-list"]);

/** The ordered list that contains a place; undefined if there is none. */
export const sequenceOf = (place: string): string | undefined => /^.*\/(rules|external-list)(?==)/.exec(place)?.[0];

/** Returns a document of `target` that declares `inside` at a place. Without `inside` it declares only the tag `kept`. */
export function documentOf(target: string, place: string, inside: string | undefined): string {
  const steps = stepsOf(place);
  const scope = steps[0] === "shared" ? "shared" : steps[1] === "vsys=vsys1" ? "vsys1" : "device";
  if (inside === undefined) return JSON.stringify({ target, scope: "shared", config: { tag: { kept: { color: "color1" } } } });
  let body: object = { $xml: inside };
  for (const step of steps.slice(scope === "vsys1" ? 2 : 1).reverse()) {
    const [tag = "", name] = step.split("=");
    if (name === undefined) body = { [tag]: body };
    else body = { [tag]: SEQUENCES.has(tag) ? [{ name, ...body }] : { [name]: body } };
  }
  return JSON.stringify({ target, scope, config: body });
}
