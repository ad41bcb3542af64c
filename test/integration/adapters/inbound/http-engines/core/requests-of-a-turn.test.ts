import { expect } from 'vitest';
import { boundLateness } from '../../../../../../src/adapters/event-loop-batching/event-loop-turn.js';
import { answerTo, endOfTurn, get, idleClients } from '../../../../../support/gateway/idle-clients.js';
import { eventually } from '../../../../../support/shared/eventually.js';
import { it } from '../../../../../support/shared/fixtures.js';
import { passTime } from '../../../../../support/shared/loop-turns.js';

const paths = Array.from({ length: 200 }, (_, index) => `/${index}`);
const all = paths.map((path) => get(path)).join('');

it('are at most sixteen per connection, despite pipelining, so that others have their turn', async ({ cleanUp }) => {
  const clients = await idleClients(cleanUp);
  const [greedy, modest, late] = [await clients.idle(), await clients.idle(), await clients.idle()];
  greedy.come(all);
  modest.come(get('/modest'));
  await endOfTurn();
  expect(clients.targets()).toEqual([...paths.slice(0, 16), '/modest']);
  late.come(get('/late'));
  await endOfTurn();
  expect(clients.targets().slice(17)).toEqual(['/late', ...paths.slice(16, 32)]);
  await eventually(() => greedy.answered().endsWith(answerTo('/199')));
  expect(greedy.answered()).toBe(paths.map((path) => answerTo(path)).join(''));
});

it('are also sixteen per connection when promises answer them', async ({ cleanUp }) => {
  const clients = await idleClients(cleanUp);
  const greedy = await clients.idle();
  const { handler } = clients;
  const answer = handler.handle.bind(handler);
  handler.handle = (request, response) => queueMicrotask(() => answer(request, response));
  greedy.come(all);
  await endOfTurn();
  expect(clients.targets()).toEqual(paths.slice(0, 16));
  await eventually(() => greedy.answered().endsWith(answerTo('/199')));
  expect(greedy.answered()).toBe(paths.map((path) => answerTo(path)).join(''));
});

it('are few in total for resumed connections', async ({ cleanUp }) => {
  const clients = await idleClients(cleanUp);
  const greedy = await clients.idles(70);
  for (const each of greedy) each.come(all);
  await endOfTurn();
  // Of those that were handled before the end of the turn, four have gone on at it.
  expect(clients.targets().length).toBeLessThanOrEqual((70 + 4) * 16);
  for (let turn = 0; turn < 3; turn += 1) {
    const before = clients.targets().length;
    await endOfTurn();
    expect(clients.targets().length - before).toBe(4 * 16);
  }
  for (const each of greedy) await eventually(() => each.answered().endsWith(answerTo('/199')));
  const answers = paths.map((path) => answerTo(path)).join('');
  for (const each of greedy) expect(each.answered()).toBe(answers);
});

it('are no more when other reads hurry waiting requests', async ({ cleanUp }) => {
  const clients = await idleClients(cleanUp);
  const greedy = await clients.idle();
  greedy.come(all);
  for (let reading = 0; reading < 5; reading += 1) {
    passTime();
    boundLateness();
  }
  expect(clients.targets()).toEqual(paths.slice(0, 16));
  await eventually(() => greedy.answered().endsWith(answerTo('/199')));
});

it('resume in order when more arrives, body chunks included', async ({ cleanUp }) => {
  const clients = await idleClients(cleanUp);
  const greedy = await clients.idle();
  greedy.come(`${all}POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\nab`);
  await endOfTurn();
  greedy.come('cd');
  await endOfTurn();
  greedy.come(`ef${get('/last')}`);
  await eventually(() => greedy.answered().endsWith(answerTo('/last')));
  expect(clients.targets()).toEqual([...paths, '/body', '/last']);
});
