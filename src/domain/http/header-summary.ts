import type { HeaderList } from './header-list.js';

/** Properties of header fields that the parser found while it read them. */
export interface HeaderSummary {
  /** The summarised fields; immutable. */
  readonly fields: HeaderList;
  /** The union of the `fieldTraits` of all names. */
  readonly traits: number;
  /** Octets of all lines: name, value, colon, space and line end. */
  readonly octets: number;
  /** Octets of the longest name, or a larger number. */
  readonly longestName: number;
  /** Index of the only Host in `fields`; -1 if there is none. */
  readonly hostAt: number;
  /** Index of the only Content-Length in `fields`; -1 if there is none. */
  readonly lengthAt: number;
}

/** All traits: any field may be present. */
const anyTraits = -1;

/** The summary if it is of this list; otherwise null. */
export const knownOf = (headers: HeaderList, known: HeaderSummary | null): HeaderSummary | null =>
  known !== null && known.fields === headers ? known : null;

/** The union of the traits of all names; all traits if unknown. */
export const traitsOf = (headers: HeaderList, known: HeaderSummary | null): number =>
  known !== null && known.fields === headers ? known.traits : anyTraits;
