import { createHash, type X509Certificate } from "node:crypto";
import { createSecureContext, type SecureContext, type TLSSocket } from "node:tls";
import { buildConnector } from "undici";
import { PlumblineError } from "../core/errors.js";
import { readRegularFile, whyUnread } from "../core/regular-file.js";
import type { TlsTrust } from "../core/tls-trust.js";

/** The certificate of the connection does not match the pin. `actual` is its fingerprint in the form of the pin. */
export class PinMismatch extends Error {
  constructor(readonly actual: string) {
    super("the certificate is not the pinned one");
  }
}

/** PEM files of a client certificate and its key, for servers that require one. */
export interface OwnCertificate {
  readonly cert: string;
  readonly key: string;
}

/** Trust settings and client certificate, with the contents of all files. */
export interface Trust {
  readonly tls: TlsTrust;
  readonly ca: string | undefined;
  readonly own: OwnCertificate | undefined;
}

/** @throws PlumblineError `tls-ca-unreadable`, `tls-client-certificate-unreadable` */
export async function readTrust(tls: TlsTrust, target: string, own?: OwnCertificate): Promise<Trust> {
  return {
    tls,
    own: own === undefined ? undefined : await readOwn(own, target),
    ca: tls.ca === undefined ? undefined : await readAuthority(tls.ca, target),
  };
}

/**
 * Returns a connector for undici that accepts only trusted connections. The certificate is verified against the authorities of the system
 * or `tls.ca`. A pin without `ca` replaces the authority and the host name, because devices sign their own certificates. With `ca`, both
 * must match. Nothing is sent before the pin is compared. The connector serves one origin: the certificates of its first connection are
 * used for all.
 */
export function trustedConnector(trust: Trust, timeout: number): buildConnector.connector {
  const { pin } = trust.tls;
  let connect: buildConnector.connector | undefined;
  return (options, callback) => {
    const isEncrypted = options.protocol === "https:";
    connect ??= connectorOf(trust, timeout, isEncrypted ? contextOf(trust) : undefined);
    connect(options, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      const isToCheck = pin !== undefined && isEncrypted;
      const problem = isToCheck ? checkPin((socket as TLSSocket).getPeerX509Certificate(), pin) : undefined;
      if (problem !== undefined) {
        socket.destroy();
        return callback(problem, null);
      }
      callback(null, socket);
    });
  };
}

function connectorOf(trust: Trust, timeout: number, secureContext: SecureContext | undefined): buildConnector.connector {
  return buildConnector({
    timeout,
    rejectUnauthorized: isVerified(trust),
    ...(secureContext === undefined ? {} : { secureContext }),
    ...(trust.tls.pin === undefined ? {} : { maxCachedSessions: 0 }),
  } as buildConnector.BuildOptions);
}

/** Returns whether an authority must have signed the certificate. */
function isVerified({ tls, ca }: Trust): boolean {
  return !tls.insecure && (tls.pin === undefined || ca !== undefined);
}

function contextOf(trust: Trust): SecureContext {
  const { ca, own } = trust;
  // Without verification, an empty list prevents Node from parsing its own authorities, which takes 25 ms of processor time in Node 20.
  const read = ca ?? (isVerified(trust) ? undefined : []);
  return createSecureContext({ ...(read === undefined ? {} : { ca: read }), ...own });
}

function readAuthority(file: string, target: string): Promise<string> {
  return readPem(file, (reason) => {
    return new PlumblineError("tls-ca-unreadable", `the certificate authority ${file} cannot be read (${reason})`, {
      where: { file, target },
      next: "Put the PEM file there, or correct tls.ca of the target.",
    });
  });
}

async function readOwn({ cert, key }: OwnCertificate, target: string): Promise<OwnCertificate> {
  const read = (file: string): Promise<string> =>
    readPem(file, (reason) => {
      return new PlumblineError(
        "tls-client-certificate-unreadable",
        `the client certificate or its key, ${file}, cannot be read (${reason})`,
        {
          where: { file, target },
          next: "Put the PEM file there, or correct cert and key of the cloud.",
        },
      );
    });
  return { cert: await read(cert), key: await read(key) };
}

/** Maximum size of a PEM file, in bytes. The authorities of a system have 500,000. */
const MOST_PEM_BYTES = 4 * 1024 * 1024;

async function readPem(file: string, unreadable: (reason: string) => PlumblineError): Promise<string> {
  try {
    return (await readRegularFile(file, MOST_PEM_BYTES)).toString("utf8");
  } catch (error) {
    throw unreadable(whyUnread(error));
  }
}

/** `sha256/<base64>` pins the public key (SPKI), `sha256:<hex>` the complete certificate. */
function checkPin(certificate: X509Certificate | undefined, pin: string): PinMismatch | undefined {
  if (certificate === undefined) return new PinMismatch("none");
  if (pin.startsWith("sha256/")) {
    const actual = publicKeyPin(certificate);
    return actual === pin ? undefined : new PinMismatch(actual);
  }
  const actual = hexDigits(certificate.fingerprint256);
  return actual === hexDigits(pin.slice("sha256:".length)) ? undefined : new PinMismatch(`sha256:${actual}`);
}

function hexDigits(fingerprint: string): string {
  return fingerprint.replaceAll(":", "").toLowerCase();
}

function publicKeyPin(certificate: X509Certificate): string {
  const spki = certificate.publicKey.export({ type: "spki", format: "der" });
  return `sha256/${createHash("sha256").update(spki).digest("base64")}`;
}
