import { describe, expect, it } from 'vitest';
import { WorkerLoadLogger } from '../../../../../../src/application/gateway/workers/serve/worker-load-logger.js';
import { RecordingLogger } from '../../../../../support/shared/recording-logger.js';

/** What is said of a warning at the start, and of one of a later load. */
const said = (atStart: boolean, atReload: boolean): readonly string[] => {
  const logger = new RecordingLogger();
  const loads = new WorkerLoadLogger(logger, atStart);
  loads.warn('at the start');
  loads.become(atReload);
  loads.warn('at a reload');
  return logger.lines.map(({ message }) => message);
};

describe('the warnings of what a worker loads', () => {
  it('are said where the supervisor has it say them, load by load', () => {
    expect(said(true, true)).toEqual(['at the start', 'at a reload']);
    expect(said(false, true)).toEqual(['at a reload']);
    expect(said(true, false)).toEqual(['at the start']);
    expect(said(false, false)).toEqual([]);
  });
});
