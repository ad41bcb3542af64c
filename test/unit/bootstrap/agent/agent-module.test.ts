import { Container } from 'inversify';
import { describe, expect, it } from 'vitest';
import { agentModule } from '../../../../src/bootstrap/agent/agent-module.js';
import { agentTokens } from '../../../../src/bootstrap/agent/agent-tokens.js';
import { agentContainer } from '../../../../src/bootstrap/agent/start-agent.js';
import { sharedTokens } from '../../../../src/bootstrap/shared/shared-tokens.js';
import { privatePem } from '../../../support/agent/exchange-company.js';
import { exchangeConfig, subjectToken, TokenClient, tokenIssuer } from '../../../support/agent/exchanging-agent.js';
import { optionsOf, requestEvent } from '../../../support/agent/test-agent.js';
import { ecPair, publicPem, signToken } from '../../../support/agent/test-tokens.js';
import { ManualClock } from '../../../support/shared/manual-clock.js';
import { RecordingLogger } from '../../../support/shared/recording-logger.js';
import { temporaryFolder } from '../../../support/shared/temporary-folder.js';

const secret = 'a secret that is longer than thirty-two bytes';

describe('the container of the agent', () => {
  it('resolves every binding', () => {
    const container = agentContainer(new RecordingLogger());
    for (const token of [...Object.values(sharedTokens), ...Object.values(agentTokens)]) {
      expect(container.get<unknown>(token)).toBeDefined();
    }
  });

  it('lets a test replace one binding, the clock, and keeps the others', async () => {
    const container = agentContainer(new RecordingLogger());
    const clock = new ManualClock();
    (await container.rebind(sharedTokens.clock)).toConstantValue(clock);
    const agent = container.get(agentTokens.agentFactory)({
      overrides: optionsOf({ 'jwt-secret': secret }),
      block: {},
    });
    await agent.start();
    const headers = [
      'authorization',
      `Bearer ${signToken('HS256', secret, { sub: 'ann', exp: clock.seconds() + 60 })}`,
    ];
    const kind = async () => (await agent.decide(requestEvent(headers), Symbol('connection'))).decision.kind;
    expect(await kind()).toBe('allow');
    clock.advance(90_000);
    expect(await kind()).toBe('block');
  });

  it('gives a gateway separate agents, each with its own configuration', async () => {
    const container = agentContainer(new RecordingLogger());
    const make = container.get(agentTokens.agentFactory);
    const giver = { proxyId: 'gateway', proxyVersion: '1', connection: Symbol('connection') };
    const agents = [make({ overrides: {}, block: {} }), make({ overrides: {}, block: {} })] as const;
    expect(await agents[0].configure({ 'api-keys': ['one:a'] }, giver, 'change')).toMatchObject({ ok: true });
    expect(await agents[1].configure({ 'api-keys': ['two:b'] }, giver, 'change')).toMatchObject({ ok: true });
    const decisions = await Promise.all(
      agents.map((agent) => agent.decide(requestEvent(['x-api-key', 'one']), Symbol('connection'))),
    );
    expect(decisions.map(({ decision }) => decision.kind)).toEqual(['allow', 'block']);
    expect(agents[0].capabilities().agentId).not.toBe(agents[1].capabilities().agentId);
  });

  it('names an embedded agent in each of its log lines', async () => {
    const logger = new RecordingLogger();
    const make = agentContainer(logger).get(agentTokens.agentFactory);
    const giver = { proxyId: 'gateway', proxyVersion: '1', connection: Symbol('connection') };
    const agent = make({ overrides: {}, block: {} }, 'auth');
    await agent.configure({ 'api-keys': ['one:a'] }, giver, 'change');
    await agent.decide(requestEvent(['x-api-key', 'two']), giver.connection);
    expect(logger.lines.length).toBeGreaterThan(1);
    expect(logger.lines.every(({ fields }) => fields['agent'] === 'auth')).toBe(true);
  });

  it('gives each embedded agent separate used assertions, which a later agent of its name inherits', async () => {
    const folder = temporaryFolder();
    try {
      const container = agentContainer(new RecordingLogger());
      const clock = new ManualClock();
      (await container.rebind(sharedTokens.clock)).toConstantValue(clock);
      const make = container.get(agentTokens.agentFactory);
      const robot = ecPair();
      const keyFile = folder.write('robot.pem', publicPem(robot.publicKey));
      const signing = folder.write('signing.pem', privatePem(ecPair()));
      const clients = { client: { name: 'robot', 'public-key-file': keyFile, 'allowed-audiences': ['orders'] } };
      const overrides = optionsOf(exchangeConfig([signing], { clients }));
      const claims = { iss: 'robot', sub: 'robot', aud: tokenIssuer, jti: 'j-1', exp: clock.seconds() + 60 };
      const fields = {
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: signToken('ES256', robot.privateKey, claims),
      };
      const statuses: number[] = [];
      for (const name of ['a', 'b', undefined, 'a', 'b', undefined]) {
        const agent = make({ overrides, block: {} }, name);
        expect((await agent.start()).ok).toBe(true);
        const connection = Symbol('connection');
        const caller = new TokenClient((event) => agent.decide(event, connection));
        statuses.push((await caller.exchange(subjectToken(clock.seconds()), fields, { authorization: null })).status);
        await agent.stop();
      }
      expect(statuses).toEqual([200, 200, 200, 401, 401, 401]);
    } finally {
      folder.remove();
    }
  });

  it("cannot resolve without its host's bindings", () => {
    const container = new Container();
    container.load(agentModule);
    expect(() => container.get(agentTokens.agentFactory)).toThrow();
  });
});
