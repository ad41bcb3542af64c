import { describe, expect, it } from 'vitest';
import { NodeHostResolver } from '../../../../../src/adapters/outbound/node-dns/node-host-resolver.js';

describe('NodeHostResolver', () => {
  it('finds the addresses of this machine by its name', async () => {
    const found = await new NodeHostResolver().resolve('localhost');
    expect(found.ok && found.value.length > 0).toBe(true);
    if (found.ok) for (const address of found.value) expect(['127.0.0.1', '::1']).toContain(address);
  });

  it('says why a name has none', async () => {
    const found = await new NodeHostResolver().resolve('no such name');
    expect(found).toMatchObject({ ok: false, error: expect.stringMatching(/^E[A-Z_]+$/) });
  });

  it('takes an address for what it is, without asking anybody', async () => {
    const resolver = new NodeHostResolver(() => Promise.reject(new Error('asked')));
    expect(await resolver.resolve('192.0.2.1')).toEqual({ ok: true, value: ['192.0.2.1'] });
    expect(await resolver.resolve('2001:db8::1')).toEqual({ ok: true, value: ['2001:db8::1'] });
  });

  it('has each address once, in an order that does not turn round', async () => {
    let turn = 0;
    const resolver = new NodeHostResolver(async () => {
      turn += 1;
      const addresses = ['10.0.0.2', '10.0.0.1', '10.0.0.2'].map((address) => ({ address, family: 4 }));
      return turn === 1 ? addresses : addresses.reverse();
    });
    const first = await resolver.resolve('a.example');
    expect(first).toEqual({ ok: true, value: ['10.0.0.1', '10.0.0.2'] });
    expect(await resolver.resolve('a.example')).toEqual(first);
  });

  it('waits no longer than its deadline, and does not ask again while an old question is open', async () => {
    let asked = 0;
    let answer: (addresses: readonly { address: string; family: number }[]) => void = () => {};
    const resolver = new NodeHostResolver(() => {
      asked += 1;
      return new Promise((resolve) => {
        answer = resolve;
      });
    }, 1);
    expect(await resolver.resolve('a.example')).toEqual({ ok: false, error: 'timed_out' });
    expect(await resolver.resolve('a.example')).toEqual({ ok: false, error: 'timed_out' });
    expect(asked).toBe(1);
    const late = resolver.resolve('a.example');
    answer([{ address: '10.0.0.1', family: 4 }]);
    expect(await late).toEqual({ ok: true, value: ['10.0.0.1'] });
  });

  it('tells of an error that has no code without repeating it', async () => {
    const resolver = new NodeHostResolver(() => Promise.reject(new Error('with a secret')));
    expect(await resolver.resolve('a.example')).toEqual({ ok: false, error: 'failed' });
  });
});
