import { webcrypto } from "node:crypto";

export interface LabCertificate {
  /** The authority that clients trust, as PEM. */
  readonly caPem: string;
  readonly certPem: string;
  readonly keyPem: string;
}

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const LOOPBACK: { type: "dns" | "ip"; value: string }[] = [
  { type: "dns", value: "localhost" },
  { type: "ip", value: "127.0.0.1" },
  { type: "ip", value: "::1" },
];
const YEAR = 365 * 24 * 3600 * 1000;

/**
 * A certificate authority of this lab's own and a server certificate by it, good for a year: for 127.0.0.1, ::1 and
 * localhost, or for other names. The authority's key is dropped. The library is loaded here, since only the lab needs it.
 */
export async function makeCertificate(now: number, names?: readonly string[]): Promise<LabCertificate> {
  await import("reflect-metadata");
  const x509 = await import("@peculiar/x509");
  const crypto = webcrypto;
  x509.cryptoProvider.set(crypto as never);
  const validity = { notBefore: new Date(now - 24 * 3600 * 1000), notAfter: new Date(now + YEAR) };
  const caKeys = await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const caName = "CN=Plumbline lab authority";
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    name: caName,
    keys: caKeys,
    signingAlgorithm: ALGORITHM,
    ...validity,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(caKeys.publicKey),
    ],
  });
  const certificate = await x509.X509CertificateGenerator.create({
    subject: "CN=localhost",
    issuer: caName,
    publicKey: keys.publicKey,
    signingKey: caKeys.privateKey,
    signingAlgorithm: ALGORITHM,
    ...validity,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(names?.map((value) => ({ type: "dns" as const, value })) ?? LOOPBACK),
      await x509.AuthorityKeyIdentifierExtension.create(caKeys.publicKey),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  const pkcs8 = await crypto.subtle.exportKey("pkcs8", keys.privateKey);
  return { caPem: ca.toString("pem"), certPem: certificate.toString("pem"), keyPem: x509.PemConverter.encode(pkcs8, "PRIVATE KEY") };
}
