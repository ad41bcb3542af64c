import type { HeaderList } from '../../domain/http/header-list.js';

/**
 * The head of a message as it came. Whoever passes the message on gives it along with the fields that are to be sent: an
 * adapter that has read such a head itself knows it again, and sends those fields that are as they came in one piece. What is
 * sent depends on the fields alone.
 */
export interface ReceivedHead {
  /** As they came; never changed. */
  readonly fields: HeaderList;
}
