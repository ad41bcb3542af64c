import { describe, expect, it } from 'vitest';
import { crc32c } from '../../../../src/domain/shared/crc32c.js';

// RFC 3720, appendix B.4, and the check value of the algorithm.
describe('CRC-32C', () => {
  it.each([
    ['nothing', new Uint8Array(0), 0],
    ['the digits', Uint8Array.from('123456789', (digit) => digit.charCodeAt(0)), 0xe3069283],
    ['zeros', new Uint8Array(32), 0x8a9136aa],
    ['ones', new Uint8Array(32).fill(0xff), 0x62a8ab43],
    ['rising octets', Uint8Array.from({ length: 32 }, (_, index) => index), 0x46dd794e],
    ['falling octets', Uint8Array.from({ length: 32 }, (_, index) => 31 - index), 0x113fdb5c],
  ])('of %s is the published one', (_name, octets, checksum) => {
    expect(crc32c(octets)).toBe(checksum);
  });
});
