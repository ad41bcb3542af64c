import { expect } from 'vitest';
import type { ClientResponse } from '../../../../../../src/application/ports/gateway/http-exchange.js';
import { fedConnection } from '../../../../../support/gateway/fed-connection.js';
import type { CleanUp } from '../../../../../support/shared/clean-up.js';
import { eventually } from '../../../../../support/shared/eventually.js';
import { it } from '../../../../../support/shared/fixtures.js';
import { endOfTurn, passTime } from '../../../../../support/shared/loop-turns.js';

const octets = (text: string): Buffer => Buffer.from(text, 'latin1');
const get = octets('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
const upload = octets('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nab');

/** A connection of which it is known how many of its requests have begun. */
const connection = (cleanUp: CleanUp) => {
  let begun = 0;
  const ends: boolean[] = [];
  const responses: ClientResponse[] = [];
  const fed = fedConnection((_, response) => {
    begun += 1;
    responses.push(response);
    response.onClosed((isWhole) => ends.push(isWhole));
  });
  cleanUp.add(() => fed.end());
  return { fed, begun: () => begun, responses, ends };
};

it('begins before body octets that arrive more than a millisecond later', async ({ cleanUp }) => {
  const [asking, uploading] = [connection(cleanUp), connection(cleanUp)];
  await uploading.fed.feed(upload);
  expect(uploading.begun()).toBe(1);
  const fed = asking.fed.feed(get);
  expect(asking.begun()).toBe(0);
  passTime();
  const more = uploading.fed.feed(octets('c'));
  expect(asking.begun()).toBe(1);
  await Promise.all([fed, more]);
  expect(asking.begun()).toBe(1);
});

it('does not begin if its connection is destroyed later in the same turn', async ({ cleanUp }) => {
  const { fed, begun } = connection(cleanUp);
  const taken = fed.feed(get);
  fed.end();
  await taken;
  for (let turn = 0; turn < 4; turn += 1) await endOfTurn();
  expect(begun()).toBe(0);
});

it('gets no complete response on a destroyed connection', async ({ cleanUp }) => {
  const { fed, responses, ends } = connection(cleanUp);
  await fed.feed(get);
  fed.end();
  responses[0]?.send(200, [], 'to nobody', false);
  await eventually(() => ends.length > 0);
  expect([ends, fed.written]).toEqual([[false], '']);
});
