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
  'src/domain/shared/thing.ts': `import type { Other } from './other.js';\nexport const thing: Other = 1;`,
  'src/domain/shared/other.ts': 'export type Other = number;',
  'src/application/ports/gateway/port.ts': `export type { Other as Port } from '../../../domain/shared/other.js';`,
  'src/application/gateway/use-case.ts': `import type { Port } from '../ports/gateway/port.js';\nexport const use: Port = 2;`,
  'src/adapters/wire/codec.ts': `import { thing } from '../../domain/shared/thing.js';\nexport const codec = thing;`,
  'src/adapters/inbound/http/server.ts': `import 'node:http';\nimport 'socket';\nimport { codec } from '../../wire/codec.js';\nimport { use } from '../../../application/gateway/use-case.js';\nexport const server = [codec, use];`,
  'src/adapters/outbound/store/store.ts': `import 'node:fs';\nimport 'socket';\nimport { codec } from '../../wire/codec.js';\nimport type { Port } from '../../../application/ports/gateway/port.js';\nimport { helper } from './helper.js';\nexport const store: Port = codec + helper;`,
  'src/adapters/outbound/store/helper.ts': `import { thing } from '../../../domain/shared/thing.js';\nexport const helper = thing;`,
  'src/bootstrap/gateway/main-program.ts': `import 'inversify';\nimport { server } from '../../adapters/inbound/http/server.js';\nimport { store } from '../../adapters/outbound/store/store.js';\nexport const program = [server, store];`,
  'src/bootstrap/agent/main-second.ts': `import '../../domain/agent/of-second.js';`,
  'src/domain/agent/of-second.ts': 'export const ofSecond = 1;',
  'test/unit/thing.test.ts': `import 'checker';\nimport { program } from '../../src/bootstrap/gateway/main-program.js';\nexport const tested = program;`,
};

/** One breach of each law: what to change in the house, and the edges that have to be reported. */
const breaches: Readonly<Record<string, readonly { change: Tree; edge: string }[]>> = {
  'domain-imports-domain-only': [
    {
      change: { 'src/domain/shared/other.ts': `import 'node:fs';\nexport type Other = number;` },
      edge: 'src/domain/shared/other.ts -> fs',
    },
    {
      change: { 'src/domain/shared/other.ts': `import 'socket';\nexport type Other = number;` },
      edge: 'src/domain/shared/other.ts -> node_modules/socket/main.js',
    },
    {
      change: {
        'src/domain/shared/other.ts': `import type { Clock } from '../../application/ports/shared/clock.js';\nexport type Other = Clock;`,
        'src/application/ports/shared/clock.ts': 'export type Clock = number;',
      },
      edge: 'src/domain/shared/other.ts -> src/application/ports/shared/clock.ts',
    },
  ],
  'application-imports-domain-and-itself': [
    {
      change: { 'src/application/gateway/use-case.ts': `import 'node:timers';\nexport const use = 2;` },
      edge: 'src/application/gateway/use-case.ts -> timers',
    },
    {
      change: { 'src/application/gateway/use-case.ts': `import 'socket';\nexport const use = 2;` },
      edge: 'src/application/gateway/use-case.ts -> node_modules/socket/main.js',
    },
    {
      change: { 'src/application/gateway/use-case.ts': `export { codec as use } from '../../adapters/wire/codec.js';` },
      edge: 'src/application/gateway/use-case.ts -> src/adapters/wire/codec.ts',
    },
  ],
  'gateway-knows-no-agent': [
    {
      change: {
        'src/application/gateway/use-case.ts': `export { ofSecond as use } from '../../domain/agent/of-second.js';`,
      },
      edge: 'src/application/gateway/use-case.ts -> src/domain/agent/of-second.ts',
    },
    {
      change: {
        'src/application/gateway/use-case.ts': `export type { Stored as use } from '../ports/agent/store.js';`,
        'src/application/ports/agent/store.ts': 'export type Stored = number;',
      },
      edge: 'src/application/gateway/use-case.ts -> src/application/ports/agent/store.ts',
    },
    {
      change: {
        'src/bootstrap/gateway/main-program.ts': `import '../agent/tokens.js';`,
        'src/bootstrap/agent/tokens.ts': 'export const tokens = 1;',
      },
      edge: 'src/bootstrap/gateway/main-program.ts -> src/bootstrap/agent/tokens.ts',
    },
  ],
  'agent-knows-no-gateway': [
    {
      change: {
        'src/domain/agent/of-second.ts': `export type { Routes as ofSecond } from '../gateway/routes.js';`,
        'src/domain/gateway/routes.ts': 'export type Routes = number;',
      },
      edge: 'src/domain/agent/of-second.ts -> src/domain/gateway/routes.ts',
    },
    {
      change: { 'src/bootstrap/agent/main-second.ts': `import '../gateway/main-program.js';` },
      edge: 'src/bootstrap/agent/main-second.ts -> src/bootstrap/gateway/main-program.ts',
    },
  ],
  'common-folders-know-no-wing': [
    {
      change: { 'src/domain/shared/thing.ts': `export { ofSecond as thing } from '../agent/of-second.js';` },
      edge: 'src/domain/shared/thing.ts -> src/domain/agent/of-second.ts',
    },
    {
      change: {
        'src/domain/shared/thing.ts': `export { schema as thing } from '../configuration/schema.js';`,
        'src/domain/configuration/schema.ts': `export type { Routes as schema } from '../gateway/routes.js';`,
        'src/domain/gateway/routes.ts': 'export type Routes = number;',
      },
      edge: 'src/domain/configuration/schema.ts -> src/domain/gateway/routes.ts',
    },
  ],
  'whole-is-for-adapters-and-bootstrap': [
    {
      change: {
        'src/application/gateway/use-case.ts': `export { both as use } from '../whole/both.js';`,
        'src/application/whole/both.ts': 'export const both = 1;',
      },
      edge: 'src/application/gateway/use-case.ts -> src/application/whole/both.ts',
    },
    {
      change: {
        'src/domain/agent/of-second.ts': `export { advise as ofSecond } from '../configuration/whole/advise.js';`,
        'src/domain/configuration/whole/advise.ts': 'export const advise = 1;',
      },
      edge: 'src/domain/agent/of-second.ts -> src/domain/configuration/whole/advise.ts',
    },
  ],
  'every-file-has-a-wing': [
    {
      change: {
        'src/application/gateway/use-case.ts': `export { loose as use } from '../../domain/routing/loose.js';`,
        'src/domain/routing/loose.ts': `export { thing as loose } from '../shared/thing.js';`,
      },
      edge: 'src/domain/routing/loose.ts -> src/domain/shared/thing.ts',
    },
  ],
  'http2-codec-imports-nothing': [
    {
      change: {
        'src/adapters/wire/http2/frames.ts': `export type { Other as frames } from '../../../domain/shared/other.js';`,
        'src/adapters/wire/codec.ts': `export type { frames as codec } from './http2/frames.js';`,
      },
      edge: 'src/adapters/wire/http2/frames.ts -> src/domain/shared/other.ts',
    },
  ],
  'sessions-know-no-sign-on-method': [
    {
      change: {
        'src/domain/agent/of-second.ts': `export { session as ofSecond } from './sessions/session.js';`,
        'src/domain/agent/sessions/session.ts': `export { nameId as session } from '../saml/name-id.js';`,
        'src/domain/agent/saml/name-id.ts': 'export const nameId = 1;',
      },
      edge: 'src/domain/agent/sessions/session.ts -> src/domain/agent/saml/name-id.ts',
    },
    {
      change: {
        'src/adapters/outbound/store/helper.ts': `export { row as helper } from '../sqlite-session-store/row.js';`,
        'src/adapters/outbound/sqlite-session-store/row.ts': `export { nameId as row } from '../../../domain/agent/saml/name-id.js';`,
        'src/domain/agent/saml/name-id.ts': 'export const nameId = 1;',
      },
      edge: 'src/adapters/outbound/sqlite-session-store/row.ts -> src/domain/agent/saml/name-id.ts',
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
      change: {
        'src/adapters/wire/codec.ts': `export type { Port as codec } from '../../application/ports/gateway/port.js';`,
      },
      edge: 'src/adapters/wire/codec.ts -> src/application/ports/gateway/port.ts',
    },
  ],
  'http1-codec-imports-nothing': [
    {
      change: {
        'src/adapters/wire/http1/reader.ts': `import type { Other } from '../../../domain/shared/other.js';\nexport const reader: Other = 1;`,
        'src/adapters/wire/codec.ts': `export { reader as codec } from './http1/reader.js';`,
      },
      edge: 'src/adapters/wire/http1/reader.ts -> src/domain/shared/other.ts',
    },
  ],
  'http2-sockets-know-the-wire-only': [
    {
      change: {
        'src/adapters/http2-sockets/gate.ts': `import type { Port } from '../../application/ports/gateway/port.js';\nexport const gate: Port = 1;`,
      },
      edge: 'src/adapters/http2-sockets/gate.ts -> src/application/ports/gateway/port.ts',
    },
  ],
  'event-loop-batching-knows-nothing': [
    {
      change: {
        'src/adapters/event-loop-batching/event-loop-turn.ts': `export { codec as turnMs } from '../wire/codec.js';`,
      },
      edge: 'src/adapters/event-loop-batching/event-loop-turn.ts -> src/adapters/wire/codec.ts',
    },
  ],
  'command-line-knows-no-command': [
    {
      change: {
        'src/adapters/command-line/program.ts': `export { server as program } from '../inbound/http/server.js';`,
      },
      edge: 'src/adapters/command-line/program.ts -> src/adapters/inbound/http/server.ts',
    },
  ],
  'stream-sockets-know-no-protocol': [
    {
      change: {
        'src/adapters/stream-sockets/socket.ts': `export { helper as socket } from '../wire/http1/helper.js';`,
        'src/adapters/wire/http1/helper.ts': 'export const helper = 1;',
      },
      edge: 'src/adapters/stream-sockets/socket.ts -> src/adapters/wire/http1/helper.ts',
    },
  ],
  'tls-sockets-know-no-protocol': [
    {
      change: {
        'src/adapters/tls-sockets/socket.ts': `export { helper as socket } from '../wire/http1/helper.js';`,
        'src/adapters/wire/http1/helper.ts': 'export const helper = 1;',
      },
      edge: 'src/adapters/tls-sockets/socket.ts -> src/adapters/wire/http1/helper.ts',
    },
  ],
  'redis-knows-no-store': [
    {
      change: {
        'src/adapters/redis/connection.ts': `export { helper as connection } from '../outbound/store/helper.js';`,
      },
      edge: 'src/adapters/redis/connection.ts -> src/adapters/outbound/store/helper.ts',
    },
  ],
  'inbound-adapters-call-the-application': [
    {
      change: {
        'src/adapters/inbound/http/server.ts': `export { settings as server } from '../../../bootstrap/shared/settings.js';`,
        'src/bootstrap/shared/settings.ts': 'export const settings = 1;',
      },
      edge: 'src/adapters/inbound/http/server.ts -> src/bootstrap/shared/settings.ts',
    },
  ],
  'outbound-adapters-know-ports-only': [
    {
      change: {
        'src/adapters/outbound/store/helper.ts': `export { use as helper } from '../../../application/gateway/use-case.js';`,
      },
      edge: 'src/adapters/outbound/store/helper.ts -> src/application/gateway/use-case.ts',
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
        'src/adapters/outbound/loose.ts': `export { thing as loose } from '../../domain/shared/thing.js';`,
        'src/bootstrap/gateway/main-loose.ts': `import '../../adapters/outbound/loose.js';`,
      },
      edge: 'src/adapters/outbound/loose.ts -> src/domain/shared/thing.ts',
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
      change: { 'src/bootstrap/gateway/main-other.ts': `import 'reflect-metadata';\nexport const other = 1;` },
      edge: 'src/bootstrap/gateway/main-other.ts -> node_modules/reflect-metadata/main.js',
    },
  ],
  'nothing-imports-bootstrap': [
    {
      change: {
        'src/application/gateway/use-case.ts': `export { settings as use } from '../../bootstrap/shared/settings.js';`,
        'src/bootstrap/shared/settings.ts': 'export const settings = 1;',
      },
      edge: 'src/application/gateway/use-case.ts -> src/bootstrap/shared/settings.ts',
    },
  ],
  'nothing-imports-test': [
    {
      change: {
        'src/bootstrap/gateway/main-other.ts': `import '../../../test/support/fake.js';`,
        'test/support/fake.ts': `export { thing as fake } from '../../src/domain/shared/thing.js';`,
      },
      edge: 'src/bootstrap/gateway/main-other.ts -> test/support/fake.ts',
    },
  ],
  'no-cycles': [
    {
      change: {
        'src/domain/shared/other.ts': `import type { thing } from './thing.js';\nexport type Other = typeof thing;`,
      },
      edge: 'src/domain/shared/other.ts -> src/domain/shared/thing.ts',
    },
  ],
  'no-orphans': [
    {
      change: { 'src/domain/shared/lonely.ts': 'export const lonely = 1;' },
      edge: 'src/domain/shared/lonely.ts -> src/domain/shared/lonely.ts',
    },
  ],
  'no-unreachable-files': [
    {
      change: {
        'src/domain/shared/attic.ts': 'export const attic = 1;',
        'test/unit/attic.test.ts': `import '../../src/domain/shared/attic.js';`,
      },
      edge: 'src/domain/shared/attic.ts -> src/domain/shared/attic.ts',
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
      change: { 'src/domain/shared/other.ts': `export type { Gone as Other } from './gone.js';` },
      edge: 'src/domain/shared/other.ts -> ./gone.js',
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
