/**
 * Encrypts texts of a session, such as tokens, with a key derived from the session id. The store holds only the hash of
 * the id, so a copy of the store does not reveal the texts. Another secret of 256 bits from a cookie serves as an id too.
 */
export interface SessionSecrets {
  /**
   * Encrypts a text for a session.
   * @param use what the text is, such as `id_token`: a text sealed for one use does not open for another
   */
  seal(sessionId: string, use: string, text: string): string;
  /** The text; null: it was sealed for another session or another use, or it was changed. Never throws. */
  open(sessionId: string, use: string, sealed: string): string | null;
}
