import { expect, it } from 'vitest';
import { MirrorSlots } from '../../../../../src/application/gateway/admit/mirror-slots.js';
import { LocalPermitBook } from '../../../../../src/application/gateway/workers/share-permits/local-permits.js';
import type { PermitBook, Permits } from '../../../../../src/application/ports/gateway/permits.js';
import { plainLimits } from '../../../../support/gateway/plain-configurations.js';

const localSlots = (): MirrorSlots => {
  const book = new LocalPermitBook();
  book.limit(plainLimits);
  return new MirrorSlots(book);
};

it('gives a hundred slots, and each again after its release', () => {
  const slots = localSlots();
  for (let count = 0; count < 100; count += 1) expect(slots.take()).toBe(true);
  expect(slots.take()).toBe(false);
  slots.release();
  expect(slots.take()).toBe(true);
  expect(slots.taken).toBe(100);
});

it('gives none before a configuration is in force, and none while it is paused', () => {
  expect(new MirrorSlots(new LocalPermitBook()).take()).toBe(false);
  const slots = localSlots();
  slots.isPaused = true;
  expect(slots.take()).toBe(false);
  slots.isPaused = false;
  expect(slots.take()).toBe(true);
});

it('asks for at most a hundred slots at once', async () => {
  const answers: ((isTaken: boolean) => void)[] = [];
  const permits: Partial<Permits> = {
    take: () => 'unknown',
    ask: () => new Promise((resolve) => answers.push(resolve)),
  };
  const slots = new MirrorSlots({ open: () => permits } as unknown as PermitBook);
  const asked = Array.from({ length: 100 }, () => slots.take());
  expect(slots.take()).toBe(false);
  for (const [index, answer] of answers.entries()) answer(index % 2 === 0);
  expect(await Promise.all(asked)).toEqual(asked.map((_, index) => index % 2 === 0));
  expect(slots.take()).toBeInstanceOf(Promise);
});
