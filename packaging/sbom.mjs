// Bill of materials of a release, as CycloneDX 1.5. `npm sbom` would list every package of the lock file, whether its code is released or not.
const purl = (id, at) => `pkg:npm/${id.replace("@", "%40")}@${at}`;
const licenses = (id) => (id === undefined ? [] : [/ OR | AND /.test(id) ? { expression: id } : { license: { id } }]);
const hashes = (integrity) =>
  (integrity ?? "")
    .split(" ")
    .filter((each) => each.startsWith("sha512-"))
    .map((each) => ({ alg: "SHA-512", content: Buffer.from(each.slice(7), "base64").toString("hex") }));

/** @param included places of the lock file (`node_modules/yaml`) whose packages are bundled or installed with the program */
export function billOfMaterials({ name, version, license, description }, { packages }, included) {
  const components = [...included].sort().flatMap((place) => {
    if (place === "") return [];
    const each = packages[place];
    if (each === undefined) throw new Error(`${place} is in the release but not in package-lock.json`);
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
