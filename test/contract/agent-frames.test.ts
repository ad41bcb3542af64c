import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  type AgentFrameMessage,
  handshakeResponseJson,
  healthJson,
  metricsJson,
  readAgentFrame,
} from '../../src/adapters/wire/agent-frames/agent-message.js';
import { type Frame, FrameDecoder } from '../../src/adapters/wire/agent-frames/frame-decoder.js';
import { FrameOutbox } from '../../src/adapters/wire/agent-frames/frame-outbox.js';
import {
  cancelJson,
  configureJson,
  eventJson,
  type GatewayMessage,
  handshakeRequestJson,
  pingJson,
  readGatewayMessage,
} from '../../src/adapters/wire/agent-frames/gateway-message.js';
import {
  agentMessageNames,
  gatewayMessageNames,
  type MessageName,
  messageKinds,
} from '../../src/adapters/wire/agent-frames/message-codes.js';
import type { ConfigUpdate } from '../../src/domain/agent-protocol/config-update.js';
import type { HandshakeRequest, HandshakeResponse } from '../../src/domain/agent-protocol/handshake.js';
import type { AgentHealth } from '../../src/domain/agent-protocol/health.js';
import { type AgentAnswer, type AgentEvent, allowAnswer } from '../../src/domain/agent-protocol/messages.js';
import type { MetricsReport } from '../../src/domain/agent-protocol/metrics-report.js';
import { fakeCapabilities } from '../support/agent/fake-agent-service.js';
import { decided, headersEvent } from '../support/shared/agent-events.js';
import { answerJson } from '../support/shared/answer-json.js';

/** The octets of each frame by its name and case. */
const readFixtures = (): ReadonlyMap<string, Buffer> => {
  const lines = readFileSync(new URL('agent-frames.fixtures', import.meta.url), 'utf8').split('\n');
  return new Map(
    lines.flatMap((line, index): [string, Buffer][] => {
      if (!line.startsWith('= ')) return [];
      const head = Buffer.from((lines[index + 1] ?? '').replaceAll(' ', ''), 'hex');
      return [[line.slice(2), Buffer.concat([head, Buffer.from(lines[index + 2] ?? '')])]];
    }),
  );
};

const fixtures = readFixtures();
const fixture = (title: string): Buffer => {
  const octets = fixtures.get(title);
  if (octets === undefined) throw new Error(`no fixture "${title}"`);
  return octets;
};
const nameOf = (title: string): MessageName => title.split(' ')[0] as MessageName;
const payloadOf = (title: string): Buffer => fixture(title).subarray(5);

const frameOf = (title: string, names: ReadonlyMap<number, MessageName>): Frame => {
  const decoder = new FrameDecoder(names);
  decoder.push(fixture(title));
  const frame = decoder.next();
  expect(decoder.failure).toBeNull();
  expect(decoder.hasBegun).toBe(false);
  if (frame === null) throw new Error(`"${title}" is no whole frame`);
  return frame;
};

const written = (name: MessageName, payload: string | Uint8Array): string => {
  let octets = Buffer.alloc(0);
  const outbox = new FrameOutbox(
    (sent) => {
      octets = Buffer.from(sent);
      return true;
    },
    () => {},
  );
  outbox.send(name, payload);
  outbox.flush();
  return octets.toString('latin1');
};

const nowMs = 1_700_000_000_000;

const offer: HandshakeRequest = {
  supportedVersions: [2],
  proxyId: 'gateway-1',
  proxyVersion: '0.1.0',
  config: { colour: 'blue' },
  supportedEncodings: ['json'],
};

const bareRequest = headersEvent('c-1');
const request = (members: Partial<typeof bareRequest.metadata>, headers: readonly string[]): AgentEvent => ({
  ...bareRequest,
  metadata: { ...bareRequest.metadata, routeId: null, ...members },
  headers,
});
const event = (given: AgentEvent): GatewayMessage => ({ kind: 'event', event: given });

const completed = {
  kind: 'request_complete',
  correlationId: 'c-1',
  status: 200,
  durationMs: 31,
  requestBodySize: 0,
  responseBodySize: 0,
  upstreamAttempts: 1,
  upstream: null,
  error: null,
} as const;

/** What the agent's end makes of each frame of a gateway. */
const gatewayMessages: Readonly<Record<string, GatewayMessage>> = {
  handshake_request: { kind: 'handshake_request', request: offer },
  'handshake_request without a configuration': { kind: 'handshake_request', request: { ...offer, config: null } },
  'handshake_request from elsewhere': {
    kind: 'handshake_request',
    request: { supportedVersions: [1, 2], proxyId: 'other', proxyVersion: '9', config: null, supportedEncodings: [] },
  },
  request_headers: event(
    request(
      {
        serverName: 'example.test',
        tlsVersion: 'TLSv1.3',
        tlsCipher: 'TLS_AES_128_GCM_SHA256',
        routeId: 'api',
        upstreamId: 'backend',
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      },
      ['host', 'example.test', 'accept', 'text/html', 'accept', '*/*', 'x-name', 'café'],
    ),
  ),
  'request_headers without what may be absent': event(request({}, [])),
  'request_headers from elsewhere': event(request({}, ['host', 'example.test'])),
  request_body_chunk: event({
    kind: 'request_body_chunk',
    correlationId: 'c-1',
    data: new TextEncoder().encode('hello'),
    isLast: false,
    totalSize: 9,
    chunkIndex: 0,
    bytesReceived: 5,
  }),
  'request_body_chunk of no body': event({
    kind: 'request_body_chunk',
    correlationId: 'c-1',
    data: new Uint8Array(0),
    isLast: true,
    totalSize: null,
    chunkIndex: 0,
    bytesReceived: 0,
  }),
  response_headers: event({
    kind: 'response_headers',
    correlationId: 'c-1',
    status: 404,
    headers: ['content-type', 'text/plain', 'set-cookie', 'a=1', 'set-cookie', 'b=2'],
  }),
  response_body_chunk: event({
    kind: 'response_body_chunk',
    correlationId: 'c-1',
    data: Uint8Array.of(0, 0xff, 0xfe),
    isLast: true,
    totalSize: 8,
    chunkIndex: 1,
    bytesSent: 8,
  }),
  request_complete: event({
    ...completed,
    status: 502,
    requestBodySize: 9,
    responseBodySize: 120,
    upstreamAttempts: 2,
    upstream: null,
    error: 'upstream_reset',
  }),
  'request_complete without an error': event(completed),
  'request_complete from elsewhere': event({ ...completed, durationMs: 0, upstreamAttempts: 0 }),
  'websocket_frame from elsewhere': { kind: 'unsupported_event', name: 'websocket_frame', correlationId: 'c-1' },
  'guardrail_inspect from elsewhere': { kind: 'unsupported_event', name: 'guardrail_inspect', correlationId: 'c-1' },
  configure: {
    kind: 'configure',
    configure: { correlationId: 'configure-1', version: 'v-1', config: { colour: 'red', sizes: [1, 2] } },
  },
  'configure from elsewhere': { kind: 'configure', configure: { correlationId: '', version: '7', config: null } },
  cancel: { kind: 'cancel', cancel: { correlationId: 'c-1', reason: 'timeout' } },
  'cancel for a reason of a later version, from elsewhere': {
    kind: 'cancel',
    cancel: { correlationId: 'c-1', reason: 'manual' },
  },
  ping: { kind: 'ping', payload: payloadOf('ping') },
};

const answer = (given: AgentAnswer): AgentFrameMessage => ({
  kind: 'answer',
  correlationId: 'c-1',
  answer: { ok: true, value: given },
});
const handshake = (response: HandshakeResponse): AgentFrameMessage => ({ kind: 'handshake_response', response });
const agreed = { success: true, protocolVersion: 2, capabilities: fakeCapabilities } as const;

const blocked = decided({
  kind: 'block',
  status: 401,
  body: 'no',
  headers: ['WWW-Authenticate', 'Bearer', 'Set-Cookie', 'a=1'],
});
const secondCookie = { kind: 'add', name: 'Set-Cookie', value: 'b=2' } as const;

const bareHealth: AgentHealth = {
  agentId: 'fake-1',
  state: 'healthy',
  message: null,
  load: null,
  resources: null,
  disabledFeatures: [],
  validForMs: null,
  timestampMs: nowMs,
};
const health = (members: Partial<AgentHealth>): AgentFrameMessage => ({
  kind: 'health',
  health: { ...bareHealth, ...members },
});
const noLoad = {
  inFlight: 0,
  queueDepth: 0,
  avgLatencyMs: 0,
  p50LatencyMs: 0,
  p95LatencyMs: 0,
  p99LatencyMs: 0,
  requestsProcessed: 0,
  requestsRejected: 0,
  requestsTimedOut: 0,
};
const noResources = {
  cpuPercent: null,
  memoryBytes: null,
  memoryLimit: null,
  activeThreads: null,
  openFds: null,
  fdLimit: null,
  connections: null,
};

const metrics: MetricsReport = {
  agentId: 'fake-1',
  timestampMs: nowMs,
  intervalMs: 10_000,
  counters: [{ name: 'auth_requests_total', help: null, labels: { method: 'jwt' }, value: 3 }],
  gauges: [{ name: 'sessions', help: 'Open sessions', labels: {}, value: 1.5 }],
  histograms: [
    {
      name: 'seconds',
      help: null,
      labels: {},
      sum: 1.5,
      count: 2,
      buckets: [
        { le: 0.1, count: 1 },
        { le: Number.POSITIVE_INFINITY, count: 2 },
      ],
    },
  ],
};
const update = (given: ConfigUpdate): AgentFrameMessage => ({
  kind: 'config_update',
  request: { requestId: 'u-1', update: given },
});

/** What the gateway's end makes of each frame of an agent. */
const agentMessages: Readonly<Record<string, AgentFrameMessage>> = {
  handshake_response: handshake(agreed),
  'handshake_response that refuses': handshake({ success: false, protocolVersion: 2, error: 'no such thing' }),
  'handshake_response from elsewhere': handshake({
    ...agreed,
    capabilities: {
      agentId: 'waf-7',
      name: 'waf',
      version: '3',
      supportedEvents: [
        'configure',
        'request_headers',
        'response_headers',
        'response_body_chunk',
        'request_complete',
        'websocket_frame',
        'guardrail_inspect',
      ],
      features: {
        streamingBody: true,
        websocket: false,
        guardrails: false,
        configPush: false,
        metricsExport: false,
        cancellation: false,
        flowControl: false,
        healthReporting: false,
        concurrentRequests: 4,
      },
      limits: { maxBodySize: 1_000, maxConcurrency: 100, preferredChunkSize: 65_536 },
      ownedHeaders: [],
    },
  }),
  'agent_response that allows': answer(allowAnswer),
  'agent_response with header operations and an audit': answer({
    ...allowAnswer,
    requestHeaders: [
      { kind: 'set', name: 'X-User-Id', value: 'anna' },
      { kind: 'remove', name: 'Cookie' },
    ],
    responseHeaders: [{ kind: 'add', name: 'Set-Cookie', value: 'a=1' }],
    audit: { tags: ['jwt'], ruleIds: ['r-1'], confidence: 0.5, reasonCodes: ['ok'], custom: { tenant: 'north' } },
    needsMore: true,
  }),
  'agent_response that blocks': answer({ ...blocked, responseHeaders: [secondCookie] }),
  'agent_response that redirects': answer(decided({ kind: 'redirect', url: 'https://sso.example.test/', status: 302 })),
  'agent_response that challenges': answer(
    decided({ kind: 'challenge', challengeType: 'Bearer', params: { realm: 'gateway' } }),
  ),
  'agent_response that replaces a chunk of a request': answer({
    ...allowAnswer,
    needsMore: true,
    requestBodyMutation: { chunkIndex: 3, data: Uint8Array.of(0, 0xff, 0xfe) },
  }),
  'agent_response that drops a chunk of a response': answer({
    ...allowAnswer,
    responseBodyMutation: { chunkIndex: 0, data: new Uint8Array(0) },
  }),
  'agent_response that passes a chunk of a response': answer({
    ...allowAnswer,
    needsMore: true,
    responseBodyMutation: { chunkIndex: 2, data: null },
  }),
  'agent_response from elsewhere': answer({
    ...allowAnswer,
    requestBodyMutation: { chunkIndex: 0, data: Uint8Array.of(0x41) },
  }),
  health_status: health({ validForMs: 10_000 }),
  'health_status with everything': health({
    state: 'degraded',
    message: 'keys are stale',
    load: {
      inFlight: 1,
      queueDepth: 2,
      avgLatencyMs: 0.5,
      p50LatencyMs: 0.25,
      p95LatencyMs: 1.5,
      p99LatencyMs: 2.5,
      requestsProcessed: 100,
      requestsRejected: 3,
      requestsTimedOut: 4,
    },
    resources: {
      cpuPercent: 12.5,
      memoryBytes: 1_000,
      memoryLimit: 2_000,
      activeThreads: 11,
      openFds: 20,
      fdLimit: 1_024,
      connections: null,
    },
    disabledFeatures: ['oidc'],
  }),
  'health_status that drains': health({ state: 'draining' }),
  'health_status tagged degraded, from elsewhere': health({ state: 'degraded', disabledFeatures: ['oidc'] }),
  'health_status tagged draining, from elsewhere': health({ state: 'draining' }),
  'health_status tagged unhealthy, from elsewhere': health({ state: 'unhealthy', message: 'no keys' }),
  'health_status tagged healthy, from elsewhere': health({
    load: { ...noLoad, inFlight: 7 },
    resources: { ...noResources, memoryBytes: 1_000 },
  }),
  metrics_report: { kind: 'metrics', report: metrics },
  'config_update_request for a reload, from elsewhere': update({ kind: 'request_reload' }),
  'config_update_request with an error, from elsewhere': update({
    kind: 'config_error',
    error: 'no such colour',
    field: 'colour',
  }),
  'config_update_request for a restart, from elsewhere': update({ kind: 'restart_required', reason: 'new version' }),
  'config_update_request with rules, from elsewhere': update({ kind: 'rule_update' }),
  'config_update_request with a list, from elsewhere': update({ kind: 'list_update' }),
  'flow_control that pauses, from elsewhere': {
    kind: 'flow_control',
    signal: { correlationId: null, action: 'pause', bufferAvailable: 0 },
  },
  'flow_control that resumes one request, from elsewhere': {
    kind: 'flow_control',
    signal: { correlationId: 'c-1', action: 'resume', bufferAvailable: null },
  },
  'flow_control with its capacity, from elsewhere': {
    kind: 'flow_control',
    signal: { correlationId: null, action: 'update_capacity', bufferAvailable: 65_536 },
  },
  pong: { kind: 'pong' },
};

/** A message as the gateway writes it. */
const gatewayPayload = (message: GatewayMessage): string => {
  switch (message.kind) {
    case 'handshake_request':
      return handshakeRequestJson(message.request);
    case 'event':
      return eventJson(message.event);
    case 'configure':
      return configureJson(message.configure);
    case 'cancel':
      return cancelJson(message.cancel, nowMs);
    case 'ping':
      return pingJson(18, nowMs);
    case 'unsupported_event':
      throw new Error('no gateway of ours sends it');
  }
};

/** A message as the agent writes it. */
const agentPayload = (title: string, message: AgentFrameMessage): string | Uint8Array => {
  // One name twice: the second goes with the operations for the response.
  if (title === 'agent_response that blocks' && blocked.decision.kind === 'block') {
    const headers = [...blocked.decision.headers, secondCookie.name, secondCookie.value];
    return answerJson({ ...blocked, decision: { ...blocked.decision, headers } }, 'c-1');
  }
  switch (message.kind) {
    case 'handshake_response':
      return handshakeResponseJson(message.response, fakeCapabilities);
    case 'answer':
      if (!message.answer.ok) throw new Error(message.answer.error);
      return answerJson(message.answer.value, message.correlationId);
    case 'health':
      return healthJson(message.health);
    case 'metrics':
      return metricsJson(message.report);
    case 'pong':
      return payloadOf('ping');
    default:
      throw new Error('no agent of ours sends it');
  }
};

const isOurs = (title: string): boolean => !title.endsWith('from elsewhere');

describe('the frames of the agent protocol', () => {
  it('are all shown, and each that is shown is tested', () => {
    expect(new Set([...fixtures.keys()].map(nameOf))).toEqual(new Set(Object.keys(messageKinds)));
    expect([...fixtures.keys()].sort()).toEqual(
      [...Object.keys(gatewayMessages), ...Object.keys(agentMessages)].sort(),
    );
  });

  it.each(Object.entries(gatewayMessages))('%s: an agent reads it', (title, message) => {
    expect(readGatewayMessage(frameOf(title, gatewayMessageNames))).toEqual({ ok: true, value: message });
  });

  it.each(Object.entries(gatewayMessages).filter(([title]) => isOurs(title)))(
    '%s: the gateway writes it, octet by octet',
    (title, message) => {
      expect(written(nameOf(title), gatewayPayload(message))).toBe(fixture(title).toString('latin1'));
    },
  );

  it.each(Object.entries(agentMessages))('%s: the gateway reads it', (title, message) => {
    expect(readAgentFrame(frameOf(title, agentMessageNames))).toEqual({ ok: true, value: message });
  });

  it.each(Object.entries(agentMessages).filter(([title]) => isOurs(title)))(
    '%s: an agent writes it, octet by octet',
    (title, message) => {
      expect(written(nameOf(title), agentPayload(title, message))).toBe(fixture(title).toString('latin1'));
    },
  );

  it.each([...fixtures.keys()])('%s: the other end refuses it', (title) => {
    const isFromGateway = messageKinds[nameOf(title)].from === 'gateway';
    const decoder = new FrameDecoder(isFromGateway ? agentMessageNames : gatewayMessageNames);
    decoder.push(fixture(title));
    expect(decoder.next()).toBeNull();
    expect(decoder.failure).toMatch(/^a message of the unknown type/);
  });
});
