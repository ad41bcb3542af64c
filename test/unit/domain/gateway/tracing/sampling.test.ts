import { describe, expect, it } from 'vitest';
import { isRecorded } from '../../../../../src/domain/gateway/tracing/sampling.js';

const parent = (isSampled: boolean) => ({
  traceId: 'a'.repeat(32),
  spanId: 'b'.repeat(16),
  isSampled,
  hasRandomId: true,
});

describe('isRecorded', () => {
  it('follows a trusted caller, whatever the ratio', () => {
    expect(isRecorded({ parent: parent(true), isPeerTrusted: true, ratio: 0 }, 0.99)).toBe(true);
    expect(isRecorded({ parent: parent(false), isPeerTrusted: true, ratio: 1 }, 0)).toBe(false);
  });

  it('uses the ratio if a trusted caller has no trace', () => {
    expect(isRecorded({ parent: null, isPeerTrusted: true, ratio: 0.5 }, 0.49)).toBe(true);
    expect(isRecorded({ parent: null, isPeerTrusted: true, ratio: 0.5 }, 0.5)).toBe(false);
  });

  it('ignores the flag of other callers', () => {
    for (const flag of [true, false]) {
      expect(isRecorded({ parent: parent(flag), isPeerTrusted: false, ratio: 0.1 }, 0.1)).toBe(false);
      expect(isRecorded({ parent: parent(flag), isPeerTrusted: false, ratio: 0.1 }, 0.09)).toBe(true);
    }
  });

  it('records everything at 1 and nothing at 0', () => {
    expect(isRecorded({ parent: null, isPeerTrusted: false, ratio: 0 }, 0)).toBe(false);
    expect(isRecorded({ parent: null, isPeerTrusted: false, ratio: 1 }, 1 - 2 ** -32)).toBe(true);
  });
});
