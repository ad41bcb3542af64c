import type { HeaderList } from './header-list.js';

/**
 * Fields that are as those of a kept list but for one value, which belongs to one message. Who has found something out of the kept
 * list, or has written it, need not go through these: the very same list comes again.
 */
export class RepeatedHeaderCache {
  /** @param at where the value is that differs; the kept list has some other one there */
  constructor(
    readonly fields: HeaderList,
    /** Never changed. */
    readonly kept: HeaderList,
    readonly at: number,
  ) {}

  /** As the kept list, with this value. */
  static of(kept: HeaderList, at: number, value: string): RepeatedHeaderCache {
    const fields = kept.slice();
    fields[at] = value;
    return new RepeatedHeaderCache(fields, kept, at);
  }
}
