import { describe, expect, it } from 'vitest';
import { FrameOutbox } from '../../../../../src/adapters/wire/agent-frames/frame-outbox.js';

const outbox = ({ isDone = false } = {}) => {
  const writes: Uint8Array[] = [];
  const tasks: (() => void)[] = [];
  return {
    writes,
    endTurn: () => {
      for (const task of tasks.splice(0)) task();
    },
    tasks,
    box: new FrameOutbox(
      (octets) => {
        writes.push(octets);
        return isDone;
      },
      (task) => tasks.push(task),
    ),
  };
};

describe('FrameOutbox', () => {
  it('writes the frames of one turn together, octet for octet', () => {
    const { box, writes, endTurn, tasks } = outbox();
    box.send('ping', '{"é":1}');
    box.send('pong', Uint8Array.of(0, 255));
    box.send('cancel', '');
    expect(tasks).toHaveLength(1);
    expect(writes).toHaveLength(0);
    endTurn();
    expect(writes.map((octets) => [...octets])).toEqual([
      [
        ...[0, 0, 0, 9, 0x41, 0x7b, 0x22, 0xc3, 0xa9, 0x22, 0x3a, 0x31, 0x7d],
        ...[0, 0, 0, 3, 0x42, 0, 255],
        ...[0, 0, 0, 1, 0x40],
      ],
    ]);
  });

  it('gives octets away that later frames do not touch', () => {
    const { box, writes, endTurn } = outbox();
    box.send('ping', 'a');
    endTurn();
    box.send('ping', 'b');
    endTurn();
    expect(writes.map((octets) => octets[5])).toEqual([0x61, 0x62]);
    expect(box.pendingBytes).toBe(0);
  });

  it('uses octets again that whoever writes them is done with', () => {
    const { box, writes, endTurn } = outbox({ isDone: true });
    for (const text of ['a', 'b']) {
      box.send('ping', text);
      endTurn();
    }
    expect(writes.map((octets) => octets[5])).toEqual([0x62, 0x62]);
    expect(writes[0]?.buffer).toBe(writes[1]?.buffer);
  });

  it('keeps what is sent while it writes apart from what is being written', () => {
    const written: number[][] = [];
    const box = new FrameOutbox(
      (octets) => {
        if (written.length === 0) box.send('ping', 'b');
        written.push([...octets]);
        return true;
      },
      () => {},
    );
    box.send('ping', 'a');
    box.flush();
    box.flush();
    expect(written).toEqual([
      [0, 0, 0, 2, 0x41, 0x61],
      [0, 0, 0, 2, 0x41, 0x62],
    ]);
  });

  it('sends the largest frame there can be, and nothing of a larger one', () => {
    const { box, writes, endTurn } = outbox();
    expect(box.send('ping', 'x'.repeat(16_777_215))).toBe(true);
    expect(box.send('ping', 'x'.repeat(16_777_216))).toBe(false);
    expect(box.send('ping', 'é'.repeat(8_388_608))).toBe(false);
    expect(box.send('pong', new Uint8Array(16_777_216))).toBe(false);
    endTurn();
    expect(writes.map((octets) => [octets.length, ...octets.subarray(0, 5)])).toEqual([[16_777_220, 1, 0, 0, 0, 0x41]]);
  });
});
