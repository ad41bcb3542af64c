/** Why a series of a report was dropped. */
export type DropReason =
  | 'its name is not well-formed'
  | 'its labels are not well-formed'
  | 'its value does not fit its type'
  | 'its name is taken'
  | 'its buckets have changed'
  | 'it comes twice'
  | 'there are too many families'
  | 'there are too many series'
  | 'the agent id is too long'
  | 'there are too many agent ids';

/** The dropped series of one report. */
export interface DroppedSeries {
  readonly count: number;
  /** The reason for the first one. */
  readonly reason: DropReason;
}
