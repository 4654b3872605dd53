import "reflect-metadata";
import { createHash, webcrypto } from "node:crypto";
import * as x509 from "@peculiar/x509";

x509.cryptoProvider.set(webcrypto as Crypto);

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const DAY = 86_400_000;

export interface Authority {
  readonly pem: string;
  readonly keys: CryptoKeyPair;
}

export interface ServerCertificate {
  readonly key: string;
  readonly cert: string;
  /** `sha256/<base64>` of the public key. */
  readonly keyPin: string;
  /** `sha256:<hex>` of the certificate. */
  readonly certificatePin: string;
}

export async function makeAuthority(): Promise<Authority> {
  const keys = await makeKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: "CN=Test authority",
    notBefore: new Date(Date.now() - DAY),
    notAfter: new Date(Date.now() + DAY),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [new x509.BasicConstraintsExtension(true, undefined, true)],
  });
  return { pem: certificate.toString("pem"), keys };
}

export async function makeServer(authority: Authority, host: { ip?: string; dns?: string; expired?: boolean }): Promise<ServerCertificate> {
  const keys = await makeKeys();
  const names: x509.JsonGeneralNames = host.ip === undefined ? [{ type: "dns", value: host.dns ?? "" }] : [{ type: "ip", value: host.ip }];
  const certificate = await x509.X509CertificateGenerator.create({
    subject: "CN=Test device",
    issuer: "CN=Test authority",
    notBefore: new Date(Date.now() - 2 * DAY),
    notAfter: new Date(Date.now() + (host.expired === true ? -DAY : DAY)),
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey: authority.keys.privateKey,
    extensions: [new x509.SubjectAlternativeNameExtension(names)],
  });
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey));
  const spki = Buffer.from(await webcrypto.subtle.exportKey("spki", keys.publicKey));
  return {
    key: `-----BEGIN PRIVATE KEY-----\n${pkcs8.toString("base64").replace(/.{64}/g, "$&\n")}\n-----END PRIVATE KEY-----\n`,
    cert: certificate.toString("pem"),
    keyPin: `sha256/${createHash("sha256").update(spki).digest("base64")}`,
    certificatePin: `sha256:${createHash("sha256").update(Buffer.from(certificate.rawData)).digest("hex")}`,
  };
}

function makeKeys(): Promise<CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]) as Promise<CryptoKeyPair>;
}
