import { expect, it } from 'vitest';
import { eventTraceId } from '../../../../src/domain/agent-protocol/event-trace-id.js';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const idWith = (traceparent: string | null) => eventTraceId({ correlationId: 'id', metadata: { traceparent } });

it('an event belongs to its trace', () => {
  expect(idWith(`00-${traceId}-b7ad6b7169203331-01`)).toBe(traceId);
});

it('an event without a trace uses the correlation id', () => {
  expect(idWith(null)).toBe('id');
  expect(idWith('nonsense')).toBe('id');
});
