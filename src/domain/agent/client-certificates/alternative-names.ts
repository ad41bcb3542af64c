/** Maximum characters of a URI. */
const maximumLength = 2048;

const isLetter = (code: number): boolean => (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);

const isSchemeCharacter = (code: number): boolean =>
  isLetter(code) || (code >= 0x30 && code <= 0x39) || code === 0x2b || code === 0x2d || code === 0x2e;

/** The length of the scheme before the first colon; 0 if there is none (RFC 3986, section 3.1). */
export const schemeLength = (text: string): number => {
  if (!isLetter(text.charCodeAt(0))) return 0;
  let length = 1;
  while (isSchemeCharacter(text.charCodeAt(length))) length += 1;
  return text[length] === ':' ? length : 0;
};

/** Visible ASCII that RFC 3986 allows; some readers end a URI at other characters. */
const isUriCharacter = (character: string): boolean =>
  character > ' ' && character < '\x7f' && !'"<>\\^`{|}'.includes(character);

/** The end of the authority that begins at `start`. */
const authorityEnd = (text: string, start: number): number => {
  let index = start;
  while (index < text.length && !'/?#'.includes(text[index] as string)) index += 1;
  return index;
};

/**
 * A URI with scheme and host in lower case, otherwise unchanged; null if malformed. Like RFC 5280, section 7.4, without
 * normalising percent-encoding and dot segments: another spelling is another name.
 */
export const uriName = (text: string): string | null => {
  const length = schemeLength(text);
  if (length === 0 || length + 1 === text.length || text.length > maximumLength) return null;
  for (const character of text) if (!isUriCharacter(character)) return null;
  const scheme = text.slice(0, length + 1).toLowerCase();
  if (!text.startsWith('//', length + 1)) return scheme + text.slice(length + 1);
  const start = length + 3;
  const end = authorityEnd(text, start);
  const authority = text.slice(start, end);
  // The text before the last @ is user information, which is case-sensitive.
  const host = authority.lastIndexOf('@') + 1;
  return `${scheme}//${authority.slice(0, host)}${authority.slice(host).toLowerCase()}${text.slice(end)}`;
};

/** The maximum of SMTP (RFC 5321, section 4.5.3.1). */
const maximumLocalLength = 64;

const isVisibleAscii = (text: string): boolean => {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code <= 0x20 || code >= 0x7f) return false;
  }
  return true;
};

/**
 * An e-mail address with its domain in lower case; null if malformed. The local part stays unchanged, because only its
 * domain knows whether it is case-sensitive. It must be visible ASCII, not empty, without `@`, `*` and separators.
 */
export const emailAddress = (text: string): string | null => {
  const at = text.indexOf('@');
  if (at < 1 || at > maximumLocalLength) return null;
  const local = text.slice(0, at);
  const labels = dnsLabels(text.slice(at + 1));
  if (labels === null || !isVisibleAscii(local)) return null;
  for (const character of '*",;:<>()[]\\') if (local.includes(character)) return null;
  return `${local}@${labels.join('.')}`;
};

const maximumNameLength = 253;
const maximumLabelLength = 63;

const isLabelCharacter = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) ||
  (code >= 0x41 && code <= 0x5a) ||
  (code >= 0x30 && code <= 0x39) ||
  code === 0x2d ||
  code === 0x5f;

const isLabel = (label: string): boolean => {
  if (label === '' || label.length > maximumLabelLength) return false;
  for (let index = 0; index < label.length; index += 1) if (!isLabelCharacter(label.charCodeAt(index))) return false;
  return true;
};

/**
 * The labels of a DNS name in lower case, without the root dot; null if malformed. Only letters, digits, hyphens and
 * underscores (RFC 1123, section 2.1; service names contain underscores).
 */
export const dnsLabels = (name: string): readonly string[] | null => {
  if (name.length > maximumNameLength + 1) return null;
  const relative = name.endsWith('.') ? name.slice(0, -1) : name;
  if (relative.length > maximumNameLength || !relative.split('.').every(isLabel)) return null;
  // After the check: some non-ASCII letters, such as the Kelvin sign, become ASCII in lower case.
  return relative.toLowerCase().split('.');
};
