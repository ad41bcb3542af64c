import { describe, expect, it } from 'vitest';
import { completeAgentOptions } from '../../../../../src/domain/agent/configuration/agent-option-rules.js';
import { decodeAgentOptions } from '../../../../../src/domain/agent/configuration/decode-agent-options.js';
import { reservedClaims } from '../../../../../src/domain/agent/token-exchange/issued-claims.js';
import type { JsonObject } from '../../../../../src/domain/shared/json.js';

const secret = 'correct horse battery';

const client: JsonObject = { name: 'api', secret };

const minimal: JsonObject = {
  enabled: true,
  issuer: 'https://tokens.example',
  'signing-key-file': '/sign.pem',
  'allowed-exchanges': { 'subject-token-type': 'access_token', 'issued-token-type': 'access_token' },
  clients: { client },
};

const { clients: _, ...withoutClients } = minimal;

const provider: JsonObject = {
  name: 'corp',
  enabled: true,
  issuer: 'https://id.example',
  'jwks-url': 'https://id.example/jwks',
  audience: 'api',
};

const saml: JsonObject = {
  enabled: true,
  'entity-id': 'https://app.example/saml',
  'acs-url': 'https://app.example/saml/acs',
  'idp-metadata-url': 'https://id.example/metadata',
};

const checked = (block: JsonObject, config: JsonObject = { oidc: provider }) => {
  const decoded = decodeAgentOptions({ ...config, 'token-exchange': block });
  if (decoded.options === null) {
    return { exchange: null, texts: decoded.problems.map(({ message }) => message), problems: decoded.problems };
  }
  const { options, problems } = completeAgentOptions(decoded.options, new Map());
  const texts = problems.map(({ severity, option, message }) => `${severity} ${option}: ${message}`);
  return { exchange: options?.tokenExchange ?? null, texts, problems };
};

const withClient = (more: JsonObject): JsonObject => ({ ...minimal, clients: { client: { ...client, ...more } } });
const exchange = (subject: string, issued = 'access_token'): JsonObject => ({
  'subject-token-type': subject,
  'issued-token-type': issued,
});

describe('the token-exchange block', () => {
  it('has the documented defaults', () => {
    const { exchange: options, texts } = checked(minimal);
    expect(texts).toEqual([]);
    expect(options).toEqual({
      issuer: 'https://tokens.example',
      endpointPath: '/token/exchange',
      endpointUrl: 'https://tokens.example/token/exchange',
      jwksPath: '/token/jwks',
      jwksUrl: 'https://tokens.example/token/jwks',
      metadataPath: '/.well-known/oauth-authorization-server',
      signingKeyFiles: ['/sign.pem'],
      signingAlgorithm: 'RS256',
      tokenTtlMs: 3_600_000,
      limitLifetimeToSubject: false,
      maximumActors: 4,
      claimsCopied: ['roles', 'email'],
      defaultAudience: null,
      samlOneTime: true,
      rateLimit: { requestsPerSecond: 20, burst: 200 },
      allowedExchanges: [{ subjectKind: 'access_token', issuedKind: 'access_token' }],
      allowedAudiences: null,
      allowedScopes: null,
      clients: [
        {
          id: 'api',
          secrets: [{ kind: 'plain', text: expect.anything() }],
          publicKeyFiles: [],
          allowedExchanges: [{ subjectKind: 'access_token', issuedKind: 'access_token' }],
          allowedAudiences: [],
          allowedScopes: null,
          subjectAudiences: ['api'],
        },
      ],
    });
  });

  it('accepts all its keys', () => {
    const { exchange: options, texts } = checked({
      ...minimal,
      issuer: 'https://tokens.example/tenant/',
      'public-url': 'https://edge.example/api/',
      'endpoint-path': '/oauth/token',
      'jwks-path': '/oauth/keys',
      'signing-key-file': ['/new.pem', '/old.pem'],
      'signing-algorithm': 'EdDSA',
      'token-ttl-secs': 60,
      'limit-lifetime-to-subject': true,
      'max-actors': 0,
      'claims-copied': 'department',
      'default-audience': 'urn:example:all',
      'saml-one-time': false,
      'rate-limit': { 'requests-per-second': 5 },
      'allowed-exchanges': [exchange('access_token', 'jwt'), exchange('id_token')],
      'allowed-audiences': ['https://a.example', 'b'],
      'allowed-scopes': ['read', 'write'],
    });
    expect(texts).toEqual([]);
    expect(options).toMatchObject({
      endpointPath: '/oauth/token',
      endpointUrl: 'https://edge.example/api/oauth/token',
      jwksUrl: 'https://edge.example/api/oauth/keys',
      metadataPath: '/.well-known/oauth-authorization-server/tenant',
      signingKeyFiles: ['/new.pem', '/old.pem'],
      signingAlgorithm: 'EdDSA',
      tokenTtlMs: 60_000,
      limitLifetimeToSubject: true,
      maximumActors: 0,
      claimsCopied: ['department'],
      defaultAudience: 'urn:example:all',
      samlOneTime: false,
      rateLimit: { requestsPerSecond: 5, burst: 50 },
      allowedExchanges: [
        { subjectKind: 'access_token', issuedKind: 'jwt' },
        { subjectKind: 'id_token', issuedKind: 'access_token' },
      ],
      allowedAudiences: ['https://a.example', 'b'],
      allowedScopes: ['read', 'write'],
    });
  });

  it('accepts token types as URIs too', () => {
    const uri = (kind: string) => `urn:ietf:params:oauth:token-type:${kind}`;
    const block = { ...minimal, 'allowed-exchanges': exchange(uri('saml2'), uri('jwt')) };
    expect(checked(block, { saml }).exchange?.allowedExchanges).toEqual([{ subjectKind: 'saml2', issuedKind: 'jwt' }]);
  });

  it('copies nothing if a list or null says so', () => {
    expect(checked({ ...minimal, 'claims-copied': [] }).exchange?.claimsCopied).toEqual([]);
    expect(checked({ ...minimal, 'claims-copied': null }).exchange?.claimsCopied).toEqual([]);
  });

  it('distinguishes an absent limit from no limit', () => {
    expect(checked({ ...minimal, 'rate-limit': null }).exchange?.rateLimit).toBeNull();
    expect(checked({ ...minimal, 'rate-limit': { burst: 1 } }).exchange?.rateLimit).toEqual({
      requestsPerSecond: 20,
      burst: 1,
    });
  });

  it('is ignored unless enabled', () => {
    expect(checked({ ...minimal, enabled: false })).toMatchObject({
      exchange: null,
      texts: ['warning token-exchange: it is disabled, so no token is exchanged'],
    });
  });

  it('grants an empty list to no client', () => {
    const { exchange: options } = checked({ ...minimal, 'allowed-audiences': [], 'allowed-scopes': [] });
    expect(options).toMatchObject({ allowedAudiences: [], allowedScopes: [] });
  });
});

describe('clients of token exchange', () => {
  it('inherit from the block, unless they set a key', () => {
    const block = {
      ...minimal,
      'allowed-audiences': 'a',
      'allowed-scopes': 'read',
      clients: {
        client: [
          { ...client, name: 'plain' },
          {
            ...client,
            name: 'own',
            'allowed-exchanges': exchange('jwt', 'jwt'),
            'allowed-audiences': 'b',
            'allowed-scopes': ['write', 'all'],
            'subject-audiences': ['x', 'y'],
          },
          { ...client, name: 'nothing', 'allowed-audiences': [], 'allowed-scopes': [], 'subject-audiences': [] },
        ],
      },
    };
    const { exchange: options, texts } = checked(block);
    expect(texts).toEqual([]);
    expect(options?.clients).toMatchObject([
      {
        id: 'plain',
        allowedExchanges: [{ subjectKind: 'access_token' }],
        allowedAudiences: ['a'],
        allowedScopes: ['read'],
        subjectAudiences: ['plain'],
      },
      {
        id: 'own',
        allowedExchanges: [{ subjectKind: 'jwt', issuedKind: 'jwt' }],
        allowedAudiences: ['b'],
        allowedScopes: ['write', 'all'],
        subjectAudiences: ['x', 'y'],
      },
      { id: 'nothing', allowedAudiences: [], allowedScopes: [], subjectAudiences: [] },
    ]);
  });

  it('can be the only ones that may exchange', () => {
    const { 'allowed-exchanges': exchanges, ...block } = withClient({ 'allowed-exchanges': exchange('access_token') });
    expect(exchanges).toBeDefined();
    expect(checked(block)).toMatchObject({ texts: [], exchange: { allowedExchanges: [] } });
  });

  it('have secrets in several forms', () => {
    const digest = 'AB'.repeat(32);
    const bcrypt = `$2b$10$${'a'.repeat(21)}e${'b'.repeat(30)}e`;
    const { exchange: options, texts } = checked(withClient({ secret: [secret, `sha256:${digest}`, bcrypt] }));
    expect(texts).toEqual([]);
    const secrets = options?.clients?.[0]?.secrets ?? [];
    expect(secrets.map((kept) => [kept.kind, (kept.kind === 'sha256' ? kept.digest : kept.text).reveal()])).toEqual([
      ['plain', secret],
      ['sha256', digest.toLowerCase()],
      ['bcrypt', bcrypt],
    ]);
  });

  it('need no secret if they have a key', () => {
    const block = { ...minimal, clients: { client: { name: 'api', 'public-key-file': ['/a.pem', '/b.pem'] } } };
    expect(checked(block)).toMatchObject({
      texts: [],
      exchange: { clients: [{ secrets: [], publicKeyFiles: ['/a.pem', '/b.pem'] }] },
    });
  });
});

describe('an invalid token-exchange block', () => {
  it.each<readonly [string, JsonObject, string]>([
    ['no signing key', { ...minimal, 'signing-key-file': [] }, 'signing-key-file is missing'],
    [
      'a signing key twice',
      { ...minimal, 'signing-key-file': ['/a', '/a'] },
      'signing-key-file: entry 2 repeats an earlier one',
    ],
    [
      'too many signing keys',
      { ...minimal, 'signing-key-file': Array.from({ length: 17 }, (_, index) => `/${index}`) },
      'signing-key-file has more than 16 entries',
    ],
    ['an issuer that is no URL', { ...minimal, issuer: 'tokens' }, 'issuer must be a URL'],
    ['an issuer with a query', { ...minimal, issuer: 'https://a.example/?x=1' }, 'issuer must not contain a query'],
    ['an issuer with a fragment', { ...minimal, issuer: 'https://a.example/#x' }, 'issuer must not contain a fragment'],
    ['an issuer with a user', { ...minimal, issuer: 'https://u:p@a.example' }, 'issuer must not contain a user name'],
    ['an issuer with dots', { ...minimal, issuer: 'https://a.example/x/../y' }, 'must be in its normal form'],
    [
      'a public URL with a query',
      { ...minimal, 'public-url': 'https://a.example?x' },
      'public-url must not contain a query',
    ],
    ['an endpoint that is no path', { ...minimal, 'endpoint-path': 'token' }, 'endpoint-path must be a path'],
    [
      'an endpoint with dots',
      { ...minimal, 'endpoint-path': '/a/../b' },
      'endpoint-path must be in its normal form: "/b"',
    ],
    ['keys with a query', { ...minimal, 'jwks-path': '/keys?x' }, 'jwks-path must be a path'],
    [
      'one path for both',
      { ...minimal, 'jwks-path': '/token/exchange' },
      'jwks-path and endpoint-path are the same path',
    ],
    [
      'the path of the metadata',
      { ...minimal, 'jwks-path': '/.well-known/oauth-authorization-server' },
      'derived from issuer, and jwks-path are the same path',
    ],
    ['an algorithm of others', { ...minimal, 'signing-algorithm': 'RS512' }, '"signing-algorithm" must be "RS256"'],
    ['no time to live', { ...minimal, 'token-ttl-secs': 0 }, '"token-ttl-secs" must be an integer from 1 to 31536000'],
    ['too many actors', { ...minimal, 'max-actors': 17 }, '"max-actors" must be an integer from 0 to 16'],
    ['nothing to exchange', { ...minimal, 'allowed-exchanges': [] }, 'there is nothing to exchange'],
    ['an unknown kind', { ...minimal, 'allowed-exchanges': exchange('saml1') }, '"subject-token-type" must be'],
    ['a refresh token', { ...minimal, 'allowed-exchanges': exchange('refresh_token') }, '"subject-token-type" must be'],
    [
      'a kind that is not issued',
      { ...minimal, 'allowed-exchanges': exchange('jwt', 'saml2') },
      '"issued-token-type" cannot be "saml2": only access_token and jwt can be issued',
    ],
    [
      'half an exchange',
      { ...minimal, 'allowed-exchanges': { 'subject-token-type': 'jwt' } },
      '"issued-token-type" is missing',
    ],
    [
      'an exchange twice',
      { ...minimal, 'allowed-exchanges': [exchange('jwt'), exchange('jwt')] },
      'allowed-exchanges: entry 2 repeats an earlier one',
    ],
    [
      'an exchange of a client twice',
      withClient({ 'allowed-exchanges': [exchange('jwt'), exchange('jwt')] }),
      'client "api": allowed-exchanges: entry 2',
    ],
    ['assertions without saml', { ...minimal, 'allowed-exchanges': exchange('saml2') }, 'allowed-exchanges has saml2'],
    [
      'assertions of a client without saml',
      withClient({ 'allowed-exchanges': exchange('saml2') }),
      'client "api": allowed-exchanges has saml2',
    ],
    ['an audience twice', { ...minimal, 'allowed-audiences': ['a', 'a'] }, 'allowed-audiences: entry 2'],
    ['an audience with a line end', { ...minimal, 'allowed-audiences': 'a\nb' }, 'printable characters'],
    ['an audience that is too long', { ...minimal, 'default-audience': 'a'.repeat(1025) }, 'at most 1024'],
    ['two scopes in one', { ...minimal, 'allowed-scopes': 'read write' }, 'must be one scope'],
    ['a rate of nothing', { ...minimal, 'rate-limit': { 'requests-per-second': 0 } }, 'from 1 to 1000000'],
    ['a rate that is no block', { ...minimal, 'rate-limit': 20 }, '"rate-limit" needs a block'],
    ['no client', { ...minimal, clients: {} }, 'clients names no client'],
    ['an empty list of clients', { ...minimal, clients: [] }, '"clients" names no client'],
    ['clients that are no block', { ...minimal, clients: 'api' }, '"clients" needs a block'],
    [
      'a client without credentials',
      { ...minimal, clients: { client: { name: 'api' } } },
      'neither a secret nor a key',
    ],
    [
      'a client twice',
      { ...minimal, clients: { client: [client, client] } },
      'client "api": an earlier client already has',
    ],
    ['an id beyond ASCII', withClient({ name: 'b\u00fcro' }), '"name" must be 1 to 256 characters of printable ASCII'],
    ['an id that is too long', withClient({ name: 'a'.repeat(257) }), '"name" must be 1 to 256'],
    ['a secret twice', withClient({ secret: [secret, secret] }), 'client "api": secret 2 repeats an earlier one'],
    ['nine secrets', withClient({ secret: Array.from('123456789', (n) => secret + n) }), 'more than 8 entries'],
    [
      'four hashed secrets',
      withClient({ secret: [...'abcd'].map((n) => `$2b$10$${n.repeat(21)}e${'b'.repeat(30)}e`) }),
      'client "api": secret has more than 3 password hashes',
    ],
    ['five key files', withClient({ 'public-key-file': [...'abcde'].map((n) => `/${n}`) }), 'more than 4 entries'],
    [
      'an entry of an API key',
      withClient({ secret: `sha256:${'ab'.repeat(32)}:S3CRET` }),
      'the secret has a name after its digest, like an API key; remove :<name>',
    ],
    ['a broken digest', withClient({ secret: 'sha256:S3CRET' }), 'the secret does not have 64 hexadecimal digits'],
    ['a hash of another kind', withClient({ secret: '$1$S3CRET$S3CRET' }), 'uses an unsupported hash'],
    ['white space behind a secret', withClient({ secret: 'S3CRET of the client ' }), 'white space: remove it'],
    ['a secret beyond ASCII', withClient({ secret: 'S3CRET of the b\u00fcro' }), 'other than printable ASCII'],
    ['a key file twice', withClient({ 'public-key-file': ['/a', '/a'] }), 'public-key-file: entry 2'],
    ['an unknown key', { ...minimal, 'token-ttl': 5 }, 'unknown key "token-ttl" in token-exchange'],
    ['an unknown key of a client', withClient({ audiences: 'a' }), 'unknown key "audiences" in client'],
  ])('is refused for %s', (_name, block, message) => {
    const { exchange: options, texts, problems } = checked(block);
    expect(options).toBeNull();
    const severities = problems.filter((_problem, index) => texts[index]?.includes(message));
    expect(severities, texts.join('\n')).toMatchObject([{ severity: 'error' }]);
    expect(texts.join('\n')).not.toContain('S3CRET');
  });

  it.each(reservedClaims)('is refused for copying %s', (name) => {
    const { exchange: options, texts } = checked({ ...minimal, 'claims-copied': ['roles', name] });
    expect(options).toBeNull();
    expect(texts).toEqual([
      expect.stringContaining(`error token-exchange: claims-copied names ${name}, which is never`),
    ]);
  });

  it.each([
    ['acs-path', '/saml/acs'],
    ['metadata-path', '/saml/metadata'],
    ['logout-path', '/saml/logout'],
    ['signed-out-path', '/bye'],
  ])('is refused if an endpoint has the %s of single sign-on', (key, path) => {
    const { texts } = checked(
      { ...minimal, 'endpoint-path': path },
      { oidc: provider, saml: { ...saml, 'signed-out-path': '/bye', 'excluded-paths': '/bye' } },
    );
    expect(texts).toContainEqual(`error token-exchange: endpoint-path and ${key} of saml are the same path`);
  });

  it.each([
    ['by its path', { 'endpoint-path': '/saml/acs' }, saml],
    [
      'by another way to the gateway',
      { 'public-url': 'https://app.example/saml', 'endpoint-path': '/token' },
      { ...saml, 'acs-url': 'https://app.example/saml/token', 'acs-path': '/acs' },
    ],
  ])('is refused if sign-on assertions would name the endpoint, %s', (_name, changes, signOn) => {
    const { exchange: options, texts } = checked(
      { ...minimal, issuer: 'https://app.example', ...changes },
      { saml: signOn },
    );
    expect(options).toBeNull();
    expect(texts).toContainEqual(
      'error token-exchange: the URL of the endpoint equals acs-url of saml, so assertions of sign-ons could be exchanged',
    );
  });

  it('is refused once for conversions that are not blocks, with the right form', () => {
    for (const block of [
      { ...minimal, 'allowed-exchanges': ['a', 'b'] },
      withClient({ 'allowed-exchanges': 'access_token' }),
    ]) {
      const { exchange: options, problems } = checked(block);
      expect(options).toBeNull();
      expect(problems).toMatchObject([
        {
          message: expect.stringContaining('"allowed-exchanges" needs a block'),
          suggestion: 'write allowed-exchanges { subject-token-type "access_token"; issued-token-type "access_token" }',
        },
      ]);
    }
  });

  it('is refused without messages per client if nothing can be exchanged', () => {
    const { texts } = checked({ ...minimal, 'allowed-exchanges': [] });
    expect(texts).toEqual(['error token-exchange: allowed-exchanges is not set, so there is nothing to exchange']);
  });

  it('is refused for assertions if single sign-on is configured but disabled', () => {
    const block = { ...minimal, 'allowed-exchanges': exchange('saml2') };
    expect(checked(block, { saml: { ...saml, enabled: false } }).texts).toContainEqual(
      expect.stringContaining('error token-exchange: allowed-exchanges has saml2'),
    );
    expect(checked(block, { saml }).texts).toEqual([]);
  });
});

describe('a questionable token-exchange block', () => {
  const usual: JsonObject = { oidc: provider };
  const open = { ...withoutClients, 'allowed-audiences': 'a' };

  it.each<readonly [string, JsonObject, readonly string[], JsonObject]>([
    ['no clients', open, ['clients is not set: anyone with a token may exchange it'], usual],
    [
      'neither clients nor audiences',
      withoutClients,
      [
        'clients is not set: anyone with a token may exchange it',
        'allowed-audiences is not set: tokens can be requested for any audience',
      ],
      usual,
    ],
    [
      'an issuer by HTTP',
      { ...minimal, issuer: 'http://tokens.example', 'public-url': 'https://tokens.example' },
      ['issuer is not https: an attacker on the network can replace the keys'],
      usual,
    ],
    [
      'a public URL by HTTP',
      { ...minimal, 'public-url': 'http://edge.example' },
      ['public-url is not https: an attacker on the network can steal tokens and client secrets'],
      usual,
    ],
    ['an issuer by HTTP on this machine, none', { ...minimal, issuer: 'http://127.0.0.1:8080' }, [], usual],
    [
      'HS256',
      { ...minimal, 'signing-algorithm': 'HS256' },
      ['signing-algorithm is HS256: anyone who can verify a token can issue one, and no public key is published'],
      usual,
    ],
    [
      'nothing to verify tokens of others with',
      minimal,
      ['neither oidc nor a JWT key is configured: only JWTs that this agent issued are accepted'],
      {},
    ],
    [
      'ID tokens of a provider without audience',
      { ...minimal, 'allowed-exchanges': exchange('id_token') },
      ['allowed-exchanges has id_token, but provider "corp" of oidc has no audience, so its ID tokens are refused'],
      { oidc: { ...provider, audience: null } },
    ],
    [
      'ID tokens without jwt-audience',
      { ...minimal, 'allowed-exchanges': exchange('id_token') },
      ['allowed-exchanges has id_token, but jwt-audience is not set, so ID tokens signed with its key are refused'],
      { 'jwt-secret': 'x'.repeat(32) },
    ],
    [
      'scopes of a provider that ID tokens need not have',
      { ...minimal, 'allowed-exchanges': [exchange('id_token'), exchange('access_token')] },
      ['allowed-exchanges has id_token, and required-scopes of provider "corp" of oidc do not apply to ID tokens'],
      { oidc: { ...provider, 'required-scopes': 'exchange' } },
    ],
    [
      'scopes of a provider that every token has to have, none',
      minimal,
      [],
      { oidc: { ...provider, 'required-scopes': 'exchange' } },
    ],
    [
      'the issuer of a provider with keys of its own',
      { ...minimal, issuer: 'https://id.example' },
      [
        'issuer is also that of provider "corp" of oidc, whose keys seem to differ: the endpoint verifies its tokens only with keys of the agent',
      ],
      usual,
    ],
    [
      'the issuer of a provider that has our keys, none',
      { ...minimal, issuer: 'https://id.example' },
      [],
      { oidc: { ...provider, 'jwks-url': 'http://127.0.0.1:8080/token/jwks' } },
    ],
    [
      'a short secret',
      withClient({ secret: ['fifteen letters', secret] }),
      ['client "api": secret 1 has fewer than 16 bytes: it can be guessed'],
      usual,
    ],
    [
      'a secret that curl -u sends otherwise than it is',
      withClient({ secret: ['sixteen letters+more', 'sixteen letters%more', secret] }),
      [
        'client "api": secret 1 contains "+" or "%": the client must form-encode it in Basic, which curl -u does not do',
        'client "api": secret 2 contains "+" or "%": the client must form-encode it in Basic, which curl -u does not do',
      ],
      usual,
    ],
    [
      'a weak hash',
      withClient({ secret: `$2b$04$${'a'.repeat(21)}e${'b'.repeat(30)}e` }),
      [expect.stringMatching(/^client "api": the secret is stored as bcrypt with cost 4/)],
      usual,
    ],
    [
      'a client with nothing to exchange',
      { ...minimal, clients: { client: [client, { ...client, name: 'idle', 'allowed-exchanges': [] }] } },
      ['client "idle": it has no allowed-exchanges, so it cannot exchange any token'],
      usual,
    ],
  ])('causes a warning for %s', (_name, block, messages, config) => {
    const { exchange: options, problems } = checked(block, config);
    expect(options).not.toBeNull();
    const own = problems.filter((problem) => 'option' in problem && problem.option === 'token-exchange');
    expect(own.map(({ message }) => message)).toEqual(messages);
    expect(own.every(({ severity }) => severity === 'warning')).toBe(true);
  });
});

describe('problems of an issuer that a provider shares', () => {
  it.each([
    ['a query', 'https://id.example/?key=S3CRET', true],
    ['a password', 'https://user:S3CRET@id.example', true],
    ['an at sign in its path', 'https://id.example/@corp', false],
    ['an at sign in its path, by HTTP', 'http://id.example/@corp', true],
  ])('hide the line in all messages if it may hold a secret, and only there: %s', (_name, issuer, isConcealed) => {
    const { problems } = checked({ ...minimal, issuer }, { oidc: { ...provider, issuer } });
    const ofIssuer = problems.filter(
      (problem) => 'option' in problem && problem.option === 'token-exchange' && problem.place?.key === 'issuer',
    );
    expect(ofIssuer.map(({ severity }) => severity)).toContain('warning');
    for (const problem of ofIssuer) {
      expect('place' in problem ? problem.place : null).toEqual({ key: 'issuer', ...(isConcealed && { isConcealed }) });
    }
  });
});
