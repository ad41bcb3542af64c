import { expect } from 'vitest';
import { RedisStoreOpener } from '../../../src/adapters/outbound/redis-session-store/redis-store-opener.js';
import { seededAgentConfig, seeder } from '../../support/agent/seeded-sessions.js';
import {
  atWorkersMs,
  delaysAfter,
  everywhereMs,
  listedSessions,
  mostOf,
  reachedWorkers,
  revokeByCommand,
  revokeSession,
  seededAgentMembers,
} from '../../support/agent/session-ends.js';
import { it } from '../../support/shared/fixtures.js';
import type { GatewayStack } from '../../support/shared/gateway-stack.js';
import { describeWithPeers } from '../../support/shared/peers.js';
import { RecordingLogger } from '../../support/shared/recording-logger.js';
import { startRedis } from '../../support/shared/redis-server.js';
import { asAdmin, startWorkerStack } from '../../support/shared/worker-stack.js';

describeWithPeers(['redis-server'], 'two gateways, each with an agent of its own, and one Redis', () => {
  it('refuse a session within a second at the gateway that ended it, within five at the other', async ({
    cleanUp,
    folder,
  }) => {
    const redis = await startRedis();
    cleanUp.add(redis.remove);
    const agentConfig = seededAgentConfig(folder, `store "redis"; url "${redis.url().reveal()}"`);
    const start = (name: string): Promise<GatewayStack> => {
      const socket = `unix:${folder.file(`${name}.sock`)}`;
      return startWorkerStack(cleanUp, {
        transport: 'socket',
        agentConfig,
        agentMembers: `${seededAgentMembers}; admin { address "${socket}"; token "token-of-${name}" }`,
        agentArguments: ['--admin-address', socket, '--admin-token', `token-of-${name}`],
      });
    };
    const [first, second] = await Promise.all([start('first'), start('second')]);
    const opener = new RedisStoreOpener(new RecordingLogger());
    const seed = await seeder(cleanUp, opener, { kind: 'redis', url: redis.url() });
    const [ann, bob] = [await seed({ user: 'ann' }), await seed({ user: 'bob', method: 'oidc' })];
    const [own, others] = [await reachedWorkers(cleanUp, first), await reachedWorkers(cleanUp, second)];
    expect(await listedSessions(first, '?user=ann')).toEqual({
      sessions: [expect.objectContaining({ id: ann.id, user: 'ann', method: 'saml', agent: 'auth' })],
    });

    const [ofRequest, ofCommand] = await Promise.all([
      delaysAfter([...own, ...others], ann, () => revokeSession(first, ann)),
      delaysAfter([...own, ...others], bob, () => revokeByCommand(second, 'bob')),
    ]);
    expect(mostOf(ofRequest.slice(0, 2))).toBeLessThan(atWorkersMs);
    expect(mostOf(ofRequest)).toBeLessThan(everywhereMs);
    expect(mostOf(ofCommand)).toBeLessThan(everywhereMs);

    const record = await first.agent().wrote(/"stream":"audit".*\n/);
    expect(record).toContain(`"subject":"ann"`);
    expect(record).toContain(`"session":"${ann.id}"`);
    for (const text of [record, first.gateway.output()]) {
      expect(text).not.toContain('token-of-');
      expect(text).not.toContain(ann.cookie.split('=')[1]);
    }

    first.agent().signal('SIGKILL');
    await first.agent().exited;
    const down = await asAdmin(first, '/admin/sessions');
    expect([down.status, JSON.parse(down.body)]).toMatchObject([503, { code: 'agent_unavailable' }]);
    expect(await asAdmin(first, `/admin/sessions/${ann.id}`, 'DELETE')).toMatchObject({ status: 503 });
  });
});
