import { describe, expect, it } from 'vitest';
import type { SigningKey } from '../../../../../src/application/ports/agent/token-signing-keys.js';
import type { TokenExchangeOptions } from '../../../../../src/domain/agent/configuration/token-exchange-options.js';
import type { AgentAnswer } from '../../../../../src/domain/agent-protocol/messages.js';
import type { HeaderList } from '../../../../../src/domain/http/header-list.js';
import { Secret } from '../../../../../src/domain/shared/secret.js';
import { ExchangeWorld, exchangeOptions, seen } from '../../../../support/agent/fake-token-exchange.js';

const secretKey = (world: ExchangeWorld): SigningKey => ({
  ...world.signingKey('a-secret'),
  algorithm: 'HS256',
  publicJwk: null,
});

const paths = [exchangeOptions.jwksPath, exchangeOptions.metadataPath];
const ask = (world: ExchangeWorld, uri: string, headers: HeaderList = [], method = 'GET'): AgentAnswer =>
  world.answer(world.event({ uri, headers, method }));

describe('the keys of the issuer', () => {
  it('are all published ones, each once', () => {
    const made = new ExchangeWorld();
    const keys = [made.signingKey('new'), made.publishedKey('old'), made.publishedKey('new')] as const;
    const { body, headers } = seen(ask(new ExchangeWorld({ keys }), '/token/jwks'));
    expect((body['keys'] as readonly { readonly kid: string }[]).map(({ kid }) => kid)).toEqual(['new', 'old']);
    expect(headers['content-type']).toEqual(['application/jwk-set+json']);
  });

  it('are empty if only a secret signs, and never contain the secret', () => {
    const made = new ExchangeWorld();
    const alone = new ExchangeWorld({ keys: [secretKey(made)] });
    expect(seen(ask(alone, '/token/jwks')).body).toEqual({ keys: [] });
    expect(seen(ask(alone, exchangeOptions.metadataPath)).body).not.toHaveProperty('jwks_uri');
    const beside = new ExchangeWorld({ keys: [secretKey(made), made.publishedKey('old')] });
    expect(seen(ask(beside, '/token/jwks')).body).toEqual({ keys: [made.publishedKey('old').publicJwk] });
    expect(seen(ask(beside, exchangeOptions.metadataPath)).body).toMatchObject({ jwks_uri: exchangeOptions.jwksUrl });
  });
});

describe('the metadata of the issuer', () => {
  it('names the keys and the token endpoint, as JSON', () => {
    const { body, headers } = seen(ask(new ExchangeWorld(), exchangeOptions.metadataPath));
    expect(headers['content-type']).toEqual(['application/json']);
    expect(body).toMatchObject({
      issuer: 'https://gateway.example',
      token_endpoint: 'https://gateway.example/token/exchange',
      jwks_uri: 'https://gateway.example/token/jwks',
      token_endpoint_auth_methods_supported: ['none'],
    });
  });
});

describe('the metadata of an issuer with clients', () => {
  const client = {
    id: 'desk',
    secrets: [],
    publicKeyFiles: [],
    subjectAudiences: ['desk'],
    allowedExchanges: exchangeOptions.allowedExchanges,
    allowedAudiences: [],
    allowedScopes: ['of-the-desk-alone'],
  };
  const bySecret = { ...client, secrets: [{ kind: 'plain', text: new Secret('the secret of the desk') } as const] };
  const byKey = { ...client, id: 'shop', publicKeyFiles: ['/shop.pem'] };

  it('lists authentication methods and names no client', () => {
    const metadataOf = (...clients: TokenExchangeOptions['clients'] & {}) => {
      const world = new ExchangeWorld({ options: { clients, allowedScopes: ['read', 'write'] } });
      return seen(ask(world, exchangeOptions.metadataPath)).body;
    };
    const methods = 'token_endpoint_auth_methods_supported';
    expect(metadataOf(bySecret)[methods]).toEqual(['client_secret_basic', 'client_secret_post']);
    expect(metadataOf(byKey)).toMatchObject({
      [methods]: ['private_key_jwt'],
      token_endpoint_auth_signing_alg_values_supported: ['ES256', 'RS256'],
    });
    const both = metadataOf(byKey, bySecret);
    expect(both[methods]).toEqual(['client_secret_basic', 'client_secret_post', 'private_key_jwt']);
    expect(both['scopes_supported']).toEqual(['read', 'write']);
    expect(JSON.stringify(both)).not.toMatch(/desk|shop/);
  });
});

describe.each(paths)('the document at %s', (path) => {
  it('can be cached for five minutes, and revalidated by its ETag', () => {
    const world = new ExchangeWorld();
    const { status, headers } = seen(ask(world, path));
    const [tag = ''] = headers['etag'] ?? [];
    expect(status).toBe(200);
    expect(headers['cache-control']).toEqual(['public, max-age=300']);
    expect(tag).toMatch(/^"[0-9a-f]{64}"$/);
    for (const known of [tag, `W/${tag}`, '*', `"other", ${tag}`, `"other",W/${tag} , "third"`]) {
      const unchanged = ask(world, path, ['if-none-match', known]);
      expect(unchanged.decision).toEqual({
        kind: 'block',
        status: 304,
        body: null,
        headers: ['Cache-Control', 'public, max-age=300', 'ETag', tag],
      });
    }
    for (const other of ['"other"', '', tag.slice(1, -1), `${tag.slice(0, -2)}"`]) {
      expect(seen(ask(world, path, ['if-none-match', other])).status).toBe(200);
    }
    expect(seen(ask(world, path, ['if-none-match', '"other"', 'if-none-match', tag])).status).toBe(304);
  });

  it('is served for GET and HEAD with any query, and for no other method', () => {
    const world = new ExchangeWorld();
    expect(ask(world, `${path}?subject_token=x`, [], 'HEAD')).toEqual(ask(world, path));
    for (const method of ['POST', 'PUT', 'OPTIONS', 'get']) {
      const { status, headers } = seen(ask(world, path, ['content-type', 'application/x-www-form-urlencoded'], method));
      expect(status).toBe(405);
      expect(headers['allow']).toEqual(['GET, HEAD']);
      expect(headers['cache-control']).toEqual(['no-store']);
    }
  });

  it('is not an exchange: no count and no rate limit', () => {
    const world = new ExchangeWorld({ options: { rateLimit: { requestsPerSecond: 1, burst: 1 } } });
    for (let count = 0; count < 5; count += 1) expect(seen(ask(world, path)).status).toBe(200);
    expect(world.results).toEqual([]);
    expect(world.logger.lines).toEqual([]);
  });
});

it('the ETag changes with the document', () => {
  const made = new ExchangeWorld();
  const tagOf = (world: ExchangeWorld) => seen(ask(world, '/token/jwks')).headers['etag'];
  expect(tagOf(new ExchangeWorld({ keys: [made.signingKey('two')] }))).not.toEqual(tagOf(made));
  expect(tagOf(new ExchangeWorld())).toEqual(tagOf(made));
});
