import type { HeaderList } from '../../../../domain/http/header-list.js';

/** What the fields of a response say of its framing. */
export class ResponseFields {
  /** -1: it has none. */
  contentLength = -1;
  hasDate = false;
  /** There are fields among them that are the engine's to send, or no sound Content-Length. */
  isUnsound = false;
}

/** What the last call of `readResponseFields` has found. */
export const responseFields = new ResponseFields();

const isLength = (value: string): boolean => /^[0-9]{1,15}$/.test(value);

export const readResponseFields = (fields: HeaderList): void => {
  responseFields.contentLength = -1;
  responseFields.hasDate = false;
  responseFields.isUnsound = false;
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const name = fields[at] as string;
    switch (name.length) {
      case 4:
        if (name.toLowerCase() === 'date') responseFields.hasDate = true;
        break;
      case 10:
      case 17:
        if (isOwn(name.toLowerCase())) responseFields.isUnsound = true;
        break;
      case 14:
        if (name.toLowerCase() === 'content-length') readLength(fields[at + 1] as string);
        break;
      default:
    }
  }
};

const readLength = (value: string): void => {
  if (responseFields.contentLength >= 0 || !isLength(value)) responseFields.isUnsound = true;
  else responseFields.contentLength = Number(value);
};

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
