import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.js';
import { type GatewayStack, startStack, untilTrue } from '../support/gateway-stack.js';
import { valuesOf } from '../support/recording-upstream.js';

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

describe.each([
  { transport: 'embedded', failOpen: false },
  { transport: 'embedded', failOpen: true },
  { transport: 'socket', failOpen: false },
  { transport: 'socket', failOpen: true },
] as const)('forged identity headers, the agent $transport, fail-open $failOpen', ({ transport, failOpen }) => {
  const cleanUp = new CleanUp();
  let stack: GatewayStack;
  beforeAll(async () => {
    stack = await startStack(cleanUp, { transport, agentConfig: `${config}; fail-open #${failOpen}` });
  });
  beforeEach(() => void stack.upstream.received.splice(0));
  afterAll(() => cleanUp.run());

  it('never reach the upstream beside a good credential', async () => {
    const answer = await stack.ask({ headers: ['Host', 'a', ...forged, 'X-API-Key', 'good-key'] });
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
  ])('never reach the upstream beside %s', async (_name, credential) => {
    const answer = await stack.ask({ headers: ['Host', 'a', ...forged, ...credential] });
    expect(answer.status).toBe(failOpen ? 200 : 401);
    expect(stack.upstream.received).toHaveLength(failOpen ? 1 : 0);
    const headers = stack.upstream.received[0]?.rawHeaders ?? [];
    expect(headers.join()).not.toContain('mallory');
    expect(headers.filter((_, index) => index % 2 === 0).filter(isIdentityName)).toEqual([]);
  });

  if (transport === 'socket') {
    it('do not reach the upstream once the agent is dead, nor does the request', async () => {
      stack.agent().signal('SIGKILL');
      await stack.agent().exited;
      const asked = { headers: ['Host', 'a', ...forged, 'X-API-Key', 'good-key'] };
      expect((await stack.ask(asked)).status).toBe(503);
      await untilTrue('the gateway knows that the agent is gone', async () => {
        const { absent_agents: absent } = await stack.report('/ready');
        return JSON.stringify(absent) === '["auth"]';
      });
      expect((await stack.ask(asked)).status).toBe(503);
      expect(stack.upstream.received).toEqual([]);
    });
  }
});

describe('an agent that has never been there', () => {
  const cleanUp = new CleanUp();
  afterAll(() => cleanUp.run());

  it('lets no request pass, whatever it claims', async () => {
    const stack = await startStack(cleanUp, {
      transport: 'socket',
      agentConfig: `${config}; fail-open #true`,
      startAgent: false,
    });
    const { status, body } = await stack.ask({ headers: ['Host', 'a', ...forged, 'X-API-Key', 'good-key'] });
    expect(status).toBe(503);
    expect(JSON.parse(body)).toMatchObject({ code: 'agent_unavailable' });
    expect(stack.upstream.received).toEqual([]);
  });
});
