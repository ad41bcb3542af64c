import { expect, it } from 'vitest';
import type { ReadMessage } from '../../../fuzz/codec/read-message.js';
import { compareReadings, type OtherMessage } from '../../../fuzz/node/compare-readings.js';

const ours = (body: string): ReadMessage => ({
  line: 'POST /',
  minorVersion: 1,
  fields: [],
  lines: null,
  framing: 'length',
  body,
  trailers: [],
  isComplete: true,
  mayUpgrade: false,
  isPersistent: true,
  end: 0,
});
const theirs = (body: string, isComplete: boolean, line = 'POST /'): OtherMessage => ({ line, body, isComplete });

it('a message that one reader has not come to end is over where it has read the beginning of HTTP/2 behind all of it', () => {
  const reading = { messages: [ours('ab')], ending: 'invalid_version' };
  const difference = compareReadings(reading, [theirs('ab', false), theirs('', true, 'PRI /')], false);
  expect(difference).toEqual({ kind: 'taken by one', which: 'theirs', turn: 1 });
});

it.each([
  ['ends sooner', [theirs('a', false), theirs('', true, 'PRI /')]],
  ['is not ended, and read behind it is another', [theirs('ab', false), theirs('', true)]],
  ['is not ended, and nothing read behind it', [theirs('ab', false)]],
])('a message that %s to the other reader is read otherwise', (_, others) => {
  const reading = { messages: [ours('ab')], ending: 'between' };
  expect(compareReadings(reading, others, false)).toEqual({ kind: 'read otherwise', turn: 0 });
});
