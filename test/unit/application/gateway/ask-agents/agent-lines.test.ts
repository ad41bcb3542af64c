import { describe, expect, it } from 'vitest';
import { AgentLines, agentLineLimits } from '../../../../../src/application/gateway/ask-agents/agent-lines.js';
import type { AgentLogLine } from '../../../../../src/domain/agent-protocol/agent-log-line.js';
import { startFakePool } from '../../../../support/gateway/fake-agent-pool.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

const line = (members: Partial<AgentLogLine> = {}): AgentLogLine => ({
  level: 'info',
  message: 'hello',
  correlationId: null,
  fields: {},
  ...members,
});

const start = () => {
  const clock = new ManualClock();
  const logger = new RecordingLogger();
  return { clock, logger, lines: new AgentLines('auth', clock, logger) };
};

describe('a log line of an agent', () => {
  it.each(['debug', 'info', 'warn', 'error'] as const)("is logged as %s, with the agent's text in fields", (level) => {
    const { logger, lines } = start();
    lines.write(
      line({ level, message: 'key "a" is old', correlationId: 'c1', fields: { agent: 'other', level: 'x' } }),
    );
    expect(logger.lines).toEqual([
      {
        level,
        message: 'Agent writes',
        fields: { agent: 'auth', text: 'key "a" is old', correlation_id: 'c1', fields: ['agent=other', 'level=x'] },
      },
    ]);
  });

  it('hides the value of a field whose name denotes a secret', () => {
    const { logger, lines } = start();
    lines.write(line({ fields: { password: 'hunter2', apiKey: 'k', user: 'alice' } }));
    expect(logger.lines[0]?.fields['fields']).toEqual(['password=[secret]', 'apiKey=[secret]', 'user=alice']);
  });

  it('is truncated if it is long', () => {
    const { logger, lines } = start();
    const long = 'x'.repeat(10_000);
    const fields = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`${index}${long}`, long]));
    lines.write(line({ message: long, correlationId: long, fields }));
    const written = logger.lines[0]?.fields ?? {};
    expect(written['text']).toHaveLength(agentLineLimits.text);
    expect(written['correlation_id']).toHaveLength(agentLineLimits.id);
    expect(written['fields']).toHaveLength(agentLineLimits.fields);
    expect(JSON.stringify(written).length).toBeLessThan(25_000);
  });

  it('is dropped after the limit per minute, which is logged once', () => {
    const { clock, logger, lines } = start();
    for (let index = 0; index < 1_000; index += 1) lines.write(line());
    for (let index = 0; index < 1_000; index += 1) lines.note({ kind: 'rule_update' });
    expect(logger.lines).toHaveLength(agentLineLimits.perMinute + 1);
    expect(logger.lines.at(-1)).toMatchObject({ level: 'warn', fields: { agent: 'auth' } });
    clock.advance(60_000);
    lines.write(line({ message: 'again' }));
    expect(logger.lines).toHaveLength(agentLineLimits.perMinute + 2);
  });
});

describe('an update that the gateway ignores', () => {
  it.each([
    [{ kind: 'restart_required', reason: 'new binary' } as const, 'new binary'],
    [{ kind: 'rule_update' } as const, null],
    [{ kind: 'list_update' } as const, null],
  ])('is logged as a warning: %j', async (update, reason) => {
    const { client, connection, logger } = await startFakePool({ connections: 1 });
    connection(0).listener.onConfigUpdate({ requestId: 'r', update });
    expect(logger.lines.filter(({ level }) => level === 'warn')).toMatchObject([{ fields: { agent: 'auth', reason } }]);
    expect(client.status()).toMatchObject({ connections: 1, refusal: null });
    expect(connection(0).configures).toEqual([]);
  });

  it('is logged when it arrives on a connection, like log lines', async () => {
    const { connection, logger } = await startFakePool({ connections: 1 });
    connection(0).listener.onLogLine(line({ message: 'by a connection' }));
    expect(logger.lines.at(-1)?.fields['text']).toBe('by a connection');
  });
});
