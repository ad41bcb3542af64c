import { describe, expect, it } from 'vitest';
import { WorkerLoadLogger } from '../../../../../../src/application/gateway/workers/serve/worker-load-logger.js';
import { RecordingLogger } from '../../../../../support/shared/recording-logger.js';

/** The log of a warning at the start, and of one at a later load. */
const said = (atStart: boolean, atReload: boolean): readonly string[] => {
  const logger = new RecordingLogger();
  const loads = new WorkerLoadLogger(logger, atStart);
  loads.warn('at the start');
  loads.setLogsWarnings(atReload);
  loads.warn('at a reload');
  return logger.lines.map(({ message }) => message);
};

describe("the warnings of a worker's loads", () => {
  it('are logged if the supervisor says so, for each load', () => {
    expect(said(true, true)).toEqual(['at the start', 'at a reload']);
    expect(said(false, true)).toEqual(['at a reload']);
    expect(said(true, false)).toEqual(['at the start']);
    expect(said(false, false)).toEqual([]);
  });
});
