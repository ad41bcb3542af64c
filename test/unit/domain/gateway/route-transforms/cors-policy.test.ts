import { describe, expect, it } from 'vitest';
import {
  type CorsPolicy,
  CorsResponder,
  preflightHeaderNames,
  preflightMethod,
} from '../../../../../src/domain/gateway/route-transforms/cors-policy.js';

const policy: CorsPolicy = {
  allowOrigins: ['https://app.example.com'],
  allowMethods: ['GET', 'PUT'],
  allowHeaders: ['Authorization', 'Content-Type'],
  exposeHeaders: ['X-Correlation-Id', 'Retry-After'],
  allowCredentials: false,
  maxAgeSecs: 600,
};
const responder = (changes: Partial<CorsPolicy> = {}): CorsResponder => new CorsResponder({ ...policy, ...changes });

const listed = ['Origin', 'https://app.example.com'];
const allow = ['Access-Control-Allow-Origin', 'https://app.example.com'];
const expose = ['Access-Control-Expose-Headers', 'X-Correlation-Id, Retry-After'];
const vary = ['Vary', 'Origin'];

describe('the CORS fields of a response', () => {
  it('name a listed origin and the exposed headers', () => {
    expect(responder().withFields(['A', 'b'], listed, true)).toEqual(['A', 'b', ...vary, ...allow, ...expose]);
    expect(responder({ exposeHeaders: [] }).withFields([], listed, true)).toEqual([...vary, ...allow]);
  });

  it('allow credentials only if the policy does', () => {
    const credentials = ['Access-Control-Allow-Credentials', 'true'];
    const head = responder({ allowCredentials: true }).withFields([], listed, true);
    expect(head).toEqual([...vary, ...allow, ...credentials, ...expose]);
  });

  it.each([
    ['no Origin', []],
    ['an unlisted Origin', ['Origin', 'https://evil.test']],
    ['Origin twice', [...listed, ...listed]],
    ['two values of Origin', ['Origin', 'https://app.example.com https://app.example.com']],
    ['Origin beside an unlisted one', [...listed, 'origin', 'https://evil.test']],
  ])('are absent beside Vary for a request with %s', (_, request) => {
    expect(responder().withFields([], request, true)).toEqual(vary);
    expect(responder({ allowOrigins: ['*'] }).withFields([], request, true)).toEqual(
      request.length === 2 && request[1] === 'https://evil.test'
        ? [...vary, 'Access-Control-Allow-Origin', '*', ...expose]
        : vary,
    );
  });

  it('replace those of the upstream, in any case', () => {
    const foreign = ['access-control-allow-origin', '*', 'ACCESS-CONTROL-ALLOW-PRIVATE-NETWORK', 'true', 'A', 'b'];
    expect(responder().withFields(foreign, [], true)).toEqual(['A', 'b', ...vary]);
    expect(responder().withFields(foreign, listed, true)).toEqual(['A', 'b', ...vary, ...allow, ...expose]);
  });

  it('leave the fields of an agent that publishes a document', () => {
    const published = ['Access-Control-Allow-Origin', '*'];
    expect(responder().withFields(published, listed, false)).toEqual([...published, ...vary]);
  });
});

const preflight = (method: string, ...headers: readonly string[]): readonly string[] => [
  ...listed,
  'Access-Control-Request-Method',
  method,
  ...headers.flatMap((value) => ['Access-Control-Request-Headers', value]),
];

describe('the response to a preflight', () => {
  const allowed = [
    ...vary,
    ...allow,
    ...['Access-Control-Allow-Methods', 'GET, PUT', 'Access-Control-Allow-Headers', 'Authorization, Content-Type'],
    ...['Access-Control-Max-Age', '600'],
  ];

  it.each([
    [preflight('PUT')],
    [preflight('GET', 'authorization,content-type')],
    [preflight('GET', 'AUTHORIZATION', ' content-type ,')],
  ])('lists what is allowed: %j', (request) => {
    expect(responder().withPreflightFields([], request)).toEqual(allowed);
  });

  it.each([
    ['an unlisted method', preflight('DELETE')],
    ['a method in lower case', preflight('put')],
    ['an unlisted header', preflight('PUT', 'authorization, x-other')],
    ['a method twice', [...preflight('PUT'), 'Access-Control-Request-Method', 'PUT']],
    ['an unlisted origin', preflight('PUT').with(1, 'https://evil.test')],
  ])('has nothing but Vary for %s', (_, request) => {
    expect(responder().withPreflightFields([], request)).toEqual(vary);
  });

  it('never allows access to private networks', () => {
    const request = [...preflight('PUT'), 'Access-Control-Request-Private-Network', 'true'];
    expect(responder().withPreflightFields([], request)).toEqual(allowed);
  });

  it('has no list of headers if none is allowed', () => {
    const head = responder({ allowHeaders: [], maxAgeSecs: 0 }).withPreflightFields([], preflight('PUT'));
    expect(head).not.toContain('Access-Control-Allow-Headers');
    expect(head.slice(-2)).toEqual(['Access-Control-Max-Age', '0']);
  });
});

describe('a preflight', () => {
  it('is OPTIONS with Origin and Access-Control-Request-Method', () => {
    expect(preflightMethod('OPTIONS', preflight('PUT'))).toBe('PUT');
    expect(preflightMethod('GET', preflight('PUT'))).toBeNull();
    expect(preflightMethod('OPTIONS', listed)).toBeNull();
    expect(preflightMethod('OPTIONS', ['Access-Control-Request-Method', 'PUT'])).toBeNull();
  });

  it('names headers in lower case', () => {
    expect(preflightHeaderNames(preflight('PUT', 'X-A, x-b', 'X-C'))).toEqual(['x-a', 'x-b', 'x-c']);
    expect(preflightHeaderNames(preflight('PUT'))).toEqual([]);
  });
});
