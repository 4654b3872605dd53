import { type LabCertificate, makeCertificate } from "../src/lab/panos/http/certificate.js";

let made: Promise<LabCertificate> | undefined;

/**
 * One certificate for all labs of a worker whose tests are not about certificates, because creating it takes longer than starting a lab.
 */
export function oneCertificate(): Promise<LabCertificate> {
  made ??= makeCertificate(Date.now());
  return made;
}
