import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign, X509Certificate } from "node:crypto";
import { Attributes, CertificationRequest, CertificationRequestInfo } from "@peculiar/asn1-csr";
import { AsnConvert, OctetString } from "@peculiar/asn1-schema";
import {
  AlgorithmIdentifier,
  Attribute,
  AttributeTypeAndValue,
  AttributeValue,
  BasicConstraints,
  Certificate,
  Extension,
  Extensions,
  GeneralName,
  id_ce_basicConstraints,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  KeyUsage,
  KeyUsageFlags,
  Name,
  RelativeDistinguishedName,
  SubjectAlternativeName,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from "@peculiar/asn1-x509";
import { TreeNode } from "../../../core/tree/node.js";
import { quote } from "../../../core/tree/path.js";
import { reveal } from "../config/intake.js";
import { readXPath } from "../config/read.js";
import { performEdits, refuseWrites } from "../config/write.js";
import { DeviceError } from "../device-error.js";
import { badXPath } from "../device-messages.js";
import { type Reply, result } from "../http/reply.js";
import { isManager } from "../state/device-groups.js";
import { child } from "../state/system-facts.js";
import { last } from "../tree/config-tree.js";
import { locate } from "../tree/locate.js";
import { type OperationCall, type OperationTable, textAt } from "./operation.js";

/**
 * `request certificate generate`, as public clients send it: self-signed, signed by a certificate of the device, or `external`, a request
 * for another authority. The reply is quoted in issue 592 of pan-os-ansible. The lab omits the hashes of the names.
 */
export const CERTIFICATE_OPERATIONS: OperationTable = {
  "request/certificate/generate": { needs: "extras", run: (call) => generate(call) },
};

const DAY = 24 * 3600 * 1000;
const EXTENSION_REQUEST = "1.2.840.113549.1.9.14";
/** Attributes of a subject in their order, by element of the command. */
const SUBJECT: readonly (readonly [tag: string, type: string])[] = [
  ["country-code", "2.5.4.6"],
  ["state", "2.5.4.8"],
  ["locality", "2.5.4.7"],
  ["organization", "2.5.4.10"],
  ["organization-unit", "2.5.4.11"],
  ["name", "2.5.4.3"],
];
const SIGNATURES: Readonly<Record<string, readonly [rsa: string, ecdsa: string]>> = {
  sha1: ["1.2.840.113549.1.1.5", "1.2.840.10045.4.1"],
  sha256: ["1.2.840.113549.1.1.11", "1.2.840.10045.4.3.2"],
  sha384: ["1.2.840.113549.1.1.12", "1.2.840.10045.4.3.3"],
  sha512: ["1.2.840.113549.1.1.13", "1.2.840.10045.4.3.4"],
};
const CURVES: Readonly<Record<string, string>> = { "256": "P-256", "384": "P-384", "521": "P-521" };
const RSA_SIZES: ReadonlySet<string> = new Set(["512", "1024", "2048", "3072", "4096"]);

function generate(call: OperationCall): Reply {
  const { device, admin, node } = call;
  const name = required(node, "certificate-name");
  const xpath = entryOf(call, name);
  const signer = signerOf(call, textAt(node, "signed-by"));
  const digest = textAt(node, "digest") ?? "sha256";
  if (SIGNATURES[digest] === undefined) throw invalid("digest", digest);
  const keys = keysOf(node);
  const subject = subjectOf(node);
  const facts =
    signer === "external"
      ? [leaf("common-name", required(node, "name")), leaf("csr", requestOf(node, subject, keys, digest))]
      : certificateFacts(certificateOf(call, subject, keys, signer ?? { name: subject, key: keys.privateKey }, digest), keys);
  const secret = leaf("private-key", keys.privateKey.export({ type: "pkcs8", format: "pem" }).toString());
  const edit = { action: "edit", xpath, element: new TreeNode("entry", name, "", [...facts, secret]) } as const;
  refuseWrites(device, admin, edit);
  performEdits(device, admin, [edit]);
  return result("<msg><line>Successfully generated certificate and key pair</line></msg>");
}

/** Certificates are shared, unless the request names a virtual system (issue 592 of pan-os-ansible). */
function entryOf({ device, vsys }: OperationCall, name: string) {
  const scope = isManager(device.running) ? "panorama" : "shared";
  const place =
    vsys === undefined || vsys === "shared" ? scope : `devices/entry[@name='localhost.localdomain']/vsys/entry[@name=${quote(vsys)}]`;
  const xpath = readXPath(`/config/${place}/certificate/entry[@name=${quote(name)}]`);
  if (xpath === undefined) throw badXPath();
  return xpath;
}

interface Signer {
  readonly name: Name;
  readonly key: KeyObject;
}

/** Returns undefined for a self-signed certificate. */
function signerOf(call: OperationCall, name: string | undefined): Signer | "external" | undefined {
  if (name === undefined || name === "external") return name;
  const [found] = locate(call.device.candidate.tree.root, entryOf(call, name));
  const entry = found === undefined ? undefined : last(found);
  const [certificate, key] = [child(entry, "public-key")?.text, child(entry, "private-key")?.text];
  if (certificate === undefined || key === undefined) throw invalid("signed-by", name);
  const { tbsCertificate } = AsnConvert.parse(new X509Certificate(certificate).raw, Certificate);
  return { name: tbsCertificate.subject, key: createPrivateKey(reveal(key, call.device.settings.masterKey)) };
}

interface Keys {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

function keysOf(node: TreeNode): Keys {
  const [size, bits] = [textAt(node, "algorithm", "RSA", "rsa-nbits"), textAt(node, "algorithm", "ECDSA", "ecdsa-nbits")];
  if (size !== undefined && RSA_SIZES.has(size)) return generateKeyPairSync("rsa", { modulusLength: Number(size) });
  const namedCurve = CURVES[bits ?? ""];
  if (namedCurve === undefined) throw invalid("algorithm", size ?? bits ?? "");
  return generateKeyPairSync("ec", { namedCurve });
}

function subjectOf(node: TreeNode): Name {
  return new Name(
    SUBJECT.flatMap(([tag, type]) =>
      textsAt(node, tag).map((text) => {
        const value = new AttributeValue(tag === "country-code" ? { printableString: text } : { utf8String: text });
        return new RelativeDistinguishedName([new AttributeTypeAndValue({ type, value })]);
      }),
    ),
  );
}

function extensionsOf(node: TreeNode): Extensions {
  const isAuthority = textAt(node, "ca") === "yes";
  const usage = isAuthority
    ? KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign | KeyUsageFlags.digitalSignature
    : KeyUsageFlags.digitalSignature | KeyUsageFlags.keyEncipherment;
  const names = [
    ...textsAt(node, "hostname").map((dNSName) => new GeneralName({ dNSName })),
    ...textsAt(node, "ip").map((iPAddress) => new GeneralName({ iPAddress })),
    ...textsAt(node, "alt-email").map((rfc822Name) => new GeneralName({ rfc822Name })),
  ];
  return new Extensions([
    extension(id_ce_basicConstraints, new BasicConstraints({ cA: isAuthority }), true),
    extension(id_ce_keyUsage, new KeyUsage(usage), true),
    ...(names.length === 0 ? [] : [extension(id_ce_subjectAltName, new SubjectAlternativeName(names))]),
  ]);
}

function extension(extnID: string, value: object, critical = false): Extension {
  return new Extension({ extnID, critical, extnValue: new OctetString(AsnConvert.serialize(value)) });
}

function certificateOf({ device, node }: OperationCall, subject: Name, keys: Keys, signer: Signer, digest: string): X509Certificate {
  const days = Number(textAt(node, "days-till-expiry") ?? 365);
  if (!Number.isInteger(days) || days < 1) throw invalid("days-till-expiry", textAt(node, "days-till-expiry") ?? "");
  const now = device.clock.now();
  const signature = algorithmOf(signer.key, digest);
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    // A serial number is positive.
    serialNumber: Uint8Array.of(1, ...randomBytes(8)).buffer,
    signature,
    issuer: signer.name,
    validity: new Validity({ notBefore: new Date(now), notAfter: new Date(now + days * DAY) }),
    subject,
    subjectPublicKeyInfo: publicKeyOf(keys),
    extensions: extensionsOf(node),
  });
  const signatureValue = signed(tbsCertificate, signer.key, digest);
  const certificate = new Certificate({ tbsCertificate, signatureAlgorithm: signature, signatureValue });
  return new X509Certificate(Buffer.from(AsnConvert.serialize(certificate)));
}

function requestOf(node: TreeNode, subject: Name, keys: Keys, digest: string): string {
  const extensions = AsnConvert.serialize(extensionsOf(node));
  const info = new CertificationRequestInfo({
    subject,
    subjectPKInfo: publicKeyOf(keys),
    attributes: new Attributes([new Attribute({ type: EXTENSION_REQUEST, values: [extensions] })]),
  });
  const request = new CertificationRequest({
    certificationRequestInfo: info,
    signatureAlgorithm: algorithmOf(keys.privateKey, digest),
    signature: signed(info, keys.privateKey, digest),
  });
  const base64 = Buffer.from(AsnConvert.serialize(request)).toString("base64");
  const lines = base64.match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE REQUEST-----", ...lines, "-----END CERTIFICATE REQUEST-----", ""].join("\n");
}

/** Leaves of a certificate entry, in the order of devices. */
function certificateFacts(certificate: X509Certificate, { publicKey }: Keys): TreeNode[] {
  const path = (name: string) => `/${name.replaceAll("\n", "/")}`;
  const commonName = /^CN=(.*)$/m.exec(certificate.subject)?.[1] ?? "";
  return [
    leaf("not-valid-before", certificate.validFrom),
    leaf("issuer", path(certificate.issuer)),
    leaf("not-valid-after", certificate.validTo),
    leaf("common-name", commonName),
    leaf("expiry-epoch", String(Date.parse(certificate.validTo) / 1000)),
    leaf("ca", certificate.ca ? "yes" : "no"),
    leaf("subject", path(certificate.subject)),
    leaf("public-key", certificate.toString()),
    leaf("algorithm", publicKey.asymmetricKeyType === "rsa" ? "RSA" : "EC"),
  ];
}

function publicKeyOf({ publicKey }: Keys): SubjectPublicKeyInfo {
  return AsnConvert.parse(publicKey.export({ type: "spki", format: "der" }), SubjectPublicKeyInfo);
}

function algorithmOf(key: KeyObject, digest: string): AlgorithmIdentifier {
  const [rsa, ecdsa] = SIGNATURES[digest] ?? ["", ""];
  return key.asymmetricKeyType === "rsa"
    ? new AlgorithmIdentifier({ algorithm: rsa, parameters: null })
    : new AlgorithmIdentifier({ algorithm: ecdsa });
}

function signed(content: object, key: KeyObject, digest: string): ArrayBuffer {
  return new Uint8Array(sign(digest, Buffer.from(AsnConvert.serialize(content)), key)).buffer;
}

/** Texts of the members below an element, or its own text. */
function textsAt(node: TreeNode, tag: string): string[] {
  const found = child(node, tag);
  if (found === undefined) return [];
  return found.children.length === 0 ? [found.text] : found.children.map(({ text }) => text);
}

function leaf(tag: string, text: string): TreeNode {
  return new TreeNode(tag, undefined, text);
}

function required(node: TreeNode, tag: string): string {
  const text = textAt(node, tag);
  if (text === undefined || text === "") throw new DeviceError("17", ` request -> certificate -> generate is missing '${tag}'`);
  return text;
}

function invalid(tag: string, text: string): DeviceError {
  return new DeviceError("17", ` request -> certificate -> generate -> ${tag} '${text}' is invalid`);
}
