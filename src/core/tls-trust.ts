/** Settings for the check of a server certificate. */
export interface TlsTrust {
  /** Absolute path of a PEM file. */
  readonly ca?: string | undefined;
  /** `sha256/<base64>` of the certificate's public key, or `sha256:<hex>` of the certificate. */
  readonly pin?: string | undefined;
  readonly insecure: boolean;
  /** True if secrets may also be sent over plain http, readable on the network. */
  readonly plaintext?: boolean | undefined;
}
