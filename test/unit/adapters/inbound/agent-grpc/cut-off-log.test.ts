import { describe, expect, it } from 'vitest';
import { CutOffLog } from '../../../../../src/adapters/inbound/agent-grpc/cut-off-log.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

describe('the log of calls that are cut off', () => {
  it('has a line at once, then one for all in ten seconds', () => {
    const clock = new ManualClock();
    const logger = new RecordingLogger();
    const log = new CutOffLog(clock, logger);
    const told = (): readonly unknown[] => logger.lines.splice(0).map(({ level, fields }) => [level, fields]);
    log.check();
    expect(told()).toEqual([]);
    log.note('a');
    expect(told()).toEqual([['warn', { calls: 1, last_reason: 'a' }]]);
    for (let count = 0; count < 1_000; count += 1) log.note('b');
    clock.advance(9_999);
    log.note('c');
    log.check();
    expect(told()).toEqual([]);
    clock.advance(1);
    log.check();
    expect(told()).toEqual([['warn', { calls: 1_001, last_reason: 'c' }]]);
    clock.advance(60_000);
    log.check();
    expect(told()).toEqual([]);
  });
});
