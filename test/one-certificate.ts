import { type LabCertificate, makeCertificate } from "../src/lab/panos/http/certificate.js";

let made: Promise<LabCertificate> | undefined;

/** One for all labs of a worker whose tests are not about certificates: to make it takes longer than to start such a lab. */
export function oneCertificate(): Promise<LabCertificate> {
  made ??= makeCertificate(Date.now());
  return made;
}
