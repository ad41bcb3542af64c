import { writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import {
  gatewayContainer,
  type RunningGateway,
  startGateway,
} from '../../../../src/bootstrap/gateway/start-gateway.js';
import { echo, type HttpUpstream, startHttpUpstream } from '../../../support/gateway/http-upstream.js';
import { testAgent, testConfiguration, testRoute, testUpstream } from '../../../support/gateway/in-process-gateway.js';
import { RecordingAuditLog } from '../../../support/gateway/recording-audit-log.js';
import { RecordingLogger } from '../../../support/shared/recording-logger.js';
import { temporaryFolder } from '../../../support/shared/temporary-folder.js';

let gateway: RunningGateway | null = null;
let upstream: HttpUpstream | null = null;
const folder = temporaryFolder();

afterEach(async () => {
  await gateway?.stop(0);
  await upstream?.close();
  folder.remove();
});

describe('a reload of a gateway with an embedded agent', () => {
  it("reloads the agent's files, and keeps the old agent if they are invalid", async () => {
    const logger = new RecordingLogger();
    const list = folder.file('keys');
    writeFileSync(list, 'first:alice\n');
    upstream = await startHttpUpstream(echo);
    const agent = { ...testAgent('auth'), config: { 'api-keys': `@${list}` } };
    const configuration = testConfiguration([testUpstream(upstream.port)], {
      agents: [agent],
      routes: [testRoute({ agents: ['auth'] })],
    });
    const container = gatewayContainer(
      folder.file('gateway.kdl'),
      { load: async () => ({ configuration, problems: [] }) },
      {
        logger,
        accessLog: { isOn: true, write: () => undefined },
        droppedAccessLines: () => 0,
        auditOutput: () => new RecordingAuditLog(),
      },
    );
    const readings = (): number => logger.lines.filter(({ message }) => message === 'configuration applied').length;
    const started = await startGateway(container);
    if (!started.ok) throw new Error(started.error.reason ?? 'refused');
    gateway = started.value;
    const port = gateway.addresses.listeners.get('main')?.port;
    const statusWith = async (key: string): Promise<number> =>
      (await fetch(`http://127.0.0.1:${port}/`, { headers: { 'X-API-Key': key } })).status;
    expect([await statusWith('first'), await statusWith('second')]).toEqual([200, 401]);
    expect(readings()).toBe(1);

    writeFileSync(list, 'second:alice\n');
    expect(await gateway.reload()).toMatchObject({ ok: true });
    expect([await statusWith('first'), await statusWith('second')]).toEqual([401, 200]);
    expect(readings()).toBe(2);

    writeFileSync(list, 'no colon here\n');
    expect(await gateway.reload()).toMatchObject({ ok: false });
    expect([await statusWith('first'), await statusWith('second')]).toEqual([401, 200]);
  });
});
