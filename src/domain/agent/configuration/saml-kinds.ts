import { checkedText, type ScalarKind } from '../../configuration/schema/scalar-kind.js';
import { err } from '../../shared/result.js';
import { isWellFormed } from '../../shared/well-formed.js';

/** Characters of an entity id, at the most (SAML core, section 8.3.6). */
const entityIdLength = 1024;

const isPrintable = (value: string): boolean => {
  for (let index = 0; index < value.length; index += 1) {
    const code = value.charCodeAt(index);
    if (code <= 0x20 || code === 0x7f) return false;
  }
  return isWellFormed(value);
};

/** An identifier that both sides compare character for character. */
export const entityId = checkedText('entity id', (value) =>
  value.length <= entityIdLength && isPrintable(value)
    ? null
    : { message: `must be an entity id: ${entityIdLength} characters at the most, without spaces` },
);

/** A URI (RFC 3986), in ASCII. */
export const uri = checkedText('URI', (value) =>
  /^[A-Za-z][A-Za-z0-9+.-]*:[\x21-\x7e]+$/.test(value) ? null : { message: 'must be a URI' },
);

/** The formats of NameIDs that have a short name here (SAML core, section 8.3). */
const nameIdFormats: Readonly<Record<string, string>> = {
  unspecified: 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
  email: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
  persistent: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
  transient: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient',
};

/** The format of a NameID, read as its URI. */
export const nameIdFormat: ScalarKind<string> = {
  ...uri,
  label: '`unspecified`, `email`, `persistent`, `transient`, or a URI',
  read: (scalar) => {
    const { value } = scalar;
    const isShort = typeof value === 'string' && Object.hasOwn(nameIdFormats, value);
    const read = uri.read(isShort ? { ...scalar, value: nameIdFormats[value] as string } : scalar);
    if (read.ok) return read;
    return err({ message: `must be ${Object.keys(nameIdFormats).join(', ')} or a URI` });
  },
};
