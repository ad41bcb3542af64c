import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { BodyPatience } from '../../../../../src/adapters/inbound/http-engines/connections/body-patience.js';
import { ReadAheadBudget } from '../../../../../src/adapters/inbound/http-engines/connections/read-ahead.js';
import { ClientSession } from '../../../../../src/adapters/inbound/http-engines/node/client-session.js';
import { FilteredIncomingMessage } from '../../../../../src/adapters/inbound/http-engines/node/filtered-incoming-message.js';
import { IncomingBody } from '../../../../../src/adapters/inbound/http-engines/node/incoming-body.js';

const patience: BodyPatience = { silenceMs: 60_000, minOctetsPerSecond: 0, graceMs: 0 };

const session = (socket: Socket): ClientSession =>
  new ClientSession(socket, 'main', { tls: null, client: null, isUnnamed: false }, () => 60_000);

describe('the requests of a connection', () => {
  it('are begun one after the other', () => {
    const begun: number[] = [];
    const one = session(new Socket());
    for (const request of [1, 2, 3]) one.take(() => begun.push(request));
    expect(begun).toEqual([1]);
    one.over();
    one.over();
    expect(begun).toEqual([1, 2, 3]);
  });

  it('are not begun behind the last response, whether they came before its end or come after it', () => {
    const begun: number[] = [];
    const one = session(new Socket());
    one.take(() => begun.push(1));
    one.take(() => begun.push(2));
    one.retire(600_000);
    one.take(() => begun.push(3));
    one.over();
    one.take(() => begun.push(4));
    expect(begun).toEqual([1]);
  });

  it('are not begun on a connection that was idle when its client lost its trust', () => {
    const begun: number[] = [];
    const socket = new Socket();
    const one = session(socket);
    one.retire(600_000);
    one.take(() => begun.push(1));
    expect(begun).toEqual([]);
    socket.destroy();
  });
});

it('a connection keeps nothing of a request with a body once that has been answered', () => {
  const one = session(new Socket());
  one.take(() => {
    const message = new FilteredIncomingMessage(new Socket());
    const body = new IncomingBody(message, 1, null, patience, new ReadAheadBudget());
    one.upload = { body, answer: { isGiven: false } };
  });
  one.over();
  expect(one.upload).toBeNull();
});
