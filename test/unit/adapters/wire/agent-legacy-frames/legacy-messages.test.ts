import { describe, expect, it } from 'vitest';
import { legacyFrame } from '../../../../../src/adapters/wire/agent-legacy-frames/legacy-frame.js';
import {
  legacyConfigureJson,
  legacyEventJson,
  readLegacyAnswer,
  readLegacyConfigureAnswer,
} from '../../../../../src/adapters/wire/agent-legacy-frames/legacy-messages.js';
import { allowAnswer } from '../../../../../src/domain/agent-protocol/messages.js';
import { chunkEvent } from '../../../../support/shared/agent-events.js';

const octets = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('the messages of the older framing', () => {
  it('are written byte for byte as the agents read them', () => {
    expect(legacyEventJson(chunkEvent('a', { data: octets('hi'), bytesReceived: 2, totalSize: 2 }))).toBe(
      '{"version":2,"event_type":"request_body_chunk","payload":' +
        '{"correlation_id":"a","data":"aGk=","is_last":true,"total_size":2,"chunk_index":0,"bytes_received":2}}',
    );
    expect(legacyConfigureJson('waf', { a: [1, null] })).toBe(
      '{"version":2,"event_type":"configure","payload":{"agent_id":"waf","config":{"a":[1,null]}}}',
    );
    expect(legacyConfigureJson('waf', null)).toBe(
      '{"version":2,"event_type":"configure","payload":{"agent_id":"waf","config":{}}}',
    );
  });

  it('go behind their length in octets, not in characters', () => {
    expect(legacyFrame('"\u2603"')).toEqual(Uint8Array.of(0, 0, 0, 5, 0x22, 0xe2, 0x98, 0x83, 0x22));
  });

  it('are at most as long as a frame may be', () => {
    expect(legacyFrame('x'.repeat(10_485_760))).toHaveLength(10_485_764);
    expect(legacyFrame('x'.repeat(10_485_761))).toBeNull();
    expect(legacyFrame('\u2603'.repeat(3_495_254))).toBeNull();
  });

  it('are read as answers, with the request that they name', () => {
    const read = (text: string) => readLegacyAnswer(octets(text));
    expect(read('{"decision":"allow"}')).toEqual({
      ok: true,
      value: { correlationId: null, answer: { ok: true, value: allowAnswer } },
    });
    expect(read('{"decision":"allow","correlation_id":"a"}')).toMatchObject({ value: { correlationId: 'a' } });
    expect(read('{"decision":"allow","correlation_id":"a","audit":{"custom":{"correlation_id":"b"}}}')).toMatchObject({
      value: { correlationId: 'b' },
    });
    expect(read('{"decision":"allow","correlation_id":7,"audit":[]}')).toMatchObject({
      value: { correlationId: null, answer: { ok: false } },
    });
    expect(read('{"decision":"maybe"}')).toMatchObject({ ok: true, value: { answer: { ok: false } } });
    expect(read('"allow"')).toMatchObject({ ok: false });
  });

  it('are read as what became of a configuration', () => {
    const read = (text: string) => readLegacyConfigureAnswer(octets(text));
    expect(read('{"success":true}')).toEqual({ ok: true, value: { success: true } });
    expect(read('{"success":false,"error":"no"}')).toEqual({ ok: true, value: { success: false, error: 'no' } });
    expect(read('{"success":false,"error":null}')).toMatchObject({ value: { error: 'no reason given' } });
    for (const text of ['{}', '{"success":1}', '{"success":null}', '[]', '']) expect(read(text).ok).toBe(false);
  });

  it('never quote what they could not read', () => {
    const read = readLegacyAnswer(octets('{"top secret'));
    expect(JSON.stringify(read)).not.toContain('secret');
  });
});
