import { expect, it } from 'vitest';
import {
  NodeDescriptors,
  openFilesLimit,
} from '../../../../../src/adapters/outbound/node-descriptors/node-descriptors.js';

it.each([
  ['Max open files            1024                 524288               files     \n', 1024],
  ['Limit  Soft Limit\nMax cpu time  unlimited  unlimited  seconds\nMax open files  65536  65536  files\n', 65536],
  ['Max open files            unlimited            unlimited            files     \n', null],
  ['', null],
])('reads the limit of open files in %j', (text, limit) => {
  expect(openFilesLimit(text)).toBe(limit);
});

it('knows the limit of this process, and that descriptors are free', () => {
  const descriptors = new NodeDescriptors();
  expect(descriptors.limit()).toBeGreaterThan(0);
  expect(descriptors.areExhausted()).toBe(false);
});
