// Every package that is installed with the program or bundled into it, from the lock file, as CycloneDX 1.5.
// `npm sbom --omit dev` (npm 11.19) leaves out packages that a development tool needs too, `yaml` among them.
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
    // A link leads to a folder of ours.
    if (place === "" || each.link === true || each.dev === true || each.devOptional === true || !place.startsWith("node_modules/"))
      return [];
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
