import { describe, expect, it } from 'vitest';
import { ReadAheadBudget } from '../../../../../../src/adapters/inbound/http-engines/connections/read-ahead.js';
import { RequestHeads, readRequest } from '../../../../../../src/adapters/inbound/http-engines/core/request-heads.js';
import { RequestLines } from '../../../../../../src/adapters/wire/http1/request-lines.js';
import { newExchange } from '../../../../../support/gateway/exchanges.js';
import { octetsUsed } from '../../../../../support/gateway/octets-used.js';

const get = (fields: string, line = 'GET / HTTP/1.1'): Buffer => Buffer.from(`${line}\r\n${fields}\r\n`, 'latin1');

describe('the field lines of a connection', () => {
  it('hold on to nothing of the head that they came in', () => {
    const size = 400_000;
    const count = 20;
    const { connection } = newExchange().request;
    const kept: RequestHeads[] = [];
    const before = octetsUsed();
    for (let index = 0; index < count; index += 1) {
      const heads = new RequestHeads(1_000_000, new ReadAheadBudget());
      kept.push(heads);
      const value = `${index} a value that is long enough to be a part of another text`;
      const name = `X-A-Name-That-Is-Longer-Than-Those-That-All-Connections-Have-Together-${index}`;
      for (let time = 0; time < 3; time += 1) {
        expect(heads.read(get(`${name}: ${value}\r\n`, `GET /${'a'.repeat(size)} HTTP/1.1`))).toBeGreaterThan(size);
        const { received } = readRequest(heads, null, connection);
        expect(received instanceof RequestLines && received.comesAgain).toBe(time === 2);
        heads.forget();
      }
    }
    // Kept heads would be all of it.
    expect(octetsUsed() - before).toBeLessThan((count / 2) * size);
    expect(kept).toHaveLength(count);
  });
});
