import { describe, expect, it } from 'vitest';
import { KdlConfigurationSource } from '../../../../../src/adapters/outbound/kdl-configuration/kdl-configuration-source.js';
import { migrateText } from '../../../../../src/adapters/outbound/kdl-configuration/migrate-text.js';
import { re2PathPatterns } from '../../../../../src/adapters/outbound/re2-path-patterns/re2-path-patterns.js';
import { compileRouteTable } from '../../../../../src/domain/gateway/routing/route-table.js';
import { migrationCorpus } from '../../../../support/gateway/migration-corpus.js';

const comments = (text: string): readonly string[] =>
  (text.match(/\/\/[^\n\r"]*$|\/\*.*?\*\/|\/- (?!kdl-version)[^\n\r{]*/gmsu) ?? []).map((one) => one.trim()).toSorted();

const load = (text: string) =>
  new KdlConfigurationSource('old.kdl', {
    environment: null,
    patterns: re2PathPatterns,
    texts: new Map([['old.kdl', text]]),
  }).load();

/** Gives variables a value, because a file with unknown variables has no configuration. */
const known = (text: string): string =>
  text.replace(/\((?:env|file)\)"[^"]*"/g, '"0123456789012345678901234567890123456789:x"');

const corpus = migrationCorpus();

it('has more than twenty files', () => {
  expect(corpus.length).toBeGreaterThan(20);
});

describe.each(corpus)('the old file $name', ({ name, old, expected, requests }) => {
  it('becomes the expected file', () => {
    expect(migrateText(old).text).toBe(expected);
    expect(migrateText(old).left).toEqual([]);
  });

  it('is not changed a second time', () => {
    expect(migrateText(expected)).toMatchObject({ text: expected, changes: [], left: [] });
  });

  it('keeps every comment', () => {
    expect(comments(expected)).toEqual(comments(old));
  });

  it('has no errors then', async () => {
    expect((await load(expected)).problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  it('routes requests like the expected file', async () => {
    const { configuration } = await load(known(expected));
    const table = compileRouteTable(configuration?.routes ?? [], re2PathPatterns);
    expect(requests.length).toBeGreaterThan(0);
    for (const { line, request, route } of requests) {
      expect([line, table.ok && (table.value.find(request)?.id ?? null)]).toEqual([line, route]);
    }
  });

  it('reports each change with its line', () => {
    const { changes } = migrateText(old);
    expect(changes.length > 0).toBe(name !== 'up-to-date');
    for (const { line } of changes) expect(line).toBeLessThanOrEqual(old.split('\n').length);
    expect(changes.map(({ line }) => line)).toEqual(changes.map(({ line }) => line).toSorted((a, b) => a - b));
  });
});

describe('what no rule can change', () => {
  it.each([
    ['server { }\nsystem { }', 1, 'merge the two by hand'],
    ['route { matches { path "/" } }', 1, 'needs a name'],
    ['upstreams { upstream "u" { timeout-secs 5; timeouts { request-secs 6 } } }', 1, 'exclude each other'],
    ['upstreams { upstream "u" {\n timeout-secs 5\n timeout-secs 6 } }', 2, 'it needs exactly one value there'],
    ['routes { route "a" {\n matches { path "/a" }\n path "/b" } }', 3, 'keep one of them'],
    ['routes { route "a" {\n path "/b"\n matches { host "a" }; matches { host "b" } } }', 2, 'occurs twice'],
  ])('%s', (text, line, message) => {
    const migrated = migrateText(text);
    expect(migrated.left).toEqual([{ line, message: expect.stringContaining(message) }]);
    expect(migrated.text).toBe(text);
  });

  it.each(['a {', 'a "', '} b', 'a [[1], [2]', 'a (', '\\', 'a [ { b 1 } ]', 'a ] 1', 'a "\u0000"', '/* a'])(
    'is no KDL: %j',
    (text) => {
      expect(migrateText(text)).toMatchObject({ text, changes: [], left: [] });
    },
  );
});

describe('lists in brackets', () => {
  it.each([
    ['agents ["a","b"]\n', 'agents "a" "b"\n'],
    ['agents["a"]\n', 'agents "a"\n'],
    ['agents [ "a" , "b" ] // c\n', 'agents "a"  "b"  // c\n'],
    ['agents "a", "b"\n', 'agents "a" "b"\n'],
    ['agents [\n  "a",\n  "b",\n]\n', 'agents "a" "b"\n'],
    ['agents [\n  "a" // x\n  "b"\n]\n', 'agents \\\n  "a" \\ // x\n  "b"\n'],
    ['e [\n "a" // x\n ]; f "b"; g 5\n', 'e \\\n "a" \\ // x\n ; f "b"; g 5\n'],
    ['e [\n "a" // x\n\n ] "b"\n', 'e \\\n "a" \\ // x\n "b"\n'],
    ['e [\n "a" // x\n ] // y\n', 'e \\\n "a" \\ // x\n  // y\n'],
    ['e [\n "a" // x\n ]\n', 'e \\\n "a" // x\n'],
    ['e [a]b\n', 'e a b\n'],
    ['e [ // x\n ]; f 1\n', 'e #null  \\ // x\n ; f 1\n'],
    ['agents []\n', 'agents #null\n'],
    ['header "a" "[b, c]" [1]\n', 'header "a" "[b, c]" 1\n'],
  ])('%j', (old, expected) => {
    expect(migrateText(old).text).toBe(expected);
  });

  it('are unchanged in comments and strings', () => {
    const text = 'a "[1, 2]" // [3, true]\nb #"[true]"# /* [4] */\n';
    expect(migrateText(text).text).toBe(text);
  });
});

describe('text without quotes', () => {
  it.each([
    ['hook http://x/y', 'hook "http://x/y"'],
    ['hook http://x/y?a=b#c // c', 'hook "http://x/y?a=b#c" // c'],
    ['hooks [http://x/y, http://z]', 'hooks "http://x/y" "http://z"'],
    ['hook http://x/y true', 'hook "http://x/y" #true'],
    ['events [ /* none */ ]', 'events #null /* none */'],
  ])('%s is %s', (old, now) => {
    expect(migrateText(old)).toMatchObject({ text: now, refused: null });
    expect(migrateText(now)).toMatchObject({ text: now, changes: [], left: [] });
  });
});

describe('comments', () => {
  it.each([
    'upstreams { upstream "u" { timeout-secs /* c */ 5 /* d */ ; target "h:1" } }',
    'routes { route "r" /* c */ path="/p" /* d */ { upstream "u" } }',
    'upstreams { upstream "u" /* c */ timeout-secs=5 /* d */ }',
    'routes { route "r" { path "/p" /* c */ ; host "a" /* d */; } }',
    'routes { route "r" path /* c */ = /* d */ "/p" { upstream "u" } }',
  ])('of %s are kept', (old) => {
    const { text, changes } = migrateText(old);
    expect(changes.length).toBeGreaterThan(0);
    expect(text.match(/\/\* c \*\//g)).toHaveLength(1);
    expect(text.match(/\/\* d \*\//g)).toHaveLength(1);
    expect(migrateText(text)).toMatchObject({ text, changes: [], left: [] });
  });
});

describe('a commented-out setting', () => {
  it.each(['1', '2'])('is not the marker of version %s, which stays the first thing', (version) => {
    const { text } = migrateText(`/- kdl-version ${version}\nroute "r" { upstream "u" }\n`);
    expect(text).toBe('/- kdl-version 2\nroutes {\n  route "r" { upstream "u" }\n}\n');
  });

  it('moves only to its own group', () => {
    const { text } = migrateText(
      '/- listener "off" { }\nroute "a" { }\n/-route "b" { }\n/- listener "x" { }\nroute "c" { }\n',
    );
    expect(text).toBe(
      '/- listener "off" { }\nroutes {\n  route "a" { }\n  /-route "b" { }\n}\n/- listener "x" { }\nroutes {\n  route "c" { }\n}\n',
    );
  });

  it('moves with its neighbouring keys only', () => {
    const { text } = migrateText('routes { route "r" { path "/z"; /-path "/zz"; /-upstream "v"; host "h"; } }');
    expect(text).toMatch(/matches \{ path "\/z"; \/-path "\/zz"; host "h" \}/);
    expect(text).toMatch(/\/-upstream "v"/);
  });
});

it('uses the last of two properties with one name', () => {
  expect(migrateText('routes { route "r" path="/z" path="/zz" { upstream "u" } }').text).toBe(
    'routes { route "r" { upstream "u"; matches { path "/zz" } } }',
  );
});

it('names the limit for a text that is too long', () => {
  expect(migrateText('a 1\n'.repeat(130_000)).refused).toContain('250000 tokens');
});

describe('errors behind other errors', () => {
  it('are found after all repairs', () => {
    const { text, refused } = migrateText('a ["x", "y"]\nb true\nc "x"y\n');
    expect(text).toBe('a ["x", "y"]\nb true\nc "x"y\n');
    expect(refused).toContain('line 3: ');
  });

  it('are repaired: names that begin with a digit, and an empty statement', () => {
    const { text, changes } = migrateText('errors {\n  404 "/x"; ; 5xx "/y";;\n  list [1, 2]\n};\n;\n');
    expect(text).toBe('errors {\n  "404" "/x";  "5xx" "/y";\n  list 1 2\n};\n\n');
    expect(changes.map(({ line }) => line)).toEqual([2, 2, 3, 5]);
  });
});
