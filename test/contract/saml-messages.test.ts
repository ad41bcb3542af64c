import { verify } from 'node:crypto';
import { SAML, ValidateInResponseTo } from '@node-saml/node-saml';
import * as samlify from 'samlify';
import { beforeAll, describe, expect, it } from 'vitest';
import { NodeSamlKeys } from '../../src/adapters/outbound/xml-crypto-saml/node-saml-keys.js';
import { ProviderMessages, RedirectMessages } from '../../src/application/agent/sign-on/saml/provider-messages.js';
import type { ServiceProviderKey } from '../../src/application/ports/agent/saml-keys.js';
import { authnRequestXml } from '../../src/domain/agent/saml/messages/authn-request.js';
import { logoutRequestXml } from '../../src/domain/agent/saml/messages/logout-request.js';
import { logoutResponseXml } from '../../src/domain/agent/saml/messages/logout-response.js';
import { serviceProviderMetadata } from '../../src/domain/agent/saml/messages/service-provider-metadata.js';
import { readFormPage } from '../support/agent/live-saml-provider.js';
import { ecSamlKey, idpKey, type SamlKey, spKey, strangerKey } from '../support/agent/saml-keys.js';
import { xmlsecVerifies } from '../support/agent/xmlsec.js';
import { describeWithPeers } from '../support/shared/peers.js';

samlify.setSchemaValidator({ validate: async () => 'not validated' });

const httpRedirect = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';
const httpPost = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST';
const entityId = 'https://app.example/sp?a=1&b=2';
const acsUrl = 'https://app.example/saml/acs';
const logoutUrl = 'https://app.example/saml/logout';
const ssoUrl = 'https://idp.example/sso';
const sloUrl = 'https://idp.example/slo?tenant=1';
const persistent = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';

const keyOf = (pair: SamlKey): ServiceProviderKey => {
  const read = new NodeSamlKeys().readServiceProviderKey(pair.privatePem, pair.certificatePem);
  if (!read.ok) throw new Error(read.error);
  return read.value;
};

const metadataOf = (pair: SamlKey) =>
  serviceProviderMetadata({
    entityId,
    acsUrl,
    logoutUrl,
    certificate: pair.certificate,
    canDecrypt: true,
    nameIdFormat: persistent,
    signsRequests: true,
  });

const head = (destination: string) => ({ id: '_0a1b', issueInstantMs: Date.now(), destination, entityId });

const authnRequest = () =>
  authnRequestXml({
    ...head(ssoUrl),
    acsUrl,
    nameIdFormat: persistent,
    authnContexts: ['urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport'],
    forceAuthn: true,
  });

const logoutRequest = () =>
  logoutRequestXml({
    ...head(sloUrl),
    nameId: { value: 'ann & <bob>', format: persistent, nameQualifier: 'urn:"idp"', spNameQualifier: entityId },
    sessionIndex: '_s & 1',
  });

const logoutResponse = () => logoutResponseXml({ ...head(sloUrl), inResponseTo: '_theirs' });

/** The message as it comes to the identity provider, by the octets of its query. */
const sent = async (xml: string, parameter: 'SAMLRequest' | 'SAMLResponse', pair: SamlKey, location = ssoUrl) => {
  const messages = new RedirectMessages(new NodeSamlKeys(), keyOf(pair));
  const url = new URL(await messages.url({ location, parameter, xml, relayState: 'a handle+' }));
  const raw = url.search.slice(url.search.indexOf(parameter));
  return { query: Object.fromEntries(url.searchParams), raw, octetString: raw.slice(0, raw.indexOf('&Signature=')) };
};

/** The form that brings a message to the identity provider by HTTP-POST. */
const posted = async (
  xml: string,
  id: string,
  pair: SamlKey,
  parameter: 'SAMLRequest' | 'SAMLResponse' = 'SAMLRequest',
) => {
  const message = { id, location: ssoUrl, byPost: true, parameter, xml, relayState: 'a handle+' };
  const { decision } = await new ProviderMessages(new NodeSamlKeys(), keyOf(pair)).answer(message, []);
  if (decision.kind !== 'block') throw new Error('no page');
  return readFormPage(decision.body ?? '');
};

const textOf = (page: Awaited<ReturnType<typeof posted>>): string =>
  Buffer.from(page.fields['SAMLRequest'] ?? '', 'base64').toString();

describe('messages of ours by HTTP-POST', () => {
  const provider = samlify.IdentityProvider({
    entityID: 'https://idp.example/metadata',
    privateKey: idpKey().privatePem,
    signingCert: idpKey().certificatePem,
    wantAuthnRequestsSigned: true,
    wantLogoutRequestSigned: true,
    singleSignOnService: [{ Binding: httpPost, Location: ssoUrl }],
    singleLogoutService: [{ Binding: httpPost, Location: sloUrl }],
  });
  const us = samlify.ServiceProvider({ metadata: metadataOf(spKey()) });

  it('are read by samlify, which believes their signatures', async () => {
    const page = await posted(authnRequest(), '_0a1b', spKey());
    const { extract } = await provider.parseLoginRequest(us, 'post', { body: page.fields });
    expect(extract).toMatchObject({ issuer: entityId, request: { id: '_0a1b', destination: ssoUrl } });
    expect(page.fields['RelayState']).toBe('a handle+');
    const logout = await posted(logoutRequest(), '_0a1b', spKey());
    expect((await provider.parseLogoutRequest(us, 'post', { body: logout.fields })).extract).toMatchObject({
      nameID: 'ann & <bob>',
    });
  });

  it('are believed by nobody where another key has signed them, or they were changed', async () => {
    const stranger = await posted(authnRequest(), '_0a1b', strangerKey());
    await expect(provider.parseLoginRequest(us, 'post', { body: stranger.fields })).rejects.toThrow();
    const page = await posted(authnRequest(), '_0a1b', spKey());
    const changed = textOf(page).replace(acsUrl, 'https://evil.example/acs');
    expect(changed).not.toBe(textOf(page));
    const fields = { ...page.fields, SAMLRequest: Buffer.from(changed).toString('base64') };
    await expect(provider.parseLoginRequest(us, 'post', { body: fields })).rejects.toThrow();
  });
});

describeWithPeers(['xmlsec1'], 'xmlsec1', () => {
  it('finds the signatures of our messages by HTTP-POST in order', async () => {
    for (const pair of [spKey(), ecSamlKey()]) {
      const request = textOf(await posted(logoutRequest(), '_0a1b', pair));
      expect(xmlsecVerifies(request, pair)).toBe(true);
      expect(xmlsecVerifies(request.replace('_s &amp; 1', '_s &amp; 2'), pair)).toBe(false);
    }
  });
});

describe('samlify, as the identity provider', () => {
  let provider: ReturnType<typeof samlify.IdentityProvider>;
  let us: ReturnType<typeof samlify.ServiceProvider>;

  beforeAll(() => {
    provider = samlify.IdentityProvider({
      entityID: 'https://idp.example/metadata',
      privateKey: idpKey().privatePem,
      signingCert: idpKey().certificatePem,
      wantAuthnRequestsSigned: true,
      wantLogoutRequestSigned: true,
      wantLogoutResponseSigned: true,
      singleSignOnService: [{ Binding: httpRedirect, Location: ssoUrl }],
      singleLogoutService: [{ Binding: httpRedirect, Location: sloUrl }],
    });
    us = samlify.ServiceProvider({ metadata: metadataOf(spKey()) });
  });

  it('reads our metadata', () => {
    const { entityMeta } = us;
    expect(entityMeta.getEntityID()).toBe(entityId);
    expect(entityMeta.getAssertionConsumerService('post')).toBe(acsUrl);
    expect(entityMeta.getSingleLogoutService('redirect')).toBe(logoutUrl);
    expect(entityMeta.getSingleLogoutService('post')).toBe(logoutUrl);
    expect(entityMeta.getX509Certificate('signing')).toBe(spKey().certificate);
    expect(entityMeta.getX509Certificate('encryption')).toBe(spKey().certificate);
    expect(entityMeta.getNameIDFormat()).toBe(persistent);
    expect(entityMeta.isAuthnRequestSigned()).toBe(true);
    expect(entityMeta.isWantAssertionsSigned()).toBe(true);
  });

  it('reads our AuthnRequest and believes its signature', async () => {
    const { query, octetString } = await sent(authnRequest(), 'SAMLRequest', spKey());
    const { extract } = await provider.parseLoginRequest(us, 'redirect', { query, octetString });
    expect(extract).toMatchObject({
      issuer: entityId,
      request: { id: '_0a1b', destination: ssoUrl, assertionConsumerServiceUrl: acsUrl },
      nameIDPolicy: { format: persistent, allowCreate: 'true' },
    });
    expect(query['RelayState']).toBe('a handle+');
  });

  it('reads our LogoutRequest and believes its signature', async () => {
    const { query, octetString } = await sent(logoutRequest(), 'SAMLRequest', spKey(), sloUrl);
    const { extract } = await provider.parseLogoutRequest(us, 'redirect', { query, octetString });
    expect(extract).toMatchObject({ issuer: entityId, nameID: 'ann & <bob>', sessionIndex: '_s & 1' });
  });

  it('reads our LogoutResponse and believes its signature', async () => {
    const { query, octetString } = await sent(logoutResponse(), 'SAMLResponse', spKey(), sloUrl);
    const { extract } = await provider.parseLogoutResponse(us, 'redirect', { query, octetString });
    expect(extract).toMatchObject({ issuer: entityId, response: { inResponseTo: '_theirs' } });
  });

  it('believes no message that another key has signed, nor one whose relay state was changed', async () => {
    const stranger = await sent(authnRequest(), 'SAMLRequest', strangerKey());
    await expect(provider.parseLoginRequest(us, 'redirect', stranger)).rejects.toThrow();
    const ours = await sent(authnRequest(), 'SAMLRequest', spKey());
    const octetString = ours.octetString.replace('a%20handle', 'b%20handle');
    expect(octetString).not.toBe(ours.octetString);
    await expect(provider.parseLoginRequest(us, 'redirect', { ...ours, octetString })).rejects.toThrow();
  });
});

describe('node-saml, as the receiver of sign-outs', () => {
  const receiver = () =>
    new SAML({
      callbackUrl: ssoUrl,
      issuer: 'https://idp.example/metadata',
      idpIssuer: entityId,
      idpCert: spKey().certificatePem,
      validateInResponseTo: ValidateInResponseTo.never,
    });

  it('reads our LogoutRequest and believes its signature', async () => {
    const { query, raw } = await sent(logoutRequest(), 'SAMLRequest', spKey(), sloUrl);
    const { profile, loggedOut } = await receiver().validateRedirectAsync(query, raw);
    expect(loggedOut).toBe(true);
    expect(profile).toMatchObject({
      ID: '_0a1b',
      issuer: entityId,
      nameID: 'ann & <bob>',
      nameIDFormat: persistent,
      sessionIndex: '_s & 1',
    });
  });

  it('reads our LogoutResponse and believes its signature', async () => {
    const { query, raw } = await sent(logoutResponse(), 'SAMLResponse', spKey(), sloUrl);
    expect(await receiver().validateRedirectAsync(query, raw)).toMatchObject({ loggedOut: true });
  });

  it('believes none that another key has signed', async () => {
    const { query, raw } = await sent(logoutRequest(), 'SAMLRequest', strangerKey(), sloUrl);
    await expect(receiver().validateRedirectAsync(query, raw)).rejects.toThrow('Invalid query signature');
  });
});

describe('a message that an EC key has signed', () => {
  it('has r and s side by side, over the octets of the query', async () => {
    const pair = ecSamlKey();
    const { query, octetString } = await sent(authnRequest(), 'SAMLRequest', pair);
    const signature = Buffer.from(query['Signature'] as string, 'base64');
    const octets = Buffer.from(octetString);
    expect(query['SigAlg']).toBe('http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256');
    const publicKey = { key: pair.publicKey, dsaEncoding: 'ieee-p1363' } as const;
    expect(verify('sha256', octets, publicKey, signature)).toBe(true);
    expect(verify('sha256', Buffer.from(`${octetString} `), publicKey, signature)).toBe(false);
  });
});

describe('our metadata', () => {
  it('has its elements in the order of the schema, and those alone that it needs', () => {
    const names = (xml: string) =>
      Array.from(xml.matchAll(/<md:(\w+)[^>]*?(?:use="(\w+)"|Binding="([^"]+)")?[ />]/g), ([, name]) => name);
    expect(names(metadataOf(spKey()))).toEqual([
      'EntityDescriptor',
      'SPSSODescriptor',
      'KeyDescriptor',
      'KeyDescriptor',
      'EncryptionMethod',
      'EncryptionMethod',
      'EncryptionMethod',
      'SingleLogoutService',
      'SingleLogoutService',
      'NameIDFormat',
      'AssertionConsumerService',
    ]);
    const bare = serviceProviderMetadata({
      entityId,
      acsUrl,
      logoutUrl,
      certificate: null,
      canDecrypt: false,
      nameIdFormat: null,
      signsRequests: false,
    });
    expect(names(bare)).toEqual([
      'EntityDescriptor',
      'SPSSODescriptor',
      'SingleLogoutService',
      'SingleLogoutService',
      'AssertionConsumerService',
    ]);
    expect(bare).toContain('AuthnRequestsSigned="false"');
    expect(bare).toContain(`<md:AssertionConsumerService Binding="${httpPost}" Location="${acsUrl}" index="0"`);
  });
});
