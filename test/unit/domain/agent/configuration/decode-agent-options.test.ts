import { describe, expect, it } from 'vitest';
import type { EntrySource } from '../../../../../src/domain/agent/configuration/agent-configuration.js';
import {
  decodeAgentOptions,
  decodeAgentOptionTexts,
} from '../../../../../src/domain/agent/configuration/decode-agent-options.js';
import type { JsonObject, JsonValue } from '../../../../../src/domain/shared/json.js';

const shown = (sources: readonly EntrySource[] | undefined) =>
  sources?.map((source) => (source.kind === 'entry' ? source.text.reveal() : `file ${source.path}`));

const messages = (json: JsonObject) => decodeAgentOptions(json).problems.map(({ message }) => message);

const jwtAlgorithmList =
  '"HS256" or "RS256" or "RS384" or "RS512" or "PS256" or "PS384" or "PS512" or "ES256" or "ES384" or "ES512" or "EdDSA"';

describe('the options of an agent as JSON', () => {
  it('are all parsed', () => {
    const { options, problems } = decodeAgentOptions({
      socket: '/run/a.sock',
      'jwt-public-key': '/k.pem',
      'jwt-secret': 'x',
      'jwt-algorithm': 'ES256',
      'jwt-issuer': 'i',
      'jwt-audience': 'a',
      'api-keys': ['k1:a', 'k2,x:b', '@/keys'],
      'grpc-address': '0.0.0.0:50051',
      'grpc-tls-cert-file': '/grpc.pem',
      'grpc-tls-key-file': '/grpc.key',
      'grpc-client-ca-file': '/ca.pem',
      'grpc-insecure': false,
      'metrics-address': '[::1]:0',
      'health-interval-secs': 2,
      'metrics-interval-secs': 3,
      'api-key-header': 'X-Key',
      'basic-auth-users': 'u:p\\,q,@/users',
      'user-id-header': 'X-U',
      'auth-method-header': 'X-M',
      'fail-open': true,
      'forward-credentials': false,
      'token-cache-size': 0,
    });
    expect(problems).toEqual([]);
    expect({
      ...options,
      jwtSecret: options?.jwtSecret?.reveal(),
      apiKeys: shown(options?.apiKeys),
      basicAuthUsers: shown(options?.basicAuthUsers),
    }).toEqual({
      socket: '/run/a.sock',
      jwtPublicKey: '/k.pem',
      jwtSecret: 'x',
      jwtAlgorithm: 'ES256',
      jwtIssuer: 'i',
      jwtAudience: 'a',
      apiKeys: ['k1:a', 'k2,x:b', 'file /keys'],
      grpcAddress: { kind: 'tcp', host: '0.0.0.0', port: 50_051 },
      grpcTlsCertFile: '/grpc.pem',
      grpcTlsKeyFile: '/grpc.key',
      grpcClientCaFile: '/ca.pem',
      grpcInsecure: false,
      metricsAddress: { host: '::1', port: 0 },
      healthIntervalMs: 2_000,
      metricsIntervalMs: 3_000,
      apiKeyHeader: 'X-Key',
      basicAuthUsers: ['u:p,q', 'file /users'],
      userIdHeader: 'X-U',
      authMethodHeader: 'X-M',
      failOpen: true,
      forwardCredentials: false,
      tokenCacheSize: 0,
    });
  });

  it('accept one text for a list, and each array item as an entry, including commas', () => {
    const keys = (value: JsonValue) => shown(decodeAgentOptions({ 'api-keys': value }).options?.apiKeys);
    expect(keys('a:b,c\\,d:e')).toEqual(['a:b', 'c,d:e']);
    expect(keys(['a:b,c:d'])).toEqual(['a:b,c:d']);
    expect(keys(['a:b,c:d', ' e\\,f:g'])).toEqual(['a:b,c:d', 'e\\,f:g']);
    expect(keys([' @/keys ', ' '])).toEqual(['file /keys']);
  });

  it('can be empty', () => {
    expect(decodeAgentOptions(null)).toEqual({ options: {}, problems: [] });
    expect(decodeAgentOptions({})).toEqual({ options: {}, problems: [] });
  });

  it('are absent if null', () => {
    expect(decodeAgentOptions({ 'jwt-issuer': null, 'api-keys': null, 'fail-open': null }).options).toEqual({
      apiKeys: [],
    });
  });

  it.each<readonly [JsonObject, string]>([
    [{ 'jwt-isuer': 'x' }, 'config: unknown key "jwt-isuer" in config'],
    [{ 'jwt-issuer': 5 }, 'config.jwt-issuer: "jwt-issuer" must be a string, not 5'],
    [{ 'jwt-issuer': ['a'] }, 'config.jwt-issuer: "jwt-issuer" takes exactly one value'],
    [{ 'jwt-issuer': [] }, 'config.jwt-issuer: "jwt-issuer" takes exactly one value'],
    [{ 'jwt-issuer': { a: 1 } }, 'config.jwt-issuer: "jwt-issuer" takes a value, not a block or properties'],
    [{ 'jwt-algorithm': 'none' }, `config.jwt-algorithm: "jwt-algorithm" must be ${jwtAlgorithmList}, not "none"`],
    [{ 'fail-open': 'true' }, 'config.fail-open: "fail-open" must be #true or #false, not "true"'],
    [{ 'api-keys': [{ a: 1 }, 'k:a'] }, 'config.api-keys: "api-keys" takes a value, not a block or properties'],
    [{ 'api-keys': true }, 'config.api-keys: "api-keys" must be a string'],
    [{ 'user-id-header': 'X Y' }, 'config.user-id-header: "user-id-header" must be a header name, not "X Y"'],
    [{ saml: { 'entity-id': 'x' } }, 'config.saml: "acs-url" is missing'],
    [{ 'token-exchange': { enabled: true } }, 'config.token-exchange: "issuer" is missing'],
    [
      { 'token-exchange': { issuer: 'x', clients: { client: { secret: 'x' } } } },
      'config.token-exchange.clients.client: "name" is missing',
    ],
    [{ saml: { 'entity-ids': 'x' } }, 'config.saml: unknown key "entity-ids" in saml'],
    [
      { 'token-cache-size': -1 },
      'config.token-cache-size: "token-cache-size" must be an integer from 0 to 1000000, not -1',
    ],
    [{ 'grpc-address': 'a' }, 'config.grpc-address: "grpc-address" must be host:port, not "a"'],
    [{ 'grpc-address': '/run/a.sock' }, 'config.grpc-address: "grpc-address" must be host:port, or unix:/path'],
    [{ 'metrics-address': 'unix:/m' }, 'config.metrics-address: "metrics-address" must be host:port, not "unix:/m"'],
    [
      { 'grpc-tls-key-file': '-----BEGIN PRIVATE KEY-----' },
      'config.grpc-tls-key-file: "grpc-tls-key-file" must be the path of a file, not its content',
    ],
    [
      { 'health-interval-secs': 0 },
      'config.health-interval-secs: "health-interval-secs" must be an integer from 1 to 3600, not 0',
    ],
    [JSON.parse('{"__proto__":{"fail-open":true}}') as JsonObject, 'config: unknown key "__proto__" in config'],
    [{ constructor: 1 }, 'config: unknown key "constructor" in config'],
  ])('are refused if they are %j', (json, message) => {
    expect(messages(json)).toContain(message);
    expect(decodeAgentOptions(json).options).toBeNull();
  });

  it('are refused if nested too deeply', () => {
    let json: JsonValue = 1;
    for (let depth = 0; depth < 10_000; depth += 1) json = { saml: json };
    expect(messages(json as JsonObject)).toEqual(['config: it is nested more than 64 levels deep']);
  });
});

describe('the options of an agent as text', () => {
  it('report their source, never their text', () => {
    const { options, problems } = decodeAgentOptionTexts([
      { option: 'jwt-algorithm', text: 'S3CRET', source: '--jwt-algorithm' },
      { option: 'fail-open', text: 'S3CRET', source: 'FAIL_OPEN' },
      { option: 'user-id-header', text: 'S3 CRET', source: 'USER_ID_HEADER' },
      { option: 'grpc-address', text: '/S3CRET', source: 'GRPC_ADDRESS' },
      { option: 'grpc-insecure', text: 'S3CRET', source: '--grpc-insecure' },
      { option: 'jwt-secret', text: '', source: 'JWT_SECRET' },
    ]);
    expect(options).toBeNull();
    expect(problems.map(({ message }) => message)).toEqual([
      `--jwt-algorithm.jwt-algorithm: "jwt-algorithm" must be ${jwtAlgorithmList}, not what was given`,
      'FAIL_OPEN.fail-open: "fail-open" must be true or false, not what was given',
      'USER_ID_HEADER.user-id-header: "user-id-header" must be header name',
      'GRPC_ADDRESS.grpc-address: "grpc-address" must be host:port',
      '--grpc-insecure.grpc-insecure: "grpc-insecure" must be true or false, not what was given',
      'JWT_SECRET.jwt-secret: "jwt-secret" must not be empty',
    ]);
  });

  it.each([
    ['true', true],
    ['1', true],
    ['false', false],
    ['0', false],
  ])('parse %s as %s', (text, failOpen) => {
    expect(decodeAgentOptionTexts([{ option: 'fail-open', text, source: 'FAIL_OPEN' }]).options).toEqual({ failOpen });
  });

  it('join the list entries of one source, without those of another', () => {
    const given = (...texts: readonly (readonly [string, string])[]) =>
      shown(
        decodeAgentOptionTexts(texts.map(([source, text]) => ({ option: 'api-keys', source, text }))).options?.apiKeys,
      );
    const flag = '--api-keys';
    // A piece that ends in a backslash does not take the comma of the next for its own.
    expect(given([flag, 'a:1'], [flag, 'b:2\\'], [flag, 'c:3,d:4'])).toEqual(['a:1', 'b:2\\', 'c:3', 'd:4']);
    expect(given(['API_KEYS', 'a:1'], [flag, 'b:2'])).toEqual(['b:2']);
  });

  it('build lists from commas and files', () => {
    const { options } = decodeAgentOptionTexts([
      { option: 'api-keys', text: 'a:b, c\\,d:e,,@/keys', source: 'API_KEYS' },
    ]);
    expect(shown(options?.apiKeys)).toEqual(['a:b', 'c,d:e', 'file /keys']);
  });
});
