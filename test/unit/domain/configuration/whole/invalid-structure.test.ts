import { describe, it } from 'vitest';
import {
  configurationText,
  withAgent,
  withListener,
  withRoute,
  withUpstream,
} from '../../../../support/shared/configuration-text.js';
import { expectRefusedConfiguration } from '../../../../support/shared/decoded-configuration.js';

const matches = 'matches { path "/" }';

describe('an invalid structure', () => {
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
    ['a route to nowhere', withRoute(matches), 'route "api" has no destination'],
    [
      'a route to two places',
      withRoute(`${matches}; upstream "echo"; service-type "builtin"; builtin-handler "health"`),
      'route "api" has both "upstream" and "builtin-handler"',
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
  ])('is refused for %s', (_name, text, message) => expectRefusedConfiguration(text, message));
});
