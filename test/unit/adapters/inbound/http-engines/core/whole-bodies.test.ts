import { describe, expect, it } from 'vitest';
import type { ClientRequest } from '../../../../../../src/application/ports/gateway/http-exchange.js';
import { fedConnection } from '../../../../../support/gateway/fed-connection.js';

/** The request that these octets are the beginning of, sent in one piece. */
const sent = async (octets: string) => {
  const requests: ClientRequest[] = [];
  const connection = fedConnection((request) => requests.push(request), {});
  await connection.feed(Buffer.from(octets));
  return { body: requests[0]?.body ?? null, end: () => connection.end() };
};

const whole = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc';

describe('a body that came with its head', () => {
  it('is there at once, and so is its end', async () => {
    const { body, end } = await sent(whole);
    expect(body?.read()).toEqual(Buffer.from('abc'));
    expect(body?.read()).toBeNull();
    end();
  });

  it('has still come to its end where it is cancelled behind its last octet', async () => {
    const { body, end } = await sent(whole);
    expect(body?.read()).not.toBeNull();
    body?.cancel();
    expect(body?.read()).toBeNull();
    end();
  });

  it('is unreadable where it is cancelled before it was read', async () => {
    const { body, end } = await sent(whole);
    body?.cancel();
    await expect(body?.read()).rejects.toThrow('no longer wanted');
    end();
  });

  it('leaves what is behind it to the next request', async () => {
    const { body, end } = await sent(`${whole}GET / HTTP/1.1\r\n`);
    expect([body?.read(), body?.read()]).toEqual([Buffer.from('abc'), null]);
    end();
  });
});
