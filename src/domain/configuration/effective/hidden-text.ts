/** What stands for a secret that is written in a file. */
export const hiddenSecret = '***';

/** Words in names that hold a secret, for names that are not known here. */
const secretWords =
  /secr|passw|passphrase|pwd|token|credential|private[-_]?key|(?:api|access|sign(?:ing)?|encryption|shared|master)[-_]?keys?|(?:^|[-_])key$|dsn|bearer|authori[sz]ation|cookie|webhook|jwt|hmac|salt|(?:^|[-_])(?:auth|sig|signature|pin|otp)$/i;

/** Whether what bears a name may be a secret, by the looks of the name alone. */
export const looksSecret = (name: string): boolean => secretWords.test(name);

/** Parts of a query (RFC 3986, section 3.4) that give access to what the URL names. */
const secretParameter =
  /([?&;#](?:[\w.~%[\]-]*(?:key|token|secr|passw|pwd|sig|credential|auth|bearer|jwt|dsn)[\w.~%[\]-]*)=)[^&;#\s]+/gi;

/** `password=...` of a connection string. */
const secretAssignment =
  /(^|[\s;,])((?:password|passwd|pwd|passphrase|dsn|secret|token|apikey|api[-_]key)\s*=\s*)[^\s;,]+/gi;

/**
 * What stands before the last `@` of an authority. A password may hold what ends an authority; digits and a slash after a
 * colon are a port.
 */
const userInformation = /(:\/\/)(?:[^\s/?#:@]*:(?!\d{1,5}(?:[/?#]|$))[^\r\n]*|[^\s/?#]*)@/g;

/** Credentials as a header has them (RFC 9110, section 11.4). */
const credentials = /^(\s*(?:bearer|basic|digest|negotiate|apikey|token)\s+)\S.*$/is;

/** A text with its secrets hidden: those of URLs and their queries, of connection strings, and credentials of a header. */
export const hiddenInText = (text: string): string =>
  text
    .replace(credentials, `$1${hiddenSecret}`)
    .replace(userInformation, `$1${hiddenSecret}@`)
    .replace(secretParameter, `$1${hiddenSecret}`)
    .replace(secretAssignment, `$1$2${hiddenSecret}`);

/** Whether a text gives anything away; the name of a user alone does not. */
export const holdsSecret = (text: string): boolean => {
  const nameless = text.replace(/:\/\/[^\s/?#:@]*@/g, '://');
  return hiddenInText(nameless) !== nameless && !nameless.includes(hiddenSecret);
};

const decoded = (text: string): string =>
  text
    .replace(/\\u\{?([0-9a-f]{1,6})\}?/gi, (whole, digits: string) => {
      const code = Number.parseInt(digits, 16);
      return code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : whole;
    })
    .replaceAll('\\/', '/');

const hiddenPiece = (piece: string): string => {
  const [opening, inside] = piece.startsWith('"') ? ['"', piece.slice(1)] : ['', piece];
  const shown = hiddenInText(inside);
  if (shown !== inside) return opening + shown;
  const plain = decoded(inside);
  const hidden = hiddenInText(plain);
  return hidden === plain ? piece : opening + hidden;
};

/** A line of a file, or a message that quotes one: each string of it by itself, with what it has escaped. */
export const hiddenInLine = (line: string): string => {
  // A raw string may hold quotes: the line is looked at as a whole.
  const whole = /#"|"""|r"/.test(line) ? hiddenInText(line) : line;
  return whole.replace(/"(?:\\.|[^"\\])*|[^"]+/g, hiddenPiece);
};
