import { Agent } from 'node:http';
import { describe, expect } from 'vitest';
import { type DocumentedGateway, startDocumented } from '../../support/gateway/documented-gateway.js';
import { RecordingUpstream, valuesOf } from '../../support/gateway/recording-upstream.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { documentationPage, mainExample } from '../../support/shared/documentation-examples.js';
import { it } from '../../support/shared/fixtures.js';
import { type CollectedSpan, TraceCollector } from '../../support/shared/trace-collector.js';

const page = 'docs/guides/tracing.md';

interface TracedExample {
  readonly running: DocumentedGateway;
  readonly upstream: RecordingUpstream;
  readonly collector: TraceCollector;
}

const start = async (cleanUp: CleanUp, text: string): Promise<TracedExample> => {
  const upstream = new RecordingUpstream();
  const port = await upstream.listen();
  cleanUp.add(() => upstream.close());
  const collector = await TraceCollector.start();
  cleanUp.add(() => collector.stop());
  const ports = { 3001: port, 4318: Number(new URL(collector.endpoint).port) };
  return { running: await startDocumented(cleanUp, text, { ports }), upstream, collector };
};

const traceparents = ({ upstream }: TracedExample): readonly (readonly string[])[] =>
  upstream.received.map((request) => (valuesOf(request, 'traceparent')[0] ?? '').split('-'));

const isSampled = ([, , , flags = '0']: readonly string[]): boolean => (Number(flags) & 1) === 1;

const named = (spans: readonly CollectedSpan[], name: string) => spans.filter((span) => span.name === name);

describe('the guide to tracing', () => {
  it('samples requests, with the documented spans and attributes', async ({ cleanUp }) => {
    const example = await start(cleanUp, mainExample(page));
    const { running, collector } = example;
    // That none of so many is sampled, or more than half, would happen once in a thousand million runs.
    const requests = 200;
    const agent = new Agent({ keepAlive: true });
    cleanUp.add(() => agent.destroy());
    for (let count = 0; count < requests; count += 1) await running.ask(8080, { path: '/orders/7?secret=1', agent });
    await running.gateway.stop(0);

    const seen = traceparents(example);
    expect(seen).toHaveLength(requests);
    const sampled = seen.filter(isSampled);
    expect(sampled.length).toBeGreaterThan(0);
    expect(sampled.length).toBeLessThan(requests / 2);
    // What was told the upstream is the span of the attempt that was sent to it.
    const attempts = named(collector.spans, 'upstream api');
    expect(attempts.map(({ traceId, spanId }) => [traceId, spanId]).toSorted()).toEqual(
      sampled.map(([, traceId, spanId]) => [traceId, spanId]).toSorted(),
    );
    expect(named(collector.spans, 'GET api')).toHaveLength(sampled.length);
    expect(collector.spans[0]?.resource).toMatchObject({ 'service.name': 'edge' });

    const { text } = documentationPage(page);
    const attributes = new Set(collector.spans.flatMap((span) => Object.keys(span.attributes)));
    expect([...attributes].filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
    expect(collector.spans.flatMap((span) => Object.values(span.attributes))).not.toContainEqual(
      expect.stringContaining('secret'),
    );
    // Lines about requests that were not sampled have the id of their trace, too.
    expect(running.accessRecords.map(({ traceId }) => traceId).toSorted()).toEqual(
      seen.map(([, traceId]) => traceId).toSorted(),
    );
  });

  it('continues the trace of a caller without trusting its flag', async ({ cleanUp }) => {
    const example = await start(cleanUp, mainExample(page).replace('sample-ratio 0.1', 'sample-ratio 0'));
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    await example.running.ask(8080, { headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` } });
    const [told = []] = traceparents(example);
    expect(told[1]).toBe(traceId);
    expect(told[2]).not.toBe('00f067aa0ba902b7');
    expect(isSampled(told)).toBe(false);
    await example.running.ask(8080, { headers: { traceparent: 'no trace at all', tracestate: 'a=1' } });
    const [, begun = []] = traceparents(example);
    expect(begun[1]).toMatch(/^[0-9a-f]{32}$/);
    expect(example.upstream.received.map((request) => valuesOf(request, 'tracestate'))).toEqual([[], []]);
  });

  it('does not touch traces without the block', async ({ cleanUp }) => {
    const text = mainExample(page).replace(/^tracing \{[^}]*\}\n/m, '');
    expect(text).not.toContain('tracing');
    const example = await start(cleanUp, text);
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    await example.running.ask(8080, { headers: { traceparent, tracestate: 'a=1' } });
    expect(example.upstream.received.map((request) => valuesOf(request, 'traceparent'))).toEqual([[traceparent]]);
    expect(example.upstream.received.map((request) => valuesOf(request, 'tracestate'))).toEqual([['a=1']]);
    await expect.poll(() => example.running.accessRecords[0]?.traceId).toMatch(/^[0-9a-f-]{36}$/);
    expect(example.running.accessRecords[0]?.traceId).toBe(example.running.accessRecords[0]?.requestId);
  });
});
