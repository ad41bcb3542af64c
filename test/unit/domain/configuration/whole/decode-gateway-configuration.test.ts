import { describe, expect, it } from 'vitest';
import { decodeGatewayConfiguration } from '../../../../../src/domain/configuration/whole/decode-gateway-configuration.js';
import { plainLimits, plainPolicies } from '../../../../support/gateway/plain-configurations.js';
import { settingsOf } from '../../../../support/shared/configuration-settings.js';
import {
  configurationText,
  withAgent,
  withConfig,
  withListener,
  withRoute,
  withUpstream,
} from '../../../../support/shared/configuration-text.js';

const decode = (text: string) =>
  decodeGatewayConfiguration(settingsOf(text), {
    patternFault: (source) => (source.includes('(') ? 'missing )' : null),
    lines: () => null,
    root: { file: 'gateway.kdl', line: 1, column: 1 },
    isComplete: true,
  });

const messages = (text: string): string[] =>
  decode(text).problems.map(
    ({ severity, message, suggestion }) => `${severity}: ${message}${suggestion === null ? '' : ` (${suggestion})`}`,
  );

const configurationOf = (text: string) => {
  const { configuration, problems } = decode(text);
  expect(problems).toEqual([]);
  if (configuration === null) throw new Error('no configuration');
  return configuration;
};

describe('a valid configuration', () => {
  it('has all defaults', () => {
    expect(configurationOf(configurationText())).toEqual({
      system: {
        instance: null,
        gracefulShutdownTimeoutMs: 30_000,
        shutdownDelayMs: 0,
        workerThreads: 0,
      },
      listeners: [
        {
          name: 'http',
          address: { host: '127.0.0.1', port: 8080 },
          tls: null,
          trustedProxies: [],
          proxyProtocol: false,
          acceptClientCertHeader: null,
          http2: false,
          timeouts: {
            proxyHeaderMs: 5_000,
            headMs: 60_000,
            bodyMs: 60_000,
            minBodyOctetsPerSecond: 240,
            idleMs: 75_000,
          },
        },
      ],
      routes: [
        {
          id: 'api',
          priority: 50,
          matches: {
            paths: [],
            pathPrefixes: ['/'],
            pathRegexes: [],
            hosts: [],
            methods: [],
            headers: [],
            queryParams: [],
          },
          upstream: 'echo',
          builtinHandler: null,
          agents: ['auth'],
          policies: plainPolicies,
          circuitBreaker: null,
        },
      ],
      upstreams: [
        {
          name: 'echo',
          targets: [{ address: { host: '127.0.0.1', port: 8081 }, weight: 1 }],
          timeouts: { connectMs: 10_000, readMs: 30_000, requestMs: 60_000 },
          maxConnections: 1024,
          maxIdle: 20,
          healthCheck: null,
          targetBreaker: null,
          sparesLastTarget: true,
          balancing: { kind: 'round_robin' },
          stickyCookie: null,
          httpVersion: '1.1',
          retries: { maxAttempts: 3, budgetPercent: 20 },
          dnsRefreshMs: 30_000,
        },
      ],
      agents: [
        {
          name: 'auth',
          transport: { kind: 'embedded' },
          events: ['request_headers'],
          timeoutMs: 1000,
          failureMode: 'closed',
          protocolVersion: 2,
          connections: 0,
          circuitBreaker: null,
          config: { 'api-keys': 'key:alice' },
        },
      ],
      limits: plainLimits,
      admin: null,
      tracing: null,
      audit: null,
    });
  });

  it('overrides the defaults', () => {
    const { system, limits, admin } = configurationOf(
      configurationText({
        more: `
          system { instance "edge-1"; graceful-shutdown-timeout-secs 5; shutdown-delay-secs 600; worker-threads 256 }
          limits { max-header-size-bytes "16KB"; max-header-count 200; max-header-name-bytes 64; max-header-value-bytes 2048
            max-body-size-bytes "1GB"; max-body-inspection-bytes 0; max-agent-queue-depth 7; max-memory-bytes #null
            max-agent-body-bytes "2MB"; max-agent-response-bytes 4096; max-decompression-ratio 12.5
            max-decompressed-size-bytes "1MB"
            max-requests-per-second-global #null; max-requests-per-second-per-client #null
            max-requests-per-second-per-route #null; max-memory-percent #null }
          admin { address "[::1]:0"; token "abc.def="; ready-requires "upstreams" "agents" }`,
      }),
    );
    expect(system).toEqual({
      instance: 'edge-1',
      gracefulShutdownTimeoutMs: 5000,
      shutdownDelayMs: 600_000,
      workerThreads: 256,
    });
    expect(limits).toEqual({
      ...plainLimits,
      maxHeaderSizeBytes: 16_384,
      maxHeaderCount: 200,
      maxHeaderNameBytes: 64,
      maxHeaderValueBytes: 2048,
      maxBodySizeBytes: 1_073_741_824,
      maxBodyInspectionBytes: 0,
      maxAgentQueueDepth: 7,
      maxAgentBodyBytes: 2_097_152,
      maxAgentResponseBytes: 4096,
      maxDecompressionRatio: 12.5,
      maxDecompressedSizeBytes: 1_048_576,
    });
    expect(admin?.address).toEqual({ host: '::1', port: 0 });
    expect(admin?.token?.reveal()).toBe('abc.def=');
    expect(admin?.readyRequires).toEqual(['upstreams', 'agents']);
  });

  it('reads every kind of match', () => {
    const [route] = configurationOf(
      withRoute(`matches { path "/a" "/b"; path "/c"; path-prefix "/v1"; path-regex "^/x$"; host "A.Example." "*.b.example"
        method "GET" "POST"; header "X-A"; header "X-B" "1"; query-param "q" "2" ; query-param "p" }; upstream "echo"`),
    ).routes;
    expect(route?.matches).toEqual({
      paths: ['/a', '/b', '/c'],
      pathPrefixes: ['/v1'],
      pathRegexes: ['^/x$'],
      hosts: ['a.example', '*.b.example'],
      methods: ['GET', 'POST'],
      headers: [
        { name: 'X-A', value: null },
        { name: 'X-B', value: '1' },
      ],
      queryParams: [
        { name: 'q', value: '2' },
        { name: 'p', value: null },
      ],
    });
  });

  it.each([
    ['low', 10],
    ['normal', 50],
    ['high', 100],
    ['critical', 1000],
  ])('reads priority "%s" as %i', (name, number) => {
    const text = withRoute(`priority "${name}"; matches { path "/" }; upstream "echo"`);
    expect(configurationOf(text).routes[0]?.priority).toBe(number);
  });

  it.each([
    ['timeout-secs 3', { requestTimeoutMs: 3000 }],
    ['timeouts { request-secs 4 }', { requestTimeoutMs: 4000 }],
    ['timeouts { read-secs 5 }', { readTimeoutMs: 5000 }],
    ['timeout-secs 3; timeouts { read-secs 5 }', { requestTimeoutMs: 3000, readTimeoutMs: 5000 }],
    ['max-body-size "2MB"', { maxBodySize: 2_097_152 }],
    ['max-body-size 77', { maxBodySize: 77 }],
  ])('reads the policy %s', (policy, changes) => {
    const text = withRoute(`matches { path "/" }; upstream "echo"; policies { ${policy} }`);
    expect(configurationOf(text).routes[0]?.policies).toEqual({ ...plainPolicies, ...changes });
  });

  it.each([
    'targets { target { address "a.example:1" }; target { address "[::1]:2" } }',
    'target "a.example:1" "[::1]:2"',
    'target "a.example:1"; target "[::1]:2"',
    'targets { target "a.example:1"; target address="[::1]:2" }',
  ])('reads the targets of %s', (body) => {
    expect(configurationOf(withUpstream(body)).upstreams[0]?.targets).toEqual([
      { address: { host: 'a.example', port: 1 }, weight: 1 },
      { address: { host: '::1', port: 2 }, weight: 1 },
    ]);
  });

  it.each([
    'transport { unix_socket { path "/run/a.sock" } }',
    'transport { unix_socket path="/run/a.sock" }',
    'transport { unix_socket "/run/a.sock" }',
    'transport "unix_socket" { path "/run/a.sock" }',
    'transport "unix_socket" path="/run/a.sock"',
    'socket "/run/a.sock"',
  ])('reads the socket of %s', (body) => {
    const agent = configurationOf(withAgent(`${body}; socket-owner "auth"`)).agents[0];
    expect(agent?.transport).toEqual({ kind: 'unix_socket', path: '/run/a.sock', owner: 'auth' });
  });

  it('may spread routes over several blocks', () => {
    const text = configurationText({
      more: 'routes { route "b" { matches { path "/b" }; builtin-handler "stats"; service-type "builtin" } }',
    });
    expect(configurationOf(text).routes.map(({ id }) => id)).toEqual(['api', 'b']);
  });
});

const matches = 'matches { path "/" }';

describe('an invalid configuration', () => {
  it.each([
    // Cross references and identities.
    [
      'an undefined upstream',
      withRoute(`${matches}; upstream "ehco"`),
      'route "api" refers to an upstream "ehco" that is not defined (did you mean "echo"?)',
    ],
    [
      'an undefined agent',
      withRoute(`${matches}; upstream "echo"; agents "atuh"`),
      'route "api" refers to an agent "atuh" that is not defined (did you mean "auth"?)',
    ],
    [
      'an agent listed twice',
      withRoute(`${matches}; upstream "echo"; agents "auth" "auth"`),
      'route "api" lists the agent "auth" twice',
    ],
    [
      'duplicate routes',
      configurationText({ more: `routes { route "api" { ${matches}; upstream "echo" } }` }),
      'route "api" is defined twice',
    ],
    [
      'duplicate upstreams',
      configurationText({
        upstreams: 'upstreams { upstream "echo" { target "a:1" }; upstream "echo" { target "a:1" } }',
      }),
      'upstream "echo" is defined twice',
    ],
    [
      'duplicate agents',
      configurationText({ agents: 'agents { agent "auth" { socket "/a" }; agent "auth" { socket "/b" } }' }),
      'agent "auth" is defined twice',
    ],
    [
      'duplicate listeners',
      configurationText({
        listeners: 'listeners { listener "a" { address "127.0.0.1:1" }; listener "a" { address "127.0.0.1:2" } }',
      }),
      'listener "a" is defined twice',
    ],
    [
      'an address used twice',
      configurationText({
        listeners: 'listeners { listener "a" { address "127.0.0.1:1" }; listener "b" { address "127.0.0.1:1" } }',
      }),
      'listener "b" and listener "a" have the same address 127.0.0.1:1',
    ],
    [
      'the address of admin used twice',
      configurationText({ more: 'admin { address "127.0.0.1:8080" }' }),
      'admin and listener "http" have the same address 127.0.0.1:8080',
    ],
    ['no listener', configurationText({ listeners: '' }), 'there is no listener'],
    // Required keys.
    ['a listener without address', withListener('protocol "http"'), '"address" is missing'],
    ['an upstream without targets', withUpstream('timeouts { connect-secs 1 }'), 'upstream "echo" has no target'],
    ['a target without address', withUpstream('targets { target { } }'), '"address" is missing'],
    ['an agent without transport', withAgent('timeout-ms 5'), 'agent "auth" has no transport'],
    ['a socket transport without path', withAgent('transport { unix_socket { } }'), '"path" is missing'],
    [
      'a route without name',
      configurationText({ routes: `routes { route { ${matches}; upstream "echo" } }` }),
      '"route" needs a name',
    ],
    [
      'a name with spaces',
      configurationText({ routes: `routes { route "a b" { ${matches}; upstream "echo" } }` }),
      'the name of "route" must contain only',
    ],
    [
      'a route with two names',
      configurationText({ routes: `routes { route "a" "b" { ${matches}; upstream "echo" } }` }),
      '"route" takes one name',
    ],
    ['a route without block', configurationText({ routes: 'routes { route "a" }' }), 'route "a" has no block'],
    // Routes.
    ['a route to nowhere', withRoute(matches), 'route "api" has neither an upstream nor a builtin-handler'],
    [
      'a route to two places',
      withRoute(`${matches}; upstream "echo"; service-type "builtin"; builtin-handler "health"`),
      'route "api" has both an upstream and a builtin handler',
    ],
    [
      'a builtin route without handler',
      withRoute(`${matches}; service-type "builtin"`),
      'route "api" has service-type "builtin", but no builtin-handler',
    ],
    ['an unknown handler', withRoute(`${matches}; builtin-handler "helth"`), '(did you mean "health"?)'],
    ['no matches', withRoute('upstream "echo"'), 'route "api" has no matches'],
    ['empty matches', withRoute('matches { }; upstream "echo"'), 'route "api" has no matches'],
    [
      'an invalid pattern',
      withRoute('matches { path-regex "(" }; upstream "echo"'),
      '"path-regex" is not a valid regular expression: missing )',
    ],
    [
      'a path without slash',
      withRoute('matches { path "a" }; upstream "echo"'),
      '"path" must begin with a slash (did you mean "/a"?)',
    ],
    [
      'a path that normalisation changes',
      withRoute('matches { path-prefix "/a/../b" }; upstream "echo"'),
      'can never match: the gateway normalises paths before routing (the normal form is "/b")',
    ],
    [
      'a path with an encoded slash',
      withRoute('matches { path "/a%2fb" }; upstream "echo"'),
      'no request can have this path',
    ],
    ['a method in lower case', withRoute('matches { method "get" }; upstream "echo"'), '(did you mean "GET"?)'],
    ['a method that is not served', withRoute('matches { method "TRACE" }; upstream "echo"'), 'cannot match TRACE'],
    [
      'a long method',
      withRoute(`matches { method "${'M'.repeat(129)}" }; upstream "echo"`),
      'is too long for a method',
    ],
    ['a method that is none', withRoute('matches { method "G T" }; upstream "echo"'), 'must be a method'],
    [
      'a host with a port',
      withRoute('matches { host "a.example:80" }; upstream "echo"'),
      'must be a host name or *.suffix',
    ],
    [
      'a host with a star inside',
      withRoute('matches { host "a.*.example" }; upstream "echo"'),
      'must be a host name or *.suffix',
    ],
    [
      'a prefix with a star of its own',
      withRoute('matches { path-prefix "/api/*" }; upstream "echo"'),
      '"path-prefix" takes a literal path, not the pattern "/api/*" (write path-prefix "/api")',
    ],
    [
      'a path with a star of its own',
      withRoute('matches { path "/api/**" }; upstream "echo"'),
      '"path" takes a literal path, not the pattern "/api/**" (write path-prefix "/api")',
    ],
    [
      'a path with a name in braces',
      withRoute('matches { path "/users/{id}" }; upstream "echo"'),
      '(write path-regex "^/users/[^/]+$")',
    ],
    [
      'a location of nginx',
      withRoute('matches { path "~ ^/x/[0-9]+$" }; upstream "echo"'),
      '(write path-regex "^/x/[0-9]+$")',
    ],
    [
      'a matcher of Traefik',
      withRoute('matches { path-prefix "PathPrefix(`/x`)" }; upstream "echo"'),
      '(write path-prefix "/x")',
    ],
    ['every method as a star', withRoute('matches { method "*" }; upstream "echo"'), '(delete method'],
    [
      'several methods in one text',
      withRoute('matches { method "GET,post" }; upstream "echo"'),
      '(write method "GET" "POST")',
    ],
    [
      'several methods with bars between',
      withRoute('matches { method "GET|HEAD" }; upstream "echo"'),
      '(write method "GET" "HEAD")',
    ],
    [
      'every host as a star',
      withRoute('matches { host "*" }; upstream "echo"'),
      '(delete host: a route without it matches every host)',
    ],
    ['a header name that is none', withRoute('matches { header "X A" }; upstream "echo"'), 'must be a header name'],
    [
      'a header with three values',
      withRoute('matches { header "X" "1" "2" }; upstream "echo"'),
      'takes a name and at most one value',
    ],
    [
      'both kinds of timeout',
      withRoute(`${matches}; upstream "echo"; policies { timeout-secs 1; timeouts { request-secs 1 } }`),
      '"timeout-secs" and "request-secs" of "timeouts" exclude each other',
    ],
    [
      'a timeout of a builtin route',
      withRoute(`${matches}; builtin-handler "health"; policies { timeout-secs 1 }`),
      'a timeout has no effect on a builtin route',
    ],
    [
      'a priority that is none',
      withRoute(`priority "hihg"; ${matches}; upstream "echo"`),
      '"priority" must be an integer, or',
    ],
    [
      'a priority out of range',
      withRoute(`priority 1e9; ${matches}; upstream "echo"`),
      '"priority" must be an integer, or',
    ],
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
      'an upstream with TLS',
      withUpstream('target "https://api.example"'),
      '(TLS to upstreams is not supported yet: write "api.example:80" if the server accepts plain HTTP there',
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
      '"server" is no longer a key: use `system` (write system { ... })',
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
  ])('is refused for %s', (_name, text, message) => {
    const found = messages(text);
    expect(
      found.some((one) => one.startsWith('error: ') && one.includes(message)),
      found.join('\n'),
    ).toBe(true);
    expect(decode(text).configuration).toBeNull();
  });

  it.each([
    withAgent('socket "/a"; events "request_headers" "websocket_frame"'),
    withAgent('socket "/a"; events "request_headers" "guardrail_inspect"'),
  ])('is refused with "not supported yet" (%#)', (text) => {
    const found = messages(text);
    expect(found.filter((one) => one.startsWith('error: '))).toHaveLength(1);
    expect(found[0]).toContain('not supported yet');
  });

  it('reports all errors with positions', () => {
    const { problems } = decode(
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

describe('the config of an agent on a socket', () => {
  it('may be anything, and errors of gateway-auth are warnings', () => {
    const { configuration, problems } = decode(
      withAgent('socket "/a"; config { rules "a" "b"; jwt-algorithm "none" }'),
    );
    expect(configuration?.agents[0]?.config).toEqual({ rules: ['a', 'b'], 'jwt-algorithm': 'none' });
    expect(problems.map(({ severity, message }) => `${severity}: ${message}`)).toEqual([
      'warning: unknown key "rules" in config; gateway-auth would refuse this',
      'warning: "jwt-algorithm" must be "HS256" or "RS256" or "RS384" or "RS512" or "PS256" or "PS384" or "PS512" or "ES256" or "ES384" or "ES512" or "EdDSA", not "none"; gateway-auth would refuse this',
    ]);
  });
});

describe('the config of another agent', () => {
  it.each(['socket "/a"', 'transport { grpc "127.0.0.1:1" }'])('is its own affair: %s', (reached) => {
    const { configuration, problems } = decode(withAgent(`${reached}; config { rules "a" "b"; mode "strict" }`));
    expect(configuration?.agents[0]?.config).toEqual({ rules: ['a', 'b'], mode: 'strict' });
    expect(problems).toEqual([]);
  });
});

describe('agents at one place', () => {
  const problemsOf = (first: string, second: string) =>
    decode(
      configurationText({ agents: `agents { agent "auth" { ${first} }; agent "other" { ${second} } }` }),
    ).problems.filter(({ message }) => message.includes(', but a different config'));

  it.each([
    ['socket "/a"; config { api-keys "k:a" }', 'socket "/a"; config { api-keys "k:b" }'],
    ['socket "/a"; config { api-keys "k:a" }', 'socket "/a"'],
    ['socket "/a"', 'transport { unix_socket { path "/a" } }; config { fail-open #false }'],
    ['socket "/a"', 'transport { grpc "unix:/a" }; config { fail-open #false }'],
  ])('cannot have different configs: %s, %s', (first, second) => {
    const [problem] = problemsOf(first, second);
    expect(problem).toMatchObject({ severity: 'error', position: { line: expect.any(Number) } });
    expect(problem?.message).toBe('agent "other" has the same socket as agent "auth", but a different config');
  });

  it.each([
    ['grpc "127.0.0.1:1"', 'grpc "127.0.0.1:1"'],
    ['grpc "localhost:1"', 'grpc "LOCALHOST:1"'],
    ['grpc "[::1]:1"', 'grpc { address "[0:0:0:0:0:0:0:1]:1"; tls { ca-cert-file "/ca.pem" } }'],
  ])('cannot have different configs behind gRPC: %s, %s', (first, second) => {
    const config = (key: string) => `config { api-keys "k:${key}" }`;
    const [problem] = problemsOf(`transport { ${first} }; ${config('a')}`, `transport { ${second} }; ${config('b')}`);
    expect(problem).toMatchObject({
      severity: 'error',
      suggestion: expect.stringContaining('another address for one of them'),
    });
    expect(problem?.message).toBe('agent "other" has the same address as agent "auth", but a different config');
  });

  it.each([
    ['socket "/a"', 'socket "/a"; timeout-ms 5'],
    ['transport { grpc "127.0.0.1:1" }', 'transport { grpc "127.0.0.1:2" }; config { api-keys "k:a" }'],
    [
      'socket "/a"; config { api-keys "k:a"; fail-open #false }',
      'socket "/a"; config { fail-open #false; api-keys "k:a" }',
    ],
    ['socket "/a"; config { api-keys "k:a" }', 'socket "/b"; config { api-keys "k:b" }'],
    ['transport "embedded"; config { api-keys "k:a" }', 'transport "embedded"; config { api-keys "k:b" }'],
  ])('may have one config, and other sockets others: %s, %s', (first, second) => {
    expect(problemsOf(first, second)).toEqual([]);
  });
});

describe('the options of an embedded agent', () => {
  it.each([
    'socket "/a"',
    'grpc-address "127.0.0.1:1"',
    'grpc-tls-cert-file "/c.pem"',
    'grpc-tls-key-file "/k.pem"',
    'grpc-client-ca-file "/ca.pem"',
    'grpc-insecure #true',
    'metrics-address "127.0.0.1:1"',
    'health-interval-secs 5',
    'metrics-interval-secs 5',
  ])('cannot be %s', (option) => {
    const name = option.split(' ')[0];
    expect(decode(withConfig(option)).problems.map(({ message }) => message)).toContain(
      `"${name}" has no effect on an embedded agent`,
    );
  });

  it('cause a warning if fail-open has no effect', () => {
    const said = decode(withConfig('fail-open #true')).problems.map(
      ({ severity, message }) => `${severity} ${message}`,
    );
    expect(said[0]).toContain('warning "fail-open": it has no effect');
    expect(decode(withConfig('fail-open #true; api-keys "@/keys"')).problems).toEqual([]);
  });

  it('keep the number of an entry after a file', () => {
    const said = decode(withConfig('api-keys "@/keys" "hunter2"')).problems.map(({ message }) => message);
    expect(said[0]).toContain('entry 2 has no colon');
  });
});

describe('secrets', () => {
  it('never appear in messages', () => {
    const text = configurationText({
      agents: `agents { agent "auth" { transport "embedded"; config {
        api-keys "S3CRETnocolon" "S3CRET:a" "S3CRET:b" "S3CRET\\u{e9}:c"
        basic-auth-users "S3CRETnocolon" ":S3CRET" "u:S3CRET" "u:S3CRET2"
        jwt-secret "S3CRET"; jwt-secrets "S3CRET" } } }`,
      more: 'admin { token "S3CRET S3CRET" }',
    });
    const { problems } = decode(text);
    expect(problems.length).toBeGreaterThan(6);
    expect(JSON.stringify(problems)).not.toContain('S3CRET');
  });
});

describe('a partly unreadable configuration', () => {
  it('is checked alone and never accepted', () => {
    const { configuration, problems } = decodeGatewayConfiguration(
      settingsOf('routes { route "a" { upstream "x"; priority "no" } }'),
      {
        patternFault: () => null,
        lines: () => null,
        root: null,
        isComplete: false,
      },
    );
    expect(configuration).toBeNull();
    expect(problems.map(({ message }) => message)).toEqual([
      '"priority" must be an integer, or "low", "normal", "high" or "critical"',
    ]);
  });

  it('is not accepted even without other errors', () => {
    const settings = settingsOf(configurationText());
    const decoding = { patternFault: () => null, lines: () => null, root: null, isComplete: false };
    expect(decodeGatewayConfiguration(settings, decoding)).toEqual({
      configuration: null,
      problems: [],
      locate: expect.any(Function),
      advise: expect.any(Function),
    });
  });
});
