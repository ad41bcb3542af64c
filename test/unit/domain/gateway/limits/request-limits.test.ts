import { describe, expect, it } from 'vitest';
import {
  bodySizeLimit,
  checkBodySize,
  checkRequestHead,
  checkTarget,
  maxTargetBytes,
  parseContentLength,
} from '../../../../../src/domain/gateway/limits/request-limits.js';
import { plainLimits } from '../../../../support/gateway/plain-configurations.js';

const limits = {
  ...plainLimits,
  maxHeaderSizeBytes: 60,
  maxHeaderCount: 3,
  maxHeaderNameBytes: 10,
  maxHeaderValueBytes: 20,
  maxBodySizeBytes: 100,
};
const check = (...headers: string[]) => checkRequestHead(headers, limits);

describe('checkRequestHead', () => {
  it('accepts a head at every limit', () => {
    expect(check('n'.repeat(10), 'v'.repeat(20), 'a', 'b'.repeat(11), 'c', 'd'.repeat(5))).toBeNull();
    expect(check()).toBeNull();
  });

  it('names the exceeded limit and the actual value', () => {
    expect(check('a', '', 'b', '', 'c', '', 'd', '')).toEqual({
      code: 'header_too_large',
      name: 'max-header-count',
      limit: 3,
      actual: 4,
    });
    expect(check('n'.repeat(11), '')).toMatchObject({ name: 'max-header-name-bytes', limit: 10, actual: 11 });
    expect(check('a', 'v'.repeat(21))).toMatchObject({ name: 'max-header-value-bytes', limit: 20, actual: 21 });
    expect(check('n'.repeat(10), 'v'.repeat(20), 'a', 'b'.repeat(11), 'c', 'd'.repeat(6))).toMatchObject({
      name: 'max-header-size-bytes',
      limit: 60,
      actual: 61,
    });
  });
});

describe('checkTarget', () => {
  it('accepts at most 8192 octets', () => {
    expect(checkTarget('x'.repeat(maxTargetBytes))).toBeNull();
    expect(checkTarget('x'.repeat(8193))).toMatchObject({ code: 'target_too_long', limit: 8192, actual: 8193 });
  });
});

describe('checkBodySize', () => {
  it('accepts a body of at most the limit', () => {
    const limit = bodySizeLimit(null, 100);
    expect(checkBodySize(100, limit)).toBeNull();
    const violation = { code: 'body_too_large', name: 'max-body-size-bytes', limit: 100, actual: 101 };
    expect(checkBodySize(101, limit)).toEqual(violation);
  });

  it.each([50, 200, 0])('uses the limit of the route if there is one: %d', (maxBodySize) => {
    const limit = bodySizeLimit(maxBodySize, 100);
    expect(checkBodySize(maxBodySize, limit)).toBeNull();
    expect(checkBodySize(maxBodySize + 1, limit)).toMatchObject({ name: 'max-body-size', limit: maxBodySize });
  });
});

describe('parseContentLength', () => {
  it('reads digits', () => {
    expect(parseContentLength([])).toEqual({ ok: true, value: null });
    expect(parseContentLength(['0'])).toEqual({ ok: true, value: 0 });
    expect(parseContentLength(['1073741824'])).toEqual({ ok: true, value: 1_073_741_824 });
  });

  it.each([
    [['']],
    [['-1']],
    [['+1']],
    [['1,1']],
    [['1', '1']],
    [['0x10']],
    [['1e3']],
    [[' 1']],
    [['1 ']],
    [['9'.repeat(16)]],
    [['\u0661']],
  ])('refuses %j', (values) => {
    expect(parseContentLength(values)).toEqual({ ok: false, error: 'malformed_request' });
  });
});
