/** How the certificate of a server is judged. */
export interface TlsTrust {
  /** Path of a PEM file, absolute. */
  readonly ca?: string | undefined;
  /** `sha256/<base64>` of the certificate's public key, or `sha256:<hex>` of the certificate. */
  readonly pin?: string | undefined;
  readonly insecure: boolean;
  /** What is secret may also go by plain http, where anybody on the way can read it. */
  readonly plaintext?: boolean | undefined;
}
