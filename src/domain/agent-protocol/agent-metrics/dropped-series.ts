/** Why a series of a report was not taken. */
export type DropReason =
  | 'its name is not well-formed'
  | 'its labels are not well-formed'
  | 'its value is none of its type'
  | 'its name is taken'
  | 'its buckets have changed'
  | 'it comes twice'
  | 'there are too many families'
  | 'there are too many series'
  | 'the agent id is too long'
  | 'there are too many agent ids';

/** Series of one report that were not taken. */
export interface DroppedSeries {
  readonly count: number;
  /** Of the first. */
  readonly reason: DropReason;
}
