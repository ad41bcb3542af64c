import { describe, expect, it } from 'vitest';
import { WorkerLoadLogger } from '../../../../src/application/serve-supervisor/worker-load-logger.js';
import { RecordingLogger } from '../../../support/recording-logger.js';

/** What is said of a warning at the start, and of one of a later load. */
const said = (number: number, isReplacement: boolean): readonly string[] => {
  const logger = new RecordingLogger();
  const loads = new WorkerLoadLogger(logger, { number, isReplacement });
  loads.warn('at the start');
  loads.serves();
  loads.warn('at a reload');
  return logger.lines.map(({ message }) => message);
};

describe('the warnings of what workers load', () => {
  it('are those of the first worker alone', () => {
    expect(said(1, false)).toEqual(['at the start', 'at a reload']);
    expect(said(2, false)).toEqual([]);
  });

  it('are not said again by a worker that replaces another', () => {
    expect(said(1, true)).toEqual(['at a reload']);
    expect(said(2, true)).toEqual([]);
  });
});
