import { describe, expect, it } from 'vitest';
import { targetAddresses } from '../../../../../src/domain/gateway/load-balancing/target-addresses.js';

const target = (host: string, port: number, weight = 1) => ({ address: { host, port }, weight });

describe('targetAddresses', () => {
  it('has all addresses of all targets in order', () => {
    const found = targetAddresses([target('a.example', 80), target('::1', 81)], (host) =>
      host === 'a.example' ? ['10.0.0.1', '10.0.0.2'] : [host],
    );
    expect(found.map(({ text, names }) => [text, names])).toEqual([
      ['10.0.0.1:80', ['a.example:80']],
      ['10.0.0.2:80', ['a.example:80']],
      ['[::1]:81', ['[::1]:81']],
    ]);
  });

  it('divides the weight of a target among its addresses', () => {
    const many = ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4'];
    const found = targetAddresses([target('many.example', 80), target('10.0.1.1', 80, 2)], (host) =>
      host === 'many.example' ? many : [host],
    );
    const [one = 0, two = 0, three = 0, four = 0, other = 0] = found.map(({ share }) => share);
    expect(one + two + three + four).toBe(other / 2);
    expect([one, two, three]).toEqual([two, three, four]);
    expect(found.map(({ configuredWeight }) => configuredWeight)).toEqual([1, 1, 1, 1, 2]);
  });

  it('merges equal addresses and adds their shares', () => {
    const found = targetAddresses([target('a.example', 80, 3), target('10.0.0.1', 80)], (host) =>
      host === 'a.example' ? ['10.0.0.1'] : [host],
    );
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ names: ['a.example:80', '10.0.0.1:80'], configuredWeight: 4 });
  });

  it('gives only a target of weight 0 no share', () => {
    const hosts = Array.from({ length: 256 }, (_, index) => `10.0.0.${index}`);
    const found = targetAddresses([target('a', 80, 0), target('b', 81, 1)], (host) => (host === 'a' ? ['::2'] : hosts));
    expect(found[0]?.share).toBe(0);
    expect(found.slice(1).every(({ share }) => share === 256)).toBe(true);
  });

  it('is empty for a name without an address', () => {
    expect(targetAddresses([target('a.example', 80)], () => [])).toEqual([]);
  });

  it('keeps names apart where connections depend on them', () => {
    const targets = [target('a.example', 443), target('b.example', 443)];
    const found = targetAddresses(targets, () => ['10.0.0.1'], true);
    expect(found.map(({ text, host, names }) => [text, host, names])).toEqual([
      ['10.0.0.1:443', 'a.example', ['a.example:443']],
      ['10.0.0.1:443 (b.example)', 'b.example', ['b.example:443']],
    ]);
    expect(new Set(found.map(({ key }) => key)).size).toBe(2);
  });

  it('never gives the key of one name to another', () => {
    const [one] = targetAddresses([target('a.example', 443)], () => ['10.0.0.1'], true);
    const [other] = targetAddresses([target('b.example', 443)], () => ['10.0.0.1'], true);
    expect(one?.key).not.toBe(other?.key);
  });

  it('has a unix socket as it is', () => {
    const found = targetAddresses([{ address: { path: '/run/app.sock' }, weight: 1 }], () => []);
    expect(found).toMatchObject([{ address: { path: '/run/app.sock' }, text: 'unix:/run/app.sock', host: '' }]);
  });
});
