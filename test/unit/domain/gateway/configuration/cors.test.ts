import { describe, expect, it } from 'vitest';
import { configurationText, withRoute } from '../../../../support/shared/configuration-text.js';
import { problemsOf, soundConfiguration } from '../../../../support/shared/decoded-configuration.js';

const textOf = (cors: string, matches = 'path-prefix "/"'): string =>
  withRoute(`matches { ${matches} }; upstream "echo"; policies { ${cors} }`);
const policyOf = (...given: Parameters<typeof textOf>) => soundConfiguration(textOf(...given)).routes[0]?.policies.cors;

const standard = {
  allowOrigins: ['https://app.example.com'],
  allowMethods: ['GET', 'HEAD', 'POST'],
  allowHeaders: ['Accept', 'Accept-Language', 'Content-Language', 'Content-Type', 'Range'],
  exposeHeaders: ['X-Correlation-Id', 'Retry-After', 'RateLimit', 'RateLimit-Policy'],
  allowCredentials: false,
  maxAgeSecs: 600,
};

describe('cors', () => {
  it.each(['', 'cors #null', 'cors #false', 'cors { enabled #false; allow-origins "https://a.test" }'])(
    'is off with "%s"',
    (cors) => {
      expect(policyOf(cors)).toBeNull();
    },
  );

  it('has defaults', () => {
    expect(policyOf('cors { allow-origins "https://app.example.com" }')).toEqual(standard);
  });

  it('adds the methods of the matches to the default ones', () => {
    const matches = 'path-prefix "/"; method "PUT" "GET" "DELETE"';
    const cors = 'allow-origins "https://app.example.com"';
    expect(policyOf(`cors { ${cors} }`, matches)?.allowMethods).toEqual(['GET', 'HEAD', 'POST', 'PUT', 'DELETE']);
    expect(policyOf(`cors { ${cors}; allow-methods "PUT" }`, matches)?.allowMethods).toEqual(['PUT']);
  });

  it('takes every key', () => {
    const cors = `cors {
      allow-origins "https://app.example.com" "https://*.example.org:8443" "http://[::1]:3000" "http://127.0.0.1" "capacitor://localhost"
      allow-methods "PUT" "PUT"
      allow-headers "Authorization"
      expose-headers #null
      allow-credentials #true
      max-age-secs 0
    }`;
    expect(policyOf(cors)).toEqual({
      allowOrigins: [
        ...['https://app.example.com', 'https://*.example.org:8443', 'http://[::1]:3000', 'http://127.0.0.1'],
        'capacitor://localhost',
      ],
      allowMethods: ['PUT'],
      allowHeaders: ['Authorization'],
      exposeHeaders: [],
      allowCredentials: true,
      maxAgeSecs: 0,
    });
    expect(policyOf('cors { allow-origins "*" }')?.allowOrigins).toEqual(['*']);
  });

  it('works on a builtin route', () => {
    const text = withRoute(
      'matches { path "/health" }; builtin-handler "health"; policies { cors { allow-origins "*" } }',
    );
    expect(problemsOf(text)).toEqual([]);
  });
});

const withDefaults = (routes: string, policies = 'cors { allow-origins "https://app.example.com" }'): string =>
  configurationText({ routes: `routes { ${routes} }`, more: `defaults { policies { ${policies} } }` });

describe('cors in defaults', () => {
  const routeText = (name: string, members: string): string =>
    `route "${name}" { matches { path-prefix "/${name}" ${members} }`;

  it('holds for every route, with its own methods, and for requests without a route', () => {
    const { routes, unrouted } = soundConfiguration(
      withDefaults(
        [
          routeText('all', '}; upstream "echo"; agents "auth"'),
          routeText('put', '; method "PUT" }; upstream "echo"; agents "auth"'),
          routeText('health', '}; builtin-handler "health"'),
          routeText('none', '}; upstream "echo"; agents "auth"; policies { cors #null }'),
          routeText('own', '}; upstream "echo"; agents "auth"; policies { cors { allow-origins "*" } }'),
        ].join('\n'),
      ),
    );
    const methods = Object.fromEntries(routes.map(({ id, policies }) => [id, policies.cors?.allowMethods]));
    const simple = ['GET', 'HEAD', 'POST'];
    expect(methods).toEqual({ all: simple, put: [...simple, 'PUT'], health: simple, none: undefined, own: simple });
    expect(routes.find(({ id }) => id === 'own')?.policies.cors?.allowOrigins).toEqual(['*']);
    expect(unrouted.cors).toEqual(standard);
  });

  it('reports an error once', () => {
    const routes = ['a', 'b'].map((name) => `${routeText(name, '}; upstream "echo"; agents "auth"')}`).join('\n');
    const found = problemsOf(withDefaults(routes, 'cors { allow-origins "https://app.example.com/" }'));
    expect(found).toHaveLength(1);
    expect(found[0]).toContain('write "https://app.example.com"');
  });
});

describe('a header rule beside cors', () => {
  const cors = 'cors { allow-origins "*" }';

  it.each(['set', 'add'])('is refused if it would %s what cors sets', (operation) => {
    const found = problemsOf(textOf(`${cors}; response-headers { ${operation} { "access_control-Max-Age" "5" } }`));
    expect(found).toEqual([
      'error: "response-headers" cannot set access_control-Max-Age on a route with cors, which sets it (delete the header here, or write cors #null in this route)',
    ]);
  });

  it('is accepted for other headers, for a removal, and on a route without cors', () => {
    const rules = 'response-headers { set { "Access-Control-Max-Age" "5" } }';
    expect(problemsOf(textOf(rules))).toEqual([]);
    const others = 'response-headers { set { "Vary" "Accept" }; remove "Access-Control-Allow-Origin" }';
    expect(problemsOf(textOf(`${cors}; ${others}`))).toEqual([]);
  });
});

describe('an invalid value of cors', () => {
  const origin = 'allow-origins "https://app.example.com"';
  it.each([
    ['cors', '"allow-origins" is missing (write allow-origins "https://app.example.com", or cors #null'],
    ['cors { }', '"allow-origins" is missing'],
    ['cors { allow-origins #null }', '"allow-origins" must list at least one origin'],
    ['cors "*"', '"cors" takes a block, not a value'],
    [`cors { ${origin} }; cors { ${origin} }`, '"cors" is given twice'],
    [`cors { allowed-origins "*"; ${origin} }`, 'did you mean "allow-origins"?'],
    [`cors { ${origin}; max-age 5 }`, 'the name is max-age-secs'],
    ['cors { allow-origins "*" "https://a.example" }', '"allow-origins" lists "*" beside other origins'],
    [
      'cors { allow-origins "*"; allow-credentials #true }',
      '"allow-credentials" cannot be used with allow-origins "*"',
    ],
    [`cors { ${origin}; allow-credentials "yes" }`, '"allow-credentials" must be #true or #false'],
    [`cors { ${origin}; allow-methods "*" }`, '"allow-methods" must be a method, not "*" (list the methods'],
    [`cors { ${origin}; allow-methods "GET, PUT" }`, 'write each in quotes: "GET" "PUT"'],
    [`cors { ${origin}; allow-methods "get" }`, 'did you mean "GET"?'],
    [`cors { ${origin}; allow-methods "TRACE" }`, '"allow-methods" cannot match TRACE'],
    [`cors { ${origin}; allow-methods #null }`, '"allow-methods" must list at least one method'],
    [`cors { ${origin}; allow-headers "*" }`, '"allow-headers" must be a header name, not "*" (list the headers'],
    [`cors { ${origin}; allow-headers "Authorization, X-A" }`, 'write each in quotes: "Authorization" "X-A"'],
    [`cors { ${origin}; allow-headers "X A:" }`, '"allow-headers" must be a header name'],
    [`cors { ${origin}; expose-headers "*" }`, '"expose-headers" must be a header name, not "*"'],
    [`cors { ${origin}; expose-headers "set-cookie" }`, 'cannot expose set-cookie: browsers never show it'],
    [`cors { ${origin}; max-age-secs -1 }`, '"max-age-secs" must be an integer from 0 to 86400, not -1'],
    [`cors { ${origin}; max-age-secs 86401 }`, '"max-age-secs" must be an integer from 0 to 86400'],
  ])('is refused: %s', (cors, message) => {
    const found = problemsOf(textOf(cors));
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/^error: /);
    expect(found[0]).toContain(message);
  });
});

describe('an origin', () => {
  it.each([
    ['null', '"allow-origins" cannot be "null"'],
    ['app.example.com', 'add the scheme: "https://app.example.com"'],
    ['localhost:3000', 'add the scheme: "https://localhost:3000"'],
    ['*.example.com', 'add the scheme: "https://*.example.com"'],
    ['//app.example.com', 'write "https://app.example.com", or "https://*.example.com"'],
    ['https://app.example.com/', 'write "https://app.example.com")'],
    ['https://app.example.com/path?q#f', 'write "https://app.example.com")'],
    ['https://app.example.com:443', 'write "https://app.example.com")'],
    ['http://app.example.com:080', 'write "http://app.example.com")'],
    ['http://app.example.com:443/', 'write "http://app.example.com:443")'],
    ['https://app.example.com:08443', 'write "https://app.example.com:8443")'],
    ['https://app.example.com.', 'write "https://app.example.com")'],
    ['HTTPS://App.Example.com', 'write "https://app.example.com")'],
    ['https://*.Example.org', 'write "https://*.example.org")'],
    ['https://user:secret@app.example.com', 'write "https://app.example.com")'],
    ['https://[0:0:0:0:0:0:0:1]', 'write "https://[::1]")'],
    ['https://[::1', 'must be an origin'],
    ['https://[::ffff:1.2.3.4]', 'must be an origin'],
    ['https://[1.2.3.4]', 'must be an origin'],
    ['https://127.1', 'must be an origin'],
    ['https://*.127.0.0.1', 'must be an origin'],
    ['https://*.*.example.org', 'must be an origin'],
    ['https://*', 'must be an origin'],
    ['https://a*.example.org', 'must be an origin'],
    ['https://a.*.example.org', 'must be an origin'],
    ['https://*example.org', 'must be an origin'],
    ['*://app.example.com', 'must be an origin'],
    ['^https://.*\\\\.example\\\\.com$', 'must be an origin'],
    ['https://(a|b).example.com', 'must be an origin'],
    ['https://', 'must be an origin'],
    ['https://a..example.org', 'must be an origin'],
    ['https://app.example.com:0', 'a port is a number from 1 to 65535'],
    ['https://app.example.com:65536', 'a port is a number from 1 to 65535'],
    ['https://b\u00fccher.example', 'browsers write names in Punycode'],
    ['https://a.example, https://b.example', 'write each origin in quotes'],
    ['https://a.example https://b.example', 'write each origin in quotes'],
    ['file:///index.html', 'must be an origin'],
    ['file://host', 'pages of file: have no origin'],
    ['wss://app.example.com', 'write the origin of the page: "https://..."'],
    [`https://${'a.'.repeat(160)}example.org`, 'must be an origin of at most 320 characters'],
  ])('is refused: %s', (origin, message) => {
    const found = problemsOf(textOf(`cors { allow-origins "${origin}" }`));
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/^error: "allow-origins" /);
    expect(found[0]).toContain(message);
    expect(found[0]).not.toContain('secret');
  });
});
