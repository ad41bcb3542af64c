import type { CertificateDates } from '../../shared/certificate-dates.js';

/** What a certificate is used for. `saml`: single sign-on, as an agent reports it. */
export type CertificateUse = 'listener' | 'upstream' | 'agent' | 'saml';

/** A certificate in use. */
export interface CertificateExpiry extends CertificateDates {
  readonly use: CertificateUse;
  /** Name of the listener, upstream or agent. */
  readonly name: string;
}
