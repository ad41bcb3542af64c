import { describe, expect, it } from 'vitest';
import { configurationText, withListener, withUpstream } from '../../../../support/shared/configuration-text.js';
import { problemsOf, soundConfiguration } from '../../../../support/shared/decoded-configuration.js';

const plain = 'address "127.0.0.1:8080"';
const secure = `${plain}; protocol "https"; tls { cert-file "/c.pem"; key-file "/k.pem" }`;
const target = 'target "127.0.0.1:8081"';

const http2Of = (listener: string) => soundConfiguration(withListener(listener)).listeners[0]?.http2;
const upstreamOf = (body: string) => soundConfiguration(withUpstream(`${target}; ${body}`)).upstreams[0];

describe('http-engine', () => {
  it.each(['"core"', '"node"', '{ }'])('is refused as %s, with the remedy', (value) => {
    const problems = problemsOf(configurationText({ more: `system { http-engine ${value} }` })).join('\n');
    expect(problems).toContain('"http-engine" is no longer a key: the gateway has one HTTP engine');
    expect(problems).toContain('delete the line, or run gateway config migrate');
  });
});

describe('http2 of a listener', () => {
  it('is on with TLS and off without', () => {
    expect(http2Of(plain)).toBe(false);
    expect(http2Of(secure)).toBe(true);
    expect(http2Of(`${secure}; http2 #null`)).toBe(true);
  });

  it('is what was written', () => {
    expect(http2Of(`${plain}; http2 #true`)).toBe(true);
    expect(http2Of(`${plain}; http2`)).toBe(true);
    expect(http2Of(`${secure}; http2 #false`)).toBe(false);
  });

  it.each([
    [`${plain}; http2 "on"`, '"http2" must be #true or #false, not "on"'],
    [`${plain}; http2 "true"`, 'write #true'],
    [`${plain}; http2 2`, '"http2" must be #true or #false, not 2'],
    [`${plain}; http2 #true; http2 #false`, '"http2" is given twice'],
    [`${plain}; http-2 #true`, 'did you mean "http2"?'],
    [`${plain}; tls { http2 #true }`, 'unknown key "http2" in tls'],
  ])('is refused: %s', (listener, message) => {
    expect(problemsOf(withListener(listener)).join('\n')).toContain(message);
  });

  it('is not a key of the admin block', () => {
    const found = problemsOf(configurationText({ more: 'admin { http2 #true }' }));
    expect(found.join('\n')).toContain('unknown key "http2" in admin');
  });
});

describe('http-version of an upstream', () => {
  it.each([
    ['', '1.1'],
    ['http-version "1.1"', '1.1'],
    ['http-version 1.1', '1.1'],
    ['http-version "2"', '2'],
    ['http-version 2', '2'],
    ['http-version 2.0', '2'],
  ])('"%s" is %s', (body, version) => {
    expect(upstreamOf(body)?.httpVersion).toBe(version);
  });

  it.each([
    ['"2.0"', 'did you mean "2"?'],
    ['"h2c"', 'did you mean "2"?'],
    ['"HTTP/2"', 'did you mean "2"?'],
    ['"grpc"', 'did you mean "2"?'],
    ['"HTTP/1.1"', 'did you mean "1.1"?'],
    ['1', 'did you mean "1.1"?'],
    ['3', '"http-version" must be "1.1" or "2" or "auto"'],
    ['#true', '"http-version" must be "1.1" or "2" or "auto", not true'],
    ['"1.1" "2"', '"http-version" takes exactly one value'],
  ])('is refused as %s', (value, message) => {
    expect(problemsOf(withUpstream(`${target}; http-version ${value}`)).join('\n')).toContain(message);
  });

  it('applies to HTTP health checks, but to no others', () => {
    const probe = (version: string, type: string) =>
      upstreamOf(`http-version ${version}; health-check { type ${type} }`)?.healthCheck?.probe;
    expect(probe('1.1', '"http" { path "/up" }')).toMatchObject({ kind: 'http', path: '/up' });
    expect(probe('2', '"http" { path "/up" }')).toMatchObject({ kind: 'http2', path: '/up' });
    expect(probe('2', '"grpc"')).toEqual({ kind: 'grpc', service: '' });
    expect(probe('2', '"tcp"')).toEqual({ kind: 'tcp' });
  });
});
