import { describe, expect, it } from 'vitest';
import {
  acceptedCoding,
  type CompressionCoding,
} from '../../../../../src/domain/gateway/route-transforms/accepted-coding.js';

const offered: readonly CompressionCoding[] = ['br', 'gzip'];
const chosen = (...values: readonly string[]) =>
  acceptedCoding(
    values.flatMap((value) => ['Accept-Encoding', value]),
    offered,
  );

describe('the coding of a response', () => {
  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    ['br;q=0.5, gzip', 'gzip'],
    ['br ; Q=0.9 , gzip; q=0.9', 'br'],
    ['br;q=0, gzip;q=0.001', 'gzip'],
    ['br;q=0.1, gzip;q=0.100', 'br'],
    ['*', 'br'],
    ['br;q=0, *', 'gzip'],
    ['*;q=0.3, gzip;q=0.2', 'br'],
    ['identity;q=0, gzip', 'gzip'],
    ['identity;q=0.5, gzip;q=0.5', 'gzip'],
    ['deflate, gzip;q=1.0', 'gzip'],
    [', ,gzip,', 'gzip'],
  ])('for "%s" is %s', (value, coding) => {
    expect(chosen(value)).toBe(coding);
  });

  it.each([
    ['identity'],
    [''],
    ['gzip;q=0'],
    ['gzip;q=0, br;q=0.000'],
    ['*;q=0'],
    ['deflate, zstd, compress'],
    ['identity, gzip;q=0.9'],
    ['identity;q=1, *;q=0.5'],
    ['gzip;q=2'],
    ['gzip;q=0.1234'],
    ['gzip;q=-1'],
    ['gzip;q='],
    ['gzip;q=NaN'],
    ['gzip;q'],
    ['gzip;q=0, x-gzip'],
    ['gzip, gzip;q=0'],
    ['g zip'],
    ['identity;q=0'],
  ])('for "%s" is none', (value) => {
    expect(chosen(value)).toBeNull();
  });

  it('is none without Accept-Encoding', () => {
    expect(acceptedCoding(['Accept', 'gzip'], offered)).toBeNull();
  });

  it('counts all fields of a request together', () => {
    expect(chosen('br;q=0.1', 'gzip;q=0.2')).toBe('gzip');
  });

  it('follows the order of the server between equal weights', () => {
    expect(acceptedCoding(['Accept-Encoding', 'br, gzip'], ['gzip', 'br'])).toBe('gzip');
    expect(acceptedCoding(['Accept-Encoding', 'gzip, zstd'], ['zstd', 'gzip'])).toBe('zstd');
  });
});
