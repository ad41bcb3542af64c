import { describe, expect, it } from 'vitest';
import { startFakePool } from '../../../../support/gateway/fake-agent-pool.js';

const malformed = { kind: 'malformed', detail: 'no JSON' } as const;

describe('the lines about an agent', () => {
  it('that sends what cannot be read time and again are one a minute, with a count', async () => {
    const pool = await startFakePool({ connections: 1 });
    const lines = () => pool.logger.lines.filter(({ message }) => message === 'Agent sent what cannot be read');
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
      message: 'Agent sent what cannot be read',
      fields: { agent: 'auth', reason: 'no JSON', connections: 10 },
    });
  });

  it('end where their reasons do: texts of libraries have a new line there', async () => {
    const pool = await startFakePool({ connections: 1 });
    pool.connection(0).end({ kind: 'refused', detail: 'error:0A000086:SSL routines::certificate verify failed:\n' });
    const [line] = pool.logger.lines.filter(({ level }) => level === 'error');
    expect(line?.fields['reason']).toBe('error:0A000086:SSL routines::certificate verify failed:');
    expect(pool.client.status().refusal).toBe(line?.fields['reason']);
  });
});
