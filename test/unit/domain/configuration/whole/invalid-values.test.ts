import { describe, expect, it } from 'vitest';
import {
  configurationText,
  withAgent,
  withConfig,
  withListener,
  withRoute,
  withUpstream,
} from '../../../../support/shared/configuration-text.js';
import {
  decodedText,
  expectRefusedConfiguration,
  problemsOf,
} from '../../../../support/shared/decoded-configuration.js';

const matches = 'matches { path "/" }';

describe('an invalid configuration', () => {
  it.each([
    // Values.
    [
      'a number as text',
      withUpstream('target "a:1"; timeouts { connect-secs "5" }'),
      '"connect-secs" must be an integer from 1 to 3600, not "5"',
    ],
    [
      'a fraction',
      withUpstream('target "a:1"; timeouts { connect-secs 1.5 }'),
      'must be an integer from 1 to 3600, not 1.5',
    ],
    ['a negative number', withUpstream('target "a:1"; timeouts { read-secs -1 }'), 'must be an integer from 1'],
    [
      'text as a number',
      withRoute(`${matches}; upstream 5`),
      '"upstream" must be a string, not 5 (write it in quotes: "5")',
    ],
    [
      'a size that is none',
      withRoute(`${matches}; upstream "echo"; policies { max-body-size "10 megs" }`),
      'must be a size',
    ],
    [
      'a size beyond what can be counted',
      withRoute(`${matches}; upstream "echo"; policies { max-body-size "9999999999GB" }`),
      'must be a size from 0 to',
    ],
    ['an address with a scheme', withUpstream('target "http://a:1/x"'), '(write "a:1", without the path)'],
    ['an address with a scheme and no port', withUpstream('target "http://a"'), '(write "a:80")'],
    ['a user before an address', withUpstream('target "http://u:pw@a"'), '(write "a:80")'],
    [
      'an address of an upstream with https://',
      withUpstream('target "https://api.example"'),
      '(write "api.example:443", and a block tls in the upstream)',
    ],
    [
      'a listener with https://',
      withListener('address "https://0.0.0.0"'),
      '(write "0.0.0.0:443", and protocol "https" on a listener)',
    ],
    ['a variable of a shell', withUpstream(`target "\${TARGET}"`), '(write (env)"TARGET", without quotes around'],
    ['a variable of Caddy', withUpstream('target "{$TARGET:a:1}"'), '(write (env)"TARGET", without quotes around'],
    ['a reference in quotes', withUpstream('target "(env)TARGET"'), '(write (env)"TARGET", without quotes around'],
    ['a file in quotes', withConfig('api-keys "(file)/run/keys"'), '(write (file)"/run/keys", without quotes around'],
    [
      'a variable in a secret',
      withConfig(`api-keys "\${KEY}:alice"`),
      'contains a variable: text is literal (write (env)"KEY", without quotes around it, and set the variable to the whole value)',
    ],
    ['a word that begins as a variable', withConfig('api-keys "env:prod"; fail-open 5'), 'must be #true or #false'],
    ['a variable in a number', withUpstream(`target "a:1"; dns-refresh-secs "\${X}"`), '(write (env)"X")'],
    [
      'a key set URL as a public key',
      withConfig('jwt-public-key "https://idp.example/jwks"; jwt-algorithm "RS256"'),
      'must be the path of a PEM file, not a URL (write oidc {',
    ],
    [
      'a key set as a public key',
      withConfig('jwt-public-key "{\\"keys\\":[]}"; jwt-algorithm "RS256"'),
      'must be the path of a PEM file, not a key set or a key in JSON (write oidc {',
    ],
    ['an address without port', withListener('address "127.0.0.1"'), 'add a port'],
    ['an address of a port alone', withListener('address ":8080"'), 'write the address: "0.0.0.0:8080"'],
    ['a port out of range', withListener('address "127.0.0.1:65536"'), 'must be host:port'],
    ['an octet out of range', withListener('address "127.0.0.256:80"'), 'must be host:port'],
    ['an octal octet', withListener('address "127.0.0.01:80"'), 'must be host:port'],
    ['a target that is read as another', withUpstream('target "foo.1:80"'), 'a name cannot end in a number'],
    [
      'a match on a header that agents set',
      withRoute('matches { header "X-Auth-Claim-Role" "admin" }; upstream "echo"'),
      'cannot match X-Auth-Claim-Role',
    ],
    ['a target on port 0', withUpstream('target "127.0.0.1:0"'), 'must have a port other than 0'],
    [
      'a CIDR block that is none',
      withListener('address "127.0.0.1:1"; trusted-proxies "10.0.0.0/33"'),
      'must be a CIDR block',
    ],
    ['a value given twice', withListener('address "127.0.0.1:1"; address "127.0.0.1:2"'), '"address" is given twice'],
    ['two values for one', withListener('address "127.0.0.1:1" "127.0.0.1:2"'), '"address" takes exactly one value'],
    ['a block for a value', withListener('address "127.0.0.1:1" { x 1 }'), '"address" takes a value, not a block'],
    ['a value for a block', withRoute('matches "x"; upstream "echo"'), '"matches" takes a block, not a value'],
    ['a list without values', withRoute(`${matches}; upstream "echo"; agents`), '"agents" needs at least one value'],
    ['a block twice', configurationText({ more: 'limits { }; limits { }' }), '"limits" is given twice'],
    ['an empty string', withRoute(`${matches}; upstream ""`), '"upstream" must not be empty'],
    // Unknown and old keys.
    [
      'an unknown key',
      withListener('adress "127.0.0.1:1"; address "127.0.0.1:1"'),
      'unknown key "adress" in listener "http" (did you mean "address"?)',
    ],
    [
      'an unknown block',
      configurationText({ more: 'upstrems { }' }),
      'unknown key "upstrems" (did you mean "upstreams"?)',
    ],
    [
      'an unknown key of JavaScript',
      configurationText({ more: 'toString 1; hasOwnProperty 2' }),
      'unknown key "toString"',
    ],
    ['workers without end', configurationText({ more: 'system { worker-threads 257 }' }), 'from 0 to 256, not 257'],
    ['half a worker', configurationText({ more: 'system { worker-threads 1.5 }' }), 'from 0 to 256, not 1.5'],
    [
      'a delay without end',
      configurationText({ more: 'system { shutdown-delay-secs 601 }' }),
      'from 0 to 600, not 601',
    ],
    [
      'server',
      configurationText({ more: 'server { worker-threads 1 }' }),
      '"server" is no longer a key: use `system` (write system { ... }; for a server of nginx, write a listener and routes)',
    ],
    [
      'the old upstream timeout',
      withUpstream('target "a:1"; timeout-secs 5'),
      '(write timeouts { connect-secs 10; request-secs 60 })',
    ],
    ['a flat route', configurationText({ more: 'route "x" { }' }), 'it belongs in `routes`'],
    // Agents.
    [
      'two ways to an agent',
      withAgent('socket "/a"; transport "embedded"'),
      '"socket" and "transport" cannot both be given',
    ],
    [
      'an owner of no socket',
      withAgent('transport "embedded"; socket-owner "x"'),
      '"socket-owner" has no effect on an embedded agent',
    ],
    ['a socket of an embedded agent', withConfig('socket "/a"'), '"socket" has no effect on an embedded agent'],
    ['an unknown transport', withAgent('transport "unix-socket" { path "/a" }'), '(did you mean "unix_socket"?)'],
    [
      'an agent that sees no heads',
      withAgent('transport "embedded"; events "request_complete"'),
      '"events" needs request_headers',
    ],
    ['an unknown protocol version', withAgent('socket "/a"; protocol-version 3'), 'must be 1 or 2, not 3'],
    ['another type of agent', withAgent('socket "/a"; type "waf"'), '"type" must be "custom", not "waf"'],
    [
      'saml without bodies',
      withAgent('socket "/a"; config { saml { enabled #true } }'),
      '"saml" needs request_body_chunk in the events of the agent',
    ],
    [
      'kept forms without bodies',
      withAgent(
        'socket "/a"; config { sessions { keep-posted-forms #true }; oidc-login "corp" { issuer "https://id.example"; client-id "p"; public-url "https://p.example" } }',
      ),
      '"oidc-login" needs request_body_chunk in the events of the agent',
    ],
    [
      'token exchange without bodies',
      withAgent('socket "/a"; config { token-exchange { issuer "x" } }'),
      '"token-exchange" needs request_body_chunk',
    ],
    [
      'a mistake in the config of an embedded agent',
      withConfig('fail-open "yes"'),
      '"fail-open" must be #true or #false, not "yes"',
    ],
    [
      'options of an embedded agent that contradict each other',
      withConfig('jwt-public-key "/k.pem"'),
      '"jwt-public-key": HS256 needs jwt-secret',
    ],
    // Admin.
    [
      'admin for all without a token',
      configurationText({ more: 'admin { address "0.0.0.0:9090" }' }),
      'admin needs a token: 0.0.0.0:9090 is not a loopback address',
    ],
    [
      'a token and no token',
      configurationText({ more: 'admin { token "x"; insecure-no-token #true }' }),
      '"insecure-no-token" and "token" exclude each other',
    ],
    [
      'a token that no header can carry',
      configurationText({ more: 'admin { token "a b" }' }),
      '"token" must contain only letters',
    ],
  ])('is refused for %s', (_name, text, message) => expectRefusedConfiguration(text, message));

  it.each([
    withAgent('socket "/a"; events "request_headers" "websocket_frame"'),
    withAgent('socket "/a"; events "request_headers" "guardrail_inspect"'),
  ])('is refused with "not supported yet" (%#)', (text) => {
    const found = problemsOf(text);
    expect(found.filter((one) => one.startsWith('error: '))).toHaveLength(1);
    expect(found[0]).toContain('not supported yet');
  });

  it('reports all errors with positions', () => {
    const { problems } = decodedText(
      [
        'listeners {',
        '  listener "http" {',
        '    adress "127.0.0.1:1"',
        '  }',
        '}',
        'routes { route "a" {',
        '  upstream "x"; priority "no" } }',
      ].join('\n'),
    );
    expect(
      problems.map(({ position, message }) => `${position?.line}:${position?.column} ${message}`).toSorted(),
    ).toEqual([
      '2:3 "address" is missing',
      '3:5 unknown key "adress" in listener "http"',
      '6:16 route "a" has no matches',
      '7:12 route "a" refers to an upstream "x" that is not defined',
      '7:26 "priority" must be an integer, or "low", "normal", "high" or "critical"',
    ]);
  });
});
