import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { RecordingUpstream } from '../../support/gateway/recording-upstream.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';
import { freePort } from '../../support/shared/free-port.js';
import { call } from '../../support/shared/http-call.js';
import type { RunningProcess } from '../../support/shared/processes.js';
import { startBuiltGateway } from '../../support/shared/running-gateway.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';
import { TraceCollector } from '../../support/shared/trace-collector.js';

interface TracedGateway {
  /** Of a listener whose peers are trusted, and of one whose peers are not. */
  readonly trusting: number;
  readonly open: number;
  readonly upstream: RecordingUpstream;
  readonly process: RunningProcess;
  /** Ends it; resolves with the scripts that it has loaded. */
  end(): Promise<readonly string[]>;
}

const start = async (cleanUp: CleanUp, tracing: string): Promise<TracedGateway> => {
  const upstream = new RecordingUpstream();
  const upstreamPort = await upstream.listen();
  cleanUp.add(() => upstream.close());
  const [trusting, open] = [await freePort(), await freePort()];
  const folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
  const file = folder.write(
    'gateway.kdl',
    `listeners {
  listener "trusting" { address "127.0.0.1:${trusting}"; trusted-proxies "127.0.0.0/8" }
  listener "open" { address "127.0.0.1:${open}" }
}
routes { route "cart" { matches { path-prefix "/" }; upstream "shop"; agents "auth" } }
upstreams { upstream "shop" { target "127.0.0.1:${upstreamPort}" } }
agents { agent "auth" { transport "embedded"; events "request_headers"; config { api-keys "good-key:alice" } } }
${tracing}
`,
  );
  // Node writes there, when it ends, which scripts have run.
  const coverage = folder.file('coverage');
  const process = await startBuiltGateway(file, [trusting, open], {
    NODE_V8_COVERAGE: coverage,
    COLLECTOR_KEY: 's3cret-of-the-collector',
    RUST_LOG: 'info',
  });
  cleanUp.add(() => process.stop());
  const end = async (): Promise<readonly string[]> => {
    process.signal('SIGTERM');
    expect((await process.exited).code).toBe(0);
    return readdirSync(coverage).flatMap((name) => {
      const { result } = JSON.parse(readFileSync(`${coverage}/${name}`, 'utf8')) as { result: { url: string }[] };
      return result.map(({ url }) => url);
    });
  };
  return { trusting, open, upstream, process, end };
};

/** Scripts of OpenTelemetry, but for its interface: the metrics' package brings that with it. */
const ofOpenTelemetry = (scripts: readonly string[]): readonly string[] =>
  scripts.filter((url) => /node_modules\/@opentelemetry\/(?!api\/)/.test(url));

const callersSpan = 'b7ad6b7169203331';
const headersOf = (traceId: string, flags = '01') => ({
  'X-API-Key': 'good-key',
  traceparent: `00-${traceId}-${callersSpan}-${flags}`,
  tracestate: 'other=kept',
});

/** The trace fields of the request that the upstream got last. */
const forwarded = ({ upstream }: TracedGateway): { readonly [name: string]: string } => {
  const headers = upstream.received.at(-1)?.rawHeaders ?? [];
  const fields = headers.flatMap((name, index) => (index % 2 === 0 ? [[name.toLowerCase(), headers[index + 1]]] : []));
  return Object.fromEntries(fields.filter(([name]) => /^trace(?:parent|state)$/.test(name ?? '')));
};

describe('a gateway with tracing', () => {
  it('exports spans of sampled requests only, with agent and upstream spans', async ({ cleanUp }) => {
    const collector = await TraceCollector.start();
    cleanUp.add(() => collector.stop());
    const gateway = await start(
      cleanUp,
      `tracing {
  endpoint "${collector.endpoint}"
  sample-ratio 0
  service-name "edge"
  collector-header "X-Collector-Key" (env)"COLLECTOR_KEY"
}`,
    );
    const [recorded, unrecorded, unbelieved] = ['1', '2', '3'].map((digit) => digit.repeat(32)) as [
      string,
      string,
      string,
    ];
    const path = '/cart/7?token=s3cret-of-the-client';
    expect((await call(gateway.trusting, { path, headers: headersOf(recorded) })).status).toBe(200);
    const told = forwarded(gateway);
    expect((await call(gateway.trusting, { path, headers: headersOf(unrecorded, '00') })).status).toBe(200);
    expect(forwarded(gateway)).toMatchObject({ traceparent: expect.stringMatching(`^00-${unrecorded}-.{16}-00$`) });
    expect((await call(gateway.open, { path, headers: headersOf(unbelieved) })).status).toBe(200);
    expect(forwarded(gateway)).toMatchObject({ traceparent: expect.stringMatching(`^00-${unbelieved}-.{16}-00$`) });
    const scripts = await gateway.end();

    // Everything was sent before the gateway ended.
    expect(collector.spans.map(({ traceId }) => traceId)).toEqual([recorded, recorded, recorded]);
    const named = (name: string) => collector.spans.find((span) => span.name === name);
    const [server, agent, upstream] = ['GET cart', 'agent auth request_headers', 'upstream shop'].map(named);
    expect(server).toMatchObject({ parentSpanId: callersSpan, kind: 2, resource: { 'service.name': 'edge' } });
    expect(server?.attributes).toMatchObject({ 'http.response.status_code': 200, 'url.path': '/cart/7' });
    expect(agent).toMatchObject({ parentSpanId: server?.spanId, kind: 3 });
    expect(upstream).toMatchObject({ parentSpanId: server?.spanId, kind: 3 });
    expect(told).toEqual({ traceparent: `00-${recorded}-${upstream?.spanId}-01`, tracestate: 'other=kept' });
    expect(collector.requests[0]?.headers['x-collector-key']).toBe('s3cret-of-the-collector');
    // Neither the client's secrets nor the collector's key get anywhere else.
    expect(JSON.stringify(collector.spans, (_, value) => (typeof value === 'bigint' ? `${value}` : value))).not.toMatch(
      /s3cret|good-key|alice/,
    );
    const log = gateway.process.output();
    expect(log).not.toContain('s3cret');
    for (const traceId of [recorded, unrecorded, unbelieved]) expect(log).toContain(`"trace_id":"${traceId}"`);
    expect(ofOpenTelemetry(scripts)).not.toEqual([]);
  });
});

describe('a gateway without tracing', () => {
  it('loads no tracing module, and forwards trace headers unchanged', async ({ cleanUp }) => {
    const gateway = await start(cleanUp, '');
    const headers = { 'X-API-Key': 'good-key', traceparent: 'anything', tracestate: 'at all' };
    expect((await call(gateway.open, { headers })).status).toBe(200);
    expect(forwarded(gateway)).toEqual({ traceparent: 'anything', tracestate: 'at all' });
    expect(ofOpenTelemetry(await gateway.end())).toEqual([]);
  });
});
