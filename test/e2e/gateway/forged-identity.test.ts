import { beforeEach, describe, expect } from 'vitest';
import { valuesOf } from '../../support/gateway/recording-upstream.js';
import { it } from '../../support/shared/fixtures.js';
import { type GatewayStack, startStack, untilTrue } from '../../support/shared/gateway-stack.js';
import type { RunningProcess } from '../../support/shared/processes.js';
import { runAgent } from '../../support/shared/running-gateway.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';

/** What a client sends to be taken for somebody else. The configured names are X-Who and X-How. */
const forged = [
  'X-User-Id',
  'x-user-id',
  'X_User_Id',
  'x_user-ID',
  'X-Auth-Method',
  'X-AUTH_METHOD',
  'X-Auth-Claim-Role',
  'x_auth_claim_role',
  'x-auth-claim-',
  'X-Client-Cert-CN',
  'X_Client_Cert_CN',
  'X-Client-Cert-DN',
  'X-Client-Cert',
  'Client-Cert',
  'X-Forwarded-Client-Cert',
  'X-Who',
  'x_who',
  'X-How',
].flatMap((name) => [name, 'mallory']);

const config = 'api-keys "good-key:alice"; user-id-header "X-Who"; auth-method-header "X-How"';
const isIdentityName = (name: string): boolean => /who|how|user.id|auth.method|claim|cert/i.test(name);

const agents = [
  { name: 'embedded-closed', transport: 'embedded', failOpen: false },
  { name: 'embedded-open', transport: 'embedded', failOpen: true },
  { name: 'socket-closed', transport: 'socket', failOpen: false },
  { name: 'socket-open', transport: 'socket', failOpen: true },
  { name: 'never-there', transport: 'socket', failOpen: true },
] as const;
// One gateway asks all agents, each on its own route.
const processes = new Map<string, RunningProcess>();
let stack: GatewayStack;
it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
  const sockets = temporaryFolder();
  cleanUp.add(() => sockets.remove());
  const blockOf = ({ name, transport, failOpen }: (typeof agents)[number]): string => `
    agents { agent "${name}" {
      ${transport === 'embedded' ? 'transport "embedded"' : `socket "${sockets.file(name)}"`}
      config { ${config}; fail-open #${failOpen} }
    } }
    routes { route "${name}" { matches { path-prefix "/${name}" }; upstream "back"; agents "${name}" } }`;
  for (const { name, transport } of agents) {
    if (transport === 'embedded' || name === 'never-there') continue;
    const agent = runAgent(['--socket', sockets.file(name)]);
    cleanUp.add(() => agent.stop());
    processes.set(name, agent);
  }
  stack = await startStack(cleanUp, { blocks: agents.map(blockOf).join('\n') });
  await untilAbsent('never-there');
});
beforeEach(() => void stack.upstream.received.splice(0));

const untilAbsent = (...names: readonly string[]): Promise<void> =>
  untilTrue(`the gateway knows that ${names.join()} are not there, and nobody else`, async () => {
    const { absent_agents: absent } = (await stack.report('/ready')) as { readonly absent_agents: readonly string[] };
    return absent.toSorted().join() === names.toSorted().join();
  });

describe.each(agents.filter(({ name }) => name !== 'never-there'))(
  'forged identity headers, the agent $transport, fail-open $failOpen',
  ({ name, transport, failOpen }) => {
    const ask = (credential: readonly string[]) =>
      stack.ask({ path: `/${name}`, headers: ['Host', 'a', ...forged, ...credential] });

    it('never reach the upstream with a valid credential', async () => {
      const answer = await ask(['X-API-Key', 'good-key']);
      expect(answer.status).toBe(200);
      const [received] = stack.upstream.received;
      expect(received && valuesOf(received, 'x-who')).toEqual(['alice']);
      expect(received && valuesOf(received, 'x-how')).toEqual(['api_key']);
      expect(JSON.stringify(received)).not.toContain('mallory');
    });

    it.each([
      ['a bad credential', ['X-API-Key', 'bad-key']],
      ['no credential', []],
      ['a garbled token', ['Authorization', 'Bearer no.token.this']],
    ])('never reach the upstream with %s', async (_name, credential) => {
      const answer = await ask(credential);
      expect(answer.status).toBe(failOpen ? 200 : 401);
      expect(stack.upstream.received).toHaveLength(failOpen ? 1 : 0);
      const headers = stack.upstream.received[0]?.rawHeaders ?? [];
      expect(headers.join()).not.toContain('mallory');
      expect(headers.filter((_, index) => index % 2 === 0).filter(isIdentityName)).toEqual([]);
    });

    if (transport === 'socket') {
      it('do not reach the upstream after the agent dies, and neither does the request', async () => {
        const agent = processes.get(name);
        agent?.signal('SIGKILL');
        expect(await agent?.exited).toEqual({ code: null, signal: 'SIGKILL' });
        processes.delete(name);
        expect((await ask(['X-API-Key', 'good-key'])).status).toBe(503);
        const dead = agents.filter((other) => other.transport === 'socket' && !processes.has(other.name));
        await untilAbsent(...dead.map((other) => other.name));
        expect((await ask(['X-API-Key', 'good-key'])).status).toBe(503);
        expect(stack.upstream.received).toEqual([]);
      });
    }
  },
);

describe('an agent that never started', () => {
  it('passes no request', async () => {
    const headers = ['Host', 'a', ...forged, 'X-API-Key', 'good-key'];
    const { status, body } = await stack.ask({ path: '/never-there', headers });
    expect(status).toBe(503);
    expect(JSON.parse(body)).toMatchObject({ code: 'agent_unavailable' });
    expect(stack.upstream.received).toEqual([]);
  });
});
