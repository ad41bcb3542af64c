import { describe, expect, it } from 'vitest';
import type { EntrySource } from '../../../../../src/domain/agent/configuration/agent-configuration.js';
import {
  type CompleteAgentOptions,
  completeAgentOptions,
} from '../../../../../src/domain/agent/configuration/agent-option-rules.js';
import type { AgentOptions } from '../../../../../src/domain/agent/configuration/agent-options-schema.js';
import { parseEntryList, parseSingleEntry } from '../../../../../src/domain/agent/configuration/credential-entries.js';
import { agentEntryFiles } from '../../../../../src/domain/agent/configuration/entry-option-rules.js';
import { Secret } from '../../../../../src/domain/shared/secret.js';

const complete = (options: AgentOptions, files: Readonly<Record<string, string>> = {}) =>
  completeAgentOptions(options, new Map(Object.entries(files)));
const problems = (options: AgentOptions, files?: Readonly<Record<string, string>>) =>
  complete(options, files).problems.map(({ severity, option, message }) => `${severity} ${option}: ${message}`);
const keys = (text: string): readonly EntrySource[] => parseEntryList(text);
const secret = new Secret('a'.repeat(32));
const shownKeys = (made: CompleteAgentOptions | null) =>
  made?.apiKeys.map(({ key, name }) => [(key.kind === 'plain' ? key.text : key.digest).reveal(), name]);
const shownUsers = (made: CompleteAgentOptions | null) =>
  made?.basicUsers.map(({ user, password }) => [user, password.text.reveal()]);

describe('complete options', () => {
  it('have the defaults of the agent', () => {
    expect(complete({})).toEqual({
      options: {
        socket: '/tmp/gateway-auth.sock',
        grpc: null,
        metricsAddress: null,
        admin: null,
        jwt: null,
        apiKeys: [],
        apiKeyHeader: null,
        basicUsers: [],
        userIdHeader: 'X-User-Id',
        authMethodHeader: 'X-Auth-Method',
        failOpen: false,
        forwardCredentials: 'authorization',
        tokenCacheSize: 10_000,
        maxClaimBytes: 2_048,
        forwardClaims: null,
        claimMapping: [],
        clientCertHeader: 'X-Client-Cert',
        oidc: [],
        oidcLogins: [],
        proofStore: null,
        trustedOrigins: [],
        mtls: null,
        authz: null,
        saml: null,
        sessions: null,
        requiredPaths: [],
        tokenExchange: null,
        identityToken: null,
        resources: [],
      },
      problems: [],
    });
  });

  it.each([
    [undefined, 'authorization'],
    [true, 'all'],
    [false, 'none'],
  ] as const)('forward credentials for %s as %s', (forwardCredentials, expected) => {
    const options = forwardCredentials === undefined ? {} : { forwardCredentials };
    expect(complete(options).options?.forwardCredentials).toBe(expected);
  });

  it('contain the one key that matches the algorithm', () => {
    expect(complete({ jwtSecret: secret, jwtIssuer: 'i' }).options?.jwt).toEqual({
      key: { algorithm: 'HS256', secret },
      issuer: 'i',
      audience: null,
    });
    expect(complete({ jwtPublicKey: '/k', jwtAlgorithm: 'ES256', jwtAudience: 'a' }).options?.jwt).toEqual({
      key: { algorithm: 'ES256', publicKeyFile: '/k' },
      issuer: null,
      audience: 'a',
    });
  });

  it.each<readonly [string, AgentOptions, string]>([
    [
      'a short secret',
      { jwtSecret: new Secret('a'.repeat(31)) },
      'error jwt-secret: the secret must have at least 32 bytes',
    ],
    [
      'a secret for RS256',
      { jwtSecret: secret, jwtAlgorithm: 'RS256' },
      'error jwt-algorithm: RS256 needs jwt-public-key, but jwt-secret is set',
    ],
    [
      'a public key for HS256',
      { jwtPublicKey: '/k', jwtAlgorithm: 'HS256' },
      'error jwt-algorithm: HS256 needs jwt-secret, but jwt-public-key is set',
    ],
    [
      'a public key without algorithm',
      { jwtPublicKey: '/k' },
      'error jwt-public-key: HS256 needs jwt-secret, but jwt-public-key is set',
    ],
    [
      'both keys',
      { jwtPublicKey: '/k', jwtSecret: secret },
      'error jwt-public-key: jwt-secret and jwt-public-key cannot both be set: there is one key with one algorithm',
    ],
    [
      'one header for two things',
      { userIdHeader: 'X-A', authMethodHeader: 'x_a' },
      'error auth-method-header: user-id-header already uses the header x_a',
    ],
    [
      'the key header as user header',
      { userIdHeader: 'x-api-key', apiKeys: keys('k:n') },
      'error api-key-header: user-id-header already uses the header X-API-Key',
    ],
    [
      'a reserved header',
      { userIdHeader: 'Content_Length' },
      'error user-id-header: the header Content_Length belongs to message framing or to one connection: use another header',
    ],
    ['a header that is none', { apiKeyHeader: 'X Y' }, 'error api-key-header: "X Y" is not a header name'],
    ['a key without name', { apiKeys: keys('abc') }, 'error api-keys: entry 1 has no colon: an entry is <key>:<name>'],
    ['an empty key', { apiKeys: keys(':abc') }, 'error api-keys: entry 1 has no key before its last colon'],
    ['an empty name', { apiKeys: keys('abc:') }, 'error api-keys: entry 1 has no name after its last colon'],
    [
      'a key given twice',
      { apiKeys: keys('abc:x,abc:y') },
      'error api-keys: entry 2 repeats the key of an earlier entry',
    ],
    [
      'a hashed key that is none',
      { apiKeys: keys('sha256:abc:x') },
      'error api-keys: entry 1 does not have 64 hexadecimal digits between sha256: and the last colon',
    ],
    [
      'a hashed key given twice, in another case',
      { apiKeys: keys(`sha256:${'ab'.repeat(32)}:x,sha256:${'AB'.repeat(32)}:y`) },
      'error api-keys: entry 2 repeats the key of an earlier entry',
    ],
    [
      'a key beyond ASCII',
      { apiKeys: keys('é:x') },
      'error api-keys: entry 1 has a key with characters other than printable ASCII',
    ],
    [
      'a user given twice',
      { basicAuthUsers: keys('u:p,u:q') },
      'error basic-auth-users: entry 2 repeats the user of an earlier entry',
    ],
    [
      'no password',
      { basicAuthUsers: keys('u:') },
      'error basic-auth-users: entry 1 has no password after its first colon',
    ],
    ['no user', { basicAuthUsers: keys(':p') }, 'error basic-auth-users: entry 1 has no user before its first colon'],
    ['a file that was not read', { apiKeys: keys('@/keys') }, 'error api-keys: entry 1: the file /keys cannot be read'],
  ])('fail for %s', (_name, options, message) => {
    expect(problems(options)).toEqual([message]);
    expect(complete(options).options).toBeNull();
  });

  it.each([
    'Range',
    'content_encoding',
    'Traceparent',
    'Sec.Fetch.Site',
    'X-Forwarded-Anything',
    'X_Real_IP',
    'Cookie',
    'Authorization',
    'X-Request-Id',
  ])('give the header %s a special meaning', (name) => {
    for (const options of [{ apiKeyHeader: name }, { userIdHeader: name }, { authMethodHeader: name }]) {
      expect(problems(options)[0]).toContain(`the header ${name} has a standard meaning`);
    }
  });

  it.each(['Host', 'TE', 'Transfer.Encoding', 'Proxy_Connection', 'Keep-Alive', 'Upgrade'])(
    'leave the header %s to the connection',
    (name) => expect(problems({ userIdHeader: name })[0]).toContain('belongs to message framing or to one connection'),
  );

  it.each(['X-Auth-Claim-Key', 'x.client.cert.cn', 'Client_Cert', 'X-Forwarded-Client-Cert'])(
    'read no key from the header %s, which is removed from client requests',
    (name) => expect(problems({ apiKeyHeader: name })[0]).toContain('is an identity header'),
  );

  it('compare header names as the stripping does', () => {
    expect(problems({ userIdHeader: 'X-A.B', authMethodHeader: 'x-a~b' })[0]).toContain(
      'already uses the header x-a~b',
    );
  });

  it('list the unread files per method', () => {
    expect(problems({ failOpen: true, apiKeys: keys('@/keys') }, { '/keys': '' })).toEqual([]);
    expect(problems({ failOpen: true })[0]).toContain('warning fail-open: it has no effect');
  });

  it.each(['sha256:00', '$2b$10$x', '$2a$10$x', '$2y$10$x', '$argon2id$v=19$x', '$scrypt$x'])(
    'refuse a password that begins like a hash but is not one, such as %s',
    (password) => {
      expect(complete({ basicAuthUsers: keys(`u:${password}`) }).options).toBeNull();
    },
  );

  it('warn about weak hashes, once per kind', () => {
    const cheap = (user: string) => `${user}:$2b$04$${'.'.repeat(53)}`;
    const { options, problems: found } = complete({ basicAuthUsers: keys(`${cheap('a')},${cheap('b')}`) });
    expect(shownUsers(options)).toHaveLength(2);
    expect(found).toEqual([
      {
        severity: 'warning',
        option: 'basic-auth-users',
        message: 'a password is stored as bcrypt with cost 4; use at least 10',
        suggestion: null,
      },
    ]);
  });

  it('measure a secret in bytes', () => {
    expect(problems({ jwtSecret: new Secret('é'.repeat(16)) })).toEqual([]);
    expect(problems({ jwtSecret: new Secret('é'.repeat(15)) })).toHaveLength(1);
  });

  it('split a key at its last colon and a user at its first', () => {
    const { options } = complete({ apiKeys: keys('a:b:c'), basicAuthUsers: keys('u:p:q') });
    expect(shownKeys(options)).toEqual([['a:b', 'c']]);
    expect(shownUsers(options)).toEqual([['u', 'p:q']]);
  });

  it('read the entries of files line by line, unchanged', () => {
    const options = { apiKeys: keys('a:x,@/keys'), basicAuthUsers: keys('@/users') };
    expect(agentEntryFiles(options)).toEqual(['/keys', '/users']);
    const files = { '/keys': '# keys \r\nb,c:y\r\n \n d:z\n', '/users': 'u:p\\,q\n' };
    const { options: made } = complete(options, files);
    expect(shownKeys(made)).toEqual([
      ['a', 'x'],
      ['b,c', 'y'],
      ['d', 'z'],
    ]);
    expect(shownUsers(made)).toEqual([['u', 'p\\,q']]);
    expect(problems(options, { ...files, '/users': 'u:p\nnocolon' })).toEqual([
      'error basic-auth-users: entry 1: in the file /users, entry 2 has no colon: an entry is <user>:<password>',
    ]);
  });

  it('refuse an entry that ends in white space, because it is ambiguous', () => {
    const fault = 'ends in white space: remove it';
    const file = { '/keys': 'a:x\n# keys\nb:y \n', '/users': 'ann:pw\t\r\nbob:pw\u00a0' };
    expect(problems({ apiKeys: keys('@/keys'), basicAuthUsers: keys('@/users') }, file)).toEqual([
      `error api-keys: entry 1: in the file /keys, entry 2 ${fault}`,
      `error basic-auth-users: entry 1: in the file /users, entry 1 ${fault}`,
      `error basic-auth-users: entry 1: in the file /users, entry 2 ${fault}`,
    ]);
    const alone = ['ann:pw', 'bob:pw '].flatMap((text) => parseSingleEntry(text) ?? []);
    expect(problems({ basicAuthUsers: alone })).toEqual([`error basic-auth-users: entry 2 ${fault}`]);
  });

  it('treat white space in a list as separator', () => {
    expect(shownUsers(complete({ basicAuthUsers: keys(' ann:pw , bob:pw \n') }).options)).toEqual([
      ['ann', 'pw'],
      ['bob', 'pw'],
    ]);
  });

  it('merge two user names that Unicode treats as equal', () => {
    expect(problems({ basicAuthUsers: keys('j\u00f6rg:p,jo\u0308rg:q') })).toEqual([
      'error basic-auth-users: entry 2 repeats the user of an earlier entry',
    ]);
  });

  it('warn about an option without effect', () => {
    expect(problems({ jwtIssuer: 'x' })).toEqual([
      'warning jwt-issuer: jwt-issuer has no effect without jwt-secret or jwt-public-key',
    ]);
    expect(complete({ jwtIssuer: 'x' }).options).not.toBeNull();
  });
});
