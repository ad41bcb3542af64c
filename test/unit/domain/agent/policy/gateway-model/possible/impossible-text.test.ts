import { describe, expect, it } from 'vitest';
import { modelFindings, whenFindings as when } from '../../../../../../support/agent/model-findings.js';

describe('a value that no request contains', () => {
  it.each([
    ['context.method == "get"', '"get"', 'no request has the method "get"', 'did you mean "GET"?'],
    ['"READ" == context.method', '"READ"', 'no request has the method "READ"', 'did you mean "GET"?'],
    [
      'context.method != "frobnicate"',
      '"frobnicate"',
      expect.any(String),
      'write an HTTP method in capitals, such as "GET"',
    ],
    ['["GET", "post"].contains(context.method)', '"post"', 'no request has the method "post"', 'did you mean "POST"?'],
    ['[context.method].contains("post")', '"post"', 'no request has the method "post"', 'did you mean "POST"?'],
    [
      'context.method like "get"',
      'context.method like "get"',
      'no request has the method "get"',
      'did you mean "GET"?',
    ],
    [
      'context.auth_method == "apikey"',
      '"apikey"',
      'there is no authentication method "apikey"',
      'did you mean "api_key"?',
    ],
    ['context.auth_method == "JWT"', '"JWT"', 'there is no authentication method "JWT"', 'did you mean "jwt"?'],
    [
      'context.auth_method == "kerberos"',
      '"kerberos"',
      expect.any(String),
      'it is mtls, saml, oidc, jwt, api_key, basic or none',
    ],
    [
      'resource.path == "reports"',
      '"reports"',
      'resource.path is a normalised path without the query; this is not one',
      'did you mean "/reports"?',
    ],
    [
      'resource.path == "//a"',
      '"//a"',
      'resource.path is a normalised path without the query; this is not one',
      'did you mean "/a"?',
    ],
    [
      'resource.path == "/a?b=1"',
      '"/a?b=1"',
      'resource.path is a normalised path without the query; this is not one',
      'write it as a client sends it, such as "/reports/2024"; resource.query has the query',
    ],
    [
      'resource.path == ""',
      '""',
      'resource.path is a normalised path without the query; this is not one',
      'did you mean "/"?',
    ],
    [
      'resource.path == "/a/*"',
      '"/a/*"',
      'resource.path is one path; a "*" in it is literal, not a pattern',
      'did you mean resource.path like "/a/*"?',
    ],
    [
      'resource == Resource::"/a/*"',
      'Resource::"/a/*"',
      'a resource is one path; a "*" in it is literal, not a pattern',
      'did you mean resource.path like "/a/*"?',
    ],
    [
      'resource == Resource::"/a/**/b"',
      'Resource::"/a/**/b"',
      expect.any(String),
      'did you mean resource.path like "/a/*/b"?',
    ],
    [
      'resource.path like "reports"',
      'resource.path like "reports"',
      'resource.path is a normalised path without the query; this is not one',
      'did you mean "/reports"?',
    ],
    [
      'resource.path like "reports/*"',
      'resource.path like "reports/*"',
      'resource.path is a normalised path without the query; this matches none',
      'did you mean "/reports/*"? A path begins with "/"',
    ],
    [
      'resource.path like "/a?b=*"',
      'resource.path like "/a?b=*"',
      'resource.path is a normalised path without the query; this matches none',
      'write it as a client sends it, such as "/reports/2024"; resource.query has the query',
    ],
    [
      'resource.path like "*?b=*"',
      'resource.path like "*?b=*"',
      'resource.path is a normalised path without the query; this matches none',
      'write it as a client sends it, such as "/reports/2024"; resource.query has the query',
    ],
    [
      'resource.path like "/a//*"',
      'resource.path like "/a//*"',
      'resource.path is a normalised path without the query; this matches none',
      'write it as a client sends it, such as "/reports/2024"; resource.query has the query',
    ],
    [
      'resource.path like "/caf%c3*"',
      'resource.path like "/caf%c3*"',
      'resource.path is a normalised path without the query; this matches none',
      'write it as a client sends it, such as "/reports/2024"; resource.query has the query',
    ],
    [
      'resource.path.startsWith("reports/")',
      '"reports/"',
      'resource.path is a normalised path without the query; this matches none',
      'did you mean "/reports/*"? A path begins with "/"',
    ],
    [
      'resource.path.endsWith("?x")',
      '"?x"',
      'resource.path is a normalised path without the query; this matches none',
      'write it as a client sends it, such as "/reports/2024"; resource.query has the query',
    ],
    [
      'resource.host == "example.com:8080"',
      '"example.com:8080"',
      'resource.host is a lower-case host without scheme, port and path; this is not one',
      'did you mean "example.com"?',
    ],
    [
      'resource.host == "Example.com"',
      '"Example.com"',
      'resource.host is a lower-case host without scheme, port and path; this is not one',
      'did you mean "example.com"?',
    ],
    [
      'resource.host == "https://example.com"',
      '"https://example.com"',
      'resource.host is a lower-case host without scheme, port and path; this is not one',
      'write it as in "api.example.com"',
    ],
    [
      'resource.host like "*.Example.com"',
      'resource.host like "*.Example.com"',
      'resource.host is a lower-case host without scheme, port and path; this is not one',
      'write it as in "api.example.com"',
    ],
    [
      'resource.host like "*.example.com:8080"',
      'resource.host like "*.example.com:8080"',
      'resource.host is a lower-case host without scheme, port and path; this is not one',
      'write it as in "api.example.com"',
    ],
    [
      'context.client_ip == ip("10.0.0.0/8")',
      'ip("10.0.0.0/8")',
      'context.client_ip is a single address, but this is a range',
      'use context.client_ip.isInRange(..)',
    ],
  ])('is reported: %s', (condition, at, message, suggestion) => {
    expect(when(condition)).toEqual([{ at, message, suggestion }]);
  });

  it.each([
    // The query of `/x??a=1`.
    'resource.query == "?a=1"',
    'resource.query like "?a=*"',
    // The path of `OPTIONS *`.
    'resource.path.startsWith("*")',
    'resource.path like "\\**"',
    // All elements of a set without any.
    '[context.roles].containsAll(principal.roles)',
  ])('is not reported if it is possible: %s', (condition) => {
    expect(when(condition)).toEqual([]);
  });

  it('is reported in a scope', () => {
    const found = modelFindings('permit(principal, action, resource == Resource::"/a/*");');
    expect(found.map(({ at, suggestion }) => [at, suggestion])).toEqual([
      ['resource == Resource::"/a/*"', 'did you mean resource.path like "/a/*"?'],
    ]);
  });
});
