import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LegacyAgentConnector } from '../../../../../src/adapters/outbound/agent-legacy-client/legacy-agent-connector.js';
import { NodeScheduler } from '../../../../../src/adapters/outbound/node-scheduler/node-scheduler.js';
import type { AgentConnection } from '../../../../../src/application/ports/gateway/agent-connector.js';
import { RecordingConnectionListener } from '../../../../support/gateway/recording-connection-listener.js';
import { headersEvent } from '../../../../support/shared/agent-events.js';
import {
  legacyAllow,
  legacyFrameOf,
  type RawLegacyAgent,
  type RawLegacyPeer,
  rawLegacyAgent,
} from '../../../../support/shared/raw-legacy-agent.js';
import { type TemporaryFolder, temporaryFolder } from '../../../../support/shared/temporary-folder.js';

const lengthOf = (length: number): Buffer => {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(length, 0);
  return head;
};

describe('a hostile agent of the older framing', () => {
  let folder: TemporaryFolder;
  let agent: RawLegacyAgent;
  let listener: RecordingConnectionListener;
  let connection: AgentConnection;
  let peer: RawLegacyPeer;

  const open = async (greet?: (peer: RawLegacyPeer) => void, handshakeTimeoutMs = 5_000): Promise<void> => {
    agent = await rawLegacyAgent(folder.file('agent.sock'), greet);
    const connector = new LegacyAgentConnector(
      { name: 'waf', path: folder.file('agent.sock'), owner: null, events: ['request_headers'] },
      { scheduler: new NodeScheduler() },
      { handshakeTimeoutMs },
    );
    connection = connector.connect({}, listener);
    peer = await agent.peer();
    if (greet === undefined) await listener.ready();
  };

  /** Connects, asks, and gives the agent the turn. */
  const asked = async (): Promise<void> => {
    await open();
    connection.sendEvent(headersEvent('a'));
    await peer.received(2);
  };

  const expectMalformed = async (detail: string): Promise<void> => {
    const end = await listener.ended();
    expect(end.kind).toBe('malformed');
    expect(end.detail).toContain(detail);
    // What came is the answer to the call that was open, if one was, and is none.
    expect(listener.answers.filter(({ answer }) => answer.ok)).toEqual([]);
    expect(listener.answers.length).toBeLessThanOrEqual(1);
    expect([listener.ends.length, connection.isBusy]).toEqual([1, true]);
    await peer.closed();
  };

  beforeEach(() => {
    folder = temporaryFolder();
    listener = new RecordingConnectionListener();
  });

  afterEach(async () => {
    connection.close('the test is over');
    await agent.close();
    folder.remove();
  });

  it.each([
    ['a frame of length zero', lengthOf(0), 'length zero'],
    ['a frame that is too long', lengthOf(10_485_761), '10485761'],
    ['a frame of four gigabytes', lengthOf(0xffff_ffff), '4294967295'],
    ['text that is not JSON', legacyFrameOf('allow'), 'not JSON'],
    ['JSON that is not an object', legacyFrameOf('["allow"]'), 'not an object'],
    ['invalid UTF-8', legacyFrameOf(Buffer.from([0x22, 0xff, 0xfe, 0x22])), 'not JSON'],
    ['an overlong spelling of UTF-8', legacyFrameOf(Buffer.from('{"a":"\xc0\xaf"}', 'latin1')), 'not JSON'],
    ['what is nested without an end', legacyFrameOf(`{"a":${'['.repeat(5_000)}`), 'nested too deeply'],
    ['more values than anybody needs', legacyFrameOf(`{"a":[${'0,'.repeat(300_000)}0]}`), 'too many values'],
    ['two answers at once', Buffer.concat([legacyFrameOf(legacyAllow), legacyFrameOf(legacyAllow)]), 'more than'],
    ['an answer and the beginning of another', Buffer.concat([legacyFrameOf(legacyAllow), lengthOf(9)]), 'more than'],
    ['an answer and a single octet more', Buffer.concat([legacyFrameOf(legacyAllow), Buffer.from([0])]), 'more than'],
    [
      'the answer to another request',
      legacyFrameOf({ ...legacyAllow, audit: { custom: { correlation_id: 'b' } } }),
      'another request',
    ],
    [
      'the answer to another request, said elsewhere',
      legacyFrameOf({ ...legacyAllow, correlation_id: 'b' }),
      'another',
    ],
  ])('that sends %s is disconnected', async (_, octets, detail) => {
    await asked();
    peer.socket.write(octets);
    await expectMalformed(detail);
  });

  it.each([
    ['no decision', { version: 2 }],
    ['an unknown decision', { version: 2, decision: 'permit' }],
    ['two decisions', { version: 2, decision: { allow: {}, block: { status: 403 } } }],
    ['another version', { version: 1, decision: 'allow' }],
    ['a status that is text', { version: 2, decision: { block: { status: '403' } } }],
    ['header operations that are none', { ...legacyAllow, request_headers: [{ replace: { name: 'a', value: 'b' } }] }],
    ['the answer to a configuration', { success: true }],
    ['an answer to a frame of a WebSocket', { ...legacyAllow, websocket_decision: 'drop' }],
  ])('that answers with %s fails only that call', async (_, answer) => {
    await asked();
    peer.send(answer);
    await listener.answered();
    expect(listener.answers).toMatchObject([{ correlationId: 'a', answer: { ok: false } }]);
    expect(listener.ends).toEqual([]);
    expect(connection.isBusy).toBe(false);
  });

  it('cannot answer a call twice', async () => {
    await asked();
    // The place is taken at the moment it is free: what is left of the read must not become the next answer.
    listener.whenAnswered = () => void connection.sendEvent(headersEvent('b'));
    peer.send(legacyAllow, { version: 2, decision: { block: { status: 403 } } });
    await expectMalformed('more than one answer');
  });

  it('that sends unrequested frames is disconnected', async () => {
    await open();
    peer.send(legacyAllow);
    await expectMalformed('unexpected message');
  });

  it('that sends first gets no configuration', async () => {
    await open((hasty) => hasty.send({ success: true }));
    expect((await listener.ended()).kind).toBe('malformed');
    expect(listener.capabilities).toBeNull();
  });

  it.each([
    ['an answer to an event', legacyAllow],
    ['a success that is a text', { success: 'true' }],
    ['not JSON', 'yes'],
    ['a reason that is none', { success: false, error: 7 }],
  ])('that answers its configuration with %s is unavailable', async (_, answer) => {
    await open((greeted) => void greeted.received(1).then(() => greeted.send(answer)));
    expect((await listener.ended()).kind).toBe('malformed');
    expect(listener.capabilities).toBeNull();
  });

  it('that answers its configuration twice is unavailable', async () => {
    await open((greeted) => void greeted.received(1).then(() => greeted.send({ success: true }, legacyAllow)));
    expect((await listener.ended()).kind).toBe('malformed');
    expect(listener.capabilities).toBeNull();
  });

  it('that never answers its configuration times out', async () => {
    await open(() => {}, 30);
    expect(await listener.ended()).toEqual({
      kind: 'ended',
      detail: 'the agent did not answer its configuration in time',
    });
    await peer.closed();
  });

  it('cannot write unbounded log lines', async () => {
    await open(
      (greeted) => void greeted.received(1).then(() => greeted.send({ success: false, error: 'x'.repeat(9_999) })),
    );
    expect((await listener.ended()).detail).toHaveLength(500);
  });

  it('that closes within a frame gives no answer', async () => {
    await asked();
    peer.socket.end(legacyFrameOf(legacyAllow).subarray(0, -1));
    expect(await listener.ended()).toEqual({ kind: 'ended', detail: 'the connection ended within a frame' });
    expect(listener.answers).toEqual([]);
  });

  it('that closes within a length is only disconnected', async () => {
    await asked();
    peer.socket.end(lengthOf(9).subarray(0, 3));
    expect(await listener.ended()).toEqual({ kind: 'ended', detail: 'the agent closed it' });
  });

  it('cannot allocate memory by a length', async () => {
    await asked();
    const before = process.memoryUsage().arrayBuffers;
    peer.socket.write(Buffer.concat([lengthOf(10_485_760), Buffer.from('{')]));
    // The answer to a probe on another connection shows that the first octets have been read meanwhile.
    const other = new RecordingConnectionListener();
    const second = new LegacyAgentConnector(
      { name: 'waf', path: folder.file('agent.sock'), owner: null, events: [] },
      { scheduler: new NodeScheduler() },
    ).connect({}, other);
    await other.ready();
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(5_000_000);
    expect(listener.ends).toEqual([]);
    second.close('the test is over');
  });
});
