import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatProblem } from '../../../../src/domain/configuration/configuration-problem.js';
import { loadConfiguration } from '../../../support/gateway/configuration-files.js';
import { configurationText, withConfig, withListener } from '../../../support/shared/configuration-text.js';
import { type TemporaryFolder, temporaryFolder } from '../../../support/shared/temporary-folder.js';

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

const load = (text: string, environment?: Readonly<Record<string, string>>) =>
  loadConfiguration(folder.write('gateway.kdl', text), environment);

const report = async (text: string, environment?: Readonly<Record<string, string>>): Promise<string> =>
  (await load(text, environment)).problems.map(formatProblem).join('\n').replaceAll(`${folder.path}/`, '');

const sound = async (text: string, environment?: Readonly<Record<string, string>>) => {
  const { configuration, problems } = await load(text, environment);
  expect(problems.map(formatProblem)).toEqual([]);
  if (configuration === null) throw new Error('no configuration');
  return configuration;
};

describe('a configuration file', () => {
  it('gives the same configuration in KDL 1 and in KDL 2', async () => {
    const text = configurationText({
      more: 'admin { address "0.0.0.0:9090"; insecure-no-token #true }\nlimits { max-memory-bytes #null }',
      routes: 'routes { route "api" { matches { path-regex #"^/x\\d+$"# }; upstream "echo"; agents "auth" } }',
    });
    const old = text
      .replace('#true', 'true')
      .replace('#null', 'null')
      .replace('#"', 'r"')
      .replace('"#', '"')
      // KDL 1 wants every setting ended, the last one of a block too.
      .replaceAll(' }', '; }');
    expect(old).not.toContain('#');
    expect(await sound(old)).toEqual(await sound(text));
  });

  it('may begin with a byte order mark', async () => {
    expect((await sound(`\ufeff${configurationText()}`)).listeners).toHaveLength(1);
  });

  it('reports an error with line, caret and suggestion', async () => {
    expect(await report(withListener('\n  adress "127.0.0.1:1"\n  address "127.0.0.1:1"\n'))).toBe(
      'gateway.kdl:2:3: error: unknown key "adress" in listener "http"\n    adress "127.0.0.1:1"\n    ^\n  did you mean "address"?',
    );
  });

  it('explains bracket lists, and reports the other errors', async () => {
    const text = configurationText({
      routes:
        'routes {\n  route "api" {\n    matches { path-prefix ["/"] }\n    upstrem "echo"\n    agents ["auth", "other"]\n  }\n}',
    });
    const lines = (await report(text)).split('\n');
    expect(lines.filter((line) => line.startsWith('gateway.kdl'))).toEqual([
      'gateway.kdl:3:9: error: route "api" has no destination',
      'gateway.kdl:4:27: error: brackets have no meaning in KDL',
      'gateway.kdl:5:5: error: unknown key "upstrem" in route "api"',
      'gateway.kdl:6:12: error: brackets have no meaning in KDL',
      'gateway.kdl:6:21: error: route "api" refers to an agent "other" that is not defined',
    ]);
    expect(lines).toContain('      agents ["auth", "other"]');
    expect(lines).toContain('  lists have no brackets: write agents "auth" "other"');
  });

  it.each([
    ['404 "/x"', 'a name cannot begin with a digit', 'put the name in quotes: "404"'],
    ['4xx #true', 'a name cannot begin with a digit', 'put the name in quotes: "4xx"'],
    ['; limits { }', 'there is nothing before this ";"', 'delete the ";": it ends a setting'],
    ['limits { ; }', 'there is nothing before this ";"', 'delete the ";": it ends a setting'],
    ['limits { };; ', 'there is nothing before this ";"', 'delete the ";": it ends a setting'],
  ])('explains the error in %j', async (more, message, suggestion) => {
    const text = await report(configurationText({ more }));
    expect(text).toContain(`error: ${message}`);
    expect(text).toContain(suggestion);
  });

  it('shows the line of an error unless it contains a secret', async () => {
    const shown = [
      ['jwt-isuer "x"', true],
      ['jwt-secrt "x"', false],
      ['auth "x"', false],
      ['api-key-header "X-API-Key" "y"', true],
      ['jwt-public-key "https://idp.example/jwks"', true],
      ['saml {\n  enabled #true\n}', true],
      ['token-cache-size "x"', true],
    ] as const;
    for (const [option, isShown] of shown) {
      const [line = ''] = option.split('\n');
      expect(`${await report(withConfig(`\n${option}\n`))} `.includes(`\n  ${line}`)).toBe(isShown);
    }
    const broken = 'upstreams { upstream "u" { hash-key "cookie:sid"';
    expect(await report(broken)).toContain(`\n  ${broken}`);
    expect(await report('admin { token "abc"')).not.toContain('abc');
    expect(await report('routes { route "a" { header "X-Key" "abc"')).not.toContain('abc');
    expect(await report('agents { agent "a" { config { key "abc"')).not.toContain('abc');
  });
});

describe('values from variables and files', () => {
  it('are reported if empty', async () => {
    folder.write('empty', '\n');
    const text = withConfig(
      'api-keys (env)"KEYS"; oidc { enabled #true; issuer (file)"empty"; jwks-refresh-secs (env)"REFRESH" }',
    );
    const said = await report(text, { KEYS: '', REFRESH: '' });
    expect(said).toContain('"api-keys" must not be empty: the environment variable KEYS is set, but empty');
    expect(said).toContain(`"issuer" must not be empty: the file empty is empty`);
    expect(said).toContain('not what was given: the environment variable REFRESH is set, but empty');
  });

  it('are not interpolated in a text: a similar part causes a warning', async () => {
    expect(await report(withConfig(`api-keys "k:a"; api-key-header "X"; jwt-secret "\${SECRET}"`))).toContain(
      'write (env)"SECRET"',
    );
    expect(
      await report(
        withConfig(`oidc { enabled #true; issuer "https://\${HOST}/"; audience "a"; jwks-url "https://i.example/k" }`),
      ),
    ).toContain('warning: "issuer" contains a variable, but text is literal');
  });

  it('are read', async () => {
    folder.write('token', 'from-file\n');
    const configuration = await sound(
      configurationText({
        more: `admin { address (env)"ADMIN"; token (file)"token" }
          system { graceful-shutdown-timeout-secs (env)"GRACE" }`,
        agents:
          'agents { agent "auth" { transport "embedded"; config { api-keys (env)"KEYS"; fail-open (env)"OPEN" } } }',
      }),
      { ADMIN: '0.0.0.0:9091', KEYS: 'a:b,c:d\n', GRACE: '7', OPEN: 'true' },
    );
    expect(configuration.admin?.address).toEqual({ host: '0.0.0.0', port: 9091 });
    expect(configuration.admin?.token?.reveal()).toBe('from-file');
    expect(configuration.system.gracefulShutdownTimeoutMs).toBe(7000);
    expect(configuration.agents[0]?.config).toMatchObject({ 'api-keys': 'a:b,c:d\n' });
  });

  it('cause exactly one error if missing', async () => {
    mkdirSync(folder.file('directory'));
    const text = await report(
      withConfig(
        '\napi-keys (env)"NO_KEYS"\njwt-issuer (file)"nowhere"\njwt-audience (file)"directory"\nuser-id-header (base64)"x"\nauth-method-header (env)5\n',
      ),
    );
    expect(text.split('\n').filter((line) => line.includes('error'))).toEqual([
      'gateway.kdl:5:10: error: the environment variable NO_KEYS is not set',
      'gateway.kdl:6:12: error: the file nowhere is unreadable: there is no such file',
      'gateway.kdl:7:14: error: the file directory is unreadable: it is a directory',
      'gateway.kdl:8:16: error: unknown type annotation (base64)',
      'gateway.kdl:9:20: error: (env) needs a name in quotes',
    ]);
  });

  it('are bounded and never block', async () => {
    truncateSync(folder.write('huge', ''), 1_048_577);
    expect(await report(withConfig('jwt-issuer (file)"huge"'))).toContain('it is larger than 1048576 bytes');
    expect(await report(withConfig('jwt-issuer (file)"/dev/zero"'))).toContain('it is not a regular file');
  });

  it('appear in no message about them', async () => {
    const text = await report(
      configurationText({
        listeners:
          'listeners { listener "a" { address (env)"A" }; listener "b" { address (env)"A" }; listener (env)"S" { address "127.0.0.1:1" } }',
        routes: `routes {
          route "a" { matches { path (env)"S" "/a"; path-prefix (env)"P"; path-regex (env)"R" }; upstream (env)"S"; agents (env)"S" }
          route "b" { matches { path "/" }; upstream (env)"S"; agents (env)"AGENT" (env)"AGENT" } }`,
        agents: `agents { agent "auth" { transport "embedded"; config { user-id-header (env)"H" } }
          agent "x" { transport (env)"S" } }`,
        more: 'admin { address (env)"A" }',
      }),
      { S: 'S3CRET', P: '/S3CRET//', R: 'S3CRET(', A: 's3cret.example:80', H: 'Host', AGENT: 'auth' },
    );
    expect(text.match(/error/g)?.length).toBeGreaterThan(10);
    expect(text).not.toMatch(/s3cret|twice "auth"|header Host/i);
  });

  it('appear in no message about their errors', async () => {
    folder.write('secret', 'S3CRET S3CRET');
    const text = await report(
      configurationText({
        more: 'admin { address (env)"S"; token (file)"secret" }\nlimits { max-header-count (env)"S"; max-body-size-bytes (env)"S" }',
        listeners: 'listeners { listener "http" { address (env)"S"; protocol (env)"S"; trusted-proxies (env)"S" } }',
        routes:
          'routes { route "api" { priority (env)"S"; matches { method (env)"S"; host (env)"S"; header (env)"S" }; upstream "echo" } }',
        agents:
          'agents { agent "auth" { transport "embedded"; timeout-ms (env)"S"; config { api-keys (env)"S"; jwt-algorithm (env)"S"; user-id-header (env)"S" } } }',
      }),
      { S: 'S3CRET /S3CRET' },
    );
    expect(text.match(/error/g)?.length).toBeGreaterThan(10);
    expect(text).not.toContain('S3CRET');
  });

  it('appear in no routing message', async () => {
    const text = await report(
      configurationText({
        routes: `routes { route "api" { matches { path "/" }; upstream "echo"; policies { buffer-requests (env)"S"
          rate-limit { requests-per-second (env)"S"; burst (env)"S"; key (env)"S" } } } }`,
        upstreams: `upstreams { upstream "echo" { target (env)"S" weight=(env)"S"; load-balancing (env)"S"; hash-key (env)"S"
          sticky-cookie (env)"S"; connection-pool max-idle=(env)"S"; dns-refresh-secs (env)"S"
          health-check { type "http" { path (env)"S"; host (env)"S"; expected-status (env)"S" }; interval-secs (env)"S" } }
          upstream "b" { target "a:1"; health-check { type "grpc" service=(env)"S" } }
          upstream "c" { target "a:1"; health-check { type (env)"S" } } }`,
        more: `limits { max-total-connections (env)"S"; max-memory-percent (env)"S"; rate-limit-store (env)"S" }
          tracing { endpoint (env)"S"; collector-header (env)"S" (env)"S"; sample-ratio (env)"S" }`,
      }),
      { S: 'S3CRET S3CRET' },
    );
    expect(text.match(/error: /g)?.length).toBeGreaterThan(18);
    expect(text).not.toContain('S3CRET');
  });
});

describe('lines with a secret', () => {
  it.each([
    ['a setting with its secret', withConfig('\n  jwt-secret "S3CRET"\n'), '  jwt-secret [secret]'],
    ['a secret on the line after', withConfig('\n  jwt-secret \\\n    "S3CRET"\n'), '[secret]'],
    ['a bare secret on the line after', withConfig('\n  jwt-secret \\\n    S3CRET\n'), '[secret]'],
    ['a second bare secret on the line after', withConfig('\n  jwt-secret x \\\n    S3CRET\n'), '[secret]'],
    ['a secret of several lines', withConfig('\n  jwt-secret """\n    S3CRET\n    """\n'), '  jwt-secret [secret]'],
    ['a misspelt secret', withConfig('\n  jwt-secrit "S3CRET"\n'), '  jwt-secrit [secret]'],
    ['a misspelt secret after another key', withConfig('\n  fail-open #true; jwt-secrit "S3CRET"\n'), '[secret]'],
    ['a secret as a property', configurationText({ more: '\nadmin token="S3CRET S3CRET"\n' }), 'token [secret]'],
    ['another mistake beside a secret', withConfig('\n  api-keys "S3CRET:a"; fail-open 3\n'), '  api-keys [secret]'],
    ['a secret that no schema knows', withConfig('\n  password "S3CRET" x=1e999\n'), '[secret]'],
    ['a secret in the wrong block', withListener('\n  address "127.0.0.1:1"\n  token "S3CRET"\n'), '  token [secret]'],
    [
      'a URL with its password',
      configurationText({ more: 'limits {\n  rate-limit-store "redis"\n  rate-limit-store-url "http://S3CRET@h"\n}' }),
      '  rate-limit-store-url [secret]',
    ],
    [
      'a header of a collector',
      configurationText({ more: 'tracing {\n  collector-header "A B" "S3CRET"\n}' }),
      '  collector-header [secret]',
    ],
    [
      'a misspelt header of a collector',
      configurationText({ more: 'tracing {\n  colector-header "A" "S3CRET"\n}' }),
      '  colector-header [secret]',
    ],
    [
      'a collector with a password',
      configurationText({ more: 'tracing {\n  endpoint "https://S3CRET@h/v1/traces"\n}' }),
      '[secret]',
    ],
    [
      'a header with a mistake of syntax',
      'tracing {\n  collector-header "A" S3CRET=\n}',
      '  collector-header [secret]',
    ],
    ['a header in a misspelt setting and such a mistake', 'tracing {\n  header "Authorization" S3CRET=\n}', '[secret]'],
    [
      'a URL with a mistake of syntax',
      'limits {\n  rate-limit-store-url S3CRET=\n}',
      '  rate-limit-store-url [secret]',
    ],
    ['a URL in a misspelt setting and such a mistake', 'limits {\n  storre-url "redis://u:S3CRET@h" x=\n}', '[secret]'],
    [
      'a password in a URL of a setting that is not secret',
      'limits {\n  store "redis://u:S3CRET@h" x=\n}',
      'store "redis://***@h" x=',
    ],
    ['an unclosed string', 'admin {\n  token "S3CRET\n}', '  token [secret]'],
    ['two strings in one', 'admin {\n  token "a"S3CRET"\n}', '  token [secret]'],
    ['a bracket list', 'config {\n  api-keys ["S3CRET:a", "S3CRET:b"]\n}', '  api-keys [secret]'],
    [
      'a bracket list of several lines',
      'config {\n  api-keys "a:b" \\ // more\n  "S3CRET" [\n  "S3CRET"\n  ]\n}',
      '[secret]',
    ],
    ['a bracket', 'config {\n  api-keys \\\n  "S3CRET:a" ]\n}', '[secret]'],
    ['a misspelt secret with a mistake of syntax', 'config {\n  jwt_secret S3CRET=\n}', '[secret]'],
  ])('are shortened: %s', async (_name, text, line) => {
    const found = await report(text);
    expect(found.split('\n').map((one) => one.trim())).toContain(line.trim());
    expect(found).not.toContain('S3CRET');
  });
});

describe('include', () => {
  it('combines files, relative to the including file', async () => {
    mkdirSync(folder.file('parts'));
    folder.write(
      'parts/routes.kdl',
      'include "more.kdl"\nroutes { route "b" { matches { path "/b" }; upstream "echo"; agents #null } }',
    );
    folder.write('parts/more.kdl', 'routes { route "c" { matches { path "/c" }; upstream "echo"; agents #null } }');
    const { routes } = await sound(`include "parts/routes.kdl"\n${configurationText()}`);
    expect(routes.map(({ id }) => id)).toEqual(['c', 'b', 'api']);
  });

  it('keeps the position of an error', async () => {
    folder.write('other.kdl', '\n  limitz { }');
    expect(await report(`${configurationText()}\ninclude "other.kdl"`)).toContain(
      'other.kdl:2:3: error: unknown key "limitz"\n    limitz { }\n    ^',
    );
  });

  it('refuses cycles of every kind', async () => {
    folder.write('a.kdl', 'include "b.kdl"');
    folder.write('b.kdl', 'include "link.kdl"');
    symlinkSync(folder.file('a.kdl'), folder.file('link.kdl'));
    expect(await report('include "a.kdl"')).toContain('b.kdl:1:9: error: link.kdl includes itself');
    expect(await report('include "gateway.kdl"')).toContain('gateway.kdl:1:9: error: gateway.kdl includes itself');
  });

  it('allows a depth of 16 files', async () => {
    for (let depth = 1; depth < 20; depth += 1) folder.write(`${depth}.kdl`, `include "${depth + 1}.kdl"`);
    expect(await report('include "1.kdl"')).toContain(
      '15.kdl:1:9: error: includes are nested more than 16 levels deep',
    );
  });

  it('bounds the total size over repeated includes', async () => {
    folder.write('big.kdl', `//${'x'.repeat(300_000)}`);
    const text = await report(`include${' "big.kdl"'.repeat(8)}`);
    expect(text).toMatch(/^gateway.kdl:1:69: error: big.kdl cannot be read: it is larger than \d+ bytes/);
  });

  it('reports a missing file, and checks the rest', async () => {
    const text = await report('include "nowhere.kdl"\nlimits { max-header-count 0 }');
    expect(text.split('\n').filter((line) => line.includes('error'))).toEqual([
      'gateway.kdl:1:9: error: nowhere.kdl cannot be read: there is no such file',
      'gateway.kdl:2:27: error: "max-header-count" must be an integer from 1 to 10000, not 0',
    ]);
  });

  it.each(['include', 'include 5', 'include "a" { }', 'include x=1', 'include ""'])(
    'needs the name of a file: %s',
    async (text) => {
      expect(await report(text)).toContain('"include" needs file names');
    },
  );
});

describe('a hostile file', () => {
  it('of 100 MB is refused before it is read', async () => {
    const path = folder.write('gateway.kdl', '');
    truncateSync(path, 100_000_000);
    const { configuration, problems } = await loadConfiguration(path);
    expect(configuration).toBeNull();
    expect(problems.map(({ message }) => message)).toEqual([`${path} cannot be read: it is larger than 2097152 bytes`]);
  });

  it.each([
    ['nested 100 000 times', 'a{'.repeat(100_000), ':1:130: error: blocks are nested more than 64 levels deep'],
    ['commented 100 000 times', '/*'.repeat(100_000), ':1:129: error: comments are nested more than 64 levels deep'],
    ['with a NUL', 'a\n b\0', ':2:3: error: the character U+0000 is not allowed in KDL'],
    ['with a right-to-left override', 'a "\u202e"', ':1:4: error: the character U+202E is not allowed in KDL'],
    ['with an unclosed string', 'a\nb "x', ':2:3: error: the string that begins here is not closed'],
    ['with an unclosed comment', 'a /* x', ':1:3: error: the comment that begins here is not closed'],
    ['with __proto__ as a key', '__proto__ { x 1 }', ':1:1: error: "__proto__" cannot be a name'],
    ['with __proto__ as a property', 'a __proto__=1', ':1:3: error: "__proto__" cannot be a name'],
    ['with an escaped __proto__', '"__prot\\u{6f}__" 1', ':1:1: error: "__proto__" cannot be a name'],
    ['with constructor as a key', 'a { constructor 1 }', ':1:5: error: "constructor" cannot be a name'],
    ['with a property twice', 'a b=1 b=2', ':1:7: error: the property "b" is given twice'],
    ['with a number beyond 2^53', 'a 9007199254740993', ':1:3: error: a number above 2^53 is not exact'],
    ['with an endless number', `a ${'9'.repeat(10_000)}`, 'is not a usable number'],
    ['with a number beyond a double', 'a 1e400', ':1:3: error: 1e400 is not a usable number'],
    ['with an infinite number', 'a #inf', ':1:3: error: #inf is not a usable number'],
    ['with half a character in KDL 1', '/- kdl-version 1\na "\\u{D800}"', ':2:3: error: '],
    ['with half a character in KDL 2', 'a "\\u{D800}"', 'Invalid unicode escape'],
    ['of one endless word', 'a'.repeat(1_000_000), 'error: unknown key'],
    ['of number signs', '#'.repeat(1_000_000), 'there are more than 64 number signs in a row'],
    ['of words', 'a '.repeat(500_000), 'the configuration is too long'],
    ['of backslashes', '\\'.repeat(1_000_000), 'the configuration is too long'],
    ['of quotes', '"'.repeat(999_999), 'error: '],
    ['with an annotation before a name', '(x)a 1', ':1:1: error: a name cannot have a type annotation'],
  ])('%s ends in an error', async (_name, text, expected) => {
    const found = await report(text);
    expect(found).toContain(expected);
    expect(found.length).toBeLessThan(100_000);
  });

  it('of invalid UTF-8 is refused with the position', async () => {
    const path = folder.file('gateway.kdl');
    writeFileSync(path, Buffer.concat([Buffer.from('a "é"\nb "😀'), Buffer.from([0xc3, 0x28]), Buffer.from('"')]));
    const [problem] = (await loadConfiguration(path)).problems;
    expect(problem?.message).toContain('it is not valid UTF-8');
    expect(problem?.position).toMatchObject({ line: 2, column: 5 });
  });

  it('with thousands of errors shows a hundred', async () => {
    const { problems } = await load('a\n'.repeat(5000));
    expect(problems).toHaveLength(101);
    expect(problems.at(-1)?.message).toBe('more than 100 problems: correct these first to see the rest');
  });

  it.each([
    ['that is missing', () => folder.file('nowhere.kdl'), 'there is no such file'],
    ['that is a directory', () => folder.path, 'it is a directory'],
    ['that never ends', () => '/dev/zero', 'it is not a regular file'],
    ['with a NUL in its name', () => 'a\0b', 'it cannot be read'],
  ])('%s is one clear error', async (_name, path, reason) => {
    const { configuration, problems } = await loadConfiguration(path());
    expect(configuration).toBeNull();
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).toContain(reason);
  });
});

describe('a shown line', () => {
  it.each([
    'upstreams { upstream "u" { target "http://user:s3cret@h:1" } }',
    'upstreams { upstream "u" { target "user:s3cret@h:1" } }',
    'agents { agent "a" { socket "/s"; sockt 1; config { bob "s3cret" } } }',
    'agents { agent "a" { socket "/s"; sockt 1; config { deep { bob "s3cret" } } } }',
    'agents { agent "a" { socket "/s"; sockt 1; config { deep bob="s3cret" } } }',
    'agents { agent "a" { socket "/s"; config { bob "s3cret" [ } } }',
    'agents { agent "a" { socket "/s"; config {\n bob "s3cret" [\n } } }',
    'routes { route "r" { matches { header "Authorization" "Bearer s3cret"; pth "x" } } }',
    'agents { agent "a" { socket "/s"; sockt 1; config { dsn "s3cret" } } }',
    'limits { unheard-of "https://h/x?token=s3cret" }',
    'limits { unheard-of "https://user:s3cret@h/x" ',
  ])('contains no secret: %s', async (text) => {
    const problems = await report(text);
    expect(problems).toContain('error');
    expect(problems).not.toContain('s3cret');
  });
});
