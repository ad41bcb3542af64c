import { describe, expect, it } from 'vitest';
import {
  type CompressionDecision,
  type CompressionRules,
  decideCompression,
} from '../../../../../src/domain/gateway/route-transforms/compression-rules.js';

const rules: CompressionRules = {
  types: ['text/*', 'application/json', 'application/grpc'],
  minOctets: 1_000,
  encodings: ['br', 'gzip'],
};

interface Case {
  readonly method?: string;
  readonly httpVersion?: string;
  readonly request?: readonly string[];
  readonly status?: number;
  readonly headers?: readonly string[];
  readonly octets?: number | null;
  readonly rules?: Partial<CompressionRules>;
}

const decide = (given: Case): CompressionDecision => {
  const { method = 'GET', httpVersion = '1.1', request = [], status = 200, headers = [], octets = 5_000 } = given;
  return decideCompression(
    { ...rules, ...given.rules },
    { method, httpVersion, headers: ['Accept-Encoding', 'gzip', ...request] },
    { status, headers: ['Content-Type', 'application/json', ...headers] },
    octets,
  );
};

describe('a response is compressed', () => {
  it.each<[string, Case]>([
    ['with a listed type', {}],
    ['with an unknown length', { octets: null }],
    ['at the minimum', { octets: 1_000 }],
    ['with an error status', { status: 500 }],
    ['to a POST', { method: 'POST' }],
    ['with Content-Encoding identity', { headers: ['Content-Encoding', 'identity'] }],
    ['with other cache directives', { headers: ['Cache-Control', 'max-age=60, private="no-transform-me"'] }],
  ])('%s', (_, given) => {
    expect(decide(given)).toEqual({ kind: 'compress', coding: 'gzip' });
  });
});

describe('a response passes unchanged', () => {
  it.each<[string, Case]>([
    ['below the minimum', { octets: 999 }],
    ['without a body: 204', { status: 204 }],
    ['without a body: 205', { status: 205 }],
    ['as an interim response', { status: 103 }],
    ['as a part: 206', { status: 206 }],
    ['as a part: Content-Range', { headers: ['Content-Range', 'bytes */10'] }],
    ['as a part, in another spelling', { headers: ['content_range', 'bytes 0-9/10'] }],
    ['already coded', { headers: ['Content-Encoding', 'br'] }],
    ['already coded, in another spelling', { headers: ['Content_Encoding', 'gzip'] }],
    ['with an unknown coding', { headers: ['Content-Encoding', 'aes128gcm'] }],
    ['with no-transform', { headers: ['Cache-Control', 'public, No-Transform'] }],
    ['with no-transform in a second field', { headers: ['Cache-Control', 'public', 'cache-control', 'no-transform'] }],
    ['with Content-MD5', { headers: ['Content-MD5', 'x'] }],
    ['with Digest', { headers: ['Digest', 'x'] }],
    ['with Content-Digest', { headers: ['Content-Digest', 'x'] }],
    ['with Repr-Digest', { headers: ['Repr-Digest', 'x'] }],
    ['with a digest in its trailers', { headers: ['Trailer', 'X-Sum, Content-Digest'] }],
    ['to CONNECT', { method: 'CONNECT' }],
  ])('%s', (_, given) => {
    expect(decide(given)).toEqual({ kind: 'pass' });
  });

  it.each([
    'image/png',
    'application/jsonp',
    'text/event-stream',
    'Text/Event-Stream; charset=utf-8',
    'application/grpc',
    'application/grpc+proto',
    'application/grpc-web',
    'texts/plain',
    '',
  ])('with the type "%s"', (type) => {
    const response = { status: 200, headers: type === '' ? [] : ['content-type', type] };
    const request = { method: 'GET', httpVersion: '2.0', headers: ['accept-encoding', 'br'] };
    const any = type === '' || /stream|grpc/i.test(type) ? { ...rules, types: ['*/*'] } : rules;
    expect(decideCompression(any, request, response, null)).toEqual({ kind: 'pass' });
  });
});

describe('a response gets Vary alone', () => {
  it.each<[string, Case]>([
    ['for a client that accepts no coding', { request: ['Accept-Encoding', 'gzip;q=0'] }],
    ['for a client of HTTP/1.0', { httpVersion: '1.0' }],
    ['for a client that asks for no-transform', { request: ['Cache-Control', 'no-transform'] }],
    ['as a 304', { status: 304 }],
    [
      'as a 304 with the tag that the client has',
      { status: 304, headers: ['ETag', '"a"'], request: ['If-None-Match', '"a"'] },
    ],
    ['as a 304 with another tag', { status: 304, headers: ['ETag', '"a"'], request: ['If-None-Match', 'W/"b"'] }],
  ])('%s', (_, given) => {
    expect(decide(given)).toEqual({ kind: 'vary' });
  });
});

describe('the head alone is that of a compressed response', () => {
  it.each<[string, Case]>([
    ['for HEAD', { method: 'HEAD' }],
    [
      'for a 304 to a client that has the weak tag',
      { status: 304, headers: ['ETag', '"a"'], request: ['If-None-Match', 'W/"c,d", W/"a"'] },
    ],
  ])('%s', (_, given) => {
    expect(decide(given)).toEqual({ kind: 'head' });
  });

  it('not for HEAD of a short response', () => {
    expect(decide({ method: 'HEAD', octets: 10 })).toEqual({ kind: 'pass' });
  });
});

describe('media types', () => {
  it.each([
    [['text/*'], 'TEXT/HTML; charset=utf-8', true],
    [['*/*'], 'font/woff', true],
    [['application/json'], 'application/json;charset=utf-8', true],
    [['application/json'], 'application/json+x', false],
    [['text/*'], 'text', false],
  ])('%s and %s: %s', (types, type, matches) => {
    const request = { method: 'GET', httpVersion: '1.1', headers: ['accept-encoding', 'br'] };
    const decided = decideCompression(
      { ...rules, types },
      request,
      { status: 200, headers: ['Content-Type', type] },
      null,
    );
    expect(decided.kind === 'compress').toBe(matches);
  });
});
