/** A signal that the result of an operation is no longer needed. */
export interface Cancellation {
  /**
   * Calls the listener once on cancellation, or at once if already cancelled. The result
   * unsubscribes it.
   */
  onCancel(listener: () => void): () => void;
}
