import { describe, expect, it } from 'vitest';
import { startFakePool } from '../../../../support/gateway/fake-agent-pool.js';

const malformed = { kind: 'malformed', detail: 'no JSON' } as const;

describe('the log lines about an agent', () => {
  it('are one per minute, with a count, for an agent that repeatedly sends unreadable data', async () => {
    const pool = await startFakePool({ connections: 1 });
    const lines = () => pool.logger.lines.filter(({ message }) => message === 'Agent sent unreadable data');
    const misbehave = async (): Promise<void> => {
      pool.connector.connections.at(-1)?.end(malformed);
      await pool.scheduler.advance(6_000);
      pool.connector.connections.at(-1)?.ready();
    };
    for (let time = 0; time < 10; time += 1) await misbehave();
    expect(lines()).toHaveLength(1);
    await misbehave();
    expect(lines()).toHaveLength(2);
    expect(lines()[1]).toEqual({
      level: 'error',
      message: 'Agent sent unreadable data',
      fields: { agent: 'auth', reason: 'no JSON', connections: 10 },
    });
  });

  it('have no new line at the end of their reasons', async () => {
    const pool = await startFakePool({ connections: 1 });
    pool.connection(0).end({ kind: 'refused', detail: 'error:0A000086:SSL routines::certificate verify failed:\n' });
    const [line] = pool.logger.lines.filter(({ level }) => level === 'error');
    expect(line?.fields['reason']).toBe('error:0A000086:SSL routines::certificate verify failed:');
    expect(pool.client.status().refusal).toBe(line?.fields['reason']);
  });
});
