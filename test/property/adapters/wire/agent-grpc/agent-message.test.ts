import type { MethodDefinition } from '@grpc/grpc-js';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { readGrpcAgentMessage, readHandshake } from '../../../../../src/adapters/wire/agent-grpc/agent-message.js';
import type { GrpcAgentToProxy, GrpcProxyToAgent } from '../../../../../src/adapters/wire/agent-grpc/grpc-messages.js';
import { agentToProxyShape, checkAgentMessage } from '../../../../../src/adapters/wire/agent-grpc/message-shape.js';
import { readOwnedHeaders } from '../../../../../src/adapters/wire/agent-grpc/owned-headers-metadata.js';
import { loadAgentGrpc } from '../../../../../src/bootstrap/shared/load-agent-grpc.js';
import { ok } from '../../../../../src/domain/shared/result.js';

const text = fc.string({ unit: 'binary', maxLength: 12 });
const header = fc.record({ name: text, value: text }, { requiredKeys: [] });
const operation = fc.record({ set: header, add: header, remove: text }, { requiredKeys: [] });
const float = fc.float();
const response = fc.record(
  {
    correlation_id: text,
    allow: fc.constant({}),
    block: fc.record({ status: fc.nat(1000), body: text, headers: fc.array(header) }, { requiredKeys: [] }),
    redirect: fc.record({ url: text, status: fc.nat(1000) }, { requiredKeys: [] }),
    challenge: fc.record({ challenge_type: text, params: fc.dictionary(text, text) }, { requiredKeys: [] }),
    request_headers: fc.array(operation, { maxLength: 4 }),
    response_headers: fc.array(operation, { maxLength: 4 }),
    audit: fc.record(
      { tags: fc.array(text), confidence: float, custom: fc.dictionary(text, text) },
      { requiredKeys: [] },
    ),
    needs_more: fc.boolean(),
  },
  { requiredKeys: [] },
);
const health = fc.record(
  { agent_id: text, state: fc.integer(), load: fc.record({ avg_latency_ms: float }), resources: fc.constant({}) },
  { requiredKeys: [] },
);
const message = fc.record(
  {
    handshake: fc.record({ success: fc.boolean(), capabilities: fc.constant({}) }, { requiredKeys: [] }),
    response,
    health,
    flow_control: fc.record({ action: fc.integer(), correlation_id: text }, { requiredKeys: [] }),
    config_update: fc.record({ request_reload: fc.constant({}), rule_update: fc.constant({}) }, { requiredKeys: [] }),
    log: fc.record({ level: fc.integer(), message: text, fields: fc.dictionary(text, text) }, { requiredKeys: [] }),
  },
  { requiredKeys: [] },
);

/** Decisions that are on the wire. */
const decisionsOf = (sent: GrpcAgentToProxy): readonly string[] =>
  (['allow', 'block', 'redirect', 'challenge'] as const).filter((name) => sent.response?.[name] != null);

describe('what an agent sends over gRPC', () => {
  let method: MethodDefinition<GrpcProxyToAgent, GrpcAgentToProxy>;
  beforeAll(async () => {
    const { service } = await loadAgentGrpc();
    method = service['ProcessStream'] as MethodDefinition<GrpcProxyToAgent, GrpcAgentToProxy>;
  });
  const decoded = (octets: Uint8Array): GrpcAgentToProxy | null => {
    try {
      return method.responseDeserialize(Buffer.from(octets));
    } catch {
      return null;
    }
  };
  const readAll = (sent: GrpcAgentToProxy): ReturnType<typeof readGrpcAgentMessage> => {
    const read = readGrpcAgentMessage(sent, { isText: true });
    if (read.ok && read.value.kind === 'handshake') readHandshake(read.value.response, []);
    return read;
  };

  it('is read as what it says, or not at all; an allow is only ever an allow alone', () => {
    fc.assert(
      fc.property(message, (made) => {
        const octets = method.responseSerialize(made as GrpcAgentToProxy);
        const look = checkAgentMessage(octets, agentToProxyShape);
        expect(look).toEqual(
          Object.keys(made).length > 1 ? expect.objectContaining({ ok: false }) : ok({ isText: true }),
        );
        const sent = decoded(octets);
        if (sent === null) throw new Error('the library does not read what it wrote');
        const read = readAll(sent);
        if (Object.keys(made).length !== 1) expect(read.ok).toBe(false);
        if (!read.ok || read.value.kind !== 'answer') return;
        const { answer } = read.value;
        const decisions = decisionsOf(made as GrpcAgentToProxy);
        if (decisions.length !== 1) expect(answer.ok).toBe(false);
        if (answer.ok) expect(answer.value.decision.kind).toBe(decisions[0]);
      }),
      { numRuns: 400 },
    );
  });

  it('never makes the reader fail, whatever the octets are', () => {
    const octets = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.tuple(message, fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 3 })).map(([made, at, change]) => {
        const whole = Buffer.from(method.responseSerialize(made as GrpcAgentToProxy));
        const part = change.subarray(0, whole.length);
        whole.set(part, at % (whole.length - part.length + 1));
        return whole;
      }),
    );
    fc.assert(
      fc.property(octets, (sent) => {
        const read = decoded(sent);
        if (read !== null) expect(readAll(read)).toHaveProperty('ok');
      }),
      { numRuns: 400 },
    );
  });

  it('owns at most what fits', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 400 }), { maxLength: 400 }), (values) => {
        const owned = readOwnedHeaders(values);
        if (!owned.ok) return;
        expect(owned.value.length).toBeLessThanOrEqual(256);
        for (const name of owned.value) {
          expect(name.length).toBeLessThanOrEqual(256);
          expect(name).not.toBe('');
          expect(name).not.toContain(',');
        }
      }),
      { numRuns: 100 },
    );
  });
});
