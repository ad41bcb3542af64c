import { ok } from '../../../shared/result.js';
import { attributeOf, childElements } from '../../xml/element-access.js';
import type { XmlElement } from '../../xml/xml-element.js';
import { xmlNamespaces } from '../../xml/xml-names.js';
import type { Assertion, SubjectConfirmation } from '../assertion.js';
import { readNameIdOf } from './read-name-id.js';
import { type Read, readAll, readAttribute, readEach, readOptionalChild, readOptionalTime } from './reading.js';

const readData = (data: XmlElement): Read<NonNullable<SubjectConfirmation['data']>> =>
  readAll({
    recipient: ok(attributeOf(data, 'Recipient')),
    inResponseTo: ok(attributeOf(data, 'InResponseTo')),
    notBeforeMs: readOptionalTime(data, 'NotBefore'),
    notOnOrAfterMs: readOptionalTime(data, 'NotOnOrAfter'),
  });

const readConfirmation = (confirmation: XmlElement): Read<SubjectConfirmation> =>
  readAll({
    method: readAttribute(confirmation, 'Method'),
    data: readOptionalChild(confirmation, xmlNamespaces.saml, 'SubjectConfirmationData', readData),
  });

/** Who the assertion is about, and by what that is confirmed (SAML core, section 2.4.1). */
export const readSubject = (subject: XmlElement): Read<Pick<Assertion, 'nameId' | 'confirmations'>> =>
  readAll({
    nameId: readNameIdOf(subject),
    confirmations: readEach(childElements(subject, xmlNamespaces.saml, 'SubjectConfirmation'), readConfirmation),
  });
