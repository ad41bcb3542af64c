import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { agentTokens } from '../../../../src/bootstrap/agent/agent-tokens.js';
import { gatewayTokens } from '../../../../src/bootstrap/gateway/gateway-tokens.js';
import { gatewayContainer, startGateway } from '../../../../src/bootstrap/gateway/start-gateway.js';
import { addAgentModule } from '../../../../src/bootstrap/shared/embedded-agents.js';
import { sharedTokens } from '../../../../src/bootstrap/shared/shared-tokens.js';
import { testConfiguration, testRoute, testUpstream } from '../../../support/gateway/in-process-gateway.js';
import { RecordingAuditLog } from '../../../support/gateway/recording-audit-log.js';
import { ManualClock } from '../../../support/shared/manual-clock.js';
import { RecordingLogger } from '../../../support/shared/recording-logger.js';

const container = (configuration = testConfiguration([testUpstream(1)])) =>
  gatewayContainer(
    'gateway.kdl',
    { load: async () => ({ configuration, problems: [] }) },
    {
      logger: new RecordingLogger(),
      accessLog: { isOn: true, write: () => undefined },
      droppedAccessLines: () => 0,
      auditOutput: () => new RecordingAuditLog(),
    },
  );

describe('the container of the gateway', () => {
  it('resolves as a whole, embedded agents included', async () => {
    const whole = container();
    await addAgentModule(whole);
    const tokens = [sharedTokens, agentTokens, gatewayTokens].flatMap((each) => Object.values(each));
    for (const token of tokens) expect(whole.get<unknown>(token)).toBeDefined();
  });

  it('knows the gateway by its host and the whole path of its configuration file', () => {
    expect(container().get(gatewayTokens.proxyId)).toBe(`${hostname()}:${process.cwd()}/gateway.kdl`);
  });

  it('lets a test swap one part, the clock, and keeps the others', async () => {
    const health = testRoute({ upstream: null, builtinHandler: 'status' });
    const swapped = container(testConfiguration([], { routes: [health] }));
    const clock = new ManualClock();
    (await swapped.rebind(sharedTokens.clock)).toConstantValue(clock);
    const started = await startGateway(swapped);
    if (!started.ok) throw new Error('not started');
    const { port } = [...started.value.addresses.listeners.values()][0] ?? { port: 0 };
    const uptime = async (): Promise<unknown> => {
      const response = await fetch(`http://127.0.0.1:${port}/`);
      return ((await response.json()) as { uptime_seconds: number }).uptime_seconds;
    };
    expect(await uptime()).toBe(0);
    clock.advance(90_000);
    expect(await uptime()).toBe(90);
    await started.value.stop(0);
  });
});
