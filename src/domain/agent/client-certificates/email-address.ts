import { dnsLabels } from './dns-name.js';

/** The longest that SMTP takes (RFC 5321, section 4.5.3.1). */
const maximumLocalLength = 64;

const isVisibleAscii = (text: string): boolean => {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code <= 0x20 || code >= 0x7f) return false;
  }
  return true;
};

/**
 * An e-mail address with its domain in lower case; null for anything else. The part before the `@` is left as it is,
 * because only its domain knows whether case counts there; it is not empty, visible ASCII, and without a quoted `@`,
 * `*` or separator.
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
