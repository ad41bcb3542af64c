import { constants } from 'node:http2';
import { describe, expect, it } from 'vitest';
import { StreamFaults } from '../../../../../../src/adapters/inbound/http-engines/http2/http2-connection.js';
import { PayloadMeter } from '../../../../../../src/adapters/inbound/http-engines/http2/session-options.js';

describe('what a connection carries', () => {
  it('may be nothing for a while, and an eighth of its octets from then on', () => {
    const meter = new PayloadMeter();
    expect(meter.isFlood(8_388_608)).toBe(false);
    expect(meter.isFlood(8_388_616)).toBe(true);
    meter.octets = 1_000_000;
    expect(meter.isFlood(16_000_000)).toBe(false);
  });
});

describe('the streams that a client has had end', () => {
  const told = (code: number, times: number, everyMs = 0): boolean => {
    const faults = new StreamFaults();
    let areTooMany = false;
    for (let count = 0; count < times; count += 1) areTooMany = faults.areTooMany(code, count * everyMs);
    return areTooMany;
  };

  it.each([
    ['cancelled', constants.NGHTTP2_CANCEL, 500, true],
    ['broken', constants.NGHTTP2_PROTOCOL_ERROR, 100, true],
    ['ended well', constants.NGHTTP2_NO_ERROR, 10_000, false],
    ['cut by the gateway', constants.NGHTTP2_INTERNAL_ERROR, 10_000, false],
  ])('%s are too many beyond a burst', (_, code, burst, isCounted) => {
    expect(told(code, burst)).toBe(false);
    expect(told(code, burst + 1)).toBe(isCounted);
  });

  it('are forgiven with time', () => {
    expect(told(constants.NGHTTP2_CANCEL, 5_000, 20)).toBe(false);
    expect(told(constants.NGHTTP2_CANCEL, 5_000, 10)).toBe(true);
  });
});
