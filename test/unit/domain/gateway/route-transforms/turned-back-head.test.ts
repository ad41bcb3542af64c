import { describe, expect, it } from 'vitest';
import { re2PathPatterns } from '../../../../../src/adapters/outbound/re2-path-patterns/re2-path-patterns.js';
import type { HostHeader } from '../../../../../src/domain/gateway/configuration/gateway-configuration.js';
import { compileRewrite, type PathRewrite } from '../../../../../src/domain/gateway/route-transforms/path-rewrite.js';
import { turnedBackHead } from '../../../../../src/domain/gateway/route-transforms/turned-back-head.js';
import type { TurnedBackRequest } from '../../../../../src/domain/gateway/route-transforms/turned-back-reference.js';
import { upstreamAuthorities } from '../../../../../src/domain/gateway/route-transforms/upstream-authorities.js';

interface Case {
  readonly rewrite?: PathRewrite | null;
  readonly hostHeader?: HostHeader;
  readonly targets?: readonly {
    readonly address: { readonly host: string; readonly port: number } | { readonly path: string };
  }[];
  readonly request?: Partial<TurnedBackRequest>;
}

const stripped: PathRewrite = { kind: 'prefix', strip: '/api', add: '/v1' };

const turned = (
  name: string,
  value: string,
  { rewrite = stripped, hostHeader, targets, request }: Case = {},
): string => {
  const compiled = rewrite === null ? null : compileRewrite(rewrite, re2PathPatterns);
  const names = upstreamAuthorities({
    targets: targets ?? [{ address: { host: 'app.internal', port: 9000 } }],
    hostHeader: hostHeader ?? { kind: 'preserve' },
    tls: null,
  });
  const path = compiled?.ok === true ? compiled.value.turnBack : null;
  const head = turnedBackHead(
    [name, value],
    { path, names },
    {
      path: '/api/x',
      forwardedPath: '/v1/x',
      scheme: 'https',
      authority: 'shop.example',
      receivedAuthority: 'shop.example',
      ...request,
    },
  );
  return head[1] as string;
};

describe('turnedBackHead', () => {
  it.each([
    ['/v1/y?q=/v1#/v1', '/api/y?q=/v1#/v1'],
    ['/v1', '/api'],
    ['/v12', '/v12'],
    ['/other', '/other'],
    ['', ''],
    ['?q', '?q'],
    ['#f', '#f'],
    ['y', 'y'],
    ['../v1/y', '/api/y'],
    ['/v1/../other', '/other'],
    ['/v1/a/../b', '/api/b'],
    ['https://shop.example/v1/y', 'https://shop.example/api/y'],
    ['http://shop.example/v1/y', 'https://shop.example/api/y'],
    ['HTTP://SHOP.example:80/v1/', 'https://SHOP.example:80/api/'],
    ['http://app.internal:9000/v1/y', 'https://shop.example/api/y'],
    ['https://app.internal:9000/v1', 'https://shop.example/api'],
    ['http://shop.example:9000/v1/y/', 'https://shop.example/api/y/'],
    ['http://app.internal:9000', 'https://shop.example'],
    ['//app.internal:9000/v1/y', 'https://shop.example/api/y'],
    ['//shop.example/v1/y', '//shop.example/api/y'],
    ['http://app.internal/v1/y', 'http://app.internal/v1/y'],
    ['https://id.example/v1/y', 'https://id.example/v1/y'],
    ['https://shop.example.evil.test/v1/y', 'https://shop.example.evil.test/v1/y'],
    ['https://shop.example@evil.test/v1/y', 'https://shop.example@evil.test/v1/y'],
    ['http://app.internal:9000@evil.test/v1', 'http://app.internal:9000@evil.test/v1'],
    ['http://u@app.internal:9000/v1', 'http://u@app.internal:9000/v1'],
    ['mailto:a@app.internal', 'mailto:a@app.internal'],
    ['ftp://app.internal:9000/v1/y', 'ftp://app.internal:9000/v1/y'],
    ['///v1/y', '///v1/y'],
    ['http:/v1/y', 'http:/v1/y'],
    ['http:\\\\app.internal:9000\\v1', 'http:\\\\app.internal:9000\\v1'],
  ])('a Location %j becomes %j', (value, expected) => {
    expect(turned('Location', value)).toBe(expected);
    expect(turned('content-location', value)).toBe(expected);
  });

  it.each(['/v1//evil.test', '/v1/\\evil.test', '/v1///evil.test', '/v1//\\evil.test', '/v1/\t/evil.test'])(
    'a Location %j never becomes the name of a host',
    (value) => {
      expect(turned('Location', value, { rewrite: { kind: 'prefix', strip: null, add: '/v1' } })).toBe('/evil.test');
    },
  );

  it('a relative Location keeps its meaning where the client resolves it otherwise', () => {
    const rewrite: PathRewrite = { kind: 'prefix', strip: '/api', add: null };
    expect(turned('Location', 'y', { rewrite, request: { path: '/api', forwardedPath: '/' } })).toBe('/api/y');
    expect(turned('Location', 'y', { rewrite, request: { path: '/api/', forwardedPath: '/' } })).toBe('y');
  });

  it.each([
    [{ kind: 'target' }, 'http://app.internal:9000/y', 'https://shop.example/y'],
    [{ kind: 'fixed', host: 'App.Example' }, 'https://app.example/y', 'https://shop.example/y'],
    [{ kind: 'fixed', host: 'app.example' }, 'http://app.example:9000/y', 'https://shop.example/y'],
    [{ kind: 'fixed', host: 'app.example:81' }, 'http://app.example:81/y', 'https://shop.example/y'],
    [{ kind: 'fixed', host: 'app.example' }, 'http://app.example:81/y', 'http://app.example:81/y'],
    [{ kind: 'target' }, '/y', '/y'],
  ] as const)('with host-header %j and no rewrite %s becomes %s', (hostHeader, value, expected) => {
    expect(turned('Location', value, { rewrite: null, hostHeader })).toBe(expected);
  });

  it('knows the names of a unix socket, of an IPv6 address and of a target at the standard port', () => {
    const at = (address: { host: string; port: number } | { path: string }, value: string) =>
      turned('Location', value, { rewrite: null, targets: [{ address }] });
    expect(at({ path: '/run/app.sock' }, 'http://localhost/y')).toBe('https://shop.example/y');
    expect(at({ host: '::1', port: 9000 }, 'http://[::1]:9000/y')).toBe('https://shop.example/y');
    expect(at({ host: 'app.internal', port: 80 }, 'https://app.internal/y')).toBe('https://shop.example/y');
  });

  it('gives the path alone to a client without Host', () => {
    const request = { authority: null, receivedAuthority: null };
    expect(turned('Location', 'http://app.internal:9000/v1/y', { request })).toBe('/api/y');
    expect(turned('Location', 'http://app.internal:9000//evil.test', { rewrite: null, request })).toBe('/evil.test');
  });

  it.each([
    ['5; url=/v1/y', '5; url=/api/y'],
    ['0;URL="http://app.internal:9000/v1/y"', '0;URL="https://shop.example/api/y"'],
    ["3, url='/v1/y'", "3, url='/api/y'"],
    ['5;/v1/y', '5;/api/y'],
    ['5', '5'],
  ])('a Refresh %j becomes %j', (value, expected) => {
    expect(turned('Refresh', value)).toBe(expected);
  });

  it.each([
    ['a=1; Path=/v1; HttpOnly', 'a=1; Path=/api; HttpOnly'],
    ['a=1; Path=/v1/x', 'a=1; Path=/api/x'],
    ['a=1; path=/', 'a=1; path=/api'],
    ['a=1; Path=/other', 'a=1; Path=/other'],
    ['a=1', 'a=1'],
    ['a=/v1; Path=x', 'a=/v1; Path=x'],
    ['a=Path=/v1', 'a=Path=/v1'],
    ['a=1; Domain=app.internal', 'a=1; Domain=shop.example'],
    ['a=1; domain=.App.Internal; Path=/v1', 'a=1; domain=shop.example; Path=/api'],
    ['a=1; Domain=internal', 'a=1; Domain=internal'],
    ['__Host-a=1; Path=/; Secure', '__Host-a=1; Path=/; Secure'],
    ['__HOST-a=1; Path=/; Secure', '__HOST-a=1; Path=/; Secure'],
    ['__Secure-a=1; Path=/; Secure', '__Secure-a=1; Path=/api; Secure'],
  ])('a cookie %j becomes %j', (value, expected) => {
    expect(turned('Set-Cookie', value)).toBe(expected);
  });

  it('gives back the same list where no field changes', () => {
    const headers = ['Content-Type', 'text/plain', 'Location', 'https://id.example/'];
    const names = upstreamAuthorities({ targets: [], hostHeader: { kind: 'preserve' }, tls: null });
    const request = {
      path: '/',
      forwardedPath: '/',
      scheme: 'http',
      authority: null,
      receivedAuthority: null,
    } as const;
    expect(turnedBackHead(headers, { path: null, names }, request)).toBe(headers);
  });
});
