import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Predecessor } from '../../../../../src/adapters/outbound/node-successor/predecessor.js';

/** The channel to the program before, whose part the test plays. */
class FakeChannel extends EventEmitter {
  connected = true;
  readonly sent: unknown[] = [];

  send(message: unknown): void {
    this.sent.push(message);
  }

  disconnect(): void {
    this.connected = false;
  }

  /** The program before has ended without a word. */
  close(): void {
    this.connected = false;
    this.emit('disconnect');
  }
}

const linked = () => {
  const channel = new FakeChannel();
  return { channel, predecessor: new Predecessor(channel) };
};

describe('the program before', () => {
  it('says what it has kept, however much that is', async () => {
    const { channel, predecessor } = linked();
    const state = Array.from({ length: 5_000 }, (_, at) => ({ upstream: 'api', address: `10.0.0.1:${at}` }));
    const early = predecessor.state();
    channel.emit('message', { kind: 'state', state });
    expect(await early).toEqual(state);
    expect(await predecessor.state()).toEqual(state);
  });

  it('hears that this one serves, and says what has changed before this one goes on', async () => {
    const { channel, predecessor } = linked();
    let isInCharge = false;
    const serving = predecessor.serving().then((changes) => {
      isInCharge = true;
      return changes;
    });
    await Promise.resolve();
    expect(channel.sent).toEqual([{ kind: 'serving' }]);
    expect(isInCharge).toBe(false);
    channel.emit('message', { kind: 'changes', changes: { drained: [7] } });
    expect(await serving).toEqual({ drained: [7] });
    expect(channel.connected).toBe(false);
  });

  it.each(['before', 'while'])('has left its place where it is gone %s it is asked', async (when) => {
    const { channel, predecessor } = linked();
    let abandoned = 0;
    predecessor.onAbandoned(() => {
      abandoned += 1;
    });
    if (when === 'before') channel.close();
    const answers = [predecessor.state(), predecessor.serving()];
    channel.close();
    expect(await Promise.all(answers)).toEqual([null, null]);
    expect(abandoned).toBe(0);
  });

  it('says that this one is not to take over, which may come before anybody listens', () => {
    for (const isEarly of [true, false]) {
      const { channel, predecessor } = linked();
      let abandoned = 0;
      if (isEarly) channel.emit('message', { kind: 'abandoned' });
      predecessor.onAbandoned(() => {
        abandoned += 1;
      });
      if (!isEarly) channel.emit('message', { kind: 'abandoned' });
      expect(abandoned).toBe(1);
    }
  });

  it('is not listened to where it says something else', async () => {
    const { channel, predecessor } = linked();
    for (const message of [null, 7, 'serving', {}, { kind: 'else' }]) channel.emit('message', message);
    channel.close();
    expect(await predecessor.state()).toBeNull();
  });
});
