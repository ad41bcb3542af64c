import { last, post, refused, smuggled, sources, type Trick } from './trick.js';

const get = (name: string, target: string, source: string, fields = 'Host: a\r\n'): Trick =>
  refused(name, source, `GET ${target} HTTP/1.1\r\n${fields}Connection: close\r\n\r\n${smuggled}`);

const long = 'x'.repeat(120_000);

/** Hosts, targets, upgrades, expectations, and what comes behind them. */
export const targetTricks: readonly Trick[] = [
  {
    name: 'absolute-form with another Host, which counts for nothing',
    source: 'RFC 9112, section 3.2.2',
    octets: 'GET http://b/first HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    statuses: [200],
    out: ['/first'],
    host: 'b',
  },
  get('absolute-form with user information', 'http://a@b/first', sources.targets),
  get('authority-form without CONNECT', 'a:80', sources.targets),
  get('asterisk-form with GET', '*', sources.targets),
  get('a target without a slash', 'first', sources.targets),
  get('a fragment', '/first#x', sources.targets),
  get('%00 in the path', '/first%00', 'RFC 3986, section 7.3'),
  get('%2f in the path', '/a%2ffirst', 'RFC 3986, section 7.3'),
  get('a percent-encoding that is none', '/first%zz', 'RFC 3986, section 2.1'),
  get('two Hosts', '/first', sources.targets, 'Host: a\r\nHost: b\r\n'),
  get('two Hosts that are the same', '/first', sources.targets, 'Host: a\r\nHost: a\r\n'),
  get('a Host behind a space', '/first', sources.targets, 'Host: a\r\n Host: b\r\n'),
  get('a Host that is a list', '/first', sources.targets, 'Host: a, b\r\n'),
  get('a Host with a path', '/first', sources.targets, 'Host: a/b\r\n'),
  get('no Host', '/first', sources.targets, ''),
  get('an empty Host', '/first', sources.targets, 'Host:\r\n'),
  {
    ...refused('CONNECT', sources.targets, `CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n${smuggled}`),
    statuses: [501],
  },
  {
    ...refused('TRACE', sources.targets, `TRACE / HTTP/1.1\r\nHost: a\r\n\r\n${smuggled}`),
    statuses: [501],
  },
  {
    name: '%0d%0a in the path',
    source: 'CVE-2023-25690',
    octets:
      'GET /%20HTTP/1.1%0d%0aHost:%20b%0d%0a%0d%0aGET%20/smuggled HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    statuses: [200],
    out: ['/%20HTTP/1.1%0D%0AHost:%20b%0D%0A%0D%0AGET%20/smuggled'],
  },
  {
    name: '%0d%0a in the query',
    source: 'CVE-2023-25690',
    octets: 'GET /first?%0d%0aX:%20y HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    statuses: [200],
    out: ['/first?%0d%0aX:%20y'],
  },
  {
    name: 'a preface of HTTP/2',
    source: 'RFC 9113, section 3.4',
    octets: `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${smuggled}`,
    statuses: [400],
    out: [],
  },
  {
    name: 'an upgrade to h2c, and a request behind it',
    source: 'Bishop Fox, h2c Smuggling (2020)',
    octets: `GET /first HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n${last}`,
    statuses: [200, 200],
    out: ['/first', '/last'],
  },
  {
    name: 'an upgrade of a request with a body',
    source: 'RFC 9110, section 7.8',
    octets: post(['Connection: Upgrade', 'Upgrade: x', 'Content-Length: 5'], `hello${last}`),
    statuses: [200, 200],
    out: ['/first', '/last'],
  },
  {
    name: 'an expectation of a request without a body',
    source: sources.mustDie,
    octets: `GET /first HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n${last}`,
    statuses: [200, 200],
    out: ['/first', '/last'],
  },
  {
    name: 'an expectation, and the body without waiting',
    source: sources.mustDie,
    octets: post(['Expect: 100-continue', 'Content-Length: 5'], `hello${last}`),
    statuses: [200, 200],
    out: ['/first', '/last'],
  },
  {
    name: 'an expectation that is none',
    source: sources.mustDie,
    octets: post(['Expect: y 100-continue', `Content-Length: ${smuggled.length}`, 'Connection: close'], smuggled),
    statuses: [417],
    out: [],
  },
  ...[
    ['100-continue', 'y'],
    ['y', '100-continue'],
  ].map((values) => ({
    name: `the expectations ${values.join(' and ')}`,
    source: sources.mustDie,
    octets: post(
      [...values.map((value) => `Expect: ${value}`), `Content-Length: ${smuggled.length}`, 'Connection: close'],
      smuggled,
    ),
    statuses: [417],
    out: [],
  })),
  {
    name: 'a folded expectation',
    source: sources.mustDie,
    octets: post(['Expect:\r\n 100-continue', `Content-Length: ${smuggled.length}`], smuggled),
    statuses: [400],
    out: [],
  },
  {
    name: 'HTTP/1.0 that stays, with a request behind it',
    source: sources.versions,
    octets: `GET /first HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n${last}`,
    statuses: [200, 200],
    out: ['/first', '/last'],
  },
  {
    name: 'HTTP/1.0 with a request behind it',
    source: sources.versions,
    octets: `GET /first HTTP/1.0\r\nHost: a\r\n\r\n${smuggled}`,
    statuses: [200],
    out: ['/first'],
  },
  {
    name: 'a request behind one that closes',
    source: 'RFC 9112, section 9.6',
    octets: `${last}${smuggled}`,
    statuses: [200],
    out: ['/last'],
  },
  {
    name: 'a target of 120,000 octets',
    source: sources.targets,
    octets: `GET /${long} HTTP/1.1\r\nHost: a\r\n\r\n`,
    statuses: [414],
    out: [],
  },
  {
    name: 'a field of 120,000 octets',
    source: sources.fields,
    octets: `GET / HTTP/1.1\r\nHost: a\r\nX: ${long}\r\n\r\n`,
    statuses: [431],
    out: [],
  },
  {
    name: 'a field name of 120,000 octets',
    source: 'CVE-2021-40346',
    octets: `GET / HTTP/1.1\r\nHost: a\r\n${long}: y\r\n\r\n`,
    statuses: [431],
    out: [],
  },
  {
    name: 'a thousand fields',
    source: sources.fields,
    octets: `GET / HTTP/1.1\r\nHost: a\r\n${'X: y\r\n'.repeat(1_000)}Connection: close\r\n\r\n`,
    statuses: [431],
    out: [],
  },
  {
    name: 'a method of 120,000 octets',
    source: sources.tReqs,
    octets: `${long} / HTTP/1.1\r\nHost: a\r\n\r\n`,
    statuses: [501],
    out: [],
  },
];
