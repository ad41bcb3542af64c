import type { AgentEvent } from '../../src/domain/agent-protocol/messages.js';
import { built } from '../built.js';
import type { Check } from '../checks/comparison.js';

const eventOf = (headers: readonly string[], method = 'GET', uri = '/orders/17'): AgentEvent => ({
  kind: 'request_headers',
  correlationId: 'bench',
  metadata: {
    correlationId: 'bench',
    requestId: '6f6b5a0e-6d0c-4b53-9c9c-0d3f3c1c0a11',
    clientIp: '192.0.2.7',
    clientPort: 40_000,
    serverName: 'api.bench.example',
    protocol: 'HTTP/1.1',
    tlsVersion: null,
    tlsCipher: null,
    routeId: 'bench',
    upstreamId: 'bench',
    timestampMs: 0,
    traceparent: null,
  },
  method,
  uri,
  headers: ['host', 'api.bench.example', 'accept', 'application/json', 'user-agent', 'bench/1', ...headers],
});

export interface BenchAgent {
  /** Judges requests with these headers, one after the other and round again. */
  judging(headers: readonly (readonly string[])[]): Check;
  /** Posts these forms to a path, one after the other and round again; each has to be answered 200. */
  posting(uri: string, headers: readonly string[], forms: readonly string[]): Check;
  stop(): void;
}

/** The agent as its program makes it, without a transport: what is measured is authentication. */
export const startBenchAgent = async (config: Readonly<Record<string, unknown>>): Promise<BenchAgent> => {
  const { agentContainer } = await built<typeof import('../../src/bootstrap/agent/start-agent.js')>(
    'bootstrap/agent/start-agent.js',
  );
  const { agentTokens } = await built<typeof import('../../src/bootstrap/agent/agent-tokens.js')>(
    'bootstrap/agent/agent-tokens.js',
  );
  const { decodeAgentOptions } = await built<
    typeof import('../../src/domain/agent/configuration/decode-agent-options.js')
  >('domain/agent/configuration/decode-agent-options.js');
  const silent = (): void => undefined;
  const logger = { error: silent, warn: silent, info: silent, debug: silent, trace: silent };
  const { options, problems } = decodeAgentOptions(config as Parameters<typeof decodeAgentOptions>[0]);
  if (options === null) throw new Error(problems.map(({ message }) => message).join('; '));
  const agent = agentContainer(logger).get(agentTokens.agentFactory)({ overrides: options, block: {} });
  const started = await agent.start();
  if (!started.ok) throw new Error(started.error.map(({ message }) => message).join('; '));
  const connection = Symbol('bench');
  return {
    judging: (all) => {
      const events = all.map((headers) => eventOf(headers));
      return {
        run: async (index) => {
          const { decision } = await agent.decide(events[index % events.length] as AgentEvent, connection);
          if (decision.kind !== 'allow') throw new Error(`the agent refused: ${JSON.stringify(decision)}`);
        },
      };
    },
    posting: (uri, headers, forms) => {
      const head = eventOf(['content-type', 'application/x-www-form-urlencoded', ...headers], 'POST', uri);
      const bodies = forms.map((form) => Buffer.from(form));
      return {
        run: async (index) => {
          const { needsMore } = await agent.decide(head, connection);
          if (!needsMore) throw new Error('the agent does not want the form');
          const data = bodies[index % bodies.length] as Buffer;
          const { decision } = await agent.decide(
            {
              kind: 'request_body_chunk',
              correlationId: 'bench',
              data,
              isLast: true,
              totalSize: data.length,
              chunkIndex: 0,
              bytesReceived: data.length,
            },
            connection,
          );
          if (decision.kind !== 'block' || decision.status !== 200) throw new Error(JSON.stringify(decision));
        },
      };
    },
    stop: () => agent.stop(),
  };
};
