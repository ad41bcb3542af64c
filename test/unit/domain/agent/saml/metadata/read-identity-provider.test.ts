import { describe, expect, it } from 'vitest';
import { FastXmlReader } from '../../../../../../src/adapters/outbound/xml-crypto-saml/proven-element.js';
import { readIdentityProvider } from '../../../../../../src/domain/agent/saml/metadata/read-identity-provider.js';
import { federationOf, metadataSamples } from '../../../../../support/agent/identity-provider-metadata.js';

const reader = new FastXmlReader();
const nowMs = Date.parse('2026-03-01T12:00:00Z');

const read = (text: string, entityId: string | null = null) => {
  const root = reader.read(text);
  if (!root.ok) throw new Error(`the metadata ${root.error}`);
  return readIdentityProvider(root.value, entityId, nowMs);
};

const entityId = 'https://id.example';
const keyOf = (certificate: string, use = 'signing') =>
  `<KeyDescriptor use="${use}"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>${certificate}</X509Certificate></X509Data></KeyInfo></KeyDescriptor>`;
const redirect = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';
const signOn = `<SingleSignOnService Binding="${redirect}" Location="https://id.example/sso"/>`;
const role = (content: string, attributes = '') =>
  `<IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol" ${attributes}>${content}</IDPSSODescriptor>`;
const entity = (content: string, attributes = '', id = entityId) =>
  `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${id}" ${attributes}>${content}</EntityDescriptor>`;
const plain = role(keyOf('AAAA') + signOn);

describe('reading metadata', () => {
  it.each(metadataSamples)('accepts the output of $product', ({ product: _, text, certificates, ...expected }) => {
    expect(read(text)).toEqual({
      ok: true,
      value: {
        provider: { ...expected, signingCertificates: certificates },
        validUntilMs: null,
        cacheDurationMs: null,
      },
    });
  });

  it.each(metadataSamples)('accepts a federation with $product as a member', (sample) => {
    expect(read(federationOf(metadataSamples), sample.entityId)).toMatchObject({
      ok: true,
      value: {
        provider: { entityId: sample.entityId, ssoUrl: sample.ssoUrl, signingCertificates: sample.certificates },
      },
    });
  });

  it('accepts a federation with one identity provider among its members', () => {
    const others = `${entity('<SPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"/>', '', 'sp')}`;
    const text = `<EntitiesDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata">${others}${entity(plain)}</EntitiesDescriptor>`;
    expect(read(text)).toMatchObject({ ok: true, value: { provider: { entityId } } });
  });
});

describe('the bindings of an identity provider', () => {
  const byPost = signOn
    .replace('HTTP-Redirect', 'HTTP-POST')
    .replace('Location="', 'Location="https://post.example/?a=');

  it('use HTTP-Redirect if available, in any order', () => {
    const found = read(entity(role(keyOf('AAAA') + byPost + signOn)));
    expect(found.ok && found.value.provider.ssoByPost).toBeUndefined();
    expect(found.ok && found.value.provider.ssoUrl).not.toContain('post.example');
  });

  it('use HTTP-POST if it is the only one, for sign-on and logout', () => {
    const slo = byPost.replace('SingleSignOnService', 'SingleLogoutService');
    const found = read(entity(role(keyOf('AAAA') + slo + byPost)));
    expect(found).toMatchObject({
      ok: true,
      value: {
        provider: { ssoByPost: true, ssoUrl: expect.stringContaining('post.example'), logout: { byPost: true } },
      },
    });
  });
});

describe('the validity of metadata', () => {
  const until = (text: string) => `validUntil="${text}"`;

  it('ends at the earliest time of all elements around the provider', () => {
    const [sample] = metadataSamples;
    if (sample === undefined) throw new Error('there are samples');
    const early = '2026-03-02T00:00:00Z';
    const late = '2026-04-01T00:00:00Z';
    for (const [outer, inner] of [
      [early, late],
      [late, early],
    ] as const) {
      const read1 = read(federationOf([sample], until(outer), until(inner)));
      expect(read1).toMatchObject({ ok: true, value: { validUntilMs: Date.parse(early) } });
    }
    expect(read(entity(role(keyOf('AAAA') + signOn, until(early)), until(late)))).toMatchObject({
      ok: true,
      value: { validUntilMs: Date.parse(early) },
    });
  });

  it.each([
    ['the entity', entity(plain, until('2026-03-01T12:00:00Z'))],
    ['its role', entity(role(keyOf('AAAA') + signOn, until('2026-03-01T13:00:00+01:00')))],
    [
      'what is around it',
      `<EntitiesDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" ${until('2020-01-01T00:00:00Z')}>${entity(plain)}</EntitiesDescriptor>`,
    ],
  ])('has ended if %s says so', (_, text) => {
    expect(read(text)).toMatchObject({ ok: false, error: expect.stringMatching(/^was valid until 20\d\d-/) });
  });

  it.each(['tomorrow', '', '2026-13-01T00:00:00Z', '1771000000'])('is not guessed from "%s"', (text) => {
    expect(read(entity(plain, until(text)))).toEqual({ ok: false, error: 'has a malformed validUntil' });
  });

  it('ignores other members of the federation', () => {
    const over = entity(plain, until('2020-01-01T00:00:00Z'), 'https://gone.example');
    const text = `<EntitiesDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata">${over}${entity(plain)}</EntitiesDescriptor>`;
    expect(read(text, entityId)).toMatchObject({ ok: true, value: { validUntilMs: null } });
  });

  it('comes with the shortest stated fetch interval', () => {
    const text = entity(role(keyOf('AAAA') + signOn, 'cacheDuration="PT2H"'), 'cacheDuration="P1D"');
    expect(read(text)).toMatchObject({ ok: true, value: { cacheDurationMs: 7_200_000 } });
    expect(read(entity(plain, 'cacheDuration="soon"'))).toMatchObject({ ok: true, value: { cacheDurationMs: null } });
  });
});

describe('invalid metadata', () => {
  it.each<[string, string, string | null, RegExp]>([
    ['is no metadata', '<html xmlns="http://www.w3.org/1999/xhtml"/>', null, /not SAML metadata/],
    ['is of another namespace', '<EntityDescriptor entityID="a"/>', null, /not SAML metadata/],
    ['has no provider', entity('<SPSSODescriptor protocolSupportEnumeration="a"/>'), null, /no identity provider/],
    [
      'speaks SAML 1.1 alone',
      entity(plain.replace('SAML:2.0:protocol', 'SAML:1.1:protocol')),
      null,
      /no identity prov/,
    ],
    ['has another provider', entity(plain), 'https://other.example', /no identity provider https:\/\/other\.example/],
    ['has several', federationOf(metadataSamples), null, /several identity providers/],
    [
      'has it twice',
      federationOf([...metadataSamples, ...metadataSamples.slice(0, 1)]),
      metadataSamples[0]?.entityId ?? '',
      /more than once/,
    ],
    ['has it in two roles', entity(plain + plain), null, /two IDPSSODescriptors/],
    ['has no id', entity(plain, '', ''), null, /entityID/],
    ['has an endless id', entity(plain, '', 'x'.repeat(1_025)), null, /entityID/],
    ['has no sign-on', entity(role(keyOf('AAAA'))), null, /no SingleSignOnService by HTTP-Redirect/],
    [
      'signs on by artifact alone',
      entity(role(keyOf('AAAA') + signOn.replace('HTTP-Redirect', 'HTTP-Artifact'))),
      null,
      /by HTTP-Redirect or HTTP-POST/,
    ],
    [
      'signs on by a script',
      entity(role(keyOf('AAAA') + signOn.replace('https://id.example/sso', 'javascript:alert(1)'))),
      null,
      /not a web address/,
    ],
    [
      'signs on nowhere',
      entity(role(keyOf('AAAA') + signOn.replace(/Location="[^"]*"/, ''))),
      null,
      /not a web address/,
    ],
    [
      'signs out by a script',
      entity(role(`${keyOf('AAAA')}<SingleLogoutService Binding="${redirect}" Location="data:text/html,x"/>${signOn}`)),
      null,
      /SingleLogoutService whose location/,
    ],
    ['has no key', entity(role(signOn)), null, /names no signing certificate/],
    [
      'has a key to encrypt alone',
      entity(role(keyOf('AAAA', 'encryption') + signOn)),
      null,
      /names no signing certificate/,
    ],
    [
      'has a key by its name alone',
      entity(
        role(
          `<KeyDescriptor><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><KeyName>k</KeyName></KeyInfo></KeyDescriptor>${signOn}`,
        ),
      ),
      null,
      /names no signing certificate/,
    ],
    [
      'has more keys than anybody needs',
      entity(role(Array.from({ length: 17 }, (_, index) => keyOf(`AAA${index}`)).join('') + signOn)),
      null,
      /more than 16 signing certificates/,
    ],
    [
      'is groups within groups',
      `${'<EntitiesDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata">'.repeat(20)}${entity(plain)}${'</EntitiesDescriptor>'.repeat(20)}`,
      null,
      /too deeply/,
    ],
  ])('%s', (_, text, id, error) => {
    expect(read(text, id)).toEqual({ ok: false, error: expect.stringMatching(error) });
  });
});

describe('the keys of an identity provider', () => {
  it('are unique, and of a chain only the first', () => {
    const chain = keyOf('BBBB</X509Certificate><X509Certificate>ROOT');
    const text = entity(role(keyOf('AAAA') + keyOf(' AA\n\tAA ') + chain + signOn));
    expect(read(text)).toMatchObject({ ok: true, value: { provider: { signingCertificates: ['AAAA', 'BBBB'] } } });
  });

  it('exclude those inside an extension or a signature', () => {
    const foreign = keyOf('EVIL');
    const text = entity(
      `<Extensions>${foreign}</Extensions>${foreign}${role(`<Extensions>${foreign}</Extensions>${keyOf('AAAA')}${signOn}`)}`,
    );
    expect(read(text)).toMatchObject({ ok: true, value: { provider: { signingCertificates: ['AAAA'] } } });
  });
});
