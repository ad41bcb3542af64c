import { describe, expect, it } from 'vitest';
import { formatTraceparent, parseTraceparent } from '../../../../src/domain/http/trace-context.js';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';
const context = { traceId, spanId, isSampled: true, hasRandomId: false };

describe('parseTraceparent', () => {
  it.each([
    ['00', false, false],
    ['01', true, false],
    ['02', false, true],
    ['03', true, true],
    // Flags that have no meaning yet.
    ['ff', true, true],
    ['fc', false, false],
  ])('reads the flags %s', (flags, isSampled, hasRandomId) => {
    expect(parseTraceparent(`00-${traceId}-${spanId}-${flags}`)).toEqual({ traceId, spanId, isSampled, hasRandomId });
  });

  it.each([
    `01-${traceId}-${spanId}-01`,
    `fe-${traceId}-${spanId}-01-what-the-future-will-bring`,
    `cc-${traceId}-${spanId}-01-`,
  ])('reads of a later version what is known: %s', (text) => {
    expect(parseTraceparent(text)).toEqual(context);
  });

  it.each([
    '',
    '00',
    `00-${traceId}-${spanId}`,
    `00-${traceId}-${spanId}-`,
    `00-${traceId}-${spanId}-1`,
    `00-${traceId}-${spanId}-001`,
    `00-${traceId}-${spanId}-01-`,
    `00-${traceId}-${spanId}-01-more`,
    `01-${traceId}-${spanId}-01.more`,
    `01-${traceId}-${spanId}-010`,
    `ff-${traceId}-${spanId}-01`,
    `0-${traceId}-${spanId}-01`,
    `0g-${traceId}-${spanId}-01`,
    `0A-${traceId}-${spanId}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${traceId}-${spanId.toUpperCase()}-01`,
    `00-${traceId}-${spanId}-0A`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.slice(1)}-${spanId}-01`,
    `00-${traceId}0-${spanId.slice(1)}-01`,
    `00_${traceId}_${spanId}_01`,
    ` 00-${traceId}-${spanId}-01`,
    `00-${traceId}-${spanId}-01 `,
    `00-${traceId.slice(1)}g-${spanId}-01`,
    `00-${traceId.slice(1)}\u0660-${spanId}-01`,
    `00-${traceId}-${spanId}-01,00-${traceId}-${spanId}-01`,
  ])('refuses %j', (text) => {
    expect(parseTraceparent(text)).toBeNull();
  });
});

describe('formatTraceparent', () => {
  it('writes version 00', () => {
    expect(formatTraceparent(context)).toBe(`00-${traceId}-${spanId}-01`);
    expect(formatTraceparent({ ...context, hasRandomId: true })).toBe(`00-${traceId}-${spanId}-03`);
    expect(formatTraceparent({ ...context, isSampled: false })).toBe(`00-${traceId}-${spanId}-00`);
  });
});
