import { describe, expect, it } from 'vitest';
import { processEndText } from '../../../../../src/domain/gateway/supervision/process-end.js';

describe('the end of a process', () => {
  it('is described', () => {
    expect(processEndText({ exitCode: 3, signal: null })).toBe('ended with exit code 3');
    expect(processEndText({ exitCode: null, signal: 'SIGKILL' })).toBe('was ended by SIGKILL');
    expect(processEndText({ exitCode: null, signal: null })).toBe('could not be started');
  });
});
