import type { HeaderList } from './header-list.js';

/**
 * Fields that equal a cached list except for one value. A result for the cached list also holds for these
 * fields.
 */
export class RepeatedHeaderCache {
  /** @param at index of the value that differs */
  constructor(
    readonly fields: HeaderList,
    /** Immutable. */
    readonly kept: HeaderList,
    readonly at: number,
  ) {}

  /** The cached list with this value. */
  static of(kept: HeaderList, at: number, value: string): RepeatedHeaderCache {
    const fields = kept.slice();
    fields[at] = value;
    return new RepeatedHeaderCache(fields, kept, at);
  }
}
