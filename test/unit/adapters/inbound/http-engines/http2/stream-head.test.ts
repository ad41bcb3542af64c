import { describe, expect, it } from 'vitest';
import { readStreamHead } from '../../../../../../src/adapters/inbound/http-engines/http2/stream-head.js';

const pseudo = [':method', 'GET', ':scheme', 'http', ':path', '/', ':authority', 'a'];
const read = (...fields: readonly string[]) => readStreamHead([...pseudo, ...fields], 1_000);

describe('the head of a stream', () => {
  it('is measured as header lists are: 32 octets for each field beside its name and value', () => {
    const head = read('x', 'y');
    expect(head.ok && head.value.octets).toBe(7 + 3 + 7 + 4 + 5 + 1 + 10 + 1 + 2 + 5 * 32);
    expect(readStreamHead([...pseudo, 'x', 'y'], 199)).toEqual({ ok: false, error: 'header_too_large' });
    expect(readStreamHead([...pseudo, 'x', 'y'], 200).ok).toBe(true);
  });

  it.each(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade'])(
    'is malformed with %s',
    (name) => {
      expect(read(name, 'x')).toEqual({ ok: false, error: 'malformed' });
    },
  );

  it.each(['/\x80', '/ ', '/\x7f', '/\n', ''])('is malformed with the target %j', (target) => {
    expect(readStreamHead([':method', 'GET', ':path', target], 1_000)).toEqual({ ok: false, error: 'malformed' });
  });

  it('is malformed with a pseudo-header field that is unknown, and with two lengths', () => {
    expect(read(':protocol', 'websocket').ok).toBe(false);
    expect(read('content-length', '1', 'content-length', '1').ok).toBe(false);
    expect(read('content-length', '1 ').ok).toBe(false);
  });

  it('says what the body is told to be', () => {
    expect(read('content-length', '12', 'expect', '100-Continue')).toMatchObject({
      value: { length: 12, expectsContinue: true },
    });
    expect(read('expect', 'else')).toMatchObject({ value: { length: null, expectsContinue: false } });
  });
});
