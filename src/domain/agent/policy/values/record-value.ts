import type { RecordValue, Value } from './value.js';

/** A record with these attributes; of equal names the last counts. */
export const recordOf = (entries: Iterable<readonly [string, Value]>): RecordValue => ({
  kind: 'record',
  attributes: new Map(entries),
});

export const emptyRecord: RecordValue = recordOf([]);
