/** Octets of the longest origin that a list can hold or a request can match: a scheme, a name of 253 octets, a port. */
export const maxOriginLength = 320;

const schemeSeparator = '://';

/** What stands for one or more labels, directly after the scheme. */
export const anySubdomainPrefix = '*.';

const dot = 0x2e;
const isLowerLetter = (code: number): boolean => code >= 0x61 && code <= 0x7a;
const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
/** Browsers write the labels of a name in lower case, and others than ASCII in Punycode. */
const isLabelCharacter = (code: number): boolean =>
  isLowerLetter(code) || isDigit(code) || code === 0x2d || code === 0x5f;

/** Scheme, host and port, as browsers serialise an origin (RFC 6454, section 6.1). `null` is none. */
const originForm = /^[a-z][a-z0-9+.-]*:\/\/(?:\[[0-9a-f:]+\]|[a-z0-9_.~-]+)(?::[0-9]{1,5})?$/;

/** Whether a text is one serialised origin other than `null`. */
const isOneOrigin = (text: string): boolean => text.length <= maxOriginLength && originForm.test(text);

/** Whether a list holds a scheme and a name of which this origin is below. `listed`: without the `*.`. */
const isBelow = (origin: string, listed: ReadonlySet<string>): boolean => {
  const start = origin.indexOf(schemeSeparator) + schemeSeparator.length;
  if (start < schemeSeparator.length || origin.length > maxOriginLength) return false;
  const scheme = origin.slice(0, start);
  let labelStart = start;
  for (let index = start; index < origin.length; index += 1) {
    const code = origin.charCodeAt(index);
    if (code === dot) {
      if (index === labelStart) return false;
      if (listed.has(scheme + origin.slice(index + 1))) return true;
      labelStart = index + 1;
    } else if (!isLabelCharacter(code)) return false;
  }
  return false;
};

/** A list of origins, compiled when the configuration loads. */
export class AllowedOrigins {
  readonly #allowsAll: boolean;
  readonly #exact: ReadonlySet<string>;
  readonly #below: ReadonlySet<string>;

  /** `listed`: valid origins, with or without `*.` before the name, or `*` alone. */
  constructor(listed: readonly string[]) {
    const wild = schemeSeparator + anySubdomainPrefix;
    this.#allowsAll = listed.includes('*');
    this.#exact = new Set(listed.filter((origin) => origin !== '*' && !origin.includes(wild)));
    this.#below = new Set(
      listed.filter((origin) => origin.includes(wild)).map((origin) => origin.replace(wild, schemeSeparator)),
    );
  }

  /** Whether an origin is listed. */
  has(origin: string): boolean {
    return this.answerTo(origin) !== null;
  }

  /**
   * The value of Access-Control-Allow-Origin for an origin: the same octets, or `*`; null: the origin is not listed.
   * Compares octets, as browsers do (Fetch Standard, CORS check). The cost does not depend on the number of listed origins.
   */
  answerTo(origin: string): string | null {
    if (this.#allowsAll) return isOneOrigin(origin) ? '*' : null;
    if (this.#exact.has(origin)) return origin;
    return this.#below.size > 0 && isBelow(origin, this.#below) ? origin : null;
  }
}
