import { describe, expect, it } from 'vitest';
import { metadataOf } from '../../../../../../src/application/agent/sign-on/saml/service-provider.js';
import { bindingCookiePrefix } from '../../../../../../src/application/agent/sign-on/shared/sign-on-cookies.js';
import {
  pathOf,
  postedDocument,
  refusalOf,
  SamlWorld,
  samlOptions,
  sessionCookie,
  spKey,
} from '../../../../../support/agent/fake-saml-sign-on.js';
import { neverCancelled } from '../../../../../support/shared/never-cancelled.js';

const formType = ['content-type', 'application/x-www-form-urlencoded'];

const ask = async (world: SamlWorld, method: string, uri: string, headers: readonly string[] = []) => {
  const answer = await world.singleSignOn.answer(world.event(uri, { method, headers }), pathOf(uri), neverCancelled);
  world.answers.push(answer);
  return answer;
};

describe('the single sign-on endpoints', () => {
  it('serve the metadata to any client', async () => {
    const world = new SamlWorld({ key: spKey });
    for (const method of ['GET', 'HEAD']) {
      const { decision, responseHeaders } = await ask(world, method, '/saml/metadata');
      expect(decision).toMatchObject({
        kind: 'block',
        status: 200,
        headers: ['Content-Type', 'application/samlmetadata+xml'],
        body: metadataOf(samlOptions, spKey),
      });
      expect(responseHeaders).toEqual([{ kind: 'set', name: 'Cache-Control', value: 'no-store' }]);
    }
  });

  it('declare their URLs and whether there is a key in the metadata', () => {
    const plain = metadataOf(samlOptions, null);
    expect(plain).toContain('Location="https://app.example/saml/logout"');
    expect(plain).toContain('Location="https://app.example/saml/acs"');
    expect(plain).toContain('AuthnRequestsSigned="false"');
    expect(plain).not.toContain('use="signing"');
    const keyed = metadataOf(samlOptions, spKey);
    expect(keyed).toContain('use="encryption"');
    expect(metadataOf(samlOptions, { ...spKey, decryptionKey: null })).not.toContain('use="encryption"');
    const withPort = metadataOf({ ...samlOptions, acsUrl: 'http://127.0.0.1:8080?x=/y' }, null);
    expect(withPort).toContain('Location="http://127.0.0.1:8080/saml/logout"');
  });

  it.each([
    ['app.example', true],
    ['APP.example:443', true],
    ['app.example:8443', false],
    ['shop.app.example', false],
  ])('lead a sign-on back to the host of acs-url alone: %s is %s', (host, expected) => {
    const world = new SamlWorld();
    const headers = ['x-forwarded-proto', 'https', 'x-forwarded-host', host];
    expect(world.singleSignOn.returnsTo(world.event('/orders', { method: 'POST', headers }))).toBe(expected);
  });

  it.each([
    ['GET', '/saml/acs', 'POST'],
    ['PUT', '/saml/acs', 'POST'],
    ['HEAD', '/saml/logout', 'GET, POST'],
    ['DELETE', '/saml/logout', 'GET, POST'],
    ['POST', '/saml/metadata', 'GET, HEAD'],
  ])('refuse %s %s', async (method, uri, allow) => {
    const world = new SamlWorld();
    await world.signOn();
    const answer = await ask(world, method, uri, formType);
    expect(refusalOf(answer)).toBe('405 method_not_allowed');
    expect((answer.decision as { headers: readonly string[] }).headers.join(': ')).toContain(`Allow: ${allow}`);
    expect(world.sessions.held.size).toBe(1);
    expect(world.faults()).toEqual([]);
  });

  it.each(['/saml/acs', '/saml/logout'])('request the body of a form posted to %s', async (uri) => {
    for (const type of ['application/x-www-form-urlencoded', 'Application/X-WWW-Form-Urlencoded; charset=UTF-8']) {
      const world = new SamlWorld();
      await world.begin();
      const answer = await ask(world, 'POST', uri, ['content-type', type]);
      expect(answer.needsMore).toBe(true);
      expect(answer.decision.kind).toBe('allow');
    }
  });

  it.each([
    ['no type', []],
    ['another type', ['content-type', 'application/json']],
    ['two types', [...formType, 'content-type', 'text/plain']],
    ['an encoding', [...formType, 'content-encoding', 'gzip']],
  ])('refuse a post with %s', async (_, headers) => {
    for (const [uri, deed] of [
      ['/saml/acs', 'sign-on'],
      ['/saml/logout', 'sign-out'],
    ] as const) {
      const world = new SamlWorld();
      expect(refusalOf(await ask(world, 'POST', uri, headers))).toBe('400 sign_on_malformed');
      expect(world.log()).toEqual([`warn ${deed} refused malformed_form`]);
      expect(world.faults()).toEqual([]);
    }
  });

  it('refuse a post of declared size above a mebibyte before reading', async () => {
    const world = new SamlWorld();
    await world.begin();
    const largest = await ask(world, 'POST', '/saml/acs', [...formType, 'content-length', '1048576']);
    expect(largest.needsMore).toBe(true);
    const larger = await ask(world, 'POST', '/saml/acs', [...formType, 'content-length', '1048577']);
    expect(refusalOf(larger)).toBe('413 form_too_large');
    expect(world.log()).toEqual(['warn sign-on refused form_too_large']);
    expect(world.faults()).toEqual([]);
  });

  it('refuse a post to the consumer without any sign-on cookie before reading', async () => {
    const prefix = bindingCookiePrefix(sessionCookie.name);
    const shown = [
      [],
      ['cookie', `${sessionCookie.name}=${'a'.repeat(43)}; theme=dark`],
      ['cookie', `theme=${prefix}0123abcd=x`],
      ['cookie', `x${prefix}0123abcd=x`],
    ];
    for (const headers of shown) {
      const world = new SamlWorld();
      const answer = await ask(world, 'POST', '/saml/acs', [...formType, ...headers]);
      expect(answer.needsMore).toBe(false);
      expect(refusalOf(answer)).toBe('403 sign_on_refused');
      expect(JSON.stringify(answer.decision)).toContain('cookies');
      expect(world.refusals).toEqual(['other_browser']);
      expect(world.requests.asked).toBe(0);
      expect(world.faults()).toEqual([]);
    }
    const other = ['cookie', `theme=dark; ${prefix}0123abcd=x`];
    expect((await ask(new SamlWorld(), 'POST', '/saml/acs', [...formType, ...other])).needsMore).toBe(true);
  });

  it.each([
    ['browsers are not bound', { browserBinding: false }],
    ['the identity provider may begin', { allowIdpInitiated: true }],
  ])('read a post to the consumer regardless of cookies if %s', async (_, options) => {
    expect((await ask(new SamlWorld({ options }), 'POST', '/saml/acs', formType)).needsMore).toBe(true);
  });

  it('refuse and log forms that could not be received', () => {
    const world = new SamlWorld();
    const event = world.event('/saml/acs', { method: 'POST' });
    for (const [kind, refusal] of [
      ['too_large', '413 form_too_large'],
      ['dropped', '408 form_timeout'],
      ['overloaded', '503 agent_undecided'],
    ] as const) {
      const answer = world.singleSignOn.refuseForm({ kind, event }, '/saml/acs');
      world.answers.push(answer);
      expect(refusalOf(answer)).toBe(refusal);
    }
    expect(world.log()).toEqual([
      'warn sign-on refused form_too_large',
      'warn sign-on refused form_timeout',
      'warn sign-on could not be decided overloaded',
    ]);
    expect(world.faults()).toEqual([]);
  });

  it('refuse an invalid query at the logout path, and end nothing', async () => {
    const world = new SamlWorld();
    await world.signOn();
    const answer = await world.get('/saml/logout?SAMLRequest=a&SAMLRequest=b');
    expect(refusalOf(answer)).toBe('400 sign_on_malformed');
    expect(world.sessions.held.size).toBe(1);
  });

  it('refuse an invalid form at the logout path', async () => {
    const world = new SamlWorld();
    expect(refusalOf(await world.post('/saml/logout', { other: 'x' }))).toBe('400 sign_on_malformed');
    expect(world.log()).toEqual(['warn sign-out refused malformed_form']);
  });

  it('ignore other paths', async () => {
    const world = new SamlWorld();
    const event = world.event('/reports', { method: 'POST', headers: formType });
    expect(refusalOf(await world.singleSignOn.answer(event, '/reports', neverCancelled))).toBe('503 agent_undecided');
    const form = new TextEncoder().encode(`SAMLResponse=${postedDocument}`);
    expect(refusalOf(await world.singleSignOn.answerForm(event, '/reports', form, neverCancelled))).toBe(
      '503 agent_undecided',
    );
    expect(world.verifier.documents).toEqual([]);
  });
});

describe('the single sign-on paths', () => {
  it('are protected, excluded or open', () => {
    const { singleSignOn } = new SamlWorld();
    expect(['/public/a', '/a', null].map((path) => singleSignOn.protection(path))).toEqual([
      'excluded',
      'protected',
      'protected',
    ]);
    const some = new SamlWorld({ options: { protectedPaths: ['/in'] } }).singleSignOn;
    expect([some.protection('/in/a'), some.protection('/out')]).toEqual(['protected', 'open']);
  });
});
