import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { completeAgentOptions } from '../../../../../src/domain/agent/configuration/agent-option-rules.js';
import { decodeAgentOptions } from '../../../../../src/domain/agent/configuration/decode-agent-options.js';
import type { JsonObject } from '../../../../../src/domain/shared/json.js';

const complete = (oidc: JsonObject) => {
  const { options, problems } = decodeAgentOptions({
    oidc: { name: 'corp', enabled: true, audience: 'api', ...oidc },
  });
  if (options === null) return { providers: [], messages: problems.map(({ message }) => message) };
  const completed = completeAgentOptions(options, new Map());
  return {
    providers: completed.options?.oidc ?? [],
    messages: completed.problems.map(({ message, suggestion }) => [message, suggestion ?? ''].join(' | ')),
  };
};

const microsoft = 'https://login.microsoftonline.com/{tenantid}/v2.0';

describe('tenants of an oidc block', () => {
  it('create one provider each, with its issuer and keys', () => {
    const { providers, messages } = complete({
      issuer: microsoft,
      tenants: ['one', 'two'],
      'jwks-url': 'https://login.microsoftonline.com/{tenantid}/discovery/v2.0/keys',
    });
    expect(messages).toEqual([]);
    expect(providers).toMatchObject([
      {
        name: 'corp/one',
        issuer: 'https://login.microsoftonline.com/one/v2.0',
        jwksUrl: 'https://login.microsoftonline.com/one/discovery/v2.0/keys',
      },
      {
        name: 'corp/two',
        issuer: 'https://login.microsoftonline.com/two/v2.0',
        jwksUrl: 'https://login.microsoftonline.com/two/discovery/v2.0/keys',
      },
    ]);
  });

  it('use discovery if jwks-url is absent', () => {
    expect(complete({ issuer: microsoft, tenants: 'one' }).providers).toMatchObject([{ jwksUrl: null }]);
  });

  it.each<[string, JsonObject, RegExp]>([
    ['a star in the issuer', { issuer: 'https://id.example/*' }, /contains "\*".*\{tenantid\}/],
    ['the placeholder without tenants', { issuer: microsoft }, /"tenants" lists none \| add tenants/],
    ['tenants without the placeholder', { issuer: 'https://id.example', tenants: 'one' }, /has no effect/],
    [
      'the placeholder in jwks-url alone',
      { issuer: 'https://id.example', 'jwks-url': 'https://id.example/{tenantid}/keys' },
      /jwks-url contains \{tenantid\}/,
    ],
    ...['common', 'organizations', 'consumers', 'Common'].map((segment): [string, JsonObject, RegExp] => [
      `the shared tenant "${segment}"`,
      { issuer: `https://login.microsoftonline.com/${segment}/v2.0` },
      /stands for many tenants.*list the tenant ids/,
    ]),
    ...['microsoftonline.us', 'microsoftonline.de', 'partner.microsoftonline.cn', 'MicrosoftOnline.com:443'].flatMap(
      (host) =>
        ['common', 'organizations', 'consumers'].map((segment): [string, JsonObject, RegExp] => [
          `the shared tenant "${segment}" at login.${host}, with or without jwks-url`,
          { issuer: `https://login.${host}/${segment}/`, 'jwks-url': 'https://id.example/keys' },
          /stands for many tenants/,
        ]),
    ),
    ['a star as tenant', { issuer: microsoft, tenants: '*' }, /must be a tenant id/],
    ['a star beside tenants', { issuer: `${microsoft}/*`, tenants: 'one' }, /contains "\*"/],
    ['a tenant that is a path', { issuer: microsoft, tenants: '../common' }, /must be a tenant id/],
    [
      'the same tenant in two issuers',
      { issuer: microsoft, tenants: Array.from({ length: 101 }, (_, n) => `t${n}`) },
      /more than 100/,
    ],
    ['an issuer that is no URL, without jwks-url', { issuer: 'corp' }, /discovery cannot find its keys/],
    ['an issuer in the clear, without jwks-url', { issuer: 'http://id.example' }, /discovery cannot find its keys/],
  ])('refuse %s', (_, oidc, message) => {
    const { providers, messages } = complete(oidc);
    expect(messages.join('\n')).toMatch(message);
    expect(providers).toEqual([]);
  });

  it.each(['https://login.example/common/v2.0', 'https://login.microsoftonline.com/uncommon/v2.0', 'corp'])(
    'keep the issuer %s unchanged',
    (issuer) => {
      expect(complete({ issuer, 'jwks-url': 'https://id.example/keys' }).messages).toEqual([]);
    },
  );

  it('give one distinct issuer per distinct tenant', () => {
    const tenant = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,20}$/);
    fc.assert(
      fc.property(fc.array(tenant, { minLength: 1, maxLength: 20 }), (tenants) => {
        const { providers } = complete({ issuer: microsoft, tenants });
        expect(new Set(providers.map(({ issuer }) => issuer)).size).toBe(new Set(tenants).size);
        expect(providers.every(({ issuer }) => !issuer.includes('{'))).toBe(true);
      }),
    );
  });
});
