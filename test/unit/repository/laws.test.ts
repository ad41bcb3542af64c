import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cruise, type IConfiguration, type ICruiseResult } from 'dependency-cruiser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const configuration: IConfiguration = createRequire(import.meta.url)(join(root, '.dependency-cruiser.cjs'));

type Tree = Readonly<Record<string, string>>;

/** A house in which every law is kept. */
const lawful: Tree = {
  'package.json': JSON.stringify({
    name: 'house',
    type: 'module',
    dependencies: { inversify: '1.0.0', socket: '1.0.0', 'reflect-metadata': '1.0.0' },
    devDependencies: { checker: '1.0.0' },
  }),
  'tsconfig.json': JSON.stringify({ compilerOptions: { module: 'nodenext', target: 'es2023' } }),
  ...Object.fromEntries(
    ['inversify', 'socket', 'reflect-metadata', 'checker', 'stowaway'].flatMap((name) => [
      [
        `node_modules/${name}/package.json`,
        JSON.stringify({ name, version: '1.0.0', type: 'module', main: 'main.js' }),
      ],
      [`node_modules/${name}/main.js`, 'export const it = 1;'],
    ]),
  ),
  'src/domain/thing.ts': `import type { Other } from './other.js';\nexport const thing: Other = 1;`,
  'src/domain/other.ts': 'export type Other = number;',
  'src/application/ports/port.ts': `export type { Other as Port } from '../../domain/other.js';`,
  'src/application/use-case.ts': `import type { Port } from './ports/port.js';\nexport const use: Port = 2;`,
  'src/adapters/wire/codec.ts': `import { thing } from '../../domain/thing.js';\nexport const codec = thing;`,
  'src/adapters/inbound/http/server.ts': `import 'node:http';\nimport 'socket';\nimport { codec } from '../../wire/codec.js';\nimport { use } from '../../../application/use-case.js';\nexport const server = [codec, use];`,
  'src/adapters/outbound/store/store.ts': `import 'node:fs';\nimport 'socket';\nimport { codec } from '../../wire/codec.js';\nimport type { Port } from '../../../application/ports/port.js';\nimport { helper } from './helper.js';\nexport const store: Port = codec + helper;`,
  'src/adapters/outbound/store/helper.ts': `import { thing } from '../../../domain/thing.js';\nexport const helper = thing;`,
  'src/bootstrap/main-program.ts': `import 'inversify';\nimport { server } from '../adapters/inbound/http/server.js';\nimport { store } from '../adapters/outbound/store/store.js';\nexport const program = [server, store];`,
  'src/bootstrap/main-second.ts': `import '../domain/of-second.js';`,
  'src/domain/of-second.ts': 'export const ofSecond = 1;',
  'test/unit/thing.test.ts': `import 'checker';\nimport { program } from '../../src/bootstrap/main-program.js';\nexport const tested = program;`,
};

/** One breach of each law: what to change in the house, and the edges that have to be reported. */
const breaches: Readonly<Record<string, readonly { change: Tree; edge: string }[]>> = {
  'domain-imports-domain-only': [
    {
      change: { 'src/domain/other.ts': `import 'node:fs';\nexport type Other = number;` },
      edge: 'src/domain/other.ts -> fs',
    },
    {
      change: { 'src/domain/other.ts': `import 'socket';\nexport type Other = number;` },
      edge: 'src/domain/other.ts -> node_modules/socket/main.js',
    },
    {
      change: {
        'src/domain/other.ts': `import type { Clock } from '../application/ports/clock.js';\nexport type Other = Clock;`,
        'src/application/ports/clock.ts': 'export type Clock = number;',
      },
      edge: 'src/domain/other.ts -> src/application/ports/clock.ts',
    },
  ],
  'application-imports-domain-and-itself': [
    {
      change: { 'src/application/use-case.ts': `import 'node:timers';\nexport const use = 2;` },
      edge: 'src/application/use-case.ts -> timers',
    },
    {
      change: { 'src/application/use-case.ts': `import 'socket';\nexport const use = 2;` },
      edge: 'src/application/use-case.ts -> node_modules/socket/main.js',
    },
    {
      change: { 'src/application/use-case.ts': `export { codec as use } from '../adapters/wire/codec.js';` },
      edge: 'src/application/use-case.ts -> src/adapters/wire/codec.ts',
    },
  ],
  'wire-codecs-are-pure': [
    {
      change: { 'src/adapters/wire/codec.ts': `import 'node:buffer';\nexport const codec = 1;` },
      edge: 'src/adapters/wire/codec.ts -> buffer',
    },
    {
      change: { 'src/adapters/wire/codec.ts': `import 'socket';\nexport const codec = 1;` },
      edge: 'src/adapters/wire/codec.ts -> node_modules/socket/main.js',
    },
    {
      change: { 'src/adapters/wire/codec.ts': `export type { Port as codec } from '../../application/ports/port.js';` },
      edge: 'src/adapters/wire/codec.ts -> src/application/ports/port.ts',
    },
  ],
  'http1-codec-imports-nothing': [
    {
      change: {
        'src/adapters/wire/http1/reader.ts': `import type { Other } from '../../../domain/other.js';\nexport const reader: Other = 1;`,
        'src/adapters/wire/codec.ts': `export { reader as codec } from './http1/reader.js';`,
      },
      edge: 'src/adapters/wire/http1/reader.ts -> src/domain/other.ts',
    },
  ],
  'http2-sockets-know-the-wire-only': [
    {
      change: {
        'src/adapters/http2-sockets/gate.ts': `import type { Port } from '../../application/ports/port.js';\nexport const gate: Port = 1;`,
      },
      edge: 'src/adapters/http2-sockets/gate.ts -> src/application/ports/port.ts',
    },
  ],
  'loop-turn-knows-nothing': [
    {
      change: {
        'src/adapters/loop-turn/turn-clock.ts': `export { codec as turnMs } from '../wire/codec.js';`,
      },
      edge: 'src/adapters/loop-turn/turn-clock.ts -> src/adapters/wire/codec.ts',
    },
  ],
  'inbound-adapters-call-the-application': [
    {
      change: {
        'src/adapters/inbound/http/server.ts': `export { settings as server } from '../../../bootstrap/settings.js';`,
        'src/bootstrap/settings.ts': 'export const settings = 1;',
      },
      edge: 'src/adapters/inbound/http/server.ts -> src/bootstrap/settings.ts',
    },
  ],
  'outbound-adapters-know-ports-only': [
    {
      change: {
        'src/adapters/outbound/store/helper.ts': `export { use as helper } from '../../../application/use-case.js';`,
      },
      edge: 'src/adapters/outbound/store/helper.ts -> src/application/use-case.ts',
    },
  ],
  'no-adapter-imports-another': [
    {
      change: {
        'src/adapters/outbound/store/helper.ts': `export { cache as helper } from '../store-cache/cache.js';`,
        'src/adapters/outbound/store-cache/cache.ts': 'export const cache = 1;',
      },
      edge: 'src/adapters/outbound/store/helper.ts -> src/adapters/outbound/store-cache/cache.ts',
    },
    {
      change: {
        'src/adapters/inbound/http/server.ts': `export { helper as server } from '../../outbound/store/helper.js';`,
      },
      edge: 'src/adapters/inbound/http/server.ts -> src/adapters/outbound/store/helper.ts',
    },
  ],
  'adapters-live-in-folders': [
    {
      change: {
        'src/adapters/outbound/loose.ts': `export { thing as loose } from '../../domain/thing.js';`,
        'src/bootstrap/main-loose.ts': `import '../adapters/outbound/loose.js';`,
      },
      edge: 'src/adapters/outbound/loose.ts -> src/domain/thing.ts',
    },
  ],
  'inversify-in-bootstrap-only': [
    {
      change: { 'src/adapters/outbound/store/helper.ts': `import 'inversify';\nexport const helper = 1;` },
      edge: 'src/adapters/outbound/store/helper.ts -> node_modules/inversify/main.js',
    },
  ],
  'reflect-metadata-is-not-imported': [
    {
      change: { 'src/bootstrap/main-other.ts': `import 'reflect-metadata';\nexport const other = 1;` },
      edge: 'src/bootstrap/main-other.ts -> node_modules/reflect-metadata/main.js',
    },
  ],
  'bootstrap-is-imported-by-nobody': [
    {
      change: {
        'src/application/use-case.ts': `export { settings as use } from '../bootstrap/settings.js';`,
        'src/bootstrap/settings.ts': 'export const settings = 1;',
      },
      edge: 'src/application/use-case.ts -> src/bootstrap/settings.ts',
    },
  ],
  'nothing-imports-test': [
    {
      change: {
        'src/bootstrap/main-other.ts': `import '../../test/support/fake.js';`,
        'test/support/fake.ts': `export { thing as fake } from '../../src/domain/thing.js';`,
      },
      edge: 'src/bootstrap/main-other.ts -> test/support/fake.ts',
    },
  ],
  'no-cycles': [
    {
      change: { 'src/domain/other.ts': `import type { thing } from './thing.js';\nexport type Other = typeof thing;` },
      edge: 'src/domain/other.ts -> src/domain/thing.ts',
    },
  ],
  'no-orphans': [
    {
      change: { 'src/domain/lonely.ts': 'export const lonely = 1;' },
      edge: 'src/domain/lonely.ts -> src/domain/lonely.ts',
    },
  ],
  'no-rooms-without-a-door': [
    {
      change: {
        'src/domain/attic.ts': 'export const attic = 1;',
        'test/unit/attic.test.ts': `import '../../src/domain/attic.js';`,
      },
      edge: 'src/domain/attic.ts -> src/domain/attic.ts',
    },
  ],
  'program-uses-no-development-package': [
    {
      change: { 'src/adapters/outbound/store/helper.ts': `import 'checker';\nexport const helper = 1;` },
      edge: 'src/adapters/outbound/store/helper.ts -> node_modules/checker/main.js',
    },
  ],
  'packages-are-declared': [
    {
      change: { 'src/adapters/outbound/store/helper.ts': `import 'stowaway';\nexport const helper = 1;` },
      edge: 'src/adapters/outbound/store/helper.ts -> node_modules/stowaway/main.js',
    },
  ],
  'imports-resolve': [
    {
      change: { 'src/domain/other.ts': `export type { Gone as Other } from './gone.js';` },
      edge: 'src/domain/other.ts -> ./gone.js',
    },
  ],
};

let parent = '';
let houses = 0;

beforeAll(() => {
  parent = mkdtempSync(join(tmpdir(), 'pc-laws-'));
});
afterAll(() => {
  rmSync(parent, { recursive: true, force: true });
});

/** The breaches that `npm run laws` would report in a house, each as `law: from -> to`. */
const inspect = async (tree: Tree): Promise<string[]> => {
  houses += 1;
  const house = join(parent, String(houses));
  for (const [name, content] of Object.entries(tree)) {
    mkdirSync(dirname(join(house, name)), { recursive: true });
    writeFileSync(join(house, name), content);
  }
  const { forbidden = [], options = {} } = configuration;
  const { output } = await cruise(
    ['src', 'test'],
    { ...options, baseDir: house, validate: true, ruleSet: { forbidden } },
    { bustTheCache: true },
    { tsConfig: { options: {}, fileNames: [], errors: [] } },
  );
  return (output as ICruiseResult).summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`);
};

describe('the laws of the house', () => {
  it('find nothing in a house that keeps them', async () => {
    expect(await inspect(lawful)).toEqual([]);
  });

  it('are all broken on purpose below', () => {
    expect(Object.keys(breaches).sort()).toEqual((configuration.forbidden ?? []).map(({ name }) => name).sort());
  });

  it('are errors, not warnings, and each says why it is there', () => {
    for (const { severity, comment } of configuration.forbidden ?? []) {
      expect(severity).toBe('error');
      expect(comment).toBeTruthy();
    }
  });

  const cases = Object.entries(breaches).flatMap(([law, list]) => list.map((breach) => ({ law, ...breach })));
  it.each(cases)('fail the build: $law, $edge', async ({ law, change, edge }) => {
    expect(await inspect({ ...lawful, ...change })).toContain(`${law}: ${edge}`);
  });
});
