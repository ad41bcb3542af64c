import type { CertificateDates } from '../../../domain/shared/certificate-dates.js';

/** The certificates of a PEM text; empty if one of them is unreadable, or there is none. */
export type CertificateDatesReader = (pem: string) => readonly CertificateDates[];
