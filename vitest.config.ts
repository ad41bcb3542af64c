import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { httpEngineNames, standardHttpEngine } from './src/domain/configuration/gateway-configuration.js';

/** The engine that tests of a gateway run with once more, beside the one of a gateway whose configuration names none. */
const otherEngine = httpEngineNames.find((name) => name !== standardHttpEngine) ?? standardHttpEngine;

/** Integration tests that send requests through a gateway, or to what listens for one. */
const integrationWithGateway = [
  'adapters/inbound/http-engines/*',
  'adapters/inbound/http-engines/http2/*',
  'application/agent-service/authorized-requests',
  'bootstrap/embedded-agent-reload',
  'bootstrap/hanging-worker',
  'documentation/*',
  'gateway/**/*',
].map((name) => `test/integration/${name}.test.ts`);

/** Integration tests that try each engine by themselves: they run once. */
const ofEachEngine = ['gateway/smuggling/**/*', 'documentation/http-engines', 'documentation/http-strictness'].map(
  (name) => `test/integration/${name}.test.ts`,
);

/** End-to-end files in which no request goes through a gateway, or whose gateways each name their engine: they run once. */
const ofNoEngine = [
  'agent-start',
  'gateway-auth',
  'hash-commands',
  'http-engine',
  'loaded-modules',
  'policy-commands',
  'session-commands',
  'session-store-processes',
].map((name) => `test/e2e/${name}.test.ts`);

/**
 * The end-to-end files that take longest, in the order in which they begin. `saml-durability` and
 * `sustained-load` take every core that they get and are far apart, so that each runs beside files that start programs and wait.
 */
const longest = [
  'saml-durability',
  'instances-behind-balancers',
  'faults-under-load',
  'workers',
  'gateway-start',
  'program-upgrade',
  'saml',
  'sustained-load',
  'agent-outage',
  'large-bodies',
  'rate-limits',
  'gateway-auth',
  'gateway-reload',
].map((name) => `/test/e2e/${name}.test.ts`);

/** Lets no long end-to-end file be left alone at the end; all else is in Vitest's own order. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // The files of the second engine begin when all of the first have begun: a heavy file is not beside itself then.
    const rank = ({ moduleId, project }: TestSpecification): number => {
      const index = longest.findIndex((path) => moduleId.endsWith(path));
      return (project.name === 'e2e' ? 0 : longest.length + 1) + (index < 0 ? longest.length : index);
    };
    const sorted = await super.sort(files);
    const isLast = ({ project }: TestSpecification): boolean => project.name.startsWith('e2e');
    return [
      ...sorted.filter((file) => !isLast(file)),
      ...sorted.filter(isLast).sort((one, other) => rank(one) - rank(other)),
    ];
  }
}

/** How the files of a project share workers. */
interface Sharing {
  readonly isolate: boolean;
  readonly maxWorkers: number;
}

const cores = Math.max(2, availableParallelism());

/**
 * Tests within one process share nothing that they change, so no file needs a worker of its own: to import everything
 * again for each took half of the time. Two workers at least, for Vitest would leave one core of two idle.
 */
const computing: Sharing = { isolate: false, maxWorkers: cores };

/** Tests with sockets wait for much of their time. */
const waiting: Sharing = { isolate: false, maxWorkers: cores + 1 };

/** What the built programs read and test/support/engine-under-test.ts, too. */
const engineVariable = 'GATEWAY_HTTP_ENGINE';

/**
 * `groupOrder`: a group starts when the one before has ended, so that heavy tests do not starve each other. The variable is
 * empty, as if it were absent: programs take the standard engine by themselves, whatever the shell of this run says.
 */
const project = (name: string, groupOrder: number, testTimeout: number, sharing: Sharing) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    testTimeout,
    hookTimeout: 60_000,
    sequence: { groupOrder },
    env: { [engineVariable]: '' },
    ...(name === 'e2e' ? {} : { setupFiles: ['test/support/property-seed.ts'] }),
    ...sharing,
  },
});

/** The files of a project that send requests through a gateway, once more with the other engine. */
const withOtherEngine = (
  { test }: ReturnType<typeof project>,
  files: readonly string[],
  exclude: readonly string[],
) => ({
  test: {
    ...test,
    name: `${test.name}-${otherEngine}`,
    include: [...files],
    exclude: [...exclude],
    env: { [engineVariable]: otherEngine },
  },
});

const integration = project('integration', 1, 30_000, waiting);
const e2e = project('e2e', 2, 60_000, { isolate: true, maxWorkers: 3 });

/** unit and property need no sockets; contract and integration open some; e2e starts the built programs. */
export default defineConfig({
  test: {
    allowOnly: false,
    sequence: { sequencer: LongestFirst },
    projects: [
      project('unit', 0, 10_000, computing),
      project('property', 0, 30_000, computing),
      project('contract', 1, 15_000, waiting),
      integration,
      withOtherEngine(integration, integrationWithGateway, ofEachEngine),
      e2e,
      withOtherEngine(e2e, ['test/e2e/**/*.test.ts'], ofNoEngine),
    ],
  },
});
