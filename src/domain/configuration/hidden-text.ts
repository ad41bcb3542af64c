/** Replaces a literal secret. */
export const hiddenSecret = '***';

/** Parts of unknown names that suggest a secret. */
const secretWords =
  /secr|passw|passphrase|pwd|token|credential|private[-_]?key|(?:api|access|sign(?:ing)?|encryption|shared|master)[-_]?keys?|(?:^|[-_])key$|dsn|bearer|authori[sz]ation|cookie|webhook|jwt|hmac|salt|(?:^|[-_])(?:auth|sig|signature|pin|otp)$/i;

/** Names of quantities, or of properties of a secret: `token-ttl-secs`, `cookie-name`. */
const describing =
  /[-_](?:ms|secs|seconds|minutes|hours|days|bytes|kb|mb|count|rounds|ttl|per[-_](?:second|minute|hour|day)|name|mode|type|algorithm|header)$|^(?:max|min)[-_].*(?:s|length|size|age)$/i;

/** Whether a name describes a secret without containing it. */
export const describesOnly = (name: string): boolean => describing.test(name);

/** Whether a name suggests that its value is a secret. */
export const looksSecret = (name: string): boolean => !describesOnly(name) && secretWords.test(name);

/** Parameters of a query (RFC 3986, section 3.4). */
const parameter = /([?&;#])([\w.~%[\]-]+)=[^&;#\s]+/g;
/** Names of parameters that grant access. */
const secretParameter = /key|token|secr|passw|pwd|sig|credential|auth|bearer|jwt|dsn/i;

/** Assignments such as `password=...` in a connection string. */
const secretAssignment =
  /(^|[\s;,])((?:password|passwd|pwd|passphrase|dsn|secret|token|apikey|api[-_]key)\s*=\s*)[^\s;,]+/gi;

/** A name with its colon. */
const userName = /[^\s/?#:@]*:/y;
/** An authority, unless its password contains a delimiter. */
const authority = /[^\s/?#]*/y;
/** A port and the delimiter after the authority. */
const port = /\d{1,5}(?:[/?#]|$)/y;
/** A host name before a colon, as opposed to a user name. */
const hostName = /\.|^localhost:$/i;
/** A scheme before a colon, which is neither. */
const otherName = /^(?:mailto|acct|sips?|xmpp|urn|sha256):$/i;
/** A password hash after `user:`. */
const passwordHash = /\$(?:2[aby]|argon2|scrypt|pbkdf2)/y;

const matchAt = (pattern: RegExp, text: string, at: number): string | null => {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
};

/** Whether `user:password` begins at the offset. Digits may be a password, unless a host name precedes them. */
const hasPassword = (text: string, at: number): boolean => {
  const name = matchAt(userName, text, at);
  return name !== null && !(hostName.test(name) && matchAt(port, text, at + name.length) !== null);
};

/**
 * Hides the text before the last `@` of an authority, because a password may contain delimiters. It scans the line
 * once, so there is no backtracking.
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

/** Hides the user in `user:password@host` without a scheme. */
const withoutBareUser = (word: string): string => {
  const last = word.lastIndexOf('@');
  const name = last < 0 ? null : matchAt(userName, word, 0);
  if (name === null || name.length < 2 || name.length >= last || otherName.test(name)) return word;
  if (word.startsWith('//', name.length) || matchAt(passwordHash, word, name.length) !== null) return word;
  if (!/[\w[]/.test(word.charAt(last + 1)) || !hasPassword(word, 0)) return word;
  const [before = ''] = /^.*[=(,'[]/.exec(name) ?? [];
  return before + hiddenSecret + word.slice(last);
};

/** Credentials of a header (RFC 9110, section 11.4): one word, or parameters. Other text can look the same. */
const credentials = /^(\s*(?:bearer|basic|digest|negotiate|apikey|token)\s+)(?:\S+\s*|[^=\s]+=.*)$/is;

/** A PEM private key from its first line on. */
const privateKey = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----[\s\S]*/;

/** Hides secrets in URLs, queries, connection strings and header credentials. */
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

/** Whether a text contains a secret. A user name alone is not one. */
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

/** Hides secrets in a line of a file, or in a message that quotes it. Each string is decoded and checked alone. */
export const hiddenInLine = (line: string): string => {
  // A raw string may contain quotes, so check the whole line first.
  const whole = /#"|"""|r"/.test(line) ? hiddenInText(line) : line;
  return whole.replace(/"(?:\\.|[^"\\])*|[^"]+/g, hiddenPiece);
};
