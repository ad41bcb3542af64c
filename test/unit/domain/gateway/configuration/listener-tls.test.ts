import { describe, expect, it } from 'vitest';
import { decodeGatewayConfiguration } from '../../../../../src/domain/configuration/whole/decode-gateway-configuration.js';
import { plainTimeouts } from '../../../../support/gateway/plain-configurations.js';
import { settingsOf } from '../../../../support/shared/configuration-settings.js';
import { configurationText } from '../../../../support/shared/configuration-text.js';

const decode = (text: string) =>
  decodeGatewayConfiguration(settingsOf(text), {
    patternFault: () => null,
    lines: () => null,
    root: null,
    isComplete: true,
  });

const before = 'listeners { listener "x" { address "[::]:1"; ';
const room = 'limits { max-header-value-bytes 8192 }';
const withBody = (body: string): string => configurationText({ listeners: `${before}${body} } }`, more: room });

/** Each problem, prefixed with the text at its position. */
const told = (text: string): string[] =>
  decode(text).problems.map(({ severity, message, suggestion, position }) => {
    const line = position === null ? '' : (text.split('\n')[position.line - 1] ?? '');
    const there = /^[^ ;{}=]*/.exec(line.slice((position?.column ?? 0) - 1))?.[0];
    return `${there}: ${severity}: ${message}${suggestion === null ? '' : ` (${suggestion})`}`;
  });

const pair = 'cert-file "/c"; key-file "/k"';

const listenerOf = (body: string) => {
  const { configuration, problems } = decode(withBody(body));
  expect(problems).toEqual([]);
  return configuration?.listeners[0];
};

describe('a valid listener with TLS', () => {
  it('has the defaults filled in', () => {
    expect(listenerOf(`protocol "https"; tls { ${pair} }`)?.tls).toEqual({
      certificates: [{ certFile: '/c', keyFile: '/k' }],
      clientAuth: 'none',
      caCertFile: null,
      forwardClientCertHeader: null,
      minVersion: '1.2',
    });
  });

  it('has the configured values', () => {
    const body = `protocol "https"; trusted-proxies "10.0.0.0/8"; accept-client-cert-header "Client-Cert"; tls { ${pair}
      certificate { cert-file "/c2"; key-file "/k2" }
      certificate cert-file="/c3" key-file="/k3"
      client-auth "require"; ca-cert-file "/ca"; forward-client-cert-header "X-Client-Cert"; min-version "1.3" }`;
    expect(listenerOf(body)).toEqual({
      name: 'x',
      address: { host: '::', port: 1 },
      tls: {
        certificates: [
          { certFile: '/c', keyFile: '/k' },
          { certFile: '/c2', keyFile: '/k2' },
          { certFile: '/c3', keyFile: '/k3' },
        ],
        clientAuth: 'require',
        caCertFile: '/ca',
        forwardClientCertHeader: 'X-Client-Cert',
        minVersion: '1.3',
      },
      trustedProxies: ['10.0.0.0/8'],
      proxyProtocol: false,
      acceptClientCertHeader: 'Client-Cert',
      http2: true,
      timeouts: plainTimeouts,
    });
  });

  it('may have certificates only in blocks, and a version as a number', () => {
    const { certificates, minVersion } =
      listenerOf('protocol "https"; tls { certificate { cert-file "/c"; key-file "/k" }; min-version 1.3 }')?.tls ?? {};
    expect(certificates).toEqual([{ certFile: '/c', keyFile: '/k' }]);
    expect(minVersion).toBe('1.3');
  });

  it('may accept certificates of trusted proxies without TLS of its own', () => {
    const listener = listenerOf('trusted-proxies "10.0.0.1"; accept-client-cert-header "X-My-Cert"');
    expect(listener).toMatchObject({ tls: null, proxyProtocol: false, acceptClientCertHeader: 'X-My-Cert' });
  });
});

describe('an invalid listener with TLS', () => {
  it.each([
    [
      'protocol "https"',
      '"https": error: protocol "https" needs a block "tls" (write tls { cert-file "/etc/portcullis/cert.pem"; key-file "/etc/portcullis/key.pem" })',
    ],
    [`tls { ${pair} }`, 'tls: error: "tls" needs protocol "https" (write protocol "https")'],
    ['protocol "htps"', '"htps": error: "protocol" must be "http" or "https", not "htps" (did you mean "https"?)'],
    [
      'protocol "https"; tls { }',
      'tls: error: "tls" has no certificate (write cert-file "/etc/portcullis/cert.pem"; key-file "/etc/portcullis/key.pem")',
    ],
    [
      'protocol "https"; tls { cert-file "/c" }',
      '"/c": error: "cert-file" needs a "key-file" (write key-file "/etc/portcullis/key.pem")',
    ],
    [
      'protocol "https"; tls { key-file "/k" }',
      '"/k": error: "key-file" needs a "cert-file" (write cert-file "/etc/portcullis/cert.pem")',
    ],
    ['protocol "https"; tls { certificate { cert-file "/c" } }', 'certificate: error: "key-file" is missing'],
    [
      `protocol "https"; tls { ${pair}; certificate "/c" "/k" }`,
      [
        'certificate: error: "certificate" takes a block, not a value (write certificate { ... })',
        'certificate: error: "cert-file" is missing',
        'certificate: error: "key-file" is missing',
      ],
    ],
    [
      `protocol "https"; tls { ${pair}; cert-fil "/c" }`,
      'cert-fil: error: unknown key "cert-fil" in tls (did you mean "cert-file"?)',
    ],
    [
      `protocol "https"; tls { ${pair}; client-auth "required" }`,
      '"required": error: "client-auth" must be "none" or "request" or "require", not "required" (did you mean "require"?)',
    ],
    [
      `protocol "https"; tls { ${pair}; client-auth "request" }`,
      '"request": error: client-auth "request" needs a "ca-cert-file" (write ca-cert-file "/etc/portcullis/clients.pem", with the CAs of your clients)',
    ],
    [
      `protocol "https"; tls { ${pair}; ca-cert-file "/ca" }`,
      '"/ca": error: "ca-cert-file" has no effect without client-auth: the listener requests no client certificate (write client-auth "require", or "request")',
    ],
    [
      `protocol "https"; tls { ${pair}; client-auth "none"; forward-client-cert-header "X-Client-Cert" }`,
      '"X-Client-Cert": error: "forward-client-cert-header" has no effect without client-auth: the listener requests no client certificate (write client-auth "require", or "request")',
    ],
    [
      `protocol "https"; tls { ${pair}; min-version "1.1" }`,
      '"1.1": error: "min-version" must be "1.2" or "1.3", not "1.1" (did you mean "1.2"?)',
    ],
    [
      'accept-client-cert-header "X-Client-Cert"',
      '"X-Client-Cert": error: "accept-client-cert-header" needs "trusted-proxies": only they may send a certificate (write trusted-proxies "10.0.0.0/8", with the addresses of your proxies)',
    ],
    [
      `protocol "https"; trusted-proxies "10.0.0.1"; accept-client-cert-header "X_Client_Cert"
        tls { ${pair}; client-auth "require"; ca-cert-file "/ca"; forward-client-cert-header "x-client-cert" }`,
      '"X_Client_Cert": error: "accept-client-cert-header" and "forward-client-cert-header" cannot both be the header "X_Client_Cert" (use two different headers: otherwise a reader cannot tell who verified the certificate)',
    ],
  ])('is reported for %s', (body, problems) => {
    expect(told(withBody(body))).toEqual([problems].flat());
  });

  it.each([
    ['min-version "TLSv1.2"', '1.2'],
    ['min-version "tls1.2"', '1.2'],
    ['min-version "TLSv1_3"', '1.3'],
    ['min-version "TLS 1.3"', '1.3'],
    ['client-auth "optional"', 'request'],
    ['client-auth "verify_if_given"', 'request'],
    ['client-auth "required"', 'require'],
    ['client-auth "verify"', 'require'],
    ['client-auth "on"', 'require'],
    ['client-auth "off"', 'none'],
  ])('suggests the equivalent of %s', (setting, meant) => {
    const problems = told(withBody(`protocol "https"; tls { ${pair}; ${setting} }`));
    expect(problems[0]).toContain(`(did you mean "${meant}"?)`);
    expect(problems).toHaveLength(1);
  });

  it.each(['min-version "TLSv1.4"', 'min-version "SSLv3"', 'client-auth "constructor"'])(
    'is told nothing of the kind for %s, which is called nothing here',
    (setting) => {
      const [problem] = told(withBody(`protocol "https"; tls { ${pair}; ${setting} }`));
      expect(problem).toMatch(/ must be .*, not "[^"]*"$/);
    },
  );

  it.each([
    ['Host', 'belongs to message framing or to one connection'],
    ['Transfer-Encoding', 'belongs to message framing or to one connection'],
    ['Connection', 'belongs to message framing or to one connection'],
    ['content_length', 'belongs to message framing or to one connection'],
    ['Cookie', 'has a standard meaning'],
    ['Authorization', 'has a standard meaning'],
    ['X-Forwarded-For', 'has a standard meaning'],
    ['X-User-Id', 'is an identity header'],
    ['X-Client-Cert-DN', 'is an identity header'],
    ['Client-Cert-Chain', 'is an identity header'],
    ['X-Correlation-Id', 'has a standard meaning'],
  ])('is reported for the header %s', (name, why) => {
    const forward = `protocol "https"; tls { ${pair}; client-auth "require"; ca-cert-file "/ca"; forward-client-cert-header "${name}" }`;
    expect(told(withBody(forward))).toEqual([
      `"${name}": error: "forward-client-cert-header": the header ${name} ${why}: use another header`,
    ]);
    expect(told(withBody(`trusted-proxies "10.0.0.1"; accept-client-cert-header "${name}"`))).toEqual([
      `"${name}": error: "accept-client-cert-header": the header ${name} ${why}: use another header`,
    ]);
  });

  it('is reported for an invalid header name', () => {
    expect(told(withBody('trusted-proxies "10.0.0.1"; accept-client-cert-header "a b"'))).toEqual([
      '"a: error: "accept-client-cert-header" must be a header name, not "a b"',
    ]);
  });

  it.each(['cert-file', 'key-file', 'ca-cert-file'])('never shows a value in place of the path of %s', (key) => {
    const pem = '-----BEGIN PRIVATE KEY-----\\nMIISECRET\\n-----END PRIVATE KEY-----';
    const text = withBody(
      `protocol "https"; tls { ${pair.replace(`${key} `, 'min-version "1.2" //')}\n ${key} "${pem}" }`,
    );
    const problems = told(text);
    expect(problems.join('\n')).toContain(`"${key}" must be the path of a file, not its content`);
    expect(problems.join('\n')).not.toContain('SECRET');
  });
});

describe('certificate headers in the whole configuration', () => {
  const forwarding = (name: string): string =>
    `${before}protocol "https"; tls { ${pair}; client-auth "require"; ca-cert-file "/ca"; forward-client-cert-header "${name}" } } }`;
  const mtls = (more = '', transport = 'transport "embedded"') =>
    `agents { agent "auth" { ${transport}; config { mtls { enabled #true; ca-cert-path "/ca"; ${more} } } } }`;

  it.each([
    [configurationText({ listeners: forwarding('X-Client-Cert'), agents: mtls() })],
    [configurationText({ listeners: forwarding('x-client-cert'), agents: mtls('', 'socket "/s"') })],
    [configurationText({ listeners: forwarding('X-Mine'), agents: mtls('client-cert-header "X-MINE"') })],
    [
      configurationText({
        listeners: `${before}trusted-proxies "10.0.0.1"; accept-client-cert-header "Client-Cert" } }`,
        agents: mtls('client-cert-header "Client-Cert"'),
        more: room,
      }),
    ],
    [configurationText({ listeners: forwarding('X-Client-Cert') })],
  ])('are fine where whoever reads one gets it, and where nobody reads it', (text) => {
    expect(told(text)).toEqual([]);
  });

  it('cause a warning if no listener has the header of an agent', () => {
    expect(told(configurationText({ agents: mtls() }))).toEqual([
      'mtls: warning: agent "auth" never receives a client certificate: no listener sends them in X-Client-Cert (write forward-client-cert-header "X-Client-Cert" in the tls block of a listener)',
    ]);
    const misspelt = mtls('client-cert-header "X-Client-Crt"', 'socket "/s"');
    expect(told(configurationText({ listeners: forwarding('X-Client-Cert'), agents: misspelt }))).toEqual([
      'client-cert-header: warning: agent "auth" never receives a client certificate: no listener sends them in X-Client-Crt (did you mean "X-Client-Cert"?)',
    ]);
  });

  it.each([
    ['', '4096'],
    ['limits { max-header-value-bytes 8191 }', '8191'],
  ])('are warned about where a proxy brings one and the limits refuse most: %s', (more, shown) => {
    const listeners = `${before}trusted-proxies "10.0.0.1"; accept-client-cert-header "X-Mine" } }`;
    expect(told(configurationText({ listeners, more }))).toEqual([
      `"X-Mine": warning: listener "x" accepts certificates in a header, but "max-header-value-bytes" is ${shown}: the gateway refuses requests with longer certificates, which are common (write limits { max-header-value-bytes 16384; max-header-size-bytes 32768 })`,
    ]);
    expect(told(configurationText({ listeners, more: room }))).toEqual([]);
    expect(told(configurationText({ listeners: forwarding('X-Mine'), more }))).toEqual([]);
  });

  it('are not needed by an agent without enabled mtls', () => {
    const agents = 'agents { agent "auth" { socket "/s"; config { mtls { enabled #false }; api-keys "k:a" } } }';
    expect(told(configurationText({ agents })).join()).not.toContain('never gets to see');
  });

  it('cause a warning if one is the API key header', () => {
    const agents =
      'agents { agent "auth" { transport "embedded"; config { api-keys "k:a"; api-key-header "X-Mine" } } }';
    expect(told(configurationText({ listeners: forwarding('X-Mine'), agents }))).toEqual([
      '"X-Mine": warning: "api-key-header" is the certificate header of listener "x", so it can never carry a key',
    ]);
  });

  it('cause a warning at the key if one is a token header', () => {
    const provider = 'oidc { enabled #true; issuer "https://id.example"; audience "api"; token-header "X-Mine" }';
    const agents = `agents { agent "auth" { transport "embedded"; config { ${provider} } } }`;
    expect(told(configurationText({ listeners: forwarding('X-Mine'), agents }))).toEqual([
      '"X-Mine": warning: "token-header" is the certificate header of listener "x", so it can never carry a token',
    ]);
  });

  it('cannot be matched by a route', () => {
    const routes = 'routes { route "r" { matches { header "x_mine" }; upstream "echo"; agents "auth" } }';
    expect(told(configurationText({ listeners: forwarding('X-Mine'), routes }))).toEqual([
      'header: error: route "r" can never match: it needs the certificate header of listener "x", which the gateway removes',
    ]);
  });
});
