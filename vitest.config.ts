import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The end-to-end files that take longest, in the order in which they begin. */
const longest = [
  'instances-behind-balancers',
  'workers',
  'gateway-start',
  'program-upgrade',
  'saml',
  'agent-outage',
  'large-bodies',
  'rate-limits',
  'gateway-auth',
  'gateway-reload',
].map((name) => `/${name}.test.ts`);

/** Lets no long end-to-end file be left alone at the end; all else is in Vitest's own order. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const index = longest.findIndex((path) => moduleId.endsWith(path));
      return index < 0 ? longest.length : index;
    };
    const sorted = await super.sort(files);
    const isLast = ({ project }: TestSpecification): boolean => project.name === 'e2e';
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
 * Files share workers, because tests share nothing that they change and imports took half of the time. At least two
 * workers: Vitest would leave one core of two idle.
 */
const computing: Sharing = { isolate: false, maxWorkers: cores };

/** Tests with sockets wait for much of their time. */
const waiting: Sharing = { isolate: false, maxWorkers: cores + 1 };

/** How long `expect.poll` tries. Vitest's own second is too short for a busy machine. */
const poll = { timeout: 25_000 };

const slowTests = '**/*.slow.test.ts';

/** `groupOrder`: a group starts when the one before has ended, so that heavy tests do not starve each other. */
const project = (name: string, groupOrder: number, testTimeout: number, sharing: Sharing) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    exclude: [slowTests],
    testTimeout,
    expect: { poll },
    hookTimeout: 60_000,
    sequence: { groupOrder },
    ...(name === 'e2e' ? {} : { setupFiles: ['test/support/shared/property-seed.ts'] }),
    ...sharing,
  },
});

/**
 * Tests that measure memory, need every core, or take many seconds. Each file runs alone in a process of its own, so that
 * nothing else uses its heap.
 */
const slow = {
  test: {
    name: 'slow',
    include: [`test/${slowTests}`],
    testTimeout: 120_000,
    expect: { poll },
    hookTimeout: 60_000,
    sequence: { groupOrder: 3 },
    setupFiles: ['test/support/shared/property-seed.ts'],
    isolate: true,
    maxWorkers: 1,
  },
};

/** The tests of HTTP/1.1 and of agents on their socket once more, on sockets of node:net in place of the native layer. */
const onNodeSockets = (name: string, include: readonly string[], sharing: Sharing) => ({
  test: {
    name: `${name}-on-node`,
    include: [...include],
    exclude: [slowTests],
    env: { PORTCULLIS_TEST_SOCKETS: 'node' },
    testTimeout: 60_000,
    expect: { poll },
    hookTimeout: 60_000,
    sequence: { groupOrder: 4 },
    ...(name === 'e2e' ? {} : { setupFiles: ['test/support/shared/property-seed.ts'] }),
    ...sharing,
  },
});

/** unit and property need no sockets; contract and integration open some; e2e starts the built programs. */
export default defineConfig({
  test: {
    allowOnly: false,
    sequence: { sequencer: LongestFirst },
    projects: [
      project('unit', 0, 60_000, computing),
      project('property', 0, 120_000, computing),
      project('contract', 1, 60_000, waiting),
      project('integration', 1, 30_000, waiting),
      project('e2e', 2, 60_000, { isolate: false, maxWorkers: 3 }),
      slow,
      onNodeSockets(
        'integration',
        [
          'test/integration/gateway/**/*.test.ts',
          'test/integration/adapters/inbound/agent-unix-socket/**/*.test.ts',
          'test/integration/adapters/inbound/http-engines/**/*.test.ts',
          'test/integration/adapters/outbound/agent-socket-client/**/*.test.ts',
          'test/integration/adapters/outbound/upstream-clients/**/*.test.ts',
        ],
        waiting,
      ),
      onNodeSockets('e2e', ['test/e2e/gateway/**/*.test.ts'], { isolate: false, maxWorkers: 3 }),
    ],
  },
});
