import { describe, expect, it } from 'vitest';
import { maximumPrintableNameLength } from '../../../../../src/domain/agent/token-exchange/printable-name.js';
import {
  maximumSamlLength,
  readExchangeRequest,
} from '../../../../../src/domain/agent/token-exchange/read-exchange-request.js';
import { maximumTokenLength } from '../../../../../src/domain/agent/tokens/compact-jws.js';
import { type ExchangeParameters, fieldsOf, leastParameters } from '../../../../support/agent/exchange-fields.js';

const uri = (kind: string): string => `urn:ietf:params:oauth:token-type:${kind}`;

const read = (parameters: ExchangeParameters) => {
  const request = readExchangeRequest(fieldsOf({ ...leastParameters, ...parameters }));
  return request.ok ? request.value : request.error;
};

const least = {
  subject: { kind: 'jwt', token: 'aaa.bbb.ccc' },
  actor: null,
  requestedKind: null,
  audiences: [],
  resources: [],
  scopes: null,
};

describe('a request for an exchange', () => {
  it('requires a grant type, a subject token and its type (RFC 8693, section 2.1)', () => {
    expect(read({})).toEqual(least);
    expect(read({ grant_type: undefined })).toBe('missing_grant_type');
    expect(read({ subject_token: undefined })).toBe('missing_subject_token');
    expect(read({ subject_token_type: undefined })).toBe('missing_subject_token_type');
  });

  it('contains every supported parameter', () => {
    const all = {
      subject_token: 'assertion',
      subject_token_type: uri('saml2'),
      actor_token: 'x.y.z',
      actor_token_type: uri('access_token'),
      requested_token_type: uri('jwt'),
      audience: ['orders', 'https://billing.example'],
      resource: ['https://api.example/orders?tenant=a', 'urn:example:stock'],
      scope: 'orders:read stock',
    };
    expect(read(all)).toEqual({
      subject: { kind: 'saml2', token: 'assertion' },
      actor: { kind: 'access_token', token: 'x.y.z' },
      requestedKind: 'jwt',
      audiences: ['orders', 'https://billing.example'],
      resources: ['https://api.example/orders?tenant=a', 'urn:example:stock'],
      scopes: ['orders:read', 'stock'],
    });
  });

  it('ignores unknown parameters (RFC 6749, section 3.2)', () => {
    expect(read({ client_id: 'a', foo: 'bar', Scope: 'a' })).toEqual(least);
  });

  it('treats an empty parameter as absent (RFC 6749, section 3.2)', () => {
    const empty = { actor_token: '', actor_token_type: '', requested_token_type: '', audience: ['', ''], scope: '' };
    expect(read({ ...empty, resource: '' })).toEqual(least);
    expect(read({ audience: ['', 'a'] })).toEqual({ ...least, audiences: ['a'] });
    expect(read({ grant_type: '' })).toBe('missing_grant_type');
    expect(read({ subject_token: '' })).toBe('missing_subject_token');
    expect(read({ subject_token_type: '' })).toBe('missing_subject_token_type');
  });

  it.each(['client_credentials', 'authorization_code', 'token-exchange', ` ${leastParameters.grant_type}`, 'URN:IETF'])(
    'is refused for the grant type %j',
    (grantType) => {
      expect(read({ grant_type: grantType })).toBe('unsupported_grant_type');
    },
  );

  it('is checked for its grant type first', () => {
    expect(read({ grant_type: 'password', subject_token: undefined, scope: '"' })).toBe('unsupported_grant_type');
  });
});

describe('token types', () => {
  it.each(['access_token', 'jwt', 'id_token', 'saml2'])('of subject and actor can be %s', (kind) => {
    expect(read({ subject_token_type: uri(kind) })).toMatchObject({ subject: { kind } });
    expect(read({ actor_token: 'a', actor_token_type: uri(kind) })).toMatchObject({ actor: { kind } });
  });

  it.each([uri('refresh_token'), uri('saml1'), uri('JWT'), 'jwt', `${uri('jwt')} `, uri('toString'), uri('')])(
    'cannot be %j',
    (type) => {
      expect(read({ subject_token_type: type })).toBe('unsupported_subject_token_type');
      expect(read({ actor_token: 'a', actor_token_type: type })).toBe('unsupported_actor_token_type');
      expect(read({ requested_token_type: type })).toBe('unsupported_requested_token_type');
    },
  );

  it('for subjects only cannot be issued', () => {
    expect(read({ requested_token_type: uri('access_token') })).toMatchObject({ requestedKind: 'access_token' });
    expect(read({ requested_token_type: uri('id_token') })).toBe('unsupported_requested_token_type');
    expect(read({ requested_token_type: uri('saml2') })).toBe('unsupported_requested_token_type');
  });

  it('of an actor require its token, and the token its type (RFC 8693, section 2.1)', () => {
    expect(read({ actor_token: 'a.b.c' })).toBe('missing_actor_token_type');
    expect(read({ actor_token_type: uri('jwt') })).toBe('missing_actor_token');
    expect(read({ actor_token: '', actor_token_type: uri('jwt') })).toBe('missing_actor_token');
  });
});

describe('tokens', () => {
  it('that are JWTs have the general length limit', () => {
    const longest = 'a'.repeat(maximumTokenLength);
    for (const kind of ['access_token', 'jwt', 'id_token']) {
      expect(read({ subject_token: longest, subject_token_type: uri(kind) })).toMatchObject({ subject: { kind } });
      expect(read({ subject_token: `${longest}a`, subject_token_type: uri(kind) })).toBe('invalid_subject_token');
      expect(read({ actor_token: `${longest}a`, actor_token_type: uri(kind) })).toBe('invalid_actor_token');
    }
  });

  it('of SAML have a higher length limit', () => {
    const longest = 'a'.repeat(maximumSamlLength);
    const saml = { subject_token_type: uri('saml2') };
    expect(read({ ...saml, subject_token: longest })).toMatchObject({ subject: { token: longest } });
    expect(read({ ...saml, subject_token: `${longest}a` })).toBe('invalid_subject_token');
  });
});

describe('scope', () => {
  it.each([
    ['a', ['a']],
    ['b a', ['b', 'a']],
    ['a b a', ['a', 'b']],
    ['https://api.example/read ~!#[]^', ['https://api.example/read', '~!#[]^']],
    ['a,b', ['a,b']],
    ["o'neil", ["o'neil"]],
  ])('is a list: %j', (scope, scopes) => {
    expect(read({ scope })).toMatchObject({ scopes });
  });

  it.each([' ', ' a', 'a ', 'a  b', 'a\tb', 'a\nb', 'a"b', 'a\\b', 'é', 'a\x7f', 'a\0', 'a\u00a0b', 'a\u2003b'])(
    'is refused otherwise (RFC 6749, section 3.3): %j',
    (scope) => {
      expect(read({ scope })).toBe('malformed_scope');
    },
  );

  it('has a length limit', () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => `s${index}`).join(' ');
    expect(read({ scope: many(64) })).toMatchObject({ audiences: [] });
    expect(read({ scope: many(65) })).toBe('malformed_scope');
    expect(read({ scope: 'a'.repeat(4096) })).toMatchObject({ audiences: [] });
    expect(read({ scope: 'a'.repeat(4097) })).toBe('malformed_scope');
    expect(read({ scope: 'a '.repeat(500_000) })).toBe('malformed_scope');
  });
});

describe('targets', () => {
  it('are unique, in order', () => {
    const twice = { audience: ['b', 'a', 'b'], resource: ['urn:b', 'urn:a', 'urn:b'] };
    expect(read(twice)).toMatchObject({ audiences: ['b', 'a'], resources: ['urn:b', 'urn:a'] });
  });

  it.each(['orders', 'the orders of Köln', 'https://sp.example/#acs', '订单', '"', '\\'])(
    'are audiences with any printable name: %s',
    (audience) => {
      expect(read({ audience })).toMatchObject({ audiences: [audience] });
    },
  );

  it.each(['a\nb', 'a\r', '\0', 'a\x7f', 'a\x85', 'a\u2028b', 'a\u202eb', '\ufeffa', '\ud800'])(
    'cannot be audiences that a log cannot show: %j',
    (audience) => {
      expect(read({ audience: ['a', audience] })).toBe('malformed_audience');
    },
  );

  it.each([
    'orders',
    '/orders',
    '//api.example',
    'https://api.example/#a',
    'https://api.example/#',
    'https://a b',
    'a:é',
  ])('must be absolute URIs without a fragment as resources (RFC 8693, section 2.1): %j', (resource) => {
    expect(read({ resource: ['urn:a', resource] })).toBe('malformed_resource');
  });

  it('have a length limit', () => {
    const longest = `urn:${'a'.repeat(maximumPrintableNameLength - 4)}`;
    expect(read({ audience: longest, resource: longest })).toMatchObject({ audiences: [longest] });
    expect(read({ audience: `${longest}a` })).toBe('malformed_audience');
    expect(read({ resource: `${longest}a` })).toBe('malformed_resource');
  });

  it('are at most sixteen in total', () => {
    const urns = (count: number) => Array.from({ length: count }, (_, index) => `urn:${index}`);
    expect(read({ audience: urns(8), resource: urns(8) })).toMatchObject({ audiences: urns(8) });
    expect(read({ audience: urns(8), resource: urns(9) })).toBe('too_many_parameters');
    expect(read({ audience: urns(17) })).toBe('too_many_parameters');
    expect(read({ resource: urns(17) })).toBe('too_many_parameters');
  });
});
