import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { IpcLink } from '../../../../../src/adapters/outbound/node-workers/ipc-link.js';

/** An end whose other end takes messages when the test says so. */
class HeldEnd extends EventEmitter {
  connected = true;
  readonly sent: (() => void)[] = [];

  send(_message: object, _handle: object | undefined, _options: object, sent: (error: Error | null) => void): boolean {
    this.sent.push(() => sent(null));
    return false;
  }

  disconnect(): void {
    this.connected = false;
    this.emit('disconnect');
  }
}

const message = { topic: 'a topic', id: null, isAnswer: false, body: 1 };

describe('a link over IPC', () => {
  it('is closed where the other end takes no more than so many messages', async () => {
    const end = new HeldEnd();
    const link = new IpcLink(end);
    let closed = 0;
    link.onClosed(() => {
      closed += 1;
    });
    for (let count = 0; count < 20_000; count += 1) link.send(message, null);
    expect([link.isClosed, end.sent.length]).toEqual([false, 20_000]);
    end.sent[0]?.();
    link.send(message, null);
    expect(link.isClosed).toBe(false);
    link.send(message, null);
    await Promise.resolve();
    expect([link.isClosed, closed, end.sent.length]).toEqual([true, 1, 20_001]);
    link.send(message, null);
    expect(end.sent).toHaveLength(20_001);
  });

  it('tells of its end also where that has come already', () => {
    const end = new HeldEnd();
    end.connected = false;
    const link = new IpcLink(end);
    let closed = 0;
    link.onClosed(() => {
      closed += 1;
    });
    expect([link.isClosed, closed]).toEqual([true, 1]);
  });

  it('passes on messages of its own kind alone', () => {
    const end = new HeldEnd();
    const taken: unknown[] = [];
    new IpcLink(end).onMessage((...parameters) => void taken.push(parameters));
    const handle = {};
    for (const other of [null, 5, 'text', {}, { topic: 3, body: null }]) end.emit('message', other, undefined);
    end.emit('message', message, undefined);
    end.emit('message', message, handle);
    expect(taken).toEqual([
      [message, null],
      [message, handle],
    ]);
  });
});
