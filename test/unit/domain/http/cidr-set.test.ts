import { describe, expect, it } from 'vitest';
import { compileCidrs, includesAddress } from '../../../../src/domain/http/cidr-set.js';
import { parseIpAddress } from '../../../../src/domain/http/ip-address.js';

const includes = (blocks: readonly string[], text: string): boolean => {
  const set = compileCidrs(blocks);
  const address = parseIpAddress(text);
  if (!set.ok || address === null) throw new Error('the test is wrong');
  return includesAddress(set.value, address);
};

describe('compileCidrs', () => {
  it.each([
    ['10.0.0.0/8', '10.255.255.255', '11.0.0.0'],
    ['192.0.2.77/31', '192.0.2.76', '192.0.2.78'],
    ['192.0.2.1', '192.0.2.1', '192.0.2.2'],
    ['0.0.0.0/0', '203.0.113.9', '::1'],
    ['::/0', '2001:db8::1', '192.0.2.1'],
    ['2001:db8::/33', '2001:db8:7fff::1', '2001:db8:8000::'],
    ['fe80::/10', 'febf::1', 'fec0::'],
    ['2001:db8::/127', '2001:db8::1', '2001:db8::2'],
    ['::ffff:10.0.0.0/104', '10.1.2.3', '11.0.0.1'],
    ['10.0.0.0/8', '::ffff:10.1.2.3', '::ffff:11.1.2.3'],
  ])('%s holds %s and not %s', (block, inside, outside) => {
    expect(includes([block], inside)).toBe(true);
    expect(includes([block], outside)).toBe(false);
  });

  it('finds an address among many blocks that overlap or touch', () => {
    const blocks = ['10.2.0.0/16', '10.0.0.0/8', '10.1.1.1', '172.16.0.0/12', '192.168.0.0/16', '::1', '10.9.0.0/24'];
    for (const inside of ['10.0.0.0', '10.255.0.1', '172.31.9.9', '192.168.255.255', '::1']) {
      expect(includes(blocks, inside)).toBe(true);
    }
    for (const outside of ['9.255.255.255', '11.0.0.0', '172.32.0.0', '192.169.0.0', '::2']) {
      expect(includes(blocks, outside)).toBe(false);
    }
  });

  it('holds nothing where there are no blocks', () => {
    expect(includes([], '127.0.0.1')).toBe(false);
  });

  it.each([
    '',
    'localhost',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '::/129',
    '10/8',
    '::ffff:0:0/95',
    '10.0.0.0/8 ',
  ])('refuses %j and names it', (block) => {
    const set = compileCidrs(['127.0.0.1', block]);
    expect(set).toEqual({ ok: false, error: `"${block}" is neither an IP address nor a CIDR block` });
  });
});
