import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { KdlConfigurationSource } from '../../../../../../src/adapters/outbound/kdl-configuration/kdl-configuration-source.js';
import { settingsText } from '../../../../../../src/adapters/outbound/kdl-configuration/source-text.js';
import { re2PathPatterns } from '../../../../../../src/adapters/outbound/re2-path-patterns/re2-path-patterns.js';
import { effectiveJson } from '../../../../../../src/domain/configuration/whole/effective/effective-json.js';
import { effectiveSettings } from '../../../../../../src/domain/configuration/whole/effective/effective-settings.js';
import { settingsOf } from '../../../../../support/shared/configuration-settings.js';

const variables: Record<string, string> = {
  TOKEN: 'tok-from-the-environment',
  PROTOCOL: 'http',
  KEYS: 'key-from-the-environment:me',
  REDIS: 'rediss://u:pw@r.example',
};

const load = async (text: string) => {
  const texts = new Map([['gateway.kdl', text]]);
  const source = new KdlConfigurationSource('gateway.kdl', {
    environment: variables,
    patterns: re2PathPatterns,
    texts,
  });
  const { configuration, problems, settings = [] } = await source.load();
  return { configuration, errors: problems.filter(({ severity }) => severity === 'error'), settings };
};

const full = `
// Every block, in an unusual order.
admin { token (env)"TOKEN"; address "0.0.0.0:9090" }
upstreams {
  upstream "u" { connection-pool { max-connections 5 }; target "127.0.0.1:8081"; health-check { type "tcp" } }
  upstream "v" { load-balancing "consistent-hash"; target "127.0.0.1:8082" weight=3; target "127.0.0.1:8083"; circuit-breaker }
}
routes { route "b" priority="high" { upstream "v"; matches path="/b"; policies { rate-limit { requests-per-second 5 } } } }
routes { route "a" { matches { path-prefix "/"; header "x" "y" }; upstream "u"; agents "auth" "other"; policies { rate-limit "shared" } } }
rate-limit "shared" { key "user"; requests-per-second 2.5 }
listeners { listener "http" { address "127.0.0.1:8080"; trusted-proxies "10.0.0.0/8" "fd00::/8" } }
limits { rate-limit-store "redis"; rate-limit-store-url (env)"REDIS"; max-requests-per-second-global 100 }
tracing { endpoint "http://127.0.0.1:4318/v1/traces"; collector-header "authorization" (env)"TOKEN" }
agents {
  agent "auth" { transport "embedded"; config { api-keys (env)"KEYS"; user-id-header "X-User" } }
  agent "other" { socket "/run/o.sock"; circuit-breaker { failure-threshold 2 }; config { anything { name "x" 1 #null } } }
}
`;

describe('the effective configuration', () => {
  it('is stable when it is read again', async () => {
    const before = await load(full);
    expect(before.errors).toEqual([]);
    const printed = settingsText(effectiveSettings(before.settings));
    const after = await load(printed);
    expect(after.errors).toEqual([]);
    expect(JSON.stringify(after.configuration)).toBe(JSON.stringify(before.configuration));
    expect(settingsText(effectiveSettings(after.settings))).toBe(printed);
    expect(printed).not.toContain('from-the-environment');
  });

  it('shows the lists of compress, and is stable when it is read again', async () => {
    const before = await load(`
listeners { listener "http" { address "127.0.0.1:8080" } }
upstreams { upstream "u" { target "127.0.0.1:8081" } }
defaults { policies { compress { encodings "gzip" } } }
routes {
  route "a" { matches { path "/a" }; upstream "u" }
  route "b" { matches { path "/b" }; upstream "u"; policies { compress { types "text/css" } } }
  route "c" { matches { path "/c" }; upstream "u"; policies { compress #null } }
}`);
    expect(before.errors).toEqual([]);
    const printed = settingsText(effectiveSettings(before.settings));
    expect(printed.match(/types "text\/\*" "application\/json"/g)).toHaveLength(1);
    expect(printed.match(/encodings "br" "gzip"/g)).toHaveLength(1);
    expect(printed.match(/compress #null/g)).toHaveLength(1);
    const after = await load(printed);
    expect(JSON.stringify(after.configuration)).toBe(JSON.stringify(before.configuration));
    expect(settingsText(effectiveSettings(after.settings))).toBe(printed);
  });

  it('shows the lists of cors, and is stable when it is read again', async () => {
    const before = await load(`
listeners { listener "http" { address "127.0.0.1:8080" } }
upstreams { upstream "u" { target "127.0.0.1:8081" } }
defaults { policies { cors { allow-origins "https://a.example" } } }
routes {
  route "a" { matches { path "/a"; method "PUT" "GET" }; upstream "u" }
  route "b" { matches { path "/b" }; upstream "u"; policies { cors { allow-origins "*"; expose-headers #null } } }
}`);
    expect(before.errors).toEqual([]);
    const printed = settingsText(effectiveSettings(before.settings));
    expect(printed).toContain('allow-methods "GET" "HEAD" "POST" "PUT"');
    expect(printed.match(/allow-headers "Accept"/g)).toHaveLength(2);
    expect(printed.match(/expose-headers #null/g)).toHaveLength(1);
    const after = await load(printed);
    expect(JSON.stringify(after.configuration)).toBe(JSON.stringify(before.configuration));
    expect(settingsText(effectiveSettings(after.settings))).toBe(printed);
  });

  it('shows the policies that each route has from defaults, and is stable when it is read again', async () => {
    const before = await load(`
defaults { policies {
  max-body-size 10; timeouts { request-secs 5; read-secs 6 }
  request-headers { remove "X-Gone"; set { "X-A" "default"; "X-B" "default"; "X-Secret-Token" (env)"TOKEN" } }
  response-headers { remove "Server" }
} }
routes {
  route "a" { matches { path "/a" }; upstream "u"
    policies { timeout-secs 7; max-body-size #null; request-headers { set { "X-A" "own"; "X-B" #null } } } }
  route "b" { matches { path "/b" }; upstream "u"; policies { request-headers #null } }
  route "c" { matches { path "/c" }; builtin-handler "health" }
}
upstreams { upstream "u" { target "127.0.0.1:8081" } }
listeners { listener "http" { address "127.0.0.1:8080" } }`);
    expect(before.errors).toEqual([]);
    const printed = settingsText(effectiveSettings(before.settings));
    const after = await load(printed);
    expect(after.errors).toEqual([]);
    expect(JSON.stringify(after.configuration)).toBe(JSON.stringify(before.configuration));
    expect(settingsText(effectiveSettings(after.settings))).toBe(printed);
    expect(printed).not.toContain('from-the-environment');
    const [, first = '', second = '', third = ''] = printed.split(/ route "?[abc]"? /);
    expect(first).toMatch(/remove "?X-Gone"?/);
    expect(first).toMatch(/X-A "?own"?/);
    expect(first).toMatch(/X-B #null/);
    expect(first).toMatch(/read-secs 6/);
    expect(second).toMatch(/request-headers #null/);
    expect(second).toMatch(/max-body-size 10/);
    expect(third).not.toMatch(/max-body-size 10/);
    expect(third).toMatch(/remove "?Server"?/);
  });

  it('hides the values of secret headers in routes and in defaults', async () => {
    const rules =
      'request-headers { set { "Authorization" "Basic literal1"; "X-Api-Key" "literal2"; "X-Plain" "shown" } }';
    const { settings, errors } = await load(`
defaults { policies { ${rules} } }
routes { route "a" { matches { path "/a" }; upstream "u"; policies { request-headers { add { "X-Token" "literal3" } } } } }
upstreams { upstream "u" { target "127.0.0.1:8081" } }
listeners { listener "http" { address "127.0.0.1:8080" } }`);
    expect(errors).toEqual([]);
    const effective = effectiveSettings(settings);
    for (const printed of [settingsText(effective), JSON.stringify(effectiveJson(effective))]) {
      expect(printed).not.toContain('literal');
      expect(printed.match(/shown/g)).toHaveLength(2);
    }
  });

  it('has all defaults in the order of the reference', async () => {
    const { settings } = await load(full);
    const text = settingsText(effectiveSettings(settings));
    for (const line of ['max-header-count 100', 'grace', 'idle-secs 75', 'max-idle 5', 'hash-key "client_ip"']) {
      expect(text).toContain(line);
    }
    const tops = [...text.matchAll(/^([a-z]+) \{/gm)].map(([, name]) => name);
    expect(tops).toEqual(['system', 'listeners', 'routes', 'upstreams', 'agents', 'limits', 'admin', 'tracing']);
  });

  it('hides literal secrets, and shows references', () => {
    const settings = settingsOf(`admin { token "s3cret" }
routes { route "r" { matches { header "Authorization" "Bearer s3cret"; header "x-api-key" "s3cret"; header "Cookie" "s3cret" } } }
tracing { endpoint "https://c.example"; collector-header "authorization" "s3cret" }
agents { agent "a" { socket "/s"; config {
  jwt-secret "s3cret"; api-keys "s3cret:a" "s3cret:b"; own-password "s3cret"; client { my-token "s3cret" key-s3cret-not="x" }
  store-url "redis://u:s3cret@h"; deep { deeper { secret-of-ours "s3cret" { child "s3cret" } } }
  oidc "corp" client-secret="s3cret"
  dsn "s3cret"; bearer "s3cret"; authorization "s3cret"; cookie "s3cret"; webhook "s3cret"; door-pin "s3cret"
  unheard-of "s3cret" { more "s3cret" }; mode "Bearer s3cret"; address "https://h/x?api_key=s3cret&a=b"
} } }`);
    const effective = effectiveSettings(settings);
    const shown = settingsText(effective) + JSON.stringify(effectiveJson(effective));
    expect(shown.replaceAll('key-s3cret-not', '').replaceAll('secret-of-ours', '')).not.toContain('s3cret');
    expect(shown).toContain('collector-header "authorization" "***"');
    expect(shown).toContain('header "Authorization" "***"');
    expect(shown).toContain('&a=b');
  });

  it('as JSON has arrays for repeatable keys', async () => {
    const { settings } = await load(full);
    expect(effectiveJson(effectiveSettings(settings))).toMatchObject({
      listeners: {
        listener: [{ name: 'http', address: '127.0.0.1:8080', 'trusted-proxies': ['10.0.0.0/8', 'fd00::/8'] }],
      },
      routes: { route: [{ name: 'b' }, { name: 'a', agents: ['auth', 'other'] }] },
      admin: { token: '(env)TOKEN' },
    });
  });

  const variablesOf = (text: string): Record<string, string> =>
    Object.fromEntries(
      [...text.matchAll(/\(env\)"([^"]+)"/g)].map(([, name = '']) => [
        name,
        /URL|REDIS|STORE/.test(name)
          ? 'rediss://u:pw@r.example:6379'
          : `01234567890123456789012345678901234567890${/KEYS|FILE/.test(name) ? ':me' : ''}`,
      ]),
    );

  const read = (name: string, text: string, environment: Record<string, string>) =>
    new KdlConfigurationSource(name, { environment, patterns: re2PathPatterns, texts: new Map([[name, text]]) }).load();

  const files = [
    ...readdirSync('config')
      .filter((name) => name.endsWith('.kdl'))
      .map((name) => `config/${name}`),
    ...readdirSync('test/corpus/migration')
      .filter((name) => name.endsWith('.expected.kdl'))
      .map((name) => `test/corpus/migration/${name}`),
  ];

  it.each(files)('of %s is stable', async (name) => {
    const text = readFileSync(name, 'utf8').replace(/\(file\)"[^"]*"/g, '(env)"A_FILE"');
    const environment = variablesOf(text);
    const before = await read(name, text, environment);
    expect(before.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    const printed = settingsText(effectiveSettings(before.settings ?? []));
    const after = await read(name, printed, environment);
    // A hidden value differs or is invalid.
    if (!printed.includes('***')) {
      expect(JSON.stringify(after.configuration)).toBe(JSON.stringify(before.configuration));
    }
    expect(settingsText(effectiveSettings(after.settings ?? []))).toBe(printed);
  });

  it('shows http2 of a listener, unless its protocol is a reference', async () => {
    const http2Of = async (body: string): Promise<string | null> => {
      const text = `listeners { listener "l" { address "127.0.0.1:1"; ${body} } }\n${route}`;
      const { errors, settings } = await load(text);
      expect(errors).toEqual([]);
      return /^\s+http2 (.*)$/m.exec(settingsText(effectiveSettings(settings)))?.[1] ?? null;
    };
    const route = 'routes { route "r" { matches { path "/" }; service-type "builtin"; builtin-handler "health" } }';
    const tls = 'tls { cert-file "/c.pem"; key-file "/k.pem" }';
    expect(await http2Of('')).toBe('#false');
    expect(await http2Of('protocol "http"; http2 #true')).toBe('#true');
    expect(await http2Of(`protocol "https"; ${tls}`)).toBe('#true');
    expect(await http2Of(`protocol "https"; ${tls}; http2 #false`)).toBe('#false');
    expect(await http2Of('protocol (env)"PROTOCOL"')).toBe(null);
  });

  it('shows the path of the private key of an upstream, never a pasted key', async () => {
    const printed = async (key: string): Promise<string> => {
      const { settings } = await load(
        `upstreams { upstream "u" { target "a.example:443"; tls { client-cert "/me.pem"; client-key "${key}" } } }`,
      );
      return settingsText(effectiveSettings(settings));
    };
    expect(await printed('/me.key')).toContain('client-key "/me.key"');
    expect(await printed('-----BEGIN PRIVATE KEY-----')).not.toContain('PRIVATE');
  });

  it('shows the defaults that depend on other keys', async () => {
    const { configuration, settings } = await load(`
listeners { listener "http" { address "127.0.0.1:8080"; proxy-protocol #true; trusted-proxies "10.0.0.0/8" } }
routes { route "r" { matches { path "/" }; upstream "u"; policies { rate-limit { requests-per-second 3 } } } }
upstreams { upstream "u" { target "a.example:80" "b.example:80"; health-check { type "http"; interval-secs 2 } } }
`);
    const printed = settingsText(effectiveSettings(settings));
    for (const line of ['proxy-header-secs 5', 'burst 30', 'timeout-secs 2', 'expected-status 200']) {
      expect(printed).toContain(line);
    }
    expect(printed).toMatch(
      /circuit-breaker \{\n\s+failure-threshold 5\n\s+timeout-seconds 30\n\s+probes 1\n\s+spare-last-target #true/,
    );
    const again = await load(printed);
    expect(JSON.stringify(again.configuration)).toBe(JSON.stringify(configuration));
  });
});
