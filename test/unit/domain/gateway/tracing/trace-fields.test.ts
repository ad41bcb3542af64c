import { describe, expect, it } from 'vitest';
import { readTraceFields, withTraceFields } from '../../../../../src/domain/gateway/tracing/trace-fields.js';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';
const field = `00-${traceId}-${spanId}-01`;
const parent = { traceId, spanId, isSampled: true, hasRandomId: false };

describe('readTraceFields', () => {
  it('reads both fields, in any case', () => {
    expect(readTraceFields(['TraceParent', field, 'TRACESTATE', 'a=1', 'tracestate', 'b=2'])).toEqual({
      parent,
      state: 'a=1,b=2',
    });
  });

  it('keeps a trace without its malformed state', () => {
    expect(readTraceFields(['traceparent', field, 'tracestate', '=;'])).toEqual({ parent, state: null });
  });

  it.each([
    [[]],
    [['tracestate', 'a=1']],
    [['traceparent', 'x', 'tracestate', 'a=1']],
    [['traceparent', field, 'traceparent', field]],
    [['trace-parent', field]],
  ])('finds no trace in %j', (headers) => {
    expect(readTraceFields(headers)).toBeNull();
  });
});

describe('withTraceFields', () => {
  it('replaces existing fields', () => {
    const headers = ['Host', 'a', 'Traceparent', 'x', 'traceparent', 'y', 'traceStatE', 'z=1', 'tracestats', 'kept'];
    expect(withTraceFields(headers, field, null)).toEqual(['Host', 'a', 'tracestats', 'kept', 'traceparent', field]);
    expect(withTraceFields(['Host', 'a'], field, 'b=2')).toEqual([
      'Host',
      'a',
      'traceparent',
      field,
      'tracestate',
      'b=2',
    ]);
  });
});
