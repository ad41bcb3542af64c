import type { HeaderList } from './header-list.js';

/** What is known of the fields of a request without going through them: their reader has found it out. */
export interface HeaderSummary {
  /** Those that it is known of; never changed. */
  readonly fields: HeaderList;
  /** What `fieldTraits` says of their names, together. */
  readonly traits: number;
  /** Octets of all names and values, and of the colon, the space and the line end of each line. */
  readonly octets: number;
  /** No name has more octets. */
  readonly longestName: number;
  /** Where the only Host begins in `fields`; -1: there is none. */
  readonly hostAt: number;
  /** The same of the only Content-Length. */
  readonly lengthAt: number;
  /** The very same list comes with further requests of its connection: what is found out of it may be kept for them. */
  readonly comesAgain: boolean;
  /** What goes on in their place, as it is kept for further requests; empty: nothing is kept. */
  goingOn: HeaderList;
}

/** Every trait there is: any field may be there. */
const anyTraits = -1;

/** What is known of a list: null where it is another than that whose fields are known. */
export const knownOf = (headers: HeaderList, known: HeaderSummary | null): HeaderSummary | null =>
  known !== null && known.fields === headers ? known : null;

/** The traits of the names of a list, together; all where they are not known. */
export const traitsOf = (headers: HeaderList, known: HeaderSummary | null): number =>
  known !== null && known.fields === headers ? known.traits : anyTraits;
