import { beforeAll, describe, expect, it } from 'vitest';
import {
  agentResponseMessage,
  drainMessage,
  handshakeMessage,
  healthMessage,
  metricsMessage,
  shutdownMessage,
} from '../../src/adapters/wire/agent-grpc/agent-message.js';
import {
  type GrpcServiceDefinition,
  servedAgentService,
} from '../../src/adapters/wire/agent-grpc/agent-service-definition.js';
import { readGrpcGatewayMessage } from '../../src/adapters/wire/agent-grpc/gateway-message.js';
import type { GrpcAgentToProxy } from '../../src/adapters/wire/agent-grpc/grpc-messages.js';
import { loadAgentGrpc } from '../../src/bootstrap/shared/load-agent-grpc.js';
import { type AgentAnswer, allowAnswer } from '../../src/domain/agent-protocol/messages.js';
import { fakeCapabilities } from '../support/agent/fake-agent-service.js';
import { field } from '../support/shared/raw-http2-gateway.js';

/** A value as it is on the wire: a number is a varint, and fields of 4 or 8 octets stand as such. */
type Value = number | string | Buffer | Fields;
/** What a message holds, by the numbers of the published protocol. */
interface Fields {
  readonly [number: number]: Value | readonly Value[];
}

const varint = (value: number): Buffer => {
  const octets: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) octets.push((rest % 0x80) + 0x80);
  return Buffer.from([...octets, rest]);
};
const float = (value: number): Buffer => {
  const octets = Buffer.alloc(4);
  octets.writeFloatLE(value);
  return octets;
};
const double = (value: number): Buffer => {
  const octets = Buffer.alloc(8);
  octets.writeDoubleLE(value);
  return octets;
};
const text = (value: string): Buffer => Buffer.from(value);

/** Octets are written as a fixed field: what else is octets is said as text. */
const written = (number: number, value: Value): Buffer => {
  if (typeof value === 'number') return Buffer.concat([varint(number * 8), varint(value)]);
  if (typeof value === 'string') return field(number, value);
  if (Buffer.isBuffer(value)) return Buffer.concat([varint(number * 8 + (value.length === 4 ? 5 : 1)), value]);
  return field(number, message(value));
};

const message = (fields: Fields): Buffer =>
  Buffer.concat(
    Object.entries(fields).flatMap(([number, value]) =>
      (Array.isArray(value) ? (value as readonly Value[]) : [value as Value]).map((one) =>
        written(Number(number), one),
      ),
    ),
  );

describe('the numbers of the agent protocol over gRPC', () => {
  let service: GrpcServiceDefinition;
  let reads: (octets: Buffer) => unknown;

  beforeAll(async () => {
    const loaded = (await loadAgentGrpc()).service;
    service = servedAgentService(loaded) as GrpcServiceDefinition;
    reads = (octets) => loaded['ProcessStream']?.responseDeserialize(octets);
  });

  describe('of what a gateway sends', () => {
    const read = (fields: Fields) => readGrpcGatewayMessage(service.processStream.requestDeserialize(message(fields)));
    const chunk = { 1: 'a', 2: 3, 3: 'xyz', 4: 1, 5: 9, 6: 12, 7: 1_000, 8: 5 };
    const readChunk = { correlationId: 'a', data: text('xyz'), isLast: true, totalSize: 9, chunkIndex: 3 };

    it.each<readonly [string, Fields, object]>([
      [
        'a handshake',
        { 1: { 1: [2, 3], 2: 'id', 3: '1.0', 4: '{"a":[1]}' } },
        {
          kind: 'handshake',
          request: {
            supportedVersions: [2, 3],
            proxyId: 'id',
            proxyVersion: '1.0',
            config: { a: [1] },
            supportedEncodings: [],
          },
        },
      ],
      [
        'a head',
        {
          2: {
            1: {
              1: 'a',
              2: 'r',
              3: '192.0.2.7',
              4: 40_000,
              5: 'sni',
              6: 'HTTP/1.1',
              7: 'TLSv1.3',
              8: 'api',
              9: 'up',
              10: 1_700_000_000_123,
              11: 'trace',
            },
            2: 'GET',
            3: '/p',
            4: 'HTTP/1.1',
            5: [
              { 1: 'A', 2: '1' },
              { 1: 'a', 2: '2' },
            ],
          },
        },
        {
          kind: 'event',
          event: {
            kind: 'request_headers',
            correlationId: 'a',
            metadata: {
              correlationId: 'a',
              requestId: 'r',
              clientIp: '192.0.2.7',
              clientPort: 40_000,
              serverName: 'sni',
              protocol: 'HTTP/1.1',
              tlsVersion: 'TLSv1.3',
              tlsCipher: null,
              routeId: 'api',
              upstreamId: 'up',
              timestampMs: 1_700_000_000_123,
              traceparent: 'trace',
            },
            method: 'GET',
            uri: '/p',
            headers: ['a', '1', 'a', '2'],
          },
        },
      ],
      [
        'a chunk',
        { 3: chunk },
        { kind: 'event', event: { kind: 'request_body_chunk', ...readChunk, bytesReceived: 12 } },
      ],
      [
        'the head of a response',
        { 4: { 1: 'a', 2: 204, 3: { 1: 'ETag', 2: 'x' } } },
        { kind: 'event', event: { kind: 'response_headers', correlationId: 'a', status: 204, headers: ['etag', 'x'] } },
      ],
      [
        'a chunk of a response',
        { 5: chunk },
        { kind: 'event', event: { kind: 'response_body_chunk', ...readChunk, bytesSent: 12 } },
      ],
      ['a frame', { 6: { 1: 'a', 2: 1, 3: 1, 4: 'x' } }, { kind: 'unsupported_event', correlationId: 'a' }],
      [
        'a guardrail',
        { 7: { 1: 'a', 2: 'c', 3: 1, 4: 'm', 5: '{}' } },
        { kind: 'unsupported_event', correlationId: 'a' },
      ],
      [
        'the end of a request',
        { 8: { 1: 'a', 2: 502, 3: 7, 4: 11, 5: 13, 6: 'up', 7: 0, 8: 'e' } },
        {
          kind: 'event',
          event: {
            kind: 'request_complete',
            correlationId: 'a',
            status: 502,
            durationMs: 7,
            requestBodySize: 11,
            responseBodySize: 13,
            upstreamAttempts: 1,
            upstream: 'up',
            error: 'e',
          },
        },
      ],
      ['a cancel', { 9: { 1: 'a', 2: 1, 3: 5 } }, { kind: 'cancel', correlationId: 'a', reason: 'client_disconnect' }],
      ['a cancel by hand', { 9: { 1: 'a', 2: 6 } }, { kind: 'cancel', correlationId: 'a', reason: 'manual' }],
      [
        'a configuration',
        { 10: { 1: '{"a":1}', 2: 'v', 4: 5 } },
        { kind: 'configure', config: { a: 1 }, version: 'v' },
      ],
      ['no configuration', { 10: { 1: 'null', 3: 1 } }, { kind: 'configure', config: null, version: null }],
      ['a heartbeat', { 10: {} }, { kind: 'heartbeat' }],
      ['a ping', { 11: { 1: 7, 2: 5 } }, { kind: 'ping', sequence: 7, timestampMs: 5 }],
    ])('%s', (_, fields, expected) => {
      expect(read(fields)).toEqual({ ok: true, value: expected });
    });
  });

  describe('of what an agent sends', () => {
    // Members that are 0, false or empty may or may not be written: what is compared is what the octets say.
    const expectSame = (sent: GrpcAgentToProxy, fields: Fields): void => {
      const octets = Buffer.from(service.processStream.responseSerialize(sent));
      const defaults = (value: unknown): unknown => {
        if (value === null || typeof value !== 'object' || Buffer.isBuffer(value)) return value;
        if (Array.isArray(value)) return value.map(defaults);
        const members = Object.entries(value).filter(([, member]) => member !== 0 && member !== false && member !== '');
        return Object.fromEntries(members.map(([name, member]) => [name, defaults(member)]));
      };
      expect(defaults(reads(octets))).toEqual(defaults(reads(message(fields))));
    };

    it('an answer to the handshake', () => {
      expectSame(
        handshakeMessage(
          { success: true, protocolVersion: 2, capabilities: fakeCapabilities },
          fakeCapabilities,
          5_000,
        ),
        {
          1: {
            1: 2,
            2: {
              1: 2,
              2: 'fake-1',
              3: 'fake',
              4: '1.2.3',
              5: [1, 2, 8],
              6: { 1: 1, 4: 1, 5: 1, 6: 100, 7: 1, 9: 1 },
              7: { 1: 10_485_760, 2: 100, 3: 65_536 },
              8: { 1: 5_000, 2: 1, 3: 1 },
            },
            3: 1,
          },
        },
      );
    });

    it.each<readonly [string, Partial<AgentAnswer>, Fields]>([
      ['allow', {}, { 2: {} }],
      [
        'block',
        { decision: { kind: 'block', status: 403, body: 'no', headers: ['A', '1', 'A', '2'] } },
        {
          3: {
            1: 403,
            2: 'no',
            3: [
              { 1: 'A', 2: '1' },
              { 1: 'A', 2: '2' },
            ],
          },
        },
      ],
      ['redirect', { decision: { kind: 'redirect', url: '/in', status: 302 } }, { 4: { 1: '/in', 2: 302 } }],
      [
        'challenge',
        { decision: { kind: 'challenge', challengeType: 'Bearer', params: { realm: 'r' } } },
        { 5: { 1: 'Bearer', 2: { 1: 'realm', 2: 'r' } } },
      ],
    ])('a decision to %s', (_, answer, decision) => {
      const sent = agentResponseMessage({ ...allowAnswer, ...answer }, 'a');
      expectSame(sent, { 2: { 1: 'a', ...decision, 12: {} } });
    });

    it('what else an answer holds', () => {
      const sent = agentResponseMessage(
        {
          ...allowAnswer,
          requestHeaders: [
            { kind: 'set', name: 'A', value: '1' },
            { kind: 'add', name: 'B', value: '2' },
            { kind: 'remove', name: 'C' },
          ],
          responseHeaders: [{ kind: 'set', name: 'D', value: '4' }],
          needsMore: true,
          audit: { tags: ['t'], ruleIds: ['r'], confidence: 0.5, reasonCodes: ['c'], custom: { k: 'v' } },
        },
        'a',
      );
      expectSame(sent, {
        2: {
          1: 'a',
          2: {},
          10: [{ 1: { 1: 'A', 2: '1' } }, { 2: { 1: 'B', 2: '2' } }, { 3: 'C' }],
          11: { 1: { 1: 'D', 2: '4' } },
          12: { 1: 't', 2: 'r', 3: float(0.5), 4: 'c', 5: { 1: 'k', 2: 'v' } },
          14: 1,
        },
      });
    });

    it('a health report', () => {
      const sent = healthMessage({
        agentId: 'x',
        state: 'unhealthy',
        message: 'm',
        load: {
          inFlight: 1,
          queueDepth: 2,
          avgLatencyMs: 3.5,
          p50LatencyMs: 4.5,
          p95LatencyMs: 5.5,
          p99LatencyMs: 6.5,
          requestsProcessed: 7,
          requestsRejected: 8,
          requestsTimedOut: 9,
        },
        resources: {
          cpuPercent: 1.5,
          memoryBytes: 2,
          memoryLimit: 3,
          activeThreads: 4,
          openFds: 5,
          fdLimit: 6,
          connections: 7,
        },
        disabledFeatures: ['f'],
        validForMs: 15,
        timestampMs: 1_700_000_000_000,
      });
      const load = { 1: 1, 2: 2, 3: float(3.5), 4: float(4.5), 5: float(5.5), 6: float(6.5), 7: 7, 8: 8, 9: 9 };
      const resources = { 1: float(1.5), 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 7: 7 };
      const times = { 6: 1_700_000_000_015, 7: 1_700_000_000_000 };
      expectSame(sent, {
        3: { 1: 'x', 2: 4, 3: 'm', 4: load, 5: resources, ...times, 10: 'f', 11: float(1), 13: 'm', 14: 1 },
      });
    });

    it('a metrics report', () => {
      const sent = metricsMessage({
        agentId: 'x',
        timestampMs: 5,
        intervalMs: 10,
        counters: [{ name: 'c', help: 'h', labels: { k: 'v' }, value: 3 }],
        gauges: [{ name: 'g', help: null, labels: {}, value: 0.25 }],
        histograms: [
          {
            name: 'd',
            help: null,
            labels: {},
            sum: 1.5,
            count: 2,
            buckets: [{ le: Number.POSITIVE_INFINITY, count: 2 }],
          },
        ],
      });
      const bucket = { 1: double(Number.POSITIVE_INFINITY), 2: 2 };
      expectSame(sent, {
        4: {
          1: 'x',
          2: 5,
          3: 10,
          4: { 1: 'c', 2: 'h', 3: { 1: 'k', 2: 'v' }, 4: 3 },
          5: { 1: 'g', 4: double(0.25) },
          6: { 1: 'd', 4: double(1.5), 5: 2, 6: bucket },
        },
      });
    });

    it('a refused configuration, and a pong', () => {
      expectSame(
        { config_update: { request_id: 'r', timestamp_ms: 5, config_error: { error: 'e', field: 'f' } } },
        { 5: { 1: 'r', 2: 5, 14: { 1: 'e', 2: 'f' } } },
      );
      expectSame({ pong: { sequence: 1, ping_timestamp_ms: 2, timestamp_ms: 3 } }, { 7: { 1: 1, 2: 2, 3: 3 } });
    });

    it('the end of its service', () => {
      const sent = (control: object): Buffer => Buffer.from(service.controlStream.responseSerialize(control));
      expect(sent(drainMessage(30, 5))).toEqual(message({ 3: { 1: 30, 2: 2, 3: 5 } }));
      const shutdown = sent(shutdownMessage('immediate', 5));
      expect([message({ 2: { 1: 2, 3: 5 } }), message({ 2: { 1: 2, 2: 0, 3: 5 } })]).toContainEqual(shutdown);
    });
  });
});
