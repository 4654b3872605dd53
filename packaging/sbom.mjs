// Writes dist/sbom.cdx.json: every package that is installed with the program, from the lock file, as CycloneDX 1.5.
// `npm sbom --omit dev` (npm 11.19) leaves out packages that a development tool needs too, `yaml` among them.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** `@scope/name` in a package URL. */
const purl = (id, at) => `pkg:npm/${id.replace("@", "%40")}@${at}`;
const licenses = (id) => (id === undefined ? [] : [/ OR | AND /.test(id) ? { expression: id } : { license: { id } }]);
const hashes = (integrity) =>
  (integrity ?? "")
    .split(" ")
    .filter((each) => each.startsWith("sha512-"))
    .map((each) => ({ alg: "SHA-512", content: Buffer.from(each.slice(7), "base64").toString("hex") }));

/** What is installed with the program, of its manifest and its lock file. */
export function billOfMaterials({ name, version, license, description }, { packages }) {
  const components = Object.entries(packages).flatMap(([place, each]) => {
    if (place === "" || each.dev === true || each.devOptional === true) return [];
    const id = place.slice(place.lastIndexOf("node_modules/") + 13);
    return [
      {
        type: "library",
        "bom-ref": `${purl(id, each.version)}#${place}`,
        name: id,
        version: each.version,
        scope: each.optional === true ? "optional" : "required",
        hashes: hashes(each.integrity),
        licenses: licenses(each.license),
        purl: purl(id, each.version),
      },
    ];
  });

  const root = {
    type: "application",
    "bom-ref": purl(name, version),
    name,
    version,
    description,
    licenses: licenses(license),
    purl: purl(name, version),
  };
  return { bomFormat: "CycloneDX", specVersion: "1.5", version: 1, metadata: { component: root }, components };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [manifest, lock] = ["package.json", "package-lock.json"].map((file) => JSON.parse(readFileSync(file, "utf8")));
  writeFileSync(process.argv[2] ?? "dist/sbom.cdx.json", `${JSON.stringify(billOfMaterials(manifest, lock), undefined, 1)}\n`);
}
