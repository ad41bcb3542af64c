import { ok } from '../../../shared/result.js';
import type { XmlElement } from '../../xml/xml-element.js';
import { xmlNamespaces } from '../../xml/xml-names.js';
import { optionalChild, type Read, readAttribute, readChild } from './reading.js';

const readCodes = (status: XmlElement): Read<readonly string[]> => {
  const codes: string[] = [];
  let next = readChild(status, xmlNamespaces.samlp, 'StatusCode', (code): Read<XmlElement | null> => ok(code));
  while (next.ok && next.value !== null) {
    const code = readAttribute(next.value, 'Value');
    if (!code.ok) return code;
    codes.push(code.value);
    next = optionalChild(next.value, xmlNamespaces.samlp, 'StatusCode');
  }
  return next.ok ? ok(codes) : next;
};

/** The status codes of a response, the top-level one first (SAML core, section 3.2.2.1). */
export const readStatusCodes = (response: XmlElement): Read<readonly string[]> =>
  readChild(response, xmlNamespaces.samlp, 'Status', readCodes);
