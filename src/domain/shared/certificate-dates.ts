/** The subject and the expiry of a certificate. */
export interface CertificateDates {
  /** Its subject, or its alternative names if it has none. See `subjectText`. */
  readonly subject: string;
  /** Milliseconds since the Unix epoch. */
  readonly expiryMs: number;
}

/** Maximum characters of a subject in a metric. */
const maxSubjectLength = 128;

/** Line breaks, other control characters and lone surrogates. */
const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** A subject as a label of a metric: one line of at most 128 characters (UTF-16 code units), without control characters. */
export const subjectText = (text: string): string => {
  const line = text.replaceAll('\n', ', ').replace(unprintable, '?');
  // A cut may split a pair of surrogates.
  return line.length <= maxSubjectLength ? line : line.slice(0, maxSubjectLength).replace(/[\uD800-\uDBFF]$/, '');
};

/** Each subject once, with its earliest expiry; of more than `max`, the first ones to expire. Sorted by expiry. */
export const earliestExpiries = (
  certificates: readonly CertificateDates[],
  max: number,
): readonly CertificateDates[] => {
  const earliest = new Map<string, number>();
  for (const { subject, expiryMs } of certificates) {
    earliest.set(subject, Math.min(expiryMs, earliest.get(subject) ?? Number.POSITIVE_INFINITY));
  }
  return Array.from(earliest, ([subject, expiryMs]) => ({ subject, expiryMs }))
    .sort((one, other) => one.expiryMs - other.expiryMs)
    .slice(0, max);
};
