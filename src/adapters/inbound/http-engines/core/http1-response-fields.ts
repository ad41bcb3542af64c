import { fieldTrait } from '../../../../domain/http/field-traits.js';
import type { HeaderList } from '../../../../domain/http/header-list.js';
import { lengthValue } from '../../../wire/http1/field-list.js';

/** What the fields of a response say of its framing. */
export class ResponseFields {
  /** -1: it has none. */
  contentLength = -1;
  hasDate = false;
  /** There are fields among them that are the engine's to send, or no sound Content-Length. */
  isUnsound = false;
}

/** What the last call of `readResponseFields` has found. */
export const http1ResponseFields = new ResponseFields();

/** The letter that a name begins with, in lower case; some other character where it begins with none. */
const firstLetter = (name: string): number => name.charCodeAt(0) | 0x20;
const letter = { c: 0x63, d: 0x64, k: 0x6b, t: 0x74 } as const;

export const readResponseFields = (fields: HeaderList): void => {
  http1ResponseFields.contentLength = -1;
  http1ResponseFields.hasDate = false;
  http1ResponseFields.isUnsound = false;
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const name = fields[at] as string;
    // Nearly all other names of these lengths begin with another letter.
    switch (name.length) {
      case 4:
        if (firstLetter(name) === letter.d && name.toLowerCase() === 'date') http1ResponseFields.hasDate = true;
        break;
      case 10:
      case 17: {
        const first = firstLetter(name);
        const mayBeOwn = first === letter.c || first === letter.k || first === letter.t;
        if (mayBeOwn && isOwn(name.toLowerCase())) http1ResponseFields.isUnsound = true;
        break;
      }
      case 14:
        if (firstLetter(name) === letter.c && name.toLowerCase() === 'content-length')
          readLength(fields[at + 1] as string);
        break;
      default:
    }
  }
};

const readLength = (value: string): void => {
  const length = lengthValue(value);
  if (http1ResponseFields.contentLength >= 0 || length < 0) http1ResponseFields.isUnsound = true;
  else http1ResponseFields.contentLength = length;
};

/** Traits of the same fields, among others: all of them concern one connection. */
export const framingTraits = fieldTrait.hopByHop | fieldTrait.connection | fieldTrait.transferEncoding;

const isOwn = (lowerName: string): boolean =>
  lowerName === 'connection' || lowerName === 'keep-alive' || lowerName === 'transfer-encoding';

/** Whether a response of this status never says how its body is delimited (RFC 9110, section 8.6; RFC 9112, section 6.1). */
export const isUndelimited = (status: number): boolean => status === 204 || status < 200;

/** The fields but for those that frame a body. */
export const withoutLength = (fields: HeaderList): HeaderList => {
  const kept: string[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const name = fields[at] as string;
    const lowerName = name.toLowerCase();
    if (lowerName !== 'content-length' && lowerName !== 'transfer-encoding') kept.push(name, fields[at + 1] as string);
  }
  return kept;
};

/** Fields of which none can contradict the framing that the engine chooses. */
export const withoutFraming = (fields: HeaderList): HeaderList => {
  const kept: string[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const name = fields[at] as string;
    const lowerName = name.toLowerCase();
    if (!isOwn(lowerName) && lowerName !== 'content-length') kept.push(name, fields[at + 1] as string);
  }
  return kept;
};
