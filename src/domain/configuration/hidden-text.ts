/** What stands for a secret that is written in a file. */
export const hiddenSecret = '***';

/** Words in names that hold a secret, for names that are not known here. */
const secretWords =
  /secr|passw|passphrase|pwd|token|credential|private[-_]?key|(?:api|access|sign(?:ing)?|encryption|shared|master)[-_]?keys?|(?:^|[-_])key$|dsn|bearer|authori[sz]ation|cookie|webhook|jwt|hmac|salt|(?:^|[-_])(?:auth|sig|signature|pin|otp)$/i;

/** Names of a measure, or of what says something about a secret and is none: `token-ttl-secs`, `cookie-name`. */
const describing =
  /[-_](?:ms|secs|seconds|minutes|hours|days|bytes|kb|mb|count|rounds|ttl|per[-_](?:second|minute|hour|day)|name|mode|type|algorithm|header)$|^(?:max|min)[-_].*(?:s|length|size|age)$/i;

/** Whether a name says what a secret is like, and not what it is. */
export const describesOnly = (name: string): boolean => describing.test(name);

/** Whether what bears a name may be a secret, by the looks of the name alone. */
export const looksSecret = (name: string): boolean => !describesOnly(name) && secretWords.test(name);

/** Parts of a query (RFC 3986, section 3.4). */
const parameter = /([?&;#])([\w.~%[\]-]+)=[^&;#\s]+/g;
/** Those that give access to what the URL names. */
const secretParameter = /key|token|secr|passw|pwd|sig|credential|auth|bearer|jwt|dsn/i;

/** `password=...` of a connection string. */
const secretAssignment =
  /(^|[\s;,])((?:password|passwd|pwd|passphrase|dsn|secret|token|apikey|api[-_]key)\s*=\s*)[^\s;,]+/gi;

/** A name and the colon after it. */
const userName = /[^\s/?#:@]*:/y;
/** An authority, if no password with other marks is in it. */
const authority = /[^\s/?#]*/y;
/** A port, and what follows the authority. */
const port = /\d{1,5}(?:[/?#]|$)/y;
/** What has a colon after it and is the name of a host, not of a user. */
const hostName = /\.|^localhost:$/i;
/** What has a colon after it and is neither. */
const otherName = /^(?:mailto|acct|sips?|xmpp|urn|sha256):$/i;
/** A hash of a password, as `user:hash`. */
const passwordHash = /\$(?:2[aby]|argon2|scrypt|pbkdf2)/y;

const matchAt = (pattern: RegExp, text: string, at: number): string | null => {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
};

/** Whether a name and a password begin there. A password may be digits; the port of what is surely a host is none. */
const hasPassword = (text: string, at: number): boolean => {
  const name = matchAt(userName, text, at);
  return name !== null && !(hostName.test(name) && matchAt(port, text, at + name.length) !== null);
};

/**
 * Hides what stands before the last `@` of an authority: a password may hold what ends an authority. Goes over the line
 * once, without a pattern that could run away.
 */
const withoutUsers = (line: string): string => {
  const last = line.lastIndexOf('@');
  let shown = '';
  let from = 0;
  for (let at = line.indexOf('://'); at >= 0 && at < last; at = line.indexOf('://', from)) {
    const start = at + 3;
    const name = matchAt(authority, line, start) ?? '';
    const end = hasPassword(line, start) ? last : start + name.lastIndexOf('@');
    shown += line.slice(from, start) + (end > start ? hiddenSecret : '');
    from = Math.max(start, end);
  }
  return shown + line.slice(from);
};

/** `user:password@host` without a scheme before it. */
const withoutBareUser = (word: string): string => {
  const last = word.lastIndexOf('@');
  const name = last < 0 ? null : matchAt(userName, word, 0);
  if (name === null || name.length < 2 || name.length >= last || otherName.test(name)) return word;
  if (word.startsWith('//', name.length) || matchAt(passwordHash, word, name.length) !== null) return word;
  if (!/[\w[]/.test(word.charAt(last + 1)) || !hasPassword(word, 0)) return word;
  const [before = ''] = /^.*[=(,'[]/.exec(name) ?? [];
  return before + hiddenSecret + word.slice(last);
};

/** Credentials as a header has them (RFC 9110, section 11.4): one word, or parameters. A sentence may begin so, too. */
const credentials = /^(\s*(?:bearer|basic|digest|negotiate|apikey|token)\s+)(?:\S+\s*|[^=\s]+=.*)$/is;

/** A private key in PEM, from its first line on. */
const privateKey = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----[\s\S]*/;

/**
 * A text with its secrets hidden: those of URLs and their queries, of connection strings, and credentials of a
 * header.
 */
export const hiddenInText = (text: string): string =>
  text
    .replace(privateKey, hiddenSecret)
    .replace(credentials, `$1${hiddenSecret}`)
    .replace(/[^\r\n]+/g, withoutUsers)
    .replace(/\S+/g, withoutBareUser)
    .replace(parameter, (whole, mark: string, name: string) =>
      secretParameter.test(name) ? `${mark}${name}=${hiddenSecret}` : whole,
    )
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
