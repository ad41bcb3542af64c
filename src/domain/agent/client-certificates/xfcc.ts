/** What one element of X-Forwarded-Client-Cert tells, still encoded. */
export interface XfccElement {
  /** SHA-256 of the certificate, in lower-case hexadecimal; null where it is not told. */
  readonly hash: string | null;
  /** The certificate, URL-encoded PEM. */
  readonly cert: string | null;
  /** The chain from the certificate on, URL-encoded PEM. */
  readonly chain: string | null;
}

const believedKeys = ['hash', 'cert', 'chain'] as const;
/** What the client may have chosen. */
const describingKeys: readonly string[] = ['subject', 'uri', 'dns'];

type BelievedKey = (typeof believedKeys)[number];

const isBelieved = (key: string): key is BelievedKey => (believedKeys as readonly string[]).includes(key);

const isKnown = (key: string): boolean => key === 'by' || isBelieved(key) || describingKeys.includes(key);

/** The first key of a text, in lower case; null where it does not begin with a key and `=`. */
const keyAt = (text: string, start: number): string | null => {
  let index = start;
  while (/[A-Za-z]/.test(text[index] ?? '')) index += 1;
  return index > start && text[index] === '=' ? text.slice(start, index).toLowerCase() : null;
};

/** Whether a header value is of this form: it begins with a key that Envoy writes. */
export const isXfcc = (text: string): boolean => {
  const key = keyAt(text, 0);
  return key !== null && isKnown(key);
};

interface Part {
  readonly value: string;
  /** Index of what follows. */
  readonly end: number;
}

const backslashesAt = (text: string, start: number): number => {
  let index = start;
  while (text[index] === '\\') index += 1;
  return index - start;
};

/**
 * A value in quotes. A backslash before a quote keeps it, by Envoy's documentation. Whether two of them before a quote
 * are one that is kept, as in the subjects that Envoy copies, or still keep the quote, readers do not agree: null.
 */
const quotedAt = (text: string, start: number): Part | null => {
  let value = '';
  let index = start + 1;
  while (index < text.length) {
    const character = text[index] as string;
    if (character === '"') return { value, end: index + 1 };
    if (character !== '\\') {
      value += character;
      index += 1;
      continue;
    }
    const run = backslashesAt(text, index);
    index += run;
    if (text[index] !== '"') {
      value += '\\'.repeat(run);
      continue;
    }
    if (run % 2 === 0) return null;
    value += `${'\\'.repeat(run - 1)}"`;
    index += 1;
  }
  return null;
};

const plainAt = (text: string, start: number): Part | null => {
  let end = start;
  while (end < text.length && !';,"'.includes(text[end] as string)) end += 1;
  return text[end] === '"' ? null : { value: text.slice(start, end), end };
};

const isSha256 = (hash: string): boolean => /^[0-9a-f]{64}$/.test(hash);

/**
 * Reads the value of X-Forwarded-Client-Cert as Envoy writes it: pairs of `Key=value` with `;` between them. Null for
 * several elements (with `,` between them: which of the proxies' peers is meant would be a guess), for a hash,
 * certificate or chain told twice, and for anything malformed.
 *
 * Envoy quotes no alternative names, so that a client may have `;Cert=...` in one of them. What follows such a name
 * counts only if a hash came before it, and then the caller has to compare the two.
 */
export const readXfcc = (text: string): XfccElement | null => {
  const told = new Map<BelievedKey, string>();
  let isDescribed = false;
  let index = 0;
  for (;;) {
    const key = keyAt(text, index);
    if (key === null) return null;
    const start = index + key.length + 1;
    const part = text[start] === '"' ? quotedAt(text, start) : plainAt(text, start);
    if (part === null) return null;
    if (isBelieved(key)) {
      if (told.has(key) || (isDescribed && !told.has('hash'))) return null;
      told.set(key, part.value);
    } else if (describingKeys.includes(key)) isDescribed = true;
    if (part.end === text.length) break;
    if (text[part.end] !== ';') return null;
    index = part.end + 1;
  }
  const hash = told.get('hash')?.toLowerCase() ?? null;
  if (hash !== null && !isSha256(hash)) return null;
  return { hash, cert: told.get('cert') ?? null, chain: told.get('chain') ?? null };
};
