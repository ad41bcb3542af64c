import { DOMParser } from '@xmldom/xmldom';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExclusiveCanonicalization } from 'xml-crypto';
import { authnRequestXml } from '../../../../../../src/domain/agent/saml/messages/authn-request.js';
import { logoutRequestXml } from '../../../../../../src/domain/agent/saml/messages/logout-request.js';
import { logoutResponseXml } from '../../../../../../src/domain/agent/saml/messages/logout-response.js';
import { signedInfoXml } from '../../../../../../src/domain/agent/saml/messages/message-signature.js';
import { serviceProviderMetadata } from '../../../../../../src/domain/agent/saml/messages/service-provider-metadata.js';

const fail = (message: string): never => {
  throw new Error(message);
};

const parse = (xml: string) =>
  new DOMParser({ errorHandler: { warning: fail, error: fail, fatalError: fail } }).parseFromString(xml, 'text/xml');

/** What XML can hold: the rest is replaced. */
const isCharacter = (text: string) => /^[\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]$/u.test(text);
const text = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).filter(isCharacter),
      fc.constantFrom('<', '>', '&', '"', "'", ']]>', '<!--', '-->', '<?', '&amp;', '&#x3c;', '\t', '\n', '\r', ' '),
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((parts) => parts.join(''));
const ms = fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) });

describe('messages', () => {
  it('are in exclusive canonical form for any content, and so is their signed part', () => {
    const canonical = (xml: string) => {
      const root = parse(xml).documentElement;
      return new ExclusiveCanonicalization().process(root as unknown as Element, {});
    };
    fc.assert(
      fc.property(text, text, text, fc.array(text, { maxLength: 3 }), ms, (entityId, url, value, contexts, at) => {
        const head = { id: '_1', issueInstantMs: at, destination: url, entityId };
        const nameId = { value, format: url, nameQualifier: null, spNameQualifier: entityId };
        const all = [
          authnRequestXml({ ...head, acsUrl: url, nameIdFormat: value, authnContexts: contexts, forceAuthn: true }),
          logoutRequestXml({ ...head, nameId, sessionIndex: value }),
          logoutResponseXml({ ...head, inResponseTo: value }),
          signedInfoXml('_1', value, url),
        ];
        for (const xml of all) expect(canonical(xml)).toBe(xml);
      }),
    );
  });

  it('contain exactly the given values for any content', () => {
    fc.assert(
      fc.property(
        text,
        text,
        text,
        text,
        fc.array(text, { maxLength: 3 }),
        ms,
        (entityId, url, value, other, contexts, at) => {
          const head = { id: '_1', issueInstantMs: at, destination: url, entityId };
          const request = parse(
            authnRequestXml({ ...head, acsUrl: other, nameIdFormat: value, authnContexts: contexts, forceAuthn: true }),
          ).documentElement;
          expect(request.getAttribute('Destination')).toBe(url);
          expect(request.getAttribute('AssertionConsumerServiceURL')).toBe(other);
          expect(Date.parse(request.getAttribute('IssueInstant') ?? '')).toBe(at);
          expect(request.getElementsByTagName('saml:Issuer')[0]?.textContent).toBe(entityId);
          expect(request.getElementsByTagName('samlp:NameIDPolicy')[0]?.getAttribute('Format')).toBe(value);
          const asked = Array.from(request.getElementsByTagName('saml:AuthnContextClassRef'), (el) => el.textContent);
          expect(asked).toEqual(contexts);
          expect(request.getElementsByTagName('*')).toHaveLength(2 + (contexts.length === 0 ? 0 : 1) + contexts.length);

          const nameId = { value, format: other, nameQualifier: url, spNameQualifier: entityId };
          const logout = parse(logoutRequestXml({ ...head, nameId, sessionIndex: other })).documentElement;
          const named = logout.getElementsByTagName('saml:NameID')[0];
          expect([named?.textContent, named?.getAttribute('Format'), named?.getAttribute('NameQualifier')]).toEqual([
            value,
            other,
            url,
          ]);
          expect(logout.getElementsByTagName('samlp:SessionIndex')[0]?.textContent).toBe(other);
          expect(logout.getElementsByTagName('*')).toHaveLength(3);

          const answer = parse(logoutResponseXml({ ...head, inResponseTo: value })).documentElement;
          expect(answer.getAttribute('InResponseTo')).toBe(value);
          expect(answer.getElementsByTagName('*')).toHaveLength(3);

          const metadata = parse(
            serviceProviderMetadata({
              entityId,
              acsUrl: url,
              logoutUrl: other,
              certificate: null,
              canDecrypt: true,
              nameIdFormat: value,
              signsRequests: true,
            }),
          ).documentElement;
          expect(metadata.getAttribute('entityID')).toBe(entityId);
          expect(metadata.getElementsByTagName('md:NameIDFormat')[0]?.textContent).toBe(value);
          expect(metadata.getElementsByTagName('*')).toHaveLength(5);
        },
      ),
      { numRuns: 300 },
    );
  });
});
