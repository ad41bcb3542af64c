import { readDerValue, stringOfDer } from '../../../domain/agent/client-certificates/der-text.js';
import type { DistinguishedName, NameAttribute } from '../../../domain/shared/certificate.js';
import { type RawName, rawOctets } from './certificate-schema.js';

const attributeValue = (der: Uint8Array): Pick<NameAttribute, 'isText' | 'value'> => {
  const read = readDerValue(der);
  const text = read === null ? null : stringOfDer(read.tag, read.contents);
  return text === null ? { isText: false, value: Buffer.from(der).toString('hex') } : { isText: true, value: text };
};

/**
 * The attributes of a name with their values in text, by the type of each string. One whose characters are not certain is
 * kept as it is: TeletexString beyond ASCII, or UTF8String that is no UTF-8. A NUL stays where it is. Throws where a
 * relative name is empty.
 */
export const readName = (name: RawName): DistinguishedName =>
  Array.from(name, (relative) => {
    if (relative.length === 0) throw new Error('a relative name is empty');
    return Array.from(relative, ({ type, value }) => ({ type, ...attributeValue(rawOctets(value)) }));
  });
