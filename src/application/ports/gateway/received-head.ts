import type { HeaderList } from '../../../domain/http/header-list.js';
import type { HeaderSummary } from '../../../domain/http/header-summary.js';

/**
 * The head of a message as it came. Whoever passes the message on gives it along with the fields that are to be sent: an
 * adapter that has read such a head itself knows it again, and sends those fields that are as they came in one piece. What is
 * sent depends on the fields alone.
 */
export interface ReceivedHead {
  /** As they came; never changed. */
  readonly fields: HeaderList;
  /** What `fieldTraits` says of their names, together. */
  readonly traits: number;
}

/** The same of a request. */
export interface ReceivedRequestHead extends ReceivedHead, HeaderSummary {}

/** The same of a response. */
export interface ReceivedResponseHead extends ReceivedHead {
  /**
   * The traits but for those of names of which every field concerned the upstream's connection alone, and was found to nominate
   * none of the others (RFC 9110, section 7.6.1). All bits: they are not known.
   */
  readonly passedTraits: number;
}
