import type { SecureContext } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { SessionTickets } from '../../../../../../src/adapters/inbound/http-engines/connections/session-tickets.js';
import { Secret } from '../../../../../../src/domain/shared/secret.js';

const key = (digits: string): Secret => new Secret(digits.repeat(48));
const name = (octet: number): Buffer => Buffer.alloc(16, octet);

/** A context of Node without the callback for tickets, as a later Node may have. */
const simpleContext = () => {
  const given: string[] = [];
  const context = { setTicketKeys: (keys: Buffer) => void given.push(keys.toString('hex')) };
  return { given, secure: { context } as unknown as SecureContext };
};

const callbackContext = () => {
  const context: {
    isEnabled: boolean;
    enableTicketKeyCallback(): void;
    onticketkeycallback?: (keyName: Buffer, iv: Buffer, isSealing: boolean) => readonly unknown[];
  } = {
    isEnabled: false,
    enableTicketKeyCallback() {
      this.isEnabled = true;
    },
  };
  const ask = (keyName: Buffer, isSealing: boolean) => context.onticketkeycallback?.(keyName, name(0), isSealing) ?? [];
  return { context, ask, secure: { context } as unknown as SecureContext };
};

describe('session tickets', () => {
  it('are opened with the current and the previous key; the previous one gets a new ticket', () => {
    const tickets = new SessionTickets();
    const { context, ask, secure } = callbackContext();
    tickets.applyTo(secure);
    expect(context.isEnabled).toBe(true);
    tickets.use({ current: key('02'), previous: key('01') });
    expect(ask(name(2), false)).toEqual([1, name(2), name(2)]);
    expect(ask(name(1), false)).toEqual([2, name(1), name(1)]);
    expect(ask(name(3), false)[0]).toBe(0);
    expect(ask(name(0), true).slice(0, 4)).toEqual([1, name(2), name(2), name(2)]);
  });

  it('have an initialization vector each', () => {
    const tickets = new SessionTickets();
    const { ask, secure } = callbackContext();
    tickets.applyTo(secure);
    const seen = new Set<string>();
    for (let count = 0; count < 1_000; count += 1) {
      const vector = ask(name(0), true)[4] as Buffer;
      expect(vector).toHaveLength(16);
      seen.add(vector.toString('hex'));
    }
    expect(seen.size).toBe(1_000);
  });

  it('are sealed with a random key before the first keys arrive', () => {
    const sealing = [new SessionTickets(), new SessionTickets()].map((tickets) => {
      const { ask, secure } = callbackContext();
      tickets.applyTo(secure);
      return (ask(name(0), true)[3] as Buffer).toString('hex');
    });
    expect(sealing[0]).not.toBe(sealing[1]);
  });

  it('know the current key only, where Node has no callback for them', () => {
    const tickets = new SessionTickets();
    const { given, secure } = simpleContext();
    tickets.applyTo(secure);
    tickets.use({ current: key('02'), previous: key('01') });
    expect(given).toHaveLength(2);
    expect(given[1]).toBe('02'.repeat(48));
  });

  it('refuse a key of another length', () => {
    expect(() => new SessionTickets().use({ current: new Secret('0102'), previous: null })).toThrow(RangeError);
  });
});
