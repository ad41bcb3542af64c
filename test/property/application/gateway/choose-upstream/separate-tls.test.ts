import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CurrentTlsContext } from '../../../../../src/application/gateway/choose-upstream/endpoint-set.js';
import type { TargetClient } from '../../../../../src/application/ports/gateway/upstream-client.js';
import type { UpstreamTlsContext } from '../../../../../src/application/ports/gateway/upstream-tls.js';
import type { FakeTargetClient } from '../../../../support/gateway/fake-target-clients.js';
import { tcpAddress } from '../../../../support/gateway/tcp-address.js';
import { anybody, TargetsWorld, upstreamOf } from '../../../../support/gateway/upstream-targets.js';

const hosts = ['a.test', 'b.test', 'c.test'] as const;
const addresses = ['10.0.0.1', '10.0.0.2', '10.0.0.3'] as const;

const contextFor = (): CurrentTlsContext => ({
  current: { isUpstreamTlsContext: true, warnings: [], certificates: [] } satisfies UpstreamTlsContext,
  watch: () => undefined,
  stopWatching: () => undefined,
});

interface Plan {
  readonly targets: readonly (typeof hosts)[number][];
  /** Null: the host of each target. */
  readonly serverName: string | null;
}

const plan: fc.Arbitrary<Plan> = fc.record({
  targets: fc.uniqueArray(fc.constantFrom(...hosts), { minLength: 1 }),
  serverName: fc.constantFrom(null, null, 'fixed.test'),
});

/** Addresses of each host, after each lookup. */
const lookups = fc.array(fc.tuple(...hosts.map(() => fc.subarray([...addresses], { minLength: 1 }))), { minLength: 1 });

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
};

describe('connections of upstreams that share addresses', () => {
  it('are never used for another tls block, nor for another server name', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(plan, { minLength: 1, maxLength: 4 }), lookups, async (plans, rounds) => {
        const world = new TargetsWorld(Math.random);
        const opened = plans.map(({ targets, serverName }, index) => {
          const tls = { serverName, caCertFile: null, certificate: null, minVersion: '1.2', verifies: true } as const;
          const changes = { name: `upstream-${index}`, tls };
          const context = contextFor();
          const configuration = upstreamOf(
            targets.map((host) => `${host}:443`),
            changes,
          );
          return { context, serverName, targets: world.open(configuration, 100, context) };
        });
        const users = new Map<TargetClient, string>();
        for (const round of rounds) {
          for (const [index, found] of round.entries()) world.resolver.set(hosts[index] as string, ...found);
          await Promise.all(opened.map(({ targets }) => targets.start()));
          await settled();
          for (const [index, { context, serverName, targets }] of opened.entries()) {
            for (let request = 0; request < 6; request += 1) {
              const choice = targets.choose(anybody);
              expect(choice.kind).toBe('chosen');
              if (choice.kind !== 'chosen') continue;
              choice.ended('success');
              const { settings } = choice.client as unknown as FakeTargetClient;
              expect(settings.tls?.context).toBe(context.current);
              const name = settings.tls?.serverName ?? '';
              if (serverName !== null) expect(name).toBe(serverName);
              // The name is one whose lookup gave this address.
              else expect(round[hosts.indexOf(name as 'a.test')]).toContain(tcpAddress(settings.address).host);
              const user = `${index} ${name}`;
              expect(users.get(choice.client) ?? user).toBe(user);
              users.set(choice.client, user);
            }
          }
        }
      }),
    );
  });
});
