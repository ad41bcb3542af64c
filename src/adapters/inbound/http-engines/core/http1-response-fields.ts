import { fieldTrait } from '../../../../domain/http/field-traits.js';
import type { HeaderList } from '../../../../domain/http/header-list.js';
import { lengthValue } from '../../../wire/http1/message-head.js';

/** Framing properties of a response's fields. */
export class ResponseFields {
  /** -1 if absent. */
  contentLength = -1;
  hasDate = false;
  /** Some fields are reserved for the engine, or Content-Length is invalid. */
  isUnsound = false;
}

/** Result of the last `readResponseFields` call. */
export const http1ResponseFields = new ResponseFields();

/** First letter of a name in lower case; another character if it begins with none. */
const firstLetter = (name: string): number => name.charCodeAt(0) | 0x20;
const letter = { c: 0x63, d: 0x64, k: 0x6b, t: 0x74 } as const;

export const readResponseFields = (fields: HeaderList): void => {
  http1ResponseFields.contentLength = -1;
  http1ResponseFields.hasDate = false;
  http1ResponseFields.isUnsound = false;
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const name = fields[at] as string;
    // Nearly all other names of these lengths start with another letter.
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

/** All fields that concern one connection. */
export const framingTraits = fieldTrait.hopByHop | fieldTrait.connection | fieldTrait.transferEncoding;

const isOwn = (lowerName: string): boolean =>
  lowerName === 'connection' || lowerName === 'keep-alive' || lowerName === 'transfer-encoding';

/** Whether a status never has framing fields (RFC 9110, section 8.6; RFC 9112, section 6.1). */
export const isUndelimited = (status: number): boolean => status === 204 || status < 200;

/** The fields without those that frame a body. */
export const withoutLength = (fields: HeaderList): HeaderList => {
  const kept: string[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const name = fields[at] as string;
    const lowerName = name.toLowerCase();
    if (lowerName !== 'content-length' && lowerName !== 'transfer-encoding') kept.push(name, fields[at + 1] as string);
  }
  return kept;
};

/** Fields that cannot contradict the framing that the engine chooses. */
export const withoutFraming = (fields: HeaderList): HeaderList => {
  const kept: string[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const name = fields[at] as string;
    const lowerName = name.toLowerCase();
    if (!isOwn(lowerName) && lowerName !== 'content-length') kept.push(name, fields[at + 1] as string);
  }
  return kept;
};
